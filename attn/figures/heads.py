"""Heads cut out of one table, and put together again."""

import numpy as np

from ..heads import merge_heads, split_heads
from .alt import describe
from .canvas import PAGE_WIDTH, Table, arrow, canvas, draw_table, end_of, label_rows, panel, tint, write
from .numbers import decimal, listing, vector
from .style import BLUE, GREEN, INK_SOFT, ORANGE, PURPLE, SMALL, figure_function, words

MOST_HEADS, MOST_ROWS, MOST_COLUMNS = 4, 4, 8

_WORDS = {
    "zh": {
        "reshape_title": "拆成多头：转置不能少",
        "whole": "投影后的表",
        "right": "先拆列，再把头的轴换到前面",
        "trap": "只改形状：行被切断，头混在一起",
        "head": "头 {i}",
        "legend": "颜色与斜线：数原来属于哪个头",
        "reshape_alt": (
            "上面是 {shape} 的表，各行 {rows}，左起每 {d} 列属于一个头。"
            "中间是正确的拆法：{right}。下面只改形状：{trap}。同一个头里混进了别的头的数。"
        ),
        "head_rows": "头 {i} 的各行 {rows}",
        "between": "；",
        "concat_title": "拼接各头，再乘输出投影",
        "concatenated": "拼接",
        "output": "输出",
        "concat_alt": (
            "{h} 个头的输出，各 {head}，横向拼接成 {concat}，乘以 {w} 的输出投影 W_O，得到 {output}。"
            "第 1 行：拼接后 {concat_row}，输出 {output_row}。W_O 的各行按头着色。"
        ),
    },
    "en": {
        "reshape_title": "Splitting heads: the transpose is needed",
        "whole": "projected table",
        "right": "split the columns, then move the axis of heads first",
        "trap": "reshape alone: rows are cut, heads are mixed",
        "head": "head {i}",
        "legend": "colour and hatch: the head a number belongs to",
        "reshape_alt": (
            "Above, a table of {shape} with rows {rows}; each {d} columns from the left belong to one head. "
            "In the middle the right split: {right}. Below, a reshape alone: {trap}. Numbers of other "
            "heads have got into each head."
        ),
        "head_rows": "head {i} has rows {rows}",
        "between": "; ",
        "concat_title": "Heads concatenated and projected",
        "concatenated": "concatenated",
        "output": "output",
        "concat_alt": (
            "The outputs of {h} heads, {head} each, are put side by side, {concat}, and multiplied by the "
            "output projection W_O, {w}, which gives {output}. Row 1: concatenated {concat_row}, output "
            "{output_row}. Rows of W_O are coloured by head."
        ),
    },
}

HEAD_COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
HEAD_HATCHES = (None, "////", "\\\\\\\\", "....")
CELL_WIDTH, CELL_HEIGHT = 31.0, 19.0
LEFT = 30.0


@figure_function
def reshape_trap(x, n_heads: int, *, lang: str):
    """One table split into heads: rightly, and by a reshape without the transpose.

    Parameters
    ----------
    x : ``(n, n_heads * d)``, at most 4 rows and 8 columns; numbers that differ show
        most. A number keeps the colour of the head whose column it stood in.
    n_heads : 2 to 4.
    lang : ``"zh"`` or ``"en"``.

    Raises ValueError for another shape, or a number of heads that does not divide it.
    """
    word = words(_WORDS, lang)
    x = np.asarray(x, dtype=float)
    if x.ndim != 2 or not 1 <= len(x) <= MOST_ROWS or x.shape[1] > MOST_COLUMNS:
        raise ValueError(f"x: got shape {x.shape}; at most {MOST_ROWS} rows and {MOST_COLUMNS} columns fit")
    if not 2 <= n_heads <= MOST_HEADS or x.shape[1] % n_heads:
        raise ValueError(f"n_heads: got {n_heads}; 2 to {MOST_HEADS}, and a divisor of {x.shape[1]}, fits")
    n, width = x.shape
    d = width // n_heads
    owner = np.broadcast_to(np.arange(width) // d, x.shape)
    splits = {
        "right": (split_heads(x, n_heads), split_heads(owner, n_heads)),
        "trap": (x.reshape(n_heads, n, d), owner.reshape(n_heads, n, d)),
    }

    cell_width = min(44.0, 270 / width)
    table_height = n * CELL_HEIGHT
    block = 62 + table_height
    fig, ax = canvas(50 + table_height + 2 * block + 28)
    whole = _coloured(ax, LEFT, 44, x, owner, "whole", cell_width)
    write(ax, whole.x, 14, word["whole"], ha="left")
    for head in range(n_heads):
        middle = whole.x + (head + 0.5) * d * cell_width
        write(ax, middle, 33, word["head"].format(i=head + 1), fontsize=SMALL, color=INK_SOFT)
    for number, (name, (values, owners)) in enumerate(splits.items()):
        top = 50 + table_height + number * block
        write(ax, LEFT, top + 18, word[name], ha="left")
        gap = min(26.0, (PAGE_WIDTH - 2 * LEFT - width * cell_width) / n_heads)
        pitch = d * cell_width + gap
        for head in range(n_heads):
            x_left = LEFT + head * pitch
            _coloured(ax, x_left, top + 50, values[head], owners[head], f"{name} {head}", cell_width)
            label = word["head"].format(i=head + 1)
            write(ax, x_left + d * cell_width / 2, top + 39, label, fontsize=SMALL, color=INK_SOFT)
    write(ax, LEFT, 50 + table_height + 2 * block + 10, word["legend"], ha="left", fontsize=SMALL, color=INK_SOFT)

    texts = {
        name: word["between"].join(
            word["head_rows"].format(i=head + 1, rows=listing(map(vector, values[head]), lang))
            for head in range(n_heads)
        )
        for name, (values, _) in splits.items()
    }
    describe(
        fig,
        word["reshape_alt"].format(shape=f"{n}×{width}", rows=listing(map(vector, x), lang), d=d, **texts),
        title=word["reshape_title"],
    )
    return fig


@figure_function
def concatenated_heads(heads, w_o, *, lang: str):
    """Outputs of the heads, side by side, times the output projection.

    Parameters
    ----------
    heads : ``(n_heads, n, d_v)``, the outputs of 2 to 4 heads; at most 4 rows.
    w_o : ``(n_heads * d_v, d_model)``; ``n_heads * d_v + 2 * d_model`` is at most 8.
    lang : ``"zh"`` or ``"en"``.

    Raises ValueError for shapes that do not fit each other or the page.
    """
    word = words(_WORDS, lang)
    heads, w_o = np.asarray(heads, dtype=float), np.asarray(w_o, dtype=float)
    if heads.ndim != 3 or not 2 <= len(heads) <= MOST_HEADS or heads.shape[1] > MOST_ROWS:
        raise ValueError(f"heads: got shape {heads.shape}; (heads, n, d_v) with 2 to {MOST_HEADS} heads, n ≤ {MOST_ROWS} fits")
    n_heads, n, d_v = heads.shape
    width = n_heads * d_v
    if w_o.ndim != 2 or len(w_o) != width:
        raise ValueError(f"w_o: got shape {w_o.shape}; ({width}, d_model) fits heads of shape {heads.shape}")
    if width + 2 * w_o.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"heads, w_o: got {width} columns concatenated and {w_o.shape[1]} in w_o; "
            f"at most {MOST_COLUMNS} of the first and twice the second fit the page"
        )
    concatenated = merge_heads(heads)
    output = concatenated @ w_o
    owner = np.broadcast_to(np.arange(width) // d_v, concatenated.shape)
    fig = _draw_concatenated(heads, concatenated, owner, w_o, output, word)
    describe(
        fig,
        word["concat_alt"].format(
            h=n_heads,
            head=f"{n}×{d_v}",
            concat=f"{n}×{width}",
            w=f"{width}×{w_o.shape[1]}",
            output=f"{n}×{w_o.shape[1]}",
            concat_row=vector(concatenated[0]),
            output_row=vector(output[0]),
        ),
        title=word["concat_title"],
    )
    return fig


def _draw_concatenated(heads, concatenated, owner, w_o, output, word):
    n_heads, n, d_v = heads.shape
    height = n * CELL_HEIGHT
    left, gap = 24.0, 24.0
    head_top = 44.0
    product_top = head_top + height + 68
    fig, ax = canvas(product_top + max(height, len(w_o) * CELL_HEIGHT) + 10)

    concat = _coloured(ax, left, product_top, concatenated, owner, "concatenated")
    label_rows(ax, concat, [str(i + 1) for i in range(n)], color=INK_SOFT, fontsize=SMALL)
    concat_end = _name(ax, concat, word["concatenated"], concatenated)
    pitch = max(d_v * CELL_WIDTH + gap, 74.0)
    for head in range(n_heads):
        x = left + head * pitch
        table = _coloured(ax, x, head_top, heads[head], np.full((n, d_v), head), f"head {head}")
        _name(ax, table, word["head"].format(i=head + 1), heads[head])
        end = concat.x + (head + 0.5) * d_v * CELL_WIDTH
        arrow(ax, (table.middle, table.bottom + 4), (end, product_top - 26))

    # The rows of W_O stand where the columns they multiply send them: same colours.
    w_owner = np.repeat(np.arange(n_heads), d_v)[:, None] + np.zeros(w_o.shape, dtype=int)
    projection = _coloured(ax, concat_end + gap, product_top, w_o, w_owner, "w_o")
    projection_end = _name(ax, projection, "$W_O$", w_o)
    result = draw_table(
        ax,
        projection_end + gap,
        product_top,
        _texts(output),
        name="output",
        cell=(CELL_WIDTH, CELL_HEIGHT),
        fill=tint(INK_SOFT),
        edge=INK_SOFT,
        fontsize=SMALL,
    )
    _name(ax, result, word["output"], output)
    for before, after, sign in ((concat, projection, "×"), (projection, result, "=")):
        write(ax, (before.right + after.x) / 2, concat.y + height / 2, sign)
    return fig


def _texts(values) -> list[list[str]]:
    return [[decimal(value) for value in row] for row in values]


def _coloured(ax, x, y, values, owner, name: str, cell_width: float = CELL_WIDTH) -> Table:
    """A table whose cells wear the colour and the hatch of the head they belong to."""

    def colour(i, j):
        return HEAD_COLOURS[int(owner[i, j])]

    # Fill and hatch are two layers: see hatching.hatch_over.
    layer = {"cell": (cell_width, CELL_HEIGHT), "fontsize": SMALL}
    blank = np.full(np.shape(values), "")
    draw_table(ax, x, y, blank, name=f"fill of {name}", fill=lambda i, j: tint(colour(i, j), 0.22), edge="none", **layer)
    draw_table(
        ax,
        x,
        y,
        blank,
        name=f"hatch of {name}",
        fill="none",
        edge=lambda i, j: tint(colour(i, j), 0.4),
        hatch=lambda i, j: HEAD_HATCHES[int(owner[i, j])],
        **layer,
    )
    return draw_table(ax, x, y, _texts(values), name=name, fill="none", edge=colour, **layer)


def _name(ax, table: Table, text: str, values) -> float:
    """Name and shape above a table; returns where the wider of heading and table ends."""
    label = write(ax, table.x, table.y - 12, text, ha="left")
    rows, columns = np.shape(values)
    shape = write(
        ax, end_of(label) + 5, table.y - 12, f"{rows}×{columns}", ha="left", fontsize=SMALL, color=INK_SOFT
    )
    # A heading may reach over half of the gap to the next table, not more.
    return max(table.right, end_of(shape) - 12)
