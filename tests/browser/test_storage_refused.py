"""A browser that stores nothing (cookies blocked, some private windows): pages work all the same."""

REFUSE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("refused", "SecurityError"); },
})"""
CHAPTER = "en/chapters/06-three-positions/"


def test_a_page_keeps_quiet_and_all_its_parts_work(site, tab):
    page = tab(color_scheme="light")
    page.add_init_script(REFUSE)
    page.goto(site.url(CHAPTER))
    assert page.locator(".attn-stage").count() == 1
    assert page.locator(".attn-run").count() > 1

    for _ in range(2):  # the system's, light, dark
        page.locator("[data-md-component=palette] label:not([hidden])").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"

    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("mask")
    page.locator(".md-search-result__item").first.wait_for()


def test_without_the_stand_in_it_would_break(site, open_tab):
    tab = open_tab()
    tab.page.add_init_script(REFUSE)
    tab.page.route(f"**/{CHAPTER}", lambda route: route.fulfill(
        body=route.fetch().text().replace("__md_get = () => null;", ""), content_type="text/html"
    ))
    tab.page.goto(site.url(CHAPTER))
    assert any("refused" in text for text in tab.said)
    tab.page.context.close()
