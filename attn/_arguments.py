"""Arguments of the public functions: checked, named in errors, brought to one dtype.

What several of them ask of an argument is asked here, before any arithmetic. An error
names the argument, what came and what would fit.
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np


class AttentionArguments(NamedTuple):
    """A checked call of attention.

    ``q``, ``k`` and ``v`` are in the dtype to compute in; ``dtype`` is that of the
    output and ``table`` the shape of the scores. Query i may read the keys up to
    ``i + offset``, if ``offset`` is not None.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    visible: np.ndarray | None
    bias: np.ndarray | None
    offset: int | None
    scale: float
    dtype: np.dtype
    table: tuple[int, ...]


def numbers(name, value, *, axes):
    """``value`` as a float array, in native byte order, of at least ``axes`` axes; integers become float64."""
    array = _array(name, value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must hold real numbers (integers or floats), got dtype {array.dtype}")
    if array.ndim < axes:
        raise ValueError(f"{name} must have at least {axes} axes, got shape {array.shape}")
    dtype = array.dtype.newbyteorder("=") if array.dtype.kind == "f" else np.float64
    return array.astype(dtype, copy=False)


def booleans(name, value):
    """``value`` as a boolean array; nothing else is taken for a mask."""
    array = _array(name, value)
    if array.dtype != bool:
        hint = "; numbers to be added to the scores are passed as bias" if name == "visible" else ""
        raise TypeError(f"{name} must be boolean, True = may be read, got dtype {array.dtype}{hint}")
    return array


def integers(name, value):
    """``value`` as an array of integers."""
    array = _array(name, value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must hold integers, got dtype {array.dtype}")
    return array


def integer(name, value, *, minimum=None):
    """``value`` as an int, at least ``minimum`` if there is one."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if minimum is not None and number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {number}")
    return number


def working_dtype(dtype):
    """The dtype to compute in: float16 has too few digits and range for sums."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def softmax_arguments(scores, visible, axis):
    """Check the arguments of softmax."""
    scores = numbers("scores", scores, axes=1)
    axis = integer("axis", axis)
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(
            f"axis must lie from {-scores.ndim} to {scores.ndim - 1} for scores of shape {scores.shape}, got {axis}"
        )
    if visible is not None:
        visible = booleans("visible", visible)
        _must_broadcast("visible", visible.shape, scores.shape)
    return scores, visible, axis


def attention_arguments(q, k, v, visible, bias, causal, scale):
    """Check the arguments that all forms of attention share."""
    q = numbers("q", q, axes=2)
    k = numbers("k", k, axes=2)
    v = numbers("v", v, axes=2)
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"q and k must have the same width (last axis) to be multiplied, got q {q.shape} and k {k.shape}"
        )
    if q.shape[-1] == 0:
        raise ValueError(f"q and k must be at least 1 wide (d = 0 gives no scores), got q {q.shape} and k {k.shape}")
    shared = check_pair(k, v)
    table = _leading_axes(q, k, v, shared) + (q.shape[-2], k.shape[-2])
    if visible is not None:
        visible = booleans("visible", visible)
        _must_broadcast("visible", visible.shape, table)
    if bias is not None:
        bias = numbers("bias", bias, axes=0)
        _must_broadcast("bias", bias.shape, table)
    offset = _causal_offset(causal, *table[-2:])
    scale = _scale(scale, width=q.shape[-1])
    dtype = np.result_type(q, k, v) if bias is None else np.result_type(q, k, v, bias)
    q, k, v = (array.astype(working_dtype(dtype), copy=False) for array in (q, k, v))
    return AttentionArguments(q, k, v, visible, bias, offset, scale, dtype, table)


def causal_offset(n_query, n_key, align, *, name="align"):
    """The last key that query i may read is ``i + offset``; see ``attn.causal_mask``."""
    if not (align is None or isinstance(align, str) and align in ("start", "end")):
        raise ValueError(f'{name} must be "start" or "end", got {align!r}')
    if align is None and n_query != n_key:
        raise ValueError(
            f"{name} must say how the queries ({n_query}) and the keys ({n_key}) are lined up: "
            '"end" (the last query is the newest position, as in decoding with a cache) or '
            '"start" (query i and key i are the same position, as in PyTorch\'s is_causal)'
        )
    return n_key - n_query if align == "end" else 0


def check_pair(k, v):
    """The leading axes that k and v have together; an error where the two cannot be read together."""
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k and v must have the same number of rows, got k {k.shape} and v {v.shape}")
    try:
        return np.broadcast_shapes(k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the leading axes of k and v must be equal or broadcast, got k {k.shape} and v {v.shape}"
        ) from None


def _array(name, value):
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} must be an array with rows of equal length: {error}") from None


def _scale(scale, width):
    if scale is None:
        return 1 / np.sqrt(width).item()
    listed = isinstance(scale, (list, tuple))  # one with rows of several lengths has no shape to look at
    if listed or np.ndim(scale) != 0 or np.asarray(scale).dtype.kind not in "iuf":
        raise TypeError(f"scale must be one real number, or None for 1/sqrt(d), got {scale!r}")
    if not np.isfinite(scale):
        raise ValueError(f"scale must be finite, got {scale!r}")
    # A NumPy float64 would turn float32 scores into float64; a Python float does not.
    return float(scale)


def _causal_offset(causal, n_query, n_key):
    if isinstance(causal, (bool, np.bool_)):
        return causal_offset(n_query, n_key, None, name="causal") if causal else None
    if isinstance(causal, str) and causal in ("start", "end"):
        return causal_offset(n_query, n_key, causal)
    kind = ValueError if isinstance(causal, str) else TypeError
    raise kind(f'causal must be False, True, "start" or "end", got {causal!r}')


def _leading_axes(q, k, v, shared):
    """The leading axes of the scores, where K/V heads (in ``shared``) may be shared by query heads."""
    leading = q.shape[:-2]
    if leading and shared and shared[-1] > 1 and leading[-1] % shared[-1] == 0:
        shared = shared[:-1] + leading[-1:]
    try:
        return np.broadcast_shapes(leading, shared)
    except ValueError:
        raise ValueError(
            "the leading axes of q, k and v must be equal or broadcast, and the number of K/V heads "
            "(axis -3 of k and v) must divide the number of query heads (axis -3 of q), "
            f"got q {q.shape}, k {k.shape} and v {v.shape}"
        ) from None


def _must_broadcast(name, shape, table):
    """A mask may be stretched to the table of scores; the table is never stretched to the mask."""
    fits = len(shape) <= len(table) and all(a in (1, b) for a, b in zip(shape[::-1], table[::-1]))
    if not fits:
        raise ValueError(
            f"{name} must broadcast to the scores, shape {table}: each axis, counted from the right, "
            f"must be 1 or equal; got shape {shape}"
        )
