"""Spread against width, and what the scalings do to one row of weights."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts, texts
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from attn import figures

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def exact_samples(*widths):
    """Two numbers each whose standard deviation is √d exactly."""
    return {d: np.sqrt(d) * np.array([-1.0, 1.0]) for d in widths}


def points(fig, name):
    line = next(line for line in fig.findobj(Line2D) if line.get_gid() == name)
    return line.get_xdata(), line.get_ydata()


def test_points_are_the_spreads_of_the_samples():
    fig = figures.score_spread(exact_samples(16, 1, 4), lang="en")
    widths, spreads = points(fig, "raw")
    assert list(widths) == [1, 4, 16]
    assert spreads == pytest.approx([1, 2, 4])
    assert points(fig, "root")[1] == pytest.approx([1, 1, 1])
    assert points(fig, "full")[1] == pytest.approx([1, 1 / 2, 1 / 4])


def test_points_follow_the_samples_not_the_theory():
    samples = exact_samples(1, 4, 16) | {16: np.array([-10.0, 10.0])}
    assert points(figures.score_spread(samples, lang="en"), "raw")[1] == pytest.approx([1, 2, 10])


def test_alt_text_of_the_spread():
    alt = figures.description(figures.score_spread(exact_samples(1, 4), lang="zh"))
    assert "d = 4：不缩放 2，除以 √d 后 1，除以 d 后 0.5" in alt
    alt = figures.description(figures.score_spread(exact_samples(1, 4), lang="en"))
    assert "d = 4: 2 raw, 1 divided by √d, 0.5 divided by d" in alt


def test_weights_of_a_row_whose_answers_are_fractions():
    # d = 4, scores 0 and 4 ln 3: raw e^0 : e^(4 ln 3) = 1 : 81, ÷2 = 1 : 9, ÷4 = 1 : 3.
    fig = figures.weights_by_width({4: [0, 4 * np.log(3)]}, lang="en")
    bars = {p.get_gid(): p.get_height() for p in fig.findobj(Rectangle) if p.get_gid()}
    for name, total in (("raw", 82), ("root", 10), ("full", 4)):
        assert [bars[f"{name} 4 {j}"] for j in range(2)] == pytest.approx([1 / total, 1 - 1 / total])
    assert texts(fig)["largest root 4"] == "largest 0.90"
    assert "d = 4: 0.99, 0.90, 0.75" in figures.description(fig)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_overlaps(lang):
    rng = np.random.default_rng(0)
    samples = {d: rng.normal(size=500) * np.sqrt(d) for d in (1, 2, 4, 8, 16, 64, 256)}
    assert overlapping_texts(figures.score_spread(samples, lang=lang)) == []
    rows = {d: rng.normal(size=6) * np.sqrt(d) for d in (8, 128, 512)}
    assert overlapping_texts(figures.weights_by_width(rows, lang=lang)) == []


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="samples: got list"):
        figures.score_spread([1, 2], lang="en")
    with pytest.raises(ValueError, match=r"samples: got widths \[4\]; 2 to 8 widths"):
        figures.score_spread(exact_samples(4), lang="en")
    with pytest.raises(ValueError, match=r"samples\[4\]: got 1 numbers"):
        figures.score_spread({1: [1, 2], 4: [1]}, lang="en")
    with pytest.raises(ValueError, match=r"scores\[8\]: got shape \(3,\)"):
        figures.weights_by_width({4: [1, 2], 8: [1, 2, 3]}, lang="en")
