"""The figures of the course, each drawn from the data it is given.

A figure function takes data (a `Trace`, a mask, a table) and a language, `"zh"` or
`"en"`, and returns a pyplot-managed matplotlib `Figure` with its alt text set. Needs
matplotlib; global rcParams stay as they are.
"""

from .alt import describe, description
from .dataflow import data_flow
from .interventions import intervention_chart
from .jacobian import jacobian_norms
from .masks import mask_grid
from .online import online_softmax
from .permutation import permuted_rows
from .style import book_style
from .svg import to_svg
from .tiles import streaming_tiles

__all__ = [
    "book_style",
    "data_flow",
    "describe",
    "description",
    "intervention_chart",
    "jacobian_norms",
    "mask_grid",
    "online_softmax",
    "permuted_rows",
    "streaming_tiles",
    "to_svg",
]
