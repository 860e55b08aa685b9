"""Who may read whom: masks as grids of queries and the positions they read."""

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection

from ..core import Trace
from .alt import describe
from .canvas import PAGE_WIDTH, Table, canvas, draw_table, end_of, label_columns, label_rows, shade, tint, write
from .interactive import make_interactive
from .labels import position_labels
from .numbers import listing, shares
from .style import BLUE, GRID, INK, INK_SOFT, PANEL, SMALL, figure_function, words

MOST_POSITIONS = 12
MOST_WITH_NUMBERS = 8

_WORDS = {
    "zh": {
        "title": "谁可以读谁",
        "read": "被读的位置",
        "query": "查询",
        "visible": "可见：格中是权重",
        "visible_only": "可见：填色越浓，权重越大",
        "hidden": "不可见：权重为 0",
        "alt": "掩码网格，{rows} 行 {columns} 列：行是查询的位置，列是被读的位置，不可见的格子画斜线。{rows_text}。",
        "weights_row": "查询 {query} 读 {keys}，权重 {weights}",
        "row": "查询 {query} 读 {keys}",
        "empty_row": "查询 {query} 什么也不读",
        "between": "；",
    },
    "en": {
        "title": "Who may read whom",
        "read": "position read",
        "query": "query",
        "visible": "visible: its weight",
        "visible_only": "visible: stronger fill, more weight",
        "hidden": "hidden: weight 0",
        "alt": (
            "Mask grid of {rows} rows and {columns} columns: rows are query positions, columns the "
            "positions read, hidden cells are hatched. {rows_text}."
        ),
        "weights_row": "query {query} reads {keys} with weights {weights}",
        "row": "query {query} reads {keys}",
        "empty_row": "query {query} reads nothing",
        "between": "; ",
    },
}


@figure_function
def mask_grid(
    trace: Trace,
    *,
    lang: str,
    query_labels: Sequence[str] | None = None,
    key_labels: Sequence[str] | None = None,
):
    """Rows are queries, columns the positions they read; hidden cells are hatched.

    Parameters
    ----------
    trace : the steps of one head, 1 to 12 queries and keys. A visible cell holds its
        weight, as a fraction where all weights are exact; above 8 positions only its
        shade.
    lang : ``"zh"`` or ``"en"``.
    query_labels, key_labels : names of the positions; 1, 2, 3, … if not given.

    Raises ValueError for several heads, more positions, labels of another number.

    >>> from attn import figures, lessons
    >>> fig = figures.mask_grid(lessons.three_positions().trace(causal=True), lang="en")
    """
    word = words(_WORDS, lang)
    if trace.weights.ndim != 2 or not all(1 <= n <= MOST_POSITIONS for n in trace.weights.shape):
        raise ValueError(
            f"trace: got weights of shape {trace.weights.shape}; one table of 1 to "
            f"{MOST_POSITIONS} queries and keys fits"
        )
    n_query, n_key = trace.weights.shape
    queries = position_labels("query_labels", query_labels, n_query)
    keys = position_labels("key_labels", key_labels, n_key)
    visible = ~np.isneginf(trace.masked)
    numbers = max(n_query, n_key) <= MOST_WITH_NUMBERS
    texts = np.where(visible, shares(trace.weights), "×") if numbers else np.full(visible.shape, "")

    side = min(46.0, 288 / n_key)
    top = 46
    fig, ax = canvas(top + n_query * side + 36)
    left = PAGE_WIDTH / 2 - n_key * side / 2 + 14
    table = draw_table(
        ax,
        left,
        top,
        texts,
        name="weights",
        cell=(side, side),
        fill=lambda i, j: shade(trace.weights[i, j]) if visible[i, j] else PANEL,
        edge=GRID,
        colour=lambda i, j: INK if visible[i, j] else INK_SOFT,
        hatch=lambda i, j: None if visible[i, j] else "////",
    )
    outline_visible(ax, table, visible)
    write(ax, table.middle, 12, f"{word['read']} →", color=INK_SOFT)
    label_columns(ax, table, keys)
    write(ax, left - 8, top - 10, f"{word['query']} ↓", ha="right", color=INK_SOFT)
    label_rows(ax, table, queries)
    _legend(ax, table.bottom + 22, word, "visible" if numbers else "visible_only")
    describe(fig, _alt(trace, visible, numbers, queries, keys, word, lang), title=word["title"])
    if numbers:
        data = {"visible": visible, "scaled": trace.scaled, "queries": queries, "keys": keys}
        make_interactive(fig, "mask-composer", data)
    return fig


def runs(visible, labels: Sequence[str]) -> list[str]:
    """The labels of the visible positions, neighbours drawn together: `1–4`, `7`."""
    return [
        labels[start] if end - start == 1 else f"{labels[start]}–{labels[end - 1]}"
        for start, end in _stretches(visible)
    ]


def outline_visible(ax, table: Table, visible) -> None:
    """A heavy line around the visible cells: it shows the mask's shape without colour."""
    padded = np.pad(np.asarray(visible, dtype=bool), 1)
    width, height = table.cell_width, table.cell_height
    lines = []
    for i, edge in enumerate((padded[1:] != padded[:-1])[:, 1:-1]):
        y = table.y + i * height
        for start, end in _stretches(edge):
            lines.append([(table.x + start * width, y), (table.x + end * width, y)])
    for j, edge in enumerate((padded[:, 1:] != padded[:, :-1])[1:-1].T):
        x = table.x + j * width
        for start, end in _stretches(edge):
            lines.append([(x, table.y + start * height), (x, table.y + end * height)])
    outline = LineCollection(lines, colors=INK, linewidths=1.6, capstyle="projecting")
    outline.set_clip_on(False)
    ax.add_collection(outline, autolim=False)


def _stretches(flags) -> list[tuple[int, int]]:
    """Where `flags` is True without a break: (first, one past the last)."""
    change = np.flatnonzero(np.diff(np.concatenate([[0], flags, [0]])))
    return [(int(start), int(end)) for start, end in zip(change[::2], change[1::2], strict=True)]


def _legend(ax, y, word, visible_word: str) -> None:
    """Two cells and what they mean, centred under the grid."""
    side, gap = 11, 22
    keys = [
        (word[visible_word], {"fill": tint(BLUE, 0.35), "edge": INK}),
        (word["hidden"], {"fill": PANEL, "edge": GRID, "hatch": "////"}),
    ]
    texts = [write(ax, 0, y, text, ha="left", fontsize=SMALL) for text, _ in keys]
    widths = [side + 5 + end_of(text) for text in texts]
    x = (PAGE_WIDTH - sum(widths) - gap) / 2
    for text, width, (_, look) in zip(texts, widths, keys, strict=True):
        draw_table(ax, x, y - side / 2, [[""]], name="legend", cell=(side, side), **look)
        text.set_x(x + side + 5)
        x += width + gap


def _alt(trace: Trace, visible, numbers: bool, queries, keys, word, lang: str) -> str:
    weights = shares(trace.weights)
    rows = []
    for i, query in enumerate(queries):
        read = runs(visible[i], keys) if not numbers else [keys[j] for j in np.flatnonzero(visible[i])]
        kind = "empty_row" if not read else "weights_row" if numbers else "row"
        rows.append(
            word[kind].format(
                query=query,
                keys=listing(read, lang),
                weights=listing(weights[i][visible[i]], lang),
            )
        )
    n_query, n_key = visible.shape
    rows_text = word["between"].join(rows)
    rows_text = rows_text[0].upper() + rows_text[1:]
    return word["alt"].format(rows=n_query, columns=n_key, rows_text=rows_text)
