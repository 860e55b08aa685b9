"""A browser that stores nothing (cookies blocked, some private windows): pages work all the same."""

from playwright.sync_api import expect

REFUSE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("refused", "SecurityError"); },
})"""
CHAPTER = "en/chapters/06-three-positions/"


def test_a_page_keeps_quiet_and_all_its_parts_work(site, tab):
    page = tab(color_scheme="light")
    page.add_init_script(REFUSE)
    page.goto(site.url(CHAPTER))
    expect(page.locator(".attn-stage")).to_have_count(1)
    assert page.locator(".attn-run").count() > 1

    for chosen in ("default", "slate"):  # before, the system's
        page.locator("[data-md-component=palette] label:not([hidden])").click()
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", chosen)

    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("mask")
    page.locator(".md-search-result__item").first.wait_for()


def test_without_the_stand_in_it_would_break(site, open_tab):
    tab = open_tab()
    tab.page.add_init_script(REFUSE)
    tab.page.route(f"**/{CHAPTER}", lambda route: route.fulfill(
        body=route.fetch().text().replace("__md_get = () => null;", ""), content_type="text/html"
    ))
    with tab.page.expect_event("pageerror", lambda error: "refused" in str(error)):
        tab.page.goto(site.url(CHAPTER))
    tab.page.context.close()
