"""The reshape trap (chapter 10): the guess comes first, then numbers are followed through both splits."""

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import split_heads

NAME = "reshape-trap"
Q = np.array([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]])


def side_by_side(heads):
    """(n_heads, n, d) as the element shows it: row by row, the heads beside each other."""
    return [[f"{number:g}" for number in np.ravel(row)] for row in np.swapaxes(heads, 0, 1)]


def framed(element, name):
    cells = element.root.locator(f"[aria-labelledby='{element.key}-{name}'] .attn-cell")
    return [cell.inner_text() for cell in cells.all() if "attn-cell-chosen" in cell.get_attribute("class")]


def marked(element):
    cells = element.root.locator(f"[aria-labelledby='{element.key}-wrong'] .attn-cell")
    wavy = "cell => getComputedStyle(cell).textDecorationStyle === 'wavy'"
    return [cell.inner_text() for cell in cells.all() if cell.evaluate(wavy)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("split, heads", [(0, 2), (1, 4)])
def test_both_splits(site, used_tab, language, split, heads):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME, f"split.{split}_guess.0")
    right, wrong = split_heads(Q, heads), Q.reshape(heads, 3, -1)
    assert element.table("right") == side_by_side(right)
    assert element.table("wrong") == side_by_side(wrong)
    misplaced = wrong[right != wrong]
    assert sorted(marked(element)) == sorted(f"{number:g}" for number in misplaced)
    assert str(len(misplaced)) in element.texts(".attn-note")[-1]


def test_nothing_of_the_wrong_split_is_shown_before_a_guess(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    assert element.table("wrong") == [["?"] * 4] * 3
    strip = element.texts(".attn-reshape-trap-memory tr")
    assert strip[-1].split()[-6:] == ["?"] * 6
    assert "✗" not in " ".join(element.texts(".attn-note"))
    assert framed(element, "right") == ["13"]


# Twelve numbers in a row, cut into as many pieces as there are heads: the last piece starts with
# 23 of two, with 32 of four.
@pytest.mark.parametrize("split, position", [(0, 2), (1, 3)])
def test_a_guess_is_judged_and_opens_the_wrong_split(site, used_tab, split, position):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, f"split.{split}")
    for guess in (1, 2, 3):
        element.root.get_by_role("button", name=f"position {guess}", exact=True).click()
        verdict = "Yes" if guess == position else "No"
        element.announced(f"{verdict}, position {position}.")
        assert element.state().endswith(f"guess.{guess - 1}")
    assert "?" not in sum(element.table("wrong"), [])

    element.pick("split", 1 - split)  # another split is another question
    assert element.table("wrong") == [["?"] * 4] * 3


def test_the_strip_says_where_each_piece_goes(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "guess.0")
    rows = element.texts(".attn-reshape-trap-memory tr")
    assert rows[1].split()[1:] == [str(number) for number in Q.ravel()]
    # Pieces of two: dealt out in turn, or by halves.
    assert rows[2].split()[-6:] == ["1", "2", "1", "2", "1", "2"]
    assert rows[3].split()[-6:] == ["1", "1", "1", "2", "2", "2"]


def test_a_number_is_followed_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "zh"), NAME)
    page.locator(f"#{element.key} button", has_text="位置 2").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # button 3
    page.keyboard.press("Tab")  # the right split
    page.keyboard.press("Tab")  # the wrong split
    for key in ("ArrowRight", "ArrowRight", "Space"):
        page.keyboard.press(key)
    element.announced("23 是位置 2 的数。✓ 变形后换轴：头 2 第 2 行。✗ 只变形：头 2 第 1 行，被当成位置 1 的数。")
    assert framed(element, "right") == framed(element, "wrong") == ["23"]
    assert element.state() == "guess.1_number.6"

    element.cell("right", 0, 1).click()  # 12 stays where it should be, whatever the route
    element.announced("✗ 只变形：头 1 第 1 行。")
