"""Published shapes, and what follows from them."""

import numpy as np
import pytest

import attn
from attn import models

# Written down a second time from the papers and each model's config.json.
SHAPES = {
    "TRANSFORMER_BASE": (6, 512, 8, 8, 64),
    "QWEN2_5_1_5B": (28, 1536, 12, 2, 128),
    "QWEN2_5_7B": (28, 3584, 28, 4, 128),
    "QWEN3_0_6B": (28, 1024, 16, 8, 128),
}


@pytest.mark.parametrize("name", SHAPES)
def test_published_shapes(name):
    m = getattr(models, name)
    assert (m.n_layers, m.hidden, m.n_heads, m.n_kv_heads, m.head_dim) == SHAPES[name]
    assert "Vaswani" in m.source or m.source.endswith("config.json") and m.name in m.source


def test_widths():
    assert (models.QWEN2_5_7B.q_width, models.QWEN2_5_7B.kv_width) == (3584, 512)
    assert models.QWEN2_5_1_5B.kv_width == 256
    # Q is wider than what it is made of
    assert (models.QWEN3_0_6B.q_width, models.QWEN3_0_6B.hidden) == (2048, 1024)
    assert models.TRANSFORMER_BASE.q_width == models.TRANSFORMER_BASE.kv_width == 512


@pytest.mark.parametrize(
    "name, parameters",
    [
        ("TRANSFORMER_BASE", 4 * 512 * 512),
        ("QWEN2_5_7B", 29_364_736),
        ("QWEN2_5_1_5B", 1536 * 1536 + 1536 + 2 * (1536 * 256 + 256) + 1536 * 1536),
        ("QWEN3_0_6B", 1024 * 2048 + 2 * 1024 * 1024 + 2048 * 1024 + 2 * 128),
    ],
)
def test_parameters_of_an_attention_layer(name, parameters):
    assert getattr(models, name).attention_parameters() == parameters


@pytest.mark.parametrize("name", SHAPES)
def test_parameters_are_those_of_a_layer_of_that_shape(name):
    m = getattr(models, name)
    layer = attn.MultiHeadAttention(
        *(np.zeros(s, np.float32) for s in ((m.hidden, m.q_width), (m.hidden, m.kv_width), (m.hidden, m.kv_width))),
        np.zeros((m.q_width, m.hidden), np.float32),
        n_heads=m.n_heads,
        n_kv_heads=m.n_kv_heads,
    )
    matrices = sum(w.size for w in (layer.w_q, layer.w_k, layer.w_v, layer.w_o))
    biases = sum(w.shape[1] for w in (layer.w_q, layer.w_k, layer.w_v)) if m.qkv_bias else 0
    assert m.attention_parameters() == matrices + biases + (2 * m.head_dim if m.qk_norm else 0)


def test_cache_bytes_per_token():
    assert models.QWEN3_0_6B.cache_bytes_per_token() == 114_688
    assert models.QWEN2_5_7B.cache_bytes_per_token() == 57_344
    assert models.QWEN2_5_1_5B.cache_bytes_per_token() == 28 * 2 * 256 * 2
    assert models.QWEN2_5_7B.cache_bytes_per_token(bytes_per_number=4) == 2 * 57_344


def test_sharing_makes_the_cache_of_qwen2_5_7b_seven_times_smaller():
    m = models.QWEN2_5_7B
    assert m.q_width == 7 * m.kv_width
