"""Small things a reader would miss: labels, sizes for a finger, paper, a page without scripts."""

import pytest

CHAPTER = "chapters/08-causal-mask/"


@pytest.mark.parametrize(
    "language, output", [("zh", "输出"), ("en", "Output")]
)
def test_an_output_says_what_it_is(site, tab, language, output):
    page = tab()
    page.goto(site.url(f"{language}/{CHAPTER}"))
    label = page.locator(".attn-output > pre").first.evaluate(
        "pre => getComputedStyle(pre, '::before').content"
    )
    assert label == f'"{output}"'


def test_an_output_hangs_on_its_block(site, tab):
    page = tab()
    page.goto(site.url(f"zh/{CHAPTER}"))
    gaps = page.locator(".attn-output").evaluate_all(
        """outputs => outputs.filter((output) => output.checkVisibility()).map((output) =>
             output.querySelector("pre").getBoundingClientRect().top -
             output.previousElementSibling.querySelector("pre").getBoundingClientRect().bottom)"""
    )
    assert gaps
    assert all(-1.5 <= gap <= 0.5 for gap in gaps)  # the two borders lie on each other


def test_what_is_touched_is_large_enough(site, tab):
    page = tab(viewport={"width": 375, "height": 812}, has_touch=True)
    page.goto(site.url(f"zh/{CHAPTER}"))
    page.wait_for_load_state("networkidle")
    small = page.locator(
        ".attn-switch, .md-header label.md-header__button, article summary, .md-code__button"
    ).evaluate_all(
        """elements => elements
             .filter((element) => element.checkVisibility())
             .map((element) => [element.outerHTML.slice(0, 90), element.getBoundingClientRect()])
             .filter(([, box]) => box.width < 44 || box.height < 44)
             .map(([html, box]) => `${html}: ${box.width} x ${box.height}`)"""
    )
    assert small == []


def test_paper_is_white_and_unfolded_and_has_no_furniture(site, tab):
    page = tab(color_scheme="dark")
    page.goto(site.url(f"zh/{CHAPTER}"))
    page.wait_for_load_state("networkidle")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for furniture in (".md-header", ".md-sidebar--primary", ".md-footer", ".md-code__nav"):
        assert not page.locator(furniture).first.is_visible()
    folded = page.locator("article details > :not(summary)")
    assert folded.count() > 0
    assert all(part.is_visible() for part in folded.all())


def test_a_chapter_can_be_read_without_scripts(site, tab):
    page = tab(java_script_enabled=False, viewport={"width": 375, "height": 812})
    page.goto(site.url(f"zh/{CHAPTER}"))
    assert page.locator("h1").is_visible()
    assert page.locator(".attn-figure svg").first.is_visible()
    assert page.locator(".katex").first.is_visible()
    page.locator(".attn-switch").click()
    page.wait_for_url(site.url(f"en/{CHAPTER}"))


def test_motion_stops_for_those_who_ask(site, tab):
    page = tab(reduced_motion="reduce")
    page.goto(site.url("zh/"))
    seconds = page.locator(".md-header__button").first.evaluate(
        "element => getComputedStyle(element).transitionDuration"
    )
    assert set(seconds.split(", ")) == {"0s"}


def test_columns_of_an_output_line_up_under_chinese_labels(site, tab):
    page = tab()
    page.goto(site.url("zh/chapters/01-why/"))
    if not page.evaluate("document.fonts.load('16px \"Twice as wide\"', '注').then((found) => found.length)"):
        pytest.skip("none of the fonts that the page takes from the system is here")
    chinese, latin = page.locator(".attn-output code").first.evaluate(
        """code => ['注意力', 'abcdef'].map((text) => {
             const probe = code.appendChild(document.createElement('span'));
             probe.textContent = text;
             return probe.getBoundingClientRect().width;
           })"""
    )
    assert abs(chinese - latin) < 0.02 * latin
