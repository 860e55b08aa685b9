"""`dev.py bench`: what the build costs, as ratios measured side by side in one run.

Works on copies: the project's own `site/` and `.cache/` stay as they are. A time is the
least of several, since a busy machine only ever adds to it.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import rivals
from chapter import page_files, parse, read
from suite import find_browser

ROUNDS = 3
EDITS = 3
REST = 2  # seconds between two edits
PATIENCE = 120  # seconds for a page to appear

BUILD = """
import sys
from pathlib import Path
import editions
sys.exit(editions.build(Path.cwd(), execute=sys.argv[1] == "execute"))
"""
SERVE = """
import sys
from pathlib import Path
import live
sys.exit(live.serve(Path.cwd(), host="127.0.0.1", port=int(sys.argv[1])))
"""


class BenchError(Exception):
    """Something that was to be measured did not run. The message holds its output."""


@dataclass(frozen=True)
class Measure:
    """One line of the table. `met` is None where there was nothing to measure with."""

    name: str
    value: str
    target: str
    met: bool | None


def main(root: Path) -> int:
    """Measure and print. The exit status says only whether everything could be measured."""
    print(describe(root))
    try:
        with tempfile.TemporaryDirectory(prefix="attn-bench-") as directory:
            measures = measure(root, Path(directory))
    except BenchError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n" + table(measures))
    return 0


def describe(root: Path) -> str:
    chapters = [parse(read(path), path) for path in pages(root)]
    blocks = [block for chapter in chapters for block in chapter.blocks]
    drawing = sum("plt.show()" in block.code for block in blocks)
    return (
        f"{len(chapters)} pages in two languages, {len(blocks)} blocks, {drawing} of them draw; "
        f"Python {platform.python_version()}, {os.cpu_count()} cores"
    )


def pages(root: Path) -> list[Path]:
    return [path for edition in ("en", "zh") for path in page_files(root / "docs" / edition)]


def measure(root: Path, directory: Path) -> list[Measure]:
    ours = copy_tree(root, directory / "ours")
    times = build_times(ours)
    cold, warm, chapters = times["cold"], times["warm"], times["cold, labs kept"]
    measures = [
        ratio("cold build ÷ without running a block", cold, times["cold, not run"], most=2.5),
        ratio("warm build ÷ without running a block", warm, times["warm, not run"], most=1.1),
    ]
    for name, prepare, least in (
        ("mkdocs-jupyter", rivals.jupyter, 5),
        ("markdown-exec", rivals.markdown_exec, 1),
    ):
        config = prepare(root / "docs", directory / name)
        seconds = min(rival_time(name, config, root / "docs") for _ in range(2))
        measures.append(ratio(f"{name} ÷ cold build, labs kept", seconds, chapters, least=least))
    measures.append(edit_time(ours))
    measures.append(identical(root, directory))
    measures += weights(directory / "again" / "site", root)
    return measures


# Builds


def copy_tree(root: Path, target: Path) -> Path:
    """The sources, without history and without anything built. Node's packages are linked."""
    leave = shutil.ignore_patterns("__pycache__", "node_modules")
    target.mkdir()
    for name in ("attn", "docs", "scripts"):
        shutil.copytree(root / name, target / name, ignore=leave)
    for path in [*root.glob("*.yml"), *root.glob("*.md"), *root.glob("*.json"), *root.glob("*.toml")]:
        shutil.copy(path, target)
    shutil.copy(root / "LICENSE", target)
    if (root / "node_modules").exists():
        (target / "node_modules").symlink_to(root / "node_modules")
    return target


def build_times(tree: Path) -> dict[str, float]:
    """Seconds of each kind of build, start of Python included; the kinds take turns."""
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for execute, suffix in ((False, ", not run"), (True, "")):
            clear(tree)
            times.setdefault("cold" + suffix, []).append(build(tree, execute))
            times.setdefault("warm" + suffix, []).append(build(tree, execute))
        # mkdocs-jupyter runs the labs, here as there; what is compared with others is how chapters run.
        clear(tree, keep=("labs",))
        times.setdefault("cold, labs kept", []).append(build(tree))
    for name, seconds in times.items():
        print(f"{name:15}  " + "  ".join(f"{second:6.2f} s" for second in seconds), flush=True)
    return {name: min(seconds) for name, seconds in times.items()}


def clear(tree: Path, keep: tuple[str, ...] = ()) -> None:
    """Remove what was built; of the caches, all but those in `keep`."""
    shutil.rmtree(tree / "site", ignore_errors=True)
    for cache in (tree / ".cache").glob("*"):
        if cache.name not in keep:
            shutil.rmtree(cache, ignore_errors=True)


def build(tree: Path, execute: bool = True) -> float:
    command = [sys.executable, "-c", BUILD, "execute" if execute else "leave"]
    return timed("the build", command, tree, ours(tree))


def ours(tree: Path) -> dict[str, str]:
    """The environment of a build: the copy's own modules, whatever is installed."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(tree / "scripts"), str(tree)]))
    for name in ("SITE_URL", "SITE_URL_ZH", "SITE_URL_EN", "SOURCE_URL", "ATTN_EXECUTE"):
        env.pop(name, None)
    return env


def rival_time(name: str, config: Path, docs: Path) -> float:
    clear(config.parent)  # mkdocs-jupyter keeps what it ran, as we do
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(config)]
    seconds = timed(name, command, config.parent, rivals.environment(config))
    print(f"{name:14}  {seconds:6.2f} s", flush=True)
    check_figures(name, docs, config.parent / "site")
    return seconds


def check_figures(name: str, docs: Path, site: Path) -> None:
    """A tool that quietly ran nothing would be the fastest of all."""
    for source in pages(docs.parent):
        wanted = rivals.figures(source)
        text = page_of(source, docs, site).read_text(encoding="utf-8")
        drawn = len(re.findall(r'<g id="figure_|<img[^>]+data:image/png', text))
        if drawn < wanted:
            page = source.relative_to(docs)
            raise BenchError(f"{name}: {page} shows {drawn} figures and should show {wanted}")


def page_of(source: Path, docs: Path, site: Path) -> Path:
    name = source.relative_to(docs).with_suffix("")
    return site / (name.parent if name.name == "index" else name) / "index.html"


def timed(what: str, command: list[str], cwd: Path, env: dict[str, str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8")
    seconds = time.perf_counter() - started
    if done.returncode:
        raise BenchError(f"{what} failed:\n{done.stdout}{done.stderr}")
    return seconds


# One edited block


def edit_time(tree: Path) -> Measure:
    """From saving a chapter, under `dev.py serve`, to its page with the block's new output."""
    name = "one edited block → its page rewritten"
    source = next(path for path in pages(tree) if parse(read(path), path).blocks)
    page = page_of(source, tree / "docs", tree / "site")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            [sys.executable, "-u", "-c", SERVE, str(port)],
            cwd=tree,
            env=ours(tree),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(lambda: answers(port), server, log)
            time.sleep(REST)  # it takes stock of the files after it has begun to answer
            seconds = []
            for number in range(EDITS):
                marker = str(1_000_000_007 + number)
                edited = with_line(read(source), f"print(10**9 + 7 + {number})")
                started = time.perf_counter()
                source.write_text(edited, encoding="utf-8")
                wait_for(lambda: marker in page.read_text(encoding="utf-8"), server, log)
                seconds.append(time.perf_counter() - started)
                time.sleep(REST)  # the next edit is another one
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    print(f"{'edit':14}  " + "  ".join(f"{second:6.2f} s" for second in seconds), flush=True)
    best = min(seconds)
    return Measure(name, f"{best:.2f} s", "≤ 1.5 s", best <= 1.5)


def with_line(text: str, line: str) -> str:
    """The chapter with one more line at the end of its first block."""
    block = parse(text).blocks[0]
    lines = text.split("\n")
    lines.insert(block.end - 1, block.indent + line)
    return "\n".join(lines)


def answers(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
        return answer.status == 200


def wait_for(condition, server: subprocess.Popen, log) -> None:
    deadline = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < deadline:
        try:
            if condition():
                return
        except (OSError, UnicodeDecodeError):
            pass  # the page is being written
        time.sleep(0.005)
    log.seek(0)
    raise BenchError(f"serving: waited {PATIENCE} s in vain:\n{log.read()}")


# The same bytes, and how many


def identical(root: Path, directory: Path) -> Measure:
    """Two cold builds, in two directories: what depends on where it was built shows too."""
    first, second = (copy_tree(root, directory / name) for name in ("once", "again"))
    build(first)
    build(second)
    files = [digests(tree / "site") for tree in (first, second)]
    names = sorted(files[0].keys() | files[1].keys())
    differing = [name for name in names if files[0].get(name) != files[1].get(name)]
    for name in differing:
        print(f"differs between two builds: {name}")
    value = f"{len(differing)} of {len(names)} files differ"
    return Measure("two cold builds", value, "0 differ", not differing)


def digests(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in site.rglob("*")
        if path.is_file()
    }


def weights(site: Path, root: Path) -> list[Measure]:
    """The heaviest page with all that it loads, and what pages ask of other hosts."""
    names = "heaviest page with all it loads, gzip", "requests to other hosts"
    targets = "≤ 400 kB", "0"
    browser = find_browser(os.environ)
    if browser is None:
        print("no browser: install Chromium or Chrome, or set CHROMIUM to its path")
        return [Measure(*line, None) for line in zip(names, ("not measured",) * 2, targets)]
    loaded, foreign = load_pages(site, browser)
    page = max(loaded, key=loaded.get)
    kilobytes = loaded[page] / 1000
    return [
        Measure(names[0], f"{kilobytes:.0f} kB ({page})", targets[0], kilobytes <= 400),
        Measure(names[1], str(len(foreign)), targets[1], not foreign),
    ]


def load_pages(site: Path, executable: str) -> tuple[dict[str, int], list[str]]:
    """Open every page of the site: bytes (gzip) that each loads, and requests to other hosts."""
    from playwright.sync_api import sync_playwright

    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    loaded, foreign = {}, []
    with sync_playwright() as playwright:
        # Without its sandbox, since a container has no user namespaces; no network but ours.
        arguments = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        for path in sorted(site.rglob("index.html")):
            name = path.parent.relative_to(site).as_posix()
            context = browser.new_context()  # nothing cached
            asked = []
            context.on("request", lambda request: asked.append(request.url))
            context.new_page().goto(f"{address}{name}/", wait_until="networkidle")
            context.close()
            inside = {url for url in asked if url.startswith(address)}
            foreign += [url for url in asked if urlsplit(url).scheme[:4] == "http" and url not in inside]
            loaded[name] = sum(on_the_wire(site, url[len(address) :]) for url in inside)
        browser.close()
    server.shutdown()
    server.server_close()
    return loaded, foreign


def on_the_wire(site: Path, url: str) -> int:
    path = site / urlsplit(url).path
    path = path / "index.html" if path.is_dir() else path
    if not path.is_file():
        return 0
    content = path.read_bytes()
    return min(len(content), len(gzip.compress(content)))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


# The table


def ratio(name: str, above: float, below: float, *, most: float = None, least: float = None) -> Measure:
    value = above / below
    if most is not None:
        return Measure(name, f"{value:.2f}", f"≤ {most:g}", value <= most)
    return Measure(name, f"{value:.2f}", f"≥ {least:g}", value >= least)


def table(measures: list[Measure]) -> str:
    rows = [("measure", "figure", "target", "")]
    verdicts = {True: "met", False: "MISSED", None: ""}
    rows += [(m.name, m.value, m.target, verdicts[m.met]) for m in measures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    )
