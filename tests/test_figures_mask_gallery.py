"""The gallery: each mask drawn as it was given, named in the figure's language."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import every_text, hatched, overlapping_texts

from attn import causal_mask, figures, padding_mask, window_mask

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def masks():
    return {
        "causal": causal_mask(6),
        "padding": np.tile(padding_mask(4, 6), (6, 1)),
        "window": window_mask(6, left=2, right=0),
        "cross": np.ones((4, 6), dtype=bool),
        "end": causal_mask(3, 6, align="end"),
        "start": causal_mask(3, 6, align="start"),
    }


def test_hidden_cells_are_the_hatched_ones():
    fig = figures.mask_gallery(masks(), lang="en")
    for name, mask in masks().items():
        assert hatched(fig, name) == {tuple(map(int, place)) for place in np.argwhere(~mask)}


def test_the_two_alignments():
    alt = figures.description(figures.mask_gallery(masks(), lang="en"))
    assert "aligned at the end (3 by 6): 1 reads 1–4, 2 reads 1–5, 3 reads 1–6" in alt
    assert "aligned at the start (3 by 6): 1 reads 1, 2 reads 1–2, 3 reads 1–3" in alt
    assert "padding (6 by 6): every row reads 1–4" in alt


def test_names_follow_the_language_and_own_names_stay():
    fig = figures.mask_gallery({"causal": causal_mask(2), "我的": causal_mask(2)}, lang="zh")
    assert {"因果", "我的"} <= set(every_text(fig))


def test_a_row_that_reads_nothing():
    mask = np.array([[True, False], [False, False]])
    assert "2 reads nothing" in figures.description(figures.mask_gallery({"odd": mask}, lang="en"))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_overlaps(lang):
    assert overlapping_texts(figures.mask_gallery(masks(), lang=lang)) == []


def test_bad_input_is_named():
    with pytest.raises(TypeError, match=r"masks\['a'\]: got dtype float64"):
        figures.mask_gallery({"a": np.ones((2, 2))}, lang="en")
    with pytest.raises(ValueError, match=r"masks\['a'\]: got shape \(13, 2\)"):
        figures.mask_gallery({"a": np.ones((13, 2), dtype=bool)}, lang="en")
    with pytest.raises(ValueError, match="masks: got 0; 1 to 6 fit"):
        figures.mask_gallery({}, lang="en")
