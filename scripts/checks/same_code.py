"""Are two blocks the same program, but for comments and the language of their strings?"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from chapter import Problem

from .declared import read_entries

LANGUAGES = ("zh", "en")


class Labels:
    """The string pairs of docs/labels.yml, and which of them no block uses."""

    def __init__(self, text: str = "", path: str = "docs/labels.yml"):
        self._path = path
        entries, self.problems = read_entries(text, path, required=LANGUAGES)
        self._lines = {
            (entry.fields["zh"].strip(), entry.fields["en"].strip()): entry.line
            for entry in entries
        }
        self._used: set[tuple[str, str]] = set()

    def pair(self, zh: str, en: str) -> bool:
        """Whether the two strings are a pair; spaces around them only align the output."""
        stripped = zh.strip(), en.strip()
        self._used.add(stripped)
        return stripped in self._lines or stripped[0] == stripped[1]

    def strings(self) -> Iterator[tuple[int, str, str]]:
        """Line, language and text of every string."""
        for pair, line in self._lines.items():
            for language, text in zip(LANGUAGES, pair):
                yield line, language, text

    def unused(self) -> list[Problem]:
        return [
            Problem(
                self._path,
                line,
                f"no block has “{zh}” where the other edition has “{en}”; delete the pair",
            )
            for (zh, en), line in self._lines.items()
            if (zh, en) not in self._used
        ]


@dataclass(frozen=True)
class Difference:
    """What differs, with the line in each block (counted from 1)."""

    zh: int
    en: int
    message: str
    strings: bool = False  # two strings that are no declared pair


def differences(zh: str, en: str, labels: Labels) -> list[Difference]:
    """What differs between two blocks that both parse: every string, and the first other thing.

    Beyond the same syntax tree, the lines must be the same once comments and the strings
    that may differ are set aside, because Copy gives the text and not the tree.
    """
    walk = _Walk(labels)
    found = list(walk.compare(ast.parse(zh), ast.parse(en)))
    if found:
        strings = [difference for difference in found if difference.strings]
        others = [difference for difference in found if not difference.strings]
        return strings + others[:1]
    zh_lines, en_lines = _code_lines(zh, walk.zh_strings), _code_lines(en, walk.en_strings)
    for (zh_number, zh_text), (en_number, en_text) in zip(zh_lines, en_lines):
        if zh_text != en_text:
            return [
                Difference(zh_number, en_number, f"“{en_text.strip()}” against “{zh_text.strip()}”")
            ]
    if len(zh_lines) != len(en_lines):
        counts = f"{len(en_lines)} lines of code against {len(zh_lines)}"
        return [Difference(zh_lines[-1][0], en_lines[-1][0], counts)]
    return []


class _Walk:
    """Walks two syntax trees side by side."""

    def __init__(self, labels: Labels):
        self._labels = labels
        self.zh_strings: list[ast.expr] = []  # the strings that may differ
        self.en_strings: list[ast.expr] = []

    def compare(
        self, zh: ast.AST, en: ast.AST, around: tuple | None = None
    ) -> Iterator[Difference]:
        """`around`: the nearest two nodes that have a place in the text."""
        if around is None or (hasattr(zh, "lineno") and hasattr(en, "lineno")):
            around = (zh, en)
        if type(zh) is not type(en):
            yield _differ(*around)
        elif isinstance(zh, ast.Constant):
            if (type(zh.value), zh.value) != (type(en.value), en.value):
                yield from self._strings(zh, en, zh.value, en.value)
        elif isinstance(zh, ast.JoinedStr):
            zh_text, en_text = _template(zh), _template(en)
            if zh_text != en_text:
                yield from self._strings(zh, en, zh_text, en_text)
            yield from self._lists(_expressions(zh), _expressions(en), around)
        else:
            for field in zh._fields:
                yield from self._field(getattr(zh, field, None), getattr(en, field, None), around)

    def _field(self, zh, en, around: tuple) -> Iterator[Difference]:
        if isinstance(zh, list) and isinstance(en, list):
            yield from self._lists(zh, en, around)
        elif isinstance(zh, ast.AST) and isinstance(en, ast.AST):
            yield from self.compare(zh, en, around)
        elif zh != en:
            yield _differ(*around)

    def _lists(self, zh: list, en: list, around: tuple) -> Iterator[Difference]:
        for zh_child, en_child in zip(zh, en):
            yield from self._field(zh_child, en_child, around)
        if len(zh) > len(en) and isinstance(zh[-1], ast.stmt):
            missing = zh[len(en)]
            yield Difference(missing.lineno, _last_line(en), f"“{_source(missing)}” is missing")
        elif len(en) > len(zh) and isinstance(en[-1], ast.stmt):
            added = en[len(zh)]
            yield Difference(_last_line(zh), added.lineno, f"“{_source(added)}” is added")
        elif len(zh) != len(en):
            yield _differ(*around)

    def _strings(self, zh: ast.expr, en: ast.expr, zh_text, en_text) -> Iterator[Difference]:
        if not (isinstance(zh_text, str) and isinstance(en_text, str)):
            yield _differ(zh, en)
        elif (zh_text, en_text) == LANGUAGES or self._labels.pair(zh_text, en_text):
            self.zh_strings.append(zh)
            self.en_strings.append(en)
        else:
            yield _differ(zh, en, strings=True)


def _differ(zh: ast.AST, en: ast.AST, strings: bool = False) -> Difference:
    message = f"“{_source(en)}” against “{_source(zh)}”"
    return Difference(getattr(zh, "lineno", 1), getattr(en, "lineno", 1), message, strings)


def _template(node: ast.JoinedStr) -> str:
    """An f-string with `{}` for each expression: how labels.yml writes it."""
    return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def _expressions(node: ast.JoinedStr) -> list[ast.expr]:
    return [part for part in node.values if not isinstance(part, ast.Constant)]


def _last_line(nodes: list) -> int:
    return nodes[-1].end_lineno if nodes else 1


def _source(node: ast.AST) -> str:
    first = ast.unparse(node).split("\n")[0]
    return first if len(first) <= 80 else f"{first[:77]}…"


def _code_lines(code: str, strings: list[ast.expr]) -> list[tuple[int, str]]:
    """The lines that are not empty without comments and these strings, with their numbers."""
    lines = [line.encode() for line in code.split("\n")]  # the tree counts bytes
    for row, column in _comments(code):
        lines[row - 1] = lines[row - 1].decode()[:column].encode()
    for node in reversed(_outermost(strings)):
        first, last = node.lineno - 1, node.end_lineno - 1
        rest = lines[last][node.end_col_offset :]
        lines[first : last + 1] = [lines[first][: node.col_offset] + b'""' + rest]
        lines[first + 1 : first + 1] = [b""] * (last - first)
    return [
        (number, line.decode().rstrip()) for number, line in enumerate(lines, 1) if line.strip()
    ]


def _comments(code: str) -> list[tuple[int, int]]:
    """Row and column, in characters, of each comment."""
    if "#" not in code:
        return []
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.start for token in tokens if token.type == tokenize.COMMENT]


def _outermost(nodes: list[ast.expr]) -> list[ast.expr]:
    """In the order of the text, without those that stand inside another f-string."""
    kept: list[ast.expr] = []
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        start = node.lineno, node.col_offset
        if not kept or start >= (kept[-1].end_lineno, kept[-1].end_col_offset):
            kept.append(node)
    return kept
