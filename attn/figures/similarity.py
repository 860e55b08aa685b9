"""Which similarities another sentence leaves as they were."""

from collections.abc import Sequence

import numpy as np

from .alt import describe
from .canvas import canvas, label_columns, label_rows, write
from .interactive import make_interactive
from .labels import position_labels
from .numbers import decimal, listing
from .scores import CELL_HEIGHT, LEFTMOST, signed_table
from .style import INK, SMALL, figure_function, words

MOST_POSITIONS = 7
# The same number, computed among other rows.
SAME = 1e-9

_WORDS = {
    "zh": {
        "title": "换一句，哪些会变",
        "table": "相似度 $XX^\\top$：{sentence}",
        "kept": "打了下划线的，两句里相同：{all} 格里的 {kept} 格",
        "alt": (
            "上下两张 {n}×{n} 的相似度表，一句一张，行与列都是位置：上面是 {one}，下面是 {other}。"
            "两张表里相同的有 {kept} 格：{cells}。"
        ),
        "cell": "{i} 与 {j} {number}",
    },
    "en": {
        "title": "What another sentence leaves",
        "table": "similarity $XX^\\top$: {sentence}",
        "kept": "underlined: the same in both sentences, {kept} cells of {all}",
        "alt": (
            "Two {n} by {n} tables of similarities, one for each sentence; rows and columns are positions, "
            "above {one}, below {other}. The same in both are {kept} cells: {cells}."
        ),
        "cell": "{i} and {j} {number}",
    },
}


@figure_function
def similarity_in_two_sentences(similarities, *, labels: Sequence[Sequence[str]], pair: tuple[int, int], lang: str):
    """The similarity tables of two sentences; what both share is underlined.

    Parameters
    ----------
    similarities : two ``(n, n)`` tables, the dot products of a sentence's inputs with each
        other; n is at most 7.
    labels : the names of the positions of each sentence.
    pair : two positions, counted from 0, that the interactive figure starts with.
    lang : ``"zh"`` or ``"en"``.

    Raises ValueError for other shapes, a pair out of range, or other numbers of labels.

    >>> from attn import figures, lessons
    >>> both = [lessons.addition(sentence=sentence) for sentence in (1, 2)]
    >>> fig = figures.similarity_in_two_sentences(
    ...     [one.x @ one.x.T for one in both], labels=[one.labels("en") for one in both], pair=(3, 4), lang="en"
    ... )
    """
    word = words(_WORDS, lang)
    tables = [np.asarray(table, dtype=float) for table in similarities]
    shapes = [table.shape for table in tables]
    n = len(tables[0]) if tables else 0
    if shapes != [(n, n)] * 2 or not 2 <= n <= MOST_POSITIONS:
        raise ValueError(f"similarities: got shapes {shapes}; two tables (n, n) with n from 2 to {MOST_POSITIONS} fit")
    if not np.isfinite(tables).all():
        raise ValueError("similarities: got a number that is not finite; finite numbers fit")
    if len(labels) != 2:
        raise ValueError(f"labels: got {len(labels)} rows of labels; 2 sentences need 2")
    labels = [position_labels(f"labels[{i}]", names, n) for i, names in enumerate(labels)]
    if len(pair) != 2 or not all(0 <= position < n for position in pair):
        raise ValueError(f"pair: got {pair}; two positions from 0 to {n - 1} fit")

    kept = np.isclose(*tables, rtol=0, atol=SAME)
    counts = {"kept": int(kept.sum()), "all": kept.size}
    height = n * CELL_HEIGHT + 62
    fig, ax = canvas(2 * height + 22)
    sentences = [("" if lang == "zh" else " ").join(names) for names in labels]
    for place, (values, names, sentence) in enumerate(zip(tables, labels, sentences, strict=True)):
        heading = word["table"].format(sentence=sentence)
        start = _labelled(ax, place * height + 44, f"sentence {place + 1}", heading, values, kept, names)
    write(ax, start, 2 * height + 2, word["kept"].format(**counts), ha="left", gid="kept")

    numbers = [
        word["cell"].format(i=labels[0][i], j=labels[0][j], number=decimal(tables[0][i, j], trim=False))
        for i, j in np.argwhere(kept)
        if i <= j
    ]
    alt = word["alt"].format(n=n, one=sentences[0], other=sentences[1], cells=listing(numbers, lang), **counts)
    describe(fig, alt, title=word["title"])
    data = [
        {"labels": names, "similarity": values} for names, values in zip(labels, tables, strict=True)
    ]
    make_interactive(fig, "two-directions", {"sentences": data, "pair": pair}, form="similarity")
    return fig


def _labelled(ax, top, name, heading, values, kept, labels) -> float:
    """One table; the x where its heading starts."""
    table = signed_table(ax, top, name, values)
    for i, j in np.argwhere(kept):
        x, y = table.column_x(j), table.y + (i + 1) * CELL_HEIGHT - 3
        ax.plot([x - 11, x + 11], [y, y], color=INK, linewidth=1.2)
    start = min(table.x, LEFTMOST)
    write(ax, start, top - 30, heading, ha="left", gid=f"heading {name}")
    label_columns(ax, table, labels, fontsize=SMALL)
    label_rows(ax, table, labels, fontsize=SMALL)
    return start
