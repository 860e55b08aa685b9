"""Search, in both editions, for words of both languages."""

import pytest
from conftest import PREFIXES

# In the middle of sentences, where Chinese has no spaces; one of two words; Latin letters.
CHINESE = ["权重", "因果掩码", "输入", "参数矩阵", "attention", "softmax"]
ENGLISH = ["attention", "weights", "causal mask", "softmax", "权重", "因果掩码"]


def search(page, words):
    """Enter `words` without a key, as pasting does; returns the links to pages and sections."""
    page.locator(".md-search__input").click()
    page.wait_for_timeout(300)  # Material reads the field a moment after it is entered, too
    page.keyboard.insert_text(words)
    return page.locator(".md-search-result__link")


@pytest.mark.parametrize(
    "language, words",
    [*(("zh", words) for words in CHINESE), *(("en", words) for words in ENGLISH)],
)
def test_a_word_is_found_and_marked_on_its_page(site, tab, language, words):
    page = tab()
    page.goto(site.url(f"{language}/chapters/06-three-positions/"))
    links = search(page, words)
    # A page that has the words only further down is linked without them: ?h= and no more.
    first = links.and_(page.locator("[href*='?h=']:not([href*='?h=#'], [href$='?h='])")).first
    page.goto(first.evaluate("link => link.href"))
    mark = page.locator("article mark").first
    mark.wait_for(state="attached")
    assert mark.text_content().lower() in words


URLS = "links => links.map((link) => link.href)"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_word_that_is_nowhere_is_not_found(site, tab, language):
    page = tab()
    page.goto(site.url(f"{language}/"))
    results = search(page, "苦瓜 zucchini")
    page.wait_for_function(
        "!['', null].includes(document.querySelector('.md-search-result__meta').textContent)"
    )
    page.wait_for_timeout(500)
    assert results.count() == 0


@pytest.mark.parametrize("prefix", PREFIXES)
def test_results_lead_to_pages_of_this_site(site, tab, prefix):
    page = tab()
    page.goto(site.url("zh/", prefix))
    results = search(page, "权重")
    results.first.wait_for()
    for link in results.evaluate_all(URLS):
        assert link.startswith(site.url("zh/", prefix))
        assert page.request.get(link).status == 200
