"""The library as soft reading: every visible book is read a little."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle

from .alt import describe
from .canvas import PAGE_WIDTH, canvas, panel, tint, write
from .labels import position_labels
from .numbers import decimal, listing
from .style import GREEN, INK, INK_SOFT, PAPER, QUERY, SMALL, figure_function, words

MOST_BOOKS = 8

_WORDS = {
    "zh": {
        "title": "软性阅读",
        "reader": "“{reader}”在读",
        "share": "{percent}%",
        "alt": (
            "一排书，读者是 {reader}。每本书下面写着它是谁，书里填色的高度与连到读者的线的粗细"
            "都是它被读的份额：{shares}。"
        ),
        "book": "{book} {percent}%",
    },
    "en": {
        "title": "Soft reading",
        "reader": "“{reader}” is reading",
        "share": "{percent}%",
        "alt": (
            "A shelf of books, read by {reader}. The filled part of a book and the width of its line to "
            "the reader are the share in which it is read: {shares}."
        ),
        "book": "{book} {percent}%",
    },
}

BOOK_HEIGHT, WIDEST_LINE = 88.0, 14.0
READER_Y, BOOK_TOP = 32.0, 128.0


@figure_function
def soft_reading(weights, *, reader: str, lang: str, books: Sequence[str] | None = None):
    """One position reads a shelf of positions, each in its share.

    Parameters
    ----------
    weights : ``(n,)``, one row of weights from 0 to 1; n is at most 8.
    reader : the name of the position that reads.
    lang : ``"zh"`` or ``"en"``.
    books : names of the positions that are read; 1, 2, 3, … if not given.

    Raises ValueError for another shape, or a weight outside 0 to 1.

    >>> from attn import figures, lessons
    >>> lesson = lessons.addition()
    >>> names = lesson.labels("en")
    >>> fig = figures.soft_reading(lesson.trace().weights[3], reader=names[3], books=names, lang="en")
    """
    word = words(_WORDS, lang)
    weights = np.asarray(weights, dtype=float)
    if weights.ndim != 1 or not 1 <= len(weights) <= MOST_BOOKS:
        raise ValueError(f"weights: got shape {weights.shape}; one row of 1 to {MOST_BOOKS} fits")
    if not ((weights >= 0) & (weights <= 1)).all():
        raise ValueError(f"weights: got {weights}; shares from 0 to 1 fit")
    books = position_labels("books", books, len(weights))

    fig, ax = canvas(BOOK_TOP + BOOK_HEIGHT + 52)
    pitch = min(60.0, 344 / len(weights))
    width = pitch - 12
    middle = PAGE_WIDTH / 2
    for j, (weight, book) in enumerate(zip(weights, books, strict=True)):
        x = middle + (j - (len(weights) - 1) / 2) * pitch
        ax.plot(
            [middle, x],
            [READER_Y, BOOK_TOP + 10],
            color=tint(GREEN, 0.55),
            linewidth=WIDEST_LINE * weight,
            zorder=0.5,  # under the reader and the books, which hide its ends
            gid=f"line {j}",
        )
        _book(ax, x - width / 2, width, weight, j)
        write(ax, x, BOOK_TOP + BOOK_HEIGHT + 16, book)
        share = word["share"].format(percent=decimal(100 * weight, 1, trim=False))
        write(ax, x, BOOK_TOP + BOOK_HEIGHT + 34, share, fontsize=SMALL, color=INK_SOFT, gid=f"share {j}")
    shelf = [middle - len(weights) * pitch / 2, middle + len(weights) * pitch / 2]
    ax.plot(shelf, [BOOK_TOP + BOOK_HEIGHT] * 2, color=INK, linewidth=2)
    panel(ax, middle - 70, READER_Y - 18, 140, 32, facecolor=PAPER, edgecolor=QUERY, linewidth=1.4)
    write(ax, middle, READER_Y - 2, word["reader"].format(reader=reader))

    shares = listing(
        [
            word["book"].format(book=book, percent=decimal(100 * weight, 1, trim=False))
            for book, weight in zip(books, weights, strict=True)
        ],
        lang,
    )
    describe(fig, word["alt"].format(reader=reader, shares=shares), title=word["title"])
    return fig


def _book(ax, x, width, weight, j) -> None:
    """A spine, filled from the shelf up to its share."""
    filled = BOOK_HEIGHT * weight
    ax.add_artist(Rectangle((x, BOOK_TOP), width, BOOK_HEIGHT, facecolor=PAPER, edgecolor="none"))
    fill = Rectangle(
        (x, BOOK_TOP + BOOK_HEIGHT - filled), width, filled, facecolor=tint(GREEN, 0.55), gid=f"book {j}"
    )
    ax.add_artist(fill)
    ax.add_artist(Rectangle((x, BOOK_TOP), width, BOOK_HEIGHT, fill=False, edgecolor=GREEN, linewidth=1.2))
    for y in (BOOK_TOP + 8, BOOK_TOP + 12):
        ax.plot([x + 4, x + width - 4], [y, y], color=GREEN, linewidth=0.8)
