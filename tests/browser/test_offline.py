"""The zip, unpacked in a folder with an awkward name and opened from the disk."""

import zipfile
from urllib.parse import urlsplit

import offline
import pytest
from conftest import PATIENCE, Tab


@pytest.fixture(scope="module")
def unpacked(site, tmp_path_factory):
    archive = site.folder / offline.NAME
    if not archive.exists():
        pytest.fail("the site has no zip: build it with `dev.py build --offline`", pytrace=False)
    folder = tmp_path_factory.mktemp("my files 网站 #1")
    with zipfile.ZipFile(archive) as files:
        files.extractall(folder)
    return folder / offline.FOLDER


@pytest.fixture
def opened(browser, unpacked):
    """A function that opens a page of the disk; at the end, it must have kept quiet."""
    tabs = []

    def opened(name, **options):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        context.set_default_timeout(PATIENCE)
        tab = Tab(context.new_page())
        tab.listen("")  # a file has no host
        tabs.append(tab)
        tab.page.goto((unpacked / name).as_uri())
        return tab.page

    yield opened
    for tab in tabs:
        tab.page.context.close()
    assert [tab.said for tab in tabs if tab.said] == []
    assert [tab.foreign for tab in tabs if tab.foreign] == []


@pytest.mark.parametrize(("locale", "language"), [("zh-CN", "zh"), ("en-GB", "en"), ("fr-FR", "en")])
def test_the_start_page_leads_to_the_language_of_the_browser(opened, locale, language):
    page = opened("index.html", locale=locale)
    page.wait_for_url(f"**/{language}/index.html")
    assert page.locator("article h1").is_visible()


def test_without_a_script_it_lets_the_reader_choose(opened):
    page = opened("index.html", java_script_enabled=False)
    page.get_by_role("link", name="English").click()
    page.wait_for_url("**/en/index.html")


@pytest.mark.parametrize(("language", "words"), [("zh", "因果掩码"), ("en", "causal mask")])
def test_search_finds_and_leads_to_a_file(opened, language, words):
    page = opened(f"{language}/index.html")
    field = page.locator(".md-search__input")
    field.click()
    field.fill(words)
    field.dispatch_event("keyup")
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    assert urlsplit(first.evaluate("link => link.href")).path.endswith(".html")
    first.click()
    page.wait_for_url("**/*.html?h=*")
    page.locator("article mark").first.wait_for(state="attached")


def test_the_switch_of_language_keeps_page_query_and_anchor(opened, unpacked):
    page = opened("zh/chapters/08-causal-mask.html")
    page.goto((unpacked / "zh/chapters/08-causal-mask.html").as_uri() + "?h=mask#order")
    page.locator(".attn-switch").click()
    page.wait_for_url("**/en/chapters/08-causal-mask.html?h=mask#order")
    assert "causal mask" in page.locator("h1").inner_text().lower()


def test_an_interactive_figure_works(opened):
    page = opened("en/chapters/08-causal-mask.html")
    composer = page.locator("attn-mask-composer").first
    composer.scroll_into_view_if_needed()
    box = composer.get_by_role("checkbox").first
    before, text = box.is_checked(), composer.inner_text()
    box.click()
    assert box.is_checked() != before
    assert composer.inner_text() != text


def test_formulas_have_their_fonts(opened):
    page = opened("zh/chapters/06-three-positions.html")
    page.evaluate("document.fonts.ready")
    assert page.evaluate("[...document.fonts].some(font => font.status === 'loaded')")


def test_links_between_pages_lead_to_files_and_the_notebook_is_named(opened, unpacked):
    page = opened("zh/labs/01-five-lines.html")
    page.get_by_role("link", name="第 06 章").click()
    page.wait_for_url("**/zh/chapters/06-three-positions.html")
    notebook = page.locator(".attn-notebook code").inner_text()
    assert notebook == "zh/notebooks/06-three-positions.zh.ipynb" and (unpacked / notebook).is_file()


def test_a_page_that_cannot_run_its_code_says_how_it_could(opened):
    page = opened("en/chapters/06-three-positions.html")
    run = page.locator(".attn-run").first
    if not run.count():
        pytest.skip("built without the files that run code")
    run.click()
    page.get_by_text("http.server").first.wait_for()
