"""Mask before softmax, or after it: what becomes of one row of weights."""

from collections.abc import Sequence

import numpy as np

from ..core import Trace, softmax
from .alt import describe
from .canvas import canvas, draw_table, panel, shade, write
from .labels import position_labels
from .numbers import listing, shares
from .style import INK, INK_SOFT, PANEL, PAPER, figure_function, words

_WORDS = {
    "zh": {
        "title": "掩码与 softmax 的先后",
        "none": "不加掩码",
        "before": "先遮住，再 softmax",
        "after": "先 softmax，再删除",
        "renormalised": "删除后重新归一化",
        "sum": "总和 = {total}",
        "missing": "缺 {share}",
        "alt": "条形图，每条长 1，按位置 {labels} 分段，段长是权重。{rows}。",
        "row": "{name}：{weights}，总和 {total}",
        "between": "；",
    },
    "en": {
        "title": "Masking before or after softmax",
        "none": "no mask",
        "before": "hide, then softmax",
        "after": "softmax, then delete",
        "renormalised": "delete, then renormalise",
        "sum": "sum = {total}",
        "missing": "missing {share}",
        "alt": (
            "Bars of length 1, cut into segments for the positions {labels}; a segment is as long as its "
            "weight. {rows}."
        ),
        "row": "{name}: {weights}, sum {total}",
        "between": "; ",
    },
}

LEFT, LENGTH, BAR = 10.0, 340.0, 36.0
HEADING, PITCH = 28.0, 76.0
# A segment shorter than its texts is left blank; the alt text has its numbers.
NARROWEST = 26.0


@figure_function
def mask_order(trace: Trace, visible, *, lang: str, row: int = -1, labels: Sequence[str] | None = None):
    """One row of weights: unmasked; masked before softmax; after; after and renormalised.

    Parameters
    ----------
    trace : the steps of one head, without a mask, at most 8 keys.
    visible : booleans ``(n_query, n_key)``; True = may be read.
    lang : ``"zh"`` or ``"en"``.
    row : the row to draw, counted from 0; -1 is the last. It must see something.
    labels : names of the positions read; 1, 2, 3, … if not given.

    Raises ValueError for a trace with a mask, other shapes, a row out of range or one
    that sees nothing; TypeError for a mask that is not boolean.

    >>> from attn import causal_mask, figures, lessons
    >>> fig = figures.mask_order(lessons.three_positions().trace(), causal_mask(3), lang="en", row=1)
    """
    word = words(_WORDS, lang)
    visible = np.asarray(visible)
    shape = trace.weights.shape
    if len(shape) != 2 or shape[1] > 8:
        raise ValueError(f"trace: got weights of shape {shape}; one head of at most 8 keys fits")
    if trace.visible is not None:
        raise ValueError("trace: got one with a mask; the steps without a mask fit")
    if visible.dtype != bool:
        raise TypeError(f"visible: got dtype {visible.dtype}; booleans fit, True = may be read")
    if visible.shape != shape:
        raise ValueError(f"visible: got shape {visible.shape}; the shape of the weights, {shape}, fits")
    if not -shape[0] <= row < shape[0]:
        raise ValueError(f"row: got {row}; {-shape[0]} to {shape[0] - 1} fits")
    if not visible[row].any():
        raise ValueError(f"visible: row {row} sees nothing; a row with a visible position fits")
    marks = [f"$k_{j + 1}$" for j in range(shape[1])] if labels is None else labels
    labels = position_labels("labels", labels, shape[1])

    kept = np.where(visible[row], trace.weights[row], 0)
    ways = {
        "none": trace.weights[row],
        "before": softmax(trace.scaled[row], visible=visible[row]),
        "after": kept,
        "renormalised": kept / kept.sum(),
    }
    fig, ax = canvas(len(ways) * PITCH)
    facts = []
    for line, (name, weights) in enumerate(ways.items()):
        top = line * PITCH + HEADING
        total = shares([weights.sum()])[0]
        write(ax, LEFT, top - 13, word[name], ha="left")
        write(ax, LEFT + LENGTH, top - 13, word["sum"].format(total=total), ha="right", gid=f"sum {name}")
        _bar(ax, top, name, weights, marks, word)
        facts.append(word["row"].format(name=word[name], weights=listing(shares(weights), lang), total=total))
    describe(
        fig,
        word["alt"].format(labels=listing(labels, lang), rows=word["between"].join(facts)),
        title=word["title"],
    )
    return fig


def _bar(ax, top, name, weights, marks, word) -> None:
    """Segments end to end; what is missing to a whole is hatched."""
    texts = shares(weights)
    start = LEFT
    for j, weight in enumerate(weights):
        if weight == 0:
            continue
        length = LENGTH * weight
        cell = (length, BAR)
        draw_table(ax, start, top, [[""]], name=f"{name} {j}", cell=cell, fill=shade(weight), edge=INK)
        if length > NARROWEST:
            write(ax, start + length / 2, top + 11, marks[j])
            write(ax, start + length / 2, top + 25, texts[j], gid=f"weight {name} {j}")
        start += length
    missing = 1 - weights.sum()
    if not np.isclose(missing, 0):
        length = LENGTH * missing
        draw_table(
            ax, start, top, [[""]], name=f"{name} missing", cell=(length, BAR), fill=PANEL, edge=INK_SOFT, hatch="////"
        )
        if length > 2 * NARROWEST:
            text = word["missing"].format(share=shares([missing])[0])
            panel(ax, start + length / 2 - 34, top + 9, 68, 18, facecolor=PAPER)
            write(ax, start + length / 2, top + BAR / 2, text, gid=f"missing {name}")
