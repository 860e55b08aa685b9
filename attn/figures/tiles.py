"""The table of all pairs, and the blocks of it that a streaming pass visits."""

import numpy as np
from matplotlib.patches import Rectangle

from .alt import describe
from .canvas import PAGE_WIDTH, Table, canvas, end_of, tint, write
from .hatching import hatch_over
from .style import BLUE, GRID, INK, INK_SOFT, PANEL, PAPER, SMALL, figure_function, words

MOST_POSITIONS, MOST_BLOCKS = 64, 12

_WORDS = {
    "zh": {
        "title": "流式计算访问的块",
        "keys": "键 →",
        "queries": "查询 ↓",
        "full": "全部可见 {n}",
        "part": "部分可见 {n}",
        "skipped": "跳过 {n}",
        "summary": "访问 {visited} / {blocks} 块；可见 {visible} / {pairs} 对",
        "alt": (
            "{n_query}×{n_key} 的表，行是查询，列是键，切成 {n_blocks} 块，每块至多 {block}。"
            "按编号逐行访问 {visited} 块：{full} 块全部可见，{part} 块部分可见；"
            "另外 {skipped} 块没有可见的位置，跳过。{pairs} 对里 {visible} 对可见。"
        ),
    },
    "en": {
        "title": "Blocks that a streaming pass visits",
        "keys": "keys →",
        "queries": "queries ↓",
        "full": "all visible: {n}",
        "part": "partly: {n}",
        "skipped": "skipped: {n}",
        "summary": "{visited} of {blocks} blocks visited; {visible} of {pairs} pairs visible",
        "alt": (
            "A {n_query}×{n_key} table, rows are queries and columns keys, cut into {n_blocks} blocks of at most "
            "{block}. {visited} blocks are visited, row by row as numbered: {full} all visible, {part} partly; "
            "{skipped} hold nothing visible and are skipped. {visible} of {pairs} pairs are visible."
        ),
    },
}

GRID_SIZE, TOP, LEFT = 280.0, 40.0, 64.0


@figure_function
def streaming_tiles(visible, block, *, lang: str):
    """Every block of the table of pairs: visited in the order of its number, or skipped.

    Parameters
    ----------
    visible : booleans ``(n_q, n_k)``, True = may be read; 1 to 64 of each.
    block : positions in a block, or a pair: queries, keys. At most 12 blocks a side;
        the last ones may be smaller.
    lang : ``"zh"`` or ``"en"``.

    A block with nothing visible is skipped; in one that is partly visible each pair
    shows whether it is.

    Raises TypeError for a mask that is not boolean, ValueError for other shapes.

    >>> from attn import causal_mask, figures
    >>> fig = figures.streaming_tiles(causal_mask(8), 2, lang="en")

    Examples
    --------
    >>> from attn import causal_mask, figures
    >>> fig = figures.streaming_tiles(causal_mask(16), 4, lang="en")
    """
    word = words(_WORDS, lang)
    visible = _mask(visible)
    sizes = _block_sizes(block, visible.shape)
    n_query, n_key = visible.shape
    rows, columns = (_cuts(n, size) for n, size in zip(visible.shape, sizes, strict=True))

    side = GRID_SIZE / max(n_query, n_key)
    fig, ax = canvas(TOP + n_query * side + 50)
    table = Table(LEFT, TOP, side, side, n_query, n_key)
    counts = {"full": 0, "part": 0, "skipped": 0}
    for i, query_rows in enumerate(rows):
        for j, key_columns in enumerate(columns):
            seen = visible[query_rows, key_columns]
            kind = "full" if seen.all() else "part" if seen.any() else "skipped"
            counts[kind] += 1
            number = None if kind == "skipped" else counts["full"] + counts["part"]
            _block(ax, table, query_rows, key_columns, seen, kind, number, f"block {i} {j}")
    _axes(ax, table, rows, columns, word)
    _legend(ax, table.bottom + 18, counts, word)
    numbers = _numbers(visible, sizes, counts)
    summary = word["summary"].format(**numbers)
    write(ax, PAGE_WIDTH / 2, table.bottom + 38, summary, fontsize=SMALL, gid="summary")
    describe(fig, word["alt"].format(**numbers), title=word["title"])
    return fig


def _mask(visible) -> np.ndarray:
    visible = np.asarray(visible)
    if visible.dtype != bool:
        raise TypeError(f"visible: got dtype {visible.dtype}; booleans, True = may be read, fit")
    if visible.ndim != 2 or not all(1 <= n <= MOST_POSITIONS for n in visible.shape):
        raise ValueError(
            f"visible: got shape {visible.shape}; one mask (n_q, n_k) of 1 to {MOST_POSITIONS} "
            "queries and keys fits"
        )
    return visible


def _block_sizes(block, shape) -> tuple[int, int]:
    sizes = np.broadcast_to(block, 2) if np.size(block) in (1, 2) else np.array([0, 0])
    fits = sizes.dtype.kind in "iu" and (sizes >= 1).all() and (np.ceil(shape / sizes) <= MOST_BLOCKS).all()
    if not fits:
        raise ValueError(
            f"block: got {block!r}; a positive integer, or two (queries, keys), that cut {shape} "
            f"into at most {MOST_BLOCKS} blocks a side fit"
        )
    return tuple(int(size) for size in sizes)


def _cuts(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _block(ax, table: Table, rows: slice, columns: slice, seen, kind, number, gid) -> None:
    x, y = table.x + columns.start * table.cell_width, table.y + rows.start * table.cell_height
    width = (columns.stop - columns.start) * table.cell_width
    height = (rows.stop - rows.start) * table.cell_height
    frame = Rectangle((x, y), width, height, gid=gid, **_look(kind))
    ax.add_patch(frame)
    if kind == "skipped":
        hatch_over(ax, [frame], "////", GRID)
    if kind == "part":
        _visible_cells(ax, x, y, table, seen)
    if number is not None:
        # The edge of the mask runs through most of these: it stops short of the number.
        disc = {"boxstyle": "circle,pad=0.2", "facecolor": PAPER, "edgecolor": "none"} if kind == "part" else None
        write(ax, x + width / 2, y + height / 2, str(number), bbox=disc, gid=gid)


def _look(kind: str) -> dict:
    return {
        "full": {"facecolor": tint(BLUE, 0.5), "edgecolor": INK, "linewidth": 1},
        "part": {"facecolor": "none", "edgecolor": INK, "linewidth": 1, "zorder": 2},
        "skipped": {"facecolor": PANEL, "edgecolor": GRID},
    }[kind]


def _visible_cells(ax, x, y, table: Table, seen) -> None:
    """The visible pairs of a block, each row's neighbours as one shape."""
    for i, row in enumerate(seen):
        edges = np.flatnonzero(np.diff(np.pad(row.astype(int), 1)))
        for start, stop in edges.reshape(-1, 2):
            ax.add_patch(
                Rectangle(
                    (x + start * table.cell_width, y + i * table.cell_height),
                    (stop - start) * table.cell_width,
                    table.cell_height,
                    facecolor=tint(BLUE, 0.2),
                    edgecolor=BLUE,
                    linewidth=0.6,
                    gid="visible pairs",
                )
            )


def _axes(ax, table: Table, rows, columns, word) -> None:
    """Which positions each row and column of blocks holds."""
    write(ax, table.middle, 12, word["keys"], color=INK_SOFT, fontsize=SMALL)
    write(ax, table.x - 8, TOP - 11, word["queries"], ha="right", color=INK_SOFT, fontsize=SMALL)
    wide = (columns[0].stop - columns[0].start) * table.cell_width
    for cut in columns:
        middle = table.x + (cut.start + cut.stop) / 2 * table.cell_width
        write(ax, middle, TOP - 11, _positions(cut, wide), color=INK_SOFT, fontsize=SMALL)
    for cut in rows:
        middle = table.y + (cut.start + cut.stop) / 2 * table.cell_height
        write(ax, table.x - 8, middle, _positions(cut, 99), ha="right", color=INK_SOFT, fontsize=SMALL)


def _positions(cut: slice, width: float) -> str:
    """`5–8`, or where that is too wide only the first."""
    if cut.stop - cut.start == 1 or width < 34:
        return str(cut.start + 1)
    return f"{cut.start + 1}–{cut.stop}"


def _legend(ax, y, counts: dict[str, int], word) -> None:
    side, gap = 12, 20
    entries = []
    for kind in ("full", "part", "skipped"):
        text = write(ax, 0, y, word[kind].format(n=counts[kind]), ha="left", fontsize=SMALL, gid=f"count {kind}")
        entries.append((kind, text, side + 5 + end_of(text)))
    x = (PAGE_WIDTH - sum(width for _, _, width in entries) - 2 * gap) / 2
    for kind, text, width in entries:
        box = Rectangle((x, y - side / 2), side, side, **_look(kind))
        ax.add_patch(box)
        if kind == "part":
            half = Table(x, y - side / 2, side / 2, side / 2, 2, 2)
            _visible_cells(ax, x, y - side / 2, half, np.tri(2, dtype=bool))
        if kind == "skipped":
            hatch_over(ax, [box], "////", GRID)
        text.set_x(x + side + 5)
        x += width + gap


def _numbers(visible, sizes, counts: dict[str, int]) -> dict:
    return {
        **counts,
        "n_query": visible.shape[0],
        "n_key": visible.shape[1],
        "block": f"{sizes[0]}×{sizes[1]}",
        "n_blocks": sum(counts.values()),
        "blocks": sum(counts.values()),
        "visited": counts["full"] + counts["part"],
        "visible": int(visible.sum()),
        "pairs": visible.size,
    }
