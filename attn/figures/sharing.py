"""Which query heads read which K/V heads."""

from collections.abc import Sequence
from numbers import Integral

import numpy as np
from matplotlib.patches import Rectangle

from ..heads import repeat_heads
from .alt import describe
from .canvas import PAGE_WIDTH, canvas, panel, tint, write
from .hatching import hatch_over
from .interactive import make_interactive
from .numbers import listing
from .style import BLUE, GREEN, INK, INK_SOFT, ORANGE, PURPLE, RED, SMALL, figure_function, words

MOST_HEADS, MOST_PANELS = 16, 4

_WORDS = {
    "zh": {
        "title": "查询头与 K/V 头的连线",
        "mha": "多头注意力（MHA）",
        "gqa": "分组查询注意力（GQA）",
        "mqa": "多查询注意力（MQA）",
        "query": "查询头",
        "kv": "K/V 头",
        "alt": "连线图：上排是查询头，下排是 K/V 头，编号从 0 起。{panels}。",
        "shared": "{name}：{n_heads} 个查询头，{n_kv_heads} 个 K/V 头，相邻 {group} 个查询头共用一个",
        "own": "{name}：{n_heads} 个查询头，{n_kv_heads} 个 K/V 头，各用各的",
        "wiring_title": "重复与平铺",
        "repeat": "重复（正确）：相邻的查询头共用一个",
        "tile": "平铺（错误）：查询头轮流取用",
        "wiring_alt": (
            "连线图：{n_heads} 个查询头与 {n_kv_heads} 个 K/V 头，编号从 0 起。重复时依次读 K/V 头 {repeat}；"
            "平铺时依次读 {tile}，其中查询头 {wrong} 读错了。"
        ),
        "between": "；",
    },
    "en": {
        "title": "Wiring of query heads and K/V heads",
        "mha": "multi-head attention (MHA)",
        "gqa": "grouped-query attention (GQA)",
        "mqa": "multi-query attention (MQA)",
        "query": "query heads",
        "kv": "K/V heads",
        "alt": "Wiring diagrams: query heads above, K/V heads below, numbered from 0: {panels}.",
        "shared": "{name}, {n_heads} query heads to {n_kv_heads} K/V, {group} neighbours to each",
        "own": "{name}, {n_heads} query heads to {n_kv_heads} K/V, each its own",
        "wiring_title": "Repeat and tile",
        "repeat": "repeat (right): neighbours share one",
        "tile": "tile (wrong): query heads take turns",
        "wiring_alt": (
            "Wiring diagrams of {n_heads} query heads and {n_kv_heads} K/V heads, numbered from 0. Repeated, the query "
            "heads read K/V heads {repeat}; tiled, {tile}, which is wrong for query heads {wrong}."
        ),
        "between": "; ",
    },
}

# A K/V head is told by its number, its hatch and its colour; query heads wear those of
# the one they read.
COLOURS = [BLUE, ORANGE, GREEN, PURPLE, RED]
HATCHES = ["////", "", "\\\\\\\\", "----", "xxxx", "||||", "++++"]
LEFT, RIGHT = 74.0, 350.0
QUERY_Y, KV_Y, PANEL_HEIGHT, GAP = 46.0, 98.0, 118.0, 8.0
BOX_HEIGHT = 20.0


@figure_function
def head_sharing(n_heads: int, n_kv_heads: int | Sequence[int], *, lang: str):
    """Query heads above, K/V heads below, and who reads whom: MHA, GQA and MQA.

    Parameters
    ----------
    n_heads : number of query heads, 2 to 16.
    n_kv_heads : a divisor of n_heads, or 1 to 4 of them, one panel for each: as many
        as query heads is multi-head attention, 1 is multi-query, anything between
        grouped-query.
    lang : ``"zh"`` or ``"en"``.

    The wiring is that of `attn.repeat_heads`. Heads are numbered from 0, as in code.

    Raises TypeError, ValueError for counts that are no integers or do not divide.

    >>> from attn import figures
    >>> fig = figures.head_sharing(8, [8, 2, 1], lang="en")

    Examples
    --------
    >>> from attn import figures
    >>> fig = figures.head_sharing(8, (8, 2, 1), lang="en")
    """
    word = words(_WORDS, lang)
    n_kv_heads = [n_kv_heads] if np.ndim(n_kv_heads) == 0 else list(n_kv_heads)
    if not 1 <= len(n_kv_heads) <= MOST_PANELS:
        raise ValueError(f"n_kv_heads: got {len(n_kv_heads)} numbers; 1 to {MOST_PANELS} fit")
    for count in n_kv_heads:
        _check(n_heads, count)

    fig, ax = canvas(len(n_kv_heads) * (PANEL_HEIGHT + GAP) - GAP)
    told = []
    for number, count in enumerate(n_kv_heads):
        kind = "mha" if count == n_heads else "mqa" if count == 1 else "gqa"
        wiring = _repeated(n_heads, count)
        top = number * (PANEL_HEIGHT + GAP)
        _panel(ax, top, f"{kind} {count}", word[kind], wiring, wiring, word)
        write(ax, PAGE_WIDTH - 10, top + 15, f"{n_heads} → {count}", ha="right", color=INK_SOFT)
        how = word["own" if kind == "mha" else "shared"]
        told.append(how.format(name=word[kind], n_heads=n_heads, n_kv_heads=count, group=n_heads // count))
    describe(fig, word["alt"].format(panels=word["between"].join(told)), title=word["title"])
    return fig


@figure_function
def repeat_against_tile(n_heads: int, n_kv_heads: int, *, lang: str):
    """K/V heads repeated (0, 0, 1, 1), which is right, and tiled (0, 1, 0, 1), which is not.

    Parameters
    ----------
    n_heads : number of query heads, 2 to 16.
    n_kv_heads : a divisor of it, neither 1 nor n_heads: there the two are the same.
    lang : ``"zh"`` or ``"en"``.

    Connections that `attn.repeat_heads` does not make are dashed and marked ×.

    Raises TypeError, ValueError for counts that are no integers or do not fit.

    >>> from attn import figures
    >>> fig = figures.repeat_against_tile(4, 2, lang="en")

    Examples
    --------
    >>> from attn import figures
    >>> fig = figures.repeat_against_tile(4, 2, lang="en")
    """
    word = words(_WORDS, lang)
    _check(n_heads, n_kv_heads)
    right = _repeated(n_heads, n_kv_heads)
    tiled = np.tile(np.arange(n_kv_heads), n_heads // n_kv_heads).tolist()
    if right == tiled:
        raise ValueError(
            f"n_kv_heads: got {n_kv_heads} of {n_heads} heads, where repeating and tiling are the same; "
            "a number between 1 and n_heads fits"
        )
    fig, ax = canvas(2 * PANEL_HEIGHT + GAP)
    _panel(ax, 0, "repeat", word["repeat"], right, right, word)
    _panel(ax, PANEL_HEIGHT + GAP, "tile", word["tile"], tiled, right, word)
    alt = word["wiring_alt"].format(
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        repeat=listing(right, lang),
        tile=listing(tiled, lang),
        wrong=listing([head for head in range(n_heads) if tiled[head] != right[head]], lang),
    )
    describe(fig, alt, title=word["wiring_title"])
    make_interactive(fig, "head-sharing", {"n_heads": n_heads, "n_kv_heads": n_kv_heads})
    return fig


def _check(n_heads, n_kv_heads) -> None:
    for name, value in (("n_heads", n_heads), ("n_kv_heads", n_kv_heads)):
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise TypeError(f"{name}: got {value!r}; an integer fits")
    if not 2 <= n_heads <= MOST_HEADS:
        raise ValueError(f"n_heads: got {n_heads}; 2 to {MOST_HEADS} fit")
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads: got {n_kv_heads}; a divisor of n_heads = {n_heads} fits")


def _repeated(n_heads: int, n_kv_heads: int) -> list[int]:
    """The K/V head of each query head, asked of the library itself."""
    numbered = np.arange(n_kv_heads).reshape(-1, 1, 1)
    return repeat_heads(numbered, n_heads).astype(int).ravel().tolist()


def _panel(ax, top, name, title, wiring: list[int], right: list[int], word) -> None:
    n_heads, n_kv_heads = len(wiring), max(wiring) + 1
    panel(ax, 0, top, PAGE_WIDTH, PANEL_HEIGHT)
    write(ax, 10, top + 15, title, ha="left", gid=f"title {name}")
    pitch = (RIGHT - LEFT) / n_heads
    width = min(30.0, pitch - 3)
    query_x = [LEFT + (head + 0.5) * pitch for head in range(n_heads)]
    group = n_heads // n_kv_heads
    kv_x = [np.mean(query_x[kv * group : (kv + 1) * group]) for kv in range(n_kv_heads)]
    for y, row in ((QUERY_Y, "query"), (KV_Y, "kv")):
        write(ax, 10, top + y, word[row], ha="left", color=INK_SOFT, fontsize=SMALL)

    start, end = top + QUERY_Y + BOX_HEIGHT / 2, top + KV_Y - BOX_HEIGHT / 2
    for head, kv in enumerate(wiring):
        wrong = kv != right[head]
        ax.plot(
            [query_x[head], kv_x[kv]],
            [start, end],
            color=INK if wrong else COLOURS[kv % len(COLOURS)],
            linewidth=1.4,
            linestyle=(0, (3, 2)) if wrong else "-",
            gid=f"{name} wire {head} {kv}",
        )
        _box(ax, query_x[head], top + QUERY_Y, width, head, kv, f"query {name} {head}")
        if wrong:
            write(ax, query_x[head], top + QUERY_Y - BOX_HEIGHT / 2 - 7, "×", gid=f"wrong {name} {head}")
    for kv, x in enumerate(kv_x):
        _box(ax, x, top + KV_Y, min(30.0, group * pitch - 3), kv, kv, f"kv {name} {kv}")


def _box(ax, x, y, width, number: int, kv: int, gid: str) -> None:
    """A head with its number, in the look of the K/V head `kv`."""
    colour, hatch = COLOURS[kv % len(COLOURS)], HATCHES[kv % len(HATCHES)]
    box = Rectangle(
        (x - width / 2, y - BOX_HEIGHT / 2),
        width,
        BOX_HEIGHT,
        facecolor=tint(colour, 0.3),
        edgecolor=colour,
        linewidth=1.2,
        zorder=2,
        gid=gid,
    )
    ax.add_patch(box)
    if hatch:
        hatch_over(ax, [box], hatch, tint(colour, 0.6))
    write(ax, x, y, str(number), fontsize=SMALL, gid=gid)
