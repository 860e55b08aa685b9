"""The same chapters and blocks, written for other tools: what `dev.py bench` compares with.

Both get one build for both languages and no formulas to render, which is in their favour.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import nbformat
import yaml

from chapter import Chapter, Fence, page_files, parse, read

SHOW = "plt.show()"
# markdown-exec shows what a block prints, so a figure has to be printed.
PRINT_FIGURES = """\
import io as _io
for _number in plt.get_fignums():
    _svg = _io.StringIO()
    plt.figure(_number).savefig(_svg, format="svg")
    print(_svg.getvalue())
plt.close("all")
"""

EXTENSIONS = [
    "admonition",
    "attr_list",
    "md_in_html",
    "tables",
    {"toc": {"permalink": True}},
    {"pymdownx.arithmatex": {"generic": True}},
    "pymdownx.details",
    "pymdownx.highlight",
    "pymdownx.superfences",
    {"pymdownx.tabbed": {"alternate_style": True}},
]


def jupyter(docs: Path, target: Path) -> Path:
    """A project for mkdocs-jupyter: one notebook a chapter and language. Returns its mkdocs.yml."""
    _write(docs, target, _notebook)
    return _config(target, {"mkdocs-jupyter": {"execute": True, "allow_errors": False}})


def markdown_exec(docs: Path, target: Path) -> Path:
    """A project for markdown-exec: one session a chain of blocks. Returns its mkdocs.yml."""
    _write(docs, target, _executed)
    return _config(target, "markdown-exec")


def _write(docs: Path, target: Path, convert: Callable[[Chapter, Path], None]) -> None:
    for language in ("zh", "en"):
        for path in page_files(docs / language):
            page = target / "docs" / path.relative_to(docs)
            page.parent.mkdir(parents=True, exist_ok=True)
            convert(parse(read(path), path), page)


def _config(target: Path, plugin: dict | str) -> Path:
    config = {
        "site_name": "Compared",
        "theme": {"name": "material", "font": False},
        "plugins": [{"search": {"lang": ["zh", "en"], "pipeline": []}}, plugin],
        "markdown_extensions": EXTENSIONS,
    }
    path = target / "mkdocs.yml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def figures(path: Path) -> int:
    """How many figures a page has to show."""
    chapter = parse(read(path), path)
    return sum(block.code.count(SHOW) for chain in _chains(chapter) for block in chain)


def _chains(chapter: Chapter) -> list[tuple[Fence, ...]]:
    """The chains that run here: those that need a module which is missing run nowhere."""
    return [
        chain
        for chain in chapter.chains
        if all(not b.importorskip or importlib.util.find_spec(b.importorskip) for b in chain)
    ]


def _notebook(chapter: Chapter, page: Path) -> None:
    blocks = [block for chain in _chains(chapter) for block in chain]
    if not blocks:
        page.write_text(chapter.text, encoding="utf-8")
        return
    notebook = nbformat.v4.new_notebook()
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    lines, done = chapter.text.split("\n"), 0
    for block in blocks:
        text = "\n".join(lines[done : block.line - 1])
        notebook.cells.append(nbformat.v4.new_markdown_cell(text))
        notebook.cells.append(nbformat.v4.new_code_cell(block.code))
        done = (block.output or block).end
    notebook.cells.append(nbformat.v4.new_markdown_cell("\n".join(lines[done:])))
    nbformat.write(notebook, page.with_suffix(".ipynb"))


def _executed(chapter: Chapter, page: Path) -> None:
    lines = chapter.text.split("\n")
    for number, chain in reversed(list(enumerate(_chains(chapter)))):
        for block in reversed(chain):
            lines[block.line - 1 : block.end] = _executed_block(block, f"chain-{number}")
    page.write_text("\n".join(lines), encoding="utf-8")


def _executed_block(block: Fence, session: str) -> list[str]:
    draws = SHOW in block.code
    options = f'exec="on" session="{session}" source="above" '
    options += 'html="1"' if draws else 'result="text"'
    code = block.code.replace(SHOW, PRINT_FIGURES)
    marks = block.ticks
    return [
        block.indent + line
        for line in (f"{marks}{block.info} {options}", *code.split("\n")[:-1], marks)
    ]


def environment(config: Path) -> dict[str, str]:
    """Of a process that builds such a project."""
    env = dict(os.environ, NO_MKDOCS_2_WARNING="true")
    env.pop("MPLBACKEND", None)  # a kernel of Jupyter then chooses the one that shows figures
    if "markdown-exec" in config.read_text(encoding="utf-8"):
        env["MPLBACKEND"] = "agg"  # it draws in the building process, without a window
    return env
