"""Do the two editions of a page have the same structures, code and numbers?"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from chapter import Problem

from .code import SHOWN, Figures, nodes, parsed
from .outline import OUTPUT_KIND, Item, Section, sections
from .prose import Formula, Page
from .quantities import quantities
from .same_code import LANGUAGES, Labels, differences

_NAMES = {"zh": "Chinese", "en": "English"}
_TEX_WORDS = re.compile(r"\\text(?:bf|it|rm)?\s*\{[^{}]*\}")
_TEX_SPACE = re.compile(r"\s+")
_SYMBOL = re.compile(r"\\?[A-Za-z]+(?:_(?:\w|\{[^{}]*\})|\^(?:\\[A-Za-z]+|\{\\[^{}\d]*\}))*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*|\.\d+")
_WORDS = {"markdown", "plain"}  # what these fences show is written in each language
_SHELL_COMMENT = re.compile(r"(?:^|\s)#.*$", re.M)


class _Pair:
    """The two editions of one page, and what was found to differ."""

    def __init__(self, zh: Page, en: Page, labels: Labels):
        self.zh, self.en, self.labels = zh, en, labels
        self.numbers = {page.path: quantities(page) for page in (zh, en)}
        self.problems: list[Problem] = []

    def report(self, zh_line: int, en_line: int, what: str, way_out: str = "make them the same"):
        """A difference, told at the English page with the Chinese line."""
        message = f"{what} ({self.zh.path}:{zh_line}); {way_out}"
        self.problems.append(Problem(self.en.path, en_line, message))

    def lacks(
        self,
        language: str,
        line: int,
        what: str,
        other_line: int,
        way_out: str = "add it below this line, or delete it there",
    ) -> None:
        """Something one edition has and the other, at `line`, has not."""
        here, there = (self.zh, self.en) if language == "zh" else (self.en, self.zh)
        other = _NAMES["en" if language == "zh" else "zh"]
        where = f"{there.path}:{other_line}"
        message = f"the {other} edition has {what} ({where}), and this one has not; {way_out}"
        self.problems.append(Problem(here.path, line, message))


def missing(zh: dict[str, str], en: dict[str, str]) -> list[Problem]:
    """Pages of one edition only. Each argument maps a page's name to its path."""
    problems = []
    for here, other, language in ((zh, en, "English"), (en, zh, "Chinese")):
        for name in sorted(here.keys() - other.keys()):
            message = (
                f"this page has no {language} edition; write {name} there too, or delete it here"
            )
            problems.append(Problem(here[name], 1, message))
    return problems


def check(zh: Page, en: Page, labels: Labels | None = None) -> list[Problem]:
    pair = _Pair(zh, en, labels or Labels())
    together = list(_headings(pair, sections(zh), sections(en)))
    if not pair.problems:  # else the sections would be compared with the wrong ones
        for zh_section, en_section in together:
            for zh_item, en_item in _structures(pair, zh_section, en_section):
                _shapes(pair, zh_item, en_item)
            _formulas(pair, zh_section, en_section)
            _numbers(pair, zh_section, en_section)
        _symbols(pair)
    return pair.problems + _languages(zh, "zh") + _languages(en, "en")


def _headings(
    pair: _Pair, zh: list[Section], en: list[Section]
) -> Iterator[tuple[Section, Section]]:
    """The sections that belong together: by id, or by level where there are no ids."""

    def key(section: Section):
        heading = section.heading
        return heading and (heading.id or heading.level)

    def title(section: Section) -> str:
        heading = section.heading
        name = f" {{#{heading.id}}}" if heading.id else ""
        return f"the heading “{'#' * heading.level} {heading.text}{name}”"

    for zh_part, en_part in _aligned(zh, en, key):
        for zh_section, en_section in zip(zh_part, en_part):
            if key(zh_section) == key(en_section):
                if zh_section.heading and zh_section.heading.level != en_section.heading.level:
                    pair.report(
                        zh_section.first, en_section.first, f"{title(en_section)} has another level"
                    )
                yield zh_section, en_section
            else:
                pair.report(
                    zh_section.first,
                    en_section.first,
                    f"{title(en_section)} stands where the Chinese edition has {title(zh_section)}",
                    "give both the same id and level",
                )
        for extra in zh_part[len(en_part) :]:
            above = en_part[-1] if en_part else _before(en, zh, extra)
            pair.lacks("en", above.last, title(extra), extra.first)
        for extra in en_part[len(zh_part) :]:
            above = zh_part[-1] if zh_part else _before(zh, en, extra)
            pair.lacks("zh", above.last, title(extra), extra.first)


def _before(here: list[Section], there: list[Section], extra: Section) -> Section:
    return here[min(there.index(extra), len(here)) - 1]


def _aligned(zh: Sequence, en: Sequence, key: Callable) -> Iterator[tuple[Sequence, Sequence]]:
    """Runs that match, and runs that stand in each other's place."""
    matcher = SequenceMatcher(None, [key(a) for a in zh], [key(b) for b in en], autojunk=False)
    for _, zh_from, zh_to, en_from, en_to in matcher.get_opcodes():
        yield zh[zh_from:zh_to], en[en_from:en_to]


def _structures(pair: _Pair, zh: Section, en: Section) -> Iterator[tuple[Item, Item]]:
    zh_line, en_line = zh.first, en.first
    for zh_part, en_part in _aligned(zh.items, en.items, lambda item: item.kind):
        for zh_item, en_item in zip(zh_part, en_part):
            zh_line, en_line = zh_item.line, en_item.line
            if zh_item.kind == en_item.kind:
                yield zh_item, en_item
            else:
                pair.report(
                    zh_line,
                    en_line,
                    f"{_a(en_item)} stands where the Chinese edition has {_a(zh_item)}",
                )
        for extra in zh_part[len(en_part) :]:
            _lacks(pair, "en", en_line, extra)
        for extra in en_part[len(zh_part) :]:
            _lacks(pair, "zh", zh_line, extra)


def _lacks(pair: _Pair, language: str, line: int, extra: Item) -> None:
    way_out = {"way_out": "run `dev.py update`"} if extra.kind == OUTPUT_KIND else {}
    pair.lacks(language, line, _a(extra), extra.line, **way_out)


def _a(item: Item) -> str:
    return f"{'an' if item.kind[0] in 'aeiou' else 'a'} {item.kind}"


def _shapes(pair: _Pair, zh: Item, en: Item) -> None:
    def differs(what: str) -> None:
        pair.report(zh.line, en.line, what)

    if zh.indent != en.indent:
        differs(f"the {en.kind} is indented by {en.indent}, in the Chinese edition by {zh.indent}")
    if zh.kind == OUTPUT_KIND:
        _outputs(pair, zh, en)
    elif zh.kind.endswith("fence"):
        _fences(pair, zh, en)
    elif zh.kind == "formula":
        if _tex(zh.shape) != _tex(en.shape):
            differs(f"another formula: “{_short(en.shape)}” against “{_short(zh.shape)}”")
    elif zh.kind == "table" and zh.shape != en.shape:
        sizes = "the table has {} columns and {} rows".format(*en.shape)
        differs(sizes + ", the Chinese one {} and {}".format(*zh.shape))
    elif zh.kind == "image":
        if _neutral(zh.shape, "zh") != _neutral(en.shape, "en"):
            differs(f"another image: {en.shape} against {zh.shape}")
    elif zh.shape != en.shape:
        differs(f"the {en.kind} has {en.shape} items, the Chinese one {zh.shape}")


def _fences(pair: _Pair, zh: Item, en: Item) -> None:
    here, there = en.shape, zh.shape
    if here.cont != there.cont:
        pair.report(zh.line, en.line, "`cont` above the block in one edition only")
    if here.importorskip != there.importorskip:
        pair.report(
            zh.line,
            en.line,
            f"importorskip({here.importorskip}) here, importorskip({there.importorskip}) there",
        )
    if here.runs or (here.ticks[0] == "`" and here.info == SHOWN):
        if not isinstance(parsed(here), Problem) and not isinstance(parsed(there), Problem):
            for found in differences(there.code, here.code, pair.labels):
                pair.report(
                    zh.line + found.zh,
                    en.line + found.en,
                    f"another program: {found.message}",
                    "add the pair to docs/labels.yml" if found.strings else "make them the same",
                )
    elif here.info in _WORDS:
        if _NUMBER.findall(here.code) != _NUMBER.findall(there.code):
            pair.report(zh.line, en.line, f"other numbers in the {en.kind}")
    elif _SHELL_COMMENT.sub("", here.code).split() != _SHELL_COMMENT.sub("", there.code).split():
        row = _first_difference(there.code.split("\n"), here.code.split("\n"))
        pair.report(zh.line + 1 + row, en.line + 1 + row, f"another text in the {en.kind}")


def _outputs(pair: _Pair, zh: Item, en: Item) -> None:
    """The words of an output follow from the code, which is compared; its numbers may not."""
    zh_lines, en_lines = zh.shape.code.split("\n"), en.shape.code.split("\n")
    if len(zh_lines) != len(en_lines):
        pair.report(
            zh.line,
            en.line,
            f"an output of {len(en_lines) - 1} lines, the Chinese one of {len(zh_lines) - 1}",
            "make the code the same and run `dev.py update`",
        )
        return
    for row, (zh_line, en_line) in enumerate(zip(zh_lines, en_lines), 1):
        if _NUMBER.findall(zh_line) != _NUMBER.findall(en_line):
            pair.report(
                zh.line + row,
                en.line + row,
                f"another output: “{en_line.strip()}” against “{zh_line.strip()}”",
                "make the code the same and run `dev.py update`",
            )
            return


def _first_difference(zh: list[str], en: list[str]) -> int:
    same = (a == b for a, b in zip(zh, en))
    return next((row for row, equal in enumerate(same) if not equal), min(len(zh), len(en)))


def _formulas(pair: _Pair, zh: Section, en: Section) -> None:
    """The formulas within the lines of a section that state something."""

    def stated(page: Page, section: Section) -> list[tuple[str, str, int]]:
        return [
            (_tex(formula), f"the formula ${_short(formula)}$", formula.line)
            for formula in _inline(page)
            if not _SYMBOL.fullmatch(_tex(formula))
            and section.first <= formula.line <= section.last
        ]

    _same_counts(pair, zh, en, stated(pair.zh, zh), stated(pair.en, en))


def _symbols(pair: _Pair) -> None:
    """A lone symbol is a word: languages repeat it more or less often, but both know it."""
    zh, en = (
        {_tex(formula): formula for formula in reversed(_inline(page))}
        for page in (pair.zh, pair.en)
    )
    for language, here, there in (("en", en, zh), ("zh", zh, en)):
        for tex, formula in there.items():
            if tex not in here and _SYMBOL.fullmatch(tex):
                pair.lacks(language, 1, f"the symbol ${_short(formula)}$", formula.line)


def _inline(page: Page) -> list[Formula]:
    return [formula for formula in page.formulas if not formula.display]


def _numbers(pair: _Pair, zh: Section, en: Section) -> None:
    def stated(page: Page, section: Section) -> list[tuple]:
        return [
            ((abs(number.value), number.decimals), f"the number {number.text}", number.line)
            for number in pair.numbers[page.path]
            if section.first <= number.line <= section.last
        ]

    _same_counts(pair, zh, en, stated(pair.zh, zh), stated(pair.en, en))


def _same_counts(
    pair: _Pair, zh: Section, en: Section, in_zh: list[tuple], in_en: list[tuple]
) -> None:
    """Each thing, given as key, name and line, stands equally often in both sections."""
    for language, section, here, there in (("en", en, in_en, in_zh), ("zh", zh, in_zh, in_en)):
        left = Counter(key for key, _, _ in here)
        known = set(left)
        for key, name, line in there:
            left[key] -= 1
            if left[key] == -1:
                again = " once more" if key in known else ""
                pair.lacks(language, section.first, f"{name}{again} in this section", line)


def _tex(formula: Formula) -> str:
    return _TEX_SPACE.sub("", _TEX_WORDS.sub(r"\\text", formula.tex))


def _short(formula: Formula) -> str:
    tex = " ".join(formula.tex.split())
    return tex if len(tex) <= 60 else f"{tex[:57]}…"


def _neutral(target: str, language: str) -> str:
    return re.sub(rf"(?<=[/.-]){language}(?=[/.-])", "*", target)


def _languages(page: Page, language: str) -> list[Problem]:
    """Whether figures and labels speak the language of the edition."""
    problems = []
    figures = Figures()
    for block in page.chapter.blocks:
        tree = parsed(block)
        if isinstance(tree, Problem):
            continue
        if not block.cont:
            figures = Figures()
        figures.read_imports(tree)
        for line, message in _spoken(tree, figures, language):
            problems.append(Problem(page.path, block.line + line, message))
    return problems


def _spoken(tree: ast.Module, figures: Figures, language: str) -> Iterator[tuple[int, str]]:
    other = LANGUAGES[1 - LANGUAGES.index(language)]
    for node in nodes(tree):
        if isinstance(node, ast.keyword) and node.arg == "lang":
            given = node.value
        elif isinstance(node, ast.Call) and _is_labels(node) and node.args:
            given = node.args[0]
        else:
            continue
        if isinstance(given, ast.Constant) and given.value == other:
            yield given.lineno, f"“{other}” in the {_NAMES[language]} edition; write “{language}”"
    for call in figures.attn_calls(tree):
        if not any(keyword.arg in {"lang", None} for keyword in call.keywords):
            yield (
                call.lineno,
                f"{ast.unparse(call.func)}(…) is not told the language of the page; "
                f'add lang="{language}"',
            )


def _is_labels(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "labels"
