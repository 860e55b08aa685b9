"""softmax, attention and trace: right values, and what the docstrings promise."""

import dataclasses
import math

import attention_checks
import numpy as np
import oracle
import pytest
from implementations import ATTENTION

import attn

LN2 = np.log(2)


@pytest.fixture(params=ATTENTION)
def attention(request):
    return ATTENTION[request.param]


@pytest.mark.parametrize("check", attention_checks.ATTENTION, ids=lambda check: check.__name__)
def test_right_values(attention, check):
    check(attention)


# --- softmax ---


def test_softmax_of_multiples_of_ln2_is_a_fraction():
    table = [[0, 1, 2], [3, 3, 3], [-2, 0, 1]]
    np.testing.assert_allclose(
        attn.softmax(np.array(table) * LN2), oracle.floats(oracle.weights(table)), rtol=1e-15, atol=0
    )


def test_softmax_along_another_axis():
    table = [[0, 1, 2], [3, 0, 1]]
    expected = oracle.transposed(oracle.floats(oracle.weights(oracle.transposed(table))))
    np.testing.assert_allclose(attn.softmax(np.array(table) * LN2, axis=0), expected, rtol=1e-15)
    np.testing.assert_allclose(attn.softmax(np.array(table) * LN2, axis=-2), expected, rtol=1e-15)


def test_softmax_only_counts_differences():
    scores = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(attn.softmax(scores + 1e6), attn.softmax(scores), rtol=1e-9)
    assert attn.softmax([1e308, 1e308]).tolist() == [0.5, 0.5]
    assert attn.softmax([-1e308, -1e308]).tolist() == [0.5, 0.5]
    assert attn.softmax([1e308, -1e308]).tolist() == [1, 0]


def test_softmax_takes_its_maximum_over_visible_scores_only():
    """With the hidden maximum subtracted, exp(-2000) would leave nothing to divide."""
    assert attn.softmax([0.0, 0.0, 2000.0], visible=[True, True, False]).tolist() == [0.5, 0.5, 0]


def test_softmax_hides_anything():
    hidden = [np.nan, np.inf, -np.inf, 1e308]
    for value in hidden:
        assert attn.softmax([0.0, value, 0.0], visible=[True, False, True]).tolist() == [0.5, 0, 0.5]


def test_softmax_where_nothing_is_visible_is_zero():
    assert attn.softmax([1.0, 2.0], visible=[False, False]).tolist() == [0, 0]
    assert attn.softmax([-np.inf, -np.inf]).tolist() == [0, 0]
    assert attn.softmax(np.empty((3, 0))).shape == (3, 0)
    assert attn.softmax(np.empty((0, 3))).shape == (0, 3)


def test_softmax_visible_broadcasts():
    result = attn.softmax(np.zeros((2, 3)), visible=[[True], [False]])
    np.testing.assert_array_equal(result, [[1 / 3] * 3, [0] * 3])


def test_softmax_does_not_hide_a_visible_nan():
    assert np.isnan(attn.softmax([0.0, np.nan])).all()


# --- dtypes ---


@pytest.mark.parametrize(
    "dtypes, expected",
    [
        (["f4", "f4", "f4"], "f4"),
        (["f8", "f8", "f8"], "f8"),
        (["f2", "f2", "f2"], "f2"),
        (["f2", "f4", "f2"], "f4"),
        (["f4", "f8", "f4"], "f8"),
        (["i4", "i1", "u2"], "f8"),
        (["i2", "f4", "f4"], "f8"),
    ],
)
@pytest.mark.parametrize("name", ["attention", "trace", "streaming"])
def test_dtype_of_the_output(name, dtypes, expected):
    attention = ATTENTION[name]
    q, k, v = (np.array(rows, dtype) for rows, dtype in zip(([[1, 2]], [[0, 1], [1, 0]], [[1], [3]]), dtypes))
    result = attention(q, k, v)
    weight = 1 / (1 + math.exp(1 / math.sqrt(2)))
    tolerance = {"f2": 1e-3, "f4": 1e-6, "f8": 1e-15}[expected]
    assert result.item() == pytest.approx(1 * (1 - weight) + 3 * weight, rel=tolerance)
    assert result.dtype == expected


@pytest.mark.parametrize("scale", [np.float64(0.5), np.array(0.5), 0.5, np.float32(0.5)])
def test_scale_does_not_widen_the_dtype(attention, scale):
    x = np.ones((2, 2), np.float32)
    assert attention(x, x, x, scale=scale).dtype == np.float32


@pytest.mark.parametrize("bias, expected", [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i4", "f8")])
def test_a_bias_takes_part_in_the_promotion(attention, bias, expected):
    """The lowest float64 cast down to float32 would be minus infinity, and hide."""
    x = np.ones((2, 2), np.float32)
    assert attention(x, x, x, bias=np.zeros((2, 2), bias)).dtype == expected
    lowest = np.full((2, 2), np.finfo(np.float64).min)
    np.testing.assert_allclose(attention(x, x, x, bias=lowest), x)


def test_float16_is_computed_in_float32():
    """64 · 256 · 256 is beyond float16; a float16 sum of 3000 ones stops at 2048."""
    q = np.full((1, 64), 256, np.float16)
    k = np.concatenate([q, -q])
    assert attn.attention(q, k, np.array([[1], [3]], np.float16)).tolist() == [[1]]
    v = np.ones((3000, 1), np.float16)
    assert attn.attention(q[:, :1], np.zeros((3000, 1), np.float16), v).tolist() == [[1]]
    assert attn.softmax(np.zeros(3000, np.float16)).dtype == np.float16
    assert attn.softmax(np.zeros(3000, np.float16))[0] == np.float16(1 / 3000)


def test_lists_are_arrays(attention):
    assert attention([[0]], [[1], [2]], [[1], [3]]).tolist() == [[2]]


# --- masks, bias, scale ---


@pytest.mark.parametrize("shape", [(4,), (3, 1), (1, 4), (1, 1), (3, 4), (2, 1, 4), (2, 3, 4), (1, 3, 1), ()])
@pytest.mark.parametrize("name", ["visible", "bias"])
def test_masks_broadcast_from_the_right(attention, name, shape):
    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-2, 3, s).astype(float) for s in ((2, 3, 2), (2, 4, 2), (2, 4, 3)))
    mask = rng.integers(0, 2, shape)
    full = np.broadcast_to(mask, (2, 3, 4))
    given = mask.astype(bool) if name == "visible" else mask * LN2
    result = attention(q, k * LN2, v, scale=1, **{name: given})
    for b in range(2):
        expected = oracle.attention(
            q[b].astype(int).tolist(),
            k[b].astype(int).tolist(),
            v[b].astype(int).tolist(),
            **{name: full[b].tolist()},
        )
        np.testing.assert_allclose(result[b], oracle.floats(expected), rtol=1e-12, atol=1e-13)


def test_everything_that_hides_is_combined(attention):
    """visible, causal and a bias of -inf each hide another key; the fourth is what is left."""
    x = np.zeros((4, 1))
    v = np.array([[1.0], [10.0], [100.0], [1000.0]])
    visible = np.array([False, True, True, True])
    bias = np.array([0, -np.inf, 0, 0])
    result = attention(x, x, v, visible=visible, bias=bias, causal=True)
    assert result.ravel().tolist() == [0, 0, 100, 550]


def test_bias_is_not_scaled(attention):
    result = attention([[0.0]], [[0.0], [0.0]], [[0.0], [3.0]], bias=[[0.0, LN2]], scale=100)
    assert result.item() == pytest.approx(2, rel=1e-12)


def test_scale_is_honoured(attention):
    q, k, v = [[1.0]], [[0.0], [LN2]], [[0.0], [3.0]]
    assert attention(q, k, v, scale=0).item() == pytest.approx(1.5, rel=1e-12)
    assert attention(q, k, v, scale=-1).item() == pytest.approx(1, rel=1e-12)
    assert attention(q, k, v, scale=2).item() == pytest.approx(2.4, rel=1e-12)


def test_the_default_scale_is_that_of_the_width_of_q(attention):
    """Width 4, values of width 1: neither the width of v nor the number of keys counts."""
    q, k = np.ones((1, 4)), np.array([[0.0] * 4, [LN2 / 2] * 4])
    assert attention(q, k, [[0.0], [3.0]]).item() == pytest.approx(2, rel=1e-12)


def test_scores_that_only_scaling_keeps_in_range(attention):
    """q · k = 4e38 is beyond float32; scaled by 1/√4 it is not, and both keys count the same."""
    q, k = np.full((1, 4), 1e19, np.float32), np.full((2, 4), 1e19, np.float32)
    assert attention(q, k, np.array([[1], [3]], np.float32)).tolist() == [[2]]


def test_what_is_behind_a_mask_never_reaches_the_output(attention):
    q, k, v = [[1.0], [2.0]], [[0.0], [1.0], [0.0]], [[1.0], [2.0], [4.0]]
    alone = attention(q, k[::2], v[::2])
    for hidden_key in (1e308, -1e308, np.inf, -np.inf, np.nan):
        k[1] = [hidden_key]
        v[1] = [1e308]
        for hiding in ({"visible": [True, False, True]}, {"bias": [0, -np.inf, 0]}):
            np.testing.assert_allclose(attention(q, k, v, **hiding), alone, rtol=1e-15)


def test_a_key_that_one_query_may_read_and_another_not(attention):
    k = [[0.0], [np.nan]]
    result = attention([[1.0], [1.0]], k, [[1.0], [2.0]], visible=[[True, False], [True, True]])
    assert result[0].item() == 1 and np.isnan(result[1])


def test_lowest_finite_bias_does_not_hide(attention):
    """A row of it is a constant, which softmax ignores; the score is lost in rounding."""
    lowest = np.finfo(np.float32).min
    ones = np.ones((1, 1), np.float32)
    v = np.array([[1], [3]], np.float32)
    result = attention(ones, np.zeros((2, 1), np.float32), v, bias=np.full((1, 2), lowest))
    assert result.tolist() == [[2]]
    mixed = attention(ones, np.zeros((2, 1), np.float32), v, bias=np.array([[lowest, 0]], np.float32))
    assert mixed.tolist() == [[3]]


# --- empty ---


@pytest.mark.parametrize("causal", [False, "start", "end"])
def test_empty(causal):
    for name in ("attention", "trace", "streaming"):
        attention = ATTENTION[name]
        assert attention(np.ones((0, 2)), np.ones((3, 2)), np.ones((3, 5)), causal=causal).shape == (0, 5)
        assert attention(np.ones((2, 2)), np.ones((0, 2)), np.ones((0, 5)), causal=causal).tolist() == [[0] * 5] * 2
        assert attention(np.ones((2, 2)), np.ones((3, 2)), np.ones((3, 0)), causal=causal).shape == (2, 0)
        assert attention(np.ones((0, 2, 2)), np.ones((0, 3, 2)), np.ones((3, 5)), causal=causal).shape == (0, 2, 5)


# --- leading axes ---


@pytest.mark.parametrize(
    "q, k, v, leading",
    [
        ((3, 2), (4, 2), (4, 3), ()),
        ((5, 3, 2), (4, 2), (4, 3), (5,)),
        ((3, 2), (5, 4, 2), (4, 3), (5,)),
        ((3, 2), (4, 2), (5, 4, 3), (5,)),
        ((5, 3, 2), (1, 4, 2), (5, 4, 3), (5,)),
        ((2, 1, 3, 2), (5, 4, 2), (5, 4, 3), (2, 5)),
        ((2, 6, 3, 2), (3, 4, 2), (3, 4, 3), (2, 6)),
        ((2, 6, 3, 2), (2, 3, 4, 2), (2, 3, 4, 3), (2, 6)),
        ((2, 6, 3, 2), (1, 4, 2), (2, 2, 4, 3), (2, 6)),
        ((0, 3, 2), (2, 4, 2), (2, 4, 3), (0,)),
    ],
)
def test_leading_axes_broadcast_and_heads_are_shared(attention, q, k, v, leading):
    rng = np.random.default_rng(1)
    q, k, v = (rng.normal(size=shape) for shape in (q, k, v))
    result = attention(q, k, v)
    assert result.shape == (*leading, 3, 3)
    for index in np.ndindex(*leading):
        np.testing.assert_allclose(result[index], attn.attention(*(own(a, index, leading) for a in (q, k, v))))


def own(array, index, leading):
    """The rows of one head, found by repeating in full what is shared."""
    for axis in range(2, array.ndim):
        times = leading[len(leading) - 1 - (axis - 2)] // array.shape[-1 - axis]
        array = np.repeat(array, times, axis=-1 - axis)
    return array[index[len(index) - (array.ndim - 2) :]]


# --- inputs stay as they are ---


def layouts(array):
    padded = np.zeros((*array.shape[:-1], 2 * array.shape[-1]))
    padded[..., ::2] = array
    return {
        "Fortran": np.asfortranarray(array),
        "every other column": padded[..., ::2],
        "transposed": np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2),
        "reversed": array[::-1].copy()[::-1],
        "unaligned": np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape),
        "big-endian": array.astype(array.dtype.newbyteorder(">")),
    }


@pytest.mark.parametrize("layout", layouts(np.zeros((1, 1))))
def test_memory_layout_does_not_matter(attention, layout):
    rng = np.random.default_rng(2)
    q, k, v = (rng.normal(size=shape) for shape in ((3, 2), (4, 2), (4, 3)))
    expected = attention(q, k, v, causal="end")
    result = attention(*(layouts(a)[layout] for a in (q, k, v)), causal="end")
    np.testing.assert_allclose(result, expected, rtol=1e-14)


def test_broadcast_views(attention):
    row = np.broadcast_to([[1.0, 2.0]], (4, 2))
    np.testing.assert_allclose(attention(row, row, row), row)


def test_inputs_are_not_modified(attention):
    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=shape) for shape in ((2, 3, 2), (2, 4, 2), (2, 4, 3), (3, 4))]
    arrays.append(rng.random((3, 4)) < 0.5)
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    q, k, v, bias, visible = arrays
    attention(q, k, v, bias=bias, visible=visible, causal="end")
    for a, b in zip(arrays, before):
        np.testing.assert_array_equal(a, b)


# --- trace ---


def test_trace_keeps_every_step():
    bias = np.array(attention_checks.BIAS) * LN2
    steps = attn.trace(*attention_checks.floats(), visible=attention_checks.VISIBLE, bias=bias)
    scores = oracle.dot_products(attention_checks.Q, attention_checks.K)
    scaled = [[s + b for s, b in zip(*rows)] for rows in zip(scores, attention_checks.BIAS)]
    np.testing.assert_allclose(steps.scores, np.array(scores) * LN2 * np.sqrt(2), atol=1e-15)
    np.testing.assert_allclose(steps.scaled, np.array(scaled) * LN2, atol=1e-15)
    np.testing.assert_array_equal(steps.masked, np.where(attention_checks.VISIBLE, steps.scaled, -np.inf))
    weights = oracle.weights(scaled, attention_checks.VISIBLE)
    np.testing.assert_allclose(steps.weights, oracle.floats(weights), rtol=1e-14)
    np.testing.assert_allclose(steps.output, oracle.floats(oracle.times(weights, attention_checks.V)), rtol=1e-13)
    assert steps.scale == 1 / math.sqrt(2)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("options", [{}, {"causal": "end"}, {"scale": 3, "bias": np.ones((3, 4), "f2")}])
def test_trace_and_attention_agree_bit_for_bit(dtype, options):
    rng = np.random.default_rng(4)
    q, k, v = (rng.normal(size=shape).astype(dtype) for shape in ((4, 3, 8), (2, 4, 8), (2, 4, 8)))
    result, steps = attn.attention(q, k, v, **options), attn.trace(q, k, v, **options)
    np.testing.assert_array_equal(result, steps.output)
    assert result.dtype == steps.output.dtype == steps.q.dtype == dtype
    assert steps.k.shape == k.shape


def test_trace_gathers_all_that_hides():
    x = np.zeros((2, 1))
    assert attn.trace(x, x, x).visible is None
    steps = attn.trace(x, x, x, causal=True, bias=[-np.inf, 0])
    assert steps.visible.tolist() == [[False, False], [False, True]]
    assert attn.trace(x, x, x, bias=[1, 0]).visible is None


def test_trace_does_not_change():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    visible, bias = np.array([True, False]), np.array([1.0, 2.0])
    steps = attn.trace(x, x, x, visible=visible, bias=bias)
    x[:] = visible[:] = bias[:] = 0
    assert steps.q.tolist() == steps.k.tolist() == steps.v.tolist() == [[1, 2], [3, 4]]
    assert steps.visible.tolist() == [True, False] and steps.bias.tolist() == [1, 2]
    for name, value in vars(steps).items():
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(steps, name, value)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_byte_order_changes_nothing(order, kind):
    """A file's byte order is no dtype of its own: float16 is computed in float32 in both."""
    scores = np.linspace(0, 5, 500).astype(kind)
    swapped = scores.astype(order + kind)
    result = attn.softmax(swapped)
    assert result.dtype == np.dtype(kind)
    np.testing.assert_array_equal(result, attn.softmax(scores))
    x = swapped.reshape(5, 100)
    for attention in (attn.attention, attn.streaming_attention):
        np.testing.assert_array_equal(attention(x, x, x), attention(*[scores.reshape(5, 100)] * 3))
    cache = attn.KVCache()
    cache.append(x, x)
    cache.append(scores.reshape(5, 100), scores.reshape(5, 100))
    assert len(cache) == 10


def test_a_share_too_small_for_the_dtype_is_0_however_numpy_is_set():
    with np.errstate(all="raise"):
        assert attn.softmax([0.0, -1000.0]).tolist() == [1, 0]
        for attention in (attn.attention, attn.streaming_attention):
            assert attention([[1000.0]], [[1.0], [-1.0]], [[1.0], [2.0]]).tolist() == [[1]]
        *_, last = attn.streaming_steps([[1000.0]], [[1.0], [-1.0]], [[1.0], [2.0]])
        assert last.output.tolist() == [[1]]


@pytest.mark.parametrize("attention", [attn.attention, attn.streaming_attention])
@pytest.mark.parametrize("scale", [1e30, 1e300])
def test_a_scale_beyond_the_dtype_warns_of_nothing_by_itself(attention, scale):
    """10^10 · 10^30 is infinite in float32; a hidden score may be anything."""
    ones = np.full((1, 2), 1e10, np.float32)
    assert attention(ones, ones, ones, scale=scale, visible=False).tolist() == [[0, 0]]


def test_trace_of_scores_beyond_the_dtype():
    """The unscaled scores are infinite, and the step after them is not."""
    q = np.full((1, 4), 1e19, np.float32)
    steps = attn.trace(q, q, q)
    assert np.isinf(steps.scores) and np.isfinite(steps.scaled) and steps.weights == 1
