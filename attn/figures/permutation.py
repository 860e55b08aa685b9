"""What a head notices when rows change places: K with V, or all inputs."""

from collections.abc import Sequence

import numpy as np

from .. import lessons
from ..core import Trace
from .alt import describe
from .canvas import PAGE_WIDTH, Table, arrow, canvas, draw_table, panel, shade, tint, write
from .chips import CHIP, position_chip
from .interactive import make_interactive
from .numbers import decimal, listing, shares, vector
from .origin import lesson_of
from .style import BLUE, GRID, INK, INK_SOFT, OUTPUT, PANEL, SMALL, figure_function, words

MOST_POSITIONS, MOST_COLUMNS = 4, 3

_WORDS = {
    "zh": {
        "title": "交换行的次序",
        "original": "原来",
        "kv": "只换 K、V 各行的次序：{order}",
        "inputs": "换输入各行的次序：{order}",
        "weights": "权重",
        "output": "输出",
        "all_same": "每一行的输出都不变",
        "all_moved": "每一行的输出都不变，跟着它换地方",
        "none_same": "每一行的输出都变了",
        "some_same": "第 {same} 行输出不变，第 {changed} 行变了",
        "alt": (
            "三组权重表和输出表，行与列标着原来是第几。原来的输出：{original}。"
            "K、V 各行的次序改为 {order} 后，{kv}。输入各行的次序改为 {order} 后，{inputs}。"
        ),
        "row": "第 {position} 行 {output}",
    },
    "en": {
        "title": "Rows in another order",
        "original": "original",
        "kv": "only rows of K and V in another order: {order}",
        "inputs": "rows of the input in another order: {order}",
        "weights": "weights",
        "output": "output",
        "all_same": "every row keeps its output",
        "all_moved": "every row keeps its output and takes it along",
        "none_same": "no row keeps its output",
        "some_same": "output kept: row {same}; changed: row {changed}",
        "alt": (
            "Three tables of weights and three of outputs, rows and columns marked with the number they had "
            "at first. Original outputs: {original}. With the rows of K and V in the order {order}, {kv}. "
            "With the rows of the input in the order {order}, {inputs}."
        ),
        "row": "row {position} {output}",
    },
}

CELL = (32, 20)
OUTPUT_CELL = (40, 20)
BETWEEN, TABLES_TOP, GAP = 66.0, 62.0, 8.0

# What the interactive figure can add to a lesson's rows: the smallest mark, for position 1 alone.
ADDED = np.array([[1, 0], [0, 0], [0, 0]])


@figure_function
def permuted_rows(original: Trace, kv: Trace, inputs: Trace, order: Sequence[int], *, lang: str):
    """Weights and outputs of three runs: as it was, K with V reordered, all inputs reordered.

    Parameters
    ----------
    original : the steps of one head; 2 to 4 positions, outputs at most 3 wide.
    kv : the same queries on ``k[order]`` and ``v[order]``.
    inputs : ``q[order]``, ``k[order]`` and ``v[order]``.
    order : which row, counted from 0, stands in each place: ``[2, 0, 1]`` puts the
        third row first.
    lang : ``"zh"`` or ``"en"``.

    Rows and columns carry the number they have in ``original``, wherever they now stand.
    What is said of the outputs is found by comparing them (to 1e-9).

    Raises ValueError for an order that is no permutation, traces that do not follow
    it, several heads, more than fits.

    >>> from attn import figures, lessons, trace
    >>> original = lessons.three_positions_directed().trace()
    >>> q, k, v = original.q, original.k, original.v
    >>> order = [2, 0, 1]
    >>> fig = figures.permuted_rows(
    ...     original, trace(q, k[order], v[order]), trace(q[order], k[order], v[order]), order, lang="en"
    ... )

    Examples
    --------
    >>> from attn import figures, lessons, trace
    >>> original = lessons.three_positions().trace()
    >>> q, k, v = original.q, original.k, original.v
    >>> order = [2, 0, 1]
    >>> kv = trace(q, k[order], v[order])
    >>> inputs = trace(q[order], k[order], v[order])
    >>> fig = figures.permuted_rows(original, kv, inputs, order, lang="en")
    """
    word = words(_WORDS, lang)
    order = _checked(original, kv, inputs, order)
    straight = list(range(len(order)))
    named = listing([position + 1 for position in order], lang)
    bands = [
        ("original", original, straight, straight, word["original"]),
        ("kv", kv, straight, order, word["kv"].format(order=named)),
        ("inputs", inputs, order, order, word["inputs"].format(order=named)),
    ]
    verdicts = {
        "kv": _verdict(original.output, kv.output, straight, word, lang),
        "inputs": _verdict(original.output, inputs.output, order, word, lang),
    }

    height = TABLES_TOP + len(order) * CELL[1] + 10
    heights = [height if name == "original" else height + 20 for name, *_ in bands]
    fig, ax = canvas(sum(heights) + 2 * GAP)
    top = 0.0
    for (name, trace, queries, keys, title), band_height in zip(bands, heights, strict=True):
        panel(ax, 0, top, PAGE_WIDTH, band_height)
        _band(ax, top, name, trace, queries, keys, title, word)
        if name in verdicts:
            write(ax, 10, top + band_height - 14, f"→ {verdicts[name]}", ha="left", gid=f"verdict {name}")
        top += band_height + GAP
    rows = [word["row"].format(position=i + 1, output=vector(row)) for i, row in enumerate(original.output)]
    alt = word["alt"].format(original=listing(rows, lang), order=named, **verdicts)
    describe(fig, alt, title=word["title"])
    if data := _interactive_data(original):
        make_interactive(fig, "order", data)
    return fig


def _interactive_data(original: Trace) -> dict | None:
    """The inputs that a reader can reorder, which are known for a lesson's tables; or None."""
    lesson = lesson_of(original)
    if lesson is None or original.visible is not None or lesson.x.shape != ADDED.shape:
        return None
    wqs = [version.w_q for version in (lessons.three_positions(), lessons.three_positions_directed())]
    return {
        "x": lesson.x,
        "wqs": wqs,
        "version": next(i for i, w_q in enumerate(wqs) if np.array_equal(w_q, lesson.w_q)),
        "wk": lesson.w_k,
        "wv": lesson.w_v,
        "scale": original.scale,
        "p": ADDED,
    }


def _checked(original: Trace, kv: Trace, inputs: Trace, order) -> list[int]:
    n, columns = original.output.shape[-2:]
    if original.output.ndim != 2 or not 2 <= n <= MOST_POSITIONS or columns > MOST_COLUMNS:
        raise ValueError(
            f"original: got an output of shape {original.output.shape}; one head, 2 to {MOST_POSITIONS} "
            f"positions and at most {MOST_COLUMNS} columns fit"
        )
    if original.k.shape[0] != n:
        raise ValueError(f"original: got {n} queries and {original.k.shape[0]} keys; as many of both fit")
    order = list(order)
    if sorted(order) != list(range(n)):
        raise ValueError(f"order: got {order}; each of 0 to {n - 1} once fits")
    straight = list(range(n))
    for name, trace, queries in (("kv", kv, straight), ("inputs", inputs, order)):
        for table, rows in (("q", queries), ("k", order), ("v", order)):
            expected = getattr(original, table)[rows]
            given = getattr(trace, table)
            if given.shape != expected.shape or not np.allclose(given, expected, rtol=0, atol=1e-9):
                what = f"original.{table}" if rows is straight else f"original.{table}[{order}]"
                raise ValueError(f"{name}.{table}: got other rows than {what}, which fit")
    return order


def _verdict(before, after, places: list[int], word, lang: str) -> str:
    """Which rows have the output they had, wherever they now stand."""
    same = np.isclose(after, before[places], rtol=0, atol=1e-9).all(axis=1)
    if same.all():
        return word["all_same" if places == sorted(places) else "all_moved"]
    if not same.any():
        return word["none_same"]
    kept = sorted(place + 1 for place, kept in zip(places, same, strict=True) if kept)
    moved = sorted(place + 1 for place, kept in zip(places, same, strict=True) if not kept)
    return word["some_same"].format(same=listing(kept, lang), changed=listing(moved, lang))


def _band(ax, top, name, trace: Trace, queries, keys, title, word) -> None:
    write(ax, 10, top + 14, title, ha="left", gid=f"title {name}")
    n, columns = trace.output.shape
    left = (PAGE_WIDTH - n * CELL[0] - BETWEEN - columns * OUTPUT_CELL[0] + CHIP) / 2
    hidden = np.isneginf(trace.masked)
    weights = draw_table(
        ax,
        left,
        top + TABLES_TOP,
        np.where(hidden, "×", shares(trace.weights)),
        name=f"weights {name}",
        cell=CELL,
        fill=lambda i, j: PANEL if hidden[i, j] else shade(trace.weights[i, j]),
        edge=lambda i, j: GRID if hidden[i, j] else BLUE,
        hatch=lambda i, j: "////" if hidden[i, j] else None,
        colour=lambda i, j: INK_SOFT if hidden[i, j] else INK,
        fontsize=SMALL,
    )
    output = draw_table(
        ax,
        weights.right + BETWEEN,
        top + TABLES_TOP,
        [[decimal(number) for number in row] for row in trace.output],
        name=f"output {name}",
        cell=OUTPUT_CELL,
        fill=tint(OUTPUT),
        edge=OUTPUT,
        fontsize=SMALL,
    )
    _chips(ax, weights, queries, f"queries {name}", across=False)
    _chips(ax, weights, keys, f"keys {name}", across=True)
    _chips(ax, output, queries, f"outputs {name}", across=False)
    for table, heading in ((weights, "weights"), (output, "output")):
        write(ax, table.middle, top + 33, word[heading], color=INK_SOFT, fontsize=SMALL)
    middle = (weights.y + weights.bottom) / 2
    arrow(ax, (weights.right + 8, middle), (output.x - CHIP - 14, middle))
    write(ax, weights.right + 21, middle - 11, r"$\times V$", color=INK_SOFT)


def _chips(ax, table: Table, positions, name: str, *, across: bool) -> None:
    """Beside each row, or above each column, the number it has in the original."""
    for place, position in enumerate(positions):
        if across:
            x, y = table.column_x(place), table.y - 4 - CHIP / 2
        else:
            x, y = table.x - 5 - CHIP / 2, table.row_y(place)
        position_chip(ax, x, y, position, f"{name} {place}")
