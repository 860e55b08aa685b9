"""What changes when keys, values or both are replaced, and that the changes do not add."""

import numpy as np

from ..interventions import FourWays
from .alt import describe
from .canvas import axes_at, canvas, tint, write
from .hatching import hatch_over
from .interactive import make_interactive
from .numbers import decimal
from .origin import lesson_of
from .style import GRID, INK, INK_SOFT, KEY, OUTPUT, SMALL, VALUE, figure_function, words

MOST_COORDINATES = 4

_WORDS = {
    "zh": {
        "title": "只换 K、只换 V 与都换",
        "coordinate": "输出的第 {i} 个分量",
        "original": "原来",
        "k_only": "只换 K",
        "v_only": "只换 V",
        "added": "两个变化相加",
        "both": "K、V 都换",
        "output": "输出",
        "change": "变化",
        "interaction": "交互",
        "alt": (
            "条形图：第 {row} 行的输出，每个分量一组横条，依次是原来、只换 K、只换 V、"
            "把这两个变化相加、K 与 V 都换。{groups}。"
        ),
        "group": (
            "第 {i} 个分量：{original}、{k_only}、{v_only}、{added}、{both}，"
            "交互（都换减去相加）{interaction}"
        ),
        "between": "；",
    },
    "en": {
        "title": "K only, V only, and both",
        "coordinate": "output coordinate {i}",
        "original": "original",
        "k_only": "K only",
        "v_only": "V only",
        "added": "changes added",
        "both": "both",
        "output": "output",
        "change": "change",
        "interaction": "interaction",
        "alt": (
            "Bar chart of the output of row {row}, a group of bars for each coordinate: original, "
            "K only replaced, V only replaced, these two changes added, both replaced. {groups}."
        ),
        "group": (
            "Coordinate {i}: {original}, {k_only}, {v_only}, {added}, {both}; "
            "interaction (both minus added) {interaction}"
        ),
        "between": ". ",
    },
}

# The bars of a group, top to bottom: name, colour, hatch. "added" is drawn as an empty
# outline: nothing computes it but the belief that changes add up.
BARS = [
    ("original", INK_SOFT, None),
    ("k_only", KEY, "////"),
    ("v_only", VALUE, "\\\\\\\\"),
    ("added", INK_SOFT, None),
    ("both", OUTPUT, "xxxx"),
]
PITCH = 21.0
LEFT, BARS_WIDTH = 92.0, 168.0
VALUE_X, CHANGE_X = 306.0, 354.0


@figure_function
def intervention_chart(four: FourWays, *, lang: str, row: int = -1):
    """The output of one row in four cases, and what both would be if changes added up.

    Parameters
    ----------
    four : what `attn.four_ways` returns, for one head and an output at most 4 wide.
    lang : ``"zh"`` or ``"en"``.
    row : the row, counted from 0; -1 is the last.

    Each coordinate has its group of bars, all groups on one scale. The heavy line at
    the last bar is the interaction: both changes together minus their sum.

    Raises ValueError for several heads, a wider output, a row out of range.

    >>> from attn import figures, four_ways, lessons
    >>> trace = lessons.three_positions().trace()
    >>> ways = four_ways(trace, k={1: 2 * trace.k[1]}, v={1: 2 * trace.v[1]})
    >>> fig = figures.intervention_chart(ways, lang="en", row=2)
    """
    word = words(_WORDS, lang)
    output = four.original.output
    if output.ndim != 2 or not 1 <= output.shape[1] <= MOST_COORDINATES:
        raise ValueError(
            f"four: got outputs of shape {output.shape}; one head with an output of 1 to "
            f"{MOST_COORDINATES} columns fits"
        )
    n = len(output)
    if not -n <= row < n:
        raise ValueError(f"row: got {row}; {-n} to {n - 1} fits")
    row %= n
    cases = {
        "original": output[row],
        "k_only": four.k_only.output[row],
        "v_only": four.v_only.output[row],
        "added": output[row] + four.k_change[row] + four.v_change[row],
        "both": four.both.output[row],
    }
    everything = np.concatenate(list(cases.values()))
    low, high = min(0.0, everything.min()), max(0.0, everything.max())

    group_height = 28 + (len(BARS) + 1) * PITCH + 16
    columns = output.shape[1]
    fig, page = canvas(columns * group_height)
    for column in range(columns):
        top = column * group_height
        numbers = {name: values[column] for name, values in cases.items()}
        _group(page, top, column, numbers, (low, high), word)
    describe(fig, _alt(cases, four.interaction[row], row, word, lang), title=word["title"])
    if data := _interactive_data(four, row):
        make_interactive(fig, "intervention-bench", data)
    return fig


def _group(page, top, column, numbers, limits, word) -> None:
    """The bars of one coordinate."""
    write(page, 8, top + 14, word["coordinate"].format(i=column + 1), ha="left")
    for x, name in ((VALUE_X, "output"), (CHANGE_X, "change")):
        write(page, x, top + 14, word[name], ha="right", color=INK_SOFT, fontsize=SMALL)
    top += 28
    ax = axes_at(page, LEFT, top, BARS_WIDTH, (len(BARS) + 1) * PITCH)
    ax.set(xlim=limits, ylim=(len(BARS) + 0.5, -0.5))
    ax.axis("off")
    ax.axvline(0, color=INK_SOFT, linewidth=0.8)
    ax.axvline(numbers["original"], color=GRID, linewidth=1, zorder=0)

    for position, (name, colour, hatch) in enumerate(BARS):
        y = top + (position + 0.5) * PITCH
        outline = name == "added"
        bars = ax.barh(
            position,
            numbers[name],
            height=0.62,
            facecolor="none" if outline else tint(colour, 0.3),
            edgecolor=colour,
            linestyle=(0, (3, 2)) if outline else "-",
            clip_on=False,
        )
        bars.patches[0].set_gid(f"{name} {column}")
        if hatch:
            hatch_over(ax, bars, hatch, colour)
        write(page, LEFT - 8, y, word[name], ha="right", fontsize=SMALL)
        output = decimal(numbers[name], trim=False)
        write(page, VALUE_X, y, output, ha="right", gid=f"output {name} {column}")
        if name != "original":
            change = signed(numbers[name] - numbers["original"], trim=False)
            write(page, CHANGE_X, y, change, ha="right", color=INK_SOFT, gid=f"change {name} {column}")

    # Down from the end of "added", and along to the end of "both".
    added, both = numbers["added"], numbers["both"]
    last = len(BARS)
    for x, start in ((added, 3.31), (both, 4.31)):
        ax.plot([x, x], [start, last + 0.15], color=INK, linewidth=0.9, linestyle=":", clip_on=False)
    ax.plot([added, both], [last, last], color=INK, linewidth=3, solid_capstyle="butt", clip_on=False)
    y = top + (last + 0.5) * PITCH
    write(page, LEFT - 8, y, word["interaction"], ha="right", fontsize=SMALL)
    change = signed(both - added, trim=False)
    write(page, CHANGE_X, y, change, ha="right", gid=f"interaction {column}")


def _interactive_data(four: FourWays, row: int) -> dict | None:
    """What a reader can edit: the one input that the new key and the new value come from.

    None where the tables are no lesson's, or another input would be needed for each.
    """
    original, both = four.original, four.both
    lesson = lesson_of(original)
    changed = np.flatnonzero((both.k != original.k).any(axis=1) | (both.v != original.v).any(axis=1))
    if lesson is None or original.visible is not None or len(changed) != 1:
        return None
    position = changed[0]
    edited = np.linalg.lstsq(lesson.w_k.T, both.k[position], rcond=None)[0]
    edited = np.round(edited, 9) + 0.0  # an input is a short decimal; 0 has no sign
    if not (np.allclose(edited @ lesson.w_k, both.k[position]) and np.allclose(edited @ lesson.w_v, both.v[position])):
        return None
    return {
        "x": lesson.x,
        "wk": lesson.w_k,
        "wv": lesson.w_v,
        "q": original.q,
        "scale": original.scale,
        "position": position,
        "edited": edited,
        "row": row,
    }


def signed(value: float, *, trim: bool = True) -> str:
    """A change, with its sign: `+0.15`, `−0.3`, `0`."""
    text = decimal(value, trim=trim)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"


def _alt(cases, interaction, row: int, word, lang: str) -> str:
    groups = [
        word["group"].format(
            i=i + 1,
            interaction=signed(interaction[i]),
            **{name: decimal(values[i]) for name, values in cases.items()},
        )
        for i in range(len(interaction))
    ]
    return word["alt"].format(row=row + 1, groups=word["between"].join(groups))
