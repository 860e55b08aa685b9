"""The same answer without the table: blocks, their edges, what they leave out; and the cache."""

import importlib.util
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

import attn
from attn import streaming

BLOCKS = [1, 2, 3, 16, 31, 32, 33, 64, 1000]


def streamed(*args, block, **options):
    return attn.streaming_attention(*args, block=block, threads=2, **options)


def stepped(*args, block, **options):
    return list(attn.streaming_steps(*args, block=block, **options))[-1].output


@pytest.fixture(params=[streamed, stepped], ids=["streaming_attention", "streaming_steps"])
def tiled(request):
    return request.param


@pytest.fixture
def eager_threads(monkeypatch):
    """Two workers for the smallest table."""
    monkeypatch.setattr(streaming, "_WORTH_A_THREAD", 0)


def normal(seed, *shapes, dtype=float):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


# --- edges of blocks ---


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("n_query, n_key", [(31, 31), (32, 32), (33, 33), (1, 33), (33, 1), (20, 65), (65, 20)])
@pytest.mark.parametrize("causal", [False, "start", "end"])
def test_lengths_around_the_edges(tiled, eager_threads, block, n_query, n_key, causal):
    q, k, v = normal(0, (2, n_query, 4), (2, n_key, 4), (2, n_key, 3))
    np.testing.assert_allclose(
        tiled(q, k, v, causal=causal, block=block), attn.attention(q, k, v, causal=causal), rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("seen", [[0], [32], [0, 32], range(16, 20), []])
def test_blocks_wholly_hidden(tiled, block, seen):
    """Only some keys are visible, so that first, last, middle or all blocks are hidden."""
    visible = np.isin(np.arange(33), seen)
    q, k, v = normal(1, (3, 2), (33, 2), (33, 2))
    expected = attn.attention(q, k[visible], v[visible])
    np.testing.assert_allclose(tiled(q, k, v, visible=visible, block=block), expected, rtol=1e-12)


@pytest.mark.parametrize("block", BLOCKS)
def test_each_query_another_key(tiled, eager_threads, block):
    """Row i may read key (7 i + 3) mod n alone: both offsets into the mask matter."""
    n = 50
    visible = np.zeros((n, n), bool)
    visible[np.arange(n), (7 * np.arange(n) + 3) % n] = True
    q, k, v = normal(2, (n, 2), (n, 2), (n, 2))
    np.testing.assert_allclose(tiled(q, k, v, visible=visible, block=block), v[(7 * np.arange(n) + 3) % n], rtol=1e-15)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("slope", [2.0, -2.0])
def test_a_maximum_that_moves_in_every_block(tiled, block, slope):
    """Scores rise (or fall) by 2 with each key: a geometric series."""
    n = 300
    k, v = slope * np.arange(n)[:, None], np.arange(n)[:, None].astype(float)
    distance_to_largest = 1 / (np.exp(2) - 1)  # the mean of a geometric distribution
    expected = n - 1 - distance_to_largest if slope > 0 else distance_to_largest
    result = tiled([[1.0]], k, v, block=block)
    np.testing.assert_allclose(result, [[expected]], rtol=1e-12)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("place", [0, 150, 299])
def test_one_huge_score(tiled, block, place):
    k, v = np.zeros((300, 1)), np.arange(300.0)[:, None]
    k[place] = 1e5
    assert tiled([[1.0]], k, v, block=block).item() == place


@pytest.mark.parametrize("block", BLOCKS)
def test_rows_of_very_different_level(tiled, block):
    """One maximum for the whole block of queries would leave some rows nothing."""
    q = np.array([[1000.0], [-1000.0], [0.0]])
    k, v = np.array([[1.0], [1 + np.log(2) / 1000]]), np.array([[0.0], [3.0]])
    np.testing.assert_allclose(tiled(q, k, v, block=block), [[2], [1], [1.5]], rtol=1e-9)


@pytest.mark.parametrize("block", [1, 3, 1000])
@pytest.mark.parametrize("dtype, tolerance", [("f4", 3e-6), ("f8", 1e-13), (np.longdouble, 1e-13)])
def test_window_and_bias(tiled, eager_threads, block, dtype, tolerance):
    q, k, v = normal(3, (2, 40, 8), (2, 50, 8), (2, 50, 8), dtype=dtype)
    (bias,) = normal(4, (40, 50), dtype=dtype)
    bias[:, 5] = -np.inf
    options = {"visible": attn.window_mask(40, 50, left=9, right=2, align="end"), "bias": bias, "causal": "end"}
    result = tiled(q, k, v, block=block, **options)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, attn.attention(q, k, v, **options), rtol=0, atol=tolerance)


# --- what is left out ---


def test_keys_outside_every_window_are_never_read():
    """0 · NaN is NaN, so one read of a hidden value would show."""
    n = 64
    q, k, v = normal(5, (n, 4), (n, 4), (n, 4))
    visible = attn.window_mask(n, left=3, right=0)
    expected = attn.attention(q, k, v, visible=visible)
    for row in range(n):
        k_, v_ = k.copy(), v.copy()
        outside = ~visible[row]
        k_[outside] = v_[outside] = np.nan
        result = attn.streaming_attention(q, k_, v_, visible=visible, block=1)
        np.testing.assert_allclose(result[row], expected[row], rtol=1e-12)
    assert np.isnan(attn.attention(q, k_, v_, visible=visible)).any()


def test_a_causal_block_reads_no_later_block():
    n = 64
    q, k, v = normal(6, (n, 4), (n, 4), (n, 4))
    expected = attn.attention(q, k, v, causal=True)
    v[32:] = np.nan
    result = attn.streaming_attention(q, k, v, causal=True, block=16)
    np.testing.assert_allclose(result[:32], expected[:32], rtol=1e-12)


def scores_computed(monkeypatch, **call):
    """How many entries of q kᵀ one call computes."""
    count = 0
    matmul = np.matmul

    def counting(a, b, **options):
        nonlocal count
        if b.shape[1] != call["v"].shape[-1]:  # not the product with the values
            count += a.shape[0] * b.shape[1]
        return matmul(a, b, **options)

    monkeypatch.setattr(np, "matmul", counting)
    attn.streaming_attention(**call, block=16, threads=1)
    return count


def test_hidden_blocks_cost_nothing(monkeypatch):
    n = 256
    q, k, v = normal(7, (n, 8), (n, 8), (n, 5))
    assert scores_computed(monkeypatch, q=q, k=k, v=v) == n * n
    blocks = n // 16
    assert scores_computed(monkeypatch, q=q, k=k, v=v, causal=True) == 16 * 16 * blocks * (blocks + 1) / 2
    visible = np.zeros((n, n), bool)
    visible[:, [0, 100, 101]] = True
    assert scores_computed(monkeypatch, q=q, k=k, v=v, visible=visible) == n * 3
    assert scores_computed(monkeypatch, q=q, k=k, v=v, bias=np.where(visible, 1.0, -np.inf)) == n * 3


def test_heads_are_taken_one_by_one_and_their_longest_rows_first(monkeypatch):
    """So that keys stay in the cache, and no worker is left with the most keys at the end."""
    taken = []
    monkeypatch.setattr(streaming, "_attend", lambda call, index, rows, *rest: taken.append((rows.start, index)))
    q, k, v = normal(23, (2, 5, 4), (2, 5, 4), (2, 5, 4))
    attn.streaming_attention(q, k, v, causal=True, block=2)
    assert taken == [(4, (0,)), (2, (0,)), (0, (0,)), (4, (1,)), (2, (1,)), (0, (1,))]


def peak_bytes(function, *args, **options):
    tracemalloc.start()
    result = function(*args, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - result.nbytes


@pytest.mark.parametrize("causal", [False, True])
def test_memory_does_not_hold_the_table(causal):
    n = 2048
    q, k, v = normal(8, (2, n, 4), (2, n, 4), (2, n, 4), dtype="f4")
    table = 2 * n * n * 4
    assert peak_bytes(attn.streaming_attention, q, k, v, causal=causal, threads=2) < table / 3
    assert peak_bytes(attn.attention, q, k, v, causal=causal) > table


def test_memory_grows_with_n_and_not_with_its_square():
    def peak(function, n, **options):
        q, k, v = normal(9, (2, n, 4), (2, n, 4), (2, n, 4), dtype="f4")
        return peak_bytes(function, q, k, v, **options)

    assert peak(attn.streaming_attention, 2048, threads=1) < 2.5 * peak(attn.streaming_attention, 1024, threads=1)
    assert peak(attn.attention, 2048) > 3.5 * peak(attn.attention, 1024)


def test_a_strip_has_fewer_queries_where_there_are_more_keys(monkeypatch):
    strips = []
    monkeypatch.setattr(streaming, "_attend", lambda call, index, rows, bounded, strip, out: strips.append(strip.nbytes))
    for n_key in (16, 1024, 2**14, 2**15):
        q, k, v = normal(24, (192, 2), (n_key, 2), (n_key, 2), dtype="f4")
        attn.streaming_attention(q, k, v, threads=1)
    assert strips == [192 * 16 * 4, 192 * 1024 * 4] + [2**22] * (192 * 2**14 * 4 // 2**22) + [2**22] * 6


# --- the maximum that is not looked for ---


def test_ordinary_lengths_prove_that_no_exponential_overflows(monkeypatch):
    proofs = watch_proofs(monkeypatch)
    q, k, v = normal(10, (100, 16), (90, 16), (90, 16), dtype="f4")
    result = attn.streaming_attention(q, k, v)
    assert proofs == [True]
    np.testing.assert_allclose(result, attn.attention(q, k, v), rtol=0, atol=2e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("factor", [10.0, 30.0, 1e3, 1e30])
@pytest.mark.parametrize("sign", [1, -1])
def test_large_scores_are_shifted(monkeypatch, dtype, factor, sign):
    proofs = watch_proofs(monkeypatch)
    q, k, v = normal(11, (100, 16), (90, 16), (90, 16), dtype=dtype)
    options = {"scale": sign * factor}
    result = attn.streaming_attention(q, k, v, **options)
    assert proofs == [False] or dtype == "f8" and factor < 30
    np.testing.assert_allclose(result, attn.attention(q, k, v, **options), rtol=0, atol=2e-5)


def equal_scores(score, values):
    """100 queries and 100 keys in one direction: every score is the bound itself, and the output the mean."""
    q = np.full((100, 1), score, np.float32)
    return attn.streaming_attention(q, np.ones((100, 1), np.float32), values, scale=1)


@pytest.mark.parametrize("score", [-87, -44, -35, 35, 44, 87, 88, 100])
def test_scores_at_their_bound(score):
    """exp(87) is within float32; a hundred times that is not."""
    values = np.arange(100, dtype=np.float32)[:, None]
    np.testing.assert_allclose(equal_scores(score, values), np.full((100, 1), 49.5), rtol=1e-5)


@pytest.mark.parametrize("score, size", [(44, 1e17), (35, 1e30), (-35, 1e-30), (35, 1e-30), (-35, 1e30), (0, 0.0)])
def test_values_at_the_ends_of_the_range(score, size):
    """exp(35) · 10^30 would overflow, and exp(-35) · 10^-30 lose digits."""
    values = (np.arange(100, dtype=np.float32) * np.float32(size))[:, None]
    np.testing.assert_allclose(equal_scores(score, values), np.full((100, 1), 49.5 * size), rtol=1e-5)


@pytest.mark.parametrize("dtype, score, small", [("f4", -39, 1e-25), ("f8", -324, 1e-180), ("f4", 39, 1e-25)])
def test_small_values_keep_their_digits_beside_large_ones(dtype, score, small):
    """All weights are equal, so the output is the values; exp(-39) · 10^-25 is too small for float32."""
    values = np.tile(np.array([1, small, 0], dtype), (100, 1))
    result = attn.streaming_attention(np.full((100, 1), score, dtype), np.ones((100, 1), dtype), values, scale=1)
    np.testing.assert_allclose(result, values, rtol=1e-5)


def test_without_the_proof_large_scores_would_overflow(monkeypatch):
    monkeypatch.setattr(streaming, "_no_exponential_overflows", lambda call: True)
    with pytest.raises(RuntimeWarning, match="overflow"):
        attn.streaming_attention(np.full((1, 1), 100, "f4"), np.ones((1, 1), "f4"), np.ones((1, 1), "f4"))


def watch_proofs(monkeypatch):
    proofs = []
    proof = streaming._no_exponential_overflows

    def watched(call):
        proofs.append(proof(call))
        return proofs[-1]

    monkeypatch.setattr(streaming, "_no_exponential_overflows", watched)
    return proofs


# --- workers ---


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_any_number_of_workers(eager_threads, threads):
    q, k, v = normal(13, (3, 70, 4), (3, 70, 4), (3, 70, 4))
    result = attn.streaming_attention(q, k, v, causal=True, block=8, threads=threads)
    np.testing.assert_allclose(result, attn.attention(q, k, v, causal=True), rtol=1e-11, atol=1e-13)


def test_an_error_in_a_worker_is_raised(eager_threads, monkeypatch):
    caller = threading.current_thread()

    def fail(*args):
        if threading.current_thread() is not caller:
            raise MemoryError("planted")

    monkeypatch.setattr(streaming, "_attend", fail)
    q, k, v = normal(14, (4, 2), (4, 2), (4, 2))
    with pytest.raises(MemoryError, match="planted"):
        for _ in range(100):  # until the other worker gets a block
            attn.streaming_attention(q, k, v, block=1, threads=2)


def test_an_interruption_stops_the_other_workers(eager_threads, monkeypatch):
    caller, done = threading.current_thread(), []
    interrupted = threading.Event()

    def attend(*args):
        if threading.current_thread() is caller:
            interrupted.set()
            raise KeyboardInterrupt
        interrupted.wait(60)  # however late the caller gets its block
        time.sleep(0.001)
        done.append(args)

    monkeypatch.setattr(streaming, "_attend", attend)
    q, k, v = normal(22, (2000, 2), (4, 2), (4, 2))
    with pytest.raises(KeyboardInterrupt):
        attn.streaming_attention(q, k, v, block=1, threads=2)
    assert len(done) < 1000


def blas_threads():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_its_threads_back(eager_threads, monkeypatch):
    before, during = blas_threads(), []
    attend = streaming._attend

    def watched(*args):
        during.append(blas_threads())
        attend(*args)

    monkeypatch.setattr(streaming, "_attend", watched)
    q, k, v = normal(15, (40, 4), (40, 4), (40, 4))

    def call():
        attn.streaming_attention(q, k, v, block=4, threads=2)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert blas_threads() == before
    assert all(set(pools) == {1} for pools in during)


def test_without_threadpoolctl(monkeypatch):
    """One worker, no thread started (there are none in a browser), and the same answer."""
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    spec = importlib.util.spec_from_file_location("attn.streaming_alone", streaming.__file__)
    alone = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, alone)
    spec.loader.exec_module(alone)
    monkeypatch.setattr(alone, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(alone, "ThreadPoolExecutor", None)
    q, k, v = normal(16, (40, 4), (40, 4), (40, 4))
    np.testing.assert_allclose(alone.streaming_attention(q, k, v, block=4), attn.attention(q, k, v), rtol=1e-12)


# --- online softmax ---


def test_steps_on_paper():
    """Scores ln 1, ln 4, ln 2; values 6, 0, 3: the second key moves the maximum, the third does not."""
    steps = list(attn.streaming_steps([[1.0]], np.log([[1], [4], [2]]), [[6.0], [0.0], [3.0]]))
    assert [step.keys for step in steps] == [slice(0, 1), slice(1, 2), slice(2, 3)]
    np.testing.assert_allclose([np.exp(step.maximum) for step in steps], [[1], [4], [4]])
    np.testing.assert_allclose([step.total for step in steps], [[1], [1 / 4 + 1], [1 / 4 + 1 + 1 / 2]])
    np.testing.assert_allclose([step.weighted for step in steps], [[[6]], [[6 / 4]], [[6 / 4 + 3 / 2]]])
    np.testing.assert_allclose([step.output for step in steps], [[[6]], [[6 / 5]], [[12 / 7]]])


def test_steps_before_anything_is_visible():
    steps = list(attn.streaming_steps([[1.0]], [[0.0], [0.0]], [[5.0], [7.0]], visible=[False, True]))
    assert steps[0].maximum == -np.inf and steps[0].total == 0 and steps[0].output == 0
    assert steps[1].maximum == 0 and steps[1].total == 1 and steps[1].output == 7


def test_steps_are_attention_to_the_keys_so_far():
    q, k, v = normal(17, (2, 5, 4), (2, 7, 4), (2, 7, 3))
    for step in attn.streaming_steps(q, k, v, block=3):
        expected = attn.attention(q, k[:, : step.keys.stop], v[:, : step.keys.stop])
        np.testing.assert_allclose(step.output, expected, rtol=1e-12)


def test_steps_check_their_arguments_at_once():
    with pytest.raises(ValueError, match="block"):
        attn.streaming_steps([[1.0]], [[1.0]], [[1.0]], block=0)
    assert list(attn.streaming_steps(np.ones((1, 2)), np.ones((0, 2)), np.ones((0, 2)))) == []


# --- the cache ---


def test_cache_holds_what_was_appended():
    k, v = normal(18, (2, 9, 4), (2, 9, 3))
    cache = attn.KVCache()
    assert len(cache) == 0 and cache.k is None and cache.v is None
    for stop in (1, 2, 3, 7, 7, 9):
        start = len(cache)
        cache.append(k[:, start:stop], v[:, start:stop])
        assert len(cache) == stop
        np.testing.assert_array_equal(cache.k, k[:, :stop])
        np.testing.assert_array_equal(cache.v, v[:, :stop])


def test_cache_refuses_heads_that_do_not_fit_and_stays_empty():
    cache = attn.KVCache()
    with pytest.raises(ValueError, match="leading axes of k and v"):
        cache.append(np.ones((2, 3, 4)), np.ones((3, 3, 4)))
    assert len(cache) == 0 and cache.k is None
    cache.append(np.ones((2, 3, 4)), np.ones((1, 3, 4)))  # as attention takes them
    assert cache.attend(np.ones((2, 1, 4))).shape == (2, 1, 4)


def test_cache_keeps_its_own_copy():
    k, v = np.ones((1, 2)), np.ones((1, 2))
    cache = attn.KVCache()
    cache.append(k, v)
    k[:] = 5
    assert cache.k.tolist() == [[1, 1]]
    with pytest.raises(ValueError, match="read-only"):
        cache.k[:] = 5


def test_appending_one_by_one_copies_seldom():
    """Room is doubled when full: 1000 appends take some ten copies, not 1000."""
    cache = attn.KVCache()
    stores = []
    for _ in range(1000):
        cache.append([[1.0]], [[1.0]])
        if not stores or cache.k.base is not stores[-1]:
            stores.append(cache.k.base)
    assert 2 <= len(stores) <= 11


def test_cache_with_shared_heads_mask_bias_and_scale():
    q, k, v = normal(19, (4, 6, 8), (2, 6, 8), (2, 6, 8), dtype="f4")
    visible = np.array([True, False, True, True, True, True])
    (bias,) = normal(20, (6,), dtype="f4")
    whole = attn.attention(q, k, v, causal=True, visible=visible, bias=bias, scale=0.3)
    cache = attn.KVCache()
    for i in range(6):
        cache.append(k[:, i : i + 1], v[:, i : i + 1])
        step = cache.attend(q[:, i : i + 1], visible=visible[: i + 1], bias=bias[: i + 1], scale=0.3)
        assert step.dtype == np.float32
        np.testing.assert_allclose(step[:, 0], whole[:, i], rtol=0, atol=1e-6)


def test_a_cache_attended_without_the_end_alignment_goes_wrong():
    """The mistake that the cache is there to avoid: one new query that may read the first key alone."""
    q, k, v = normal(21, (5, 4), (5, 4), (5, 4))
    cache = attn.KVCache()
    cache.append(k, v)
    whole = attn.attention(q, k, v, causal=True)
    np.testing.assert_allclose(cache.attend(q[-1:]), whole[-1:], rtol=1e-12)
    np.testing.assert_allclose(attn.attention(q[-1:], k, v, causal="start"), v[:1], rtol=1e-15)
