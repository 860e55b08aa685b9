"""Keeps together, in a rendered page, what a line must not break: [1.5, 0.75], 64 MiB, 第 05 章.

Browsers break a line at any space, so inside a row of numbers too. Knows no site generator:
HTML in, HTML out. `.attn-unbroken` in the style sheet does the rest.
"""

import re

# Of markup, the tags are passed over; of these elements, what they hold as well.
_PASSED = (
    r"<!--.*?-->"
    r"|<(?P<tag>head|script|style|pre|code|svg|math)\b.*?</(?P=tag)>"
    r'|<span class="arithmatex">.*?</span>'
    r"""|<(?:"[^"]*"|'[^']*'|[^"'<>])*>"""  # an attribute may hold a >
)
_NUMBER = r"[+\-−]?\d[\d./]*%?"
# 24 characters have room in the narrowest paragraph of a phone. A longer row may break.
_ROW = rf"[\[(（](?=[^\])）]{{1,22}}[\])）]){_NUMBER}(?:, {_NUMBER})+[\])）]"
_UNIT = r"\d[\d,.]* [KMG]i?B\b"
_CHAPTER = r"\b(?:[Cc]hapter|[Ll]ab) \d+|第 \d+ 章"

_PATTERN = re.compile(rf"(?P<passed>{_PASSED})|{_ROW}|{_UNIT}|{_CHAPTER}", re.DOTALL)


def unbroken(page: str) -> str:
    """`page` with a span around each row of numbers, each amount of bytes, each chapter's number."""
    return _PATTERN.sub(_kept, page)


def _kept(match: re.Match) -> str:
    return match[0] if match["passed"] else f'<span class="attn-unbroken">{match[0]}</span>'
