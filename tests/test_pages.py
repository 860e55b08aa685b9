"""The pages of an edition, from one build to the next under `serve`."""

import pytest

from pages import Pages

PAGE = "# T {#t}\n\nwords of before\n"


@pytest.mark.parametrize(
    "broken, words", [(b"# T {#t}\n\n```python\nx", "never closed"), (b"\xff", "not UTF-8")]
)
def test_a_page_that_can_no_longer_be_read_shows_why_and_nothing_of_before(tmp_path, broken, words):
    path = tmp_path / "a.md"
    path.write_text(PAGE)
    pages = Pages(tmp_path, None, None, "en")
    pages.begin([path])
    assert pages.markdown(path) == PAGE
    path.write_bytes(broken)
    pages.begin([path])
    shown = pages.markdown(path)
    assert words in shown and "attn-notice" in shown and "of before" not in shown
    path.write_text(PAGE)
    pages.begin([path])
    assert pages.markdown(path) == PAGE


def test_what_a_problem_quotes_is_text_on_the_page(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("```<b>\n")
    pages = Pages(tmp_path, None, None, "en")
    pages.begin([path])
    assert "&lt;b&gt;" in pages.markdown(path).split("</span>")[0]
