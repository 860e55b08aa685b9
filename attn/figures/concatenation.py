"""Heads side by side, and the output projection that mixes them."""

import numpy as np
from matplotlib.patches import Rectangle

from ..heads import MultiHeadTrace
from .alt import describe
from .canvas import PAGE_WIDTH, arrow, canvas, draw_table, end_of, frame_row, panel, tint, write
from .hatching import hatch_over
from .numbers import decimal, listing, vector
from .style import BLUE, GREEN, INK, INK_SOFT, ORANGE, OUTPUT, SMALL, figure_function, words

MOST_HEADS, MOST_ROWS, MOST_COLUMNS = 3, 4, 10

_WORDS = {
    "zh": {
        "title": "多个头的拼接与输出投影",
        "head": "头 {n}",
        "concatenated": "拼接",
        "output": "输出",
        "traced": "输出第 {row} 行第 1 列",
        "alt": (
            "示意图：{n_heads} 个头的输出（各 {head}）左右拼接成 {concatenated}，再乘以 W_O（{w_o}），得到 {output} 的输出。"
            "第 {row} 行：{heads} 拼成 {joined}，输出第 1 列是 {sum}，整行是 {result}。"
        ),
    },
    "en": {
        "title": "Heads concatenated and projected",
        "head": "head {n}",
        "concatenated": "concatenated",
        "output": "output",
        "traced": "output, row {row}, column 1",
        "alt": (
            "Diagram: the outputs of {n_heads} heads (each {head}) are put side by side into {concatenated}, and times "
            "W_O ({w_o}) this gives the {output} output. Row {row}: {heads} become {joined}; the first column of the "
            "output is {sum}, the whole row {result}."
        ),
    },
}

# A head's columns, and the rows of W_O that they meet, share a colour and a hatch.
HEAD_LOOKS = [(BLUE, "////"), (ORANGE, ""), (GREEN, "\\\\\\\\")]
CELL = (34.0, 20.0)
MARGIN, SIGN = 14.0, 26.0
HEADS_TOP = 24.0


@figure_function
def heads_joined(steps: MultiHeadTrace, w_o, *, lang: str, row: int = -1):
    """Outputs of the heads → concatenated → × W_O → output, with one sum written out.

    Parameters
    ----------
    steps : what `attn.MultiHeadAttention.trace(x)` returns for one sequence: 2 or 3
        heads, at most 4 rows.
    w_o : ``(n_heads * d_v, d_out)``, the layer's. Its rows and twice its columns are
        at most 10 together.
    lang : ``"zh"`` or ``"en"``.
    row : the row to trace, counted from 0; -1 is the last.

    Raises ValueError for more than fits, and for a w_o that does not give the output.

    >>> import numpy as np
    >>> from attn import MultiHeadAttention, figures
    >>> w = np.random.default_rng(0).normal(size=(3, 2, 4))
    >>> w_o = np.random.default_rng(1).normal(size=(4, 2))
    >>> layer = MultiHeadAttention(*w, w_o, n_heads=2)
    >>> fig = figures.heads_joined(layer.trace([[1, 0], [0, 1], [1, 1]]), w_o, lang="en")

    Examples
    --------
    >>> from attn import MultiHeadAttention, figures
    >>> w = [[1, 0, 0, 1], [0, 1, 1, 0]]
    >>> layer = MultiHeadAttention(w, w, w, [[1, 0], [0, 1], [0.5, 0], [0, -1]], n_heads=2)
    >>> steps = layer.trace([[1, 0], [0, 1], [1, 1]])
    >>> fig = figures.heads_joined(steps, layer.w_o, lang="en")
    """
    word = words(_WORDS, lang)
    w_o = np.asarray(w_o, dtype=float)
    row = _checked(steps, w_o, row)
    heads, joined, output = steps.heads.output, steps.concatenated, steps.output
    n_heads, n, width = heads.shape

    joined_top = HEADS_TOP + n * CELL[1] + 62
    tallest = max(n, len(w_o)) * CELL[1]
    panel_top = joined_top + tallest + 14
    fig, ax = canvas(panel_top + 30 + 18 * (n_heads + 1))
    columns = w_o.shape[0] + 2 * w_o.shape[1]
    cell = (min(CELL[0], (PAGE_WIDTH - 2 * MARGIN - 2 * SIGN) / columns), CELL[1])
    left = (PAGE_WIDTH - columns * cell[0] - 2 * SIGN) / 2

    def placed(rows):
        return joined_top + (tallest - rows * CELL[1]) / 2

    concatenated = _table(ax, left, placed(n), joined, "concatenated", cell, head_of_column=width)
    projection = _table(ax, concatenated.right + SIGN, placed(len(w_o)), w_o, "w_o", cell, head_of_row=width)
    result = _table(ax, projection.right + SIGN, placed(n), output, "output", cell)
    middle = joined_top + tallest / 2
    write(ax, concatenated.right + SIGN / 2, middle, "×", color=INK_SOFT)
    write(ax, projection.right + SIGN / 2, middle, "=", color=INK_SOFT)
    _heading(ax, concatenated, word["concatenated"], joined)
    _heading(ax, projection, "$W_O$", w_o)
    _heading(ax, result, word["output"], output)
    for h in range(n_heads):
        x = left + h * (width * cell[0] + 30)
        table = _table(ax, x, HEADS_TOP, heads[h], f"head {h}", cell, head=h)
        _heading(ax, table, word["head"].format(n=h + 1), heads[h])
        target = concatenated.x + (h + 0.5) * width * cell[0]
        arrow(ax, (table.middle, table.bottom + 4), (target, concatenated.y - 24))
        frame_row(ax, table, row)
    frame_row(ax, concatenated, row)
    for corner, height in (((projection.x, projection.y), len(w_o)), ((result.x, result.y + row * CELL[1]), 1)):
        ax.add_patch(Rectangle(corner, cell[0], height * CELL[1], fill=False, edgecolor=INK, linewidth=2))
    _sum(ax, panel_top, heads[:, row], w_o, output[row, 0], row, word)
    describe(fig, _alt(steps, w_o, row, word, lang), title=word["title"])
    return fig


def _checked(steps: MultiHeadTrace, w_o, row: int) -> int:
    heads = steps.heads.output
    if heads.ndim != 3 or not 2 <= heads.shape[0] <= MOST_HEADS or heads.shape[1] > MOST_ROWS:
        raise ValueError(
            f"steps: got heads of shape {heads.shape}; (n_heads, n, d_v) with 2 to {MOST_HEADS} heads and at "
            f"most {MOST_ROWS} rows fits"
        )
    n_heads, n, width = heads.shape
    if w_o.ndim != 2 or w_o.shape[0] != n_heads * width or w_o.shape[0] + 2 * w_o.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"w_o: got shape {w_o.shape}; {n_heads * width} rows, which with twice the columns make at most "
            f"{MOST_COLUMNS}, fit"
        )
    if steps.output.shape != (n, w_o.shape[1]) or not np.allclose(steps.concatenated @ w_o, steps.output):
        raise ValueError("w_o: got another matrix than the one that gave steps.output; that layer's w_o fits")
    if not -n <= row < n:
        raise ValueError(f"row: got {row}; {-n} to {n - 1} fits")
    return row % n


def _table(ax, x, y, values, name, cell, *, head=None, head_of_row=None, head_of_column=None):
    """A table of numbers; its cells look like the head they belong to, or like output."""

    def owner(i, j):
        if head_of_row or head_of_column:
            return i // head_of_row if head_of_row else j // head_of_column
        return head

    def colour(i, j):
        return OUTPUT if owner(i, j) is None else HEAD_LOOKS[owner(i, j)][0]

    table = draw_table(
        ax,
        x,
        y,
        [[decimal(value) for value in row] for row in values],
        name=name,
        cell=cell,
        fill=lambda i, j: tint(colour(i, j), 0.2),
        edge=colour,
        fontsize=SMALL,
    )
    for i in range(table.rows):
        for j in range(table.columns):
            if owner(i, j) is not None and HEAD_LOOKS[owner(i, j)][1]:
                corner = (x + j * cell[0], y + i * cell[1])
                box = Rectangle(corner, *cell)
                hatch_over(ax, [box], HEAD_LOOKS[owner(i, j)][1], tint(colour(i, j), 0.45))
    return table


def _heading(ax, table, text: str, values) -> None:
    label = write(ax, table.x, table.y - 11, text, ha="left", fontsize=SMALL)
    shape = "×".join(map(str, values.shape))
    write(ax, end_of(label) + 5, table.y - 11, shape, ha="left", color=INK_SOFT, fontsize=SMALL)


def _sum(ax, top, parts, w_o, total: float, row: int, word) -> None:
    """One number of the output as what each head contributes to it."""
    n_heads, width = parts.shape
    panel(ax, 0, top, PAGE_WIDTH, 30 + 18 * (n_heads + 1))
    write(ax, 10, top + 13, word["traced"].format(row=row + 1), ha="left")
    y = top + 35
    contributions = []
    for h in range(n_heads):
        write(ax, 10, y, word["head"].format(n=h + 1), ha="left", color=INK_SOFT, fontsize=SMALL)
        column = w_o[h * width : (h + 1) * width, 0]
        products = [f"{_number(value)} × {_number(factor)}" for value, factor in zip(parts[h], column, strict=True)]
        contributions.append(parts[h] @ column)
        text = f"{' + '.join(products)} = {decimal(contributions[-1], 3)}"
        write(ax, 60, y, text, ha="left", fontsize=SMALL, gid=f"part {h}")
        y += 18
    text = f"{' + '.join(map(_number, contributions))} = {decimal(total, 3)}"
    write(ax, 60, y, text, ha="left", fontsize=SMALL, gid="sum")


def _number(value: float) -> str:
    """A number among signs: a negative one in brackets."""
    text = decimal(value, 3)
    return f"({text})" if text.startswith("−") else text


def _alt(steps: MultiHeadTrace, w_o, row: int, word, lang: str) -> str:
    heads = steps.heads.output

    def shape(values):
        return "×".join(map(str, np.shape(values)))

    return word["alt"].format(
        n_heads=len(heads),
        head=shape(heads[0]),
        concatenated=shape(steps.concatenated),
        w_o=shape(w_o),
        output=shape(steps.output),
        row=row + 1,
        heads=listing([vector(head[row]) for head in heads], lang),
        joined=vector(steps.concatenated[row]),
        sum=decimal(steps.output[row, 0], 3),
        result=vector(steps.output[row], 3),
    )
