"""The data of the lessons. All arrays are read-only float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import addition_data
from ._arguments import numbers
from .core import trace
from .heads import SelfAttention


@dataclass(frozen=True, eq=False)
class Lesson:
    """Input rows and the three projections of one head, with a label for each position.

    Attributes
    ----------
    x : ``(n, d_model)``; w_q, w_k : ``(d_model, d)``; w_v : ``(d_model, d_v)``.
    """

    x: np.ndarray
    w_q: np.ndarray
    w_k: np.ndarray
    w_v: np.ndarray
    zh: tuple[str, ...]
    en: tuple[str, ...]

    def attention(self):
        """The head, as a :class:`attn.SelfAttention` that takes any ``x``."""
        return SelfAttention(self.w_q, self.w_k, self.w_v)

    def trace(self, **options):
        """The steps for ``x``; options are those of :func:`attn.attention`."""
        return self.attention().trace(self.x, **options)

    def labels(self, lang):
        """The positions' names in Chinese (``"zh"``) or English (``"en"``)."""
        return _labels(self, lang)


@dataclass(frozen=True, eq=False)
class GivenQKV:
    """A lesson that starts from Q, K and V, with a label for each position.

    Attributes
    ----------
    q, k : ``(n, d)``; v : ``(n, d_v)``.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    zh: tuple[str, ...]
    en: tuple[str, ...]

    def trace(self, **options):
        """The steps; options are those of :func:`attn.attention`."""
        return trace(self.q, self.k, self.v, **options)

    def labels(self, lang):
        """The positions' names in Chinese (``"zh"``) or English (``"en"``)."""
        return _labels(self, lang)


def three_positions(*, x2=(0, 1)):
    """Three positions whose weights are fractions: the exact example of the course.

    Made by hand, not trained. ``W_K`` is the identity times ``√2 · ln 2``, so the
    scaled scores are whole multiples of ln 2 and each further ln 2 doubles a
    weight. ``x2`` is the second row of the input; the chapters change it to
    ``(0, 2)`` and look at what happens to the third.

    Raises
    ------
    TypeError, ValueError : ``x2`` not a row of two numbers.

    Examples
    --------
    >>> steps = three_positions().trace()
    >>> steps.weights.round(3).tolist()
    [[0.4, 0.2, 0.4], [0.2, 0.4, 0.4], [0.25, 0.25, 0.5]]
    >>> steps.output.round(3).tolist()
    [[1.6, 0.6], [1.2, 0.8], [1.5, 0.75]]
    >>> three_positions(x2=(0, 2)).trace().output[2].round(3).tolist()
    [1.2, 1.2]
    """
    return _three_positions([[1, 0], [0, 1]], x2)


def three_positions_directed(*, x2=(0, 1)):
    """:func:`three_positions` with ``W_Q = [[1, 1], [0, 1]]``: scores with a direction.

    There ``q kᵀ`` is symmetric, so it cannot tell "i reads j" from "j reads i";
    here the score of position 1 for position 2 is not that of 2 for 1. ``x2`` is the
    second row of the input, as there.

    Examples
    --------
    >>> steps = three_positions_directed().trace()
    >>> (steps.weights[2] * 7).round(3).tolist()
    [1.0, 2.0, 4.0]
    >>> (steps.output[2] * 7).round(3).tolist()
    [10.0, 6.0]
    """
    return _three_positions([[1, 1], [0, 1]], x2)


def three_words():
    """她 · 妈妈 · 开心 / she · mother · happy, given as Q, K and V.

    Examples
    --------
    >>> lesson = three_words()
    >>> lesson.trace(scale=1).weights[2].round(3).tolist()
    [0.212, 0.212, 0.576]
    >>> lesson.trace().weights[2].round(3).tolist()
    [0.248, 0.248, 0.503]
    """
    return GivenQKV(
        q=_constant([[1, 0], [0, 1], [1, 1]]),
        k=_constant([[0, 1], [1, 0], [1, 1]]),
        v=_constant([[1, 0], [0, 1], [1, 1]]),
        zh=("她", "妈妈", "开心"),
        en=("she", "mother", "happy"),
    )


def addition(*, sentence=1):
    """Six characters, 8 numbers each, one head: 三 加 五 等 于 ? and 十 减 四 等 于 ?.

    The matrices are ours, made and not trained: they were searched for until they
    gave the results that the lesson of this example publishes.

    Raises
    ------
    ValueError : ``sentence`` neither 1 nor 2.

    Examples
    --------
    >>> lesson = addition()
    >>> steps = lesson.trace()
    >>> lesson.labels("zh")[3], steps.weights[3].round(3).max().item()
    ('等', 0.524)
    >>> steps.output[3].round(2).tolist()
    [0.52, -0.42, 0.13, -0.17, 0.96, -0.4, -0.05, -0.17]
    """
    if sentence == 1:
        x, zh, en = addition_data.X1, "三加五等于?", ("three", "plus", "five")
    elif sentence == 2:
        x, zh, en = addition_data.X2, "十减四等于?", ("ten", "minus", "four")
    else:
        raise ValueError(f"sentence must be 1 or 2, got {sentence!r}")
    return Lesson(
        x=_constant(x),
        w_q=_constant(addition_data.W_Q),
        w_k=_constant(addition_data.W_K),
        w_v=_constant(addition_data.W_V),
        zh=tuple(zh),
        en=(*en, "equal", "to", "?"),
    )


def _three_positions(w_q, x2):
    x2 = numbers("x2", x2, axes=1)
    if x2.shape != (2,):
        raise ValueError(f"x2 must be a row of 2 numbers, got shape {x2.shape}")
    return Lesson(
        x=_constant([[1, 0], x2, [1, 1]]),
        w_q=_constant(w_q),
        w_k=_constant(np.sqrt(2) * np.log(2) * np.eye(2)),
        w_v=_constant([[2, 0], [0, 1]]),
        zh=("位置 1", "位置 2", "位置 3"),
        en=("position 1", "position 2", "position 3"),
    )


def _constant(values):
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def _labels(lesson, lang):
    if lang not in ("zh", "en"):
        raise ValueError(f'lang must be "zh" or "en", got {lang!r}')
    return lesson.zh if lang == "zh" else lesson.en
