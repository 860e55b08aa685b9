"""The decode stepper (chapter 12): every step is what attn's KV cache gives, and its full run."""

from fractions import Fraction

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element, stop_the_clock

from attn import KVCache, causal_mask, lessons
from attn.figures.numbers import vector

NAME = "decode-stepper"
LESSON = lessons.three_positions()
HEAD = LESSON.attention()


def exact(values):
    return [str(Fraction(float(value)).limit_denominator(100)) for value in values]


def decoded(tokens):
    """The last row's weights and output, by attn: with a cache, one position at a time."""
    x = LESSON.x[list(tokens)]
    cache = KVCache()
    for row in x:
        q, k, v = HEAD.project(row[None])
        cache.append(k, v)
        output = cache.attend(q)
    trace = HEAD.trace(x, causal=True)
    assert np.allclose(output, trace.output[-1:], rtol=0, atol=1e-12)
    return trace, output[0]


def costs(n):
    """Multiplications at step n: with a cache, and for everything again."""
    pairs = [1, int(causal_mask(n).sum())]
    return 12 + 4 * n, 12 * n + 4 * pairs[1]


def check(element, tokens):
    trace, output = decoded(tokens)
    n = len(tokens)
    held = element.table("held")
    assert [row[0] for row in held] == ["–"] * (n - 1) + [vector(trace.q[-1])]
    assert [row[1:] for row in held] == [[vector(k), vector(v)] for k, v in zip(trace.k, trace.v)]
    weights = element.table("weights")
    assert weights == [exact(row[: i + 1]) + [""] * (n - 1 - i) for i, row in enumerate(trace.weights)]
    sums = np.cumsum([costs(i) for i in range(1, n + 1)], axis=0)[-1]
    shown = f"[{', '.join(exact(output))}]"
    assert element.table("cost") == [[shown, str(own), str(total)] for own, total in zip(costs(n), sums)]


def fresh(element, table):
    """Rows and columns of the cells that are marked as computed in this step."""
    rows = element.root.locator(f"[aria-labelledby='{element.key}-{table}'] tbody tr")
    marks = rows.evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('.attn-cell')].map((c) => c.classList.contains('attn-cell-new')))"
    )
    return [tuple(place) for place in np.argwhere(marks).tolist()]


def append(element, token):
    element.root.get_by_role("button", name=vector(LESSON.x[token])).click(force=True)  # disabled ones too


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lesson_step_by_step(site, used_tab, language):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME)
    check(element, [0, 1])
    append(element, 2)
    check(element, [0, 1, 2])
    assert fresh(element, "held") == [(2, 0), (2, 1), (2, 2)]
    assert fresh(element, "weights") == [(2, 0), (2, 1), (2, 2)]
    # Chapter 12: 1/4, 1/4, 1/2 and [1.5, 0.75]; 24 multiplications, not 60.
    assert element.table("weights")[2] == ["1/4", "1/4", "1/2"]
    assert element.table("cost") == [["[3/2, 3/4]", "24", "60"], ["[3/2, 3/4]", "60", "112"]]
    element.announced("k₁" if language == "zh" else "Read from the cache: k₁, k₂, v₁, v₂")
    append(element, 1)
    check(element, [0, 1, 2, 1])
    assert element.table("weights")[3] == ["1/7", "2/7", "2/7", "2/7"]  # the chapter's first question
    assert element.state() == "tokens.0121"


def test_back_to_the_first_and_on_to_the_last(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    back = element.root.get_by_role("button", name="Step back")
    back.click()
    check(element, [0])
    assert "nothing, this is the first" in element.texts(".attn-note")[1]
    assert back.get_attribute("aria-disabled") == "true"
    back.click(force=True)
    check(element, [0])
    for token in (2, 2, 0, 1, 1):  # the last finds the figure full
        append(element, token)
    check(element, [0, 2, 2, 0, 1])
    assert "120" in element.texts(".attn-decode-stepper-quiz")[0]
    element.reset.click()
    check(element, [0, 1])


def test_guesses(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "tokens.012")
    anew, read = (element.root.locator(f"[aria-labelledby='{element.key}-{name}']") for name in ("anew", "read"))
    for group in (anew, read):
        assert group.locator("button").all_inner_texts() == ["0", "1", "3", "4"]
    verdict = element.root.locator(".attn-decode-stepper-quiz .attn-note")
    assert verdict.inner_text() == ""
    anew.get_by_role("button", name="3").click()
    assert verdict.inner_text() == "No, 1: only k₄ is new, all older ones are held."
    anew.get_by_role("button", name="1").click()
    assert verdict.inner_text().startswith("Right, 1")
    read.get_by_role("button", name="1").click()
    assert "No, 4: every key" in verdict.inner_text()
    element.announced("No, 4")
    assert element.state() == "tokens.012_anew.1_read.1"
    append(element, 0)  # another position, another question
    assert element.state() == "tokens.0120"


def test_by_keyboard_alone_without_motion(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "zh"), NAME)
    assert element.root.get_by_role("button", name="播放").count() == 0
    element.reset.focus()
    for key in ("Tab", "Tab", "Space"):  # "1" to the first question
        page.keyboard.press(key)
    element.announced("对，1 个")
    for _ in range(9):  # past the other answers, to the last of the three rows
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    check(element, [0, 1, 2])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    check(element, [0, 1])


def test_playing_goes_on_to_the_last_position_and_stops(site, tab):
    page = tab()
    page.clock.install(time=0)
    element = open_element(page, address(site, NAME, "en"), NAME)
    stop_the_clock(page)
    element.root.get_by_role("button", name="Play").click()
    page.clock.run_for(2500)
    check(element, [0, 1, 2])
    element.root.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    check(element, [0, 1, 2])
    element.root.get_by_role("button", name="Play").click()
    page.clock.run_for(12_000)
    check(element, [0, 1, 2, 0, 1])
    element.root.get_by_role("button", name="Play").click()
    check(element, [0])
    append(element, 1)  # a step of one's own ends the show
    page.clock.run_for(5000)
    check(element, [0, 1])


@pytest.mark.parametrize(
    "language, label, full",
    [("zh", "接上位置 5", "5 个位置都有了"), ("en", "Append position 5", "All 5 positions are here")],
)
def test_a_full_figure_asks_for_no_other_position(site, used_tab, language, label, full):
    element = open_element(used_tab(), address(site, NAME, language), NAME, "tokens.0120")
    assert label in element.text()
    append(element, 1)
    assert label not in element.text()
    assert full in element.text()
