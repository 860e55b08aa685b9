"""Gradients: exact fractions, finite differences, and sums over what was shared."""

from fractions import Fraction

import attention_checks
import numpy as np
import oracle
import pytest

import attn

LN2 = np.log(2)
D_OUT = [[1, 0, -2], [0, 3, 1], [2, -1, 1]]


def test_jacobian_by_hand():
    """[1/4, 1/4, 1/2]: on the diagonal w(1 - w), beside it -w w', all in sixteenths."""
    expected = [[3 / 16, -1 / 16, -2 / 16], [-1 / 16, 3 / 16, -2 / 16], [-2 / 16, -2 / 16, 4 / 16]]
    assert attn.softmax_jacobian([0.25, 0.25, 0.5]).tolist() == expected
    stacked = attn.softmax_jacobian([[0.25, 0.25, 0.5], [1, 0, 0]])
    assert stacked.tolist() == [expected, [[0] * 3] * 3]


def test_jacobian_is_what_softmax_does_to_small_changes():
    scores = np.array([0.3, -1.0, 0.7, 0.1])
    step = 1e-6
    differences = [
        (attn.softmax(scores + step * e) - attn.softmax(scores - step * e)) / (2 * step) for e in np.eye(4)
    ]
    np.testing.assert_allclose(attn.softmax_jacobian(attn.softmax(scores)), np.transpose(differences), atol=1e-9)


@pytest.mark.parametrize("visible", [None, attention_checks.VISIBLE])
def test_exact(visible):
    q, k, v = attention_checks.Q, attention_checks.K, attention_checks.V
    steps = attn.trace(np.array(q), np.array(k) * LN2, v, scale=1, visible=visible)
    gradients = attn.attention_backward(D_OUT, steps)
    weights = oracle.weights(oracle.dot_products(q, k), visible)
    d_v, d_scaled, d_q, d_k = oracle.backward(D_OUT, weights, q, k, v)
    np.testing.assert_allclose(gradients.v, oracle.floats(d_v), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(gradients.scaled, oracle.floats(d_scaled), rtol=1e-12, atol=1e-14)
    # k carries a factor ln 2, which d_q inherits
    np.testing.assert_allclose(gradients.q, np.array(oracle.floats(d_q)) * LN2, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(gradients.k, oracle.floats(d_k), rtol=1e-12, atol=1e-14)
    assert gradients.weights.tolist() == oracle.floats(oracle.times(D_OUT, oracle.transposed(v)))


def numeric_gradient(loss, array):
    """Central differences, one entry after another."""
    gradient = np.zeros_like(array)
    for index in np.ndindex(array.shape):
        step = np.zeros_like(array)
        step[index] = 1e-6
        gradient[index] = (loss(array + step) - loss(array - step)) / 2e-6
    return gradient


OPTIONS = {
    "plain": {},
    "causal": {"causal": "end"},
    "scale": {"scale": -0.7},
    "bias": {"bias": np.arange(12).reshape(3, 4) / 5},
    "a row without keys": {"visible": [[True] * 4, [False] * 4, [True, False, True, False]]},
}
SHAPES = {
    "one head": ((3, 2), (4, 2), (4, 5)),
    "a batch": ((2, 3, 2), (2, 4, 2), (2, 4, 5)),
    "shared K/V heads": ((2, 4, 3, 2), (2, 2, 4, 2), (2, 2, 4, 5)),
    "one K/V head, no batch axis": ((2, 4, 3, 2), (4, 2), (1, 4, 5)),
    "shared queries": ((3, 2), (2, 4, 2), (2, 4, 5)),
    "shared weights": ((3, 2), (4, 2), (2, 4, 5)),
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_finite_differences(shapes, options):
    rng = np.random.default_rng(0)
    arrays = dict(zip("qkv", (rng.normal(size=shape) for shape in SHAPES[shapes])))
    options = OPTIONS[options]
    steps = attn.trace(**arrays, **options)
    d_out = rng.normal(size=steps.output.shape)
    gradients = attn.attention_backward(d_out, steps)
    for name, array in arrays.items():

        def loss(changed, name=name):
            return (attn.attention(**(arrays | {name: changed}), **options) * d_out).sum()

        assert getattr(gradients, name).shape == array.shape
        np.testing.assert_allclose(getattr(gradients, name), numeric_gradient(loss, array), rtol=1e-6, atol=1e-8)
    assert gradients.weights.shape == steps.weights.shape and gradients.scaled.shape == steps.scaled.shape


def test_hidden_scores_get_no_gradient():
    steps = attn.trace(*attention_checks.floats(), visible=attention_checks.VISIBLE)
    gradients = attn.attention_backward(D_OUT, steps)
    assert (gradients.scaled[~np.array(attention_checks.VISIBLE)] == 0).all()


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v"])
def test_projections(name):
    rng = np.random.default_rng(1)
    x, context = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 6))
    matrices = {"w_q": rng.normal(size=(4, 2)), "w_k": rng.normal(size=(6, 2)), "w_v": rng.normal(size=(6, 3))}
    steps = attn.SelfAttention(**matrices).trace(x, context=context)
    d_out = rng.normal(size=steps.output.shape)
    gradients = attn.attention_backward(d_out, steps)

    def loss(matrix):
        return (attn.SelfAttention(**(matrices | {name: matrix}))(x, context=context) * d_out).sum()

    source = x if name == "w_q" else context
    result = attn.projection_gradient(source, getattr(gradients, name[-1]))
    np.testing.assert_allclose(result, numeric_gradient(loss, matrices[name]), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v", "w_o"])
def test_projections_of_a_layer(name):
    """Heads are put side by side first; W_O comes before them on the way back."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(3, 4))
    matrices = dict(zip(("w_q", "w_k", "w_v", "w_o"), (rng.normal(size=s) for s in ((4, 8), (4, 4), (4, 4), (8, 4)))))
    d_out = rng.normal(size=(3, 4))
    steps = attn.MultiHeadAttention(**matrices, n_heads=4, n_kv_heads=2).trace(x)

    def loss(matrix):
        return (attn.MultiHeadAttention(**(matrices | {name: matrix}), n_heads=4, n_kv_heads=2)(x) * d_out).sum()

    if name == "w_o":
        result = attn.projection_gradient(steps.concatenated, d_out)
    else:
        d_heads = attn.split_heads(d_out @ matrices["w_o"].T, 4)
        gradients = attn.attention_backward(d_heads, steps.heads)
        result = attn.projection_gradient(x, attn.merge_heads(getattr(gradients, name[-1])))
    np.testing.assert_allclose(result, numeric_gradient(loss, matrices[name]), rtol=1e-6, atol=1e-8)


def test_projection_gradient_sums_over_positions():
    x, d_y = [[[1, 2]], [[3, 4]]], [[[5]], [[6]]]
    assert attn.projection_gradient(x, d_y).tolist() == [[1 * 5 + 3 * 6], [2 * 5 + 4 * 6]]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_dtype(dtype):
    q, k, v = (a.astype(dtype) for a in attention_checks.floats())
    gradients = attn.attention_backward(np.array(D_OUT), attn.trace(q, k, v))
    assert {array.dtype for array in vars(gradients).values()} == {np.dtype(dtype)}
    assert attn.softmax_jacobian(np.array([0.5, 0.5], dtype)).dtype == dtype
    assert attn.projection_gradient(q, k[:3]).dtype == dtype


@pytest.mark.parametrize("certain", [1 - 2.0**-40, 1 - 2.0**-52, 0.75])
def test_jacobian_of_near_certain_shares_keeps_its_digits(certain):
    """w(1 - w) in fractions: taken as w - w², all digits of the last one but one would be lost."""
    w = [Fraction(certain), 1 - Fraction(certain)]
    expected = [[float(a * ((i == j) - b)) for j, b in enumerate(w)] for i, a in enumerate(w)]
    np.testing.assert_allclose(attn.softmax_jacobian([float(a) for a in w]), expected, rtol=1e-15)


def test_jacobian_of_a_certain_share_is_zero_without_a_sign():
    assert not np.signbit(attn.softmax_jacobian([1.0, 0.0])).any()


def test_arrays_without_width_or_heads():
    """NumPy cannot tell a length that is left open beside a length of 0."""
    steps = attn.trace(np.ones((3, 2, 2)), np.ones((1, 4, 2)), np.ones((1, 4, 0)))
    assert attn.attention_backward(np.ones((3, 2, 0)), steps).v.shape == (1, 4, 0)
    no_heads = attn.trace(np.ones((0, 0, 2)), np.ones((1, 4, 2)), np.ones((1, 4, 0)))
    assert attn.attention_backward(np.ones((0, 0, 0)), no_heads).k.tolist() == [[[0, 0]] * 4]
    assert attn.projection_gradient(np.ones((3, 0)), np.ones((3, 2))).shape == (0, 2)
    assert attn.projection_gradient(np.ones((3, 2)), np.ones((3, 0))).shape == (2, 0)
    assert attn.projection_gradient(np.ones((0, 3, 2)), np.ones((0, 3, 1))).tolist() == [[0], [0]]


def test_nothing_to_carry_back():
    for n_query, n_key in ((0, 3), (3, 0)):
        steps = attn.trace(np.ones((n_query, 2)), np.ones((n_key, 2)), np.ones((n_key, 4)))
        gradients = attn.attention_backward(np.ones((n_query, 4)), steps)
        for name in "qkv":
            array = getattr(gradients, name)
            assert array.shape == getattr(steps, name).shape and not array.any()


def test_float16_is_computed_in_float32():
    rng = np.random.default_rng(1)
    q, k, v, d_out = (rng.standard_normal((6, 8)).astype(np.float16) for _ in range(4))
    v += np.float16(64)  # the differences of d_weights are then lost in float16's digits
    steps = attn.trace(q, k, v)
    weights = steps.weights.astype(np.float64)
    d_weights = d_out.astype(np.float64) @ v.T.astype(np.float64)
    d_scaled = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    found = attn.attention_backward(d_out, steps)
    assert found.scaled.dtype == np.float16
    np.testing.assert_allclose(found.scaled, d_scaled, rtol=2e-3, atol=1e-4)
