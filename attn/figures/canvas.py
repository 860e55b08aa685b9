"""Drawing in points: a page to place tables, boxes and arrows on, exactly.

One unit is one point (1/72 inch), y runs downwards, so a text of size 10 is 10 units
high and the layout of a figure can be read off its numbers.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.text import Text

from .style import BLUE, BODY, INK, INK_SOFT, ORANGE, PANEL, WIDTH

POINTS_PER_INCH = 72
PAGE_WIDTH = WIDTH * POINTS_PER_INCH

# Half the height of a capital in Noto Sans SC, in parts of the font size.
HALF_CAPITAL = 0.367

# A tint lets the page shine through, light or dark, so the page's own ink stays readable
# on it. The strongest ones leave that ink a contrast of 4.5 on both (tested).
TINT = 0.16
STRONGEST_BLUE, STRONGEST_ORANGE = 0.78, 0.6


def canvas(height: float, width: float = PAGE_WIDTH) -> tuple[Figure, Axes]:
    """An empty figure of `width` by `height` points, without axes to be seen."""
    fig = plt.figure(figsize=(width / POINTS_PER_INCH, height / POINTS_PER_INCH))
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(height, 0))
    ax.axis("off")
    return fig, ax


def axes_at(page: Axes, x: float, y: float, width: float, height: float) -> Axes:
    """Axes with their own units in a rectangle of the page, on top of it."""
    page_width, page_height = page.get_xlim()[1], page.get_ylim()[0]
    return page.figure.add_axes(
        (x / page_width, 1 - (y + height) / page_height, width / page_width, height / page_height)
    )


def tint(colour, strength: float = TINT):
    """`colour` as a wash over the page, `strength` from 0 (page) to 1 (full)."""
    return to_rgba(colour, strength)


def shade(share: float):
    """A blue wash that grows with `share`, from 0 to 1: the fill of a weight's cell."""
    return to_rgba(BLUE, STRONGEST_BLUE * float(np.clip(share, 0, 1)))


def signed_shade(value: float, largest: float):
    """A wash for a number with a sign: blue above zero, orange below, by its size."""
    strength = min(abs(value) / largest, 1) if largest > 0 else 0
    colour, strongest = (BLUE, STRONGEST_BLUE) if value >= 0 else (ORANGE, STRONGEST_ORANGE)
    return to_rgba(colour, strongest * float(strength))


def write(ax: Axes, x: float, y: float, text: str, *, fontsize: float = BODY, **style) -> Text:
    """One line of text, its capitals and digits centred on the point.

    It is placed by its baseline, so that the texts of one line stand on one line
    whatever letters they hold; `va` switches that off (for rotated or longer text).
    """
    if "va" not in style:
        style["va"] = "baseline"
        y += HALF_CAPITAL * fontsize
    return ax.text(x, y, text, fontsize=fontsize, **{"ha": "center", **style})


def span_of(text: Text) -> tuple[float, float]:
    """The x at which a text begins and the one at which it ends, in units of its axes."""
    box = text.get_window_extent(text.figure.canvas.get_renderer())
    (start, _), (end, _) = text.axes.transData.inverted().transform([box.min, box.max])
    return start, end


def end_of(text: Text) -> float:
    """The x at which a text ends, in the units of its axes."""
    return span_of(text)[1]


@dataclass(frozen=True)
class Table:
    """Where a table was drawn; rows and columns counted from 0."""

    x: float
    y: float
    cell_width: float
    cell_height: float
    rows: int
    columns: int

    @property
    def right(self) -> float:
        return self.x + self.columns * self.cell_width

    @property
    def bottom(self) -> float:
        return self.y + self.rows * self.cell_height

    @property
    def middle(self) -> float:
        return (self.x + self.right) / 2

    def row_y(self, row: int) -> float:
        return self.y + (row + 0.5) * self.cell_height

    def column_x(self, column: int) -> float:
        return self.x + (column + 0.5) * self.cell_width


def draw_table(
    ax: Axes,
    x: float,
    y: float,
    texts,
    *,
    name: str,
    cell: tuple[float, float],
    fill,
    edge,
    colour=INK,
    fontsize: float = BODY,
    hatch=None,
) -> Table:
    """Draw a table of cells with its top left corner at (x, y).

    `texts`, shape (rows, columns), is what stands in the cells. `fill`, `colour` and
    `hatch` are one value for all cells, or a function of (row, column). Cells and texts
    carry the gid `name row column`, by which tests find what was drawn.
    """
    texts = np.asarray(texts, dtype=object)
    rows, columns = texts.shape
    width, height = cell

    def at(value, row, column):
        return value(row, column) if callable(value) else value

    for row in range(rows):
        for column in range(columns):
            gid = f"{name} {row} {column}"
            left, top = x + column * width, y + row * height
            ax.add_artist(
                Rectangle(
                    (left, top),
                    width,
                    height,
                    facecolor=at(fill, row, column),
                    edgecolor=at(edge, row, column),
                    hatch=at(hatch, row, column),
                    clip_on=False,
                    gid=gid,
                )
            )
            if texts[row, column]:
                write(
                    ax,
                    left + width / 2,
                    top + height / 2,
                    texts[row, column],
                    color=at(colour, row, column),
                    fontsize=fontsize,
                    gid=gid,
                )
    return Table(x, y, width, height, rows, columns)


def label_rows(ax: Axes, table: Table, labels, **style) -> None:
    """Names left of the rows."""
    for row, label in enumerate(labels):
        write(ax, table.x - 8, table.row_y(row), label, **{"ha": "right", **style})


def label_columns(ax: Axes, table: Table, labels, **style) -> None:
    """Names above the columns."""
    for column, label in enumerate(labels):
        write(ax, table.column_x(column), table.y - 10, label, **style)


def frame_cell(ax: Axes, table: Table, row: int, column: int, colour=INK) -> None:
    """A heavy outline around one cell."""
    _frame(ax, table, row, column, columns=1, colour=colour)


def frame_row(ax: Axes, table: Table, row: int, colour=INK) -> None:
    """A heavy outline around one row."""
    _frame(ax, table, row, 0, columns=table.columns, colour=colour)


def _frame(ax: Axes, table: Table, row: int, column: int, *, columns: int, colour) -> None:
    ax.add_artist(
        Rectangle(
            (table.x + column * table.cell_width, table.y + row * table.cell_height),
            columns * table.cell_width,
            table.cell_height,
            fill=False,
            edgecolor=colour,
            linewidth=2,
            clip_on=False,
        )
    )


def panel(ax: Axes, x: float, y: float, width: float, height: float, **style) -> None:
    """A quiet rounded box behind a group."""
    style = {"facecolor": PANEL, "edgecolor": "none", "clip_on": False, **style}
    ax.add_artist(
        FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=5", **style)
    )


def arrow(ax: Axes, start, end, *, bend: str | None = None, colour=INK_SOFT, **style) -> None:
    """An arrow from point to point; `bend` "down-right" (or so) goes round a corner.

    The corner is named by the direction it leaves in and the one it arrives in.
    """
    connection = "arc3,rad=0"
    if bend is not None:
        leaving, arriving = bend.split("-")
        # matplotlib's angles are in display space, where up is 90.
        angle = {"down": 90, "up": 90, "left": 0, "right": 0}
        connection = f"angle,angleA={angle[leaving]},angleB={angle[arriving]},rad=6"
    style = {"linewidth": 1.3, "arrowstyle": "-|>,head_length=4.5,head_width=2.4", **style}
    ax.add_artist(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=connection,
            color=colour,
            mutation_scale=1,
            shrinkA=0,
            shrinkB=0,
            clip_on=False,
            **style,
        )
    )
