"""Head sharing (chapter 11): who reads whom is as attn.repeat_heads has it, and tiling is asked first."""

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import repeat_heads

NAME = "head-sharing"
RIGHT, TILED = 0, 1  # the two drawings


def read(heads, kv):
    return repeat_heads(np.arange(kv).reshape(-1, 1, 1), heads).astype(int).ravel().tolist()


def tiled(heads, kv):
    return np.tile(np.arange(kv), heads // kv).tolist()


def drawn(element, drawing):
    """The K/V head at the end of each line, in order of query heads."""
    box = element.root.locator(".attn-head-sharing").nth(drawing)
    count = int(box.evaluate("box => getComputedStyle(box).getPropertyValue('--count')"))
    ends = box.locator("path").evaluate_all("paths => paths.map((path) => path.getPointAtLength(1e9).x)")
    kv = len(box.locator("svg ~ span").all())
    assert len(ends) in (0, count)
    return [int(end // (count / kv)) for end in ends]


def marked(element):
    marks = element.root.locator(".attn-head-sharing").nth(TILED).locator("b").all_inner_texts()
    return [i for i, mark in enumerate(marks) if mark.strip() == "×"]


def guesses(element):
    return element.root.locator("[role=group] [role=group] button")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tiled_wiring_is_asked_for_before_it_is_drawn(site, used_tab, language):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME)
    assert drawn(element, RIGHT) == read(4, 2) == [0, 0, 1, 1]
    assert drawn(element, TILED) == []
    assert guesses(element).all_inner_texts() == ["0", "1"]
    guesses(element).nth(1).click()
    assert drawn(element, TILED) == tiled(4, 2)
    assert marked(element) == [1, 2]
    verdict = element.texts(".attn-note")[1]
    assert verdict.startswith({"zh": "不是 1，是 0。", "en": "Not 1 but 0."}[language])
    element.announced({"zh": "不是 1，是 0。", "en": "Not 1 but 0."}[language])


def test_the_model_of_the_chapter(site, used_tab):
    """28 query heads and 4 K/V heads: tiling serves 8 of 28, as the chapter computes."""
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    element.pick("heads", 28)
    element.pick("kv", 4)
    element.root.locator("input[type=range]").fill("9")
    guesses(element).nth(1).click()
    assert drawn(element, RIGHT) == read(28, 4)
    assert drawn(element, TILED) == tiled(28, 4)
    same = [head for head in range(28) if read(28, 4)[head] == tiled(28, 4)[head]]
    assert len(same) == 8
    assert marked(element) == [head for head in range(28) if head not in same]
    assert "Yes, 1." in element.texts(".attn-note")[1]
    assert "8 of 28" in element.texts(".attn-note")[1]
    assert element.state() == "heads.28_kv.4_head.9_guess.1"


def test_only_divisors_can_be_chosen(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "zh"), NAME, "heads.12_kv.5")
    options = element.root.locator("input[name$='-kv']").evaluate_all("options => options.map((o) => Number(o.value))")
    assert options == [count for count in range(1, 13) if 12 % count == 0]
    assert element.radio("kv", 4).is_checked()  # 5 does not divide 12
    assert drawn(element, RIGHT) == read(12, 4)


@pytest.mark.parametrize("kv", [1, 8])
def test_where_the_mistake_does_not_show(site, used_tab, kv):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, f"heads.8_kv.{kv}")
    assert drawn(element, RIGHT) == drawn(element, TILED) == read(8, kv) == tiled(8, kv)
    assert guesses(element).count() == 0
    assert "wrong" not in element.text()
    assert ("MQA" if kv == 1 else "MHA") in element.texts(".attn-note")[0]


def test_by_keyboard_alone(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "en"), NAME)
    element.radio("heads", 4).focus()
    page.keyboard.press("ArrowRight")  # 8
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # 4 K/V heads
    assert drawn(element, RIGHT) == read(8, 4)
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert "query head 7 reads K/V head 3" in element.text()
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(":focus").inner_text() == "3"
    assert drawn(element, TILED) == tiled(8, 4)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert "Not 2 but 3." in element.texts(".attn-note")[1]
    element.reset.click()
    assert drawn(element, TILED) == []
    assert element.state() is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("head", [0, 9, 26, 27])
def test_numbers_of_many_heads_do_not_run_into_each_other(site, used_tab, language, head):
    state = f"heads.28_kv.28_head.{head}"
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME, state)
    box = element.root.locator(".attn-head-sharing").nth(RIGHT)
    for row in (box.locator("span:not(svg ~ span)"), box.locator("svg ~ span")):
        numbers = row.evaluate_all(
            """spans => spans.filter((span) => span.innerText.trim()).map((span) => {
                 const range = document.createRange();
                 range.selectNodeContents(span);
                 const { left, right } = range.getBoundingClientRect();
                 return [Number(span.innerText), left, right];
               })"""
        )
        assert {number for number, *_ in numbers} >= {head}
        assert all(one[2] < other[1] for one, other in zip(numbers, numbers[1:]))
