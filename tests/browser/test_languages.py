"""From one language to the other: the switch, the first page, the page that is not there."""

import pytest
from conftest import PREFIXES, ROOT

CHAPTER = "chapters/08-causal-mask/"


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("ours, theirs", [("zh", "en"), ("en", "zh")])
@pytest.mark.parametrize(
    "address",
    [
        "#start",
        f"{CHAPTER}index.html?a=b",
        f"{CHAPTER}?h=softmax&x=%E6%9D%83#why-before-softmax",
    ],
)
def test_switch_keeps_page_query_and_anchor(site, tab, prefix, ours, theirs, address):
    page = tab()
    page.goto(site.url(f"{ours}/{address}", prefix))
    page.locator(".attn-switch").click()
    expected = address.replace("index.html", "")  # the same page, by the address links use
    page.wait_for_url(site.url(f"{theirs}/{expected}", prefix))
    assert page.locator("html").get_attribute("lang") == theirs


def test_switch_is_one_touch_on_a_phone(site, tab):
    page = tab(viewport={"width": 375, "height": 812}, has_touch=True)
    page.goto(site.url(f"zh/{CHAPTER}"))
    page.locator(".attn-switch").tap()
    page.wait_for_url(site.url(f"en/{CHAPTER}"))


def test_switch_follows_an_anchor_that_was_clicked_later(site, tab):
    page = tab()
    page.goto(site.url(f"zh/{CHAPTER}"))
    page.locator(".md-sidebar--secondary .md-nav__link").nth(1).click()
    page.wait_for_function("location.hash")
    anchor = page.evaluate("location.hash")
    page.locator(".attn-switch").click()
    page.wait_for_url(site.url(f"en/{CHAPTER}{anchor}"))


def test_the_scheme_that_was_chosen_holds_in_the_other_language(site, tab):
    page = tab(color_scheme="light")
    scheme = "document.body.dataset.mdColorScheme"
    page.goto(site.url("zh/"))
    for chosen in ("default", "slate"):  # before, as the system
        page.locator("form[data-md-component=palette] label:visible").click()
        page.wait_for_function(f"chosen => {scheme} === chosen", arg=chosen)
    page.locator(".attn-switch").click()
    page.wait_for_url(site.url("en/"))
    assert page.evaluate(scheme) == "slate"


def test_a_dark_system_sees_no_flash_of_light(site, open_tab):
    tab = open_tab(color_scheme="dark")
    tab.page.route("**/bundle.*.js", lambda route: route.abort())  # what would set it too late
    tab.page.goto(site.url("zh/"))
    assert tab.page.evaluate("document.body.dataset.mdColorScheme") == "slate"
    tab.page.context.close()


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    "locale, language", [("zh-CN", "zh"), ("zh-TW", "zh"), ("en-GB", "en"), ("fr-FR", "en")]
)
def test_root_leads_to_the_language_of_the_browser(site, tab, prefix, locale, language):
    page = tab(locale=locale)
    page.goto(site.url("?a=b#c", prefix))
    page.wait_for_url(site.url(f"{language}/?a=b#c", prefix))


def test_root_lets_a_browser_without_scripts_choose(site, tab):
    page = tab(java_script_enabled=False)
    for name, language in (("中文", "zh"), ("English", "en")):
        page.goto(site.url("", "/repo/"))
        page.get_by_role("link", name=name).click()
        page.wait_for_url(site.url(f"{language}/", "/repo/"))
        assert page.locator("h1").is_visible()


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("missing", ["nothing", "zh/chapters/99/deep/", "en/nothing.html?a=b#c"])
def test_not_found_speaks_both_languages_and_its_links_work(site, open_tab, prefix, missing):
    tab = open_tab()
    page = tab.page
    answer = page.goto(site.url(missing, prefix))
    assert answer.status == 404
    first = "en" if missing.startswith("en/") else "zh"
    assert page.locator("html").get_attribute("lang") == first
    tops = {
        language: page.locator(f"section[lang={language}]").bounding_box()["y"]
        for language in ("zh", "en")
    }
    assert min(tops, key=tops.get) == first
    for language in ("zh", "en"):
        page.goto(site.url(missing, prefix))
        page.locator(f"section[lang={language}] a").click()
        page.wait_for_url(site.url(f"{language}/", prefix))
        assert page.locator("html").get_attribute("lang") == language
    assert tab.foreign == []
    page.context.close()


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_link_of_the_navigation_leads_to_a_page(site, tab, prefix, language):
    page = tab()
    page.goto(site.url(f"{language}/", prefix))
    links = page.locator(".md-nav--primary .md-nav__link[href]").evaluate_all(
        "links => [...new Set(links.map((link) => link.href.split('#')[0]))]"
    )
    assert len(links) == len(list((ROOT / "docs" / language).rglob("*.md")))
    for link in links:
        assert page.request.get(link).status == 200
