"""The intervention chart shows that the change through K and the one through V do not add."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts, texts
from matplotlib.patches import Rectangle

import attn
from attn import figures, lessons

matplotlib.use("agg")

CASES = ["original", "k_only", "v_only", "added", "both"]
# CONTENT: original [1.5, 0.75], K only [1.2, 0.8], V only [1.5, 1.0], both [1.2, 1.2];
# added = [1.5 − 0.3 + 0, 0.75 + 0.05 + 0.25].
LENGTHS = {0: [1.5, 1.2, 1.5, 1.2, 1.2], 1: [0.75, 0.8, 1.0, 1.05, 1.2]}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def lesson_ways():
    edited = lessons.three_positions(x2=(0, 2)).trace()
    return attn.four_ways(lessons.three_positions().trace(), k={1: edited.k[1]}, v={1: edited.v[1]})


def bars(fig):
    return {p.get_gid(): p.get_width() for p in fig.findobj(Rectangle) if p.get_gid()}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_bars_have_the_lengths_of_the_outputs(lang):
    drawn = bars(figures.intervention_chart(lesson_ways(), lang=lang, row=2))
    for column, lengths in LENGTHS.items():
        assert [drawn[f"{name} {column}"] for name in CASES] == pytest.approx(lengths, abs=1e-12)


def test_numbers_beside_the_bars():
    shown = texts(figures.intervention_chart(lesson_ways(), lang="en", row=2))
    assert [shown[f"output {name} 1"] for name in CASES] == ["0.75", "0.80", "1.00", "1.05", "1.20"]
    assert [shown[f"change {name} 1"] for name in CASES[1:]] == ["+0.05", "+0.25", "+0.30", "+0.45"]
    assert [shown[f"change {name} 0"] for name in CASES[1:]] == ["−0.30", "0.00", "−0.30", "−0.30"]
    assert (shown["interaction 0"], shown["interaction 1"]) == ("0.00", "+0.15")


def test_interaction_is_drawn_from_added_to_both():
    fig = figures.intervention_chart(lesson_ways(), lang="en", row=2)
    heavy = [line.get_xdata() for ax in fig.axes for line in ax.lines if line.get_linewidth() == 3]
    assert np.allclose(heavy, [[1.2, 1.2], [1.05, 1.2]])


def test_no_interaction_where_nothing_is_replaced():
    trace = lessons.three_positions().trace()
    same = attn.four_ways(trace, k={1: trace.k[1]}, v={1: trace.v[1]})
    shown = texts(figures.intervention_chart(same, lang="en"))
    assert {text for gid, text in shown.items() if gid.startswith(("change", "interaction"))} == {"0.00"}


def test_another_row():
    drawn = bars(figures.intervention_chart(lesson_ways(), lang="en", row=0))
    assert drawn["original 0"] == pytest.approx(1.6)


@pytest.mark.parametrize(
    "lang, parts",
    [
        ("zh", ["条形图", "第 3 行", "1.5、1.2、1.5、1.2、1.2", "0.75、0.8、1、1.05、1.2", "+0.15"]),
        ("en", ["Bar chart", "row 3", "1.5, 1.2, 1.5, 1.2, 1.2", "0.75, 0.8, 1, 1.05, 1.2", "+0.15"]),
    ],
)
def test_alt_text_has_the_numbers(lang, parts):
    alt = figures.description(figures.intervention_chart(lesson_ways(), lang=lang, row=2))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_no_text_overlaps_with_negative_outputs(lang, columns):
    rng = np.random.default_rng(0)
    trace = attn.trace(*rng.normal(size=(2, 3, 4)), 3 * rng.normal(size=(3, columns)))
    ways = attn.four_ways(trace, k={0: rng.normal(size=4)}, v={0: rng.normal(size=columns)})
    fig = figures.intervention_chart(ways, lang=lang)
    assert (trace.output < 0).any()
    assert overlapping_texts(fig) == []


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="row: got 5; -3 to 2 fits"):
        figures.intervention_chart(lesson_ways(), lang="en", row=5)
    wide = attn.four_ways(attn.trace(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 5))), k={0: [1, 2]}, v={})
    with pytest.raises(ValueError, match=r"four: got outputs of shape \(2, 5\)"):
        figures.intervention_chart(wide, lang="en")
    with pytest.raises(ValueError, match="lang: got 'de'"):
        figures.intervention_chart(lesson_ways(), lang="de")
