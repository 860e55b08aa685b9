"""Attention by Hand: a small NumPy library of transformer self-attention."""

from . import exercises, lessons, models
from .core import Trace, attention, softmax, trace
from .gradients import AttentionGradients, attention_backward, projection_gradient, softmax_jacobian
from .heads import MultiHeadAttention, MultiHeadTrace, SelfAttention, merge_heads, repeat_heads, split_heads
from .interventions import FourWays, four_ways, intervene
from .masks import causal_mask, padding_mask, window_mask
from .streaming import KVCache, StreamingStep, streaming_attention, streaming_steps

__all__ = [
    "AttentionGradients",
    "FourWays",
    "KVCache",
    "MultiHeadAttention",
    "MultiHeadTrace",
    "SelfAttention",
    "StreamingStep",
    "Trace",
    "attention",
    "attention_backward",
    "causal_mask",
    "exercises",
    "four_ways",
    "intervene",
    "lessons",
    "merge_heads",
    "models",
    "padding_mask",
    "projection_gradient",
    "repeat_heads",
    "softmax",
    "softmax_jacobian",
    "split_heads",
    "streaming_attention",
    "streaming_steps",
    "trace",
    "window_mask",
]
