"""The checks that need nothing to run: they read the pages and say what has to be mended."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from chapter import ChapterError, Problem, page_files, parse, read

from . import fences, navigation, numbers, parity, terms
from .links import Links
from .numbers import Facts
from .prose import Page, read_page
from .same_code import Labels
from .terms import Terms

_SITE_URL = re.compile(r"""^site_url:.*?(https?://[^\s"'\]]+)""", re.M)
_README = {"zh": "README.zh.md", "en": "README.md"}
_CONFIG = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}


@dataclass(frozen=True)
class _Edition:
    """The pages of one language, by the name they have in both languages."""

    language: str
    docs: dict[str, str]  # name → path
    readme: dict[str, str]


def run(root: Path) -> list[Problem]:
    """All problems of the editions in `docs/zh` and `docs/en` and of the two READMEs."""
    zh, en = (_edition(root, language) for language in ("zh", "en"))
    pages, problems = _read_pages(root, zh, en)
    labels, facts, glossary = (
        kind(_text(root / "docs" / name)) for kind, name in _DECLARATIONS.items()
    )
    problems += labels.problems + facts.problems + glossary.problems
    problems += terms.check_labels(labels.strings(), "docs/labels.yml", glossary)
    problems += parity.missing(zh.docs, en.docs) + parity.missing(zh.readme, en.readme)
    problems += _navigation(root, zh, en)

    all_read = len(pages) == sum(len(e.docs) + len(e.readme) for e in (zh, en))
    links = Links(pages, lambda path: (root / path).exists(), _own_addresses(root))
    for edition in (zh, en):
        for path in [*edition.docs.values(), *edition.readme.values()]:
            if page := pages.get(path):
                problems += fences.check(page, heading_ids=path.startswith("docs/"))
                problems += numbers.check(page, facts)
                problems += terms.check(page, edition.language, glossary)
                problems += links.check(page)
    for name, path in {**zh.docs, **zh.readme}.items():
        other = {**en.docs, **en.readme}.get(name)
        if path in pages and other in pages:
            problems += parity.check(pages[path], pages[other], labels)
    if all_read:  # else what a page would need is not known
        problems += facts.unused() + labels.unused()
    return sorted(set(problems), key=lambda problem: (problem.path, problem.line, problem.message))


_DECLARATIONS = {Labels: "labels.yml", Facts: "facts.yml", Terms: "terms.yml"}


def _edition(root: Path, language: str) -> _Edition:
    folder = root / "docs" / language
    docs = {
        file.relative_to(folder).as_posix(): file.relative_to(root).as_posix()
        for file in page_files(folder)
    }
    readme = _README[language]
    return _Edition(language, docs, {"README.md": readme} if (root / readme).exists() else {})


def _read_pages(root: Path, *editions: _Edition) -> tuple[dict[str, Page], list[Problem]]:
    pages, problems = {}, []
    for edition in editions:
        for path in [*edition.docs.values(), *edition.readme.values()]:
            try:
                pages[path] = read_page(parse(read(root / path), path))
            except ChapterError as error:
                problem = error.problem
                problems.append(Problem(path, problem.line, problem.message))
    return pages, problems


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig") if path.exists() else ""


def _navigation(root: Path, zh: _Edition, en: _Edition) -> list[Problem]:
    configs = [(_text(root / name), name) for name in _CONFIG.values()]
    if not any(text for text, _ in configs):  # the pages are checked without a site too
        return []
    return navigation.check(*configs, {"zh": set(zh.docs), "en": set(en.docs)})


def _own_addresses(root: Path) -> tuple[str, ...]:
    written = (_SITE_URL.search(_text(root / name)) for name in _CONFIG.values())
    known = [found[1] for found in written if found]
    if given := os.environ.get("SITE_URL"):
        known.append(given)
    return tuple(known)
