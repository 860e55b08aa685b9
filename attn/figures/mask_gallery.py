"""Several masks side by side, as grids of queries and the positions they read."""

from collections.abc import Mapping

import numpy as np

from .alt import describe
from .canvas import PAGE_WIDTH, canvas, draw_table, tint, write
from .interactive import make_interactive
from .masks import outline_visible, runs
from .numbers import listing
from .style import BLUE, GRID, INK_SOFT, PANEL, SMALL, figure_function, words

MOST_MASKS, MOST_POSITIONS = 6, 12
COMPOSED = {"causal", "padding", "window", "cross", "end", "start"}  # what the mask composer starts from

_WORDS = {
    "zh": {
        "title": "几种掩码",
        "full": "全部可见",
        "causal": "因果",
        "padding": "填充",
        "window": "窗口",
        "cross": "交叉注意力",
        "end": "因果，末端对齐",
        "start": "因果，起点对齐",
        "rows": "行 = 查询，列 = 被读的位置，斜线 = 不可见",
        "alt": "几张掩码网格，行是查询，列是被读的位置，不可见的格子画斜线。{masks}。",
        "mask": "{name}（{rows}×{columns}）：{reads}",
        "read": "{query} 读 {keys}",
        "nothing": "{query} 什么也不读",
        "same": "每行都读 {keys}",
        "between": "，",
        "between_masks": "；",
    },
    "en": {
        "title": "Kinds of mask",
        "full": "all visible",
        "causal": "causal",
        "padding": "padding",
        "window": "window",
        "cross": "cross-attention",
        "end": "causal, aligned at the end",
        "start": "causal, aligned at the start",
        "rows": "rows = queries, columns = positions read, hatched = hidden",
        "alt": (
            "Mask grids; rows are queries, columns the positions read, hidden cells are hatched. {masks}."
        ),
        "mask": "{name} ({rows} by {columns}): {reads}",
        "read": "{query} reads {keys}",
        "nothing": "{query} reads nothing",
        "same": "every row reads {keys}",
        "between": ", ",
        "between_masks": "; ",
    },
}


@figure_function
def mask_gallery(masks: Mapping[str, np.ndarray], *, lang: str):
    """Up to six masks, two in a row, in the order given.

    Parameters
    ----------
    masks : for each name a boolean table ``(n_query, n_key)``, True = may be read, at
        most 12 × 12. The names "full", "causal", "padding", "window", "cross", "end"
        and "start" are written in the language of the figure; any other as it is.
    lang : ``"zh"`` or ``"en"``.

    Raises ValueError for other shapes or numbers, TypeError for a table that is not
    boolean.

    >>> from attn import causal_mask, figures, window_mask
    >>> masks = {"causal": causal_mask(6), "window": window_mask(6, left=2, right=0)}
    >>> fig = figures.mask_gallery(masks, lang="en")
    """
    word = words(_WORDS, lang)
    if not 1 <= len(masks) <= MOST_MASKS:
        raise ValueError(f"masks: got {len(masks)}; 1 to {MOST_MASKS} fit")
    tables = {name: _checked(name, mask) for name, mask in masks.items()}

    column_width, cell_space = 164.0, 132.0
    names = list(tables)
    lines = [names[i : i + 2] for i in range(0, len(names), 2)]
    side = {name: min(22.0, cell_space / max(tables[name].shape)) for name in names}
    heights = [44 + max(tables[name].shape[0] * side[name] for name in line) for line in lines]
    fig, ax = canvas(sum(heights) + 30)
    top = 0.0
    for line, height in zip(lines, heights, strict=True):
        for place, name in enumerate(line):
            mask = tables[name]
            rows, columns = mask.shape
            width = columns * side[name]
            middle = PAGE_WIDTH / 2 + (place - (len(line) - 1) / 2) * (column_width + 14)
            write(ax, middle, top + 16, word.get(name, name))
            table = draw_table(
                ax,
                middle - width / 2,
                top + 30,
                np.full(mask.shape, ""),
                name=name,
                cell=(side[name], side[name]),
                fill=lambda i, j, mask=mask: tint(BLUE, 0.45) if mask[i, j] else PANEL,
                edge=GRID,
                hatch=lambda i, j, mask=mask: None if mask[i, j] else "////",
            )
            outline_visible(ax, table, mask)
        top += height
    write(ax, PAGE_WIDTH / 2, top + 14, word["rows"], color=INK_SOFT, fontsize=SMALL)

    texts = [_alt(word.get(name, name), mask, word, lang) for name, mask in tables.items()]
    describe(fig, word["alt"].format(masks=word["between_masks"].join(texts)), title=word["title"])
    if set(tables) == COMPOSED:
        make_interactive(fig, "mask-composer", {"masks": tables}, form="gallery")
    return fig


def _checked(name: str, mask) -> np.ndarray:
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"masks[{name!r}]: got dtype {mask.dtype}; booleans fit, True = may be read")
    if mask.ndim != 2 or not all(1 <= n <= MOST_POSITIONS for n in mask.shape):
        raise ValueError(
            f"masks[{name!r}]: got shape {mask.shape}; a table of at most {MOST_POSITIONS} rows and columns fits"
        )
    return mask


def _alt(name: str, mask, word, lang: str) -> str:
    labels = [str(j + 1) for j in range(mask.shape[1])]
    if (mask == mask[0]).all() and mask[0].any() and len(mask) > 1:
        reads = word["same"].format(keys=listing(runs(mask[0], labels), lang))
    else:
        reads = word["between"].join(
            word["read" if row.any() else "nothing"].format(query=i + 1, keys=listing(runs(row, labels), lang))
            for i, row in enumerate(mask)
        )
    rows, columns = mask.shape
    return word["mask"].format(name=name, rows=rows, columns=columns, reads=reads)
