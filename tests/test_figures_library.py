"""The shelf: filled books and lines in the shares given."""

import matplotlib
import matplotlib.pyplot as plt
import pytest
from figure_reading import overlapping_texts, texts
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from attn import figures, lessons
from attn.figures.library import BOOK_HEIGHT

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_fills_and_lines_are_the_shares():
    weights = [0.25, 0.25, 0.5]
    fig = figures.soft_reading(weights, reader="x", lang="en")
    fills = {p.get_gid(): p.get_height() / BOOK_HEIGHT for p in fig.findobj(Rectangle) if p.get_gid()}
    assert [fills[f"book {j}"] for j in range(3)] == pytest.approx(weights)
    lines = {line.get_gid(): line.get_linewidth() for line in fig.findobj(Line2D) if line.get_gid()}
    assert lines["line 2"] == pytest.approx(2 * lines["line 0"])
    assert [texts(fig)[f"share {j}"] for j in range(3)] == ["25.0%", "25.0%", "50.0%"]


@pytest.mark.parametrize("lang, share", [("zh", "加 52.4%"), ("en", "plus 52.4%")])
def test_the_lesson(lang, share):
    lesson = lessons.addition()
    names = lesson.labels(lang)
    fig = figures.soft_reading(lesson.trace().weights[3], reader=names[3], lang=lang, books=names)
    assert share in figures.description(fig)
    assert overlapping_texts(fig) == []


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="weights: got .*1.5.*; shares from 0 to 1 fit"):
        figures.soft_reading([1.5, -0.5], reader="x", lang="en")
    with pytest.raises(ValueError, match=r"weights: got shape \(9,\)"):
        figures.soft_reading([1 / 9] * 9, reader="x", lang="en")
