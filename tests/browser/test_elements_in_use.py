"""In the middle of use, after many choices: what a reader presses stays under the finger and keeps
the focus. And what is chosen can be seen where the reader has chosen the colours.
"""

import io
import random

import pytest
from elements import LANGUAGES, NAMES, PHONE, addresses_of_forms, open_element
from PIL import Image

rng = random.Random(7)
CHANCES = [(rng.random(), rng.random()) for _ in range(60)]

# Controls that went elsewhere as they were used, or lost the focus: name → pixels, or "lost".
# `chances`, each from 0 to 1, say what is used and, where it slides, to which end.
MOVED = """(element, [chances, plant]) => {
    const stage = element.stage;
    const top = (control) => control.getBoundingClientRect().top - stage.getBoundingClientRect().top;
    const found = {};
    for (const [which, end] of chances) {
        const controls = [...stage.querySelectorAll("button:not(.attn-reset), input")]
            .filter((control) => control.checkVisibility({ visibilityProperty: true }));
        const control = controls[Math.floor(which * controls.length)];
        const name = control.ariaLabel ?? (control.closest("label") ?? control).innerText;
        const before = top(control);
        control.focus();
        if (["range", "number"].includes(control.type)) {
            control.value = [control.min, control.max][Math.floor(end * 2)];
            control.dispatchEvent(new Event("input", { bubbles: true }));
        } else control.click();
        element.pause();
        if (plant) stage.prepend(document.createElement("hr"));
        const by = Math.round(top(control) - before);
        if (document.activeElement === document.body) found[name] = "lost";
        else if (control.isConnected && Math.abs(by) > 1) found[name] = by;
    }
    return found;
}"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_pressed_stays_where_it_is(site, tab, name, language):
    page = tab(viewport=PHONE, reduced_motion="reduce")
    for place in addresses_of_forms(site, name, language):
        element = open_element(page, place, name)
        assert element.root.evaluate(MOVED, [CHANCES, False]) == {}, place


def test_a_control_that_moves_is_found(site, tab):
    element = open_element(tab(), addresses_of_forms(site, "order", "en")[0], "order")
    assert element.root.evaluate(MOVED, [CHANCES[:5], True]) != {}


def backgrounds(element) -> list[tuple[int, ...]]:
    """Of the option that is chosen and of one that is not, as a screen shows it."""
    found = []
    for state in (":checked", ":not(:checked)"):
        option = element.root.locator(f"label:has(input[type=radio]{state})").first
        picture = Image.open(io.BytesIO(option.screenshot()))
        found.append(picture.getpixel((6, 6)))  # between the border and the text
    return found


def test_what_is_chosen_can_be_seen_in_the_readers_own_colours(site, tab):
    page = tab(forced_colors="active")
    element = open_element(page, addresses_of_forms(site, "mask-composer", "en")[0], "mask-composer")
    chosen, other = backgrounds(element)
    assert chosen != other
    plain = "forced-color-adjust: auto; --attn-accent: #1f5e9e; --attn-on-accent: #fff"
    element.root.locator(".attn-stage").evaluate("(stage, plain) => (stage.style = plain)", plain)
    chosen, other = backgrounds(element)
    assert chosen == other


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_open_ledger_says_its_title_once(site, tab, language):
    element = open_element(tab(), addresses_of_forms(site, "cell-ledger", language)[0], "cell-ledger")
    title = element.root.locator("summary").inner_text().strip()
    assert element.root.inner_text().count(title) == 1
