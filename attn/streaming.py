"""The same answer as attention without the n × n table; and the KV cache.

``streaming_steps`` shows the idea: online softmax, a running maximum and sum (Milakov &
Gimelshein 2018, "Online normalizer calculation for softmax"), and with them a running
weighted sum (Rabe & Staats 2021, "Self-attention Does Not Need O(n²) Memory"; Dao et al.
2022, "FlashAttention"), so that the rows of the table need not exist either.

``streaming_attention`` keeps one strip of the table: the rows of a block of queries, whole.
What makes it fast:

1. The strip is small enough for the processor's cache; the next one is written over it.
2. Keys that no query of the block may read are left out before the product.
3. The scale goes into q, which is small; exponentials are taken in place; the row sums
   are one more product.
4. The largest score is subtracted only so that no exponential overflows. Where the
   lengths of the queries and keys prove that none can, it is not looked for.
5. One worker for each core takes the next block of queries: head after head, whose keys
   and values then stay in the cache, those with the most keys first. Each runs its
   products on one thread, so that workers do not wait for each other.
"""

from __future__ import annotations

import functools
import math
import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ._arguments import attention_arguments, check_pair, integer, numbers
from .core import prepare

try:
    from threadpoolctl import ThreadpoolController
except ImportError:
    ThreadpoolController = None

# The products are fast from some dozens of queries on; with more, a strip outgrows the cache.
_MOST_QUERIES, _FEWEST_QUERIES, _STRIP_BYTES = 192, 32, 2**22
# A table of fewer scores is done before a second worker would have started.
_WORTH_A_THREAD = 2**18
# Two calls at once would undo each other's limit on BLAS threads.
_BLAS_LIMIT = threading.Lock()


def streaming_attention(q, k, v, *, visible=None, bias=None, causal=False, scale=None, block=None, threads=None):
    """The result of :func:`attn.attention`, in memory that grows with n and not with n².

    Equal but for rounding: the sums are taken in another order.

    Parameters
    ----------
    q, k, v, visible, bias, causal, scale : as for :func:`attn.attention`.
    block : how many queries are worked on together; each worker holds their scores for
        all keys, ``block * n_k`` numbers. None chooses.
    threads : how many workers; None means one for each core (or a single one, where the
        package ``threadpoolctl`` is missing, which keeps BLAS from using threads too).

    Returns
    -------
    Array ``(..., n_q, d_v)``.

    Raises
    ------
    TypeError, ValueError : as for :func:`attn.attention`; ``block`` or ``threads`` not a
        positive integer.

    Examples
    --------
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> streaming_attention(x, x, x, causal=True, block=2).round(2).tolist()
    [[1.0, 0.0], [0.33, 0.67], [0.75, 0.75]]
    """
    call = attention_arguments(q, k, v, visible, bias, causal, scale)
    *leading, n_query, n_key = call.table
    block = _queries_of_a_strip(call) if block is None else integer("block", block, minimum=1)
    threads = _cores() if threads is None else integer("threads", threads, minimum=1)
    output = np.zeros((*leading, n_query, call.v.shape[-1]), dtype=call.q.dtype)
    if not (output.size and n_key):
        return output.astype(call.dtype, copy=False)

    bounded = _no_exponential_overflows(call)
    block = min(block, n_query)
    # Workers share the keys of one head; under a causal mask its last queries read the most.
    starts = range(0, n_query, block)[::-1]
    tasks = deque((index, start) for index in np.ndindex(*leading) for start in starts)

    def worker():
        strip = np.empty(block * n_key, dtype=output.dtype)
        while True:
            try:
                index, start = tasks.popleft()
            except IndexError:  # no block is left
                return
            rows = slice(start, min(start + block, n_query))
            with np.errstate(under="ignore"):  # a share too small for the dtype is 0
                _attend(call, index, rows, bounded, strip, output[index][rows])

    workers = min(threads, len(tasks)) if math.prod(call.table) >= _WORTH_A_THREAD else 1
    _run(worker, workers, tasks)
    return output.astype(call.dtype, copy=False)


def _queries_of_a_strip(call):
    fit = _STRIP_BYTES // (call.q.dtype.itemsize * max(call.table[-1], 1))
    return min(max(fit, _FEWEST_QUERIES), _MOST_QUERIES)


def _attend(call, index, rows, bounded, strip, out):
    """One block of queries of one head; its rows of the output, zeros so far, go to ``out``."""
    keys, seen = _visible_keys(call, index, rows)
    q = _head(call, call.q, index)[rows]
    k, v = _head(call, call.k, index)[keys], _head(call, call.v, index)[keys]
    scores = strip[: len(q) * len(k)].reshape(len(q), len(k))
    with np.errstate(over="ignore", invalid="ignore"):  # a hidden key may hold anything
        np.matmul(q * call.scale, k.T, out=scores)
        if call.bias is not None:
            scores += _table(call, call.bias, index)[rows, keys]
    # The columns before are visible to every query of the block.
    masked = scores[:, scores.shape[1] - seen.shape[1] :]
    if bounded:
        np.exp(scores, out=scores)
        masked *= seen
    else:
        np.copyto(masked, -np.inf, where=~seen)
        maximum = scores.max(axis=1, keepdims=True, initial=-np.inf)
        # Where nothing is visible the maximum is -inf, and -inf - (-inf) is NaN.
        scores -= np.where(maximum == -np.inf, 0, maximum)
        np.exp(scores, out=scores)
    total = scores @ np.ones((len(k), 1), dtype=scores.dtype)
    np.matmul(scores, v, out=out)
    out /= np.where(total == 0, 1, total)


def _visible_keys(call, index, rows):
    """The keys that some query of ``rows`` may read, and a table of who may read which of the last of them.

    All queries may read the keys before those. Keys that none may read are left out.
    """
    n_key = call.table[-1]
    # Query i may read up to key i + offset; without a causal mask, up to the last.
    offset = n_key if call.offset is None else call.offset
    end = min(max(rows.stop + offset, 0), n_key)
    # Up to here the causal mask hides nothing from any of them.
    start = min(max(rows.start + offset + 1, 0), end)
    if call.visible is not None or call.bias is not None:
        start = 0
    seen = np.tri(rows.stop - rows.start, end - start, rows.start + offset - start, dtype=bool)
    if call.visible is not None:
        seen &= _table(call, call.visible, index)[rows, :end]
    if call.bias is not None:
        seen &= ~np.isneginf(_table(call, call.bias, index)[rows, :end])
    by_any = seen.any(axis=0)
    if start or by_any.all():
        return slice(end), seen
    return np.flatnonzero(by_any), seen[:, by_any]


def _head(call, array, index):
    """The rows of one head. Along an axis of length 1, or of K/V heads, neighbours share."""
    axes = array.ndim - 2
    sizes = zip(index[len(index) - axes :], array.shape[:axes], call.table[len(index) - axes : -2])
    return array[tuple(i * own // full for i, own, full in sizes)]


def _table(call, mask, index):
    """The table of one head of a mask or bias that broadcasts to the scores."""
    return _head(call, np.broadcast_to(mask, np.broadcast_shapes(mask.shape, call.table[-2:])), index)


def _no_exponential_overflows(call):
    """Whether exp(score) is safe as it is: no score exceeds the longest q times the longest k.

    "Safe" leaves half of the dtype's range of exponents, upwards for the sum of the exponentials
    and its products with the values, and downwards for the product of the least of each.
    """
    q, k, v = call.q, call.k, call.v
    n_query, n_key = call.table[-2:]
    # For a few queries, measuring every key costs more than looking for the largest score.
    if call.bias is not None or n_query < q.shape[-1]:
        return False
    limits = np.finfo(q.dtype)
    root = np.sqrt(limits.max)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        bound = abs(call.scale) * _longest_row(q) * _longest_row(k)
        values = np.abs(v)
        least = np.min(values, where=values > 0, initial=np.inf)
        return bool(bound + np.log(n_key) < np.log(root) and values.max() < root and least > root * limits.tiny)


def _longest_row(array):
    return np.sqrt(np.einsum("...i,...i->...", array, array).max())


def _run(worker, workers, tasks):
    """Run ``worker`` on this thread and on ``workers - 1`` more, with BLAS on one thread each."""
    if workers == 1:
        worker()
        return
    with _one_blas_thread(), ThreadPoolExecutor(workers - 1) as pool:
        others = [pool.submit(worker) for _ in range(workers - 1)]
        try:
            worker()
        finally:
            tasks.clear()  # after an interruption, the others stop at their next block
        for other in others:
            other.result()


@contextmanager
def _one_blas_thread():
    if ThreadpoolController is None:
        yield
        return
    with _BLAS_LIMIT, _threadpools().limit(limits=1, user_api="blas"):
        yield


@functools.cache
def _threadpools():
    # Looking for the libraries takes milliseconds, setting a limit microseconds.
    return ThreadpoolController()


def _cores():
    if ThreadpoolController is None:
        return 1
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


@dataclass(frozen=True, eq=False)
class StreamingStep:
    """What online softmax remembers after a block of keys.

    Attributes
    ----------
    keys : the block, as a slice.
    maximum : ``(..., n_q)``, the largest score so far; minus infinity if none was visible.
    total : ``(..., n_q)``, the sum of ``exp(score - maximum)`` so far.
    weighted : ``(..., n_q, d_v)``, the sum of ``exp(score - maximum) * value`` so far.

    All in the dtype that is computed in (float32 for float16).
    """

    keys: slice
    maximum: np.ndarray
    total: np.ndarray
    weighted: np.ndarray

    @property
    def output(self):
        """``weighted / total``: the output, were these all the keys."""
        return self.weighted / np.where(self.total == 0, 1, self.total)[..., None]


def streaming_steps(q, k, v, *, visible=None, bias=None, causal=False, scale=None, block=1):
    """Online softmax, step by step: attention with one block of keys after another.

    Whenever a block holds a larger score than all before it, what was summed so far is
    multiplied by ``exp(old maximum - new maximum)``. After the last block ``output`` is
    the result of :func:`attn.attention`. (``maximum`` and ``total``: Milakov & Gimelshein
    2018; ``weighted``: Rabe & Staats 2021, Dao et al. 2022.)

    Parameters
    ----------
    q, k, v, visible, bias, causal, scale : as for :func:`attn.attention`.
    block : how many keys each step reads.

    Returns
    -------
    An iterator of :class:`StreamingStep`, one for each block of keys.

    Raises
    ------
    TypeError, ValueError : as for :func:`attn.attention`; ``block`` not a positive integer.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = [[1]], np.log([[1], [2], [4]]), [[7], [7], [0]]
    >>> for step in streaming_steps(q, k, v):
    ...     print(np.exp(step.maximum).round(2), step.total.round(2), step.output.round(2))
    [1.] [1.] [[7.]]
    [2.] [1.5] [[7.]]
    [4.] [1.75] [[3.]]
    """
    block = integer("block", block, minimum=1)
    return _steps(*prepare(q, k, v, visible, bias, causal, scale)[:-1], block)


def _steps(q, k, v, visible, bias, scale, block):
    n_key = k.shape[-2]
    maximum, total, weighted = -np.inf, 0.0, 0.0
    for start in range(0, n_key, block):
        keys = slice(start, min(start + block, n_key))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = (q * scale) @ k[..., keys, :].swapaxes(-1, -2)
            scores = scores if bias is None else scores + _columns(bias, keys)
        if visible is not None:
            scores = np.where(_columns(visible, keys), scores, -np.inf)
        larger = np.maximum(maximum, scores.max(axis=-1))
        # While nothing was visible the maximum is -inf, and -inf - (-inf) is NaN.
        subtract = np.where(larger == -np.inf, 0, larger)
        # What is too small for the dtype beside the largest score is 0.
        with np.errstate(over="ignore", under="ignore"):
            shrink = np.exp(maximum - subtract)
            exponentials = np.exp(scores - subtract[..., None])
            total = shrink * total + exponentials.sum(axis=-1)
            weighted = shrink[..., None] * weighted + exponentials @ v[..., keys, :]
        maximum = larger
        yield StreamingStep(keys, maximum, total, weighted)


def _columns(mask, keys):
    return mask if mask.ndim == 0 or mask.shape[-1] == 1 else mask[..., keys]


class KVCache:
    """The keys and values of all positions so far, so that a new one need not compute them again.

    ``append`` the new positions' K and V, then ``attend`` with their Q: the last query
    is the newest position, each reads up to itself. A whole prompt at once (prefill), in
    chunks, or one position at a time give the same outputs, but for rounding.

    Examples
    --------
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> cache = KVCache()
    >>> cache.append(x[:2], x[:2])
    >>> cache.attend(x[:2]).round(2).tolist()
    [[1.0, 0.0], [0.33, 0.67]]
    >>> cache.append(x[2:], x[2:])
    >>> cache.attend(x[2:]).round(2).tolist(), len(cache)
    ([[0.75, 0.75]], 3)
    """

    def __init__(self):
        self._length = 0
        self._k = self._v = None

    def __len__(self):
        """Positions held."""
        return self._length

    @property
    def k(self):
        """The keys so far, ``(..., n, d)``, read-only; None before the first ``append``."""
        return self._held(self._k)

    @property
    def v(self):
        """The values so far, ``(..., n, d_v)``, read-only; None before the first ``append``."""
        return self._held(self._v)

    def append(self, k, v):
        """Add the keys ``(..., n, d)`` and values ``(..., n, d_v)`` of n new positions.

        The first call sets leading axes, widths and dtypes.

        Raises
        ------
        TypeError : not numbers, or of another dtype than what is held.
        ValueError : k and v of different lengths, or leading axes that do not fit; other
            leading axes or widths than what is held.
        """
        k = numbers("k", k, axes=2)
        v = numbers("v", v, axes=2)
        check_pair(k, v)
        _must_continue("k", k, self._k)
        _must_continue("v", v, self._v)
        self._k = _extended(self._k, self._length, k)
        self._v = _extended(self._v, self._length, v)
        self._length += k.shape[-2]

    def attend(self, q, *, visible=None, bias=None, scale=None):
        """The outputs of the newest positions, whose queries are q: ``(..., n_q, d_v)``.

        ``visible``, ``bias`` and ``scale``, and the errors, are those of
        :func:`attn.attention`; the keys are all that the cache holds.

        Raises
        ------
        ValueError : an empty cache, or more queries than positions held.
        """
        if self._k is None:
            raise ValueError("the cache is empty: append k and v before attending")
        q = numbers("q", q, axes=2)
        if q.shape[-2] > self._length:
            raise ValueError(
                f"q must have at most as many rows as the cache holds, {self._length}, got q {q.shape}: "
                "append k and v of these positions first"
            )
        return streaming_attention(q, self.k, self.v, visible=visible, bias=bias, causal="end", scale=scale)

    def _held(self, store):
        if store is None:
            return None
        held = store[..., : self._length, :]
        held.flags.writeable = False
        return held


def _must_continue(name, new, store):
    if store is None:
        return
    if (new.shape[:-2], new.shape[-1]) != (store.shape[:-2], store.shape[-1]):
        fits = f"({', '.join(map(str, (*store.shape[:-2], 'n', store.shape[-1])))})"
        raise ValueError(f"{name} must have the shape {fits} of what the cache holds, got {new.shape}")
    if new.dtype != store.dtype:
        raise TypeError(f"{name} must have the dtype of what the cache holds, {store.dtype}, got {new.dtype}")


def _extended(store, length, new):
    """``store`` with ``new`` after its first ``length`` rows, copied to twice the room when full."""
    needed = length + new.shape[-2]
    if store is None or needed > store.shape[-2]:
        room = np.empty((*new.shape[:-2], max(needed, 2 * length), new.shape[-1]), dtype=new.dtype)
        if store is not None:
            room[..., :length, :] = store[..., :length, :]
        store = room
    store[..., length:needed, :] = new
    return store
