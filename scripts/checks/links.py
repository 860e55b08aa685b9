"""Does every link lead somewhere, and does no page load anything from another host?

A page is served as a folder: docs/en/chapters/06-x.md is en/chapters/06-x/. Links written in
Markdown name files, which the build turns into addresses; links written in HTML stay as they
are, and so are addresses already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from posixpath import basename, dirname, join, normpath, splitext
from urllib.parse import unquote, urlsplit

from chapter import Problem

from .prose import Link, Page

_EDITIONS = ("docs/zh/", "docs/en/")
_THEME = "docs/theme/"
_LOCAL = {"127.0.0.1", "localhost"}
_MADE_BY_THE_BUILD = {".whl", ".ipynb"}
_SELF = re.compile(r"""\btarget\s*=\s*["']?_self\b""")
_ATTRIBUTE_ID = re.compile(r"\{[^{}\n]*#([^\s{}]+)[^{}\n]*\}")
_FILLED_IN = re.compile(r"\{\{.*\}\}")

Found = Iterator[str]


class Links:
    """Checks the links of pages that belong to one site.

    Parameters
    ----------
    pages : every page, by its path (`docs/en/index.md`, `README.md`).
    exists : whether a file of that path exists.
    own : the addresses at which the site is served; no page of it links to them.
    """

    def __init__(
        self, pages: Mapping[str, Page], exists: Callable[[str], bool], own: tuple[str, ...] = ()
    ):
        self._pages = pages
        self._exists = exists
        self._own = own
        self._by_address = {_address(path): path for path in pages if _edition(path)}
        self._ids = {path: _ids(page) for path, page in pages.items()}

    def check(self, page: Page) -> list[Problem]:
        return [
            Problem(page.path, link.line, f"{link.target or 'a link'}: {message}")
            for link in page.links
            for message in self._link(page.path, link)
        ]

    def _link(self, path: str, link: Link) -> Found:
        if not link.html and not link.text.strip():
            if link.element == "img":
                yield "an image without alt text; say in the brackets what it shows"
            else:
                yield "a link without words; write in the brackets where it leads"
        if link.html and link.element == "img" and not re.search(r"\balt\s*=", link.attributes):
            yield 'an image without alt text; add alt="…", empty if it is only decoration'
        if _FILLED_IN.search(link.target):
            return
        parts = urlsplit(link.target)
        if parts.scheme or parts.netloc:
            yield from self._elsewhere(path, link, parts.scheme, parts.hostname)
        elif link.target.startswith("/"):
            yield "begins at the host, which breaks where the site has a path; write it relative"
        elif not link.target:
            yield "a link to nothing; write where it leads"
        elif not _edition(path):
            yield from self._in_repository(path, unquote(parts.path), parts.fragment)
        elif link.html:
            yield from self._served(path, link, unquote(parts.path), parts.fragment)
        else:
            yield from self._file(path, link, unquote(parts.path), parts.fragment)

    def _elsewhere(self, path: str, link: Link, scheme: str, host: str | None) -> Found:
        if link.element != "a":
            yield (
                f"<{link.element}> makes every reader's browser ask another host; keep the file "
                "in the repository, or write a plain link"
            )
        elif _edition(path) and any(link.target.startswith(address) for address in self._own):
            yield "an absolute link to this site breaks in every other place; write it relative"
        elif scheme == "mailto":
            return
        elif scheme not in {"http", "https"}:
            yield "unknown kind of address; write https://…"
        elif scheme == "http" and host not in _LOCAL:
            yield "not encrypted; write https://…"

    def _in_repository(self, path: str, target: str, fragment: str) -> Found:
        """A link of a file that GitHub shows."""
        file = normpath(join(dirname(path), target)) if target else path
        if not self._exists(file):
            yield f"there is no {file}; correct the path"
        elif fragment and file in self._pages and not _edition(file):
            slugs = {_github_slug(heading.text) for heading in self._pages[file].chapter.headings}
            if fragment not in slugs:
                yield f"no heading of {file} has this address;{_instead(fragment, slugs)}"

    def _file(self, path: str, link: Link, target: str, fragment: str) -> Found:
        """A link in Markdown, which names a file."""
        file = normpath(join(dirname(path), target)) if target else path
        suffix = splitext(file)[1]
        if target.endswith("/") or not suffix:
            yield from self._served(path, link, target, fragment, markdown=True)
        elif suffix == ".html":
            yield "link to the .md file, so that the build can check the link"
        elif suffix != ".md":
            if not self._exists(file):
                yield f"there is no {file}; correct the path"
        elif file not in self._pages:
            yield f"there is no page {file};{self._page_instead(file)}"
        else:
            yield from self._page(path, link, file, fragment)

    def _page_instead(self, file: str) -> str:
        known = {basename(path): path for path in self._pages if _edition(path) == _edition(file)}
        close = get_close_matches(basename(file), known, n=1, cutoff=0.7)
        return f" did you mean {known[close[0]]}?" if close else " correct it, or write the page"

    def _served(
        self, path: str, link: Link, target: str, fragment: str, markdown: bool = False
    ) -> Found:
        """A link that is an address: relative to the folder that the page is served as."""
        address = normpath(join(_address(path), target)) if target else _address(path)
        suffix = splitext(address)[1]
        if suffix == ".md":
            yield "in HTML the build leaves .md as it is; write the folder, x/ for x.md"
        elif address.startswith(".."):
            yield "leads out of the site; correct the path"
        elif suffix:
            places = [f"docs/{address}", _THEME + address.partition("/")[2]]
            if suffix not in _MADE_BY_THE_BUILD and not any(map(self._exists, places)):
                yield f"there is no {places[0]}; correct the path"
        elif (file := self._by_address.get(address.rstrip("/") + "/")) is None:
            yield f"no page is served at {address}/; correct the path"
        elif markdown and _edition(file) == _edition(path):
            yield f"link to the file ({basename(file)}), so that the build can check it"
        else:
            yield from self._page(path, link, file, fragment)

    def _page(self, path: str, link: Link, file: str, fragment: str) -> Found:
        if _edition(file) != _edition(path) and not _SELF.search(link.attributes):
            how = 'target="_self"' if link.html else "{ target=_self } behind the link"
            yield f"leads to the other edition, which Material's script would intercept; add {how}"
        if fragment and unquote(fragment) not in self._ids[file]:
            yield f"{file} has no id “{unquote(fragment)}”;{_instead(fragment, self._ids[file])}"


def _edition(path: str) -> str:
    return next((edition for edition in _EDITIONS if path.startswith(edition)), "")


def _address(path: str) -> str:
    """The folder a page is served as, relative to the root of the site."""
    stem = path.removeprefix("docs/").removesuffix(".md")
    return stem.removesuffix("index") if stem.endswith("/index") else f"{stem}/"


def _ids(page: Page) -> set[str]:
    ids = {heading.id for heading in page.chapter.headings if heading.id}
    ids |= {tag.attributes["id"] for tag in page.tags if "id" in tag.attributes}
    return ids | set(_ATTRIBUTE_ID.findall(page.skeleton))


def _github_slug(text: str) -> str:
    """The address that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _instead(wanted: str, known) -> str:
    close = get_close_matches(wanted, known, n=1)
    return f" did you mean {close[0]}?" if close else " correct it, or add what it should lead to"
