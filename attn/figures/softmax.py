"""Softmax of one row, step by step, as bars."""

from collections.abc import Sequence

import numpy as np

from ..core import softmax
from .alt import describe
from .canvas import axes_at, canvas, tint, write
from .labels import position_labels
from .numbers import decimal, listing
from .style import BLUE, INK_SOFT, KEY, SMALL, figure_function, words

MOST_POSITIONS = 8

_WORDS = {
    "zh": {
        "title": "一行 softmax 的四步",
        "scores": "缩放后的得分",
        "shifted": "减去最大值 {largest}",
        "exponentials": "取指数",
        "shares": "除以总和",
        "sum": "总和 {total}",
        "alt": (
            "四排条形图，每根对应一个位置（{labels}）。缩放后的得分：{scores}。减去最大值 {largest}：{shifted}。"
            "取指数：{exponentials}，总和 {total}。除以总和得到权重：{shares}。"
        ),
    },
    "en": {
        "title": "Softmax of a row in four steps",
        "scores": "scaled scores",
        "shifted": "minus the largest, {largest}",
        "exponentials": "exponentials",
        "shares": "divided by the sum",
        "sum": "sum {total}",
        "alt": (
            "Four strips of bars, one bar for each position ({labels}). Scaled scores: {scores}. "
            "Minus the largest, {largest}: {shifted}. Exponentials: {exponentials}, sum {total}. "
            "Divided by the sum, the weights: {shares}."
        ),
    },
}

LEFT, RIGHT = 14.0, 346.0
STRIP = 52.0
# Room above a strip, for its heading and a number on the tallest bar, and below it.
HEADING, GAP = 38.0, 20.0
COLOURS = {"scores": KEY, "shifted": KEY, "exponentials": BLUE, "shares": BLUE}


@figure_function
def softmax_steps(scores, *, lang: str, labels: Sequence[str] | None = None):
    """Scaled scores, minus their maximum, exponentials, shares: four strips of bars.

    Parameters
    ----------
    scores : ``(n,)``, one row of finite scores, already scaled; n is at most 8.
    lang : ``"zh"`` or ``"en"``.
    labels : names of the positions; 1, 2, 3, … if not given.

    The first two strips are on one scale: subtracting moves every bar by the same
    amount. The last two have the same shape: dividing changes the unit only.

    Raises ValueError for another shape or scores that are not finite.

    >>> from attn import figures
    >>> fig = figures.softmax_steps([2, 1, -1, 0.5], lang="en")
    """
    word = words(_WORDS, lang)
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 1 or not 1 <= len(scores) <= MOST_POSITIONS:
        raise ValueError(f"scores: got shape {scores.shape}; one row of 1 to {MOST_POSITIONS} fits")
    if not np.isfinite(scores).all():
        raise ValueError(f"scores: got {scores}; finite numbers fit")
    labels = position_labels("labels", labels, len(scores))

    shifted = scores - scores.max()
    exponentials = np.exp(shifted)
    strips = {
        "scores": scores,
        "shifted": shifted,
        "exponentials": exponentials,
        "shares": softmax(scores),
    }
    fig, page = canvas(_height(strips))
    top = 2.0
    for step, (name, values) in enumerate(strips.items(), start=1):
        heading = word[name].format(largest=decimal(scores.max()))
        write(page, LEFT, top + 12, f"{step}  {heading}", ha="left")
        if name == "exponentials":
            total = word["sum"].format(total=decimal(values.sum()))
            write(page, RIGHT, top + 12, total, ha="right", color=INK_SOFT, gid="sum")
        top += HEADING
        _strip(page, top, name, values, strips)
        top += _strip_height(name, strips) + GAP
    for label, x in zip(labels, LEFT + _centres(len(scores)), strict=True):
        write(page, x, top, label)

    describe(
        fig,
        word["alt"].format(
            labels=listing(labels, lang),
            largest=decimal(scores.max()),
            total=decimal(exponentials.sum()),
            **{name: listing(map(decimal, values), lang) for name, values in strips.items()},
        ),
        title=word["title"],
    )
    return fig


def _centres(n: int) -> np.ndarray:
    """The x of each position's bar, from the left edge of a strip."""
    return (np.arange(n) + 0.5) * (RIGHT - LEFT) / n


def _limits(name: str, strips) -> tuple[float, float]:
    values = strips[name]
    return min(0.0, values.min()), max(0.0, values.max())


def _strip_height(name: str, strips) -> float:
    """Scores and shifted scores share one scale; the other two fill a strip each."""
    if name in ("exponentials", "shares"):
        return STRIP
    spans = {each: np.diff(_limits(each, strips)).item() for each in ("scores", "shifted")}
    largest = max(spans.values())
    # Equal scores of 0 leave nothing to draw: a hairline of a strip.
    return STRIP * 1.2 * spans[name] / largest + 1 if largest > 0 else 1.0


def _height(strips) -> float:
    return sum(HEADING + _strip_height(name, strips) + GAP for name in strips) + 12


def _strip(page, top, name, values, strips) -> None:
    low, high = _limits(name, strips)
    ax = axes_at(page, LEFT, top, RIGHT - LEFT, _strip_height(name, strips))
    ax.set(xlim=(-0.5, len(values) - 0.5), ylim=(low, high if high > low else 1))
    ax.axis("off")
    ax.axhline(0, color=INK_SOFT, linewidth=0.8, clip_on=False)
    if name == "scores":
        # The level that becomes zero in the next strip.
        ax.axhline(values.max(), color=INK_SOFT, linewidth=0.8, linestyle=(0, (2, 2)), clip_on=False)
    colour = COLOURS[name]
    bars = ax.bar(range(len(values)), values, width=0.5, facecolor=tint(colour, 0.5), edgecolor=colour, clip_on=False)
    for column, (bar, value) in enumerate(zip(bars, values, strict=True)):
        bar.set_gid(f"{name} {column}")
        below = value < 0
        ax.annotate(
            decimal(value),
            (column, value),
            xytext=(0, -3 if below else 3),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
            fontsize=SMALL,
            gid=f"{name} {column}",
        )
