"""A page as a notebook: the same Markdown, read by Jupytext, with the outputs of the build.

Pure: a chapter and its results in, the text of an `.ipynb` out. What a notebook cannot show is
turned into what it can: ids into anchors, admonitions into quotations and folds, links into
addresses of the site. The blocks are cells, but for those of an answer, which must stay folded.
"""

from __future__ import annotations

import base64
import html
import json
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath
from urllib.parse import urljoin, urlsplit

import jupytext
import nbformat

from chapter import DIRECTIVE, Chapter, Fence
from runner import BlockFigure, BlockResult

EDITION = re.compile(r"docs/(?P<language>zh|en)/(?P<page>(?P<folder>chapters|labs)/(?P<name>.+))\.md")
FOLDER = "notebooks"  # in the site of an edition

_ADMONITION = re.compile(r'(?P<marks>!!!|\?\?\?\+?) (?P<kind>\w+)(?: "(?P<title>.*)")?$')
_TAB = re.compile(r'===[!+]? "(?P<title>.*)"$')
_HEADING_ID = re.compile(r"^(?P<heading>#{1,6} .*?)\s*\{#(?P<id>[\w-]+)\}\s*$")
_LINK = re.compile(r"(?P<code>`[^`]*`)|(?<=\]\()(?P<target>[^)\s]+)(?=\))")
_VARIABLE = re.compile(r"var\(--[\w-]+,(?P<otherwise>[^)]+)\)")
_ATTACHED = re.compile(r"\]\(attachment:(figure-\d+\.svg)\)")
_EXERCISE = "exercises.check("  # a block that is only shown, for the reader to complete

_INSTALL = {
    "zh": "# 装上本课的程序库 attn；已经有了就什么也不做。",
    "en": "# Installs attn, the library of this course; does nothing where it is there.",
}
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
# For a notebook of a site that was built without its address: no other machine reaches this one.
_NO_ADDRESS = {
    "zh": (
        "没有装 attn。它的文件 {wheel} 在这个笔记本所在网站的最上层：构建出来的 site/，"
        "或者解压后的离线版。请把它放到这个笔记本旁边，再运行这一格。"
    ),
    "en": (
        "attn is not installed. Its file, {wheel}, is at the top of the site that this notebook "
        "is from: in site/ where that was built, or in the unpacked offline copy. "
        "Put it beside this notebook, then run this cell again."
    ),
}
_FROM = {"zh": "本笔记本来自[{site}]({page})。", "en": "This notebook is from [{site}]({page})."}


@dataclass(frozen=True)
class Site:
    """Where the edition stands: its name, its address, and that of the wheel."""

    name: str
    address: str
    wheel: str
    on_disk: bool = False

    def page(self, name: str) -> str:
        """The address of a page of this edition: `chapters/06-x`, `index`.

        In a copy on a disk that was built without an address, the notebook's way to the file.
        """
        if self.on_disk and urlsplit(self.address).hostname in _THIS_MACHINE:
            return f"../{name}.html"
        return urljoin(self.address, "" if name == "index" else f"{name}/")


def file_name(path: str) -> str | None:
    """What the notebook of a page is called; None for a page that has none.

    >>> file_name("docs/zh/labs/03-masks.md"), file_name("docs/en/index.md")
    ('lab-03-masks.zh.ipynb', None)
    """
    page = EDITION.fullmatch(path)
    if page is None:
        return None
    prefix = "lab-" if page["folder"] == "labs" else ""
    return f"{prefix}{page['name']}.{page['language']}.ipynb"


def colab(source: str, branch: str, path: str) -> str | None:
    """Where Colab opens a notebook of a site that GitHub serves from `branch`, if it does.

    Colab reads from GitHub repositories, not from any address.
    """
    parts = urlsplit(source)
    if parts.hostname != "github.com" or not branch:
        return None
    return f"https://colab.research.google.com/github{parts.path}/blob/{branch}/{path}"


def notebook(chapter: Chapter, results: dict[int, BlockResult], site: Site) -> str:
    """The text of the notebook. Blocks without a result have no output."""
    writer = _Writer(chapter, results, site)
    writer.install()
    writer.lines(1, len(chapter.text.split("\n")))
    made = jupytext.reads("\n".join(writer.out), fmt="md")
    made.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    for cell, block in zip(code, writer.cells, strict=True):
        cell.outputs = _outputs(block, results) if block else []
    made.cells = [cell for cell in made.cells if cell.source.strip()]
    for number, cell in enumerate(made.cells, 1):
        cell.id = f"cell-{number}"
        cell.metadata.pop("lines_to_next_cell", None)
        if names := _ATTACHED.findall(cell.source) if cell.cell_type == "markdown" else []:
            cell.attachments = {name: _attachment(writer.drawn[name]) for name in names}
    for number, cell in enumerate([cell for cell in code if cell.outputs], 1):
        cell.execution_count = number
    made.nbformat, made.nbformat_minor = 4, 5
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


class _Writer:
    """Writes Jupytext's Markdown, and notes which block each of its cells is."""

    def __init__(self, chapter: Chapter, results: dict[int, BlockResult], site: Site):
        self.out: list[str] = []
        self.cells: list[Fence | None] = []
        self.drawn: dict[str, str] = {}  # the figures that stand in the text, by name
        self._site = site
        self._results = results
        self._page = EDITION.fullmatch(chapter.path)
        self._lines = chapter.text.split("\n")
        self._fences = {fence.line: fence for fence in chapter.fences}
        self._outputs = {block.output.line for block in chapter.blocks if block.output}
        # The fence after which the figures of a block stand, as they do below a cell.
        self._last = {(block.output or block).line: block.line for block in chapter.blocks}
        self._blocks = [block.line for block in chapter.blocks]

    def install(self) -> None:
        wheel = self._site.wheel
        name = PurePosixPath(urlsplit(wheel).path).name
        language = self._page["language"]
        if urlsplit(wheel).hostname in _THIS_MACHINE:
            missing = _NO_ADDRESS[language].format(wheel=name)
            otherwise = f"    if not found:\n        raise FileNotFoundError({missing!r})\n    wheel = found[0]"
        else:
            otherwise = f'    wheel = found[0] if found else "{wheel}"'
        self._cell(
            f"""\
{_INSTALL[language]}
import importlib.util
from pathlib import Path

if importlib.util.find_spec("attn") is None:
    name = "{name}"
    here = [folder / name for folder in [Path.cwd(), *Path.cwd().parents]]
    found = [path.as_uri() for path in here if path.exists()]
{otherwise}
    %pip install --quiet "attention-by-hand[figures] @ {{wheel}}"
""",
            None,
        )

    def lines(self, first: int, last: int, indent: int = 0, title: str | None = None) -> None:
        """Write the lines from `first` to `last`, which stand `indent` deep, under a title."""
        number = self._after_header(first)
        text = [f"**{title}**", ""] if title else []

        def flush() -> None:
            self._text(text)
            text.clear()

        while number <= last:
            line = self._lines[number - 1][indent:]
            fence = self._fences.get(number)
            if fence:
                if fence.line not in self._outputs:
                    if fence.runs or _EXERCISE in fence.code and not fence.indent:
                        flush()
                        self._cell(fence.code, fence if fence.runs else None)
                    else:
                        text += _shown(fence)
                number = fence.end + 1
                continue
            if found := _ADMONITION.match(line) or _TAB.match(line):
                end = self._end_of_body(number + 1, last, indent + 4)
                inside = any(number < block <= end for block in self._blocks)
                title = found["title"] or found["kind"].capitalize()
                tab = found.re is _TAB
                folded = not tab and found["marks"].startswith("?")
                # A front end may show the code of a folded cell: what is to be guessed is text.
                hides = folded and found["kind"] in ("tip", "success")
                if tab or inside and not hides:
                    flush()
                    self.lines(number + 1, end, indent + 4, title)
                else:
                    body = _stripped(self._as_text(number + 1, end, indent + 4))
                    text += _fold(body, title) if folded else _quote(body, title)
                number = end + 1
                continue
            if _HEADING_ID.match(line):
                flush()
            text += self._line(line)
            number += 1
        flush()

    def _as_text(self, first: int, last: int, indent: int) -> list[str]:
        """These lines without a cell: a block stays in its fences, its output and figures follow."""
        text: list[str] = []
        number = first
        while number <= last:
            if fence := self._fences.get(number):
                text += _shown(fence)
                block = self._last.get(fence.line)
                for figure in self._results.get(block, BlockResult()).figures:
                    name = f"figure-{len(self.drawn) + 1}.svg"
                    self.drawn[name] = _on_white(figure.svg)
                    alt = figure.alt.translate({ord("["): "(", ord("]"): ")", ord("\n"): " "})
                    text += ["", f"![{alt}](attachment:{name})"]
                number = fence.end + 1
            else:
                text += self._line(self._lines[number - 1][indent:])
                number += 1
        return text

    def _after_header(self, first: int) -> int:
        if first == 1 and self._lines[0] == "---":
            return self._lines.index("---", 1) + 2
        return first

    def _end_of_body(self, first: int, last: int, indent: int) -> int:
        """The last line of what is indented by `indent` from `first` on."""
        end = first - 1
        for number in range(first, last + 1):
            line = self._lines[number - 1]
            if line.startswith(" " * indent):
                end = number
            elif line.strip():
                break
        return end

    def _cell(self, code: str, block: Fence | None) -> None:
        tags = f' tags=["needs-{block.importorskip}"]' if block and block.importorskip else ""
        self.out += ["", f"```python{tags}", *code.rstrip("\n").split("\n"), "```", ""]
        self.cells.append(block)

    def _text(self, text: list[str]) -> None:
        """One cell; without the marks, Jupytext begins another after two blank lines."""
        if text := _stripped(text):
            self.out += ["", "<!-- #region -->", *text, "<!-- #endregion -->", ""]

    def _line(self, line: str) -> list[str]:
        if DIRECTIVE.fullmatch(line.lstrip()):
            return []
        found = _HEADING_ID.match(line)
        if not found:
            return [_LINK.sub(self._address, line)]
        lines = [f'<a id="{found["id"]}"></a>', "", found["heading"]]
        if line.startswith("# "):
            page = self._site.page(self._page["page"])
            lines += ["", _FROM[self._page["language"]].format(site=self._site.name, page=page)]
        return lines

    def _address(self, link: re.Match) -> str:
        """The address of what a link to a file of the sources means on the site."""
        target = link["target"]
        if target is None or target.startswith("#") or urlsplit(target).scheme or "{{" in target:
            return link[0]
        path, mark, anchor = target.partition("#")
        name = normpath(join(dirname(self._page["page"]), path)).removesuffix(".md")
        return self._site.page(name) + mark + anchor


def _stripped(text: list[str]) -> list[str]:
    """The lines without the blank ones at both ends."""
    full = [number for number, line in enumerate(text) if line.strip()]
    return text[full[0] : full[-1] + 1] if full else []


def _fold(text: list[str], title: str) -> list[str]:
    summary = f"<details><summary>{html.escape(title)}</summary>"
    return ["", summary, "", *text, "", "</details>", ""]


def _quote(text: list[str], title: str) -> list[str]:
    return ["", *(f"> {line}".rstrip() for line in [f"**{title}**", "", *text]), ""]


def _shown(fence: Fence) -> list[str]:
    """A fence that is no cell, in the marks that Jupytext leaves alone."""
    language = {"py": "python", "console": "bash"}.get(fence.info, fence.info)
    marks = "~~~" if "~~~" not in fence.code else "~~~~"
    return [marks + language, *fence.code.rstrip("\n").split("\n"), marks]


def _outputs(block: Fence, results: dict[int, BlockResult]) -> list:
    result = results.get(block.line)
    if result is None:
        return []
    printed = block.output.code if result.skipped and block.output else result.stdout
    outputs = [nbformat.v4.new_output("stream", name="stdout", text=printed)] if printed else []
    return outputs + [_figure(figure) for figure in result.figures]


def _figure(figure: BlockFigure):
    return nbformat.v4.new_output(
        "display_data", data={"image/svg+xml": _on_white(figure.svg), "text/plain": figure.alt}
    )


def _attachment(svg: str) -> dict[str, str]:
    return {"image/svg+xml": base64.b64encode(svg.encode()).decode()}


def _on_white(svg: str) -> str:
    """A figure in black on white, and in the colours it has without our style sheet."""
    svg = _VARIABLE.sub(lambda found: found["otherwise"], svg)
    return svg.replace('style="', 'style="background:#fff;color:#000;', 1)
