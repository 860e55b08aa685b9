"""What the browser tests of the interactive figures share."""

import functools
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from conftest import ROOT, Site
from playwright.sync_api import Locator, Page

sys.path.append(str(ROOT / "tests"))  # for what these tests share with the others, such as in_node

PHONE = {"width": 375, "height": 812}
LANGUAGES = ("zh", "en")
SOURCES = ROOT / "docs/theme/assets/elements"
NAMES = sorted(path.stem.removeprefix("attn-") for path in SOURCES.glob("attn-*.js"))


@dataclass
class Element:
    """An element on an open page, ready to be used."""

    page: Page
    root: Locator
    key: str  # in the address, and the id on the page: fig-3
    data: dict  # what Python gave it

    def text(self) -> str:
        """All that is seen. What a screen reader was told stays a while after it has changed."""
        return self.root.locator(".attn-stage").inner_text()

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.root.locator(selector).all_inner_texts()]

    def table(self, name: str) -> list[list[str]]:
        """The texts of the cells of a table; `name` as in table.js."""
        rows = self.root.locator(f"[aria-labelledby='{self.key}-{name}'] tbody tr")
        return rows.evaluate_all(
            "rows => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.trim()))"
        )

    def cell(self, name: str, row: int, column: int) -> Locator:
        body = self.root.locator(f"[aria-labelledby='{self.key}-{name}'] tbody tr")
        return body.nth(row).locator("td").nth(column).locator(".attn-cell")

    def radio(self, name: str, value) -> Locator:
        """One of the options of `choose`."""
        return self.root.locator(f"input[name='{self.key}-{name}'][value='{value}']")

    def pick(self, name: str, value) -> None:
        self.radio(name, value).check(force=True)  # it lies under its label's text

    @property
    def reset(self) -> Locator:
        return self.root.locator(".attn-reset")

    def announced(self, text: str) -> None:
        """Wait until a screen reader is told something with this text."""
        self.root.locator(".attn-status", has_text=text).wait_for(state="attached")

    def state(self) -> str | None:
        """What of the address is this element's, once the last change has arrived there."""
        self.root.locator("[aria-busy=true]").wait_for(state="detached")  # what computes holds up the rest
        # By the page's own clock: on a busy machine the element's timer would be late for another's.
        self.page.evaluate("new Promise((done) => setTimeout(done, 300))")
        return self.page.evaluate("key => new URLSearchParams(location.search).get(key)", self.key)


def stop_the_clock(page: Page) -> None:
    """From here on time passes when the test says so. The page must have a clock of its own.

    That is, `page.clock.install(time=0)` before it was opened: timers set before could not be
    cleared any more.
    """
    page.clock.pause_at(3600)


@functools.cache
def pages_with(site_folder: Path, name: str, language: str) -> list[str]:
    """The addresses of the pages of an edition that have an element, in order."""
    edition = site_folder / language
    mark = f"<attn-{name}>"
    return [
        f"{language}/{path.parent.relative_to(edition).as_posix()}/".replace("/./", "/")
        for path in sorted(edition.rglob("index.html"))
        if mark in path.read_text("utf-8")
    ]


def address(site: Site, name: str, language: str, page: int | str = 0) -> str:
    """The address of the page number `page` that has an element, or of the one with `page` in it."""
    found = pages_with(site.folder, name, language)
    assert found, f"no page of the edition {language} has an element {name}"
    path = found[page] if isinstance(page, int) else next(path for path in found if page in path)
    return site.url(path)


def addresses_of_forms(site: Site, name: str, language: str) -> list[str]:
    """For each form of an element, the address of the first page that has it."""
    first = {}
    for path in pages_with(site.folder, name, language):
        text = (site.folder / path / "index.html").read_text("utf-8")
        tag = re.search(rf'<attn-{name}>.*?(<script type="application/json".*?>)', text, re.DOTALL)[1]
        first.setdefault(tag, site.url(path))
    return list(first.values())


def open_element(page: Page, address: str, name: str, state: str | None = None) -> Element:
    """Go to a page and find its first element of that name. `state`: as the address has it."""
    if state is not None:
        address = f"{address}?{key_of(page, address, name)}={state}"
    page.goto(address)
    return element_on(page, name)


def key_of(page: Page, address: str, name: str) -> str:
    """The key that the first element of that name will have: the id of its figure, without a script."""
    html = page.request.get(address).text()
    return re.search(rf'<attn-{name}>.*?<figure [^>]*id="([^"]+)"', html, re.DOTALL)[1]


def element_on(page: Page, name: str) -> Element:
    root = page.locator(f"attn-{name}").first
    root.locator(".attn-stage").wait_for(state="attached")
    fold = root.locator("> details:not([open]) > summary")
    if fold.count():
        fold.click()
    data = json.loads(root.locator("> script").text_content())
    return Element(page, root, root.get_attribute("id"), data)


def small_targets(element: Element) -> list[str]:
    """What can be touched and is less than 44 px wide or high; a label counts with its control."""
    return element.root.locator("button, input, select, summary, a").evaluate_all(
        """controls => controls
             .filter((control) => control.checkVisibility())
             .map((control) => [control, (control.closest("label") ?? control).getBoundingClientRect()])
             .filter(([, box]) => box.width < 43.9 || box.height < 43.9)
             .map(([control, box]) => `${control.outerHTML.slice(0, 120)}: ${box.width} x ${box.height}`)"""
    )
