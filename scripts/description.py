"""What a page is about, for search engines and link previews: its first paragraph, as plain text."""

from __future__ import annotations

import html
import re

import search_text

FIRST_PARAGRAPH = re.compile(r"</h1>\s*<p>(.+?)</p>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")


def of(page: str) -> str | None:
    """As HTML, for an attribute. None where something else than a paragraph follows the title."""
    paragraph = FIRST_PARAGRAPH.search(page)
    if paragraph is None:
        return None
    text = html.unescape(search_text.readable(TAG.sub("", paragraph[1])))
    return html.escape(" ".join(text.split()))
