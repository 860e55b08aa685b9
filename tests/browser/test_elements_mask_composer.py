"""The mask composer: in chapter 08 with weights and the race of orders, in chapter 09 masks alone."""

import numpy as np
import pytest
from elements import address, open_element

import attn
from attn import lessons
from attn.figures.numbers import shares

NAME = "mask-composer"
WEIGHTS, MASKS = "08-causal-mask", "09-other-masks"

CAUSAL = [["1", "×", "×"], ["1/3", "2/3", "×"], ["1/4", "1/4", "1/2"]]


@pytest.fixture
def weights(site, used_tab):
    """Opens the composer of chapter 08."""
    return lambda language="en", state=None, **options: open_element(
        used_tab(**options), address(site, NAME, language, WEIGHTS), NAME, state
    )


@pytest.fixture
def masks(site, used_tab):
    """Opens the composer of chapter 09."""
    return lambda language="en", state=None, **options: open_element(
        used_tab(**options), address(site, NAME, language, MASKS), NAME, state
    )


def expected(visible) -> list[list[str]]:
    """The table that attn's weights make."""
    rows = lessons.three_positions().trace(visible=np.array(visible)).weights
    return [
        [text if seen else "×" for text, seen in zip(shares(row), seen_row)]
        for row, seen_row in zip(rows, visible)
    ]


def seen(element) -> list[list[bool]]:
    return [[text != "×" for text in row] for row in element.table("mask")]


def sums(element) -> list[str]:
    """Name, weights and sum of each of the three bars."""
    return [text.replace("\n", " ") for text in element.texts(".attn-mask-composer-name")]


def guesses(element):
    return element.root.locator("[role=group] [role=group] button")


def test_it_starts_with_the_mask_and_the_weights_of_the_lesson(weights):
    element = weights()
    assert element.table("mask") == CAUSAL == expected(attn.causal_mask(3))
    assert element.state() is None


def test_painting_by_mouse(weights):
    element = weights()
    element.cell("mask", 1, 2).click()
    visible = attn.causal_mask(3).tolist()
    visible[1][2] = True
    assert element.table("mask") == expected(visible)
    assert element.table("mask")[1] == ["1/5", "2/5", "2/5"]
    element.announced("query 2: weights 1/5, 2/5, 2/5")
    assert element.state() == "painted.000001000"
    element.reset.click()
    assert element.table("mask") == CAUSAL


# What is seen and what is said are one: the count after the change.
def test_what_is_announced_is_what_is_seen(masks):
    element = masks()
    note = element.root.locator(".attn-note")
    padding = element.root.locator("input[type=checkbox]").nth(1)
    window = np.sum(element.data["masks"]["window"])
    for use, said in (
        (lambda: padding.check(), "18 of 36 pairs are visible. Several masks at once"),
        (lambda: element.root.get_by_label("real positions").fill("0"), "Queries 1, 2, 3, 4, 5 and 6 may read nothing."),
        (lambda: element.pick("start", "window"), f"{window} of 36 pairs are visible."),
        (lambda: element.reset.click(), "Reset"),
    ):
        use()
        element.announced(said)
        assert said == "Reset" or note.inner_text().startswith(said)


# With both ticked the table is that of cross, but it is no longer another text that asks.
def test_cross_is_not_told_of_what_only_looks_like_it(masks):
    element = masks()
    element.pick("start", "cross")
    assert "The queries are another text's" in element.text()
    before = seen(element)
    element.root.locator("input[type=checkbox]").first.check()
    assert seen(element) == before
    assert not element.radio("start", "cross").is_checked()
    text = element.text()
    assert "another text's" not in text and "must pass them all" in text


def test_all_by_keyboard(weights):
    element = weights()
    page = element.page
    element.root.locator("input[type=checkbox]").first.focus()
    page.keyboard.press("Space")  # causal off: everything is visible
    assert element.table("mask") == expected(np.ones((3, 3), dtype=bool))
    for _ in range(3):
        page.keyboard.press("Tab")  # padding, window, the table
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    focused = page.locator(":focus")
    assert focused.get_attribute("aria-label") == "query 2, position 3: visible, weight 2/5"
    page.keyboard.press("Enter")
    assert element.table("mask")[1] == ["1/3", "2/3", "×"]
    assert focused.get_attribute("aria-label") == "query 2, position 3: hidden"
    assert focused.get_attribute("aria-pressed") == "false"
    page.keyboard.press("Tab")  # out of the table at once: the row of the race
    page.keyboard.press("Tab")  # the question
    page.keyboard.press("Space")
    assert len(sums(element)) == 3
    assert focused.get_attribute("aria-pressed") == "true"  # the focus stayed


@pytest.mark.parametrize(
    ("ticked", "visible"),
    [
        (["padding"], np.broadcast_to(attn.padding_mask(2, 3), (3, 3))),
        (["window"], attn.window_mask(3, left=1, right=1)),
        (["causal", "padding", "window"], attn.causal_mask(3) & attn.padding_mask(2, 3)[0] & attn.window_mask(3, left=1, right=1)),
    ],
)
def test_masks_are_put_together(weights, ticked, visible):
    element = weights(state="_".join(f"{kind}.{int(kind in ticked)}" for kind in ("causal", "padding", "window")))
    assert element.table("mask") == expected(visible.tolist())
    assert ("must pass them all" in element.text()) == (len(ticked) > 1)


def test_the_sum_is_asked_for_before_it_is_shown(weights):
    element = weights()
    assert sums(element) == [f"{way} ?" for way in ("hide, then softmax", "softmax, then delete", "delete, then renormalise")]
    assert not element.root.locator("input[type=range]").is_visible()
    assert guesses(element).all_inner_texts() == ["2/5", "3/5", "1"]
    assert "Yes" not in element.text()

    guesses(element).nth(2).click()  # 1: what many expect
    assert "Not 1 but 3/5." in element.text()
    element.announced("Not 1 but 3/5.")
    # The numbers of chapter 08.
    assert sums(element) == [
        "hide, then softmax 1/3 2/3 0 sum 1",
        "softmax, then delete 1/5 2/5 0 sum 3/5",
        "delete, then renormalise 1/3 2/3 0 sum 1",
    ]
    element.root.locator("input[type=range]").fill("2")
    assert sums(element)[1] == "softmax, then delete 1/11 2/11 0 sum 3/11"
    assert sums(element)[0] == "hide, then softmax 1/3 2/3 0 sum 1"
    assert element.state() == "guess.2_bump.2"


def test_the_right_guess_is_said_to_be_right(weights):
    element = weights("zh")
    guesses(element).nth(1).click()
    assert "对，是 3/5。" in element.text()


def test_a_row_that_sees_everything_has_no_question(weights):
    element = weights(state="row.2")
    assert "Nothing is hidden in this row" in element.text()
    assert guesses(element).count() == 0


def test_a_row_that_sees_nothing_is_flagged(weights):
    element = weights(state="painted.100000000_row.0")
    assert element.table("mask")[0] == ["×", "×", "×"]
    assert "Query 1 may read nothing." in element.root.locator(".attn-warn").inner_text()
    assert expected([[False] * 3, [True, True, False], [True] * 3]) == element.table("mask")
    guesses(element).nth(0).click()
    assert "0/0: nothing to share out" in sums(element)[2]
    assert sums(element)[0].endswith("0/0: nothing to share out")


def test_a_table_of_masks_starts_from_those_of_the_figure(masks):
    element = masks()
    given = element.data["masks"]
    assert {name: np.array(mask).shape for name, mask in given.items()}["start"] == (2, 6)
    for name, mask in given.items():
        element.pick("start", name)
        assert seen(element) == mask, name
        assert element.radio("start", name).is_checked()
    assert "3 of 12 pairs are visible. Query 1 and key 1 are the same position." in element.text()


def test_both_alignments_of_fewer_queries_than_keys(masks):
    element = masks(state="queries.2")
    rows = element.root.locator("tbody th")
    assert seen(element) == attn.causal_mask(2, 6, align="end").tolist()
    assert rows.all_inner_texts() == ["5", "6"]  # the newest positions
    element.pick("align", "start")
    assert rows.all_inner_texts() == ["1", "2"]
    assert seen(element) == attn.causal_mask(2, 6, align="start").tolist()
    element.root.locator("label", has_text="queries").locator("input").fill("6")
    assert element.radio("align", "end").count() == 0


def test_filler_in_front_leaves_the_first_rows_nothing(masks):
    element = masks("zh", state="padding.1_front.1_real.4")
    right = attn.causal_mask(6) & np.array([False, False, True, True, True, True])
    assert seen(element) == right.tolist()
    assert "查询 1、2 什么也读不到。没有可分的" in element.text()


def test_the_window_reaches_as_far_as_told(masks):
    element = masks(state="causal.0_window.1_reach.0")
    assert seen(element) == np.eye(6, dtype=bool).tolist()
    element.root.locator("label", has_text="reaches").locator("input").fill("1")
    assert seen(element) == attn.window_mask(6, left=1, right=1).tolist()
