"""How much of a softmax still answers to its scores: the norms of its Jacobians."""

from collections.abc import Mapping

import numpy as np

from .alt import describe
from .canvas import PAGE_WIDTH, axes_at, canvas, tint, write
from .hatching import hatch_over
from .interactive import make_interactive
from .numbers import decimal
from .spread import LAB_WIDTHS
from .style import BLUE, INK, INK_SOFT, ORANGE, PANEL, SMALL, figure_function, words

# ‖diag(w) − wwᵀ‖_F² = Σw² − 2Σw³ + (Σw²)² ≤ s − s² with s = Σw², as Σw³ ≥ s²: at most 1/4.
LARGEST_NORM = 0.5
MOST_WIDTHS = 4

_WORDS = {
    "zh": {
        "title": "softmax 雅可比矩阵的范数",
        "facet": "每头维度 {width}",
        "raw": "↑ 不缩放：均值 {mean}，{share} 的行小于 {limit}",
        "scaled": "↓ 缩放后：均值 {mean}，{share} 的行小于 {limit}",
        "share": "行数占比；粗线：均值",
        "alt": (
            "背靠背直方图：横轴是每一行 softmax 的雅可比矩阵范数 ‖J‖_F，从 0 到 0.5；"
            "竖轴是行数占比，不缩放的向上，缩放后的向下。{facets}。"
        ),
        "alt_facet": (
            "每头维度 {width}：不缩放的均值 {raw}，有 {raw_faded} 的行小于 {limit}；"
            "缩放后的均值 {scaled}，有 {scaled_faded}"
        ),
        "between": "。",
    },
    "en": {
        "title": "Norms of softmax Jacobians",
        "facet": "head dimension {width}",
        "raw": "↑ raw: mean {mean}, {share} of rows below {limit}",
        "scaled": "↓ scaled: mean {mean}, {share} of rows below {limit}",
        "share": "share of rows; heavy line: mean",
        "alt": (
            "Back-to-back histograms: along, the norm ‖J‖_F of the softmax Jacobian of each row, "
            "0 to 0.5; up and down, the share of rows, raw upwards and scaled downwards. {facets}."
        ),
        "alt_facet": (
            "Head dimension {width}: raw, mean {raw} and {raw_faded} of the rows below {limit}; "
            "scaled, mean {scaled} and {scaled_faded}"
        ),
        "between": ". ",
    },
}

BINS = 20
LEFT, RIGHT = 40.0, 12.0
# Half a facet: room for the highest bar, and a line of text that no bar reaches.
BAR_HEIGHT, CAPTION_HEIGHT = 62.0, 20.0
HALF_HEIGHT = BAR_HEIGHT + CAPTION_HEIGHT
FACET_HEIGHT = 24 + 2 * HALF_HEIGHT + 42


@figure_function
def jacobian_norms(
    raw: Mapping[int, np.ndarray],
    scaled: Mapping[int, np.ndarray],
    *,
    lang: str,
    faded: float = 0.05,
):
    """Histograms of ‖J‖_F of softmax rows, raw upwards against scaled downwards.

    Parameters
    ----------
    raw, scaled : the norms, one for each row of weights, keyed by the head dimension
        they were measured at: ``{8: norms, 128: norms}``. Both have the same 1 to 4
        keys; each key is one facet. Any shape; it is flattened.
    lang : ``"zh"`` or ``"en"``.
    faded : norms below it are counted, and the band is marked.

    A norm is ``np.linalg.norm(softmax_jacobian(row))``, from 0 to 1/2 for any softmax.

    Raises ValueError for keys that differ, no rows, or numbers that cannot be norms.

    >>> import numpy as np
    >>> from attn import figures, softmax, softmax_jacobian
    >>> scores = np.random.default_rng(0).normal(size=(40, 6)) * 8**0.5
    >>> raw = np.linalg.norm(softmax_jacobian(softmax(scores)), axis=(-2, -1))
    >>> scaled = np.linalg.norm(softmax_jacobian(softmax(scores / 8**0.5)), axis=(-2, -1))
    >>> fig = figures.jacobian_norms({8: raw}, {8: scaled}, lang="en")

    Examples
    --------
    >>> import numpy as np
    >>> from attn import figures, softmax, softmax_jacobian
    >>> def norms(scores):
    ...     return np.linalg.norm(softmax_jacobian(softmax(scores)), axis=(-2, -1))
    >>> scores = np.random.default_rng(0).normal(size=(60, 6)) * 8**0.5
    >>> fig = figures.jacobian_norms({8: norms(scores)}, {8: norms(scores / 8**0.5)}, lang="en")
    """
    word = words(_WORDS, lang)
    raw, scaled = _norms("raw", raw), _norms("scaled", scaled)
    if list(raw) != list(scaled):
        raise ValueError(f"scaled: got head dimensions {list(scaled)}; those of raw, {list(raw)}, fit")
    if not 0 < faded < LARGEST_NORM:
        raise ValueError(f"faded: got {faded}; a norm between 0 and {LARGEST_NORM} fits")

    # One scale for all facets and both directions: heights can be compared everywhere.
    highest = max(_heights(norms).max() for side in (raw, scaled) for norms in side.values())
    fig, page = canvas(len(raw) * FACET_HEIGHT - 4)
    for number, width in enumerate(raw):
        _facet(page, number * FACET_HEIGHT, width, raw[width], scaled[width], highest, faded, word)
    describe(fig, _alt(raw, scaled, faded, word), title=word["title"])
    if max(raw) in LAB_WIDTHS:
        make_interactive(fig, "scale-lab", {"d": max(raw), "faded": faded}, form="gradients")
    return fig


def _norms(name: str, given) -> dict[int, np.ndarray]:
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{name}: got {type(given).__name__}; a mapping of head dimensions to norms, as in "
            f"{name}={{8: norms}}, fits"
        )
    if not 1 <= len(given) <= MOST_WIDTHS:
        raise ValueError(f"{name}: got {len(given)} head dimensions; 1 to {MOST_WIDTHS} fit")
    norms = {width: np.asarray(values, dtype=float).ravel() for width, values in given.items()}
    for width, values in norms.items():
        if values.size == 0:
            raise ValueError(f"{name}[{width}]: got no norms; one for each row of weights fits")
        # Written so that NaN is refused too.
        if not ((values >= 0) & (values <= LARGEST_NORM + 1e-6)).all():
            raise ValueError(
                f"{name}[{width}]: got numbers from {values.min():.3g} to {values.max():.3g}; the "
                f"norm of a softmax Jacobian is from 0 to {LARGEST_NORM}"
            )
    return norms


def _heights(norms: np.ndarray) -> np.ndarray:
    """The share of the rows in each bin."""
    # float32 norms may end a rounding above 1/2.
    counts, _ = np.histogram(np.minimum(norms, LARGEST_NORM), bins=BINS, range=(0, LARGEST_NORM))
    return counts / norms.size


def _facet(page, top, width, raw, scaled, highest, faded, word) -> None:
    write(page, 8, top + 12, word["facet"].format(width=width), ha="left")
    write(page, PAGE_WIDTH - RIGHT, top + 12, word["share"], ha="right", color=INK_SOFT, fontsize=SMALL)
    ax = axes_at(page, LEFT, top + 24, PAGE_WIDTH - LEFT - RIGHT, 2 * HALF_HEIGHT)
    limit = highest * HALF_HEIGHT / BAR_HEIGHT
    ax.set(xlim=(0, LARGEST_NORM), ylim=(-limit, limit))
    ax.fill_between([0, faded], -highest, highest, facecolor=PANEL, edgecolor="none", zorder=0)
    line = {"color": INK_SOFT, "linewidth": 0.8, "linestyle": (0, (3, 2)), "zorder": 0}
    ax.plot([faded, faded], [-highest, highest], **line)

    edges = np.linspace(0, LARGEST_NORM, BINS + 1)
    sides = [("raw", raw, 1, ORANGE, "////"), ("scaled", scaled, -1, BLUE, None)]
    for name, norms, direction, colour, hatch in sides:
        bars = ax.bar(
            edges[:-1],
            direction * _heights(norms),
            width=LARGEST_NORM / BINS,
            align="edge",
            facecolor=tint(colour, 0.45),
            edgecolor=colour,
        )
        if hatch:
            hatch_over(ax, bars, hatch, colour)
        for bin_number, bar in enumerate(bars):
            bar.set_gid(f"{name} {width} {bin_number}")
        mean = norms.mean()
        ax.plot([mean, mean], [0, direction * highest], color=INK, linewidth=1.8, gid=f"mean {name} {width}")
        caption = word[name].format(
            mean=decimal(mean, trim=False), share=_share_below(norms, faded), limit=decimal(faded)
        )
        middle = top + 24 + HALF_HEIGHT - direction * (HALF_HEIGHT - CAPTION_HEIGHT / 2)
        write(page, LEFT, middle, caption, ha="left", fontsize=SMALL, gid=f"caption {name} {width}")

    ax.axhline(0, color=INK, linewidth=0.8)
    ax.spines["left"].set_visible(False)
    ax.spines["bottom"].set_visible(False)
    ticks = np.arange(0, LARGEST_NORM + 0.01, 0.1)
    ax.set_xticks(ticks, [decimal(tick, 1) for tick in ticks])
    label_y = top + 24 + 2 * HALF_HEIGHT + 28
    write(page, LEFT + (PAGE_WIDTH - LEFT - RIGHT) / 2, label_y, r"$\Vert J\Vert_F$")
    step = 0.2 if highest > 0.25 else 0.1
    shares = np.arange(step, highest * 1.02, step)
    shares = np.concatenate([-shares[::-1], [0], shares])
    ax.set_yticks(shares, [_percent(abs(share)) for share in shares])
    ax.tick_params(length=0, labelsize=SMALL)


def _share_below(norms: np.ndarray, limit: float) -> str:
    """The share of the norms below `limit`; "0%" only where there are none."""
    share = (norms < limit).mean()
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return _percent(share)


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _alt(raw, scaled, faded, word) -> str:
    facets = [
        word["alt_facet"].format(
            width=width,
            limit=decimal(faded),
            raw=decimal(raw[width].mean(), trim=False),
            scaled=decimal(scaled[width].mean(), trim=False),
            raw_faded=_share_below(raw[width], faded),
            scaled_faded=_share_below(scaled[width], faded),
        )
        for width in raw
    ]
    return word["alt"].format(facets=word["between"].join(facets))
