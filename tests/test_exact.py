"""Random problems whose right answers are fractions.

Scores are whole multiples of ln 2, values whole numbers: weights are powers of two
over their sum, and everything that follows from them is a fraction.
"""

import numpy as np
import oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from implementations import ATTENTION

import attn

LN2 = np.log(2)
exact = settings(deadline=None, max_examples=50)


@st.composite
def tables(draw, n, width, lowest=-2, highest=2):
    row = st.lists(st.integers(lowest, highest), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=n, max_size=n))


@st.composite
def problems(draw, equal_lengths=False):
    """Queries, keys and values of whole numbers, and perhaps a mask and a bias."""
    n_query = draw(st.integers(1, 5))
    n_key = n_query if equal_lengths else draw(st.integers(1, 6))
    width, v_width = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    row = st.lists(st.booleans(), min_size=n_key, max_size=n_key)
    return (
        draw(tables(n_query, width)),
        draw(tables(n_key, width)),
        draw(tables(n_key, v_width, -9, 9)),
        draw(st.none() | st.lists(row, min_size=n_query, max_size=n_query)),
        draw(st.none() | tables(n_query, n_key)),
    )


def arrays(q, k, v):
    """The same problem for the library: with the default scale, q · k is multiplied by ln 2."""
    return np.array(q, float), np.array(k, float) * (LN2 * np.sqrt(len(q[0]))), np.array(v, float)


def same(result, fractions):
    np.testing.assert_allclose(result, oracle.floats(fractions), rtol=1e-11, atol=1e-12)


def scaled_bias(bias):
    return None if bias is None else np.array(bias) * LN2


@exact
@given(problem=problems())
def test_attention(problem):
    q, k, v, visible, bias = problem
    expected = oracle.attention(q, k, v, visible=visible, bias=bias)
    for attention in ATTENTION.values():
        same(attention(*arrays(q, k, v), visible=visible, bias=scaled_bias(bias)), expected)


@exact
@given(problem=problems(), align=st.sampled_from(["start", "end"]))
def test_causal_and_visible_together(problem, align):
    q, k, v, visible, _ = problem
    both = oracle.causal(len(q), len(k), align)
    if visible is not None:
        both = [[a and b for a, b in zip(*rows)] for rows in zip(both, visible)]
    expected = oracle.attention(q, k, v, visible=both)
    for attention in ATTENTION.values():
        same(attention(*arrays(q, k, v), visible=visible, causal=align), expected)


@exact
@given(problem=problems())
def test_weights_of_a_trace(problem):
    q, k, v, visible, bias = problem
    steps = attn.trace(*arrays(q, k, v), visible=visible, bias=scaled_bias(bias))
    scores = oracle.dot_products(q, k)
    if bias is not None:
        scores = [[s + b for s, b in zip(*rows)] for rows in zip(scores, bias)]
    same(steps.weights, oracle.weights(scores, visible))


@exact
@given(problem=problems(), data=st.data())
def test_interventions(problem, data):
    q, k, v, visible, bias = problem
    row = data.draw(st.integers(-len(k), len(k) - 1))
    new_k, new_v = data.draw(tables(1, len(k[0]))), data.draw(tables(1, len(v[0])))
    steps = attn.trace(*arrays(q, k, v), visible=visible, bias=scaled_bias(bias))
    _, factor, _ = arrays(q, new_k, new_v)
    table = attn.four_ways(steps, k={row: factor[0]}, v={row: new_v[0]})
    changed_k, changed_v = list(k), list(v)
    changed_k[row], changed_v[row] = new_k[0], new_v[0]
    for result, keys, values in (
        (table.original, k, v),
        (table.k_only, changed_k, v),
        (table.v_only, k, changed_v),
        (table.both, changed_k, changed_v),
    ):
        same(result.output, oracle.attention(q, keys, values, visible=visible, bias=bias))


@exact
@given(problem=problems(), data=st.data())
def test_gradients(problem, data):
    q, k, v, visible, _ = problem
    d_out = data.draw(tables(len(q), len(v[0]), -3, 3))
    steps = attn.trace(np.array(q), np.array(k) * LN2, v, scale=1, visible=visible)
    gradients = attn.attention_backward(d_out, steps)
    weights = oracle.weights(oracle.dot_products(q, k), visible)
    d_v, d_scaled, d_q, d_k = oracle.backward(d_out, weights, q, k, v)
    same(gradients.v, d_v)
    same(gradients.scaled, d_scaled)
    same(gradients.q / LN2, d_q)
    same(gradients.k, d_k)


@exact
@given(
    group=st.integers(1, 3),
    n_kv_heads=st.integers(1, 3),
    n=st.integers(1, 4),
    width=st.integers(1, 3),
    data=st.data(),
)
def test_shared_heads(group, n_kv_heads, n, width, data):
    q = [data.draw(tables(n, width)) for _ in range(group * n_kv_heads)]
    k = [data.draw(tables(n, width)) for _ in range(n_kv_heads)]
    v = [data.draw(tables(n, 2, -9, 9)) for _ in range(n_kv_heads)]
    floats = np.array(q, float), np.array(k) * (LN2 * np.sqrt(width)), np.array(v, float)
    for attention in ATTENTION.values():
        result = attention(*floats, causal=True)
        for head, rows in enumerate(q):
            visible = oracle.causal(n, n, "start")
            same(result[head], oracle.attention(rows, k[head // group], v[head // group], visible=visible))


@exact
@given(problem=problems(), data=st.data())
def test_permuting_keys_with_their_values_changes_nothing(problem, data):
    q, k, v, _, _ = problem
    order = data.draw(st.permutations(range(len(k))))
    q, k, v = arrays(q, k, v)
    np.testing.assert_allclose(attn.attention(q, k[order], v[order]), attn.attention(q, k, v), rtol=1e-12, atol=1e-13)


@exact
@given(problem=problems(equal_lengths=True), cuts=st.lists(st.integers(0, 5), max_size=3))
def test_cache(problem, cuts):
    """Prefill, chunks (empty ones too) and single steps agree with the whole."""
    q, k, v, _, _ = problem
    expected = oracle.attention(q, k, v, visible=oracle.causal(len(q), len(q), "start"))
    q, k, v = arrays(q, k, v)
    edges = sorted({0, len(q), *(cut for cut in cuts if cut <= len(q))})
    cache, outputs = attn.KVCache(), []
    for start, stop in zip(edges, edges[1:]):
        cache.append(k[start:stop], v[start:stop])
        outputs.append(cache.attend(q[start:stop]))
    same(np.concatenate(outputs), expected)
