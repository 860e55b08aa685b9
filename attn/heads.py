"""Many heads, K and V shared or not, and attention together with its projections."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ._arguments import integer, numbers, working_dtype
from .core import Trace, attention, make_read_only, trace


def split_heads(x, n_heads):
    """``(..., n, n_heads * d)`` to ``(..., n_heads, n, d)``: head h gets columns h·d to (h+1)·d.

    A reshape alone would cut the rows in the wrong places: the columns are split
    first, then the axes of heads and positions change places.

    Raises
    ------
    TypeError, ValueError : ``x`` not a table of numbers, ``n_heads`` not a positive
        integer that divides the width of ``x``.

    Examples
    --------
    >>> x = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    >>> split_heads(x, 2).tolist()
    [[[1.0, 2.0], [5.0, 6.0], [9.0, 10.0]], [[3.0, 4.0], [7.0, 8.0], [11.0, 12.0]]]
    """
    x = numbers("x", x, axes=2)
    n_heads = integer("n_heads", n_heads, minimum=1)
    *leading, n, width = x.shape
    if width % n_heads:
        raise ValueError(f"n_heads must divide the width of x, {width}, got n_heads={n_heads} and x {x.shape}")
    return x.reshape(*leading, n, n_heads, width // n_heads).swapaxes(-3, -2)


def merge_heads(x):
    """``(..., n_heads, n, d)`` to ``(..., n, n_heads * d)``: the heads' rows side by side.

    Undoes :func:`split_heads`.

    Raises
    ------
    TypeError, ValueError : ``x`` not numbers with at least 3 axes.

    Examples
    --------
    >>> merge_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]]).tolist()
    [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    """
    x = numbers("x", x, axes=3)
    *leading, n_heads, n, width = x.shape
    return x.swapaxes(-3, -2).reshape(*leading, n, n_heads * width)


def repeat_heads(x, n_heads):
    """``(..., n_kv_heads, n, d)`` to ``(..., n_heads, n, d)``: shared K/V heads, one for each query head.

    Neighbours share: 2 heads for 4 become 0, 0, 1, 1 and not 0, 1, 0, 1 (grouped-query
    attention, Ainslie et al. 2023, section 2.2). :func:`attn.attention` does this by
    itself.

    Raises
    ------
    TypeError, ValueError : ``x`` not numbers with at least 3 axes; ``n_heads`` not a
        positive multiple of the heads of ``x``.

    Examples
    --------
    >>> repeat_heads([[[0]], [[1]]], 4).ravel().tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    x = numbers("x", x, axes=3)
    n_heads = integer("n_heads", n_heads, minimum=1)
    n_kv_heads = x.shape[-3]
    if n_kv_heads == 0 or n_heads % n_kv_heads:
        raise ValueError(
            f"n_heads must be a multiple of the heads of x (axis -3), {n_kv_heads}, "
            f"got n_heads={n_heads} and x {x.shape}"
        )
    return np.repeat(x, n_heads // n_kv_heads, axis=-3)


@dataclass(frozen=True, eq=False)
class SelfAttention:
    """One head with its three projections: ``Q = x W_Q``, ``K = x W_K``, ``V = x W_V``.

    Equation 1 of Vaswani et al. 2017, section 3.2.1, without the output projection.

    Parameters
    ----------
    w_q : ``(d_model, d)``; w_k : ``(d_context, d)``; w_v : ``(d_context, d_v)``.
        ``d_context`` is ``d_model``, unless a context of another width is read.

    Raises
    ------
    TypeError, ValueError : a matrix that is not a table of numbers, or widths that
        do not fit.

    Examples
    --------
    >>> head = SelfAttention(w_q=[[1, 0], [0, 1]], w_k=[[1, 0], [0, 1]], w_v=[[2, 0], [0, 1]])
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> head(x).round(2).tolist()[2]
    [1.5, 0.75]
    >>> head.trace(x).v.tolist()
    [[2.0, 0.0], [0.0, 1.0], [2.0, 1.0]]
    """

    w_q: np.ndarray
    w_k: np.ndarray
    w_v: np.ndarray

    def __post_init__(self):
        _store_matrices(self, "w_q", "w_k", "w_v")
        if self.w_q.shape[1] != self.w_k.shape[1]:
            raise ValueError(
                f"w_q and w_k must have the same number of columns, got w_q {self.w_q.shape} and w_k {self.w_k.shape}"
            )

    def __call__(self, x, *, context=None, visible=None, bias=None, causal=False, scale=None):
        """The output for ``x`` of shape ``(..., n, d_model)``: ``(..., n, d_v)``.

        ``context`` of shape ``(..., n_k, d_context)`` holds the positions that are
        read, where they are not those of ``x`` (cross-attention). The other
        arguments, and the errors, are those of :func:`attn.attention`.
        """
        q, k, v = self.project(x, context=context)
        return attention(q, k, v, visible=visible, bias=bias, causal=causal, scale=scale)

    def trace(self, x, *, context=None, visible=None, bias=None, causal=False, scale=None):
        """The same call with every step kept, as a :class:`attn.Trace`."""
        q, k, v = self.project(x, context=context)
        return trace(q, k, v, visible=visible, bias=bias, causal=causal, scale=scale)

    def project(self, x, *, context=None):
        """Q of ``x``, and K and V of ``context`` (of ``x`` where it is None)."""
        return _project(self, x, context)


@dataclass(frozen=True, eq=False)
class MultiHeadAttention:
    """Several heads side by side, joined by the output projection ``W_O``.

    ``concat(head_1, ..., head_h) W_O`` (Vaswani et al. 2017, section 3.2.2). With
    fewer K/V heads than query heads, neighbouring query heads share one (Ainslie et
    al. 2023: grouped-query attention; one K/V head is multi-query attention).

    Parameters
    ----------
    w_q : ``(d_model, n_heads * d)``; w_k : ``(d_context, n_kv_heads * d)``;
    w_v : ``(d_context, n_kv_heads * d_v)``; w_o : ``(n_heads * d_v, d_out)``.
        Head h has columns h·d to (h+1)·d. ``d`` need not be ``d_model / n_heads``.
    n_heads : number of query heads; n_kv_heads : of K/V heads, None for as many.

    Raises
    ------
    TypeError, ValueError : a matrix that is not a table of numbers, head counts that
        do not divide, or widths that do not fit.

    Examples
    --------
    >>> w = [[1, 0, 0, 1], [0, 1, 1, 0]]
    >>> mha = MultiHeadAttention(w, w, w, [[1, 0], [0, 1], [1, 0], [0, 1]], n_heads=2)
    >>> steps = mha.trace([[1, 0], [0, 1], [1, 1]])
    >>> steps.heads.q.shape, steps.heads.weights.shape, steps.concatenated.shape, steps.output.shape
    ((2, 3, 2), (2, 3, 3), (3, 4), (3, 2))
    """

    w_q: np.ndarray
    w_k: np.ndarray
    w_v: np.ndarray
    w_o: np.ndarray
    _: KW_ONLY
    n_heads: int
    n_kv_heads: int | None = None

    def __post_init__(self):
        _store_matrices(self, "w_q", "w_k", "w_v", "w_o")
        n_heads = integer("n_heads", self.n_heads, minimum=1)
        n_kv_heads = n_heads if self.n_kv_heads is None else integer("n_kv_heads", self.n_kv_heads, minimum=1)
        if n_heads % n_kv_heads:
            raise ValueError(f"n_kv_heads must divide n_heads, got n_heads={n_heads} and n_kv_heads={n_kv_heads}")
        object.__setattr__(self, "n_heads", n_heads)
        object.__setattr__(self, "n_kv_heads", n_kv_heads)
        for name, count_name, count in (
            ("w_q", "n_heads", n_heads),
            ("w_k", "n_kv_heads", n_kv_heads),
            ("w_v", "n_kv_heads", n_kv_heads),
        ):
            shape = getattr(self, name).shape
            if shape[1] % count:
                raise ValueError(f"{count_name} must divide the columns of {name}, got {count} and {name} {shape}")
        if self.w_q.shape[1] // n_heads != self.w_k.shape[1] // n_kv_heads:
            raise ValueError(
                f"a head of w_q and one of w_k must be equally wide, got w_q {self.w_q.shape} for {n_heads} heads "
                f"and w_k {self.w_k.shape} for {n_kv_heads}"
            )
        width = n_heads * (self.w_v.shape[1] // n_kv_heads)
        if self.w_o.shape[0] != width:
            raise ValueError(
                f"w_o must have {width} rows, one for each column of the heads side by side, got w_o {self.w_o.shape}"
            )

    def __call__(self, x, *, context=None, visible=None, bias=None, causal=False, scale=None):
        """The output for ``x`` of shape ``(..., n, d_model)``: ``(..., n, d_out)``.

        ``visible`` and ``bias`` broadcast to ``(..., n_heads, n_q, n_k)``; the other
        arguments, and the errors, are those of :class:`SelfAttention`.
        """
        q, k, v = self.project(x, context=context)
        heads = attention(q, k, v, visible=visible, bias=bias, causal=causal, scale=scale)
        return _times(merge_heads(heads), self.w_o)

    def trace(self, x, *, context=None, visible=None, bias=None, causal=False, scale=None):
        """The same call with every step kept, as a :class:`MultiHeadTrace`."""
        q, k, v = self.project(x, context=context)
        heads = trace(q, k, v, visible=visible, bias=bias, causal=causal, scale=scale)
        concatenated = merge_heads(heads.output)
        return MultiHeadTrace(heads, concatenated, _times(concatenated, self.w_o))

    def project(self, x, *, context=None):
        """Q of ``x``, and K and V of ``context`` (of ``x`` where it is None), split into heads."""
        q, k, v = _project(self, x, context)
        return split_heads(q, self.n_heads), split_heads(k, self.n_kv_heads), split_heads(v, self.n_kv_heads)


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every step of one call of :class:`MultiHeadAttention`; all arrays are read-only.

    Attributes
    ----------
    heads : the :class:`attn.Trace` of all heads, with an axis of heads before the
        last two of each array.
    concatenated : ``(..., n, n_heads * d_v)``, the heads' outputs side by side.
    output : ``(..., n, d_out)``, ``concatenated @ w_o``.
    """

    heads: Trace
    concatenated: np.ndarray
    output: np.ndarray

    def __post_init__(self):
        make_read_only(self)


def _store_matrices(layer, *names):
    """Replace the matrices of a frozen layer by read-only float copies, and check that K and V fit."""
    for name in names:
        array = numbers(name, getattr(layer, name), axes=2).copy()
        if array.ndim != 2:
            raise ValueError(f"{name} must be a matrix (2 axes), got shape {array.shape}")
        array.flags.writeable = False
        object.__setattr__(layer, name, array)
    if layer.w_k.shape[0] != layer.w_v.shape[0]:
        raise ValueError(
            f"w_k and w_v must have the same number of rows, got w_k {layer.w_k.shape} and w_v {layer.w_v.shape}"
        )


def _project(layer, x, context):
    x = numbers("x", x, axes=2)
    _must_fit("x", x, "w_q", layer.w_q)
    name = "x" if context is None else "context"
    context = x if context is None else numbers("context", context, axes=2)
    _must_fit(name, context, "w_k", layer.w_k)
    return _times(x, layer.w_q), _times(context, layer.w_k), _times(context, layer.w_v)


def _must_fit(name, array, matrix_name, matrix):
    if array.shape[-1] != matrix.shape[0]:
        raise ValueError(
            f"{name} must be as wide as {matrix_name} has rows, {matrix.shape[0]}, got {name} {array.shape}"
        )


def _times(rows, matrix):
    dtype = np.result_type(rows, matrix)
    rows, matrix = (array.astype(working_dtype(dtype), copy=False) for array in (rows, matrix))
    return (rows @ matrix).astype(dtype, copy=False)
