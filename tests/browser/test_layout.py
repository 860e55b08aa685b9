"""Nothing lies over code, no line breaks where it must not, and focus can be seen."""

import pytest

PHONE = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}

# Text of the code that can be seen and that a button lies over.
COVERED = """() => {
  const covered = [];
  for (const code of document.querySelectorAll(".md-content .highlight > pre > code")) {
    if (!code.checkVisibility()) continue;
    const edge = code.getBoundingClientRect().right;
    const buttons = [...code.closest(".highlight").querySelectorAll(".attn-run, .md-code__button")]
      .map((button) => button.getBoundingClientRect());
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (texts.nextNode()) {
      range.selectNodeContents(texts.currentNode);
      for (const text of range.getClientRects()) {
        for (const button of buttons) {
          const across = Math.min(text.right, edge) - Math.max(text.left, button.left);
          const down = Math.min(text.bottom, button.bottom) - Math.max(text.top, button.top);
          if (across > 1 && down > 3) covered.push(texts.currentNode.data.trim());
        }
      }
    }
  }
  return covered.filter(Boolean);
}"""

# What takes more than one line of its paragraph.
BROKEN = """(kept) => [...document.querySelectorAll(kept)]
  .filter((element) => element.checkVisibility() && element.getClientRects().length > 1)
  .map((element) => element.textContent)"""


@pytest.fixture
def phone(site, tab):
    def opened(path: str):
        page = tab(**PHONE)
        page.goto(site.url(path))
        page.locator(".md-code__button").first.wait_for(state="attached")
        return page

    return opened


@pytest.mark.parametrize(
    "path",
    [
        "zh/",  # a command
        "en/reference/api/",  # first lines that are long
        "en/reference/to-pytorch/",  # second lines that are long
        "en/labs/04-heads/",
        "zh/chapters/16-exercises/",
    ],
)
def test_no_button_lies_over_code(phone, path):
    assert phone(path).evaluate(COVERED) == []


def test_a_button_over_code_is_found(phone):
    page = phone("en/reference/to-pytorch/")
    page.add_style_tag(content=".md-typeset .highlight > pre > code { padding-top: 10px !important; }")
    assert page.evaluate(COVERED)


def test_a_command_scrolls_beside_its_button(site, tab):
    page = tab()
    page.goto(site.url("en/"))
    page.locator(".md-code__button").first.wait_for(state="attached")
    command = page.locator(".language-console pre > code").first
    assert command.evaluate("code => code.scrollWidth > code.clientWidth")
    assert page.evaluate(COVERED) == []


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_row_of_numbers_stays_on_one_line(phone, language):
    page = phone(f"{language}/chapters/13-order/")
    assert page.locator(".attn-unbroken").count() > 5
    assert page.evaluate(BROKEN, ".attn-unbroken") == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["viewport"]["width"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_name_in_a_table_stays_whole(phone, language):
    page = phone(f"{language}/chapters/09-other-masks/")
    assert page.locator("td code").count() > 5
    assert page.evaluate(BROKEN, "td code") == []


def test_a_hint_and_its_answer_stand_together(phone):
    gap, around = phone("en/chapters/06-three-positions/").evaluate(
        """() => {
          const answer = document.querySelector("details + details");
          const box = (element) => element.getBoundingClientRect();
          return [
            box(answer).top - box(answer.previousElementSibling).bottom,
            box(answer.nextElementSibling).top - box(answer).bottom,
          ];
        }"""
    )
    assert 0 < gap < around / 2


def test_the_mark_of_a_heading_takes_no_line(site, tab):
    page = tab(viewport={"width": 1280, "height": 800})
    page.goto(site.url("en/chapters/02-query-key-value/"))
    heading = page.locator("h2").first
    one_line = heading.evaluate("h2 => h2.getBoundingClientRect().height")
    # As narrow as its words, so that a mark with a width would not fit beside them.
    heading.evaluate(
        """h2 => {
          const range = document.createRange();
          range.selectNodeContents(h2.firstChild);
          h2.style.width = `${Math.ceil(range.getBoundingClientRect().width) + 1}px`;
        }"""
    )
    assert heading.locator(".headerlink").is_visible()
    assert heading.evaluate("h2 => h2.getBoundingClientRect().height") == one_line


def test_the_title_of_the_next_page_is_not_cut_off(phone):
    title = phone("en/chapters/06-three-positions/").locator(".md-footer__link--next .md-ellipsis")
    assert title.evaluate("title => title.scrollWidth <= title.clientWidth")
    assert "four outcomes" in title.inner_text()


def test_a_fold_shows_that_it_has_the_focus(site, tab):
    page = tab()
    page.goto(site.url("en/chapters/06-three-positions/"))
    summary = page.locator("article details > summary").first
    page.keyboard.press("Tab")  # from now on, focus comes from the keyboard
    summary.focus()
    # Material takes the outline of a summary away.
    outline, glow = summary.evaluate(
        """summary => {
          const fold = getComputedStyle(summary.parentElement);
          return [`${fold.outlineStyle} ${fold.outlineWidth}`, fold.boxShadow];
        }"""
    )
    assert outline == "solid 2px"
    assert glow == "none"
