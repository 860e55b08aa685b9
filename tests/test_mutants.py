"""The twelve classic mistakes, each written out, and each rejected by the suite's own checks."""

import attention_checks
import numpy as np
import pytest


def attention(q, k, v, *, visible=None, bias=None, causal=False, scale=None, mistake=None):
    """Plain attention with at most one mistake."""
    if q.ndim == 3:
        group = len(q) // len(k)
        k, v = ((np.tile(a, (group, 1, 1)) if mistake == "tile for repeat" else np.repeat(a, group, 0)) for a in (k, v))
    d = q.shape[-1]
    if scale is None:
        scale = {"no √d": 1, "÷ d": 1 / d}.get(mistake, 1 / np.sqrt(d))
    scores = scale * (k @ q.swapaxes(-1, -2) if mistake == "transposed scores" else q @ k.swapaxes(-1, -2))
    if bias is not None:
        scores = scores + bias
    n_query, n_key = scores.shape[-2:]
    hidden = np.zeros((n_query, n_key), bool) if visible is None else ~visible
    if causal:
        at_end = causal == "end" and mistake != "start for end"
        hidden = hidden | ~np.tri(n_query, n_key, n_key - n_query if at_end else 0, dtype=bool)
    if mistake == "inverted mask" and hidden.any():
        hidden = ~hidden
    if mistake != "mask after softmax":
        scores = np.where(hidden, -np.inf, scores)
    axis = {"softmax over columns": -2, "softmax over everything": (-2, -1)}.get(mistake, -1)
    exponentials = np.exp(scores)
    total = exponentials.sum(axis=axis, keepdims=True)
    weights = exponentials / np.where(total == 0, 1, total)
    if mistake == "mask after softmax":
        weights = np.where(hidden, 0, weights)
    return weights @ (k if mistake == "K read for V" else v)


def multi_head(x, w_q, w_k, w_v, w_o, *, n_heads, n_kv_heads, causal=False, mistake=None):
    """A plain layer with at most one mistake."""

    def split(rows, heads):
        n, width = rows.shape
        if mistake == "view without transpose":
            return rows.reshape(heads, n, width // heads)
        return rows.reshape(n, heads, width // heads).swapaxes(0, 1)

    q, k, v = split(x @ w_q, n_heads), split(x @ w_k, n_kv_heads), split(x @ w_v, n_kv_heads)
    scale = 1 / np.sqrt(x.shape[-1]) if mistake == "√ of the model width" else None
    heads = attention(q, k, v, causal=causal, scale=scale, mistake=mistake)
    return heads.swapaxes(0, 1).reshape(len(x), -1) @ w_o


# Each mistake and every check that is expected to notice it.
IN_ATTENTION = {
    "no √d": {"plain", "masked", "causal"},
    "÷ d": {"plain", "masked", "causal"},
    "softmax over columns": {"plain", "self_attention"},
    "softmax over everything": {"plain", "self_attention"},
    "mask after softmax": {"masked", "causal", "causal_start", "causal_end"},
    "inverted mask": {"masked", "causal", "nothing_visible"},
    "start for end": {"causal_end"},
    "transposed scores": {"self_attention", "causal"},
    "tile for repeat": {"shared_heads"},
    "K read for V": {"plain", "masked", "shared_heads"},
}
IN_LAYER = {
    "√ of the model width": {"layer", "causal_layer"},
    "view without transpose": {"layer", "causal_layer"},
    "tile for repeat": {"layer", "causal_layer"},
}


def noticed_by(checks, implementation, mistake):
    def wrong(*args, **kwargs):
        return implementation(*args, **kwargs, mistake=mistake)

    noticed = set()
    for check in checks:
        try:
            check(wrong)
        except (AssertionError, ValueError):  # a wrong shape is noticed as well as a wrong number
            noticed.add(check.__name__)
    return noticed


def test_twelve_mistakes_are_kept():
    assert len(IN_ATTENTION | IN_LAYER) == 12


@pytest.mark.parametrize("mistake", IN_ATTENTION)
def test_checks_of_attention_notice(mistake):
    assert IN_ATTENTION[mistake] <= noticed_by(attention_checks.ATTENTION, attention, mistake)


@pytest.mark.parametrize("mistake", IN_LAYER)
def test_checks_of_a_layer_notice(mistake):
    assert IN_LAYER[mistake] <= noticed_by(attention_checks.LAYER, multi_head, mistake)


def test_nothing_is_noticed_where_there_is_no_mistake():
    assert noticed_by(attention_checks.ATTENTION, attention, None) == set()
    assert noticed_by(attention_checks.LAYER, multi_head, None) == set()
