"""The four steps of a softmax, as bars of the right height."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import every_text, overlapping_texts, texts
from matplotlib.patches import Rectangle

from attn import figures, lessons

matplotlib.use("agg")
STEPS = ["scores", "shifted", "exponentials", "shares"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def heights(fig, name):
    bars = {p.get_gid(): p.get_height() for p in fig.findobj(Rectangle) if (p.get_gid() or "").startswith(name)}
    return [bars[f"{name} {j}"] for j in range(len(bars))]


def test_row_of_the_lesson():
    # Scaled scores ln 2, ln 2, 2 ln 2: exponentials after the shift 1/2, 1/2, 1.
    fig = figures.softmax_steps(lessons.three_positions().trace().scaled[2], lang="en")
    ln2 = np.log(2)
    expected = {
        "scores": [ln2, ln2, 2 * ln2],
        "shifted": [-ln2, -ln2, 0],
        "exponentials": [0.5, 0.5, 1],
        "shares": [0.25, 0.25, 0.5],
    }
    for name in STEPS:
        assert heights(fig, name) == pytest.approx(expected[name], abs=1e-12)
    assert texts(fig)["sum"] == "sum 2"
    assert [texts(fig)[f"shares {j}"] for j in range(3)] == ["0.25", "0.25", "0.5"]


def test_first_two_strips_share_one_scale():
    fig = figures.softmax_steps([3.0, -1.0, 0.5], lang="en")
    scales = []
    for name in ("scores", "shifted"):
        bar = next(p for p in fig.findobj(Rectangle) if p.get_gid() == f"{name} 1")
        low, high = bar.axes.get_ylim()
        scales.append(bar.axes.get_position().height / (high - low))
    assert scales[0] == pytest.approx(scales[1], rel=0.02)


def test_huge_scores_do_not_overflow():
    fig = figures.softmax_steps([1000.0, 999.0], lang="en")
    assert heights(fig, "shares") == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.e)])


def test_labels():
    fig = figures.softmax_steps([1.0, 2.0], lang="zh", labels=["她", "妈妈"])
    assert {"她", "妈妈"} <= set(every_text(fig))


@pytest.mark.parametrize("lang, parts", [("zh", ["缩放后的得分：2、−1", "减去最大值 2：0、−3", "总和 1.05"]), ("en", ["Scaled scores: 2, −1", "largest, 2: 0, −3", "sum 1.05"])])
def test_alt_text_has_the_numbers(lang, parts):
    alt = figures.description(figures.softmax_steps([2.0, -1.0], lang=lang))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("row", [[0.0], [0.0, 0.0], [1.0, 2.0, 3.0], [-1.5, -3.25, -2, -1.25, -4, -2, -3, -4]])
def test_no_text_overlaps(lang, row):
    assert overlapping_texts(figures.softmax_steps(row, lang=lang)) == []


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"scores: got shape \(2, 2\)"):
        figures.softmax_steps(np.eye(2), lang="en")
    with pytest.raises(ValueError, match="scores: got .*inf"):
        figures.softmax_steps([1.0, -np.inf], lang="en")
