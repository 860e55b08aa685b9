"""The numbers that an interactive element starts from."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attn.figures.interactive import interactive_of, make_interactive


@pytest.fixture
def fig():
    yield plt.figure()
    plt.close("all")


def test_arrays_become_lists_without_losing_a_digit(fig):
    weights = np.array([[1 / 3, 2 / 3]])
    make_interactive(fig, "mask-composer", {"weights": weights, "visible": weights > 0.5, "n": 2})
    element, data = interactive_of(fig)
    assert element == "mask-composer"
    assert json.loads(data) == {"weights": [[1 / 3, 2 / 3]], "visible": [[False, True]], "n": 2}


def test_the_form_is_part_of_the_data(fig):
    make_interactive(fig, "mask-composer", {"n": 2}, form="gallery")
    assert json.loads(interactive_of(fig).data) == {"form": "gallery", "n": 2}


@pytest.mark.parametrize("form", ["", "Gallery", 'a"b', "a-b"])
def test_a_form_that_could_not_stand_in_a_page_is_refused(fig, form):
    with pytest.raises(ValueError, match="form: got .*; a lower-case word fits"):
        make_interactive(fig, "mask-composer", {}, form=form)


def test_a_figure_that_was_told_nothing_has_none(fig):
    assert interactive_of(fig) is None


@pytest.mark.parametrize(
    ("element", "data", "kind", "words"),
    [
        ("Mask", {}, ValueError, "lower-case"),
        ("mask_composer", {}, ValueError, "lower-case"),
        ("mask", {"x": np.array([np.inf])}, ValueError, "not finite"),
        ("mask", {"x": float("nan")}, ValueError, "not finite"),
        ("mask", {"x": {1, 2}}, TypeError, "set"),
    ],
)
def test_what_cannot_be_told_is_refused(fig, element, data, kind, words):
    with pytest.raises(kind, match=words):
        make_interactive(fig, element, data)
