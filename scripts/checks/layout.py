"""Headings that links can rely on, and formulas that the renderer sees as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chapter import Problem

from .prose import Page

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_INDENTED_HEADING = re.compile(r"[ \t]+#{1,6}[ \t]+\S")
_TIGHT_HEADING = re.compile(r"#{1,6}[^#\s{]")
_OTHER_MATH = re.compile(r"(?<!\\)\\\(.+?\\\)|^[ \t]*\\\[[ \t]*$", re.M)
_CONTAINER = re.compile(r"[ \t]*(?:[-*+][ \t]|\d+[.)][ \t]|!!!|\?\?\?|===|\[\^|:[ \t]|<|\*\[)")

Found = Iterator[tuple[int, str]]


def check(page: Page, *, ids: bool = True) -> list[Problem]:
    if not page.chapter.text.strip():
        return [Problem(page.path, 1, "the file is empty; write the page or delete the file")]
    rules = [
        _titles,
        _levels,
        _formulas_in_headings,
        _odd_headings,
        _display,
        _other_math,
        _raw_code,
    ]
    if ids:
        rules.append(_ids)
    return [Problem(page.path, line, text) for rule in rules for line, text in rule(page)]


def _titles(page: Page) -> Found:
    titles = [heading for heading in page.chapter.headings if heading.level == 1]
    if not titles:
        yield 1, "no title; begin the page with a line “# Title {#id}”"
    for heading in titles[1:]:
        yield (
            heading.line,
            f"“# {heading.text}”: a second title (the first is on line {titles[0].line}); "
            "a page has one, so make this a section with ##",
        )


def _levels(page: Page) -> Found:
    level = 0
    for heading in page.chapter.headings:
        if heading.level > level + 1:
            marks, wanted = "#" * heading.level, "#" * (level + 1)
            yield (
                heading.line,
                f"“{marks} {heading.text}” skips a level; write {wanted}, or add the heading "
                "that is missing above it",
            )
        level = heading.level


def _ids(page: Page) -> Found:
    seen: dict[str, int] = {}
    for heading in page.chapter.headings:
        marks = "#" * heading.level
        if heading.id is None:
            yield (
                heading.line,
                f"“{marks} {heading.text}” has no id; add one in English, the same in both "
                f"languages: {marks} {heading.text} {{#short-name}}",
            )
            continue
        if not _ID.fullmatch(heading.id):
            yield (
                heading.line,
                f"the id “{heading.id}” has to stand in an address; use a-z, 0-9 and hyphens",
            )
        if heading.id in seen:
            yield (
                heading.line,
                f"the id “{heading.id}” is taken by line {seen[heading.id]}; choose another",
            )
        seen.setdefault(heading.id, heading.line)
    for tag in page.tags:
        name = tag.attributes.get("id")
        if name in seen:
            yield tag.line, f"the id “{name}” is taken by line {seen[name]}; choose another"


def _formulas_in_headings(page: Page) -> Found:
    for heading in page.chapter.headings:
        if re.search(r"(?<!\\)\$|\\\(", heading.text):
            yield (
                heading.line,
                f"“{heading.text}”: TeX shows raw in the title, the navigation and the search; "
                "write it in plain characters, such as √d",
            )


def _odd_headings(page: Page) -> Found:
    fenced, lines = page.fenced_lines(), page.lines
    commented = {n for first, last in page.comments for n in range(first, last + 1)}
    for heading in page.chapter.headings:
        if heading.line in commented:
            yield heading.line, f"“{heading.text}”: a heading in an HTML comment; delete it"
    for number, line in enumerate(lines, 1):
        if number in fenced:
            continue
        if _INDENTED_HEADING.match(line):
            yield (
                number,
                f"“{line.strip()}”: an indented heading is in no table of contents; "
                "move it to the margin, or make it bold text",
            )
        elif _TIGHT_HEADING.match(line):
            yield number, f"“{line.strip()}”: put a space after the # of a heading"
        elif _UNDERLINE.fullmatch(line) and number > 1 and _is_paragraph(page, lines, number - 1):
            yield (
                number,
                f"“{lines[number - 2].strip()}” is underlined, which makes it a heading without "
                "an id; write ## before it, or put an empty line above the rule",
            )


def _is_paragraph(page: Page, lines: list[str], number: int) -> bool:
    line = lines[number - 1]
    if not line.strip() or number in page.fenced_lines() or _front_matter_end(lines) >= number:
        return False
    return not line.startswith("#")


def _front_matter_end(lines: list[str]) -> int:
    """The line that closes the front matter, 0 where there is none."""
    if lines[0].rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() == "---"), 0)


def _display(page: Page) -> Found:
    """`$$` makes a formula only as the first and last line of a paragraph of its own."""
    lines = page.lines
    known = [formula for formula in page.formulas if formula.display]
    inside = set()
    for formula in known:
        first, last = formula.line, formula.line + formula.tex.count("\n")
        inside.update(range(first, last + 1))
        for number in {first, last}:
            if lines[number - 1].strip() != "$$":
                yield (
                    number,
                    f"“{lines[number - 1].strip()}”: $$ stands alone on its line; "
                    "move the formula to lines of its own",
                )
                break
        else:
            if first > 1 and lines[first - 2].strip():
                yield first, "$$ needs an empty line above it, or the TeX shows raw"
            if last < len(lines) and lines[last].strip():
                yield last, "$$ needs an empty line below it, or the TeX shows raw"
    for number, line in enumerate(page.skeleton.split("\n"), 1):
        if "$$" in line and number not in inside:
            yield (
                number,
                f"“{line.strip()}”: this $$ has no partner in the same paragraph; "
                "a formula has $$ above and below, and no empty line inside",
            )


def _other_math(page: Page) -> Found:
    for found in _OTHER_MATH.finditer(page.skeleton):
        yield (
            page.line_of(found.start()),
            f"“{found[0].strip()}”: formulas are written $…$ in a line, and between lines of $$",
        )


def _raw_code(page: Page) -> Found:
    """Code that is neither run nor compared, because it is in no fence."""
    for tag in page.tags:
        if tag.name == "pre":
            yield tag.line, "<pre>: code in HTML is neither run nor compared; use a fence"
    fenced, skeleton = page.fenced_lines(), page.skeleton.split("\n")
    container, below_blank = False, True
    for number, line in enumerate(page.lines, 1):
        if not line.strip():
            below_blank = True
            continue
        indented = line.startswith(("    ", "\t"))
        if number in fenced:
            container = container and indented
        elif not line.startswith((" ", "\t")):
            lazy = container and not below_blank  # a paragraph of a list item runs on
            container = lazy or _CONTAINER.match(line) is not None
        elif indented and below_blank and not container and skeleton[number - 1].strip():
            yield (
                number,
                f"“{line.strip()}”: indented by four, this is code that is neither run nor "
                "compared; use a fence, or move the text to the margin",
            )
            container = True  # one message for each such piece
        below_blank = number in fenced
