"""The reshape trap: rows and chips are those a reader finds by moving the numbers by hand."""

import numpy as np
import pytest
from figure_reading import overlapping_texts, table, texts
from matplotlib.patches import Rectangle

from attn import figures

X = [[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]]


def chips(fig, name, n=3):
    shown = texts(fig)
    return [shown[f"chip {name} {row}"] for row in range(n)]


def test_right_route_cuts_columns():
    fig = figures.reshape_trap(X, 2, lang="en")
    assert table(fig, "x")[1] == ["21", "22", "23", "24"]
    assert table(fig, "right 0") == [["11", "12"], ["21", "22"], ["31", "32"]]
    assert table(fig, "right 1") == [["13", "14"], ["23", "24"], ["33", "34"]]
    assert chips(fig, "right 0") == chips(fig, "right 1") == ["1", "2", "3"]
    assert texts(fig)["verdict right"] == "every row is its own position"


def test_the_table_is_called_what_the_page_calls_it():
    assert texts(figures.reshape_trap(X, 2, lang="en"))["label"] == "$X$"
    assert texts(figures.reshape_trap(X, 2, label="Q", lang="zh"))["label"] == "$Q$"


def test_wrong_route_reads_on_along_the_rows():
    fig = figures.reshape_trap(X, 2, lang="en")
    assert table(fig, "wrong 0") == [["11", "12"], ["13", "14"], ["21", "22"]]
    assert table(fig, "wrong 1") == [["23", "24"], ["31", "32"], ["33", "34"]]
    assert chips(fig, "wrong 0") == ["1", "1", "2"]
    assert chips(fig, "wrong 1") == ["2", "3", "3"]
    # Only 11, 12 and 33, 34 stand where they should.
    assert texts(fig)["verdict wrong"] == "8 of 12 numbers misplaced"


def test_the_code_on_the_page_does_what_is_drawn():
    shown = texts(figures.reshape_trap(X, 2, lang="zh"))
    x = np.array(X)
    right = eval("x" + shown["code right 0"] + shown["code right 1"], {"x": x})
    wrong = eval("x" + shown["code wrong 0"], {"x": x})
    assert right.tolist() == [[[11, 12], [21, 22], [31, 32]], [[13, 14], [23, 24], [33, 34]]]
    assert wrong[0].tolist() == [[11, 12], [13, 14], [21, 22]]


def test_positions_are_told_apart_without_colour():
    fig = figures.reshape_trap(X, 2, lang="en")
    hatches = {p.get_hatch() for p in fig.findobj(Rectangle) if p.get_hatch()}
    # The second position has none.
    assert hatches == {"////", "\\\\\\\\"}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = figures.reshape_trap(X, 2, lang=lang)
    rows = {"zh": ("1、1、2", "2、3、3"), "en": ("1, 1, 2", "2, 3, 3")}[lang]
    for part in (*rows, "3×4", "8", "12"):
        assert part in figures.description(fig)
    assert overlapping_texts(fig) == []
    assert figures.to_svg(fig, prefix="a")
    widest = figures.reshape_trap(np.arange(1, 5)[:, None] * 10 + np.arange(1, 9), 4, lang=lang)
    assert overlapping_texts(widest) == []


@pytest.mark.parametrize(
    "x, n_heads, error, message",
    [
        (X, 3, ValueError, "n_heads: got 3; 2 to 4 that divide the width of x, 4"),
        (X, 1, ValueError, "n_heads: got 1"),
        (X, 2.0, TypeError, "n_heads: got 2.0; an integer fits"),
        (np.ones((3, 10)), 2, ValueError, r"x: got shape \(3, 10\); 2 to 4 rows of at most 8 columns"),
        (np.ones((2, 3, 4)), 2, ValueError, r"x: got shape \(2, 3, 4\)"),
        ([[1, np.nan], [1, 2]], 2, ValueError, "x: got a number that is not finite"),
        ([["a", "b"], ["c", "d"]], 2, TypeError, "x: got dtype <U1; numbers fit"),
    ],
)
def test_bad_input(x, n_heads, error, message):
    with pytest.raises(error, match=message):
        figures.reshape_trap(x, n_heads, lang="en")


def test_unknown_language():
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        figures.reshape_trap(X, 2, lang="fr")
