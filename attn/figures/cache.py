"""How the KV cache of published models grows with the context."""

from collections.abc import Sequence
from numbers import Integral

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..models import ModelShape
from .alt import describe
from .canvas import axes_at, canvas, write
from .interactive import make_interactive
from .numbers import decimal
from .style import BLUE, GREEN, INK_SOFT, ORANGE, PURPLE, SMALL, figure_function, words

_WORDS = {
    "zh": {
        "title": "KV 缓存随上下文增长",
        "bytes": "KV 缓存（{unit}，每个数 {bytes_per_number} 字节）",
        "tokens": "上下文长度（词元）",
        "rate": "每词元 {rate} 字节",
        "alt": (
            "折线图：横轴是上下文长度，0 到 {longest} 个词元；竖轴是一条序列在所有层的 KV 缓存，"
            "每个数占 {bytes_per_number} 字节。都是过原点的直线，到末端：{models}。"
        ),
        "model": "{name} {size}（每词元 {rate} 字节）",
        "between": "；",
    },
    "en": {
        "title": "KV cache against context",
        "bytes": "KV cache ({unit}, {bytes_per_number} bytes a number)",
        "tokens": "context length (tokens)",
        "rate": "{rate} bytes a token",
        "alt": (
            "Line chart: along, the context length from 0 to {longest} tokens; up, the KV cache of one sequence in "
            "all layers, {bytes_per_number} bytes a number. All are straight lines from zero, ending at: {models}."
        ),
        "model": "{name} {size} ({rate} bytes a token)",
        "between": "; ",
    },
}

# Colour, dash and marker of each line: none needs the colour to be told from the others.
LOOKS = [
    (BLUE, "-", "o"),
    (ORANGE, (0, (6, 2)), "s"),
    (GREEN, (0, (2, 1.5)), "^"),
    (PURPLE, (0, (7, 2, 1.5, 2)), "D"),
]
LEFT, TOP, WIDTH, HEIGHT = 34.0, 30.0, 196.0, 204.0
LABEL_X, LABEL_HEIGHT = LEFT + WIDTH + 16, 48.0

# What the interactive calculator can be set to.
CALCULATOR_LENGTHS = [2**exponent for exponent in range(21)]
CALCULATOR_BYTES = (1, 2, 4)


@figure_function
def cache_growth(shapes: Sequence[ModelShape], *, lang: str, longest: int = 32_768, bytes_per_number: int = 2):
    """Bytes of the KV cache against context length, a line for each model.

    Parameters
    ----------
    shapes : 1 to 4 of `attn.models`; a line is `cache_bytes_per_token` times the length.
    lang : ``"zh"`` or ``"en"``.
    longest : where the axis ends, in tokens.
    bytes_per_number : 2 for bfloat16 and float16, 4 for float32.

    Sizes are of one sequence and all layers, in MiB or GiB (powers of 1024).

    Raises TypeError for anything but model shapes, ValueError for more than fits.

    >>> from attn import figures, models
    >>> fig = figures.cache_growth([models.QWEN3_0_6B, models.QWEN2_5_7B], lang="en")

    Examples
    --------
    >>> from attn import figures, models
    >>> fig = figures.cache_growth([models.QWEN3_0_6B, models.QWEN2_5_7B], lang="en")
    """
    word = words(_WORDS, lang)
    shapes = list(shapes)
    if not all(isinstance(shape, ModelShape) for shape in shapes):
        raise TypeError(f"shapes: got {shapes!r}; a sequence of attn.models.ModelShape fits")
    if not 1 <= len(shapes) <= len(LOOKS):
        raise ValueError(f"shapes: got {len(shapes)} models; 1 to {len(LOOKS)} fit")
    if not isinstance(longest, Integral):
        raise TypeError(f"longest: got {longest!r}; a number of tokens (an integer) fits")
    if longest < 2:
        raise ValueError(f"longest: got {longest}; at least 2 tokens fit")
    rates = [shape.cache_bytes_per_token(bytes_per_number=bytes_per_number) for shape in shapes]
    unit, size = ("GiB", 2**30) if max(rates) * longest >= 2**30 else ("MiB", 2**20)

    fig, page = canvas(TOP + HEIGHT + 42)
    ax = axes_at(page, LEFT, TOP, WIDTH, HEIGHT)
    tokens = np.linspace(0, longest, 5)
    ends = [rate * longest / size for rate in rates]
    for shape, rate, (colour, dash, marker) in zip(shapes, rates, LOOKS, strict=False):
        ax.plot(
            tokens,
            rate * tokens / size,
            color=colour,
            linestyle=dash,
            marker=marker,
            markersize=5,
            markevery=(1, 1),
            clip_on=False,
            gid=shape.name,
        )
    top = max(ends) * 1.04
    ax.set(xlim=(0, longest), ylim=(0, top))
    ax.grid(axis="y")
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(lambda tick, _: decimal(tick))
    ax.set_xticks(tokens[::2], [f"{tick:,.0f}" for tick in tokens[::2]])
    ax.tick_params(length=0, labelsize=SMALL)
    label = word["bytes"].format(unit=unit, bytes_per_number=bytes_per_number)
    write(page, 8, 12, label, ha="left", fontsize=SMALL)
    write(page, LEFT + WIDTH / 2, TOP + HEIGHT + 31, word["tokens"], fontsize=SMALL)
    _labels(page, shapes, rates, ends, top, unit, word)
    sizes = [f"{decimal(end)} {unit}" for end in ends]
    models = [
        word["model"].format(name=shape.name, size=end, rate=f"{rate:,}")
        for shape, end, rate in zip(shapes, sizes, rates)
    ]
    alt = word["alt"].format(
        longest=f"{longest:,}", bytes_per_number=bytes_per_number, models=word["between"].join(models)
    )
    describe(fig, alt, title=word["title"])
    if longest in CALCULATOR_LENGTHS and bytes_per_number in CALCULATOR_BYTES:
        models = [
            {"name": shape.name, "layers": shape.n_layers, "kvHeads": shape.n_kv_heads, "headDim": shape.head_dim}
            for shape in shapes
        ]
        make_interactive(fig, "cache-size", {"models": models, "tokens": longest, "bytes": bytes_per_number})
    return fig


def _labels(page, shapes, rates, ends, top, unit, word) -> None:
    """The name of each line at its end, moved apart where two would meet."""
    at = [TOP + HEIGHT * (1 - end / top) for end in ends]
    for number, y in zip(np.argsort(at), _apart(sorted(at), LABEL_HEIGHT)):
        shape, colour = shapes[number], LOOKS[number][0]
        page.plot([LEFT + WIDTH + 5, LABEL_X - 3], [at[number], y], color=colour, linewidth=0.8)
        style = {"ha": "left", "fontsize": SMALL}
        write(page, LABEL_X, y - 14, shape.name, gid=f"name {shape.name}", **style)
        write(page, LABEL_X, y, f"{decimal(ends[number])} {unit}", gid=f"end {shape.name}", **style)
        rate = word["rate"].format(rate=f"{rates[number]:,}")
        write(page, LABEL_X, y + 14, rate, color=INK_SOFT, gid=f"rate {shape.name}", **style)


def _apart(places: list[float], distance: float) -> list[float]:
    """Ascending places moved as little as needed to lie `distance` apart, above the axis."""
    placed = []
    for place in places:
        placed.append(max(place, placed[-1] + distance) if placed else place)
    lowest = TOP + HEIGHT - 14
    for i in range(len(placed) - 1, -1, -1):
        placed[i] = min(placed[i], lowest)
        lowest = placed[i] - distance
    return placed
