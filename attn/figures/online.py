"""Online softmax: what is remembered after each block, and how old sums are rescaled."""

from collections.abc import Iterable

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from ..core import Trace
from ..streaming import StreamingStep
from .alt import describe
from .canvas import PAGE_WIDTH, canvas, end_of, panel, tint, write
from .hatching import hatch_over
from .interactive import make_interactive
from .numbers import as_fraction, decimal, listing, vector
from .style import BLUE, INK_SOFT, ORANGE, SMALL, figure_function, words

MOST_STEPS, MOST_KEYS, MOST_COLUMNS = 6, 8, 3
MOST_POWER = 3  # the interactive figure has scores from 0 to 3 ln 2, so that all sums are fractions

_WORDS = {
    "zh": {
        "title": "在线 softmax 的步骤",
        "step": "第 {n} 步：读 {keys}",
        "score": "缩放后的得分 $s$ = {scores}",
        "maximum": "最大值 $m$",
        "terms": "取指数 $e^{s-m}$",
        "total": "和",
        "weighted": "加权和",
        "output": "输出",
        "so_far": "至此输出",
        "rescaled": "旧的和 × {factor}",
        "alt": "在线 softmax 分 {n} 步读完 {keys} 个键，第 {row} 行：{steps}。最后的输出是 {output}。",
        "alt_step": "第 {n} 步{rescaled}，最大值 {maximum}，取指数后的和 {total}，加权和 {weighted}",
        "alt_rescaled": "先把旧的和乘以 {factor}",
        "between": "；",
    },
    "en": {
        "title": "Online softmax in steps",
        "step": "step {n}: read {keys}",
        "score": "scaled score $s$ = {scores}",
        "maximum": "maximum $m$",
        "terms": "terms $e^{s-m}$",
        "total": "sum",
        "weighted": "weighted sum",
        "output": "output",
        "so_far": "output so far",
        "rescaled": "old sums × {factor}",
        "alt": (
            "Online softmax of row {row} reads {keys} keys in {n} steps: {steps}. "
            "The output at the end is {output}."
        ),
        "alt_step": "step {n}, {rescaled}maximum {maximum}, sum of exponentials {total}, weighted sum {weighted}",
        "alt_rescaled": "old sums times {factor}, ",
        "between": "; ",
    },
}

NAME_X, TEXT_X, RIGHT = 10.0, 92.0, PAGE_WIDTH - 10
BAR_WIDTH, BAR_HEIGHT, GHOST_HEIGHT, FUNNEL = 172.0, 18.0, 10.0, 12.0
LINE, GAP = 18.0, 8.0


@figure_function
def online_softmax(trace: Trace, steps: Iterable[StreamingStep], *, lang: str, row: int = -1):
    """One row's softmax and output, one block of keys after another.

    Parameters
    ----------
    trace : the steps of one head; its row of masked scores and its values are what
        the blocks hold. At most 8 keys, values at most 3 wide.
    steps : what `attn.streaming_steps` yields for the same arguments; at most 6 blocks.
    lang : ``"zh"`` or ``"en"``.
    row : the row, counted from 0; -1 is the last.

    A bar is the running sum, one part for each key read so far, all bars to one scale.
    Where a block raises the maximum, the bar before is drawn above it, and shrinks.

    Raises ValueError for several heads, a row out of range, more than fits, and steps
    that are not those of the trace.

    >>> from attn import figures, lessons, streaming_steps
    >>> trace = lessons.three_positions().trace()
    >>> steps = streaming_steps(trace.q, trace.k, trace.v)
    >>> fig = figures.online_softmax(trace, steps, lang="en")

    Examples
    --------
    >>> from attn import figures, lessons, streaming_steps
    >>> trace = lessons.three_positions().trace()
    >>> fig = figures.online_softmax(trace, streaming_steps(trace.q, trace.k, trace.v), lang="en")
    """
    word = words(_WORDS, lang)
    steps = list(steps)
    row = _checked_row(trace, steps, row)
    scores = trace.masked[row]
    records = [_record(scores, before, step, row) for before, step in zip([None, *steps], steps)]

    longest = max(max(record["total"], record["before"]) for record in records) or 1
    heights = [_band_height(record) for record in records]
    fig, ax = canvas(sum(heights) + GAP * (len(records) - 1))
    top = 0.0
    for n, (record, height) in enumerate(zip(records, heights)):
        panel(ax, 0, top, PAGE_WIDTH, height)
        _band(ax, top, n, record, trace.v, BAR_WIDTH / longest, n == len(records) - 1, word, lang)
        top += height + GAP
    describe(fig, _alt(records, len(scores), row, word), title=word["title"])
    powers = _powers_of_two(scores)
    if powers is not None:
        block = steps[0].keys.stop - steps[0].keys.start
        make_interactive(fig, "online-softmax", {"powers": powers, "v": trace.v, "block": block})
    return fig


def _powers_of_two(scores) -> list[int] | None:
    """Scores as multiples of ln 2, so that their exponentials are powers of two; or None."""
    multiples = scores / np.log(2)
    if not np.isfinite(multiples).all() or np.abs(multiples - np.rint(multiples)).max() > 1e-9:
        return None
    powers = np.rint(multiples).astype(int).tolist()
    return powers if 0 <= min(powers) and max(powers) <= MOST_POWER else None


def _checked_row(trace: Trace, steps: list[StreamingStep], row: int) -> int:
    if trace.weights.ndim != 2:
        raise ValueError(f"trace: got weights of shape {trace.weights.shape}; one head, (n_q, n_k), fits")
    n_query, n_key = trace.weights.shape
    if not 1 <= n_key <= MOST_KEYS or trace.v.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"trace: got {n_key} keys and values {trace.v.shape[1]} wide; 1 to {MOST_KEYS} keys and "
            f"values at most {MOST_COLUMNS} wide fit"
        )
    if not -n_query <= row < n_query:
        raise ValueError(f"row: got {row}; {-n_query} to {n_query - 1} fits")
    if not 1 <= len(steps) <= MOST_STEPS:
        raise ValueError(f"steps: got {len(steps)} blocks; 1 to {MOST_STEPS} fit")
    ends = [0, *(step.keys.stop for step in steps)]
    starts = [step.keys.start for step in steps]
    if starts != ends[:-1] or ends[-1] != n_key or not _agree(trace, steps):
        raise ValueError(
            "steps: got other steps than those of trace; attn.streaming_steps with the arguments "
            "of the trace fits"
        )
    return row % n_query


def _agree(trace: Trace, steps: list[StreamingStep]) -> bool:
    output = steps[-1].output
    return output.shape == trace.output.shape and np.allclose(output, trace.output, rtol=1e-5, atol=1e-6)


def _record(scores, before: StreamingStep | None, step: StreamingStep, row: int) -> dict:
    """The numbers of one step of one row."""
    maximum = float(step.maximum[row])
    old_maximum = -np.inf if before is None else float(before.maximum[row])
    # Nothing was visible before: nothing to rescale.
    factor = 1.0 if old_maximum == -np.inf else float(np.exp(old_maximum - maximum))
    read = scores[: step.keys.stop]
    return {
        "keys": range(step.keys.start, step.keys.stop),
        "scores": scores[step.keys],
        "factor": factor,
        "terms": np.exp(read - maximum) if maximum > -np.inf else np.zeros(len(read)),
        "old_maximum": old_maximum,
        "maximum": maximum,
        "before": 0.0 if before is None else float(before.total[row]),
        "total": float(step.total[row]),
        "old_weighted": None if before is None else before.weighted[row],
        "weighted": step.weighted[row],
        "output": step.output[row],
    }


def _rescaled(record: dict) -> bool:
    return record["factor"] < 1


def _band_height(record: dict) -> float:
    bars = BAR_HEIGHT + (GHOST_HEIGHT + FUNNEL if _rescaled(record) else 0)
    return 24 + LINE + 4 + bars + 6 + 3 * LINE + 4


def _band(ax, top, n, record, values, scale, last, word, lang) -> None:
    title = word["step"].format(n=n + 1, keys=_keys(record["keys"], lang))
    written = write(ax, NAME_X, top + 14, title, ha="left", gid=f"step {n}")
    score = word["score"].format(scores=listing(map(decimal, record["scores"]), lang))
    style = {"color": INK_SOFT, "gid": f"scores {n}"}
    _write_fitting(ax, end_of(written) + 12, top + 14, [score, ""], **style)

    y = top + 24 + LINE / 2
    _line(ax, y, word["maximum"], _maximum(record), f"maximum {n}")
    y += LINE / 2 + 4
    if _rescaled(record):
        _ghost(ax, y, n, record, scale, word)
        y += GHOST_HEIGHT + FUNNEL
    write(ax, NAME_X, y + BAR_HEIGHT / 2, word["terms"], ha="left", color=INK_SOFT)
    _bar(ax, y, n, record, scale)
    y += BAR_HEIGHT + 6 + LINE / 2

    lines = {
        "total": _sum(record),
        "weighted": _weighted_sum(record, values),
        "output": [f"{vector(record['weighted'])} ÷ {_number(record['total'])} = {vector(record['output'])}"],
    }
    if record["total"] == 0:
        lines["output"] = [vector(record["output"])]
    names = {**word, "output": word["output"] if last else word["so_far"]}
    for name, candidates in lines.items():
        _line(ax, y, names[name], candidates, f"{name} {n}")
        y += LINE


def _ghost(ax, y, n, record, scale, word) -> None:
    """The sum as it was before this block, and how it shrinks."""
    before, after = record["before"] * scale, record["before"] * record["factor"] * scale
    bottom = y + GHOST_HEIGHT
    ax.add_patch(
        Rectangle(
            (TEXT_X, y), before, GHOST_HEIGHT, fill=False, edgecolor=BLUE, linestyle=(0, (3, 2)), gid=f"before {n}"
        )
    )
    end = bottom + FUNNEL
    corners = [(TEXT_X, bottom), (TEXT_X + before, bottom), (TEXT_X + after, end), (TEXT_X, end)]
    ax.add_patch(Polygon(corners, facecolor=tint(BLUE, 0.18), edgecolor="none"))
    text = word["rescaled"].format(factor=_number(record["factor"]))
    middle = y + (GHOST_HEIGHT + FUNNEL) / 2 - 2
    write(ax, TEXT_X + before + 8, middle, text, ha="left", fontsize=SMALL, gid=f"factor {n}")


def _bar(ax, y, n, record, scale) -> None:
    """The running sum: what was there (hatched), then what this block adds."""
    x = TEXT_X
    for j, term in enumerate(record["terms"]):
        width = term * scale
        if width == 0:
            continue
        new = j in record["keys"]
        colour = ORANGE if new else BLUE
        part = Rectangle(
            (x, y), width, BAR_HEIGHT, facecolor=tint(colour, 0.4), edgecolor=colour, gid=f"term {n} {j}"
        )
        ax.add_patch(part)
        text = _number(term)
        if not new:
            hatch_over(ax, [part], "////", tint(BLUE, 0.5))
        if width > 7 * len(text):
            write(ax, x + width / 2, y + BAR_HEIGHT / 2, text, fontsize=SMALL, gid=f"term {n} {j}")
        x += width


def _maximum(record: dict) -> list[str]:
    """The new maximum as the largest of the old one and the block's scores, or alone."""
    compared = [decimal(score) for score in record["scores"]]
    if record["old_weighted"] is not None:
        compared.insert(0, decimal(record["old_maximum"]))
    maximum = decimal(record["maximum"])
    return [f"max({', '.join(compared)}) = {maximum}", maximum] if len(compared) > 1 else [maximum]


def _sum(record: dict) -> list[str]:
    new = [_number(record["terms"][j]) for j in record["keys"]]
    total = _number(record["total"])
    if record["old_weighted"] is None:
        parts = new
    else:
        parts = [_scaled(record["factor"], _number(record["before"])), *new]
    return [f"{' + '.join(parts)} = {total}", total] if len(parts) > 1 else [total]


def _weighted_sum(record: dict, values) -> list[str]:
    """The weighted sum written out, and shorter, for where that is too long."""
    result = vector(record["weighted"])
    products = [f"{_number(record['terms'][j])} × {vector(values[j])}" for j in record["keys"]]
    if record["old_weighted"] is None:
        return [f"{' + '.join(products)} = {result}", result]
    old = _scaled(record["factor"], vector(record["old_weighted"]))
    block = sum(record["terms"][j] * values[j] for j in record["keys"])
    return [
        f"{' + '.join([old, *products])} = {result}",
        f"{old} + {vector(block)} = {result}",
        result,
    ]


def _scaled(factor: float, text: str) -> str:
    return text if factor == 1 else f"{_number(factor)} × {text}"


def _number(value: float) -> str:
    """A sum as a decimal, a share of 1 as a fraction where it is exact."""
    fraction = as_fraction(value)
    return str(fraction) if fraction is not None and 0 < fraction < 1 else decimal(value)


def _keys(keys: range, lang: str) -> str:
    names = [f"$k_{j + 1}$" for j in keys]
    return listing(names, lang) if len(names) <= 2 else f"{names[0]} … {names[-1]}"


def _line(ax, y, name: str, candidates: list[str], gid: str) -> None:
    write(ax, NAME_X, y, name, ha="left", color=INK_SOFT, fontsize=SMALL)
    _write_fitting(ax, TEXT_X, y, candidates, gid=gid)


def _write_fitting(ax, x, y, candidates: list[str], **style) -> None:
    """The first of the texts that ends on the page, or the last."""
    for text in candidates:
        written = write(ax, x, y, text, ha="left", fontsize=SMALL, **style)
        if end_of(written) <= RIGHT or text is candidates[-1]:
            return
        written.remove()


def _alt(records, n_key: int, row: int, word) -> str:
    steps = [
        word["alt_step"].format(
            n=n + 1,
            rescaled=word["alt_rescaled"].format(factor=_number(record["factor"])) if _rescaled(record) else "",
            maximum=decimal(record["maximum"]),
            total=_number(record["total"]),
            weighted=vector(record["weighted"]),
        )
        for n, record in enumerate(records)
    ]
    return word["alt"].format(
        n=len(records),
        keys=n_key,
        row=row + 1,
        steps=word["between"].join(steps),
        output=vector(records[-1]["output"]),
    )
