"""Write into the chapters what their blocks print now, or say where that is not on the page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import api
from chapter import Chapter, ChapterError, Problem, page_files, parse, read
from runner import Runner
from weave import Results, failures, stale, update


def main(root: Path, paths: list[Path] | None = None) -> int:
    """Rewrite the outputs of the given chapters; when none is given, of all, after the API pages.

    A block that fails keeps the output it has; the failure is printed and the exit status
    is 1. Line ends and a byte-order mark stay as they were.
    """
    problems: list[str] = []
    if not paths:
        try:
            for name in api.write(root):
                print(f"{name}: written from the docstrings", flush=True)
        except api.ApiError as error:
            problems.append(str(error))
    chapters, unreadable = _chapters(root, paths or chapter_files(root))
    problems += map(str, unreadable)
    changed = 0
    for path, chapter, results in _run(root, chapters):
        problems += map(str, failures(chapter, results))
        new = update(chapter, results)
        if new != chapter.text:
            write(path, new)
            changed += 1
            print(f"{chapter.path}: outputs written", flush=True)
    print(f"{len(chapters)} files run, {changed} changed, {len(problems)} problem(s)")
    for problem in problems:
        print(f"\n{problem}", file=sys.stderr)
    return 1 if problems else 0


def out_of_date(root: Path) -> list[Problem]:
    """Blocks that fail, and recorded outputs that are not what is printed now. Writes nothing."""
    chapters, _ = _chapters(root, chapter_files(root))  # the checks that read the pages name the others
    return [
        problem
        for _, chapter, results in _run(root, chapters)
        for problem in failures(chapter, results) + stale(chapter, results)
    ]


def _chapters(root: Path, paths: list[Path]) -> tuple[list[tuple[Path, Chapter]], list[ChapterError]]:
    """Those that can be read, and what is wrong with the others."""
    chapters, unreadable = [], []
    for path in paths:
        try:
            chapters.append((path, parse(read(path), _name(path, root))))
        except ChapterError as problem:
            unreadable.append(problem)
    return chapters, unreadable


def _run(root: Path, chapters: list[tuple[Path, Chapter]]) -> Iterator[tuple[Path, Chapter, Results]]:
    """All at once; each is handed on, in order, as soon as it has run."""
    with Runner(root / ".cache" / "runs") as runner:
        for path, chapter, future in [(path, chapter, runner.run(chapter)) for path, chapter in chapters]:
            yield path, chapter, future.result()


def chapter_files(root: Path) -> list[Path]:
    """Every page of both editions, and the READMEs."""
    pages = [path for language in ("en", "zh") for path in page_files(root / "docs" / language)]
    return sorted(root.glob("README*.md")) + pages


def _name(path: Path, root: Path) -> str:
    path = path.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def write(path: Path, text: str) -> None:
    """Write a file with the line ends and the byte-order mark that it has."""
    data = path.read_bytes()
    newline = "\r\n" if b"\r\n" in data else "\n"
    encoding = "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"
    scratch = path.with_name(f".{path.name}.new")
    scratch.write_text(text, encoding=encoding, newline=newline)
    scratch.replace(path)
