"""Decoding, position by position: what a KV cache lets be read instead of computed again."""

import numpy as np
from matplotlib.patches import Rectangle

from ..core import Trace
from .alt import describe
from .canvas import PAGE_WIDTH, canvas, end_of, panel, tint, write
from .hatching import hatch_over
from .interactive import make_interactive
from .numbers import listing, shares
from .origin import lesson_of
from .style import BLUE, GREEN, INK_SOFT, ORANGE, SMALL, figure_function, words

MOST_POSITIONS = 4

_WORDS = {
    "zh": {
        "title": "一步一步解码，有缓存和没有缓存",
        "cached": "有缓存",
        "again": "没有缓存：每步从头全算",
        "step": "第 {n} 步",
        "together": "乘法共 {n} 次",
        "count": "乘法 {n}",
        "computed": "这一步算的",
        "read": "从缓存里读的",
        "alt": (
            "{n} 步解码，每步来一个位置。有缓存：每步只算新位置的键、值和一行得分，旧的键和值从缓存里读；"
            "没有缓存：每步把所有键、值和所有行重算一遍。各步的乘法次数：有缓存 {cached}，共 {cached_sum} 次；"
            "没有缓存 {again}，共 {again_sum} 次。最后一行的权重，两边都是 {weights}。"
        ),
    },
    "en": {
        "title": "Decoding step by step, with and without a cache",
        "cached": "with the cache",
        "again": "without: all again at each step",
        "step": "step {n}",
        "together": "{n} multiplications",
        "count": "{n} mult.",
        "computed": "computed in this step",
        "read": "read from the cache",
        "alt": (
            "Decoding in {n} steps, each with one new position. With the cache, a step computes the key, the value "
            "and the row of scores of the new position, and reads the old keys and values from the cache; without "
            "it, every step computes all keys, values and rows again. Multiplications in each step: with the cache "
            "{cached}, together {cached_sum}; without {again}, together {again_sum}. "
            "The last row of weights is {weights} both ways."
        ),
    },
}

MARGIN, TOP, GAP = 8.0, 8.0, 8.0
LARGEST_CELL, BETWEEN, PAUSE = 20.0, 3.0, 8.0  # a cell; between K and V; before the scores


@figure_function
def decoding_steps(x, trace: Trace, *, lang: str):
    """Keys, values and rows of scores that each step of decoding computes, and those it reads.

    Parameters
    ----------
    x : ``(n, d_model)``, the input that was projected; 1 to 4 positions.
    trace : the steps of one head under a causal mask, as
        ``attn.SelfAttention.trace(x, causal=True)`` returns them.
    lang : ``"zh"`` or ``"en"``.

    Above, with a KV cache; below, with every step starting from nothing. Counted are the
    multiplications of the matrix products: three projections for a row, a score and a
    read value for each visible pair. Scaling and softmax are left out.

    Raises ValueError for several heads, another mask, another number of positions.

    >>> from attn import figures, lessons
    >>> lesson = lessons.three_positions()
    >>> fig = figures.decoding_steps(lesson.x, lesson.trace(causal=True), lang="en")

    Examples
    --------
    >>> from attn import figures, lessons
    >>> lesson = lessons.three_positions()
    >>> fig = figures.decoding_steps(lesson.x, lesson.trace(causal=True), lang="en")
    """
    word = words(_WORDS, lang)
    x = np.asarray(x, dtype=float)
    n = _checked_length(x, trace)
    cached, again = _multiplications(x, trace)

    pitch = (PAGE_WIDTH - 2 * MARGIN) / n
    side = min(LARGEST_CELL, (pitch - BETWEEN - PAUSE - 4) / (n + 2))
    table = _texts(trace.weights, side)
    height = 22 + 26 + n * side + 24
    fig, ax = canvas(TOP + 2 * height + GAP + 30)
    for top, name, counts in ((TOP, "cached", cached), (TOP + height + GAP, "again", again)):
        panel(ax, 0, top, PAGE_WIDTH, height)
        write(ax, MARGIN, top + 13, word[name], ha="left", gid=f"{name} name")
        total = word["together"].format(n=sum(counts))
        write(ax, PAGE_WIDTH - MARGIN, top + 13, total, ha="right", gid=f"{name} total")
        for step, count in enumerate(counts):
            x_left = MARGIN + step * pitch
            _step(ax, x_left, top + 26, step, side, table, name, word)
            text = word["count"].format(n=count)
            write(ax, x_left, top + height - 12, text, ha="left", fontsize=SMALL, gid=f"{name} count {step}")
    _legend(ax, TOP + 2 * height + GAP + 16, word)

    describe(fig, _alt(trace, cached, again, word, lang), title=word["title"])
    lesson = lesson_of(trace)
    if lesson is not None and np.array_equal(lesson.x, x):
        matrices = {"wq": lesson.w_q, "wk": lesson.w_k, "wv": lesson.w_v}
        make_interactive(fig, "decode-stepper", {"x": x, **matrices, "scale": trace.scale})
    return fig


def _checked_length(x, trace: Trace) -> int:
    n = len(x)
    if trace.weights.shape != (n, n) or not 1 <= n <= MOST_POSITIONS:
        raise ValueError(
            f"trace: got weights of shape {trace.weights.shape} for x of shape {x.shape}; "
            f"one head that reads its own 1 to {MOST_POSITIONS} positions fits"
        )
    if trace.visible is None or not np.array_equal(np.broadcast_to(trace.visible, (n, n)), np.tri(n, dtype=bool)):
        raise ValueError("trace: got no causal mask; the trace of decoding, with causal=True, fits")
    return n


def _multiplications(x, trace: Trace) -> tuple[list[int], list[int]]:
    """Those of each step: with a cache, and with all rows again."""
    a_row = x.shape[1] * (trace.q.shape[1] + trace.k.shape[1] + trace.v.shape[1])
    a_pair = trace.q.shape[1] + trace.v.shape[1]
    steps = range(1, len(x) + 1)
    cached = [a_row + n * a_pair for n in steps]
    again = [n * a_row + n * (n + 1) // 2 * a_pair for n in steps]
    return cached, again


def _texts(weights, side: float) -> list[list[str]]:
    """The visible weights of each row, or nothing where one would not fit in its cell."""
    texts = [list(shares(row[: i + 1])) for i, row in enumerate(weights)]
    longest = max(len(text) for row in texts for text in row)
    return texts if side >= 6 * longest else [[""] * len(row) for row in texts]


def _step(ax, x, top, step: int, side: float, weights: list[list[str]], name: str, word) -> None:
    """The keys, the values and the rows of scores up to one step."""
    cached = name == "cached"
    value_x, score_x = x + side + BETWEEN, x + 2 * side + BETWEEN + PAUSE
    for left, letter in ((x, "K"), (value_x, "V")):
        write(ax, left + side / 2, top + 10, letter, color=INK_SOFT, fontsize=SMALL)
    write(ax, score_x, top + 10, word["step"].format(n=step + 1), ha="left", color=INK_SOFT, fontsize=SMALL)
    y = top + 20
    for row in range(step + 1):
        computed = row == step or not cached
        for left, colour, letter in ((x, ORANGE, "k"), (value_x, GREEN, "v")):
            _cell(ax, left, y + row * side, side, colour, computed, f"{name} {letter} {step} {row}")
        if computed:
            for column, text in enumerate(weights[row]):
                left, gid = score_x + column * side, f"{name} weight{step} {row} {column}"
                _cell(ax, left, y + row * side, side, BLUE, True, gid)
                write(ax, left + side / 2, y + (row + 0.5) * side, text, fontsize=SMALL, gid=gid)


def _cell(ax, x, y, side, colour, computed: bool, gid: str) -> None:
    strength = 0.45 if computed else 0.08
    cell = Rectangle((x, y), side, side, facecolor=tint(colour, strength), edgecolor=colour, gid=gid)
    ax.add_patch(cell)
    if not computed:
        hatch_over(ax, [cell], "////", tint(colour, 0.5))


def _legend(ax, y, word) -> None:
    x, side = MARGIN, 12.0
    for name, computed in (("computed", True), ("read", False)):
        for colour in (ORANGE, GREEN, BLUE) if computed else (ORANGE, GREEN):
            _cell(ax, x, y - side / 2, side, colour, computed, f"legend {name}")
            x += side + 2
        x = end_of(write(ax, x + 3, y, word[name], ha="left", fontsize=SMALL)) + 16


def _alt(trace: Trace, cached: list[int], again: list[int], word, lang: str) -> str:
    return word["alt"].format(
        n=len(cached),
        cached=listing(cached, lang),
        again=listing(again, lang),
        cached_sum=sum(cached),
        again_sum=sum(again),
        weights=listing(shares(trace.weights[-1]), lang),
    )
