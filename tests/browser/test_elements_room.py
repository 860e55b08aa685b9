"""While a reader uses an interactive figure, it keeps its height: what follows stays where it is.

Each control is used from the first state, a quiz answered, and each control used once more.
Not measured are the few that show more of something because a reader asked for more of it.
"""

import pytest
from elements import LANGUAGES, NAMES, PHONE, addresses_of_forms, open_element

# By element: the controls that bring more rows, more positions or controls of their own.
GROWS = {
    "decode-stepper": "button",  # a token more
    "head-sharing": "input[name$='-heads'], input[name$='-kv']",  # other heads to choose from
    # The sliders of a mask, and how to align when there are fewer queries.
    "mask-composer": "input[type=checkbox], input[name$='-start'], [data-form='gallery'] ~ * input[type=range]",
    "intervention-bench": "input[name$='-paths']",  # sliders for each path
    "order": "input[type=checkbox]",  # what is added, below each position
}

# How many pixels the stage is higher or lower, by control; what is answered stays answered.
MOVES = """(element, [skipped, plant]) => {
    const stage = element.stage;
    const height = () => stage.getBoundingClientRect().height;
    const controls = () => [...stage.querySelectorAll("button, input")]
        .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !control.closest(".attn-reset"))
        .filter((control) => !skipped || !control.matches(skipped));
    const use = (control, end) => {
        if (control.type !== "range") return control.click();
        control.value = control[end];
        control.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const first = height();
    const found = {};
    const round = (before) => {
        for (const end of ["max", "min"]) {
            for (let i = 0; i < controls().length; i++) {
                element.reset();
                if (before !== undefined && controls()[before]) use(controls()[before], end);
                const control = controls()[i];
                if (!control) continue;
                const name = (control.ariaLabel ?? (control.closest("label") ?? control).innerText).slice(0, 40);
                use(control, end);
                element.pause();
                if (plant) stage.append(document.createElement("hr"));
                const grown = Math.round(height() - first);
                if (Math.abs(grown) > Math.abs(found[name] ?? 1)) found[name] = grown;
            }
        }
    };
    round();
    // Each quiz is a group of buttons.
    const quiz = controls().findIndex((control) => control.closest("[role=group] [role=group]") && control.type === "button");
    if (quiz >= 0) round(quiz);
    element.reset();
    return found;
}"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_does_not_move_under_the_reader(site, used_tab, name, language):
    for viewport in (PHONE, {"width": 1280, "height": 800}):
        for place in addresses_of_forms(site, name, language):
            element = open_element(used_tab(viewport=viewport, reduced_motion="reduce"), place, name)
            grows = GROWS.get(name)
            assert element.root.evaluate(MOVES, [grows, False]) == {}, f"{viewport['width']} px, {place}"


def test_an_element_that_grows_is_found(site, used_tab):
    element = open_element(used_tab(), addresses_of_forms(site, "order", "en")[0], "order")
    assert element.root.evaluate(MOVES, [None, True]) != {}
