"""The whole of one attention run as four tables, top to bottom."""

from collections.abc import Sequence

import numpy as np

from ..core import Trace
from .alt import describe
from .canvas import PAGE_WIDTH, canvas, draw_table, frame_row, label_columns, label_rows, shade, signed_shade, write
from .interactive import make_interactive
from .labels import position_labels
from .numbers import decimal, listing, vector
from .origin import lesson_of
from .style import GRID, INK_SOFT, SMALL, figure_function, words

MOST_ROWS, MOST_COLUMNS = 7, 8

_WORDS = {
    "zh": {
        "title": "一次注意力计算的四张表",
        "scores": r"得分 $QK^\top$",
        "scaled": r"缩放后的得分",
        "weights": "权重（%）",
        "output": "输出：权重 × 值",
        "alt": (
            "自上而下四张表：得分 {scores}、缩放后的得分 {scores}、权重 {scores}、输出 {output}，"
            "行是查询（{labels}）。{reader} 这一行：得分 {row_scores}；缩放后 {row_scaled}；"
            "权重 {row_weights}；输出 {row_output}。"
        ),
    },
    "en": {
        "title": "One run of attention in four tables",
        "scores": r"scores $QK^\top$",
        "scaled": r"scaled scores",
        "weights": "weights (%)",
        "output": "output: weights × values",
        "alt": (
            "Four tables, top to bottom: scores {scores}, scaled scores {scores}, weights {scores}, "
            "output {output}; rows are queries ({labels}). The row of {reader}: scores {row_scores}; "
            "scaled {row_scaled}; weights {row_weights}; output {row_output}."
        ),
    },
}

CELL_HEIGHT, LEFT, HEADING = 18, 44, 46


@figure_function
def attention_tables(trace: Trace, *, lang: str, labels: Sequence[str] | None = None, row: int = -1):
    """Scores, scaled scores, weights in per cent, output; one row framed in all four.

    Parameters
    ----------
    trace : the steps of one head reading its own positions, at most 7, output at
        most 8 wide.
    lang : ``"zh"`` or ``"en"``.
    labels : names of the positions; 1, 2, 3, … if not given.
    row : the row to frame, counted from 0; -1 is the last.

    Raises ValueError for other shapes, or a row out of range.

    >>> from attn import figures, lessons
    >>> lesson = lessons.addition()
    >>> fig = figures.attention_tables(lesson.trace(), lang="en", labels=lesson.labels("en"), row=3)
    """
    word = words(_WORDS, lang)
    shape, width = trace.weights.shape, trace.output.shape[-1]
    if len(shape) != 2 or shape[0] != shape[1] or not 1 <= shape[0] <= MOST_ROWS or width > MOST_COLUMNS:
        raise ValueError(
            f"trace: got weights {shape} and output {trace.output.shape}; one head of n ≤ {MOST_ROWS} "
            f"positions with an output of at most {MOST_COLUMNS} columns fits"
        )
    n = shape[0]
    if not -n <= row < n:
        raise ValueError(f"row: got {row}; {-n} to {n - 1} fits")
    row %= n
    labels = position_labels("labels", labels, n)

    percent = 100 * trace.weights
    steps = {
        "scores": (_texts(trace.scores), _signed_fills(trace.scores)),
        "scaled": (_texts(trace.masked), _signed_fills(trace.masked)),
        "weights": (_texts(percent, 1), [[shade(w) for w in line] for line in trace.weights]),
        "output": (_texts(trace.output), _signed_fills(trace.output)),
    }
    block = HEADING + n * CELL_HEIGHT + 12
    fig, ax = canvas(len(steps) * block)
    for number, (name, (texts, fills)) in enumerate(steps.items()):
        columns = labels if name != "output" else [str(i + 1) for i in range(width)]
        top = number * block + HEADING
        table = draw_table(
            ax,
            LEFT,
            top,
            texts,
            name=name,
            cell=((PAGE_WIDTH - LEFT - 6) / len(columns), CELL_HEIGHT),
            fill=lambda i, j, fills=fills: fills[i][j],
            edge=GRID,
            fontsize=SMALL,
        )
        write(ax, LEFT, top - 28, f"{number + 1}  {word[name]}", ha="left")
        label_rows(ax, table, labels, fontsize=SMALL)
        label_columns(ax, table, columns, fontsize=SMALL, color=INK_SOFT)
        frame_row(ax, table, row)

    describe(
        fig,
        word["alt"].format(
            scores=f"{n}×{n}",
            output=f"{n}×{width}",
            labels=listing(labels, lang),
            reader=labels[row],
            row_scores=listing(steps["scores"][0][row], lang),
            row_scaled=listing(steps["scaled"][0][row], lang),
            row_weights=listing([f"{text}%" for text in steps["weights"][0][row]], lang),
            row_output=vector(trace.output[row]),
        ),
        title=word["title"],
    )
    lesson = lesson_of(trace)
    if lesson is not None and trace.visible is None:
        matrices = {"wq": lesson.w_q, "wk": lesson.w_k, "wv": lesson.w_v}
        data = {"labels": labels, "x": lesson.x, **matrices, "scale": trace.scale, "row": row}
        make_interactive(fig, "machine", data)
    return fig


def _texts(values, places: int = 2) -> list[list[str]]:
    return [[decimal(value, places, trim=False) for value in line] for line in values]


def _signed_fills(values) -> list[list]:
    """Blue above zero, orange below; a hidden score, minus infinity, stays empty."""
    finite = np.where(np.isfinite(values), values, 0)
    largest = np.abs(finite).max()
    return [[signed_shade(value, largest) for value in line] for line in finite]
