"""A built site, served as GitHub Pages does, and a browser that notes what a page does.

`ATTN_SITE` names a site that is built already; without it, one is built from a copy of the
project. It is served twice: at `/`, and at `/repo/` as GitHub Pages serves a project.
`CHROMIUM` names the browser; without it, the usual names are looked for on PATH.
"""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright
from suite import find_browser

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = ("/", "/repo/")
PLANTED = Path(__file__).with_name("planted.html")
# No test is about speed: where a machine is busy, what is waited for may come late.
PATIENCE = 60_000  # ms
expect.set_options(timeout=PATIENCE)

# In a process of its own: a build sets the environment and starts workers.
BUILD = """
import shutil, sys
from pathlib import Path
sys.path.insert(0, "scripts")
import editions, pyodide_files

root, served = Path.cwd(), Path(sys.argv[1])
if not (root / "site").exists():
    pyodide = pyodide_files.files(root)  # without them, the pages cannot run code
    address = "http://127.0.0.1/repo/"
    if editions.build(root, site_url=address, pyodide=pyodide, with_offline=True):
        sys.exit(1)
for prefix in ("/repo/", "/"):
    editions.place_root_files(root, root / "site", "http://127.0.0.1" + prefix)
    shutil.copytree(root / "site", served / prefix.strip("/"), dirs_exist_ok=True)
"""

QUIET = (
    "--no-sandbox",  # a container has no user namespaces
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No test reaches the network, even where a page tries to.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@dataclass
class Site:
    """The folder that is served, its address, and the files sent since `sent` was cleared."""

    folder: Path
    address: str
    sent: list[Path] = field(default_factory=list)

    def url(self, path: str, prefix: str = "/") -> str:
        return self.address + prefix + path


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    project = tmp_path_factory.mktemp("project")
    served = tmp_path_factory.mktemp("served")
    copy_project(project)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(served)],
        cwd=project,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    if done.returncode:
        pytest.fail(f"the site does not build:\n{done.stdout}{done.stderr}", pytrace=False)
    shutil.copy(PLANTED, served / "planted.html")
    # Chance does not compress: this weighs what it is long.
    (served / "heavy.bin").write_bytes(os.urandom(450_000))

    site = Site(served, "")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, site=site, directory=str(served))
    )
    site.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def live(site):
    """For tests of pages that run their code."""
    if not (site.folder / "pyodide").exists():
        pytest.skip("the site was built without Pyodide's files; build it with --live=required")


def copy_project(project: Path) -> None:
    """What a build reads, and what earlier builds have remembered."""
    for source in ROOT.iterdir():
        if source.is_file() and not source.name.startswith("."):
            shutil.copy(source, project)
    for name in ("attn", "docs", "scripts"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, project / name, ignore=ignore)
    (project / "node_modules").symlink_to(ROOT / "node_modules")
    (project / ".cache").mkdir()
    for name in ("runs", "formulas", "elements", "labs", "run", "pyodide"):
        if (ROOT / ".cache" / name).exists():
            (project / ".cache" / name).symlink_to(ROOT / ".cache" / name)
    if built := os.environ.get("ATTN_SITE"):
        shutil.copytree(built, project / "site")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder; for an address that is not there, the 404 page of its root."""

    def __init__(self, *args, site: Site, **kwargs):
        self.site = site
        super().__init__(*args, **kwargs)

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if path.is_dir() and (path / "index.html").exists():
            path /= "index.html"
        if path.is_file():
            self.site.sent.append(path)
        return super().send_head()

    def send_error(self, code, message=None, explain=None):
        if code != 404:
            super().send_error(code, message, explain)
            return
        prefix = max((p for p in PREFIXES if self.path.startswith(p)), key=len)
        body = (self.site.folder / prefix.strip("/") / "404.html").read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def browser():
    executable = find_browser(os.environ)
    if executable is None:
        pytest.skip("no browser: install Chromium or Chrome, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(QUIET), timeout=2 * PATIENCE)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page, what it said on the console, and what it asked of other hosts."""

    page: Page
    said: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def heard(self) -> list[str]:
        """What was said and asked since the last call."""
        found = [*self.said, *self.foreign]
        self.said.clear()
        self.foreign.clear()
        return found

    def listen(self, host: str) -> None:
        def asked(request):
            address = urlsplit(request.url)
            if address.scheme not in ("data", "blob") and address.netloc != host:
                self.foreign.append(request.url)

        self.page.context.on("request", asked)
        self.page.context.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))


def settled(page: Page) -> None:
    """Wait until what was changed has been laid out, and what watches sizes has been told.

    Observers of sizes are told after the callbacks of a frame.
    """
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


@pytest.fixture(scope="session")
def open_tab(browser, site):
    """A function that opens a tab with a profile of its own. The caller closes its context."""

    def open_tab(**options) -> Tab:
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "zh-CN"} | options
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        tab = Tab(context.new_page())
        tab.listen(urlsplit(site.address).netloc)
        return tab

    return open_tab


@pytest.fixture
def tab(open_tab):
    """Like `open_tab`; at the end of the test, every tab must have kept quiet."""
    tabs = []

    def opened(**options) -> Page:
        tabs.append(open_tab(**options))
        return tabs[-1].page

    yield opened
    for one in tabs:
        one.page.context.close()
    assert [one.said for one in tabs if one.said] == []
    assert [one.foreign for one in tabs if one.foreign] == []


@pytest.fixture(scope="session")
def used_tabs(open_tab):
    tabs = {}  # by their options
    yield tabs
    for one in tabs.values():
        one.page.context.close()


@pytest.fixture
def used_tab(open_tab, used_tabs):
    """Like `tab`, in half the time: the same options give the same page, which other tests have used.

    For tests that leave nothing behind but a document: no clock, no route, nothing emulated later,
    nothing stored. Each test still answers for what its pages said.
    """
    used = {}

    def opened(**options) -> Page:
        key = repr(sorted(options.items()))
        if key not in used_tabs:
            used_tabs[key] = open_tab(**options)
        used[key] = used_tabs[key]
        return used[key].page

    yield opened
    for one in used.values():
        one.page.mouse.move(0, 0)
        one.page.goto("about:blank")  # nothing runs on into the next test
    assert [heard for one in used.values() for heard in one.heard()] == []
