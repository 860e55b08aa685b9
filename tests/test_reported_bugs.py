"""Mistakes that users reported against public attention libraries, none of which happens here.

Each test names where such a report can be read. The right values are worked out in the
test by hand or in exact fractions.
"""

from decimal import Decimal, getcontext

import numpy as np
import pytest
from implementations import ATTENTION

import attn

getcontext().prec = 50


@pytest.fixture(params=ATTENTION)
def attention(request):
    return ATTENTION[request.param]


def f4(*rows):
    return np.array(rows, np.float32)


def by_decimals(scores, values):
    """softmax(scores) · values in 50 digits, for numbers given exactly."""
    powers = [Decimal(float(s)).exp() for s in scores]
    return float(sum(p * Decimal(float(v)) for p, v in zip(powers, values)) / sum(powers))


# --- who is lined up with whom ---


def test_two_queries_and_four_keys(attention):
    """pytorch#103082, mlx#2835, onnxruntime#29020: the two alignments taken for each other."""
    q, k, v = np.zeros((2, 1)), np.zeros((4, 1)), np.array([[1.0], [2.0], [3.0], [4.0]])
    np.testing.assert_allclose(attention(q, k, v, causal="start"), [[1], [1.5]])
    np.testing.assert_allclose(attention(q, k, v, causal="end"), [[2], [2.5]])
    with pytest.raises(ValueError, match="lined up"):
        attention(q, k, v, causal=True)


def test_one_new_query_against_a_cache(attention):
    """pytorch#103082, nanochat#456: is_causal with a single query hides all keys but the first."""
    k = np.log([[1.0], [2.0], [3.0], [4.0]])
    v = [[1.0], [2.0], [3.0], [4.0]]
    expected = (1 + 4 + 9 + 16) / 10
    np.testing.assert_allclose(attention([[1.0]], k, v), [[expected]])
    np.testing.assert_allclose(attention([[1.0]], k, v, causal="end"), [[expected]])


def test_more_queries_than_keys(attention):
    """The first queries are older than every key: they read nothing and do not become NaN."""
    v = np.array([[2.0], [4.0]])
    np.testing.assert_allclose(attention(np.zeros((4, 1)), np.zeros((2, 1)), v, causal="end"), [[0], [0], [2], [3]])
    np.testing.assert_allclose(attention(np.zeros((4, 1)), np.zeros((2, 1)), v, causal="start"), [[2], [3], [3], [3]])


# --- masks ---


def test_a_mask_and_causal_are_both_obeyed(attention):
    """onnx#8068, keras#23040, tinygrad#8675: one of them dropped in silence."""
    visible = [[True, True], [False, True]]
    result = attention(np.zeros((2, 1)), np.zeros((2, 1)), [[1.0], [3.0]], visible=visible, causal=True)
    assert result.tolist() == [[1], [3]]


@pytest.mark.parametrize(
    "hiding",
    [
        {"visible": [[True, True], [False, False]]},
        {"bias": [[0.0, 0.0], [-np.inf, -np.inf]]},
        {"visible": [[True, True], [True, False]], "bias": [[0.0, 0.0], [-np.inf, 0.0]]},
    ],
    ids=["visible", "bias", "both together"],
)
def test_a_row_that_reads_nothing(attention, hiding):
    """pytorch#103749, pytorch#103963, mlx#2608, burn#4697: NaN, or the mean of what is hidden."""
    result = attention(np.zeros((2, 1)), np.zeros((2, 1)), [[1.0], [3.0]], **hiding)
    assert result.tolist() == [[2], [0]]


def test_a_row_emptied_by_mask_and_causal_together(attention):
    """onnx#8068: each of the two leaves something, both leave nothing."""
    visible = [[False, True], [True, True]]
    result = attention(np.zeros((2, 1)), np.zeros((2, 1)), [[1.0], [3.0]], visible=visible, causal=True)
    assert result.tolist() == [[0], [2]]


def test_the_lowest_float_is_not_minus_infinity(attention):
    """pytorch#109517, transformers#27931: a row of it taken for a hidden one."""
    lowest = np.finfo(np.float32).min
    v = f4([1], [3])
    assert attention(f4([0]), f4([0], [0]), v, bias=f4([lowest, lowest])).tolist() == [[2]]


def test_padded_queries_and_keys_leave_the_rest_alone(attention):
    """mlx#2626: a padded block, in which the live rows equal the problem without padding."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 4, 2))
    live = np.array([True, True, False, False])
    result = attention(q, k, v, visible=live[:, None] & live)
    np.testing.assert_allclose(result[:2], attn.attention(q[:2], k[:2], v[:2]), rtol=1e-12)
    assert result[2:].tolist() == [[0, 0]] * 2


@pytest.mark.parametrize("score", [-2e4, -1e9, -1e30])
def test_a_visible_score_below_any_sentinel(attention, score):
    """lattice#373: -1e4 put in the place of hidden scores wins over a lower visible one."""
    result = attention([[1.0]], [[score], [0.0]], [[1.0], [100.0]], visible=[[True, False]], scale=1)
    assert result.tolist() == [[1]]


@pytest.mark.parametrize("garbage", [np.nan, np.inf, -np.inf, 3e38])
def test_garbage_in_a_hidden_key(attention, garbage):
    """pytorch#101967: memory that was never written, behind a mask."""
    result = attention(f4([1]), f4([1], [garbage]), f4([1], [3]), visible=[[True, False]])
    assert result.tolist() == [[1]]


def test_true_means_may_be_read(attention):
    """LLMs-from-scratch#1061, pytorch#170415: polarity."""
    assert attention([[0.0]], [[0.0], [0.0]], [[1.0], [3.0]], visible=[[True, False]]).tolist() == [[1]]


def test_ones_and_zeros_are_not_a_mask(attention):
    """pytorch#21518, pytorch#163026: a 0/1 float mask that is added, in silence. Here one must say bias."""
    q, k, v = np.zeros((1, 1)), np.zeros((2, 1)), [[1.0], [3.0]]
    with pytest.raises(TypeError, match="bias"):
        attention(q, k, v, visible=[[1.0, 0.0]])
    e = np.e
    np.testing.assert_allclose(attention(q, k, v, bias=[[1.0, 0.0]]), [[(e + 3) / (e + 1)]])


def test_a_mask_for_each_head_of_each_sequence(attention):
    q, k = np.zeros((2, 2, 1, 1)), np.zeros((2, 2, 2, 1))
    v = np.broadcast_to([[1.0], [3.0]], k.shape)
    visible = np.array([[[True, True], [True, False]], [[False, True], [True, True]]])[:, :, None, :]
    assert attention(q, k, v, visible=visible).ravel().tolist() == [2, 1, 3, 2]


@pytest.mark.parametrize("shape", [(2, 3), (4,) * 3, (3, 4)])
def test_a_mask_of_the_wrong_shape(attention, shape):
    with pytest.raises(ValueError, match="visible must broadcast"):
        attention(np.zeros((2, 1)), np.zeros((4, 1)), np.zeros((4, 1)), visible=np.ones(shape, bool))


def test_a_padding_mask_without_its_axis_of_heads():
    """(batch, 1, n_k) against (batch, heads, n, n): refused unless batch and heads happen to agree."""
    x = np.zeros((3, 2, 4, 1))
    with pytest.raises(ValueError, match=r"\(3, 2, 4, 4\).*\(3, 1, 4\)"):
        attn.attention(x, x, x, visible=attn.padding_mask([1, 2, 3], 4))
    assert attn.attention(x, x, x, visible=attn.padding_mask([[1], [2], [3]], 4)).shape == x.shape


# --- numbers ---


def test_all_scores_far_below_zero(attention):
    """Without the maximum subtracted, every exponential is 0."""
    k = f4([1.0], [1.001])
    expected = by_decimals([-1000 * float(k[0, 0]), -1000 * float(k[1, 0])], [1, 3])
    np.testing.assert_allclose(attention(f4([-1000]), k, f4([1], [3]), scale=1), [[expected]], rtol=1e-4)


def test_the_maximum_is_that_of_the_row(attention):
    """One maximum for the whole table leaves the lower rows nothing."""
    q, k = f4([1000], [-1000], [0.001]), f4([1.0], [0.999])
    expected = [[by_decimals([float(a) * float(b) for b in k[:, 0]], [1, 3])] for a in q[:, 0]]
    np.testing.assert_allclose(attention(q, k, f4([1], [3]), scale=1), expected, rtol=2e-4)


def test_float16_scores_out_of_range(attention):
    """64 · 256 · 256 / 8 = 524288 is beyond float16, whose largest number is 65504."""
    q = np.full((1, 64), 256, np.float16)
    k = np.stack([q[0], np.where(np.arange(64) == 0, 255, 256)]).astype(np.float16)
    expected = by_decimals([64 * 256 * 256 / 8, (63 * 256 + 255) * 256 / 8], [1, 3])
    np.testing.assert_allclose(attention(q, k, np.array([[1], [3]], np.float16)), [[expected]], rtol=1e-3)


def test_float64_stays_float64(attention):
    """A softmax in float32 would be wrong in the eighth digit."""
    scores = [0.1, 0.7, -0.4]
    expected = by_decimals(scores, [1, -2, 5])
    result = attention([[1.0]], [[s] for s in scores], [[1.0], [-2.0], [5.0]])
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, [[expected]], rtol=1e-14)


def test_mixed_dtypes_are_promoted(attention):
    result = attention(np.ones((1, 1), np.float16), f4([0], [1]), f4([1], [3]))
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, [[by_decimals([0, 1], [1, 3])]], rtol=2e-6)


# --- scale ---


def test_scale_comes_from_the_width_of_q_not_of_v(attention):
    result = attention(np.ones((1, 4)), [[0.0] * 4, [1.0] * 4], [[1.0], [3.0]])
    np.testing.assert_allclose(result, [[by_decimals([0, 2], [1, 3])]])


@pytest.mark.parametrize("scale", [0.0, -1.0, 0.1, 2])
def test_scale_is_used_once_and_zero_is_a_value(attention, scale):
    """`scale or default`, √scale on both sides, and scaling twice all differ."""
    result = attention(np.ones((1, 4)), [[0.0] * 4, [1.0] * 4], [[1.0], [3.0]], scale=scale)
    np.testing.assert_allclose(result, [[by_decimals([0, 4 * scale], [1, 3])]], rtol=1e-12)


# --- shapes ---


@pytest.mark.parametrize("n_value", [6, 1])
def test_keys_and_values_of_different_lengths(attention, n_value):
    """A current PyTorch returns a result; with one value, broadcasting would too."""
    with pytest.raises(ValueError, match="same number of rows"):
        attention(np.zeros((1, 2)), np.zeros((5, 2)), np.zeros((n_value, 2)))


@pytest.mark.parametrize("causal", [False, "start", "end"])
def test_no_keys(causal):
    for attention in (attn.attention, attn.streaming_attention):
        result = attention(np.zeros((2, 3)), np.zeros((0, 3)), np.zeros((0, 2)), causal=causal)
        assert result.tolist() == [[0, 0], [0, 0]]


def test_values_without_width(attention):
    assert attention(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 0))).shape == (2, 0)


def test_memory_order_of_heads(attention):
    """(batch, n, heads, d) seen as (batch, heads, n, d), without a copy."""
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(3, 2, 5, 3, 4)).swapaxes(-3, -2)
    expected = [attn.attention(*(a[b, h].copy() for a in (q, k, v)), causal=True) for b in range(2) for h in range(3)]
    np.testing.assert_allclose(attention(q, k, v, causal=True).reshape(6, 5, 4), expected, rtol=1e-12)


# --- tiles ---


@pytest.mark.parametrize("n", [33, 130, 257])
def test_equal_scores_give_running_means(attention, n):
    """Causal, values 0, 1, 2, …: row i is i / 2, whatever the tiles."""
    x, v = np.zeros((n, 1)), np.arange(n)[:, None].astype(float)
    np.testing.assert_allclose(attention(x, x, v, causal=True), v / 2, rtol=1e-12)


@pytest.mark.parametrize("n_query, n_key", [(100, 300), (300, 100)])
def test_running_means_of_unequal_lengths(attention, n_query, n_key):
    v = np.arange(n_key)[:, None].astype(float)
    result = attention(np.zeros((n_query, 1)), np.zeros((n_key, 1)), v, causal="start")
    expected = np.minimum(np.arange(n_query), n_key - 1)[:, None] / 2
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_only_the_last_key(attention):
    """-inf - (-inf) in every tile before it."""
    v = np.arange(33)[:, None].astype(float)
    assert attention([[1.0]], np.full((33, 1), 0.5), v, visible=np.arange(33) == 32).tolist() == [[32]]
