"""Values, their hull, and the outputs inside it."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

import attn
from attn import figures, lessons
from attn.figures.outputs import _hull
from attn.figures.style import PAPER, PURPLE

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def line(fig, name):
    return next(found for found in fig.findobj(Line2D) if found.get_gid() == name)


def test_the_lesson():
    fig = figures.output_range(lessons.three_positions().trace(), lang="en", row=2)
    assert np.allclose(line(fig, "values").get_xydata(), [[2, 0], [0, 1], [2, 1]])
    assert np.allclose(line(fig, "outputs").get_xydata(), [[1.6, 0.6], [1.2, 0.8], [1.5, 0.75]])
    hull = next(p for p in fig.findobj(Polygon) if p.get_gid() == "hull")
    assert {tuple(point) for point in hull.get_xy()} == {(2, 0), (0, 1), (2, 1)}
    widths = [line(fig, f"line {j}").get_linewidth() for j in range(3)]
    assert widths[2] == pytest.approx(2 * widths[0]) and widths[0] == pytest.approx(widths[1])


@pytest.mark.parametrize("row", [0, 2])
def test_only_the_blended_output_is_filled(row):
    fig = figures.output_range(lessons.three_positions().trace(), lang="en", row=row)
    blended = line(fig, "blended output")
    assert np.allclose(blended.get_xydata(), [[[1.6, 0.6], [1.2, 0.8], [1.5, 0.75]][row]])
    assert blended.get_markerfacecolor() == PURPLE
    assert line(fig, "outputs").get_markerfacecolor() == PAPER
    for j in range(3):
        assert np.allclose(line(fig, f"line {j}").get_xydata()[1], blended.get_xydata()[0])


def test_hull_leaves_out_what_lies_inside():
    points = np.array([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 0.5]], dtype=float)
    assert {tuple(corner) for corner in _hull(points)} == {(0, 0), (2, 0), (2, 2), (0, 2)}


@pytest.mark.parametrize("points, corners", [([[0, 0], [1, 1], [2, 2]], 2), ([[1, 1], [1, 1]], 1), ([[3, 1]], 1)])
def test_hull_of_points_on_a_line_or_in_one_place(points, corners):
    assert len(_hull(np.array(points, dtype=float))) == corners


@pytest.mark.parametrize("lang, parts", [("zh", ["[2, 0]、[0, 1]、[2, 1]", "1/4、1/4、1/2"]), ("en", ["[1.5, 0.75]", "1/4, 1/4, 1/2"])])
def test_alt_text_has_the_points(lang, parts):
    alt = figures.description(figures.output_range(lessons.three_positions().trace(), lang=lang, row=2))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_overlaps(lang):
    assert overlapping_texts(figures.output_range(lessons.three_positions().trace(), lang=lang)) == []


def test_one_value_draws():
    figures.to_svg(figures.output_range(attn.trace([[1.0]], [[1.0]], [[1.0, 2.0]]), lang="en"), prefix="a")


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"v \(6, 8\)"):
        figures.output_range(lessons.addition().trace(), lang="en")
    hidden = lessons.three_positions().trace(visible=np.zeros((3, 3), dtype=bool))
    with pytest.raises(ValueError, match="rows of weights that sum to"):
        figures.output_range(hidden, lang="en")
