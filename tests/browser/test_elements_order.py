"""Another order (chapter 13): outputs and weights are attn's, by dragging and by keyboard."""

from itertools import permutations

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element

from attn import lessons, trace
from attn.figures.numbers import decimal, shares, vector

NAME = "order"
VERSIONS = [lessons.three_positions(), lessons.three_positions_directed()]  # in their order
P = np.array([[1, 0], [0, 0], [0, 0]])
ORDERS = [list(order) for order in permutations(range(3))]
MODES = ["x", "add", "causal", "both", "kv", "k"]


def steps(order, mode, version=1):
    lesson = VERSIONS[version]
    if mode in ("kv", "k"):
        start = lesson.trace()
        return trace(start.q, start.k[order], start.v[order] if mode == "kv" else start.v)
    x = lesson.x[order] + (P if mode in ("add", "both") else 0)
    return lesson.attention().trace(x, causal=mode in ("causal", "both"))


def state(order, mode):
    chosen = {"x": "", "add": "_add.1", "causal": "_causal.1", "both": "_add.1_causal.1"}
    return f"order.{'-'.join(map(str, order))}" + chosen.get(mode, f"_what.{mode}")


def rows(element):
    return element.texts(".attn-order-row")


def outputs(element):
    return element.texts(".attn-order-output b")


def changed(element):
    """At which positions an output differs from the one in the first order."""
    boxes = element.root.locator(".attn-order-output")
    return boxes.evaluate_all("boxes => boxes.map((box) => box.classList.contains('attn-order-changed'))")


def weights(order, mode):
    run = steps(order, mode)
    hidden = np.isneginf(run.masked)
    return [
        ["×" if unseen else text for text, unseen in zip(shares(row), row_hidden)]
        for row, row_hidden in zip(run.weights, hidden)
    ]


def check(element, order, mode):
    run, before = steps(order, mode), steps([0, 1, 2], mode)
    readers = order if mode not in ("kv", "k") else [0, 1, 2]
    assert outputs(element) == [vector(row) for row in run.output]
    differs = [not np.allclose(run.output[i], before.output[reader]) for i, reader in enumerate(readers)]
    assert changed(element) == differs
    assert element.table("weights") == weights(order, mode)
    note = element.texts(".attn-note")[0]
    if order == [0, 1, 2]:
        assert note.startswith("Guess first")
        return
    assert ("Changed:" in note) == any(differs)
    for reader, differ in zip(readers, differs):
        letter = "x" if mode not in ("kv", "k") else "q"
        name = f"{letter}{'₁₂₃'[reader]}"
        assert (name in note.partition("Changed:")[2].partition(".")[0]) == differ
        if mode == "k":  # and why it did not
            assert (name in note.partition("Not ")[2]) == (not differ)


@pytest.mark.parametrize("mode", MODES)
def test_every_order_has_the_outputs_of_attn(site, used_tab, mode):
    page = used_tab()
    for order in ORDERS:
        check(open_element(page, address(site, NAME, "en"), NAME, state(order, mode)), order, mode)


def drag(element, row, to):
    """From the row's middle to the middle of a position, as a hand does."""
    boxes = [box.bounding_box() for box in element.root.locator(".attn-order-row").all()]
    names = [text[:2] for text in rows(element)]
    start, end = boxes[names.index(row)], boxes[to]
    mouse = element.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + 10)
    mouse.down()
    mouse.move(end["x"] + end["width"] / 2, end["y"] + 10, steps=6)
    mouse.up()


@pytest.mark.parametrize("language", LANGUAGES)
def test_dragged_outputs_go_along_and_with_a_mark_no_longer(site, used_tab, language):
    element = open_element(used_tab(), address(site, NAME, language), NAME)
    element.root.scroll_into_view_if_needed()
    first = dict(zip(rows(element), outputs(element)))
    drag(element, "x₁", 2)
    assert [text[:2] for text in rows(element)] == ["x₂", "x₃", "x₁"]
    assert dict(zip(rows(element), outputs(element))) == first
    assert changed(element) == [False] * 3
    assert element.state() == "order.1-2-0"
    element.announced("x₂")
    element.root.locator("input[type=checkbox]").first.check()
    assert outputs(element) == [vector(row) for row in steps([1, 2, 0], "add").output]
    assert changed(element) == [True, True, True]
    drag(element, "x₁", 0)
    assert changed(element) == [False] * 3
    element.page.mouse.move(0, 0)  # the row was let go
    assert [text[:2] for text in rows(element)] == ["x₁", "x₂", "x₃"]


def test_by_keyboard_alone_the_focus_goes_along(site, used_tab):
    page = used_tab(reduced_motion="reduce", viewport=PHONE)
    element = open_element(page, address(site, NAME, "en"), NAME)
    page.get_by_label("move x₁ later").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert [text[:2] for text in rows(element)] == ["x₂", "x₃", "x₁"]
    assert page.locator(":focus").get_attribute("aria-label") == "move x₁ later"
    page.keyboard.press("Enter")  # it is last already
    page.keyboard.press("Shift+Tab")
    assert page.locator(":focus").get_attribute("aria-label") == "move x₁ earlier"
    page.keyboard.press("Space")
    check(element, [1, 0, 2], "x")
    element.announced("order: x₂, x₁, x₃")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_nothing_flies_for_a_reader_who_wants_no_motion(site, used_tab, motion):
    page = used_tab(reduced_motion=motion)
    open_element(page, address(site, NAME, "zh"), NAME)
    flying = page.get_by_label("x₁ 往后移").evaluate(
        """button => {
             button.click(); // seen at once: the flight is short
             return document.getAnimations().filter((move) => move.effect.target.dataset.moves).length;
           }"""
    )
    assert (flying > 0) == (motion == "no-preference")


def test_the_numbers_of_the_chapter(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "zh"), NAME, "order.1-0-2_what.k")
    assert element.table("weights")[2] == ["2/7", "1/7", "4/7"]
    assert outputs(element)[2] == f"[{decimal(12 / 7)}, {decimal(5 / 7)}]"
    assert element.texts(".attn-note")[0].endswith("变了：q₂、q₃。q₁ 没变：换了地方的那些键，它给的权重相等。")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_the_sections_with_the_plain_version(site, used_tab, language):
    """What chapter 13 prints under "causal mask" and "mark for the place", at the figure's controls."""
    element = open_element(used_tab(), address(site, NAME, language), NAME)
    assert outputs(element) == ["[1.5, 0.75]", "[1.2, 0.8]", "[1.43, 0.86]"]  # the directed one, as printed
    element.pick("version", 0)
    add, causal = element.root.locator("input[type=checkbox]").all()
    causal.check()
    assert outputs(element) == ["[2, 0]", "[0.67, 0.67]", "[1.5, 0.75]"]
    element.root.locator(".attn-order-steps").first.locator("button").last.click()
    assert outputs(element) == ["[0, 1]", "[1.33, 0.33]", "[1.5, 0.75]"]
    causal.uncheck()
    add.check()
    assert outputs(element)[2] == "[2, 0.8]"
    element.root.locator(".attn-order-steps").first.locator("button").last.click()
    assert outputs(element)[2] == "[2.4, 0.6]"
    assert element.state() == "version.0_add.1"


def test_nothing_is_called_the_same_before_anything_moved(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    element.root.scroll_into_view_if_needed()
    compared = element.root.get_by_text("the same", exact=False)
    assert [one.is_visible() for one in compared.all()] == [False] * 3
    drag(element, "x₁", 2)
    assert [one.is_visible() for one in compared.all()] == [True] * 3
