"""Every way in which the library computes attention, each as one function of the same arguments."""

import functools

import attn


def last_step(q, k, v, *, block, **options):
    return list(attn.streaming_steps(q, k, v, block=block, **options))[-1].output


def by_trace(*args, **options):
    return attn.trace(*args, **options).output


ATTENTION = {
    "attention": attn.attention,
    "trace": by_trace,
    "streaming": attn.streaming_attention,
    "streaming in blocks of 1": functools.partial(attn.streaming_attention, block=1),
    "streaming in blocks of 2, 2 workers": functools.partial(attn.streaming_attention, block=2, threads=2),
    "streaming in one block": functools.partial(attn.streaming_attention, block=1000),
    "steps of 1 key": functools.partial(last_step, block=1),
    "steps of 2 keys": functools.partial(last_step, block=2),
    "steps of 1000 keys": functools.partial(last_step, block=1000),
}
