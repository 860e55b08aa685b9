"""Do the two configurations show the same pages in the same order, and every page?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from chapter import Problem


@dataclass(frozen=True)
class Entry:
    """A page of the navigation, or the beginning of a group of pages."""

    target: str | None  # None for a group
    titled: bool
    depth: int
    line: int

    @property
    def place(self) -> tuple[int, str | None]:
        return self.depth, self.target

    def __str__(self) -> str:
        return self.target or "a group"


def read_navigation(text: str, path: str) -> list[Entry] | Problem:
    """The `nav` of a MkDocs configuration. Tags such as `!ENV` need no constructor here."""
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return Problem(path, mark.line + 1 if mark else 1, f"not YAML: {error.problem}")
    for key, value in tree.value if isinstance(tree, yaml.MappingNode) else []:
        if key.value == "nav":
            return list(_entries(value, 0))
    return Problem(path, 1, "no nav; list the pages, in the same order in both editions")


def _entries(node, depth: int) -> Iterator[Entry]:
    for item in node.value:
        line = item.start_mark.line + 1
        if isinstance(item, yaml.ScalarNode):
            yield Entry(item.value, False, depth, line)
        elif isinstance(item, yaml.MappingNode):
            for _, value in item.value:
                if isinstance(value, yaml.ScalarNode):
                    yield Entry(value.value, True, depth, line)
                else:
                    yield Entry(None, True, depth, line)
                    yield from _entries(value, depth + 1)


def check(zh: tuple[str, str], en: tuple[str, str], pages: dict[str, set[str]]) -> list[Problem]:
    """
    Parameters
    ----------
    zh, en : the text and the path of each configuration.
    pages : for "zh" and "en", the pages of the edition, named relative to its folder.
    """
    problems: list[Problem] = []
    navigations = {}
    for language, (text, path) in {"zh": zh, "en": en}.items():
        found = read_navigation(text, path)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        navigations[language] = found
        problems += _against_files(found, path, pages[language])
    if len(navigations) == 2:
        problems += _against_each_other(navigations["zh"], zh[1], navigations["en"], en[1])
    return problems


def _against_files(entries: list[Entry], path: str, pages: set[str]) -> Iterator[Problem]:
    listed = {entry.target for entry in entries}
    for entry in entries:
        target = entry.target
        if target is None or not target.endswith(".md"):
            continue
        if target not in pages:
            yield Problem(
                path, entry.line, f"{target}: there is no such page; write it, or delete the entry"
            )
        elif entry.titled and target.startswith("chapters/"):
            yield Problem(
                path,
                entry.line,
                f"{target} has a title here and one on its page; write “- {target}”",
            )
    first = min((entry.line for entry in entries), default=1)
    for name in sorted(pages - listed):
        yield Problem(
            path, first, f"{name} is not in nav, so no reader finds it; add it in its place"
        )


def _against_each_other(
    zh: list[Entry], zh_path: str, en: list[Entry], en_path: str
) -> Iterator[Problem]:
    for there, here in zip(zh, en):
        if there.place != here.place:
            yield Problem(
                en_path,
                here.line,
                f"nav has {here} where the Chinese edition has {there} ({zh_path}:{there.line}); "
                "list the same pages in the same order",
            )
            return
    if len(zh) != len(en):
        longer, path, other = (
            (zh, zh_path, en_path) if len(zh) > len(en) else (en, en_path, zh_path)
        )
        extra = longer[min(len(zh), len(en))]
        yield Problem(path, extra.line, f"{extra} is missing from the nav of {other}; add it there")
