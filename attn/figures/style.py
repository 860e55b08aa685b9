"""The look that every figure shares: font, ink, palette, and glyphs that must exist."""

import functools
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from matplotlib import font_manager

from .alt import remember_maker

# Neutral colours. On paper they are what they look like; in an inline SVG, `to_svg`
# replaces them (see NEUTRALS), so that one figure serves a light and a dark page. They
# are odd on purpose: no colour chosen by hand should equal one by chance.
INK = "#1b1c1d"  # text, axes, outlines
INK_SOFT = "#64676b"  # second-rank text, arrows, tick labels
GRID = "#d3d5d8"  # grid lines, hairlines
PANEL = "#f3f4f6"  # a quiet fill behind a group, or a neutral cell
PAPER = "#fefefd"  # the page itself: gaps between shapes, knock-outs behind text

NEUTRALS = {
    INK: "currentColor",
    INK_SOFT: "var(--attn-ink-soft,#7d8187)",
    GRID: "var(--attn-grid,#9a9da355)",
    PANEL: "var(--attn-panel,#8a8d9322)",
    PAPER: "var(--attn-paper,#fff)",
}

# Data colours are the same on both schemes (contrast at least 3:1 on white and on
# #1e2129) and come from Okabe & Ito, https://jfly.uni-koeln.de/color/, deepened where
# the original is too light for a white page. In greys they differ in lightness too;
# figures still add a hatch, a line style or a label.
BLUE = "#2a7ab8"
ORANGE = "#cf7a00"
GREEN = "#0a8f6c"
PURPLE = "#b3628f"
RED = "#d0570f"
QUERY, KEY, VALUE, OUTPUT = BLUE, ORANGE, GREEN, PURPLE

FONT_FAMILY = ["Noto Sans SC", "DejaVu Sans"]
FONT_FILE = Path(__file__).parent / "fonts" / "NotoSansSC-Regular.otf"

# A phone shows 343 px of a figure 5 inches wide (360 pt): 9.5 pt is 9 px there.
WIDTH = 5.0
SMALL, BODY, LARGE = 9.5, 10.5, 12.0

RC = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK_SOFT,
    "axes.facecolor": "none",
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": BODY,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": matplotlib.cycler(color=[BLUE, ORANGE, GREEN, PURPLE, RED]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": LARGE,
    "axes.unicode_minus": False,
    "figure.dpi": 96,
    # White, not "none": a window or a notebook needs a page to draw on. to_svg drops it.
    "figure.facecolor": "white",
    "font.family": FONT_FAMILY,
    "font.size": BODY,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 0.8,
    "legend.edgecolor": "none",
    "legend.facecolor": "none",
    "legend.fontsize": BODY,
    "legend.labelcolor": INK,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "mathtext.fontset": "stix",
    "patch.linewidth": 0.8,
    "savefig.facecolor": "auto",
    "text.color": INK,
    "xtick.color": INK_SOFT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": BODY,
    "ytick.color": INK_SOFT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": BODY,
}


@functools.cache
def register_font() -> None:
    """Make the font of this package known to matplotlib, once, ahead of its namesakes.

    A system may hold another "Noto Sans SC"; the variable one would be drawn in its
    default, hairline weight. The first of two equal candidates wins, so ours goes first.
    """
    manager = font_manager.fontManager
    manager.addfont(FONT_FILE)
    manager.ttflist.insert(0, manager.ttflist.pop())


@contextmanager
def book_style() -> Iterator[None]:
    """Draw in the style of the book, for the length of a `with` block.

    Global rcParams are as before afterwards. Use it for a figure drawn by hand:

    >>> import matplotlib.pyplot as plt
    >>> from attn import figures
    >>> with figures.book_style():
    ...     fig, ax = plt.subplots()
    """
    register_font()
    with matplotlib.rc_context(RC):
        yield


def figure_function(function):
    """Decorator of every public figure function: the book's style around the drawing."""

    @functools.wraps(function)
    def draw(*args, **kwargs):
        with book_style():
            figure = function(*args, **kwargs)
        remember_maker(figure, function.__name__)
        return figure

    return draw


def words(table: dict[str, dict[str, str]], lang: str) -> dict[str, str]:
    """The words of a figure in one language: `table` maps a language to its words."""
    if lang not in table:
        fit = " or ".join(f'"{name}"' for name in sorted(table))
        raise ValueError(f"lang: got {lang!r}; this figure speaks {fit}")
    return table[lang]


class MissingGlyph(ValueError):
    """A character that neither font of the figure can draw."""


class _RaiseOnLog(logging.Handler):
    """Mathtext only logs what it cannot draw, and draws a placeholder instead."""

    def __init__(self, maker: str):
        super().__init__(logging.WARNING)
        self.maker = maker

    def emit(self, record: logging.LogRecord) -> None:
        raise _missing(self.maker, record.getMessage())


def _missing(maker: str, message: str) -> MissingGlyph:
    warned = re.match(r"Glyph (\d+) .* missing from font\(s\) (.*)\.$", message)
    if warned:
        character = chr(int(warned[1]))
        what = f"no glyph for {character!r} (U+{ord(character):04X}) in {warned[2]}"
    else:
        what = message
    return MissingGlyph(
        f"{maker}: {what}. Draw inside attn.figures.book_style(), whose font has the usual "
        "Chinese characters, or use another character"
    )


@contextmanager
def strict_glyphs(maker: str) -> Iterator[None]:
    """Raise `MissingGlyph` where matplotlib would warn or log and draw an empty box.

    `maker` is the name the error gives: the figure function, or the file of a figure
    drawn by hand.
    """
    handler = _RaiseOnLog(maker)
    mathtext = logging.getLogger("matplotlib.mathtext")
    mathtext.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=r"Glyph \d+ .* missing from")
            try:
                yield
            except UserWarning as warning:
                if not re.match(r"Glyph \d+", str(warning)):
                    raise
                raise _missing(maker, str(warning)) from None
    finally:
        mathtext.removeHandler(handler)
