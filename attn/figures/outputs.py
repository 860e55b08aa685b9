"""Outputs lie among the values: weights that sum to 1 cannot leave their hull."""


import numpy as np
from matplotlib.patches import Polygon

from ..core import Trace
from .alt import describe
from .canvas import axes_at, canvas, span_of, tint, write
from .numbers import listing, shares, vector
from .style import GREEN, GRID, INK_SOFT, LARGE, PAPER, PURPLE, SMALL, figure_function, words

_WORDS = {
    "zh": {
        "title": "输出落在值的范围之内",
        "x": "第 1 个分量",
        "y": "第 2 个分量",
        "value": "值",
        "output": "输出",
        "alt": (
            "平面图，横轴是第 1 个分量，纵轴是第 2 个分量。值 {values} 围成一个区域，"
            "输出 {outputs} 都落在其中（含边界）。第 {row} 行的输出由权重 {weights} 混合而成。"
        ),
    },
    "en": {
        "title": "Outputs stay inside the range of the values",
        "x": "coordinate 1",
        "y": "coordinate 2",
        "value": "value",
        "output": "output",
        "alt": (
            "Plane with coordinate 1 across and coordinate 2 up. The values {values} span a region; the "
            "outputs {outputs} all lie in it, edge included. The output of row {row} is blended with the "
            "weights {weights}."
        ),
    },
}


@figure_function
def output_range(trace: Trace, *, lang: str, row: int = -1):
    """Values, the region they span, and the outputs inside; one row's blend drawn.

    Parameters
    ----------
    trace : the steps of one head with values 2 wide, at most 6 queries and keys. A
        line from each value to the output of `row` is as wide as its weight; the other
        outputs are hollow.
    lang : ``"zh"`` or ``"en"``.
    row : the row whose blend is drawn, counted from 0; -1 is the last.

    Raises ValueError for other shapes, a row out of range, or rows of weights that do
    not sum to 1 (a query that may read nothing has its output at the origin).

    >>> from attn import figures, lessons
    >>> fig = figures.output_range(lessons.three_positions().trace(), lang="en")
    """
    word = words(_WORDS, lang)
    v, output, weights = trace.v, trace.output, trace.weights
    if weights.ndim != 2 or v.shape[-1] != 2 or max(weights.shape) > 6:
        raise ValueError(
            f"trace: got weights {weights.shape} and v {v.shape}; one head of at most 6 rows, v 2 wide, fits"
        )
    if not np.allclose(weights.sum(axis=1), 1):
        raise ValueError(f"trace: got rows of weights that sum to {weights.sum(axis=1)}; sums of 1 fit")
    n = len(output)
    if not -n <= row < n:
        raise ValueError(f"row: got {row}; {-n} to {n - 1} fits")
    row %= n

    low, high = v.min(axis=0), v.max(axis=0)
    margin = 0.14 * ((high - low).max() or 1)
    low, high = low - margin, high + margin
    # One unit is as long across as up, or the region's shape would lie.
    height = float(np.clip(300 * (high[1] - low[1]) / (high[0] - low[0]), 90, 300))
    fig, page = canvas(30 + height + 46)
    ax = axes_at(page, 40, 30, 300, height)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.grid(color=GRID)
    ax.add_patch(Polygon(_hull(v), facecolor=tint(GREEN, 0.14), edgecolor=GREEN, linewidth=1.2, gid="hull"))
    for j, weight in enumerate(weights[row]):
        ax.plot(*zip(v[j], output[row], strict=True), color=PURPLE, linewidth=9 * weight, gid=f"line {j}")
    ax.plot(*v.T, "s", color=GREEN, markersize=8, clip_on=False, gid="values")
    # Other outputs may lie on these lines by chance: hollow, they do not look like ends of them.
    hollow = {"markerfacecolor": PAPER, "markeredgewidth": 1.4}
    ax.plot(*output.T, "o", color=PURPLE, markersize=8, clip_on=False, gid="outputs", **hollow)
    ax.plot(*output[row], "o", color=PURPLE, markersize=9, clip_on=False, gid="blended output")
    _name_points(ax, v, "v", offset=(10, 6))
    _name_points(ax, output, "o", offset=(-9, -14))
    write(page, 40, 14, f"{word['y']} ↑", ha="left", color=INK_SOFT, fontsize=SMALL)
    write(page, 340, 30 + height + 34, f"{word['x']} →", ha="right", color=INK_SOFT, fontsize=SMALL)
    _legend(page, word)

    describe(
        fig,
        word["alt"].format(
            values=listing(map(vector, v), lang),
            outputs=listing(map(vector, output), lang),
            row=row + 1,
            weights=listing(shares(weights)[row], lang),
        ),
        title=word["title"],
    )
    return fig


def _name_points(ax, points, letter: str, offset) -> None:
    """A name beside each point; points in one place share it."""
    places: dict[tuple, list[int]] = {}
    for i, point in enumerate(points):
        places.setdefault(tuple(np.round(point, 9)), []).append(i)
    for point, members in places.items():
        name = ",".join(f"${letter}_{i + 1}$" for i in members)
        ax.annotate(name, point, xytext=offset, textcoords="offset points", ha="center", fontsize=LARGE)


def _legend(page, word) -> None:
    x = 340.0
    for name, marker, colour in (("output", "o", PURPLE), ("value", "s", GREEN)):
        label = write(page, x, 14, word[name], ha="right")
        start, _ = span_of(label)
        page.plot(start - 8, 14, marker, color=colour, markersize=7)
        x = start - 26


def _hull(points) -> np.ndarray:
    """The corners of the convex hull, in order (Andrew's monotone chain, 1979)."""
    points = np.unique(points, axis=0)
    if len(points) < 3:
        return points
    corners: list[np.ndarray] = []
    for half in (points, points[::-1]):
        start = len(corners)
        for point in half:
            while len(corners) - start >= 2 and not _turns_left(corners[-2], corners[-1], point):
                corners.pop()
            corners.append(point)
        corners.pop()
    return np.array(corners)


def _turns_left(a, b, c) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0
