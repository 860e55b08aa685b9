"""The reshape trap: splitting heads with and without the transpose."""

from numbers import Integral

import numpy as np
from matplotlib.patches import Rectangle

from ..heads import split_heads
from .alt import describe
from .canvas import PAGE_WIDTH, Table, arrow, canvas, draw_table, end_of, panel, tint, write
from .chips import CHIP, POSITION_COLOURS, POSITION_HATCHES, position_chip
from .hatching import hatch_over
from .interactive import make_interactive
from .numbers import decimal, listing
from .style import INK, INK_SOFT, SMALL, figure_function, words

MOST_ROWS, MOST_WIDTH, MOST_HEADS, MOST_HEAD_WIDTH = 4, 8, 4, 4

_WORDS = {
    "zh": {
        "title": "变形的陷阱",
        "head": "头 {n}",
        "right": "✓ 变形后换轴",
        "wrong": "✗ 只变形",
        "all_placed": "各行都在自己的位置上",
        "misplaced": "{total} 个数里 {wrong} 个放错",
        "alt": (
            "示意图：把 {n}×{width} 的表切成 {n_heads} 个头，数按来自哪个位置着色、画纹。变形后换轴，每个头都有位置 {rows}；"
            "只变形，{heads}，{total} 个数里 {wrong} 个放错了地方。"
        ),
        "alt_head": "头 {n} 的各行来自位置 {rows}",
    },
    "en": {
        "title": "The reshape trap",
        "head": "head {n}",
        "right": "✓ reshape, swap axes",
        "wrong": "✗ reshape alone",
        "all_placed": "every row is its own position",
        "misplaced": "{wrong} of {total} numbers misplaced",
        "alt": (
            "Diagram: a {n}×{width} table is split into {n_heads} heads, numbers coloured and hatched by the "
            "position they come from. Reshaped with the axes swapped, each head has positions {rows}; reshaped "
            "alone, {heads}, and {wrong} of {total} numbers are misplaced."
        ),
        "alt_head": "the rows of head {n} come from positions {rows}",
    },
}

CELL = (29.0, 20.0)
PANEL_WIDTH = PAGE_WIDTH / 2 - 5
TABLE_TOP = 42.0
HEADS_TOP = 88.0


@figure_function
def reshape_trap(x, n_heads: int, *, label: str = "X", lang: str):
    """Heads split the right way (reshape, then swap axes) beside a reshape alone.

    Parameters
    ----------
    x : ``(n, n_heads * d)``, what is to be split: 2 to 4 rows, at most 8 columns.
        Numbers such as 11, 12, … 21, 22, … tell position and column by themselves.
    n_heads : 2 to 4, heads at most 4 wide.
    label : what the table is called, a letter.
    lang : ``"zh"`` or ``"en"``.

    The right side is `attn.split_heads`; each row's chip is the position that its
    numbers come from.

    Raises TypeError, ValueError for what does not fit or divide.

    >>> from attn import figures
    >>> fig = figures.reshape_trap([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]], 2, lang="en")

    Examples
    --------
    >>> from attn import figures
    >>> x = [[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]]
    >>> fig = figures.reshape_trap(x, 2, lang="en")
    """
    word = words(_WORDS, lang)
    x = _checked(x, n_heads)
    n, width = x.shape
    d = width // n_heads
    # The position of each number, sent through the same two routes.
    position = np.broadcast_to(np.arange(n)[:, None], x.shape)
    right = split_heads(x, n_heads)
    right_position = split_heads(position, n_heads).astype(int)
    place = np.arange(x.size).reshape(x.shape)
    wrong, wrong_position, wrong_place = (a.reshape(n_heads, n, d) for a in (x, position, place))
    misplaced = int((wrong_place != split_heads(place, n_heads)).sum())

    table_bottom = TABLE_TOP + n * CELL[1]
    panel_top = table_bottom + 34
    panel_height = HEADS_TOP + n_heads * (n * CELL[1] + 24) + 12
    fig, ax = canvas(panel_top + panel_height)
    top_table = _coloured(ax, (PAGE_WIDTH - width * CELL[0] + 20) / 2, TABLE_TOP, x, position, "x")
    letter = write(ax, top_table.x, 12, f"${label}$", ha="left", gid="label")
    write(ax, end_of(letter) + 5, 12, f"{n}×{width}", ha="left", color=INK_SOFT, fontsize=SMALL)
    _head_columns(ax, top_table, n_heads, d, word)

    counts = {"total": x.size, "wrong": misplaced}
    routes = [
        ("right", right, right_position, [f".reshape({n}, {n_heads}, {d})", ".swapaxes(0, 1)"], word["all_placed"]),
        ("wrong", wrong, wrong_position, [f".reshape({n_heads}, {n}, {d})"], word["misplaced"].format(**counts)),
    ]
    for side, (name, heads, positions, code, verdict) in enumerate(routes):
        left = side * (PANEL_WIDTH + 10)
        panel(ax, left, panel_top, PANEL_WIDTH, panel_height)
        arrow(ax, (top_table.middle + (2 * side - 1) * 30, table_bottom + 5), (left + PANEL_WIDTH / 2, panel_top - 2))
        write(ax, left + 10, panel_top + 15, word[name], ha="left", gid=f"title {name}")
        for line, text in enumerate(code):
            y = panel_top + 34 + 16 * line
            write(ax, left + 10, y, text, ha="left", color=INK_SOFT, fontsize=SMALL, gid=f"code {name} {line}")
        for h in range(n_heads):
            y = panel_top + HEADS_TOP + h * (n * CELL[1] + 24)
            table_x = left + (PANEL_WIDTH - d * CELL[0] + 20) / 2
            table = _coloured(ax, table_x, y, heads[h], positions[h], f"{name} {h}")
            write(ax, table.x, y - 11, word["head"].format(n=h + 1), ha="left", fontsize=SMALL)
        y = panel_top + panel_height - 14
        write(ax, left + PANEL_WIDTH / 2, y, verdict, fontsize=SMALL, gid=f"verdict {name}")
    describe(fig, _alt(x.shape, wrong_position, counts, word, lang), title=word["title"])
    make_interactive(fig, "reshape-trap", {"x": x, "label": label, **_splits(x.shape, n_heads)})
    return fig


def _splits(shape: tuple[int, int], first: int) -> dict:
    """Where both routes take the numbers, for every count of heads that the figure could draw.

    A number is told by its place in memory, counted from 0.
    """
    n, width = shape
    place = np.arange(n * width).reshape(shape)
    splits = [
        {"heads": heads, "right": split_heads(place, heads).astype(int), "wrong": place.reshape(heads, n, -1)}
        for heads in range(2, MOST_HEADS + 1)
        if width % heads == 0 and width // heads <= MOST_HEAD_WIDTH
    ]
    return {"splits": splits, "first": [split["heads"] for split in splits].index(first)}


def _checked(x, n_heads) -> np.ndarray:
    if not isinstance(n_heads, Integral) or isinstance(n_heads, bool):
        raise TypeError(f"n_heads: got {n_heads!r}; an integer fits")
    x = np.asarray(x)
    if x.dtype.kind not in "iuf":
        raise TypeError(f"x: got dtype {x.dtype}; numbers fit")
    if x.ndim != 2 or not 2 <= x.shape[0] <= MOST_ROWS or x.shape[1] > MOST_WIDTH:
        raise ValueError(f"x: got shape {x.shape}; 2 to {MOST_ROWS} rows of at most {MOST_WIDTH} columns fit")
    if not np.isfinite(x).all():
        raise ValueError("x: got a number that is not finite; finite numbers fit")
    width = x.shape[1]
    if not 2 <= n_heads <= MOST_HEADS or width % n_heads or width // n_heads > MOST_HEAD_WIDTH:
        raise ValueError(
            f"n_heads: got {n_heads}; 2 to {MOST_HEADS} that divide the width of x, {width}, into heads at "
            f"most {MOST_HEAD_WIDTH} wide fit"
        )
    return x


def _coloured(ax, x, y, values, positions, name: str) -> Table:
    """A table in the looks of the positions its numbers come from, a chip at each row."""

    def colour(i, j):
        return POSITION_COLOURS[positions[i, j]]

    table = draw_table(
        ax,
        x,
        y,
        [[decimal(value) for value in row] for row in values],
        name=name,
        cell=CELL,
        fill=lambda i, j: tint(colour(i, j), 0.28),
        edge=colour,
        fontsize=SMALL,
    )
    for i, row in enumerate(positions):
        # d divides the width of x, so one row of a head never mixes two rows of x.
        hatch = POSITION_HATCHES[row[0]]
        if hatch:
            stripe = Rectangle((x, y + i * CELL[1]), table.right - x, CELL[1])
            hatch_over(ax, [stripe], hatch, tint(POSITION_COLOURS[row[0]], 0.5))
        position_chip(ax, x - 6 - CHIP / 2, table.row_y(i), row[0], f"chip {name} {i}")
    return table


def _head_columns(ax, table: Table, n_heads: int, d: int, word) -> None:
    """Which columns of x belong to which head."""
    for h in range(n_heads):
        start, stop = table.x + h * d * CELL[0], table.x + (h + 1) * d * CELL[0]
        write(ax, (start + stop) / 2, TABLE_TOP - 14, word["head"].format(n=h + 1), fontsize=SMALL)
        ax.plot([start + 3, stop - 3], [TABLE_TOP - 5, TABLE_TOP - 5], color=INK_SOFT, linewidth=1)
        if h:
            ax.plot([start, start], [table.y, table.bottom], color=INK, linewidth=2)


def _alt(shape, wrong_position, counts, word, lang: str) -> str:
    n, width = shape
    heads = [
        word["alt_head"].format(n=h + 1, rows=listing([row[0] + 1 for row in rows], lang))
        for h, rows in enumerate(wrong_position)
    ]
    joined = {"zh": "，", "en": ", "}[lang].join(heads)
    rows = listing(range(1, n + 1), lang)
    return word["alt"].format(n=n, width=width, n_heads=len(heads), rows=rows, heads=joined, **counts)
