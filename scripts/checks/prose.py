"""Tell apart what a page says and how it is marked up: words, formulas, links, HTML tags.

Blanking keeps every offset and every line end, so that a match in `Page.prose` stands on
the same line as in the file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from chapter import Chapter, Fence

_OPENING_TAG = r"""<(?P<name>/?[A-Za-z][\w-]*)(?P<attributes>(?:"[^"]*"|'[^']*'|[^<>"'])*)>"""
_SPAN = re.compile(
    rf"""
    (?P<comment> <!--.*?--> )
  | (?P<escape> \\[^\n] )
  | (?P<code> (?<!`)(?P<ticks>`+) (?!`) (?P<inside>(?:(?!\n[ \t]*\n).)+?) (?<!`)(?P=ticks)(?!`) )
  | (?P<display> \$\$ (?P<display_tex>(?:\\.|(?!\n[ \t]*\n)[^\\$])+?) \$\$ )
  | (?P<inline> \$ (?!\s) (?P<inline_tex>(?:\\.|(?!\n[ \t]*\n)[^\\$])+?) (?<!\s)\$ )
  | (?P<unread> (?=<(?P<element>script|style|svg)\b) .*? </(?P=element)> )
  | (?P<address> <https?://[^<>\s]+> )
  | (?P<tag> {_OPENING_TAG} )
    """,
    re.X | re.S,
)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_SPOKEN_ATTRIBUTE = re.compile(r"""(?<![\w-])(?:alt|title|aria-label)\s*=\s*"([^"]*)\"""")
_LINK = re.compile(
    r"""
    (?P<image>!?) \[ (?P<text>(?:[^\[\]]|\[[^\[\]]*\](?:\([^()\n]*\))?)*) \]
    \( \s* (?P<target> <[^<>\n]*> | \{\{[^}\n]*\}\} | [^\s()]*(?:\([^\s()]*\)[^\s()]*)* )
    (?:\s+"[^"]*")? \s* \)
    (?P<attributes>\{[^{}\n]*\})?
    """,
    re.X,
)
_REFERENCE = re.compile(r"^ {0,3}\[(?P<name>[^\]^\n][^\]\n]*)\]:[ \t]*(?P<target>\S+).*$", re.M)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<body>.*?\n)---[ \t]*(?:\n|\Z)", re.S)
_SPOKEN_KEY = re.compile(r"^(?:title|description):", re.M)
_NUMERIC_CODE = re.compile(r"[\d\s.,;/%×+\-−eE\[\]()]*\d[\d\s.,;/%×+\-−eE\[\]()]*")
_MARKUP = re.compile(
    r"""
    \{\{[^}\n]*\}\}                                                  # filled in by the build
  | \{:?[ ]*(?:[#.][^{}\n]*|[\w-]+=[^{}\n]*)\}                       # attribute list
  | \[\^[^\]\n]+\]:?                                                 # footnote
  | &\#?\w+;                                                         # HTML entity
  | (?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])                           # icon
  | https?://[^\s<>()（）]+
    """,
    re.X,
)


@dataclass(frozen=True)
class Formula:
    tex: str
    display: bool
    start: int  # where `tex` begins in the file
    line: int


@dataclass(frozen=True)
class Link:
    """A link or an image, in Markdown or in HTML."""

    target: str
    text: str
    element: str  # "a", "img", or another element that loads something
    attributes: str
    html: bool
    line: int
    start: int  # where `text` begins in the file
    end: int


@dataclass(frozen=True)
class Tag:
    """An opening HTML tag."""

    name: str
    attributes: dict[str, str]
    line: int
    starts_line: bool


@dataclass(frozen=True, eq=False)  # a page is itself: no cache compares two texts
class Page:
    chapter: Chapter
    prose: str  # the words, and inline code that is nothing but numbers
    skeleton: str  # the markup: without fences, comments, inline code and formulas
    formulas: tuple[Formula, ...]
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    comments: tuple[tuple[int, int], ...]  # first and last line of each HTML comment

    @property
    def path(self) -> str:
        return self.chapter.path

    @property
    def lines(self) -> list[str]:
        return self.chapter.text.split("\n")

    def line_of(self, offset: int) -> int:
        return self.chapter.text.count("\n", 0, offset) + 1

    def fenced_lines(self) -> set[int]:
        return {n for fence in self.chapter.fences for n in range(fence.line, fence.end + 1)}


class _Sheet:
    """A text with parts blanked out."""

    def __init__(self, text: str):
        self._characters = list(text)

    def blank(self, start: int, end: int) -> None:
        for n in range(start, end):
            if self._characters[n] != "\n":
                self._characters[n] = " "

    def blank_around(self, start: int, end: int, kept: list[tuple[int, int]]) -> None:
        for left, right in kept:
            self.blank(start, left)
            start = right
        self.blank(start, end)

    @property
    def text(self) -> str:
        return "".join(self._characters)


def read_page(chapter: Chapter) -> Page:
    text = chapter.text
    sheet = _Sheet(_without_fences(chapter))
    if front := _FRONT_MATTER.match(text):
        _blank_front_matter(sheet, front)
    reader = _Reader(text)
    prose, skeleton = reader.spans(sheet)
    reader.markdown_links(prose)
    for markup in _MARKUP.finditer(prose.text):
        prose.blank(*markup.span())
    return Page(
        chapter,
        prose.text,
        skeleton.text,
        tuple(reader.formulas),
        tuple(sorted(reader.links, key=lambda link: (link.line, link.start))),
        tuple(reader.tags),
        tuple(reader.comments),
    )


class _Reader:
    def __init__(self, text: str):
        self._text = text
        self.formulas: list[Formula] = []
        self.links: list[Link] = []
        self.tags: list[Tag] = []
        self.comments: list[tuple[int, int]] = []

    def _line(self, offset: int) -> int:
        return self._text.count("\n", 0, offset) + 1

    def spans(self, sheet: _Sheet) -> tuple[_Sheet, _Sheet]:
        text = sheet.text
        prose, skeleton = _Sheet(text), _Sheet(text)
        for found in _SPAN.finditer(text):
            start, end = found.span()
            line = self._line(start)
            if found["comment"]:
                self.comments.append((line, self._line(end)))
                prose.blank(start, end)
                skeleton.blank(start, end)
            elif found["code"]:
                numeric = _NUMERIC_CODE.fullmatch(found["inside"])
                prose.blank_around(start, end, [found.span("inside")] if numeric else [])
                skeleton.blank(start, end)
            elif found["display"] or found["inline"]:
                group = "display_tex" if found["display"] else "inline_tex"
                begin = found.start(group)
                tex = self._text[begin : found.end(group)]
                self.formulas.append(Formula(tex, bool(found["display"]), begin, line))
                prose.blank(start, end)
                skeleton.blank(start, end)
            elif found["unread"]:
                if opening := re.compile(_OPENING_TAG).match(text, start):
                    self._tag(opening, line)
                prose.blank(start, end)
            elif found["address"]:
                target = text[start + 1 : end - 1]
                self.links.append(Link(target, target, "a", "", False, line, end, end))
                prose.blank(start, end)
            elif found["tag"]:
                self._tag(found, line)
                spoken = _SPOKEN_ATTRIBUTE.finditer(text, start, end)
                prose.blank_around(start, end, [match.span(1) for match in spoken])
        return prose, skeleton

    def _tag(self, found: re.Match, line: int) -> None:
        if found["name"].startswith("/"):
            return
        name, written = found["name"].lower(), found["attributes"]
        attributes = {
            key.lower(): double or single or bare
            for key, double, single, bare in _ATTRIBUTE.findall(written)
        }
        before = self._text[self._text.rfind("\n", 0, found.start()) + 1 : found.start()]
        self.tags.append(Tag(name, attributes, line, not before.strip()))
        target = attributes.get("href" if name in {"a", "link"} else "src")
        if target is not None:
            text = attributes.get("alt", "")
            end = found.end()
            self.links.append(Link(target, text, name, written, True, line, end, end))

    def markdown_links(self, prose: _Sheet) -> None:
        text = prose.text
        for found in _REFERENCE.finditer(text):
            self._link(found["target"], found["name"], "a", "", found.start(), found.start())
            prose.blank(*found.span())
        self._links_in(prose, prose.text, 0, len(text))

    def _links_in(self, prose: _Sheet, text: str, begin: int, stop: int) -> None:
        for found in _LINK.finditer(text, begin, stop):
            start, end = found.span("text")
            element = "img" if found["image"] else "a"
            attributes = found["attributes"] or ""
            self._link(found["target"], self._text[start:end], element, attributes, start, end)
            prose.blank_around(found.start(), found.end(), [(start, end)])
            self._links_in(prose, text, start, end)

    def _link(self, target: str, text: str, element: str, attributes: str, start: int, end: int):
        target = target.strip("<>")
        line = self._line(start)
        self.links.append(Link(target, text, element, attributes, False, line, start, end))


def _without_fences(chapter: Chapter) -> str:
    lines = chapter.text.split("\n")
    for fence in chapter.fences:
        for n in range(fence.line - 1, fence.end):
            lines[n] = " " * len(lines[n])
    return "\n".join(lines)


def _blank_front_matter(sheet: _Sheet, front: re.Match) -> None:
    """Of the front matter, a reader sees the title and the description (in search results)."""
    kept, at = [], front.start("body")
    for line in front["body"].splitlines(keepends=True):
        if key := _SPOKEN_KEY.match(line):
            kept.append((at + key.end(), at + len(line)))
        at += len(line)
    sheet.blank_around(front.start(), front.end(), kept)


def code_comments(block: Fence) -> Iterator[tuple[int, str]]:
    """The comments of a Python block, with their lines in the Markdown.

    Ends at the first thing that is no Python; the fences check reports that.
    """
    if "#" not in block.code:
        return
    try:
        for token in tokenize.generate_tokens(io.StringIO(block.code).readline):
            if token.type == tokenize.COMMENT:
                yield block.line + token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return
