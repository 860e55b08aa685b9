"""Mask before or after softmax: segments as long as the weights, and what is missing."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import cells, overlapping_texts, texts

import attn
from attn import figures, lessons
from attn.figures.mask_order import LENGTH

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw(lang="en", row=1):
    return figures.mask_order(lessons.three_positions().trace(), attn.causal_mask(3), lang=lang, row=row)


def segments(fig, way):
    found = (cells(fig, f"{way} {j}") for j in range(3))
    return [cell[0, 0].get_width() / LENGTH for cell in found if cell]


def test_row_two_of_the_lesson():
    fig = draw()
    # Exponentials 1, 2, 2; masked 1, 2, 0.
    assert segments(fig, "none") == pytest.approx([1 / 5, 2 / 5, 2 / 5])
    assert segments(fig, "before") == pytest.approx([1 / 3, 2 / 3])
    assert segments(fig, "after") == pytest.approx([1 / 5, 2 / 5])
    assert segments(fig, "renormalised") == pytest.approx([1 / 3, 2 / 3])
    assert cells(fig, "after missing")[0, 0].get_width() / LENGTH == pytest.approx(2 / 5)
    assert cells(fig, "after missing")[0, 0].get_hatch()
    shown = texts(fig)
    assert [shown[f"sum {way}"] for way in ("none", "before", "after", "renormalised")] == [
        "sum = 1",
        "sum = 1",
        "sum = 3/5",
        "sum = 1",
    ]
    assert shown["missing after"] == "missing 2/5"


def test_nothing_is_missing_where_all_is_visible():
    assert not any(gid.startswith("missing") for gid in texts(draw(row=2)))


@pytest.mark.parametrize("lang, parts", [("zh", ["1/3、2/3、0", "总和 3/5"]), ("en", ["1/3, 2/3, 0", "sum 3/5"])])
def test_alt_text_has_the_weights(lang, parts):
    alt = figures.description(draw(lang))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_overlaps(lang):
    assert overlapping_texts(draw(lang)) == []
    rng = np.random.default_rng(5)
    x = rng.normal(size=(8, 4)) * 2
    fig = figures.mask_order(attn.trace(x, x, x), attn.causal_mask(8), lang=lang, row=4)
    assert overlapping_texts(fig) == []


def test_bad_input_is_named():
    trace = lessons.three_positions().trace()
    with pytest.raises(ValueError, match="trace: got one with a mask"):
        figures.mask_order(lessons.three_positions().trace(causal=True), attn.causal_mask(3), lang="en")
    with pytest.raises(TypeError, match="visible: got dtype float64"):
        figures.mask_order(trace, np.ones((3, 3)), lang="en")
    with pytest.raises(ValueError, match=r"visible: got shape \(2, 3\)"):
        figures.mask_order(trace, np.ones((2, 3), dtype=bool), lang="en")
    with pytest.raises(ValueError, match="row 2 sees nothing"):
        figures.mask_order(trace, np.zeros((3, 3), dtype=bool), lang="en", row=2)
