"""The figures of the course, each drawn from the data it is given.

A figure function takes data (a `Trace`, a mask, a table) and a language, `"zh"` or
`"en"`, and returns a pyplot-managed matplotlib `Figure` with its alt text set. Needs
matplotlib; global rcParams stay as they are.
"""

from .alt import describe, description
from .cache import cache_growth
from .concatenation import heads_joined
from .dataflow import data_flow
from .decoding import decoding_steps
from .interventions import intervention_chart
from .jacobian import jacobian_norms
from .library import soft_reading
from .mask_gallery import mask_gallery
from .mask_order import mask_order
from .masks import mask_grid
from .online import online_softmax
from .outputs import output_range
from .permutation import permuted_rows
from .reading import reading_lines
from .reshape import reshape_trap
from .scores import similarity_and_scores
from .sharing import head_sharing, repeat_against_tile
from .similarity import similarity_in_two_sentences
from .softmax import softmax_steps
from .spread import score_spread, weights_by_width
from .style import book_style
from .svg import to_svg
from .tables import attention_tables
from .tiles import streaming_tiles

__all__ = [
    "attention_tables",
    "book_style",
    "cache_growth",
    "data_flow",
    "decoding_steps",
    "describe",
    "description",
    "head_sharing",
    "heads_joined",
    "intervention_chart",
    "jacobian_norms",
    "mask_gallery",
    "mask_grid",
    "mask_order",
    "online_softmax",
    "output_range",
    "permuted_rows",
    "reading_lines",
    "repeat_against_tile",
    "reshape_trap",
    "score_spread",
    "similarity_and_scores",
    "similarity_in_two_sentences",
    "soft_reading",
    "softmax_steps",
    "streaming_tiles",
    "to_svg",
    "weights_by_width",
]
