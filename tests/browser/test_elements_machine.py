"""The machine (chapter 05): every table of the run, before and after an edit, is attn's."""

import re

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import lessons
from attn.figures.numbers import decimal

NAME = "machine"
LESSON = lessons.addition()
STEPS = ("x", "scores", "scaled", "weights", "output")


def expected(step, x=LESSON.x):
    steps = LESSON.attention().trace(x)
    values = {"x": x, "weights": 100 * steps.weights}.get(step)
    values = getattr(steps, step) if values is None else values
    places = 1 if step == "weights" else 2
    return [[decimal(value, places, trim=False) for value in row] for row in values]


def edited(position, number, change):
    x = LESSON.x.copy()
    x[position, number] += change
    return x


def marked(element):
    """The cells with another number than in the lesson."""
    rows = element.root.locator("tbody tr")
    looks = rows.evaluate_all(
        """rows => rows.map((row) => [...row.querySelectorAll('.attn-cell')].map(
             (cell) => cell.classList.contains('attn-machine-changed')))"""
    )
    return np.array(looks)


def counts(element):
    text = " ".join(element.texts(".attn-machine-count span"))
    return [tuple(map(int, pair)) for pair in re.findall(r"(\d+)/(\d+)", text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_tables_in_order(site, used_tab, language):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME)
    assert element.table("step") == expected("scores")
    for step in ("scaled", "weights", "output", "x"):
        element.root.locator(".attn-primary").click()
        assert element.table("step") == expected(step), step
        assert not marked(element).any()


def test_one_edit_reaches_what_depends_on_it(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "slide.5_step.0")
    x = edited(1, 0, -1.5)
    before, after = LESSON.trace(), LESSON.attention().trace(x)
    for number, step in enumerate(STEPS):
        element.pick("step", number)
        assert element.table("step") == expected(step, x), step
        old, new = (LESSON.x, x) if step == "x" else (getattr(before, step), getattr(after, step))
        assert np.array_equal(marked(element), ~np.isclose(old, new, rtol=0, atol=1e-9)), step
    changed = [(1, 48), (8, 48), (8, 48), (8, 48), (11, 36), (11, 36), (36, 36), (48, 48)]
    assert counts(element) == [*changed, (0, 192)]


def test_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "en"), NAME)
    element.radio("step", 1).focus()
    page.keyboard.press("ArrowLeft")
    element.root.locator("button[tabindex='0'].attn-cell").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    slider = element.root.locator("input[type=range]")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    assert element.table("step") == expected("x", edited(2, 1, 0.3))
    element.announced("scores 11/36")
    assert element.state() == "step.0_at.17_slide.23"
    assert slider.get_attribute("aria-valuetext") == f"{decimal(LESSON.x[2, 1] + 0.3)} (was {decimal(LESSON.x[2, 1])})"


def test_it_says_where_a_number_comes_from(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    steps = LESSON.trace()

    def said():
        return element.texts(".attn-machine-said")[0]

    q, k = (", ".join(decimal(v, trim=False) for v in row) for row in (steps.q[3], steps.k[1]))
    assert f"q = [{q}], k = [{k}]" in said() and "about 4.05" in said()
    element.pick("step", 2)
    assert "4.05 ÷ √8 ≈ 1.43" in said()
    element.pick("step", 3)
    powers = np.exp(steps.scaled[3])
    assert f"{powers[1]:.2f} ÷ {powers.sum():.2f} ≈ 52.4%" in said()
    element.pick("step", 4)
    element.cell("step", 0, 7).click()
    assert said().count("%") == 6 and said().endswith(f"≈ {decimal(steps.output[0, 7], trim=False)}.")


def test_another_word_starts_from_its_own_number(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "zh"), NAME, "slide.25")
    assert marked(element).sum() == 11
    element.pick("word", 4)
    assert not marked(element).any()
    assert element.state() == "at.32"


@pytest.mark.parametrize("language, legend", [("zh", "格角有黑三角"), ("en", "black corner; some by less than is shown")])
def test_a_marked_cell_that_reads_as_before_is_explained(site, used_tab, language, legend):
    element = open_element(used_tab(), address(site, NAME, language), NAME, "slide.19_step.3")
    alike = np.array(element.table("step")) == np.array(expected("weights"))
    assert (marked(element) & alike).any()
    assert legend in element.texts(".attn-machine-count")[0]


@pytest.mark.parametrize("page, scores", [("05-", 36), ("01-five-lines", 9)])
def test_the_guess_counts_the_scores_of_this_table(site, used_tab, page, scores):
    element = open_element(used_tab(), address(site, NAME, "en", page), NAME)
    assert f"how many of the {scores} scores do?" in element.root.text_content()  # in lab 1 it stands in a fold
