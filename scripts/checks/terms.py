"""Does the page use the terms the course has chosen? The choices are docs/terms.yml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chapter import Problem

from .code import python_fences
from .declared import Entry, page_name, read_entries
from .prose import Page, code_comments

_LANGUAGES = {"zh", "en"}


@dataclass(frozen=True)
class _Choice:
    entry: Entry
    rejected: re.Pattern
    words: tuple[tuple[str, ...], ...]  # of each rejected spelling, in lower case
    excepted: tuple[str, ...]

    def found_in(self, text: str, lowered: str) -> Iterator[re.Match]:
        """The rejected spellings in a text; `lowered` is the same text in lower case."""
        if not any(all(word in lowered for word in words) for words in self.words):
            return iter(())
        for phrase in self.excepted:
            text = text.replace(phrase, " " * len(phrase))
        return self.rejected.finditer(text)

    def message(self, found: str) -> str:
        fields = self.entry.fields
        return f"“{' '.join(found.split())}”: write {fields['use']} ({fields['why']})"


class Terms:
    """The choices, and what is wrong with the file that lists them."""

    def __init__(self, text: str = "", path: str = "docs/terms.yml"):
        entries, self.problems = read_entries(
            text, path, required=("lang", "use", "why"), lists=("not", "except", "pages")
        )
        self._choices: dict[str, list[_Choice]] = {language: [] for language in _LANGUAGES}
        for entry in entries:
            if entry.fields["lang"] not in _LANGUAGES:
                self.problems.append(Problem(path, entry.line, "lang: expected zh or en"))
            elif not entry.lists.get("not"):
                self.problems.append(
                    Problem(path, entry.line, "not missing; list the spellings to find, [one, two]")
                )
            else:
                self._choices[entry.fields["lang"]].append(_choice(entry))

    def choices(self, language: str, name: str = "") -> Iterator[_Choice]:
        """The choices of a language that hold on the page of that name."""
        for choice in self._choices[language]:
            if name not in choice.entry.lists.get("pages", ()):
                yield choice


def check(page: Page, language: str, terms: Terms) -> list[Problem]:
    """Problems in the prose and in the comments of the code; code itself is left alone."""
    problems = []
    lowered = page.prose.lower()
    for choice in terms.choices(language, page_name(page.path)):
        for found in choice.found_in(page.prose, lowered):
            line = page.line_of(found.start())
            problems.append(Problem(page.path, line, choice.message(found[0])))
    comments = (comment for block in python_fences(page) for comment in code_comments(block))
    for line, comment in comments:
        for choice in terms.choices(language, page_name(page.path)):
            for found in choice.found_in(comment, comment.lower()):
                problems.append(Problem(page.path, line, choice.message(found[0])))
    return problems


def check_labels(strings: Iterable[tuple[int, str, str]], path: str, terms: Terms) -> list[Problem]:
    """Problems in the strings that the code prints, given as line, language and text."""
    return [
        Problem(path, line, choice.message(found[0]))
        for line, language, text in strings
        for choice in terms.choices(language)
        for found in choice.found_in(text, text.lower())
    ]


def _choice(entry: Entry) -> _Choice:
    spellings = entry.lists["not"]
    rejected = re.compile("|".join(map(_pattern, spellings)), re.I)
    words = tuple(tuple(spelling.rstrip("*").lower().split()) for spelling in spellings)
    return _Choice(entry, rejected, words, entry.lists.get("except", ()))


def _pattern(spelling: str) -> str:
    """Chinese is found anywhere; Latin letters as whole words, `normaliz*` as a beginning."""
    words = re.sub(r"\\?\s+", r"\\s+", re.escape(spelling.removesuffix("*")))
    before = r"(?<![A-Za-z0-9])" if spelling[0].isascii() else ""
    if spelling.endswith("*"):
        return f"{before}{words}[A-Za-z]*"
    return f"{before}{words}" + (r"(?![A-Za-z0-9])" if spelling[-1].isascii() else "")
