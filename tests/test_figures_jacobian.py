"""Norms of softmax Jacobians: the bars are the shares counted by hand."""

import numpy as np
import pytest
from figure_reading import every_text, overlapping_texts, texts
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from attn import figures, softmax_jacobian
from attn.figures.jacobian import LARGEST_NORM

# Bins are 0.025 wide: two in the first, one in the fourth, one in the last.
RAW = {8: [0.0, 0.02, 0.08, 0.5]}
SCALED = {8: [0.31, 0.31, 0.33, 0.04]}


def heights(fig, name):
    bars = {bar.get_gid(): bar.get_height() for bar in fig.findobj(Rectangle)}
    return [bars[f"{name} {i}"] for i in range(20)]


def test_raw_goes_up_and_scaled_goes_down():
    fig = figures.jacobian_norms(RAW, SCALED, lang="en")
    up = [0.0] * 20
    up[0], up[3], up[19] = 0.5, 0.25, 0.25
    down = [0.0] * 20
    down[1], down[12], down[13] = -0.25, -0.5, -0.25
    assert heights(fig, "raw 8") == up
    assert heights(fig, "scaled 8") == down


def test_means_and_counts_are_written():
    fig = figures.jacobian_norms(RAW, SCALED, lang="en")
    means = {line.get_gid(): line.get_xdata()[0] for line in fig.findobj(Line2D)}
    assert means["mean raw 8"] == pytest.approx(0.15)
    assert means["mean scaled 8"] == pytest.approx(0.2475)
    assert texts(fig)["caption raw 8"] == "↑ raw: mean 0.15, 50% of rows below 0.05"
    assert texts(fig)["caption scaled 8"] == "↓ scaled: mean 0.25, 25% of rows below 0.05"


def test_a_few_rows_are_not_none():
    norms = np.full(1000, 0.4)
    norms[:3] = 0.01
    shown = texts(figures.jacobian_norms({8: norms}, {8: 0.41 - norms}, lang="en"))
    assert "<1% of rows below" in shown["caption raw 8"]
    assert ">99% of rows below" in shown["caption scaled 8"]


def test_swapped_arguments_would_be_seen():
    right = heights(figures.jacobian_norms(RAW, SCALED, lang="en"), "raw 8")
    swapped = heights(figures.jacobian_norms(SCALED, RAW, lang="en"), "raw 8")
    assert right != swapped


def test_one_facet_for_each_head_dimension_and_one_scale():
    fig = figures.jacobian_norms({8: [0.1, 0.2], 128: [0.01]}, {8: [0.3], 128: [0.4]}, lang="zh")
    facets = [ax for ax in fig.axes if ax.containers]
    assert len(facets) == 2
    assert facets[0].get_ylim() == facets[1].get_ylim()
    assert heights(fig, "raw 128")[0] == 1
    assert {"每头维度 8", "每头维度 128"} <= set(every_text(fig))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_carries_the_numbers(lang):
    fig = figures.jacobian_norms(RAW, SCALED, lang=lang)
    text = figures.description(fig)
    for number in ("8", "0.15", "0.25", "50%", "25%", "0.05"):
        assert number in text
    assert figures.to_svg(fig, prefix="a")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_lies_on_another(lang):
    both = {8: RAW[8], 128: [0.001, 0.5]}
    assert overlapping_texts(figures.jacobian_norms(both, both, lang=lang)) == []


def test_largest_norm_is_that_of_an_even_choice_between_two():
    # J = [[1/4, -1/4], [-1/4, 1/4]]: ‖J‖_F = 1/2.
    assert np.linalg.norm(softmax_jacobian([0.5, 0.5])) == pytest.approx(LARGEST_NORM, abs=1e-15)
    weights = np.random.default_rng(0).dirichlet(np.full(6, 0.3), size=2000)
    norms = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    assert norms.max() <= LARGEST_NORM
    figures.jacobian_norms({6: norms}, {6: norms}, lang="en")


@pytest.mark.parametrize(
    "raw, scaled, options, error, message",
    [
        ([0.1], RAW, {}, TypeError, r"raw: got list; a mapping .* raw=\{8: norms\}"),
        ({}, {}, {}, ValueError, "raw: got 0 head dimensions; 1 to 4 fit"),
        ({8: []}, SCALED, {}, ValueError, r"raw\[8\]: got no norms"),
        ({8: [0.1, 0.7]}, SCALED, {}, ValueError, r"raw\[8\]: got numbers from 0.1 to 0.7; .* 0 to 0.5"),
        (RAW, {8: [-0.1]}, {}, ValueError, r"scaled\[8\]: got numbers from -0.1"),
        (RAW, {8: [np.nan]}, {}, ValueError, r"scaled\[8\]: got numbers from nan"),
        (RAW, {16: [0.1]}, {}, ValueError, r"scaled: got head dimensions \[16\]; those of raw, \[8\], fit"),
        (RAW, SCALED, {"faded": 0.5}, ValueError, "faded: got 0.5"),
        (RAW, SCALED, {"lang": "fr"}, ValueError, "lang: got 'fr'"),
    ],
)
def test_bad_input(raw, scaled, options, error, message):
    with pytest.raises(error, match=message):
        figures.jacobian_norms(raw, scaled, **{"lang": "en", **options})
