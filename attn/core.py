"""Softmax and scaled dot-product attention, in the five lines of the course.

A position is a row: ``q`` has shape ``(..., n_q, d)``, ``k`` has ``(..., n_k, d)``
and ``v`` has ``(..., n_k, d_v)``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from ._arguments import attention_arguments, softmax_arguments, working_dtype


def softmax(scores, *, visible=None, axis=-1):
    """Turn scores into shares: each from 0 to 1, together 1 along ``axis``.

    ``exp(s_i - m) / sum_j exp(s_j - m)``, where ``m`` is the largest visible
    score. Subtracting it changes no share, and no exponential can overflow.

    Parameters
    ----------
    scores : real numbers, at least one axis. Integers are computed in float64;
        float16 is computed in float32 and returned as float16.
    visible : booleans that broadcast to ``scores``; True = takes part. A hidden
        score gets share 0, whatever it is, NaN included.
    axis : the axis along which the shares sum to 1.

    Returns
    -------
    Array of the shape of ``scores``. Where nothing is visible (or every score
    is minus infinity) the shares are all 0. A visible NaN or plus infinity
    gives NaN.

    Raises
    ------
    TypeError : ``scores`` not real numbers, ``visible`` not boolean, ``axis``
        not an integer.
    ValueError : ``axis`` out of range, ``visible`` of a shape that does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> softmax([0, np.log(2), np.log(5)]).round(3).tolist()
    [0.125, 0.25, 0.625]
    >>> softmax([0, np.log(2), np.log(5)], visible=[True, True, False]).round(3).tolist()
    [0.333, 0.667, 0.0]
    """
    scores, visible, axis = softmax_arguments(scores, visible, axis)
    dtype = scores.dtype
    scores = scores.astype(working_dtype(dtype), copy=False)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    largest = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    # Where nothing is visible the largest is -inf, and -inf - (-inf) is NaN.
    largest = np.where(largest == -np.inf, 0, largest)
    # Two scores may lie further apart than the dtype reaches, and a share may be too small for it: 0 is right.
    with np.errstate(over="ignore", under="ignore"):
        exponentials = np.exp(scores - largest)
        total = exponentials.sum(axis=axis, keepdims=True)
        return (exponentials / np.where(total == 0, 1, total)).astype(dtype, copy=False)


def attention(q, k, v, *, visible=None, bias=None, causal=False, scale=None):
    """Scaled dot-product attention: each query reads a weighted sum of the values.

    ``softmax(scale * q kᵀ + bias) v`` (Vaswani et al. 2017, "Attention Is All
    You Need", section 3.2.1, equation 1).

    Parameters
    ----------
    q : ``(..., n_q, d)``; k : ``(..., n_k, d)``; v : ``(..., n_k, d_v)``.
        Leading axes broadcast. Where axis -3 of k and v (K/V heads) divides
        that of q (query heads), query head h reads K/V head
        ``h // (n_heads // n_kv_heads)``. Integers are computed in float64;
        float16 is computed in float32 and returned as float16.
    visible : booleans that broadcast to ``(..., n_q, n_k)``; True = this query
        may read this key.
    bias : numbers that broadcast to ``(..., n_q, n_k)``, added to the scaled
        scores, not scaled themselves. Minus infinity hides, as False does.
    causal : False, True (only where n_q = n_k), ``"end"`` (the last query is
        the newest position) or ``"start"`` (query i and key i are the same
        position). Combined with ``visible``: a key must pass both.
    scale : factor of the scores; None means ``1 / sqrt(d)``.

    Returns
    -------
    Array ``(..., n_q, d_v)``. A query that may read nothing gets a row of zeros.
    Whatever stands in a hidden key never reaches the output, NaN included; a
    hidden *value* must be finite, because 0 · NaN is NaN.

    Raises
    ------
    TypeError : not real numbers, ``visible`` not boolean, ``scale`` or
        ``causal`` of another type.
    ValueError : shapes that do not fit, ``d = 0``, an unknown ``causal``, or True
        with n_q ≠ n_k; a ``scale`` that is not finite.

    Examples
    --------
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> attention(x, x, x).round(2).tolist()
    [[0.8, 0.6], [0.6, 0.8], [0.75, 0.75]]
    >>> attention(x, x, x, causal=True).round(2).tolist()[0]
    [1.0, 0.0]
    """
    q, k, v, visible, bias, scale, dtype = prepare(q, k, v, visible, bias, causal, scale)
    with np.errstate(over="ignore", invalid="ignore"):  # a hidden key may hold anything
        # Scaling q and not the scores: they may be out of range where scaled ones are not.
        scores = (q * scale) @ k.swapaxes(-1, -2)
        scaled = scores if bias is None else scores + bias
    masked = scaled if visible is None else np.where(visible, scaled, -np.inf)
    weights = softmax(masked)
    output = weights @ v
    return output.astype(dtype, copy=False)


@dataclass(frozen=True, eq=False)
class Trace:
    """Every step of one call of attention; all arrays are read-only.

    Attributes
    ----------
    q, k, v : the queries, keys and values, in the dtype of the output; shared
        K/V heads are not repeated.
    scores : ``(..., n_q, n_k)``, ``q kᵀ``, not scaled.
    scaled : ``scores * scale``, plus ``bias`` if there is one.
    masked : ``scaled``, with minus infinity where a key is hidden.
    weights : softmax of each row of ``masked``.
    output : ``(..., n_q, d_v)``, ``weights @ v``.
    visible : booleans that broadcast to the scores, all that hides a key put
        together (``visible``, ``causal``, a bias of minus infinity), or None.
    bias : as given, or None.
    scale : the factor that was used.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    scores: np.ndarray
    scaled: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    output: np.ndarray
    visible: np.ndarray | None
    bias: np.ndarray | None
    scale: float

    def __post_init__(self):
        make_read_only(self)


def make_read_only(record):
    """Put a read-only view in the place of each array of a frozen dataclass."""
    for name, value in list(vars(record).items()):
        if isinstance(value, np.ndarray):
            view = value.view()
            view.flags.writeable = False
            object.__setattr__(record, name, view)


def trace(q, k, v, *, visible=None, bias=None, causal=False, scale=None):
    """The same call as :func:`attention`, with every intermediate kept.

    Takes (``q``, ``k``, ``v``, ``visible``, ``bias``, ``causal``, ``scale``) and
    raises what :func:`attention` does. Returns a :class:`Trace`, whose ``output``
    equals ``attention(...)`` bit for bit. Scores, scaled, masked and weights have the
    dtype that was computed in (float32 for float16 inputs).

    Examples
    --------
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> steps = trace(x, x, x, causal=True)
    >>> steps.scores[2].tolist()
    [1.0, 1.0, 2.0]
    >>> steps.scaled[2].round(3).tolist()
    [0.707, 0.707, 1.414]
    >>> steps.masked[0].round(3).tolist()
    [0.707, -inf, -inf]
    >>> steps.weights[2].round(3).tolist()
    [0.248, 0.248, 0.503]
    """
    given = q, k, v
    q, k, v, visible, bias, scale, dtype = prepare(q, k, v, visible, bias, causal, scale)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = q @ k.swapaxes(-1, -2)
        scaled = (q * scale) @ k.swapaxes(-1, -2)
        scaled = scaled if bias is None else scaled + bias
    masked = scaled if visible is None else np.where(visible, scaled, -np.inf)
    weights = softmax(masked)
    output = (weights @ v).astype(dtype, copy=False)
    # Copies, so that the record stays what it is when the caller's arrays change.
    q, k, v = (np.array(array, dtype=dtype) for array in given)
    visible, bias = (None if array is None else array.copy() for array in (visible, bias))
    return Trace(q, k, v, scores, scaled, masked, weights, output, visible, bias, scale)


def prepare(q, k, v, visible, bias, causal, scale):
    """The checked arguments: one K/V head for each query head, all that hides keys in one mask."""
    call = attention_arguments(q, k, v, visible, bias, causal, scale)
    masks = []
    if call.visible is not None:
        masks.append(call.visible)
    if call.offset is not None:
        masks.append(np.tri(*call.table[-2:], call.offset, dtype=bool))
    if call.bias is not None and np.isneginf(call.bias).any():
        masks.append(~np.isneginf(call.bias))
    visible = functools.reduce(np.logical_and, masks) if masks else None
    k, v = (one_head_each(array, call.q) for array in (call.k, call.v))
    return call.q, k, v, visible, call.bias, call.scale, call.dtype


def one_head_each(shared, q):
    """Repeat K/V heads so that query head h finds K/V head ``h // (n_heads // n_kv_heads)``."""
    if q.ndim < 3 or shared.ndim < 3:
        return shared
    n_heads, n_kv_heads = q.shape[-3], shared.shape[-3]
    if n_heads == n_kv_heads or n_kv_heads < 2 or n_heads % n_kv_heads:
        return shared
    return np.repeat(shared, n_heads // n_kv_heads, axis=-3)
