"""Who reads whom: one position's reading, as lines of the thickness of its weights."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path

from ..core import Trace
from .alt import describe
from .canvas import PAGE_WIDTH, canvas, tint, write
from .interactive import make_interactive
from .labels import position_labels
from .numbers import decimal, listing
from .style import GREEN, INK_SOFT, PAPER, QUERY, SMALL, figure_function, words

MOST_SENTENCES, MOST_POSITIONS = 2, 8

_WORDS = {
    "zh": {
        "title": "谁在读谁",
        "alt": "一排位置，弧线从正在读的位置连到它所读的每个位置，线的粗细是权重。{sentences}。",
        "row": "{sentence}：{reader} 读 {shares}",
        "share": "{position} {percent}%",
        "between": "；",
    },
    "en": {
        "title": "Who reads whom",
        "alt": (
            "Positions in a line; arcs lead from the one that reads to each that it reads, as thick as "
            "the weights. {sentences}."
        ),
        "row": "In “{sentence}”, {reader} reads {shares}",
        "share": "{position} {percent}%",
        "between": ". ",
    },
}

WIDEST_LINE = 20.0  # of a weight of 1
CHIP_HEIGHT, LOWEST, HIGHEST, LOOP = 26.0, 26.0, 66.0, 17.0
HEIGHT = HIGHEST + CHIP_HEIGHT + 56


@figure_function
def reading_lines(traces: Sequence[Trace], *, labels: Sequence[Sequence[str]], lang: str, row: int = -1, numbers: bool = True):
    """A sentence, or two of one length, and what one of its positions reads.

    Parameters
    ----------
    traces : the steps of one head for each sentence, 2 to 8 positions that read each
        other. A line is as thick as its weight.
    labels : for each sentence the names of its positions.
    lang : ``"zh"`` or ``"en"``.
    row : the position that reads, counted from 0; -1 is the last.
    numbers : False lets the interactive figure start with lines only, so that a reader can
        guess first.

    Raises ValueError for more sentences, tables of other shapes, labels of another
    number, a row out of range.

    >>> from attn import figures, lessons
    >>> pair = [lessons.addition(sentence=n) for n in (1, 2)]
    >>> traces, names = [one.trace() for one in pair], [one.labels("en") for one in pair]
    >>> fig = figures.reading_lines(traces, labels=names, row=3, lang="en")
    """
    word = words(_WORDS, lang)
    if not 1 <= len(traces) <= MOST_SENTENCES:
        raise ValueError(f"traces: got {len(traces)}; 1 to {MOST_SENTENCES} fit")
    if len(labels) != len(traces):
        raise ValueError(f"labels: got {len(labels)} rows of labels; {len(traces)} sentences need {len(traces)}")
    n = traces[0].weights.shape[-1]
    for trace in traces:
        if trace.weights.shape != (n, n) or not 2 <= n <= MOST_POSITIONS:
            raise ValueError(
                f"traces: got weights of shape {trace.weights.shape}; tables of one size, 2 to "
                f"{MOST_POSITIONS} positions that read each other, fit"
            )
    if not -n <= row < n:
        raise ValueError(f"row: got {row}; {-n} to {n - 1} fits")
    row %= n
    labels = [position_labels(f"labels[{i}]", names, n) for i, names in enumerate(labels)]

    fig, ax = canvas(len(traces) * HEIGHT)
    facts = []
    for i, (trace, names) in enumerate(zip(traces, labels, strict=True)):
        weights = trace.weights[row]
        percents = [decimal(100 * weight, 1, trim=False) for weight in weights]
        _sentence(ax, i, weights, percents, names, row)
        shares = [word["share"].format(position=p, percent=s) for p, s in zip(names, percents, strict=True)]
        sentence = "".join(names) if lang == "zh" else " ".join(names)
        facts.append(word["row"].format(sentence=sentence, reader=names[row], shares=listing(shares, lang)))
    describe(fig, word["alt"].format(sentences=word["between"].join(facts)), title=word["title"])
    sentences = [
        {"labels": names, "weights": trace.weights} for trace, names in zip(traces, labels, strict=True)
    ]
    # Where a position has the same query in every sentence, the difference comes from the others.
    same = (traces[0].q == traces[-1].q).all(axis=-1)
    data = {"sentences": sentences, "same_query": same, "row": row, "numbers": numbers}
    make_interactive(fig, "who-reads-whom", data)
    return fig


def _sentence(ax, place: int, weights, percents, names, row: int) -> None:
    n = len(weights)
    pitch = min(60.0, (PAGE_WIDTH - 12) / n)
    top = place * HEIGHT + HIGHEST + 10
    x = PAGE_WIDTH / 2 + (np.arange(n) - (n - 1) / 2) * pitch
    for j, weight in enumerate(weights):
        ax.add_artist(
            PathPatch(
                _arc(x[row], x[j], top, abs(j - row) / (n - 1)),
                facecolor="none",
                edgecolor=tint(GREEN, 0.6),
                linewidth=WIDEST_LINE * weight,
                capstyle="butt",
                clip_on=False,
                gid=f"line {place} {j}",
            )
        )
    for j, (name, percent) in enumerate(zip(names, percents, strict=True)):
        reads = j == row
        ax.add_artist(
            FancyBboxPatch(
                (x[j] - pitch / 2 + 4, top),
                pitch - 8,
                CHIP_HEIGHT,
                boxstyle="round,pad=0,rounding_size=4",
                facecolor=PAPER,
                edgecolor=QUERY if reads else INK_SOFT,
                linewidth=2 if reads else 0.8,
                clip_on=False,
                gid=f"chip {place} {j}",
            )
        )
        write(ax, x[j], top + CHIP_HEIGHT / 2, name)
        share = f"{percent}%"
        write(ax, x[j], top + CHIP_HEIGHT + 13, share, fontsize=SMALL, color=INK_SOFT, gid=f"share {place} {j}")


def _arc(start: float, end: float, foot: float, distance: float) -> Path:
    """From the reader to what it reads; a loop where it reads itself."""
    if start == end:
        points = [(start - 8, foot), (start - 8 - LOOP, foot - 40), (start + 8 + LOOP, foot - 40), (start + 8, foot)]
    else:
        # The middle of such a curve is three quarters as high as its two control points.
        top = foot - (LOWEST + (HIGHEST - LOWEST) * distance) / 0.75
        points = [(start, foot), (start, top), (end, top), (end, foot)]
    return Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
