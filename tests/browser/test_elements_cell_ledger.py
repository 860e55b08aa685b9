"""The cell ledger (home page, chapters 02 and 06): every cell, and what it is made of."""

from fractions import Fraction

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import lessons
from attn.figures.numbers import as_fraction, decimal

NAME = "cell-ledger"
LESSONS = {"02-query-key-value": lessons.three_positions_directed(), "06-three-positions": lessons.three_positions()}
RESULTS = ("q", "k", "v", "scaled", "weights", "output")


def text(value):
    exact = as_fraction(value)
    return decimal(value) if exact is None else str(exact)


def used(element, name):
    """The cells of a table that are lit as what another cell is made of."""
    cells = element.root.locator(f"[aria-labelledby='{element.key}-{name}'] tbody td .attn-cell")
    columns = len(element.table(name)[0])
    lit = cells.evaluate_all("cells => cells.map((cell) => cell.classList.contains('attn-cell-ledger-used'))")
    return {divmod(number, columns) for number, is_lit in enumerate(lit) if is_lit}


def unfolded(element):
    return element.texts(".attn-cell-ledger-sum")[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", LESSONS)
def test_every_table_is_that_of_attn(site, used_tab, language, chapter):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language, chapter), NAME)
    lesson = LESSONS[chapter]
    steps = lesson.trace()
    tables = {"x": lesson.x, "wq": lesson.w_q, "wk": lesson.w_k, "wv": lesson.w_v}
    tables |= {name: getattr(steps, name) for name in RESULTS}
    for name, values in tables.items():
        assert element.table(name) == [[text(value) for value in row] for row in values], name


def test_first_the_output_of_the_chapters_row(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en", "02-"), NAME)
    assert unfolded(element) == "output 3, number 1: 1/7 × 2 + 2/7 × 0 + 4/7 × 2 = 10/7 ≈ 1.43"
    assert used(element, "weights") == {(2, 0), (2, 1), (2, 2)}
    assert used(element, "v") == {(0, 0), (1, 0), (2, 0)}


@pytest.mark.parametrize("result", ["q", "k", "v", "output"])
def test_the_products_add_up_to_the_cell(site, used_tab, result):
    """Each unfolded sum, worked out with fractions as it stands on the screen."""
    element = open_element(used_tab(), address(site, NAME, "en", "02-"), NAME)
    values = getattr(lessons.three_positions_directed().trace(), result)
    for (row, column), value in np.ndenumerate(values):
        element.cell(result, row, column).click()
        terms, total = unfolded(element).split(": ")[1].split(" = ", 1)
        pairs = [term.split(" × ") for term in terms.split(" + ")]
        added = sum(Fraction(one) * Fraction(other) for one, other in pairs)
        assert abs(float(added) - value) < 0.005 * len(pairs), (row, column)
        assert total.split(" ")[0] == text(value)


def test_scores_and_weights_in_logarithms(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en", "02-"), NAME)
    element.cell("scaled", 2, 1).click()
    assert unfolded(element).endswith("(1 × 0 + 2 × 0.98) ÷ √2 = 1.96 ÷ 1.41 = 2 ln 2 ≈ 1.39")
    assert used(element, "q") == {(2, 0), (2, 1)} and used(element, "k") == {(1, 0), (1, 1)}
    element.cell("weights", 2, 2).click()
    assert unfolded(element).endswith("= 8 ÷ (2 + 4 + 8) = 4/7 ≈ 0.57")
    assert used(element, "scaled") == {(2, 0), (2, 1), (2, 2)}


def test_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "zh", "06-"), NAME)
    element.cell("q", 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert used(element, "x") == {(2, 0), (2, 1)} and used(element, "wq") == {(0, 1), (1, 1)}
    assert element.state() is None  # to look is not to choose
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == unfolded(element) == "查询 3 的第 2 个数：1 × 0 + 1 × 1 = 1"
    page.keyboard.press("Enter")
    assert element.state() == "of.q_column.1"
    page.keyboard.press("Tab")
    assert "键" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    element.reset.focus()
    assert unfolded(element).startswith("查询 3 的第 2 个数")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_home_page_has_it_too(site, used_tab, language):
    element = open_element(used_tab(), site.url(f"{language}/"), NAME)
    assert element.table("output") == [["8/5", "3/5"], ["6/5", "4/5"], ["3/2", "3/4"]]
