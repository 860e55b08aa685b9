"""Who reads whom: lines as thick as attn's weights, chosen, stepped, played, with and without numbers."""

import numpy as np
import pytest
from elements import LANGUAGES, address, open_element, stop_the_clock

from attn import lessons

NAME = "who-reads-whom"
SENTENCES = [lessons.addition(sentence=number) for number in (1, 2)]


@pytest.fixture
def element(site, tab, used_tab):
    def opened(language="en", state=None, own_clock=False, **options):
        page = (tab if own_clock else used_tab)(**options)
        if own_clock:
            page.clock.install(time=0)
        return open_element(page, site.url(f"{language}/"), NAME, state)

    return opened


def reader(element) -> int:
    pressed = element.root.locator(".attn-who-reads-whom button").evaluate_all(
        "buttons => buttons.map((button) => button.ariaPressed === 'true')"
    )
    assert pressed.count(True) == 1
    return pressed.index(True)


def shares(element) -> list[str]:
    return element.texts(".attn-who-reads-whom span")


def expected(sentence: int, row: int) -> list[str]:
    return [f"{weight:.1%}" for weight in SENTENCES[sentence].trace().weights[row]]


def note(element) -> str:
    return element.root.locator(".attn-note").inner_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_position_reads_as_attn_says(element, language):
    shown = element(language)
    names = SENTENCES[0].labels(language)
    assert shown.texts(".attn-who-reads-whom button") == list(names)
    assert reader(shown) == 3
    for row in range(6):
        shown.root.get_by_role("button").filter(has_text=names[row]).first.click()
        assert reader(shown) == row
        assert shares(shown) == expected(0, row)
        widths = shown.root.locator(".attn-who-reads-whom path").evaluate_all(
            "paths => paths.map((path) => Number(path.getAttribute('stroke-width')))"
        )
        assert np.array(widths) / sum(widths) == pytest.approx(SENTENCES[0].trace().weights[row])


def test_the_other_direction_is_another_row(element):
    shown = element()
    weights = SENTENCES[0].trace().weights
    assert "“equal” reads “plus” most, 52.4%, and “to” least, 1.4%." in note(shown)
    assert f"“plus” reads “equal” with {weights[1, 3]:.1%}" in note(shown)


def test_the_second_sentence_changes_what_the_same_query_reads(element):
    shown = element()
    shown.pick("sentence", 2)
    assert shares(shown) == expected(1, 3)
    assert shown.texts(".attn-who-reads-whom button")[:3] == ["ten", "minus", "four"]
    assert "same word in both sentences" in note(shown)
    shown.announced("“equal” reads “minus” most, 43.5%")
    shown.root.get_by_role("button", name="ten").click()
    assert "same word" not in note(shown)  # 十 is not 三
    assert shown.state() == "row.0_sentence.2"


def test_numbers_can_be_hidden_to_guess_first(element):
    shown = element(state="numbers.0")
    assert shares(shown) == ["–"] * 6
    assert "%" not in note(shown) and "Guess" in note(shown)
    labels = shown.root.locator(".attn-who-reads-whom button").evaluate_all("buttons => buttons.map((b) => b.ariaLabel)")
    assert not any("%" in label for label in labels)
    shown.root.get_by_label("show numbers").check()
    assert shares(shown) == expected(0, 3)


def test_chapter_05_starts_with_a_guess(site, used_tab):
    shown = open_element(used_tab(), address(site, NAME, "en", "05-"), NAME)
    assert shares(shown) == ["–"] * 6 and "Guess from the lines" in note(shown)
    assert shown.state() is None
    shown.root.get_by_label("show numbers").check()
    assert shares(shown) == expected(0, 3)
    shown.announced("“equal” reads “plus” most, 52.4%")


def test_asked_one_answers_before_anything_is_shown(element):
    shown = element("zh", state="numbers.0")
    names = SENTENCES[0].labels("zh")
    positions = shown.root.locator(".attn-who-reads-whom button")
    ask = shown.root.get_by_role("button", name="考考我")
    for row, guess in ((4, 4), (5, 0), (0, 3)):
        ask.click()
        assert reader(shown) == row
        assert note(shown) == f"“{names[row]}”读谁最多？"
        assert shares(shown) == ["–"] * 6 and shown.root.locator(".attn-who-reads-whom path").count() == 0
        labels = positions.evaluate_all("buttons => buttons.map((b) => b.ariaLabel)")
        assert not any("%" in label for label in labels)

        positions.nth(guess).click()
        assert reader(shown) == row  # a guess chooses no other reader
        weights = SENTENCES[0].trace().weights[row]
        most = names[weights.argmax()]
        verdict = "猜对了。" if names[guess] == most else f"不是“{names[guess]}”。"
        assert note(shown).startswith(f"{verdict}“{names[row]}”读得最多的是“{most}”，占 {weights.max():.1%}")
        assert shares(shown) == expected(0, row)
        shown.announced(verdict)
    assert shown.state() == "row.0_numbers.0_guess.3"
    positions.nth(2).click()  # the question is over
    assert reader(shown) == 2 and shares(shown) == ["–"] * 6


def test_a_question_by_keyboard_alone(element):
    shown = element(reduced_motion="reduce")
    page = shown.page
    shown.root.get_by_role("button", name="Ask me").focus()
    page.keyboard.press("Enter")
    shown.announced("Which does “to” read most?")
    for _ in range(5):  # Next, Back, and the positions ?, to, equal
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert note(shown).startswith("Right. “to” reads “equal” most")


def test_all_by_keyboard(element):
    shown = element()
    page = shown.page
    shown.radio("sentence", 1).focus()
    page.keyboard.press("ArrowRight")
    assert shares(shown) == expected(1, 3)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # numbers
    assert shares(shown) == ["–"] * 6
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the first position
    assert reader(shown) == 0
    shown.root.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    assert reader(shown) == 1
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")  # Back
    page.keyboard.press("Space")
    assert reader(shown) == 5
    assert page.locator(":focus").inner_text() == "Back"


def test_playing_pauses_and_tells_nothing(element):
    shown = element(state="speed.fast", own_clock=True)
    stop_the_clock(shown.page)
    shown.root.get_by_role("button", name="equal").click()
    shown.page.clock.run_for(500)
    shown.announced("“equal” reads")
    play = shown.root.locator(".attn-primary")
    play.click()
    assert play.inner_text() == "Pause"
    assert "computed at once" in note(shown)
    shown.page.clock.run_for(2500)
    assert reader(shown) == 5
    shown.page.clock.run_for(1200)
    assert reader(shown) == 0
    assert shown.root.locator(".attn-status").inner_text() == ""
    play.click()
    assert play.inner_text() == "Play"
    shown.page.clock.run_for(5000)
    assert reader(shown) == 0


def test_a_choice_ends_the_show(element):
    shown = element(own_clock=True)
    stop_the_clock(shown.page)
    shown.root.locator(".attn-primary").click()
    shown.root.get_by_role("button", name="plus").click()
    assert shown.root.locator(".attn-primary").inner_text() == "Play"
    shown.page.clock.run_for(10_000)
    assert reader(shown) == 1


def test_without_motion_nothing_plays_and_every_step_is_there(element):
    shown = element(reduced_motion="reduce")
    assert shown.root.get_by_role("button", name="Play").count() == 0
    moving = shown.root.evaluate("element => element.getAnimations({ subtree: true }).length")
    assert moving == 0
    for row in (4, 5, 0):
        shown.root.get_by_role("button", name="Next").click()
        assert shares(shown) == expected(0, row)


def test_with_motion_the_lines_grow(element):
    shown = element()
    shown.page.evaluate("window.grown = 0; addEventListener('animationstart', () => (window.grown += 1))")
    shown.root.get_by_role("button", name="Next").click()
    shown.page.wait_for_function("window.grown === 6")
