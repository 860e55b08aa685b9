"""The intervention bench (chapter 07): its numbers are those of attn.four_ways."""

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import four_ways, lessons
from attn.figures.interventions import signed
from attn.figures.numbers import decimal

NAME = "intervention-bench"
CASES = ("original", "k", "v", "added", "both", "left")


def expected(key, value, row=2):
    """What the bars say of each number of the output: (output, change) of each case."""
    original = lessons.three_positions().trace()
    for_key, for_value = (lessons.three_positions(x2=x2).trace() for x2 in (key, value))
    ways = four_ways(original, k={1: for_key.k[1]}, v={1: for_value.v[1]})
    changes = [ways.k_change, ways.v_change, ways.k_change + ways.v_change, ways.both_change]
    found = []
    for column in range(2):
        start = original.output[row, column]
        lines = [(decimal(start, trim=False), "")]
        lines += [
            (decimal(start + change[row, column], trim=False), signed(change[row, column], trim=False))
            for change in changes
        ]
        lines.append(("", signed(ways.interaction[row, column], trim=False)))
        found.append(lines)
    return found


def shown(element):
    tables = element.root.locator(".attn-intervention-bench-bars")
    return tables.evaluate_all(
        """tables => tables.map((table) => [...table.tBodies[0].rows].map(
             (row) => [...row.cells].slice(-2).map((cell) => cell.innerText.trim())))"""
    )


def as_lists(cases):
    return [[list(line) for line in lines] for lines in cases]


def move(element, number, value):
    """The slider of that number, by its keys alone."""
    slider = element.root.locator("input[type=range]").nth(number)
    slider.focus()
    slider.press("Home")
    for _ in range(value + 1):  # from -1
        slider.press("ArrowRight")


@pytest.mark.parametrize("language", LANGUAGES)
def test_first_it_shows_the_chapter(site, used_tab, language):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME)
    assert shown(element) == as_lists(expected((0, 2), (0, 2)))
    assert element.table("weights") == [["1/4", "1/4", "1/2"], ["1/5", "2/5", "2/5"]]
    assert "(2/5 − 1/4) × ([0, 2] − [0, 1]) = [0, 0.15]" in element.texts(".attn-note")[0]


def test_edited_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "en"), NAME)
    move(element, 0, 3)
    move(element, 1, 1)
    assert shown(element) == as_lists(expected((3, 1), (3, 1)))
    element.announced("interaction")
    assert element.state() == "key.3*1_value.3*1"

    element.radio("paths", "together").focus()
    page.keyboard.press("ArrowRight")
    move(element, 3, 0)
    assert shown(element) == as_lists(expected((3, 1), (3, 0)))


def test_one_path_alone(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "paths.apart_key.0*1_row.0")
    assert shown(element) == as_lists(expected((0, 1), (0, 2), row=0))
    assert "add up" in element.texts(".attn-note")[0]
    assert element.table("weights")[0] == element.table("weights")[1]
    element.pick("paths", "together")  # the value follows the key
    assert shown(element) == as_lists(expected((0, 1), (0, 1), row=0))


def test_equal_values_leave_the_output_where_it_was(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    element.root.get_by_label("all values equal").check()
    weights = element.table("weights")
    assert weights[0] != weights[1]
    for lines in shown(element):
        assert lines[CASES.index("original")][0] == lines[CASES.index("k")][0]
    assert "not the output" in element.texts(".attn-note")[0]


@pytest.mark.parametrize("row", [0, 1, 2])
def test_only_the_row_of_the_edit_has_a_third_path(site, used_tab, row):
    """In the other rows "both" is the run with the input edited."""
    element = open_element(used_tab(), address(site, NAME, "zh"), NAME)
    element.pick("row", row)
    edited = lessons.three_positions(x2=(0, 2)).trace().output[row]
    both = [lines[CASES.index("both")][0] for lines in shown(element)]
    agrees = both == [decimal(number, trim=False) for number in edited]
    assert agrees == (row != 1) == ("q₂" not in element.texts(".attn-note")[0])
    assert np.isfinite(edited).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_that_changed_is_not_said_to_have_stayed(site, used_tab, language):
    """q₁ = [1, 0] gives k₂, before and after, the score 0: weights and score of row 1 do not move."""
    edited, original = lessons.three_positions(x2=(0, 2)).trace(), lessons.three_positions().trace()
    assert not np.array_equal(edited.k[1], original.k[1])
    assert edited.scores[0, 1] == original.scores[0, 1]
    element = open_element(used_tab(), address(site, NAME, language), NAME, "row.0")
    said = {
        "zh": "[0, 0]：权重没变，变化就可以相加。键 k₂ 变了，可 q₁ 给它打的分没变。",
        "en": "[0, 0]. No change in weights, so the changes add up. Key k₂ did change; the score that q₁ gives it did not.",
    }
    assert said[language] in element.texts(".attn-note")[0]


@pytest.mark.parametrize(
    "state, what, unnoticed",
    [
        ("paths.apart_key.0*1_row.2", "weights", False),  # the key is as it was
        ("paths.apart_value.0*1_row.2", "value", False),
        ("key.0*1_value.0*1_row.2", "weights or value", False),
        ("paths.apart_value.0*1_row.0", "weights or value", True),
    ],
)
def test_what_did_not_change_is_named(site, used_tab, state, what, unnoticed):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, state)
    note = element.texts(".attn-note")[0]
    assert f"No change in {what}, so" in note
    assert ("Key k₂ did change" in note) == unnoticed
