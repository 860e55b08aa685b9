"""What interactive figures start from, and which figures have none."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import attn
from attn import figures, lessons
from attn.figures.interactive import interactive_of

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def data_of(fig, element):
    given = interactive_of(fig)
    assert given.element == element
    return json.loads(given.data)


def test_a_mask_with_its_scores():
    trace = lessons.three_positions().trace(causal=True)
    data = data_of(figures.mask_grid(trace, lang="en", key_labels=["a", "b", "c"]), "mask-composer")
    assert data == {
        "visible": [[True, False, False], [True, True, False], [True, True, True]],
        "scaled": trace.scaled.tolist(),  # not hidden: the composer can show every cell again
        "queries": ["1", "2", "3"],
        "keys": ["a", "b", "c"],
    }


def test_a_grid_too_large_for_numbers_has_no_composer():
    q = np.ones((9, 2))
    assert interactive_of(figures.mask_grid(attn.trace(q, q, q), lang="en")) is None


def gallery(**changes):
    masks = {
        "causal": attn.causal_mask(4),
        "padding": np.broadcast_to(attn.padding_mask(3, 4), (4, 4)),
        "window": attn.window_mask(4, left=1, right=0),
        "cross": np.broadcast_to(attn.padding_mask(3, 4), (2, 4)),
        "end": attn.causal_mask(2, 4, align="end"),
        "start": attn.causal_mask(2, 4, align="start"),
    }
    return {name: mask for name, mask in (masks | changes).items() if mask is not None}


def test_the_masks_of_the_gallery():
    masks = gallery()
    data = data_of(figures.mask_gallery(masks, lang="zh"), "mask-composer")
    assert data == {"form": "gallery", "masks": {name: mask.tolist() for name, mask in masks.items()}}


def test_a_gallery_of_other_masks_has_no_composer():
    assert interactive_of(figures.mask_gallery(gallery(start=None), lang="en")) is None


def test_the_laboratory_starts_with_the_largest_width():
    rng = np.random.default_rng(0)
    rows = {d: rng.normal(size=6) * d**0.5 for d in (8, 128)}
    assert data_of(figures.weights_by_width(rows, lang="en"), "scale-lab") == {"d": 128}
    norms = {d: rng.uniform(0, 0.5, size=40) for d in (8, 64)}
    data = data_of(figures.jacobian_norms(norms, norms, lang="en", faded=0.1), "scale-lab")
    assert data == {"form": "gradients", "d": 64, "faded": 0.1}


def test_a_width_that_the_laboratory_cannot_have():
    rows = {d: np.arange(6) for d in (8, 100)}
    assert interactive_of(figures.weights_by_width(rows, lang="en")) is None


def test_the_trap_knows_where_each_number_goes_in_every_split():
    x = [[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]]
    data = data_of(figures.reshape_trap(x, 4, label="Q", lang="en"), "reshape-trap")
    assert (data["x"], data["label"], data["first"]) == (x, "Q", 1)
    numbers = np.ravel(x)
    two, four = data["splits"]
    assert (two["heads"], four["heads"]) == (2, 4)
    assert numbers[two["right"]].tolist() == [[[11, 12], [21, 22], [31, 32]], [[13, 14], [23, 24], [33, 34]]]
    assert numbers[two["wrong"]].tolist() == [[[11, 12], [13, 14], [21, 22]], [[23, 24], [31, 32], [33, 34]]]
    assert numbers[four["right"]][:, :, 0].tolist() == np.transpose(x).tolist()
    assert numbers[four["wrong"]][:, :, 0].tolist() == [[11, 12, 13], [14, 21, 22], [23, 24, 31], [32, 33, 34]]
