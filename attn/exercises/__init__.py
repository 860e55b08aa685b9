"""Checkers for the exercises of chapter 16.

An exercise asks for a function. :func:`check` calls the reader's function with a few
inputs and prints what was right, the first input on which it is not, what it returned
and what was expected.

To add one, append an :class:`~attn.exercises.exercise.Exercise` to the list of its part
(``one_head``, ``who_may_read``, ``many_heads``, ``limits``), give it a section in both
languages of chapter 16, in the same order and with its name as the heading's id, and give
its solution and its usual mistakes to ``tests/exercise_attempts.py``.
"""

import numpy as np

from .catalogue import EXERCISES
from .report import report

__all__ = ["check", "names"]


def check(name, function, lang="en"):
    """Print whether ``function`` solves the exercise ``name``, and if not, on which input it fails.

    The function is called with copies of a few inputs. Results may differ from ours by
    rounding (float32 is enough). Nothing is raised: a function that fails, and a call
    that cannot be checked, are explained too.

    Parameters
    ----------
    name : one of :func:`names`.
    function : the reader's function, which takes the arguments that the exercise names,
        in that order, and returns the result.
    lang : ``"zh"`` or ``"en"``, the language of the answer.

    Returns
    -------
    True if every result is right, else False.

    Examples
    --------
    >>> from attn import exercises
    >>> exercises.check("scores", lambda q, k: q @ k.T)
    scores: right on all 3 inputs.
    True
    >>> exercises.check("scores", lambda q, k: k @ q.T)
    scores: right on 0 of 3 inputs.
    First failure: input 1, whole numbers
        q = [[1 1]
             [0 1]
             [1 2]]
        k = [[1 0]
             [0 1]
             [1 1]]
    your function returned
        [[1 0 1]
         [1 1 2]
         [2 1 3]]
    expected
        [[1 1 2]
         [0 1 1]
         [1 2 3]]
    Right: the shape, 3 of 9 entries.
    First wrong entry: [0, 1], counted from 0.
    False
    """
    # The numbers tell what overflowed; a warning beside them would only confuse.
    with np.errstate(all="ignore"):
        text, solved = report(name, function, lang)
    print(text)
    return solved


def names():
    """The names of all exercises, in the order of the chapters.

    Examples
    --------
    >>> from attn import exercises
    >>> exercises.names()[:3]
    ['most-like', 'project', 'sizes']
    """
    return [exercise.name for exercise in EXERCISES]
