"""The way back: how a loss that depends on the output depends on q, k, v and W."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ._arguments import numbers, working_dtype
from .core import Trace, one_head_each


def softmax_jacobian(weights):
    """How each share changes with each score: ``J[i, j] = w_i (δ_ij - w_j)``.

    Follows from the quotient rule; the rows sum to 0 because the shares keep
    summing to 1. Near-certain shares make all of it small: saturation.

    Parameters
    ----------
    weights : ``(..., n)``, the result of :func:`attn.softmax`, not the scores.

    Returns
    -------
    Array ``(..., n, n)``, ``diag(w) - w wᵀ``, symmetric; for float16, computed in float32.

    Raises
    ------
    TypeError, ValueError : not numbers with at least one axis.

    Examples
    --------
    >>> (softmax_jacobian([1/4, 1/4, 1/2]) * 16).tolist()
    [[3.0, -1.0, -2.0], [-1.0, 3.0, -2.0], [-2.0, -2.0, 4.0]]
    """
    weights = numbers("weights", weights, axes=1)
    dtype = weights.dtype
    weights = weights.astype(working_dtype(dtype), copy=False)
    # 1 - w first: near 1, the difference of w and w² would have lost most of its digits.
    jacobian = weights[..., :, None] * (np.eye(weights.shape[-1], dtype=weights.dtype) - weights[..., None, :])
    return (jacobian + 0).astype(dtype, copy=False)  # 0 · -w is -0, which prints as one


@dataclass(frozen=True, eq=False)
class AttentionGradients:
    """What the loss changes by, for a small change of each step; in the order of the way back.

    Attributes
    ----------
    v, q, k : of the shapes of the trace's v, q and k.
    weights, scaled : ``(..., n_q, n_k)``; 0 in ``scaled`` where a key is hidden.
    """

    v: np.ndarray
    weights: np.ndarray
    scaled: np.ndarray
    q: np.ndarray
    k: np.ndarray


def attention_backward(d_out, trace):
    """Carry the gradient of a loss from the output back to v, the weights, q and k.

    The chain rule, once through each of the five lines (in this form: Dao et al.
    2022, "FlashAttention", appendix B.2).

    Parameters
    ----------
    d_out : the loss's gradient for the output, of the shape of ``trace.output``.
    trace : the :class:`attn.Trace` of the forward call. Its k and v must be finite,
        hidden rows included.

    Returns
    -------
    :class:`AttentionGradients`, in the dtype of the trace. Where heads or leading
    axes were shared, the gradients of all that used them are summed.

    Raises
    ------
    TypeError : ``d_out`` not numbers, ``trace`` not a Trace.
    ValueError : ``d_out`` of another shape than the output.

    Examples
    --------
    >>> from attn import trace
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> g = attention_backward([[0, 0], [0, 0], [1, 0]], trace(x, x, x))
    >>> g.v.round(3).tolist()
    [[0.248, 0.0], [0.248, 0.0], [0.503, 0.0]]
    >>> g.weights[2].tolist()
    [1.0, 0.0, 1.0]
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"trace must be an attn.Trace, as attn.trace returns, got {type(trace).__name__}")
    d_out = numbers("d_out", d_out, axes=2)
    if d_out.shape != trace.output.shape:
        raise ValueError(f"d_out must have the shape of the output, {trace.output.shape}, got {d_out.shape}")
    dtype = trace.output.dtype
    d_out, q, k, v = (a.astype(working_dtype(dtype), copy=False) for a in (d_out, trace.q, trace.k, trace.v))
    each_k, each_v = one_head_each(k, q), one_head_each(v, q)

    # output = weights @ v
    d_v = trace.weights.swapaxes(-1, -2) @ d_out
    d_weights = d_out @ each_v.swapaxes(-1, -2)
    # weights = softmax(scaled): the Jacobian times d_weights, row by row
    mean = (trace.weights * d_weights).sum(axis=-1, keepdims=True)
    d_scaled = trace.weights * (d_weights - mean)
    # scaled = scale * q kᵀ + bias
    d_q = trace.scale * (d_scaled @ each_k)
    d_k = trace.scale * (d_scaled.swapaxes(-1, -2) @ q)

    gradients = (
        _sum_to(v.shape, d_v),
        _sum_to(trace.weights.shape, d_weights),
        _sum_to(trace.scaled.shape, d_scaled),
        _sum_to(q.shape, d_q),
        _sum_to(k.shape, d_k),
    )
    return AttentionGradients(*(gradient.astype(dtype, copy=False) for gradient in gradients))


def projection_gradient(x, d_y):
    """The gradient for W where ``y = x W``: ``xᵀ d_y``, summed over all positions.

    W is shared by all positions, so each of them adds its part. With ``d_y`` the
    ``q``, ``k`` or ``v`` of :class:`AttentionGradients` this is the gradient for W_Q,
    W_K or W_V (heads are first put side by side by :func:`attn.merge_heads`).

    Parameters
    ----------
    x : ``(..., n, d_in)``; d_y : ``(..., n, d_out)``, with the same leading axes.

    Returns
    -------
    Array ``(d_in, d_out)``, the shape of W.

    Raises
    ------
    TypeError, ValueError : not tables of numbers, or of shapes that do not fit.

    Examples
    --------
    >>> projection_gradient([[1, 0], [0, 1], [1, 1]], [[1, 2], [3, 4], [5, 6]]).tolist()
    [[6.0, 8.0], [8.0, 10.0]]
    """
    x = numbers("x", x, axes=2)
    d_y = numbers("d_y", d_y, axes=2)
    if x.shape[:-1] != d_y.shape[:-1]:
        raise ValueError(f"x and d_y must agree in all axes but the last, got x {x.shape} and d_y {d_y.shape}")
    dtype = np.result_type(x, d_y)
    rows = math.prod(x.shape[:-1])
    x, d_y = (a.reshape(rows, a.shape[-1]).astype(working_dtype(dtype), copy=False) for a in (x, d_y))
    return (x.T @ d_y).astype(dtype, copy=False)


def _sum_to(shape, gradient):
    """Sum over the axes along which an array of ``shape`` was repeated or broadcast."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    for axis, (length, repeated) in enumerate(zip(shape, gradient.shape)):
        if length != repeated:
            # One block of neighbours for each entry; a broadcast axis is a single block.
            blocks = gradient.shape[:axis] + (length, repeated // length) + gradient.shape[axis + 1 :]
            gradient = gradient.reshape(blocks).sum(axis=axis + 1)
    return gradient
