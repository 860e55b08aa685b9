"""Attention with its projections: one head, then many, K and V shared or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._arguments import numbers
from .core import attention, trace


@dataclass(frozen=True, eq=False)
class SelfAttention:
    """One head with its three projections: ``Q = x W_Q``, ``K = x W_K``, ``V = x W_V``.

    (Vaswani et al. 2017, section 3.2; without the output projection.)

    Parameters
    ----------
    w_q : ``(d_model, d)``; w_k : ``(d_context, d)``; w_v : ``(d_context, d_v)``.
        ``d_context`` is ``d_model`` unless a context of another width is read.

    Call it with ``x`` of shape ``(..., n, d_model)`` for the output ``(..., n, d_v)``;
    ``context=`` gives the positions that are read, where they are not those of ``x``
    (cross-attention); ``visible``, ``bias``, ``causal`` and ``scale`` are those of
    :func:`attn.attention`.

    Raises
    ------
    TypeError, ValueError : a matrix that is not a table of numbers, widths that do
        not fit; and what :func:`attn.attention` raises.

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
        for name in ("w_q", "w_k", "w_v"):
            object.__setattr__(self, name, matrix(name, getattr(self, name)))
        if self.w_q.shape[1] != self.w_k.shape[1]:
            raise ValueError(
                f"w_q and w_k must have the same number of columns, got w_q {self.w_q.shape} and w_k {self.w_k.shape}"
            )
        if self.w_k.shape[0] != self.w_v.shape[0]:
            raise ValueError(
                f"w_k and w_v must have the same number of rows, got w_k {self.w_k.shape} and w_v {self.w_v.shape}"
            )

    def __call__(self, x, *, context=None, **options):
        """The output, ``(..., n, d_v)``."""
        return attention(*self.project(x, context=context), **options)

    def trace(self, x, *, context=None, **options):
        """The same call with every step kept, as a :class:`attn.Trace`."""
        return trace(*self.project(x, context=context), **options)

    def project(self, x, *, context=None):
        """The queries of ``x`` and the keys and values of ``context`` (of ``x``, if None)."""
        x = rows("x", x, "w_q", self.w_q)
        context = rows("x", x, "w_k", self.w_k) if context is None else rows("context", context, "w_k", self.w_k)
        return x @ self.w_q, context @ self.w_k, context @ self.w_v


def matrix(name, value):
    """``value`` as a read-only float table."""
    array = numbers(name, value, axes=2)
    if array.ndim != 2:
        raise ValueError(f"{name} must be a matrix (2 axes), got shape {array.shape}")
    array = array.copy()
    array.flags.writeable = False
    return array


def rows(name, value, weight_name, weight):
    """``value`` as float rows that ``weight`` can project."""
    array = numbers(name, value, axes=2)
    if array.shape[-1] != weight.shape[0]:
        raise ValueError(
            f"{name} must be as wide as {weight_name} has rows, {weight.shape[0]}, got shape {array.shape}"
        )
    return array
