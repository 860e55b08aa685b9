"""Decoding in steps: what is computed and what is read, and the multiplications, by hand."""

import json
import re

import numpy as np
import pytest
from figure_reading import cells, overlapping_texts, table, texts

import attn
from attn import figures, lessons
from attn.figures.interactive import interactive_of


def drawn(lang="en"):
    lesson = lessons.three_positions()
    return figures.decoding_steps(lesson.x, lesson.trace(causal=True), lang=lang)


def computed(fig, name):
    """Places of a strip of keys or values: whether each was filled as computed."""
    return {place: patch.get_facecolor()[3] > 0.3 for place, patch in cells(fig, name).items()}


def test_with_the_cache_only_the_newest_position_is_computed():
    fig = drawn()
    for letter in "kv":
        assert computed(fig, f"cached {letter}") == {(s, r): r == s for s in range(3) for r in range(s + 1)}
        assert computed(fig, f"again {letter}") == {(s, r): True for s in range(3) for r in range(s + 1)}


def test_one_row_of_weights_against_all_rows():
    fig = drawn()
    # Chapter 08: the causal rows are 1; 1/3, 2/3; 1/4, 1/4, 1/2.
    assert table(fig, "cached weight2")[2] == ["1/4", "1/4", "1/2"]
    assert {row for row, _ in cells(fig, "cached weight2")} == {2}
    assert table(fig, "again weight2") == [["1", "", ""], ["1/3", "2/3", ""], ["1/4", "1/4", "1/2"]]
    assert table(fig, "cached weight1")[1] == ["1/3", "2/3"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_multiplications(lang):
    shown = texts(drawn(lang))
    # A row: 3 projections of 2 × 2. A pair: 2 for the score and 2 for the value.
    numbers = {
        name: [int(re.search(r"\d+", shown[f"{name} count {step}"])[0]) for step in range(3)]
        for name in ("cached", "again")
    }
    assert numbers == {"cached": [12 + 4, 12 + 8, 12 + 12], "again": [12 + 4, 24 + 12, 36 + 24]}
    assert "60" in shown["cached total"] and "112" in shown["again total"]


def test_four_positions_and_other_widths():
    rng = np.random.default_rng(3)
    head = attn.SelfAttention(*rng.normal(size=(2, 5, 3)), rng.normal(size=(5, 7)))
    x = rng.normal(size=(4, 5))
    fig = figures.decoding_steps(x, head.trace(x, causal=True), lang="en")
    # A row: 5 × (3 + 3 + 7) = 65; a pair: 3 + 7.
    assert texts(fig)["cached count 3"].startswith(f"{65 + 4 * 10} ")
    assert texts(fig)["again count 3"].startswith(f"{4 * 65 + 10 * 10} ")
    assert interactive_of(fig) is None  # none of the lessons
    assert overlapping_texts(fig) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = drawn(lang)
    for number in ("112", "60", "24", "1/2"):
        assert number in figures.description(fig)
    assert overlapping_texts(fig) == []


def test_what_the_stepper_starts_from():
    lesson = lessons.three_positions()
    given = interactive_of(drawn())
    assert given.element == "decode-stepper"
    right = {"x": lesson.x, "wq": lesson.w_q, "wk": lesson.w_k, "wv": lesson.w_v, "scale": lesson.trace().scale}
    assert json.loads(given.data) == {name: np.asarray(value).tolist() for name, value in right.items()}


def test_bad_input():
    lesson = lessons.three_positions()
    with pytest.raises(ValueError, match="trace: got no causal mask"):
        figures.decoding_steps(lesson.x, lesson.trace(), lang="en")
    with pytest.raises(ValueError, match="trace: got no causal mask"):
        figures.decoding_steps(lesson.x, lesson.trace(visible=attn.window_mask(3, left=1, right=0)), lang="en")
    with pytest.raises(ValueError, match=r"trace: got weights of shape \(3, 3\) for x of shape \(2, 2\)"):
        figures.decoding_steps(lesson.x[:2], lesson.trace(causal=True), lang="en")
    x = np.ones((5, 2))
    with pytest.raises(ValueError, match="1 to 4 positions"):
        figures.decoding_steps(x, lesson.attention().trace(x, causal=True), lang="en")
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        figures.decoding_steps(lesson.x, lesson.trace(causal=True), lang="fr")
