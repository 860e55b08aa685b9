"""All exercises, in the order of the chapters."""

from . import limits, many_heads, one_head, who_may_read

EXERCISES = [
    *one_head.EXERCISES,
    *who_may_read.EXERCISES,
    *many_heads.EXERCISES,
    *limits.EXERCISES,
]
