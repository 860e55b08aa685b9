"""Masks, against the words of their definitions written as loops."""

import numpy as np
import oracle
import pytest

import attn

LENGTHS = [(n_query, n_key) for n_query in range(5) for n_key in range(6)]


@pytest.mark.parametrize("n_query, n_key", LENGTHS)
@pytest.mark.parametrize("align", ["start", "end"])
def test_causal_mask(n_query, n_key, align):
    mask = attn.causal_mask(n_query, n_key, align=align)
    assert mask.dtype == bool and mask.shape == (n_query, n_key)
    assert mask.tolist() == oracle.causal(n_query, n_key, align)


def test_causal_mask_of_equal_lengths_needs_no_alignment():
    assert attn.causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    for align in (None, "start", "end"):
        np.testing.assert_array_equal(attn.causal_mask(3, 3, align=align), attn.causal_mask(3))


def test_one_query_and_eight_keys():
    assert attn.causal_mask(1, 8, align="end").sum() == 8
    assert attn.causal_mask(1, 8, align="start").sum() == 1


def test_more_queries_than_keys_at_the_end_leaves_the_first_ones_nothing():
    assert attn.causal_mask(3, 1, align="end").tolist() == [[False], [False], [True]]


@pytest.mark.parametrize("n_query, n_key", LENGTHS)
@pytest.mark.parametrize("align", ["start", "end"])
@pytest.mark.parametrize("left, right", [(0, 0), (1, 0), (0, 2), (3, 1), (None, 1), (2, None), (None, None)])
def test_window_mask(n_query, n_key, align, left, right):
    first = n_key - n_query if align == "end" else 0
    expected = [
        [
            (left is None or first + i - j <= left) and (right is None or j - first - i <= right)
            for j in range(n_key)
        ]
        for i in range(n_query)
    ]
    assert attn.window_mask(n_query, n_key, left=left, right=right, align=align).tolist() == expected


def test_a_window_without_an_end_is_causal():
    np.testing.assert_array_equal(
        attn.window_mask(2, 5, left=None, right=0, align="end"), attn.causal_mask(2, 5, align="end")
    )


def test_padding_mask():
    assert attn.padding_mask([2, 0, 3], 3).tolist() == [
        [[True, True, False]],
        [[False, False, False]],
        [[True, True, True]],
    ]
    assert attn.padding_mask(2, 3).tolist() == [[True, True, False]]
    assert attn.padding_mask(np.array([[1], [2]], np.uint8), 2).shape == (2, 1, 1, 2)
    assert attn.padding_mask([], 4).shape == (0, 1, 4)
    assert attn.padding_mask([0], 0).shape == (1, 1, 0)


@pytest.mark.parametrize("heads", [False, True])
def test_a_padded_batch_equals_each_sequence_alone(heads):
    rng = np.random.default_rng(0)
    shape = (3, 2, 5, 4) if heads else (3, 5, 4)
    q, k, v = rng.normal(size=(3, *shape))
    lengths = np.array([2, 5, 3])
    visible = attn.padding_mask(lengths[:, None] if heads else lengths, 5)
    batch = attn.attention(q, k, v, visible=visible)
    for b, n in enumerate(lengths):
        alone = attn.attention(q[b], k[b, ..., :n, :], v[b, ..., :n, :])
        np.testing.assert_allclose(batch[b], alone, rtol=1e-12)
