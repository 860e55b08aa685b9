"""What every interactive figure promises, tried on the first page that has it.

That pages with elements are quiet, do not jump, fit a phone and pass axe in both schemes is
in test_every_page.py; here it is tried once more where the element has been used.
"""

from urllib.parse import quote

import pytest
from conftest import ROOT, settled
from elements import (
    LANGUAGES,
    NAMES,
    PHONE,
    address,
    addresses_of_forms,
    element_on,
    open_element,
    small_targets,
)
from test_every_page import CUT_OFF, OUT_OF_REACH, WIDER_THAN_THE_SCREEN

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SCRIPTS = "**/assets/elements/*.js"
EMPTY = {"body": "", "content_type": "text/javascript", "headers": {"Cache-Control": "no-store"}}

every_element = pytest.mark.parametrize("name", NAMES)
both_languages = pytest.mark.parametrize("language", LANGUAGES)


@every_element
def test_without_scripts_the_still_figure_stands_there(site, used_tab, name):
    page = used_tab(java_script_enabled=False, viewport=PHONE)
    page.goto(address(site, name, "zh"))
    still = page.locator(f"attn-{name} > figure").first
    assert still.locator("svg").is_visible()
    height = page.locator(f"attn-{name}").first.bounding_box()["height"]
    # Room for an element that never comes would be a hole in the page.
    assert height < still.bounding_box()["height"] + 120


@every_element
@both_languages
def test_the_element_takes_the_place_of_the_figure(site, tab, name, language):
    page = tab(viewport=PHONE)
    element = open_element(page, address(site, name, language), name)
    assert element.key.startswith("fig-")
    # Under a fold, the element leaves the still figure where it is.
    beside = element.root.locator("> details").count() == 1
    assert element.root.locator("> figure").is_visible() == beside
    assert element.root.locator("[role=group]").first.get_attribute("aria-label")
    page.emulate_media(media="print")
    assert element.root.locator("> figure").is_visible()
    assert not element.root.locator(".attn-stage").is_visible()


@every_element
@both_languages
def test_what_follows_does_not_move_when_the_element_comes(site, tab, name, language):
    page = tab()
    element = page.locator(f"attn-{name}").first

    def height(place, *, with_element):
        page.goto(place)
        page.evaluate("document.fonts.ready.then(() => {})")
        element.locator(".attn-stage").wait_for(state="attached" if with_element else "detached")
        element.locator("[aria-busy=true]").wait_for(state="detached")
        return element.bounding_box()["height"]

    for viewport in (PHONE, {"width": 1280, "height": 800}):
        page.set_viewport_size(viewport)
        for place in addresses_of_forms(site, name, language):
            page.route(SCRIPTS, lambda route: route.fulfill(**EMPTY))
            before = height(place, with_element=False)
            page.unroute(SCRIPTS)
            ready = height(place, with_element=True)
            assert abs(ready - before) < 1, f"{viewport['width']} px, {place}: {before} becomes {ready}"


@every_element
@both_languages
def test_used_on_a_phone_in_both_schemes(site, tab, name, language):
    """Every control is used once; nothing breaks, and everything can be seen, touched, read out."""
    page = tab(viewport=PHONE, has_touch=True, color_scheme="light", reduced_motion="reduce")
    element = open_element(page, address(site, name, language), name)
    use_everything(element)
    assert page.evaluate(WIDER_THAN_THE_SCREEN) == []
    assert page.evaluate(CUT_OFF.replace(".md-content", f"attn-{name}")) == []
    assert page.evaluate(OUT_OF_REACH.replace(".md-content", f"attn-{name}")) == []
    assert small_targets(element) == []
    if not AXE.exists():
        pytest.skip("needs `npm ci`")
    page.evaluate(AXE.read_text("utf-8"))
    for scheme, name_of_scheme in (("light", "default"), ("dark", "slate")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("name => document.body.dataset.mdColorScheme === name", arg=name_of_scheme)
        found = page.evaluate("key => axe.run(document.getElementById(key))", element.key)
        assert [(v["id"], [node["html"][:160] for node in v["nodes"]]) for v in found["violations"]] == []


def use_everything(element) -> None:
    for kind, use in (
        ("input[type=checkbox]", "control.click()"),
        ("input[type=radio]:last-of-type", "control.click()"),
        ("input[type=range]", "control.value = control.max; control.dispatchEvent(new Event('input', { bubbles: true }))"),
        ("button:not(.attn-reset)", "control.click()"),
    ):
        element.root.locator(kind).evaluate_all(f"controls => controls.forEach((control) => {{ {use} }})")
    settled(element.page)


@every_element
def test_what_is_announced_is_what_the_reader_has_chosen(site, used_tab, name):
    """Not what stood there before: a control that is used again, with nothing new, says the same again."""
    page = used_tab()
    for place in addresses_of_forms(site, name, "en"):
        element = open_element(page, place, name)
        assert element.root.evaluate(SAID_TWICE) == [], place


def test_an_announcement_of_what_stood_there_before_is_found(site, used_tab):
    element = open_element(used_tab(), address(site, "mask-composer", "en"), "mask-composer")
    element.root.evaluate(
        """element => (element.change = (changes) => {
            const before = element.querySelector(".attn-note").innerText;
            element.set(changes);
            element.say(before);
        })"""
    )
    assert "padding" in [label for label, _, _ in element.root.evaluate(SAID_TWICE)]


# Each control away from where it stands, and once more to the same place: what was said each time.
SAID_TWICE = """element => {
    let said = [];
    element.say = (text) => said.push(text ?? "");
    const use = {
        checkbox: (control) => (control.checked = !control.checked),
        radio: (control) => (control.checked = true),
        range: (control) => (control.value = control.value === control.max ? control.min : control.max),
    };
    const differ = [];
    for (const control of element.querySelectorAll("input")) {
        if (!control.isConnected || !use[control.type]) continue;
        use[control.type](control);
        const [once, again] = [1, 2].map(() => {
            said = [];
            control.dispatchEvent(new Event(control.type === "range" ? "input" : "change", { bubbles: true }));
            return said.at(-1) ?? "";
        });
        if (once !== again) differ.push([(control.closest("label") ?? control).innerText, once, again]);
    }
    return differ;
}"""


@every_element
def test_the_other_language_keeps_the_state_and_reset_ends_it(site, used_tab, name):
    page = used_tab()
    element = open_element(page, address(site, name, "zh"), name)
    first = essence(element)
    use_everything(element)
    state = element.state()
    assert state, "no control changes the address"
    page.locator(".attn-switch").click()
    page.wait_for_url("**/en/**")
    other = element_on(page, name)
    assert (other.key, other.state()) == (element.key, state)

    page.go_back()
    page.wait_for_url("**/zh/**")
    again = element_on(page, name)
    assert again.state() == state
    again.reset.click()
    assert again.state() is None
    assert essence(again) == first


def essence(element) -> list:
    """What the element says, and how its controls stand."""
    element.root.locator("[aria-busy=true]").wait_for(state="detached")
    return element.root.locator(".attn-stage").evaluate(
        """stage => [stage.innerText, [...stage.querySelectorAll("button, input")].map((control) =>
             [control.value, control.checked, control.ariaPressed, control.ariaLabel])]"""
    )


@every_element
def test_nonsense_in_the_address_is_passed_over(site, used_tab, name):
    page = used_tab()
    element = open_element(page, address(site, name, "zh"), name)
    first = essence(element)
    names = page.evaluate("name => Object.keys(document.querySelector(`attn-${name}`).choices)", name)
    for nonsense in ("<b>", "-1", "99999", "NaN", "", "*", "0-0"):
        state = "_".join(f"{field}.{nonsense}" for field in [*names, "constructor", "__proto__", ""])
        page.goto(f"{address(site, name, 'zh')}?{element.key}={quote(state)}")
        assert essence(element_on(page, name)) == first, nonsense


@every_element
def test_it_works_from_a_disk(site, open_tab, name):
    tab = open_tab()
    path = address(site, name, "zh").removeprefix(site.url(""))
    tab.page.goto((site.folder / path / "index.html").as_uri())
    element = element_on(tab.page, name)
    use_everything(element)
    assert element.state()
    assert [text for text in tab.said if "elements" in text or "Error" in text] == []
    tab.page.context.close()
