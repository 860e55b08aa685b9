"""Names of positions."""

from collections.abc import Sequence


def position_labels(name: str, labels: Sequence[str] | None, n: int) -> list[str]:
    """One label for each of `n` positions; 1, 2, 3, … where none are given.

    `name` is the argument that an error names.
    """
    if labels is None:
        return [str(i + 1) for i in range(n)]
    if isinstance(labels, str) or not all(isinstance(label, str) for label in labels):
        raise TypeError(f"{name}: got {labels!r}; a sequence of {n} strings fits")
    if len(labels) != n:
        raise ValueError(f"{name}: got {len(labels)} labels; {n} positions need {n}")
    return list(labels)
