"""Similarity has no direction; scores of queries and keys do."""

from collections.abc import Sequence

import numpy as np

from .alt import describe
from .canvas import PAGE_WIDTH, canvas, draw_table, frame_cell, label_columns, label_rows, signed_shade, write
from .interactive import make_interactive
from .labels import position_labels
from .numbers import decimal, listing
from .origin import other_sentence
from .style import GRID, INK_SOFT, SMALL, figure_function, words

MOST_POSITIONS = 7

_WORDS = {
    "zh": {
        "title": "相似度与得分",
        "similarity": r"相似度 $XX^\top$",
        "scores": r"得分 $QK^\top$：一行是一个位置在问",
        "query": "查询 ↓",
        "key": "键 →",
        "same": "{i} 与 {j}：两个方向都是 {one}",
        "two": "{i} 问 {j}：{one}　　{j} 问 {i}：{other}",
        "alt": (
            "上下两张 {n}×{n} 的表，行与列都是位置，依次是 {labels}。"
            "上表是相似度：{i} 与 {j} 一格是 {sim_one}，反过来是 {sim_other}。"
            "下表是得分，行是查询，列是键：{i} 问 {j} 得 {one}，{j} 问 {i} 得 {other}。"
        ),
    },
    "en": {
        "title": "Similarity and scores",
        "similarity": r"similarity $XX^\top$",
        "scores": r"scores $QK^\top$: each row is one position asking",
        "query": "query ↓",
        "key": "key →",
        "same": "{i} and {j}: {one} in both directions",
        "two": "{i} asks {j}: {one}      {j} asks {i}: {other}",
        "alt": (
            "Two {n} by {n} tables, one above the other; rows and columns are positions, in the order "
            "{labels}. Above, similarity: {sim_one} for {i} and {j}, {sim_other} the other way round. "
            "Below, scores, rows are queries and columns keys: {i} asks {j} gives {one}, "
            "{j} asks {i} gives {other}."
        ),
    },
}

CELL_HEIGHT = 19
# Where headings start at the latest: they are longer than a table of two columns.
LEFTMOST = 74.0


@figure_function
def similarity_and_scores(similarity, scores, pair: tuple[int, int], *, lang: str, labels: Sequence[str] | None = None):
    """The same pair of positions in two tables: one symmetric, one with a direction.

    Parameters
    ----------
    similarity : ``(n, n)``, the dot products of the inputs with each other.
    scores : ``(n, n)``, the dot products of queries (rows) and keys (columns);
        n is at most 7.
    pair : two positions, counted from 0; their cells are outlined.
    lang : ``"zh"`` or ``"en"``.
    labels : names of the positions; 1, 2, 3, … if not given.

    Raises ValueError for other shapes, a pair out of range or of one position twice.

    >>> from attn import figures, lessons
    >>> lesson = lessons.addition()
    >>> fig = figures.similarity_and_scores(
    ...     lesson.x @ lesson.x.T, lesson.trace().scores, (3, 1), lang="en", labels=lesson.labels("en")
    ... )
    """
    word = words(_WORDS, lang)
    similarity, scores = np.asarray(similarity, dtype=float), np.asarray(scores, dtype=float)
    n = len(scores)
    for name, table in (("similarity", similarity), ("scores", scores)):
        if table.shape != (n, n) or not 2 <= n <= MOST_POSITIONS:
            raise ValueError(
                f"{name}: got shape {table.shape}; both tables (n, n) with n from 2 to {MOST_POSITIONS} fit"
            )
    i, j = pair
    if i == j or not (0 <= i < n and 0 <= j < n):
        raise ValueError(f"pair: got {pair}; two different positions from 0 to {n - 1} fit")
    labels = position_labels("labels", labels, n)

    below = n * CELL_HEIGHT + 36
    first, second = 44, 44 + below + 58
    fig, ax = canvas(second + below - 8)
    _labelled(ax, first, "similarity", similarity, (i, j), labels, word)
    _labelled(ax, second, "scores", scores, (i, j), labels, word)
    facts = {
        "i": labels[i],
        "j": labels[j],
        "one": decimal(scores[i, j], trim=False),
        "other": decimal(scores[j, i], trim=False),
        "sim_one": decimal(similarity[i, j], trim=False),
        "sim_other": decimal(similarity[j, i], trim=False),
    }
    describe(fig, word["alt"].format(n=n, labels=listing(labels, lang), **facts), title=word["title"])
    make_interactive(fig, "two-directions", _interactive_data(similarity, scores, (i, j), labels, lang))
    return fig


def _interactive_data(similarity, scores, pair, labels, lang: str) -> dict:
    """The tables, and those of the other sentence where they are the addition example's."""
    sentences = [{"labels": labels, "similarity": similarity, "scores": scores}]
    if (other := other_sentence(similarity, scores)) is not None:
        tables = {"similarity": other.x @ other.x.T, "scores": other.trace().scores}
        sentences.append({"labels": other.labels(lang), **tables})
    return {"sentences": sentences, "pair": pair}


def signed_table(ax, top, name, values):
    """Numbers of every pair of positions, centred under their labels, shaded by sign and size."""
    n = len(values)
    largest = np.abs(values).max()
    width = min(44.0, 270 / n)
    return draw_table(
        ax,
        (PAGE_WIDTH - n * width) / 2 + 26,
        top,
        [[decimal(value, trim=False) for value in row] for row in values],
        name=name,
        cell=(width, CELL_HEIGHT),
        fill=lambda r, c: signed_shade(values[r, c], largest),
        edge=GRID,
        fontsize=SMALL,
    )


def _labelled(ax, top, name, values, pair, labels, word) -> None:
    table = signed_table(ax, top, name, values)
    start = min(table.x, LEFTMOST)
    write(ax, start, top - (30 if name == "similarity" else 44), word[name], ha="left")
    if name == "scores":
        write(ax, table.right, table.y - 26, word["key"], ha="right", color=INK_SOFT, fontsize=SMALL)
        write(ax, table.x - 8, table.y - 10, word["query"], ha="right", color=INK_SOFT, fontsize=SMALL)
    label_columns(ax, table, labels, fontsize=SMALL)
    label_rows(ax, table, labels, fontsize=SMALL)
    i, j = pair
    frame_cell(ax, table, i, j)
    frame_cell(ax, table, j, i)
    one, other = decimal(values[i, j], trim=False), decimal(values[j, i], trim=False)
    sentence = word["same" if one == other else "two"]
    text = sentence.format(i=labels[i], j=labels[j], one=one, other=other)
    write(ax, start, table.bottom + 16, text, ha="left", gid=f"sentence {name}")
