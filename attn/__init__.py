"""Attention by Hand: a small NumPy library of transformer self-attention."""

from . import lessons
from .core import Trace, attention, softmax, trace
from .heads import SelfAttention
from .interventions import FourWays, four_ways, intervene
from .masks import causal_mask

__all__ = [
    "FourWays",
    "SelfAttention",
    "Trace",
    "attention",
    "causal_mask",
    "four_ways",
    "intervene",
    "lessons",
    "softmax",
    "trace",
]
