"""A page as a notebook: the same Markdown, read by Jupytext, with the outputs of the build.

Pure: a chapter and its results in, the text of an `.ipynb` out. What a notebook cannot show is
turned into what it can: ids into anchors, admonitions into quotations and folds, blocks inside
them into cells, links into addresses of the site.
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath
from urllib.parse import urljoin, urlsplit

import jupytext
import nbformat

from chapter import Chapter, Fence
from runner import BlockFigure, BlockResult

EDITION = re.compile(r"docs/(?P<language>zh|en)/(?P<page>(?P<folder>chapters|labs)/(?P<name>.+))\.md")
FOLDER = "notebooks"  # in the site of an edition

_ADMONITION = re.compile(r'(?P<marks>!!!|\?\?\?\+?) (?P<kind>\w+)(?: "(?P<title>.*)")?$')
_TAB = re.compile(r'===[!+]? "(?P<title>.*)"$')
_HEADING_ID = re.compile(r"^(?P<heading>#{1,6} .*?)\s*\{#(?P<id>[\w-]+)\}\s*$")
_DIRECTIVE = re.compile(r"\s*<!--[-\s]*pytest-codeblocks:.*-->$")
_LINK = re.compile(r"(?P<code>`[^`]*`)|(?<=\]\()(?P<target>[^)\s]+)(?=\))")
_VARIABLE = re.compile(r"var\(--[\w-]+,(?P<otherwise>[^)]+)\)")
_EXERCISE = "exercises.check("  # a block that is only shown, for the reader to complete

_INSTALL = {
    "zh": "# 装上本课的程序库 attn；已经有了就什么也不做。",
    "en": "# Installs attn, the library of this course; does nothing where it is there.",
}
_FROM = {"zh": "本笔记本来自[{site}]({page})。", "en": "This notebook is from [{site}]({page})."}


@dataclass(frozen=True)
class Site:
    """Where the edition stands: its name, its address, and that of the wheel."""

    name: str
    address: str
    wheel: str


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
    writer = _Writer(chapter, site)
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
    for number, cell in enumerate([cell for cell in code if cell.outputs], 1):
        cell.execution_count = number
    made.nbformat, made.nbformat_minor = 4, 5
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


class _Writer:
    """Writes Jupytext's Markdown, and notes which block each of its cells is."""

    def __init__(self, chapter: Chapter, site: Site):
        self.out: list[str] = []
        self.cells: list[Fence | None] = []
        self._site = site
        self._page = EDITION.fullmatch(chapter.path)
        self._lines = chapter.text.split("\n")
        self._fences = {fence.line: fence for fence in chapter.fences}
        self._outputs = {block.output.line for block in chapter.blocks if block.output}
        self._blocks = [block.line for block in chapter.blocks]

    def install(self) -> None:
        wheel = self._site.wheel
        self._cell(
            f"""\
{_INSTALL[self._page["language"]]}
import importlib.util
from pathlib import Path

if importlib.util.find_spec("attn") is None:
    name = "{PurePosixPath(urlsplit(wheel).path).name}"
    here = [folder / name for folder in [Path.cwd(), *Path.cwd().parents]]
    found = [path.as_uri() for path in here if path.exists()]
    wheel = found[0] if found else "{wheel}"
    %pip install --quiet "attention-by-hand[figures] @ {{wheel}}"
""",
            None,
        )

    def lines(self, first: int, last: int, indent: int = 0, fold: str | None = None) -> None:
        """Write the lines from `first` to `last`, which stand `indent` deep.

        `fold`: a title under which the text is folded, and with it what the cells hold.
        """
        number = self._after_header(first)
        text: list[str] = []
        titled = False

        def flush() -> None:
            nonlocal titled
            if any(line.strip() for line in text):
                self._fold(text, f"{fold} …" if titled else fold) if fold else self._write(text)
                titled = True
            text.clear()

        while number <= last:
            line = self._lines[number - 1][indent:]
            fence = self._fences.get(number)
            if fence:
                if fence.line not in self._outputs:
                    if fence.runs or _EXERCISE in fence.code and not fence.indent:
                        flush()
                        self._cell(fence.code, fence if fence.runs else None, hidden=bool(fold))
                    else:
                        text += _shown(fence)
                number = fence.end + 1
                continue
            if found := _ADMONITION.match(line) or _TAB.match(line):
                end = self._end_of_body(number + 1, last, indent + 4)
                inside = any(number < block <= end for block in self._blocks)
                title = found["title"] or found["kind"].capitalize()
                folded = found.re is _ADMONITION and found["marks"].startswith("?")
                if inside or found.re is _TAB:
                    flush()
                    hides = folded and found["kind"] in ("tip", "success")
                    if not hides:
                        self._write([f"**{title}**", ""])
                    self.lines(number + 1, end, indent + 4, title if hides else None)
                else:
                    body = [line[indent + 4 :] for line in self._lines[number:end]]
                    flush()
                    self._fold(body, title) if folded else self._quote(body, title)
                number = end + 1
                continue
            if not _DIRECTIVE.match(line):
                text.append(line)
            number += 1
        flush()

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

    def _cell(self, code: str, block: Fence | None, hidden: bool = False) -> None:
        options = ' jupyter={"source_hidden": true, "outputs_hidden": true}' if hidden else ""
        if block and block.importorskip:
            options += f' tags=["needs-{block.importorskip}"]'
        self.out += ["", f"```python{options}", *code.rstrip("\n").split("\n"), "```", ""]
        self.cells.append(block)

    def _write(self, text: list[str]) -> None:
        for line in text:
            if found := _HEADING_ID.match(line):
                self.out += [f'<a id="{found["id"]}"></a>', "", found["heading"]]
                if line.startswith("# "):
                    page = urljoin(self._site.address, self._page["page"] + "/")
                    words = _FROM[self._page["language"]]
                    self.out += ["", words.format(site=self._site.name, page=page)]
            else:
                self.out.append(_LINK.sub(self._address, line))

    def _fold(self, text: list[str], title: str) -> None:
        self.out += ["", f"<details><summary>{html.escape(title)}</summary>", ""]
        self._write(text)
        self.out += ["", "</details>", ""]

    def _quote(self, text: list[str], title: str) -> None:
        self.out.append("")
        start = len(self.out)
        self._write([f"**{title}**", "", *text])
        self.out[start:] = [f"> {line}".rstrip() for line in self.out[start:]]
        self.out.append("")

    def _address(self, link: re.Match) -> str:
        """The address of what a link to a file of the sources means on the site."""
        target = link["target"]
        if target is None or target.startswith("#") or urlsplit(target).scheme or "{{" in target:
            return link[0]
        path, mark, anchor = target.partition("#")
        page = normpath(join(dirname(self._page["page"]), path)).removesuffix(".md")
        page = "" if page == "index" else f"{page}/"
        return urljoin(self._site.address, page) + mark + anchor


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
    return outputs + [_figure(figure, number) for number, figure in enumerate(result.figures, 1)]


def _figure(figure: BlockFigure, number: int):
    """The figure in black on white, and in the colours it has without our style sheet."""
    svg = _VARIABLE.sub(lambda found: found["otherwise"], figure.svg)
    svg = svg.replace('style="', 'style="background:#fff;color:#000;', 1)
    return nbformat.v4.new_output(
        "display_data", data={"image/svg+xml": svg, "text/plain": figure.alt}
    )
