"""Write one page anew from what the last whole build of its edition left in memory.

A whole build of an edition takes seconds; a writer who changes a number waits for one page.
Whatever other pages could show of the page (its title, its headings) needs a whole build.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.commands.build import _build_page, _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from chapter import Problem


@dataclass(frozen=True)
class Built:
    """An edition as its last whole build left it. `hooks` is the module of that build."""

    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: Any
    hooks: ModuleType


last_build: dict[str, Built] = {}  # by language


def rebuild(language: str, path: Path) -> list[Problem] | None:
    """Write the page of this source; returns its problems, or None if a whole build is needed."""
    built = last_build.get(language)
    file = built and _file(built.files, path)
    if not file:
        return None
    pages = built.hooks.pages
    pages.problems.clear()
    pages.begin([path])
    before = _seen_elsewhere(file.page)
    file.page.__dict__.pop("title", None)  # so that it is read from the new text
    _populate_page(file.page, built.config, built.files)
    if _seen_elsewhere(file.page) != before:
        return None
    search = _forget_in_search(built.config, file.page)
    _build_page(file.page, built.config, built.files.documentation_pages(), built.nav, built.env)
    search.on_post_build(config=built.config)
    return pages.problems


def _file(files: Files, path: Path) -> File | None:
    found = (f for f in files.documentation_pages() if f.page and Path(f.abs_src_path) == path)
    return next(found, None)


def _seen_elsewhere(page: Page) -> tuple:
    def ids(items) -> list:
        return [(item.id, ids(item.children)) for item in items]

    return page.title, ids(page.toc)


def search_plugin(config: MkDocsConfig):
    return next(plugin for name, plugin in config.plugins.items() if name.endswith("search"))


def _forget_in_search(config: MkDocsConfig, page: Page):
    """Take the page out of the search index, which the build of the page then adds it to."""
    search = search_plugin(config)
    entries = search.search_index.entries
    entries[:] = [entry for entry in entries if entry["location"].split("#")[0] != page.url]
    return search
