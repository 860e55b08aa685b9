"""Online softmax (chapter 14): every step is what attn.streaming_steps remembers."""

from fractions import Fraction

import numpy as np
import pytest
from elements import LANGUAGES, PHONE, address, open_element, stop_the_clock

import attn
from attn import lessons

NAME = "online-softmax"
LESSON = lessons.three_positions_directed().trace()
POWERS = (1, 2, 3)


def exact(value):
    return str(Fraction(float(value)).limit_denominator(100))


def row(values):
    return f"[{', '.join(map(exact, values))}]"


def logs(score):
    power = round(float(score) / np.log(2))
    return {0: "0", 1: "ln 2"}.get(power, f"{power} ln 2")


def steps_of(powers, block, reversed_=False):
    """What attn gives for one query whose scores are these multiples of ln 2."""
    k = np.log(2) * np.array(powers, float)[:, None]
    v = LESSON.v
    if reversed_:
        k, v = k[::-1], v[::-1]
    one = np.ones((1, 1))
    return list(attn.streaming_steps(one, k, v, block=block)), attn.trace(one, k, v)


def check(element, at, powers=POWERS, block=1, reversed_=False):
    steps, trace = steps_of(powers, block, reversed_)
    scores, v = trace.scaled[0], trace.v
    assert element.table("scores") == [[logs(score) for score in scores]]
    step, old = steps[at - 1], steps[at - 2] if at > 1 else None
    new = np.exp(scores[step.keys] - step.maximum[0])
    added = [logs(scores[step.keys].max()), exact(new.sum()), row(new @ v[step.keys])]
    now = [logs(step.maximum[0]), exact(step.total[0]), row(step.weighted[0])]
    if old is None:
        before, shrunk = ["–"] * 3, ["", "–", "–"]
    else:
        before = [logs(old.maximum[0]), exact(old.total[0]), row(old.weighted[0])]
        factor = np.exp(old.maximum[0] - step.maximum[0])
        shrunk = ["", exact(factor * old.total[0]), row(factor * old.weighted[0])]
    assert element.table("kept") == [list(line) for line in zip(before, shrunk, added, now)]
    outcome = element.texts(".attn-note")[-1]
    assert f"÷ {exact(step.total[0])} = {row(step.output[0])}" in outcome
    assert row(trace.output[0]) in outcome and exact(trace.weights[0, 0]) in outcome
    return outcome


def next_block(element, language="en"):
    element.root.get_by_role("button", name={"zh": "读下一块", "en": "Next block"}[language]).click(force=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lesson_key_by_key(site, used_tab, language):
    element = open_element(used_tab(viewport=PHONE), address(site, NAME, language), NAME)
    assert np.allclose(steps_of(POWERS, 1)[1].scaled[0], LESSON.scaled[2])
    check(element, 1)
    next_block(element, language)
    check(element, 2)
    next_block(element, language)
    # Chapter 14: 7/4, [5/2, 3/2], and [10/7, 6/7] as chapter 06 has it.
    outcome = check(element, 3)
    assert "[5/2, 3/2] ÷ 7/4 = [10/7, 6/7]" in outcome
    assert ("一样" if language == "zh" else "The same") in outcome
    element.announced("1/2")
    next_block(element, language)  # there is none
    check(element, 3)


@pytest.mark.parametrize("block", [1, 2, 3])
@pytest.mark.parametrize("reversed_", [False, True])
def test_blocks_and_directions_end_alike(site, used_tab, block, reversed_):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    element.pick("block", block)
    if reversed_:
        element.root.locator("input[type=checkbox]").check()
    last = -(-3 // block)
    for at in range(1, last + 1):
        outcome = check(element, at, block=block, reversed_=reversed_)
        said = element.texts(".attn-note")[0]
        assert ("multiplied by" in said) == (at > 1 and not reversed_)
        next_block(element)
    assert "= [10/7, 6/7]" in outcome and "The same" in outcome


def test_other_scores(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME, "at.3")
    element.cell("scores", 0, 2).click()  # 3 ln 2 becomes 0
    check(element, 3, powers=(1, 2, 0))
    assert "still 2 ln 2" in element.texts(".attn-note")[0]
    element.cell("scores", 0, 0).click()
    element.cell("scores", 0, 0).click()
    check(element, 3, powers=(3, 2, 0))
    assert element.state() == "at.3_powers.320"
    element.reset.click()
    check(element, 1)


def test_guesses(site, used_tab):
    element = open_element(used_tab(), address(site, NAME, "en"), NAME)
    quiz = element.root.locator(".attn-online-softmax-quiz")
    assert quiz.locator("button").all_inner_texts() == ["1", "1/2", "1/4", "1/8"]
    assert "k₂ with 2 ln 2" in quiz.inner_text()
    quiz.get_by_role("button", name="1/4").click()
    assert "No, 1/2: a larger score comes, e to the power (ln 2 − 2 ln 2)." in quiz.inner_text()
    quiz.get_by_role("button", name="1/2").click()
    assert "Right, 1/2" in quiz.inner_text()
    element.announced("Right, 1/2")
    element.root.locator("input[type=checkbox]").check()
    assert "Right" not in quiz.inner_text()
    quiz.get_by_role("button", name="1", exact=True).click()
    assert "Right, 1: no larger score comes" in quiz.inner_text()


def test_by_keyboard_alone_without_motion(site, used_tab):
    page = used_tab(reduced_motion="reduce")
    element = open_element(page, address(site, NAME, "zh"), NAME)
    assert element.root.get_by_role("button", name="播放").count() == 0
    bar = element.root.locator(".attn-online-softmax-new")
    assert bar.evaluate("bar => getComputedStyle(bar).animationDuration") == "0s"
    element.radio("block", 1).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight", "Enter"):  # k₁, which now stands last
        page.keyboard.press(key)
    check(element, 1, powers=(2, 2, 3), block=2, reversed_=True)
    for _ in range(6):  # four answers and the way back
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    check(element, 2, powers=(2, 2, 3), block=2, reversed_=True)
    element.announced("不用缩小")
    assert element.state() == "block.2_at.2_reversed.1_powers.223"


def test_playing_reads_all_blocks_and_stops(site, tab):
    page = tab()
    page.clock.install(time=0)
    element = open_element(page, address(site, NAME, "en"), NAME)
    stop_the_clock(page)
    play, pause = (element.root.get_by_role("button", name=name) for name in ("Play", "Pause"))
    play.click()
    page.clock.run_for(3000)
    check(element, 2)
    pause.click()
    page.clock.run_for(6000)
    check(element, 2)
    play.click()
    page.clock.run_for(9000)
    check(element, 3)
    play.click()  # from the first again
    check(element, 1)
    pause.wait_for()
    element.pick("block", 2)  # a choice of one's own ends the show
    page.clock.run_for(6000)
    check(element, 1, block=2)
