"""How one head turns its input into its output, with one row's numbers traced."""

import numpy as np

from ..core import Trace
from .alt import describe
from .canvas import Table, arrow, canvas, draw_table, end_of, frame_row, panel, shade, tint, write
from .interactive import make_interactive
from .numbers import decimal, listing, shares, vector
from .origin import lesson_of
from .style import BLUE, INK_SOFT, KEY, OUTPUT, QUERY, SMALL, VALUE, figure_function, words

MOST_ROWS, MOST_COLUMNS = 4, 3

_WORDS = {
    "zh": {
        "title": "一个头的数据流",
        "x": "输入",
        "q": "查询",
        "k": "键",
        "v": "值",
        "weights": "权重",
        "output": "输出",
        "mask": "掩码",
        "softmax": "逐行 softmax",
        "row": "第 {row} 行",
        "scaled": "缩放后",
        "score": "的得分",
        "sum": "加权求和",
        "alt": (
            "数据流图：输入 X（{x}）经三次投影成为查询 Q（{q}）、键 K（{k}）和值 V（{v}）；"
            "Q 与 K 的得分{scaling}{mask}，逐行 softmax 后得到 {w} 的权重表；V 另走一条路，"
            "到加权求和时才被读取，输出的形状是 {o}。"
            "第 {row} 行：缩放后的得分 {scores}，权重 {weights}，"
            "依次乘以 V 的各行 {values}，相加得到输出 {output}。"
        ),
        "masked": "，加上掩码",
    },
    "en": {
        "title": "Data flow of one head",
        "x": "input",
        "q": "queries",
        "k": "keys",
        "v": "values",
        "weights": "weights",
        "output": "output",
        "mask": "mask",
        "softmax": "softmax by row",
        "row": "row {row}",
        "scaled": "scaled",
        "score": "score",
        "sum": "weighted sum",
        "alt": (
            "Data-flow diagram: three projections turn the input X ({x}) into queries Q ({q}), "
            "keys K ({k}) and values V ({v}); the scores of Q and K, {scaling}{mask}, softmax by "
            "row, give a {w} table of weights; V goes its own way, is read only in the weighted "
            "sum, and the output is {o}. "
            "Row {row}: scaled scores {scores} become weights {weights}, which multiply the rows "
            "of V, {values}, and add up to the output {output}."
        ),
        "masked": ", masked",
    },
}

CELL = (28, 19)
# Where the columns of the figure stand; V's own path is one straight line down.
QUERY_X, KEY_X, VALUE_X = 64, 170, 300
JOIN_X = (QUERY_X + KEY_X) / 2


@figure_function
def data_flow(x, trace: Trace, *, lang: str, row: int = -1):
    """X → Q, K, V → weights → output of one head, with one row's numbers on the way.

    Parameters
    ----------
    x : ``(n, d_model)``, the input that was projected; at most 4 rows, 3 columns.
    trace : the steps of one head, as ``attn.SelfAttention.trace(x)`` returns them;
        its q, k and v have at most 4 rows and 3 columns too.
    row : the row to trace, counted from 0; -1 is the last.
    lang : ``"zh"`` or ``"en"``.

    Every number and shape is that of ``x`` and ``trace``; weights are written as
    fractions where all of them are exact.

    Raises ValueError for a larger table, several heads, a row out of range.

    >>> from attn import figures, lessons
    >>> lesson = lessons.three_positions()
    >>> fig = figures.data_flow(lesson.x, lesson.trace(), lang="en", row=2)
    """
    word = words(_WORDS, lang)
    x = np.asarray(x, dtype=float)
    _check_sizes(x, trace)
    n_query, n_key = trace.weights.shape
    if not -n_query <= row < n_query:
        raise ValueError(f"row: got {row}; {-n_query} to {n_query - 1} fits")
    row %= n_query

    cell_height = CELL[1]
    x_top = 22
    q_top = x_top + len(x) * cell_height + 62
    steps_top = q_top + max(n_query, n_key) * cell_height + 26
    weights_top = steps_top + 84
    output_top = weights_top + n_key * (cell_height + 3) + 62
    fig, ax = canvas(output_top + n_query * cell_height + 6)

    x_table = _table(ax, JOIN_X, x_top, x, "x", INK_SOFT, "X", word)
    q_table = _table(ax, QUERY_X, q_top, trace.q, "q", QUERY, "Q", word)
    k_table = _table(ax, KEY_X, q_top, trace.k, "k", KEY, "K", word)
    v_table = _table(ax, VALUE_X, q_top, trace.v, "v", VALUE, "V", word)
    _projections(ax, x_table, q_top)

    for table in (q_table, k_table):
        arrow(ax, (table.middle, table.bottom + 4), (table.middle, steps_top - 2))
    _steps(ax, steps_top, trace, word)
    weights_table = _weights(ax, weights_top, trace, row, word)
    arrow(ax, (JOIN_X, steps_top + 24), (JOIN_X, weights_top - 37))

    panel_top = _unrolled_row(ax, weights_top, weights_table, trace, row, word)
    arrow(ax, (VALUE_X, v_table.bottom + 4), (VALUE_X, panel_top - 2), colour=VALUE)

    output = _table(ax, VALUE_X, output_top, trace.output, "output", OUTPUT, "", word)
    for table in (x_table, q_table, output):
        frame_row(ax, table, row)
    describe(fig, _alt(x, trace, row, word, lang), title=word["title"])
    lesson = lesson_of(trace)
    if lesson is not None and trace.visible is None and np.array_equal(lesson.x, x):
        matrices = {"wq": lesson.w_q, "wk": lesson.w_k, "wv": lesson.w_v}
        make_interactive(fig, "cell-ledger", {"x": x, **matrices, "scale": trace.scale, "row": row})
    return fig


def _check_sizes(x, trace: Trace) -> None:
    tables = {"x": x, "trace.q": trace.q, "trace.k": trace.k, "trace.v": trace.v}
    for name, table in tables.items():
        if table.ndim != 2 or table.shape[0] > MOST_ROWS or table.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"{name}: got shape {table.shape}; one table of at most {MOST_ROWS} rows and "
                f"{MOST_COLUMNS} columns fits"
            )


def _table(ax, centre, top, values, name, colour, symbol, word) -> Table:
    drawn = draw_table(
        ax,
        centre - values.shape[1] * CELL[0] / 2,
        top,
        [[decimal(value) for value in line] for line in values],
        name=name,
        cell=CELL,
        fill=tint(colour),
        edge=colour,
        fontsize=SMALL,
    )
    _heading(ax, drawn.x, top - 11, symbol, word[name], values)
    return drawn


def _heading(ax, x, y, symbol, text, values) -> None:
    label = write(ax, x, y, rf"${symbol}\;${text}" if symbol else text, ha="left")
    write(ax, end_of(label) + 5, y, _shape(values), ha="left", color=INK_SOFT, fontsize=SMALL)


def _projections(ax, x_table: Table, q_top: float) -> None:
    """The three arrows out of X, each with its matrix."""
    arrival = q_top - 22
    start = x_table.bottom + 4
    for side, end, name in ((-1, QUERY_X, "W_Q"), (1, KEY_X, "W_K")):
        arrow(ax, (JOIN_X + side * 12, start), (end, arrival))
        write(ax, JOIN_X + side * 48, (start + arrival) / 2 - 4, f"${name}$", color=INK_SOFT)
    turn = (x_table.y + x_table.bottom) / 2
    arrow(ax, (x_table.right + 5, turn), (VALUE_X, arrival), bend="right-down")
    write(ax, (x_table.right + VALUE_X) / 2, turn - 10, "$W_V$", color=INK_SOFT)


def _steps(ax, top, trace: Trace, word) -> None:
    """What happens between Q, K and the weights, in one line."""
    steps = [r"$QK^\top$", _scaling(trace), word["softmax"]]
    if trace.visible is not None:
        steps.insert(2, word["mask"])
    left, width = 8, 2 * (JOIN_X - 8)
    panel(ax, left, top, width, 22)
    texts = [write(ax, 0, top + 11, step, ha="left", fontsize=SMALL) for step in steps]
    widths = [end_of(text) for text in texts]
    gap = (width - sum(widths)) / len(steps)
    x = left + gap / 2
    for text, text_width in zip(texts, widths, strict=True):
        text.set_x(x)
        x += text_width + gap
        if text is not texts[-1]:
            arrow(ax, (x - gap + 3, top + 11), (x - 3, top + 11), linewidth=1)


def _scaling(trace: Trace) -> str:
    """The scaling step, as the trace has it: `÷√d` or another factor."""
    width = trace.q.shape[1]
    if np.isclose(trace.scale, 1 / np.sqrt(width), rtol=1e-12):
        return rf"$\div\sqrt{{{width}}}$"
    return rf"$\times {trace.scale:.3g}$"


def _weights(ax, top, trace: Trace, row: int, word) -> Table:
    n_query, n_key = trace.weights.shape
    hidden = np.isneginf(trace.masked)
    texts = np.where(hidden, "", shares(trace.weights))
    table = draw_table(
        ax,
        JOIN_X - n_key * CELL[0] / 2,
        top,
        texts,
        name="weights",
        cell=CELL,
        fill=lambda i, j: shade(trace.weights[i, j]),
        edge=BLUE,
        hatch=lambda i, j: "////" if hidden[i, j] else None,
        fontsize=SMALL,
    )
    frame_row(ax, table, row)
    _heading(ax, table.x, top - 26, "", word["weights"], trace.weights)
    for i in range(n_query):
        write(ax, table.x - 11, table.row_y(i), f"$q_{i + 1}$", color=INK_SOFT)
    for j in range(n_key):
        write(ax, table.column_x(j), top - 9, f"$k_{j + 1}$", color=INK_SOFT)
    return table


def _unrolled_row(ax, top, weights_table: Table, trace: Trace, row: int, word) -> float:
    """One row of weights turned upright, each weight beside the value it multiplies."""
    n_key, value_width = trace.v.shape
    pitch = CELL[1] + 3
    value_x = VALUE_X - value_width * CELL[0] / 2
    times_x = value_x - 8
    weight_x = times_x - 8 - CELL[0]
    score_x = weight_x - 20
    left, right = score_x - 19, VALUE_X + value_width * CELL[0] / 2 + 20
    panel_top, bottom = top - 52, top + n_key * pitch + 2
    panel(ax, left, panel_top, right - left, bottom - panel_top)

    title = rf"{word['row'].format(row=row + 1)}  $q_{row + 1}$"
    write(ax, left + 8, panel_top + 13, title, ha="left")
    write(ax, score_x, top - 20, word["scaled"], color=INK_SOFT, fontsize=SMALL)
    heads = {score_x: "score", weight_x + CELL[0] / 2: "weights", VALUE_X: "v"}
    for x, name in heads.items():
        write(ax, x, top - 9, word[name], color=INK_SOFT, fontsize=SMALL)
    texts = shares(trace.weights)[row]
    for j in range(n_key):
        y = top + j * pitch
        middle = y + CELL[1] / 2
        score = decimal(trace.masked[row, j])
        write(ax, score_x, middle, score, fontsize=SMALL, gid=f"traced score {j}")
        one = {"cell": CELL, "fontsize": SMALL}
        fill = shade(trace.weights[row, j])
        draw_table(ax, weight_x, y, [[texts[j]]], name=f"traced weight {j}", fill=fill, edge=BLUE, **one)
        write(ax, times_x, middle, "×", color=INK_SOFT)
        value = [[decimal(number) for number in trace.v[j]]]
        draw_table(ax, value_x, y, value, name=f"traced value {j}", fill=tint(VALUE), edge=VALUE, **one)
        write(ax, right - 10, middle, f"$v_{j + 1}$", color=INK_SOFT)

    arrow(ax, (weights_table.right + 3, weights_table.row_y(row)), (left - 1, weights_table.row_y(row)))
    arrow(ax, (VALUE_X, bottom + 3), (VALUE_X, bottom + 33))
    write(ax, VALUE_X - 8, bottom + 15, word["sum"], ha="right", fontsize=SMALL)
    return panel_top


def _shape(values) -> str:
    rows, columns = np.shape(values)
    return f"{rows}×{columns}"


def _alt(x, trace: Trace, row: int, word, lang: str) -> str:
    width = trace.q.shape[1]
    usual = np.isclose(trace.scale, 1 / np.sqrt(width), rtol=1e-12)
    scaling = {
        "zh": f"除以 √{width}" if usual else f"乘以 {trace.scale:.3g}",
        "en": f"divided by √{width}" if usual else f"times {trace.scale:.3g}",
    }[lang]
    return word["alt"].format(
        x=_shape(x),
        q=_shape(trace.q),
        k=_shape(trace.k),
        v=_shape(trace.v),
        w=_shape(trace.weights),
        o=_shape(trace.output),
        scaling=scaling,
        mask="" if trace.visible is None else word["masked"],
        row=row + 1,
        scores=listing(map(decimal, trace.masked[row]), lang),
        weights=listing(shares(trace.weights)[row], lang),
        values=listing(map(vector, trace.v), lang),
        output=vector(trace.output[row]),
    )
