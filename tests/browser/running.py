"""What the browser tests of code that runs in the page share."""

from conftest import ROOT
from playwright.sync_api import Locator, Page, expect

PHONE = {"width": 375, "height": 812}
LANGUAGES = ("zh", "en")
START = 180_000  # ms; Python starts in seconds, but on a busy machine in many
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SMALL = """(all) => all.map((one) => one.getBoundingClientRect())
    .filter(({ width, height }) => width < 44 || height < 44).length"""
FAULTS = """async (scope) => (await axe.run(scope)).violations
    .map(({ id, nodes }) => [id, nodes.map((node) => node.html)])"""
BUTTONS = {
    "zh": {"reset": "还原", "close": "收起", "copy": "复制", "copied": "已复制。", "stop": "停止"},
    "en": {"reset": "Reset", "close": "Close", "copy": "Copy", "copied": "Copied.", "stop": "Stop"},
}


class Editor:
    """A block of an open page, closed or open as an editor.

    `words` are those of its language; "verb" is on the button that runs it.
    """

    def __init__(self, page: Page, root: Locator, words: dict[str, str]):
        self.page = page
        self.root = root
        self.word = words
        self.opener = root.locator(".attn-run")
        self.editor = root.locator(".cm-content")
        self.status = root.locator(".attn-live-status")

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=self.word[name], exact=True)

    def press(self, name: str) -> None:
        self.button(name).click()

    def write(self, code: str) -> None:
        """Put code in place of all that stands in the editor."""
        self.editor.press("Control+a")
        self.page.keyboard.insert_text(code)

    def rerun(self):
        self.editor.press("Control+Enter")
        return self.ended()

    def ended(self):
        """Wait until its run has ended."""
        expect(self.root.locator(".attn-live-bar button").first).to_be_visible(timeout=START)
        return self


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.textContent")


def too_small(targets: Locator) -> int:
    """How many a finger cannot hit: 44 px."""
    return targets.evaluate_all(SMALL)


def faults(page: Page, scope: str) -> list:
    """What axe finds in that part of the page, in the light scheme and in the dark one."""
    page.add_script_tag(path=str(AXE))
    found = []
    for scheme, name in (("light", "default"), ("dark", "slate")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("name => document.body.dataset.mdColorScheme === name", arg=name)
        found += page.evaluate(FAULTS, scope)
    return found
