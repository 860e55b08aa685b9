"""Sentences of the chapters that state a result which no block on the page prints."""

import numpy as np
import pytest

from attn import MultiHeadAttention, attention_backward, trace


@pytest.mark.parametrize("seed", [15, 16, 17])
def test_raw_query_gradients_are_larger_only_for_want_of_the_factor(seed):
    """Chapter 15: larger than the scaled ones, and with the factor 1/√128 below 1."""
    q, k, v, d_output = np.random.default_rng(seed).standard_normal((4, 500, 6, 128))
    factor = 1 / np.sqrt(128)
    raw, scaled = (
        np.linalg.norm(attention_backward(d_output, trace(q, k, v, scale=scale)).q, axis=-1).mean()
        for scale in (1, factor)
    )
    assert raw > 2 * scaled
    assert raw * factor < 1 < scaled


def test_three_scores_a_thousand_times_as_large():
    """Lab 5: two of the three exponentials do not fit into a float."""
    with np.errstate(over="ignore"):
        exponentials = np.exp(1000 * np.log(2) * np.array([1, 2, 3]))
    assert list(np.isinf(exponentials)) == [False, True, True]


def test_heads_that_w_q_and_w_o_can_make_up_for_may_share_keys_and_values():
    """Chapter 11, question 2: equal matrices are not the only ones that can be shared."""
    rng = np.random.default_rng(11)
    x = rng.standard_normal((5, 6))
    q_1, q_2, key, value = rng.standard_normal((4, 6, 2))
    o_1, o_2 = rng.standard_normal((2, 2, 6))
    to_key, to_value = rng.standard_normal((2, 2, 2))
    own = MultiHeadAttention(
        np.hstack([q_1, q_2]),
        np.hstack([key, key @ to_key]),
        np.hstack([value, value @ to_value]),
        np.vstack([o_1, o_2]),
        n_heads=2,
    )
    shared = MultiHeadAttention(
        np.hstack([q_1, q_2 @ to_key.T]), key, value, np.vstack([o_1, to_value @ o_2]), n_heads=2, n_kv_heads=1
    )
    unchanged = MultiHeadAttention(np.hstack([q_1, q_2]), key, value, np.vstack([o_1, o_2]), n_heads=2, n_kv_heads=1)
    np.testing.assert_allclose(shared(x), own(x), rtol=1e-9)
    assert not np.allclose(unchanged(x), own(x))
