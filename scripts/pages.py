"""The pages of one edition during one build: run, woven, finished. Knows no site generator.

A build calls `begin` with all pages (so that every chain can start running), then
`markdown` for each before it is rendered and `html` for each after. What is wrong is
collected in `problems`; under `serve` it is also shown on the page.
"""

from __future__ import annotations

import functools
import html
import sys
from concurrent.futures import Future
from pathlib import Path

import labs
import notebooks
from chapter import Chapter, ChapterError, Problem, page_files, parse, read
from environment import find_node
from formulas import FormulaError, Formulas, line_of
from runner import Runner
from unbroken import unbroken
from weave import Notices, Results, failures, figures, finish, stale, weave

NOTICES = {
    "zh": Notices("记录的输出已经过时，这是现在的输出。", "这一块出错了。"),
    "en": Notices("The recorded output is out of date; this is the new one.", "This block failed."),
}


@functools.cache  # one set of workers for both editions and for every rebuild under serve
def shared_runner(root: Path) -> Runner:
    return Runner(root / ".cache" / "runs")


@functools.cache
def shared_formulas(root: Path) -> Formulas:
    return Formulas(root / ".cache" / "formulas", node())


def source_of(path: Path) -> str:
    """The text of a page; nothing where it cannot be read, which is among the problems."""
    try:
        return read(path)
    except ChapterError:
        return ""


@functools.cache  # to ask a program for its version takes as long as to build a page
def node() -> str | None:
    """The Node that renders formulas and bundles scripts, where there is one that can."""
    # The venv first: a Node is put there only where the machine's own is missing or too old.
    return find_node(str(Path(sys.executable).parent))


def run_ahead(root: Path, languages: tuple[str, ...]) -> None:
    """Start the chains of all editions, so that the workers are busy from the beginning."""
    runner = shared_runner(root)
    runner.refresh()
    for language in languages:
        for path in page_files(root / "docs" / language):
            try:
                runner.run(parse(read(path), path.relative_to(root).as_posix()))
            except ChapterError:
                pass  # the build of its edition reports it


class Pages:
    """
    Parameters
    ----------
    root : what the paths in messages are relative to.
    runner : runs the blocks; None builds the pages without running anything.
    language : "zh" or "en", for the notices on the pages.
    """

    def __init__(self, root: Path, runner: Runner | None, formulas: Formulas, language: str):
        self._root = root
        self._runner = runner
        self._formulas = formulas
        self._notices = NOTICES[language]
        self._chapters: dict[Path, Chapter] = {}
        self._futures: dict[Path, Future[Results]] = {}
        self._woven: dict[Path, str] = {}
        self._elsewhere: dict[Path, Results] = {}
        self.problems: list[Problem] = []

    def begin(self, paths: list[Path]) -> None:
        for path in paths:
            name = path.relative_to(self._root).as_posix()
            try:
                chapter = parse(read(path), name)
            except ChapterError as error:
                self.problems.append(Problem(name, error.problem.line, error.problem.message))
                self._chapters.pop(path, None)  # under `serve`: what it was before
                self._futures.pop(path, None)
                continue
            self._chapters[path] = chapter
            if self._runner:
                self._futures[path] = self._runner.run(chapter)

    def ran_in_kernel(self, path: Path, cells: labs.Cells | labs.LabError) -> None:
        """Show what a lab did in its kernel, not what the runner saw it do."""
        chapter = self._chapters.get(path)
        if chapter is None:
            return  # it cannot be read, and is among the problems
        try:
            if isinstance(cells, labs.LabError):
                raise cells
            self._elsewhere[path] = labs.results(chapter, cells)
        except labs.LabError as error:
            self.problems.append(Problem(chapter.path, 1, f"in a Jupyter kernel: {error}"))

    def markdown(self, path: Path) -> str:
        """The page's Markdown with its outputs and figure marks, ready to be rendered."""
        chapter = self._chapters.get(path)
        if chapter is None:
            return self._unreadable(path)
        results = self._results(path)
        self.problems += failures(chapter, results) + stale(chapter, results)
        self._woven[path] = weave(chapter, results, self._notices)
        return self._woven[path]

    def html(self, path: Path, page: str) -> str:
        """The rendered page with its figures, copies and formulas, and what stays on one line."""
        chapter = self._chapters.get(path)
        if chapter is None:
            return page
        try:
            page = finish(page, self._woven[path], chapter.path, figures(chapter, self._results(path)))
        except ValueError as error:
            self.problems.append(Problem(chapter.path, 1, f"{error}; check the indentation"))
        try:
            return self._formulas.render(unbroken(page), chapter.path)
        except FormulaError as error:
            line = line_of(error.tex, chapter.text)
            self.problems.append(Problem(chapter.path, line, str(error)))
            return page

    def notebook(self, path: Path, site: notebooks.Site) -> str | None:
        """The page as a notebook; None for a page that has none, or cannot be read."""
        chapter = self._chapters.get(path)
        if chapter is None or notebooks.file_name(chapter.path) is None:
            return None
        return notebooks.notebook(chapter, self._results(path), site)

    def _results(self, path: Path) -> Results:
        results = self._futures[path].result() if path in self._futures else {}
        return results | self._elsewhere.get(path, {})

    def _unreadable(self, path: Path) -> str:
        """A page that shows the problem and its own source, for the writer under `serve`."""
        name = path.relative_to(self._root).as_posix()
        message = html.escape(next(str(p) for p in self.problems if p.path == name))
        quoted = "".join(f"    {line}\n" for line in source_of(path).split("\n"))
        return f"# {path.stem}\n\n<span class=\"attn-notice\">{message}</span>\n\n{quoted}"
