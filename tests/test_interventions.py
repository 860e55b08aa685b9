"""Rows of K and V replaced after projection."""

from fractions import Fraction as F

import numpy as np
import oracle
import pytest

import attn

C = np.sqrt(2) * np.log(2)
# The exact example, in multiples of ln 2: X = Q, K = X, V = X diag(2, 1).
Q = [[1, 0], [0, 1], [1, 1]]
K = [[1, 0], [0, 1], [1, 1]]
V = [[2, 0], [0, 1], [2, 1]]


def steps(**options):
    return attn.trace(np.array(Q), np.array(K) * C, V, **options)


def test_the_four_ways_of_the_exact_example():
    """Row 3 when position 2 becomes [0, 2]: what the course prints, as fractions."""
    table = attn.four_ways(steps(), k={1: [0, 2 * C]}, v={1: [0, 2]})
    rows = {name: getattr(table, name).output[2] for name in ("original", "k_only", "v_only", "both")}
    expected = {
        "original": [F(3, 2), F(3, 4)],
        "k_only": [F(6, 5), F(4, 5)],
        "v_only": [F(3, 2), F(1)],
        "both": [F(6, 5), F(6, 5)],
    }
    changes = {
        "k_change": [F(-3, 10), F(1, 20)],
        "v_change": [0, F(1, 4)],
        "both_change": [F(-3, 10), F(9, 20)],
        "interaction": [0, F(3, 20)],
    }
    for name, row in expected.items():
        np.testing.assert_allclose(rows[name], [float(x) for x in row], rtol=1e-14)
    for name, row in changes.items():
        np.testing.assert_allclose(getattr(table, name)[2], [float(x) for x in row], atol=1e-14)


@pytest.mark.parametrize("row", [0, 1, 2, -1, -3])
def test_replacing_a_row_is_attention_with_that_row(row):
    new_k, new_v = [2, -1], [5, 3]
    k, v = [list(r) for r in K], [list(r) for r in V]
    k[row], v[row] = new_k, new_v
    result = attn.intervene(steps(), k={row: np.array(new_k) * C}, v={row: new_v})
    np.testing.assert_allclose(result.output, oracle.floats(oracle.attention(Q, k, v)), rtol=1e-13)
    assert result.v.tolist() == v


def test_several_rows_at_once():
    result = attn.intervene(steps(), v={0: [7, 0], 2: [0, 7]})
    assert result.v.tolist() == [[7, 0], [0, 1], [0, 7]]
    np.testing.assert_array_equal(result.k, steps().k)
    np.testing.assert_array_equal(result.weights, steps().weights)


def test_equal_values_hide_any_change_of_the_weights():
    """Weights go from [1/5, 4/5] to [2/3, 1/3]; both values are [2, 1], and so is the output."""
    before = attn.trace([[1.0]], [[0.0], [2 * np.log(2)]], [[2, 1], [2, 1]])
    after = attn.intervene(before, k={0: [3 * np.log(2)]})
    np.testing.assert_allclose(before.weights, [[1 / 5, 4 / 5]])
    np.testing.assert_allclose(after.weights, [[2 / 3, 1 / 3]])
    np.testing.assert_allclose([before.output, after.output], [[[2, 1]]] * 2)


def test_mask_bias_and_scale_are_kept():
    bias = np.array([[0, 1, 0], [2, 0, 0], [0, 0, 1]])
    original = steps(causal=True, bias=bias * np.log(2), scale=np.sqrt(2))
    result = attn.intervene(original, k={0: [0, C]})
    # scale √2 instead of 1/√2 doubles every score
    doubled = [[2 * x for x in row] for row in [[0, 1], *K[1:]]]
    expected = oracle.attention(Q, doubled, V, visible=oracle.causal(3, 3, "start"), bias=bias.tolist())
    np.testing.assert_allclose(result.output, oracle.floats(expected), rtol=1e-13)


@pytest.mark.parametrize("name", ["k", "v"])
def test_a_row_named_twice(name):
    """Which of the two would count? Row 1 of three is row -2 too."""
    with pytest.raises(ValueError, match=f"{name} must name each row once; of 3 rows, 1 and -2 are the same"):
        attn.intervene(steps(), **{name: {1: [0, 1], -2: [5, 5]}})
    both = attn.intervene(steps(), **{name: {1: [0, 1], -1: [5, 5]}})
    assert getattr(both, name)[1:].tolist() == [[0, 1], [5, 5]]


def test_nothing_replaced():
    for same in (attn.intervene(steps()), attn.intervene(steps(), k={}, v={}), attn.four_ways(steps()).both):
        np.testing.assert_array_equal(same.output, steps().output)


def test_heads():
    """One vector replaces the row in every K/V head; a vector for each head, each its own."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(4, 3, 2)), rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 3, 2))
    original = attn.trace(q, k, v)
    every, each = k.copy(), k.copy()
    every[:, 1] = [5, 6]
    each[:, 1] = [[5, 6], [7, 8]]
    np.testing.assert_array_equal(attn.intervene(original, k={1: [5, 6]}).output, attn.attention(q, every, v))
    np.testing.assert_array_equal(attn.intervene(original, k={1: [[5, 6], [7, 8]]}).output, attn.attention(q, each, v))


def test_dtype_and_original_stay():
    original = attn.trace(*(np.array(a, np.float16) for a in (Q, K, V)))
    before = {name: np.copy(value) for name, value in vars(original).items()}
    assert attn.intervene(original, k={0: [0.5, 0.5]}).output.dtype == np.float16
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(original, name), value)
