"""Why √d: how far dot products spread as vectors get wider, and what that does to weights."""

from collections.abc import Mapping

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ..core import softmax
from .alt import describe
from .canvas import axes_at, canvas, tint, write
from .interactive import make_interactive
from .numbers import decimal, listing
from .style import BLUE, BODY, GREEN, GRID, INK_SOFT, ORANGE, SMALL, figure_function, words

_WORDS = {
    "zh": {
        "spread_title": "点积的离散程度与维度 d",
        "x": "维度 $d$（两条轴都是对数刻度）",
        "y": "标准差",
        "raw": "不缩放",
        "root": r"$\div\sqrt{d}$",
        "full": r"$\div d$",
        "lines": r"点：样本　线：$\sqrt{d}$、1、$1/\sqrt{d}$",
        "spread_alt": (
            "双对数折线图，横轴是维度 d，纵轴是点积的标准差，点来自样本，线是 √d、1 与 1/√d。{rows}。"
        ),
        "spread_row": "d = {d}：不缩放 {raw}，除以 √d 后 {root}，除以 d 后 {full}",
        "weights_title": "三种缩放下的一行权重",
        "largest": "最大 {largest}",
        "weights_alt": (
            "三列条形图：不缩放、除以 √d、除以 d；每行一个维度 d，每格是同一行得分算出的 {n} 个权重。"
            "最大的权重：{rows}。"
        ),
        "weights_row": "d = {d} 时依次为 {largest}",
        "between": "；",
    },
    "en": {
        "spread_title": "Spread of dot products against d",
        "x": "dimension $d$ (both axes: log scale)",
        "y": "standard deviation",
        "raw": "raw",
        "root": r"$\div\sqrt{d}$",
        "full": r"$\div d$",
        "lines": r"dots: samples   lines: $\sqrt{d}$, 1, $1/\sqrt{d}$",
        "spread_alt": (
            "Line chart with two logarithmic axes: dimension d across, standard deviation of dot "
            "products up; dots are samples, lines are √d, 1 and 1/√d. {rows}."
        ),
        "spread_row": "d = {d}: {raw} raw, {root} divided by √d, {full} divided by d",
        "weights_title": "One row of weights under three scalings",
        "largest": "largest {largest}",
        "weights_alt": (
            "Bar charts in three columns, raw, divided by √d, divided by d, and a row for each "
            "dimension d; each shows the {n} weights of one row of scores. Largest weight: {rows}."
        ),
        "weights_row": "d = {d}: {largest}",
        "between": "; ",
    },
}

# How a score of width d is scaled; colour, marker and line style of each.
SCALINGS = {"raw": lambda d: 1.0, "root": lambda d: 1 / np.sqrt(d), "full": lambda d: 1 / d}
LOOKS = {"raw": (ORANGE, "o", "-"), "root": (BLUE, "s", (0, (5, 2))), "full": (GREEN, "^", (0, (1.5, 1.5)))}

LAB_WIDTHS = [2**doublings for doublings in range(10)]  # that the laboratory can be set to


@figure_function
def score_spread(samples: Mapping[int, np.ndarray], *, lang: str):
    """The spread of dot products against their width, as they are, ÷√d and ÷d.

    Parameters
    ----------
    samples : for each width d (2 to 8 of them), dot products q·k of vectors of that
        width, any shape. A dot is the standard deviation of what was given; the
        lines √d, 1 and 1/√d hold for independent coordinates of mean 0, variance 1.
    lang : ``"zh"`` or ``"en"``.

    Raises ValueError for fewer or more widths, or a width without two samples.

    >>> import numpy as np
    >>> from attn import figures
    >>> rng = np.random.default_rng(0)
    >>> samples = {d: (rng.normal(size=(500, d)) * rng.normal(size=(500, d))).sum(axis=1) for d in (1, 4, 16)}
    >>> fig = figures.score_spread(samples, lang="en")
    """
    word = words(_WORDS, lang)
    widths = _widths("samples", samples)
    spreads = {d: np.std(samples[d]) for d in widths}

    fig, page = canvas(286)
    ax = axes_at(page, 48, 34, 254, 206)
    ax.set(xscale="log", yscale="log", xlim=(widths[0] / 1.25, widths[-1] * 1.25))
    fine = np.geomspace(widths[0], widths[-1], 50)
    for name, scaling in SCALINGS.items():
        colour, marker, line = LOOKS[name]
        ax.plot(fine, np.sqrt(fine) * scaling(fine), color=colour, linestyle=line, linewidth=1.4)
        points = [spreads[d] * scaling(d) for d in widths]
        ax.plot(widths, points, marker, color=colour, markersize=6, gid=name)
        end = (widths[-1], np.sqrt(widths[-1]) * scaling(widths[-1]))
        ax.annotate(word[name], end, xytext=(14, 0), textcoords="offset points", va="center", fontsize=BODY)
        if name == "raw":
            for d, point in zip(widths, points, strict=True):
                ax.annotate(
                    decimal(point),
                    (d, point),
                    xytext=(-3, 6),
                    textcoords="offset points",
                    ha="right",
                    fontsize=SMALL,
                )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_locator(NullLocator())
    ax.set_xticks(widths, [str(d) for d in widths])
    ax.yaxis.set_major_locator(LogLocator(base=4))
    ax.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:g}" if value >= 1 else f"1/{1 / value:g}")
    )
    ax.grid(color=GRID)
    write(page, 48, 16, f"{word['y']} ↑", ha="left", color=INK_SOFT, fontsize=SMALL)
    write(page, 302, 268, f"{word['x']} →", ha="right", color=INK_SOFT, fontsize=SMALL)
    write(page, 346, 16, word["lines"], ha="right", color=INK_SOFT, fontsize=SMALL)

    rows = word["between"].join(
        word["spread_row"].format(
            d=d, **{name: decimal(spreads[d] * scaling(d)) for name, scaling in SCALINGS.items()}
        )
        for d in widths
    )
    describe(fig, word["spread_alt"].format(rows=rows), title=word["spread_title"])
    return fig


@figure_function
def weights_by_width(scores: Mapping[int, np.ndarray], *, lang: str):
    """The weights of one row of scores, as they are, ÷√d and ÷d, for several widths.

    Parameters
    ----------
    scores : for each width d (1 to 4 of them), one row of unscaled scores q·k of
        vectors of that width; all rows have the same length, at most 10.
    lang : ``"zh"`` or ``"en"``.

    Each chart has the scale 0 to 1; the largest weight is written above it.

    Raises ValueError for more widths, rows of other shapes.

    >>> import numpy as np
    >>> from attn import figures
    >>> rng = np.random.default_rng(0)
    >>> scores = {d: rng.normal(size=(6, d)) @ rng.normal(size=d) for d in (8, 128, 512)}
    >>> fig = figures.weights_by_width(scores, lang="en")
    """
    word = words(_WORDS, lang)
    widths = _widths("scores", scores, fewest=1, most=4)
    rows = {d: np.asarray(scores[d], dtype=float) for d in widths}
    n = len(rows[widths[0]]) if rows[widths[0]].ndim == 1 else 0
    for d, row in rows.items():
        if row.shape != (n,) or not 1 <= n <= 10:
            raise ValueError(f"scores[{d}]: got shape {row.shape}; rows of one length, at most 10, fit")

    pitch, left, chart_width, chart_height = 92, 62, 88, 56
    fig, page = canvas(30 + len(widths) * pitch)
    largest = {d: [] for d in widths}
    for column, (name, scaling) in enumerate(SCALINGS.items()):
        x = left + column * (chart_width + 12)
        write(page, x + chart_width / 2, 14, word[name])
        for line, d in enumerate(widths):
            top = 30 + line * pitch + 24
            weights = softmax(rows[d] * scaling(d))
            largest[d].append(decimal(weights.max(), trim=False))
            ax = axes_at(page, x, top, chart_width, chart_height)
            ax.set(xlim=(-0.6, n - 0.4), ylim=(0, 1))
            ax.axis("off")
            ax.axhline(0, color=INK_SOFT, linewidth=0.8, clip_on=False)
            ax.axhline(1, color=GRID, linewidth=0.8, clip_on=False)
            colour = LOOKS[name][0]
            bars = ax.bar(range(n), weights, width=0.7, facecolor=tint(colour, 0.5), edgecolor=colour, clip_on=False)
            for j, bar in enumerate(bars):
                bar.set_gid(f"{name} {d} {j}")
            text = word["largest"].format(largest=largest[d][-1])
            write(page, x + chart_width / 2, top - 10, text, fontsize=SMALL, color=INK_SOFT, gid=f"largest {name} {d}")
    for line, d in enumerate(widths):
        top = 30 + line * pitch + 24
        write(page, 8, top + chart_height / 2, f"$d$ = {d}", ha="left")
        for value, y in ((1, top), (0, top + chart_height)):
            write(page, left - 6, y, str(value), ha="right", color=INK_SOFT, fontsize=SMALL)

    text = word["between"].join(
        word["weights_row"].format(d=d, largest=listing(largest[d], lang)) for d in widths
    )
    describe(fig, word["weights_alt"].format(n=n, rows=text), title=word["weights_title"])
    if widths[-1] in LAB_WIDTHS:
        make_interactive(fig, "scale-lab", {"d": widths[-1]})
    return fig


def _widths(name: str, table: Mapping[int, np.ndarray], fewest: int = 2, most: int = 8) -> list[int]:
    """The widths in order, checked."""
    if not isinstance(table, Mapping):
        raise TypeError(f"{name}: got {type(table).__name__}; a mapping from width d to numbers fits")
    widths = sorted(table)
    if not fewest <= len(widths) <= most or widths[0] < 1:
        raise ValueError(f"{name}: got widths {widths}; {fewest} to {most} widths, 1 or more each, fit")
    for d in widths:
        if np.size(table[d]) < 2:
            raise ValueError(f"{name}[{d}]: got {np.size(table[d])} numbers; at least 2 fit")
    return widths
