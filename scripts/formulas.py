"""Formulas of a rendered page, from TeX to HTML and MathML, by KaTeX at build time.

A reader's browser then needs KaTeX's style sheet and fonts (`katex_files`), no script.
Knows no site generator: HTML in, HTML out.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

SCRIPT = Path(__file__).with_name("katex.mjs")
ROOT = SCRIPT.parent.parent

SITE_DIR = "assets/katex"

# What pymdownx.arithmatex leaves with `generic: true`, and the punctuation that touches it.
_INLINE = re.compile(
    r'(?P<before>[（「《“‘(]*)<span class="arithmatex">\\\((?P<tex>.*?)\\\)</span>'
    r"(?P<after>[，。、；：！？）」》”’,.;:!?)]*)",
    re.DOTALL,
)
_DISPLAY = re.compile(r'<div class="arithmatex">\s*\\\[(?P<tex>.*?)\\\]\s*</div>', re.DOTALL)
_PART = '<span class="katex-base">'  # a formula may be broken between two of these
_OLD_FONT = re.compile(r',\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("[a-z]+"\)')


class FormulaError(Exception):
    """A formula that KaTeX cannot render. `tex` is the formula, `where` the page."""

    def __init__(self, tex: str, where: str, reason: str):
        super().__init__(f"formula {' '.join(tex.split())}\n    {reason}")
        self.tex = tex
        self.where = where


class KatexMissing(Exception):
    """Node or KaTeX is not there; the message says how to get it."""


class Formulas:
    """
    Parameters
    ----------
    cache_dir : where rendered formulas are kept from one build to the next.
    node : the Node program, version 20 or later; None where there is none, which is an
        error (`KatexMissing`) only when a formula is not in the cache.

    One Node process serves the whole build. It starts with the first formula that is not
    in the cache. Threads may share an object of this class.
    """

    def __init__(self, cache_dir: Path, node: str | None):
        self._cache_dir = cache_dir
        self._node = node
        self._process: subprocess.Popen | None = None
        self._salt: bytes | None = None
        self._lock = threading.Lock()

    def render(self, page: str, where: str) -> str:
        """`page` with every formula rendered. Raises FormulaError for the first that fails.

        Browsers would break a line between a formula and the comma after it. So an inline
        formula takes its punctuation in, is not broken (by the site's style sheet), and
        says where it may be: `<wbr>`.
        """

        def inline(match: re.Match) -> str:
            formula = self._html(match["tex"], False, where)
            first, *more = formula.split(_PART)
            formula = first + _PART + f"<wbr>{_PART}".join(more) if more else first
            # Firefox breaks no line between two unbroken ones that touch, as in 「$a$，$b$」.
            touched = match["after"] and _INLINE.match(match.string, match.end())
            end = "<wbr>" if touched else ""
            return f'<span class="arithmatex">{match["before"]}{formula}{match["after"]}</span>{end}'

        def display(match: re.Match) -> str:
            return f'<div class="arithmatex">{self._html(match["tex"], True, where)}</div>'

        return _DISPLAY.sub(display, _INLINE.sub(inline, page))

    def close(self) -> None:
        """End the Node process, if one was started. A later `render` starts another."""
        with self._lock:
            self._stop()

    def _html(self, escaped: str, display: bool, where: str) -> str:
        tex = html.unescape(escaped).strip()
        kept = self._cache_dir / f"{self._key(tex, display)}.html"
        try:
            return kept.read_text(encoding="utf-8")
        except FileNotFoundError:
            pass
        with self._lock:
            answer = self._ask({"tex": tex, "display": display})
        if "error" in answer:
            raise FormulaError(tex, where, answer["error"])
        _write_whole(kept, answer["html"])
        return answer["html"]

    def _key(self, tex: str, display: bool) -> str:
        if self._salt is None:
            self._salt = _katex_version(ROOT).encode() + SCRIPT.read_bytes()
        formula = json.dumps([tex, display]).encode()
        return hashlib.sha256(self._salt + b"\0" + formula).hexdigest()

    def _ask(self, request: dict) -> dict:
        if self._process is None:
            self._process = self._start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            process = self._process
            self._stop()
            raise KatexMissing(f"{self._node} {SCRIPT.name} ended with code {process.returncode}")
        return json.loads(line)

    def _start(self) -> subprocess.Popen:
        if self._node is None:
            raise KatexMissing(
                "formulas need Node 20 or later, and there is none; "
                "`python3 scripts/dev.py build` puts one into .venv"
            )
        # One formula at a time: with a batch, two full pipes could wait for each other.
        return subprocess.Popen(
            [self._node, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def _stop(self) -> None:
        """Node ends by itself when its input does."""
        if self._process is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None


def line_of(tex: str, markdown: str) -> int:
    """The line, from 1, on which a formula starts in its Markdown; 1 where it is not found.

    Spaces, line ends and the marks of a quotation may differ: a formula in a list or in an
    admonition is indented there.
    """
    words = [re.escape(word) for word in tex.split()]
    body = r"[\s>]+".join(words)
    for pattern in (rf"(?:\$|\\\(|\\\[)[\s>]*{body}", body):
        if words and (found := re.search(pattern, markdown)):
            return markdown.count("\n", 0, found.start()) + 1
    return 1


def katex_files(root: Path) -> dict[str, Path | bytes]:
    """What the site serves of KaTeX: path in the site → file, or its content.

    Every browser that can show the site reads woff2, so the other font formats stay out.
    """
    dist = root / "node_modules" / "katex" / "dist"
    version = _katex_version(root)
    css = (dist / "katex.min.css").read_text(encoding="utf-8")
    css = _OLD_FONT.sub("", css)
    fonts = sorted(set(re.findall(r"url\((fonts/[^)]+)\)", css)))
    if not fonts or not all(font.endswith(".woff2") for font in fonts):
        raise ValueError(f"the style sheet of KaTeX {version} names its fonts in another way")
    files: dict[str, Path | bytes] = {f"{SITE_DIR}/katex.min.css": css.encode()}
    return files | {f"{SITE_DIR}/{font}": dist / font for font in fonts}


def _katex_version(root: Path) -> str:
    package = root / "node_modules" / "katex" / "package.json"
    try:
        return json.loads(package.read_text(encoding="utf-8"))["version"]
    except FileNotFoundError:
        raise KatexMissing("KaTeX is not in node_modules; run `npm ci`") from None


def _write_whole(path: Path, text: str) -> None:
    """Write so that a build that is interrupted, or runs beside, never leaves half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
