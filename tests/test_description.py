"""What search engines and link previews say of a page."""

import pytest

import description


@pytest.mark.parametrize(
    "page, about",
    [
        ("<h1>Scores</h1>\n<p>What says how <em>well</em>\nthey match?</p>\n<p>More.</p>", "What says how well they match?"),
        (
            '<h1 id="a">A<a href="#a">¶</a></h1>\n<p><span class="arithmatex">\\(W_Q\\)</span> is <code>"q"</code> &amp; made.</p>',
            "W_Q is &quot;q&quot; &amp; made.",
        ),
        ("<h1>A</h1>\n<p>&ldquo;Bank&rdquo; and <a href='b'>more</a></p>", "“Bank” and more"),
        ("<h1>A</h1>\n<div><p>Not this one.</p></div>\n<p>Nor this.</p>", None),
    ],
)
def test_the_first_paragraph_is_what_a_page_is_about(page, about):
    assert description.of(page) == about
