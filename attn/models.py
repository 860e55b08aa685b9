"""Shapes of published models, and the arithmetic of one attention layer.

Only shapes: the rotary positions, QK-Norm and other parts of these models are not
reproduced by this library.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._arguments import integer


@dataclass(frozen=True)
class ModelShape:
    """The numbers of one model that attention depends on.

    Attributes
    ----------
    name, source : the model, and where the numbers were published.
    n_layers : layers with self-attention (in the decoder, where there are two stacks).
    hidden : width of a position between layers (``d_model``).
    n_heads, n_kv_heads : query heads and K/V heads in a layer.
    head_dim : width of a head. Qwen3's config.json names it, and it is not
        ``hidden / n_heads``; Qwen2.5's does not, and it is.
    qkv_bias : whether Q, K and V have a bias vector (Qwen2.5: yes, by architecture).
    qk_norm : whether each head of Q and of K is normalised, with one learned vector
        of ``head_dim`` numbers for Q and one for K (Qwen3: yes, by architecture).

    Examples
    --------
    >>> QWEN2_5_7B.q_width, QWEN2_5_7B.kv_width
    (3584, 512)
    >>> QWEN2_5_7B.attention_parameters()
    29364736
    >>> QWEN3_0_6B.cache_bytes_per_token()
    114688
    """

    name: str
    source: str
    n_layers: int
    hidden: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    qkv_bias: bool
    qk_norm: bool

    @property
    def q_width(self):
        """Columns of W_Q and rows of W_O."""
        return self.n_heads * self.head_dim

    @property
    def kv_width(self):
        """Columns of W_K and of W_V."""
        return self.n_kv_heads * self.head_dim

    def attention_parameters(self):
        """Numbers learned in one attention layer: W_Q, W_K, W_V, W_O, biases and QK-Norm."""
        matrices = self.hidden * (self.q_width + 2 * self.kv_width) + self.q_width * self.hidden
        biases = self.q_width + 2 * self.kv_width if self.qkv_bias else 0
        norms = 2 * self.head_dim if self.qk_norm else 0
        return matrices + biases + norms

    def cache_bytes_per_token(self, *, bytes_per_number=2):
        """Bytes that the KV cache grows by with each token: K and V of every layer.

        ``bytes_per_number`` is 2 for bfloat16 and float16, 4 for float32.

        Raises
        ------
        TypeError, ValueError : ``bytes_per_number`` not a positive integer.
        """
        bytes_per_number = integer("bytes_per_number", bytes_per_number, minimum=1)
        return 2 * self.kv_width * self.n_layers * bytes_per_number


TRANSFORMER_BASE = ModelShape(
    name="Transformer base (2017)",
    source="Vaswani et al. 2017, Attention Is All You Need, table 3 (base) and section 3.2.2",
    n_layers=6,
    hidden=512,
    n_heads=8,
    n_kv_heads=8,
    head_dim=64,
    qkv_bias=False,
    qk_norm=False,
)
QWEN2_5_1_5B = ModelShape(
    name="Qwen2.5-1.5B",
    source="https://huggingface.co/Qwen/Qwen2.5-1.5B/blob/main/config.json",
    n_layers=28,
    hidden=1536,
    n_heads=12,
    n_kv_heads=2,
    head_dim=128,
    qkv_bias=True,
    qk_norm=False,
)
QWEN2_5_7B = ModelShape(
    name="Qwen2.5-7B",
    source="https://huggingface.co/Qwen/Qwen2.5-7B/blob/main/config.json",
    n_layers=28,
    hidden=3584,
    n_heads=28,
    n_kv_heads=4,
    head_dim=128,
    qkv_bias=True,
    qk_norm=False,
)
QWEN3_0_6B = ModelShape(
    name="Qwen3-0.6B",
    source="https://huggingface.co/Qwen/Qwen3-0.6B/blob/main/config.json",
    n_layers=28,
    hidden=1024,
    n_heads=16,
    n_kv_heads=8,
    head_dim=128,
    qkv_bias=False,
    qk_norm=True,
)
