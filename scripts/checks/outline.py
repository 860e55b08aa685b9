"""The structures of a page in their order: what two editions of a chapter must share."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chapter import Heading

from .prose import Page

_CALLOUT = re.compile(r"(?P<marks>!!!|\?\?\?\+?)\s*(?P<kind>[\w -]*?)\s*(?:\".*\")?\s*$")
_TAB = re.compile(r"===[!+]*\s+\"")
_RULER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?|\|\s*:?-+:?\s*\|")
_ITEM = re.compile(r"(?P<marker>[-*+]|\d+[.)])\s+\S")

OUTPUT_KIND = "output"


@dataclass(frozen=True)
class Item:
    """A structure. Items of one `kind` are compared with each other by `shape`."""

    kind: str
    line: int
    indent: int
    shape: object = None


@dataclass(frozen=True)
class Section:
    heading: Heading | None  # None for what stands above the first heading
    first: int
    last: int
    items: tuple[Item, ...]


def sections(page: Page) -> list[Section]:
    """The page cut at its headings."""
    items = sorted(_items(page), key=lambda item: item.line)
    starts: list[Heading | None] = [None, *page.chapter.headings]
    firsts = [1, *(heading.line for heading in page.chapter.headings)]
    lasts = [*(first - 1 for first in firsts[1:]), page.chapter.text.rstrip().count("\n") + 1]
    return [
        Section(heading, first, last, tuple(i for i in items if first <= i.line <= last))
        for heading, first, last in zip(starts, firsts, lasts)
    ]


def _items(page: Page) -> list[Item]:
    lines = page.lines
    items = [*_marked_up(page)]
    for fence in page.chapter.fences:
        kind = OUTPUT_KIND if fence.is_output else f"{fence.ticks}{fence.info} fence"
        items.append(Item(kind, fence.line, len(fence.indent), fence))
    for formula in page.formulas:
        if formula.display:
            items.append(Item("formula", formula.line, _indent(lines[formula.line - 1]), formula))
    for link in page.links:
        if link.element == "img":
            items.append(Item("image", link.line, _indent(lines[link.line - 1]), link.target))
    for tag in page.tags:
        if tag.starts_line and tag.name != "img":
            items.append(Item(f"<{tag.name}>", tag.line, _indent(lines[tag.line - 1])))
    return items


def _marked_up(page: Page) -> list[Item]:
    """Tables, lists, admonitions, tabs and quotations."""
    skeleton, fenced = page.skeleton.split("\n"), page.fenced_lines()
    items: list[Item] = []
    lists: list[_List] = []
    quoted = blank = False
    table_until = 0
    for number, line in enumerate(skeleton, 1):
        text, indent = line.strip(), _indent(line)
        if number in fenced:
            lists = [each for each in lists if each.indent < _indent(page.lines[number - 1])]
        elif not page.lines[number - 1].strip():
            blank = True
            quoted = False
            continue
        elif callout := _CALLOUT.fullmatch(text):
            items.append(Item(f"{callout['marks']} {callout['kind']}".strip(), number, indent))
        elif _TAB.match(text):
            items.append(Item("tab", number, indent))
        elif _RULER.fullmatch(text) and number > 1 and "|" in skeleton[number - 2]:
            rows = _rows_below(skeleton, number)
            table_until = number + rows
            items.append(Item("table", number - 1, indent, (_columns(text), rows)))
        elif number <= table_until:
            pass
        elif text.startswith(">"):
            if not quoted:
                items.append(Item("quotation", number, indent))
            quoted = True
            continue
        elif item := _ITEM.match(text):
            lists = _with_item(lists, items, number, indent, item["marker"][0].isdigit())
        elif blank:
            lists = [each for each in lists if each.indent < indent]
        blank = quoted = False
    return [item.item() if isinstance(item, _List) else item for item in items]


@dataclass
class _List:
    line: int
    indent: int
    numbered: bool
    count: int = 1

    def item(self) -> Item:
        kind = "numbered list" if self.numbered else "bulleted list"
        return Item(kind, self.line, self.indent, self.count)


def _with_item(lists: list[_List], items: list, line: int, indent: int, numbered: bool):
    """Count a list item: to the list that is open at this indentation, or to a new one."""
    lists = [each for each in lists if each.indent <= indent]
    if lists and lists[-1].indent == indent and lists[-1].numbered == numbered:
        lists[-1].count += 1
        return lists
    new = _List(line, indent, numbered)
    items.append(new)
    return [*(each for each in lists if each.indent < indent), new]


def _rows_below(lines: list[str], ruler: int) -> int:
    count = 0
    while ruler + count < len(lines) and "|" in lines[ruler + count]:
        count += 1
    return count


def _columns(ruler: str) -> int:
    return ruler.strip("|").count("|") + 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
