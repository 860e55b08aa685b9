"""Two directions (chapters 01 and 03): the tables of both sentences, and what a swap leaves as it was."""

import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import lessons
from attn.figures.numbers import decimal

NAME = "two-directions"
LESSONS = [lessons.addition(sentence=sentence) for sentence in (1, 2)]
SWAPPED = "sentence.1_mark.1"
FIRST, BOTH_TABLES = "01-why", "03-scores"


def texts(values):
    return [[decimal(value, trim=False) for value in row] for row in values]


def framed(element, name):
    cells = element.root.locator(f"[aria-labelledby='{element.key}-{name}'] .attn-cell")
    chosen = cells.evaluate_all("cells => cells.map((cell) => cell.classList.contains('attn-cell-chosen'))")
    return {divmod(number, 6) for number, is_chosen in enumerate(chosen) if is_chosen}


def kept(element, name):
    cells = element.root.locator(f"[aria-labelledby='{element.key}-{name}'] .attn-cell")
    marked = cells.evaluate_all(
        "cells => cells.map((cell) => getComputedStyle(cell).textDecorationLine === 'underline')"
    )
    return {divmod(number, 6) for number, is_marked in enumerate(marked) if is_marked}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sentence", [0, 1])
def test_both_tables_of_both_sentences(site, used_tab, language, sentence):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language, BOTH_TABLES), NAME, f"sentence.{sentence}")
    lesson = LESSONS[sentence]
    assert element.table("similarity") == texts(lesson.x @ lesson.x.T)
    assert element.table("scores") == texts(lesson.trace().scores)


def test_first_it_shows_the_pair_of_the_chapter(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en", BOTH_TABLES), NAME)
    for name in ("similarity", "scores"):
        assert framed(element, name) == {(3, 1), (1, 3)}
        assert kept(element, name) == set()
    lines = element.texts("strong")
    assert lines == ["equal and plus: 0.40 in both directions", "equal asks plus: 4.05", "plus asks equal: 2.08"]


def test_another_pair_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "zh", BOTH_TABLES), NAME)
    table = element.root.locator(f"[aria-labelledby='{element.key}-scores']")
    table.locator("button[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert framed(element, "similarity") == framed(element, "scores") == {(2, 3), (3, 2)}
    element.announced("“五”问“等”：2.87")
    assert element.state() == "row.2_column.3"

    element.cell("similarity", 4, 4).click()
    assert framed(element, "scores") == {(4, 4)}
    assert element.texts("strong") == ["“于”与自己：3.33", "“于”问自己：−1.89"]


def test_a_swap_leaves_the_pairs_of_shared_words_alone(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en", BOTH_TABLES), NAME)
    element.pick("sentence", 1)
    shared = {(i, j) for i in (3, 4, 5) for j in (3, 4, 5)}
    for name in ("similarity", "scores"):
        assert kept(element, name) == shared
    element.announced("9 similarities and 9 scores")
    assert "Only 3 of its 6" in element.texts(".attn-note")[0]
    assert "other sentence: equal, plus 4.05, changed" in element.texts(".attn-two-directions-scores")[0]

    element.cell("scores", 3, 4).click()
    said = element.texts(".attn-two-directions-scores")[0]
    assert "equal asks to: −6.14" in said and "equal, to −6.14, the same" in said

    element.cell("scores", 0, 3).click()  # "ten" is not in the first sentence
    assert "no cell of its row" in element.texts(".attn-note")[0]


@pytest.mark.parametrize("name", ["similarity", "scores"])
def test_the_mark_is_told_to_a_screen_reader(site, used_tab, name):
    element = open_element(used_tab(), address(site, NAME, "en", BOTH_TABLES), NAME, SWAPPED)
    for row, column, word in ((3, 4, "the same"), (3, 1, "changed")):
        assert word in element.cell(name, row, column).get_attribute("aria-label")


@pytest.mark.parametrize("language", LANGUAGES)
def test_before_there_are_scores_it_has_one_table(site, used_tab, language):
    for sentence, lesson in enumerate(LESSONS):
        element = open_element(used_tab(viewport=PHONE), address(site, NAME, language, FIRST), NAME, f"sentence.{sentence}")
        assert element.table("similarity") == texts(lesson.x @ lesson.x.T)
        assert element.root.locator("table").count() == 1


def test_a_swap_refutes_that_a_row_of_similarities_stays(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "en", FIRST), NAME)
    assert element.texts("strong") == ["equal and to: 1.86 in both directions"]
    assert framed(element, "similarity") == {(3, 4), (4, 3)}
    assert kept(element, "similarity") == set()
    assert "Guess first" in element.texts(".attn-note")[0]

    element.radio("sentence", 0).focus()
    page.keyboard.press("ArrowRight")
    assert kept(element, "similarity") == {(i, j) for i in (3, 4, 5) for j in (3, 4, 5)}
    element.announced("9 cells of 36")
    said = element.texts(".attn-note")[0]
    assert "the row of “equal”" in said and "Only 3 of its 6 cells" in said
    assert "score" not in element.text()

    element.cell("similarity", 1, 3).click()
    assert element.texts("strong") == ["minus and equal: 0.33 in both directions"]
    assert "other sentence: plus, equal 0.40, changed" in element.texts(".attn-two-directions-similarity")[0]
    element.announced("minus and equal: 0.33 in both directions")
    assert element.state() == "sentence.1_row.1_column.3_mark.1"


@pytest.mark.parametrize("form", [FIRST, BOTH_TABLES])
def test_without_its_underlines_a_swap_keeps_what_it_showed(site, used_tab, form):
    element = open_element(used_tab(), address(site, NAME, "en", form), NAME)
    element.pick("sentence", 1)
    said = element.texts(".attn-note")[0]
    assert "The same in both sentences: 9" in said
    element.root.locator("input[type=checkbox]").uncheck()
    assert kept(element, "similarity") == set()
    assert element.texts(".attn-note")[0] == said
    element.announced(said[:40])
    element.pick("sentence", 0)
    element.root.locator("input[type=checkbox]").uncheck()
    assert "Guess first" in element.texts(".attn-note")[0]  # as at the start
    element.announced("Guess first")
