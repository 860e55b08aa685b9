"""The figures of the course, each drawn from the data it is given.

A figure function takes data (a `Trace`, a mask, a table) and a language, `"zh"` or
`"en"`, and returns a pyplot-managed matplotlib `Figure` with its alt text set. Needs
matplotlib; global rcParams stay as they are.
"""

from .alt import describe, description
from .style import book_style
from .svg import to_svg

__all__ = [
    "book_style",
    "describe",
    "description",
    "to_svg",
]
