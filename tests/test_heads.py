"""Splitting and merging heads; layers with one head and with many."""

import dataclasses

import attention_checks
import numpy as np
import oracle
import pytest

import attn
from attn import MultiHeadAttention, SelfAttention

X = np.array(attention_checks.X, float)


def by_layer(x, w_q, w_k, w_v, w_o, *, n_heads, n_kv_heads, **options):
    return MultiHeadAttention(w_q, w_k, w_v, w_o, n_heads=n_heads, n_kv_heads=n_kv_heads)(x, **options)


def by_hand(x, w_q, w_k, w_v, w_o, *, n_heads, n_kv_heads, **options):
    q = attn.split_heads(x @ w_q, n_heads)
    k, v = (attn.repeat_heads(attn.split_heads(x @ w, n_kv_heads), n_heads) for w in (w_k, w_v))
    return attn.merge_heads(attn.attention(q, k, v, **options)) @ w_o


def head_by_head(x, w_q, w_k, w_v, w_o, *, n_heads, n_kv_heads, **options):
    def columns(w, head, heads):
        return np.split(w, heads, axis=1)[head]

    outputs = [
        SelfAttention(
            columns(w_q, h, n_heads),
            columns(w_k, h // (n_heads // n_kv_heads), n_kv_heads),
            columns(w_v, h // (n_heads // n_kv_heads), n_kv_heads),
        )(x, **options)
        for h in range(n_heads)
    ]
    return np.concatenate(outputs, axis=-1) @ w_o


@pytest.mark.parametrize("multi_head", [by_layer, by_hand, head_by_head])
@pytest.mark.parametrize("check", attention_checks.LAYER, ids=lambda check: check.__name__)
def test_right_values(multi_head, check):
    check(multi_head)


# --- split, merge, repeat ---


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("n_heads", [1, 2, 3, 6])
def test_split_heads_gives_each_head_its_columns(leading, n_heads):
    x = np.arange(np.prod(leading, dtype=int) * 4 * 6).reshape(*leading, 4, 6)
    heads = attn.split_heads(x, n_heads)
    width = 6 // n_heads
    assert heads.shape == (*leading, n_heads, 4, width)
    for h in range(n_heads):
        np.testing.assert_array_equal(heads[..., h, :, :], x[..., h * width : (h + 1) * width])
    np.testing.assert_array_equal(attn.merge_heads(heads), x)


def test_reshape_alone_is_not_split_heads():
    x = np.arange(8).reshape(2, 4)
    assert attn.split_heads(x, 2).tolist() == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]]
    assert x.reshape(2, 2, 2).tolist() == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]


def test_empty_heads():
    assert attn.split_heads(np.empty((0, 6)), 3).shape == (3, 0, 2)
    assert attn.merge_heads(np.empty((3, 0, 2))).shape == (0, 6)
    assert attn.split_heads(np.empty((4, 0)), 3).shape == (3, 4, 0)


def test_repeat_heads_keeps_neighbours_together():
    x = np.arange(2).reshape(2, 1, 1)
    assert attn.repeat_heads(x, 6).ravel().tolist() == [0, 0, 0, 1, 1, 1]
    assert attn.repeat_heads(x, 2).ravel().tolist() == [0, 1]
    assert attn.repeat_heads(np.stack([x, x + 2]), 4).squeeze().tolist() == [[0, 0, 1, 1], [2, 2, 3, 3]]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype_stays(dtype):
    x = np.ones((2, 3, 4), dtype)
    assert attn.split_heads(x, 2).dtype == attn.merge_heads(x).dtype == attn.repeat_heads(x, 4).dtype == dtype


# --- one head ---


def test_self_attention_projects_rows():
    w_q, w_k, w_v = ([[1, 2], [0, 1], [1, 0], [3, 0]], [[1, 0], [0, 1], [2, 0], [0, 1]], [[1], [0], [2], [1]])
    head = SelfAttention(w_q, w_k, w_v)
    q, k, v = head.project(X)
    x = attention_checks.X
    assert (q.tolist(), k.tolist(), v.tolist()) == tuple(oracle.times(x, w) for w in (w_q, w_k, w_v))
    np.testing.assert_array_equal(head(X), attn.attention(q, k, v))
    np.testing.assert_array_equal(head.trace(X, causal=True).output, attn.attention(q, k, v, causal=True))


def test_context_gives_keys_and_values():
    """Cross-attention: queries of x, keys and values of another table, of its own length and width."""
    rng = np.random.default_rng(0)
    head = SelfAttention(rng.normal(size=(4, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, 3)))
    context = rng.normal(size=(7, 5))
    steps = head.trace(X, context=context)
    assert steps.weights.shape == (3, 7) and steps.output.shape == (3, 3)
    expected = attn.attention(X @ head.w_q, context @ head.w_k, context @ head.w_v)
    np.testing.assert_allclose(head(X, context=context), expected, rtol=1e-14)


OPTIONS = [
    {"causal": "end"},
    {"visible": [True, False, True]},
    {"bias": [1.0, 0.0, -1.0]},
    {"scale": 3.0},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options)))
def test_every_option_reaches_attention(options):
    rng = np.random.default_rng(1)
    w = [rng.normal(size=(4, 4)) for _ in range(4)]
    q, k, v = (X @ m for m in w[:3])
    plain = attn.attention(q, k, v)
    expected = attn.attention(q, k, v, **options)
    assert not np.allclose(expected, plain)
    np.testing.assert_allclose(SelfAttention(*w[:3])(X, **options), expected)
    np.testing.assert_allclose(SelfAttention(*w[:3]).trace(X, **options).output, expected)
    np.testing.assert_allclose(MultiHeadAttention(*w, n_heads=1)(X, **options), expected @ w[3])


# --- many heads ---


def layer():
    w_q, w_k, w_v, w_o = attention_checks.layer_matrices()
    return MultiHeadAttention(w_q, w_k, w_v, w_o, n_heads=4, n_kv_heads=2)


def test_trace_of_a_layer():
    steps = layer().trace(X)
    concatenated, output = attention_checks.multi_head_answer()
    assert steps.heads.q.shape == (4, 3, 2) and steps.heads.k.shape == steps.heads.v.shape == (2, 3, 2)
    assert steps.heads.weights.shape == (4, 3, 3)
    attention_checks.same(steps.concatenated, concatenated)
    attention_checks.same(steps.output, output)


def test_a_batch_is_each_sequence_alone():
    batch = np.stack([X, X[::-1], X * 2])
    for x, result in zip(batch, layer()(batch)):
        np.testing.assert_allclose(result, layer()(x), rtol=1e-12)


def test_a_padded_batch():
    """A mask for each sequence stands before the axis of heads."""
    batch = np.stack([X, X + 1])
    result = layer()(batch, visible=attn.padding_mask([[2], [3]], 3))
    np.testing.assert_allclose(result[0], layer()(X, context=X[:2]), rtol=1e-12)
    np.testing.assert_allclose(result[1], layer()(X + 1), rtol=1e-12)


def test_one_kv_head_is_multi_query_attention():
    rng = np.random.default_rng(2)
    w_q, w_k, w_v, w_o = (rng.normal(size=s) for s in ((4, 6), (4, 2), (4, 5), (15, 4)))
    mha = MultiHeadAttention(w_q, w_k, w_v, w_o, n_heads=3, n_kv_heads=1)
    heads = [SelfAttention(w_q[:, 2 * h : 2 * h + 2], w_k, w_v)(X) for h in range(3)]
    np.testing.assert_allclose(mha(X), np.concatenate(heads, axis=1) @ w_o, rtol=1e-12)


def test_head_width_need_not_be_hidden_width_over_heads():
    """As in Qwen3-0.6B: hidden 1024, 16 heads of 128."""
    shape = (np.zeros((4, 6)), np.zeros((4, 6)), np.zeros((4, 6)), np.zeros((6, 4)))
    steps = MultiHeadAttention(*shape, n_heads=2).trace(X)
    assert steps.heads.q.shape == (2, 3, 3) and steps.heads.scale == pytest.approx(3**-0.5)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_a_layer_keeps_the_dtype(dtype):
    w = [m.astype(dtype) for m in attention_checks.layer_matrices()]
    result = MultiHeadAttention(*w, n_heads=4, n_kv_heads=2)(X.astype(dtype))
    assert result.dtype == dtype
    expected = oracle.floats(attention_checks.multi_head_answer()[1])
    np.testing.assert_allclose(result, expected, rtol={"f2": 1e-2, "f4": 1e-5, "f8": 1e-12}[dtype])


def test_float16_projection_is_summed_in_float32():
    ones = np.ones((3000, 1), np.float16)
    q, _, _ = SelfAttention(ones, ones, ones).project(np.ones((1, 3000), np.float16))
    assert q.tolist() == [[3000]] and q.dtype == np.float16


def test_trace_does_not_change():
    w = np.eye(2)
    steps = MultiHeadAttention(w, w, w, w, n_heads=2).trace([[1.0, 2.0]])
    for array in (steps.concatenated, steps.output, steps.heads.output):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_layers_do_not_change():
    w_q = np.eye(2)
    head = SelfAttention(w_q, w_q, w_q)
    w_q[0, 0] = 5
    assert head.w_q[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        head.w_q[0, 0] = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        head.w_q = w_q
    with pytest.raises(TypeError):
        MultiHeadAttention(w_q, w_q, w_q, w_q, 1)
