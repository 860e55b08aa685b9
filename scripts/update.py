"""Write into the chapters what their blocks print now, or say where that is not on the page."""

from __future__ import annotations

import sys
from pathlib import Path

import api
from chapter import Chapter, ChapterError, Problem, page_files, parse, read
from runner import Runner
from weave import failures, stale, update


def main(root: Path, paths: list[Path] | None = None) -> int:
    """Rewrite the outputs of the given chapters; when none is given, of all, after the API pages.

    A block that fails keeps the output it has; the failure is printed and the exit status
    is 1. Line ends and a byte-order mark stay as they were.
    """
    chapters: list[tuple[Path, Chapter]] = []
    problems: list[str] = []
    if not paths:
        try:
            for name in api.write(root):
                print(f"{name}: written from the docstrings", flush=True)
        except api.ApiError as error:
            problems.append(str(error))
    for path in paths or chapter_files(root):
        try:
            chapters.append((path, parse(read(path), _name(path, root))))
        except ChapterError as problem:
            problems.append(str(problem))
    changed = 0
    with Runner(root / ".cache" / "runs") as runner:
        running = [(path, chapter, runner.run(chapter)) for path, chapter in chapters]
        for path, chapter, future in running:
            results = future.result()
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
    chapters = []
    for path in chapter_files(root):
        try:
            chapters.append(parse(read(path), _name(path, root)))
        except ChapterError:
            pass  # the checks that read the pages name it
    found = []
    with Runner(root / ".cache" / "runs") as runner:
        for chapter, future in [(chapter, runner.run(chapter)) for chapter in chapters]:
            results = future.result()
            found += failures(chapter, results) + stale(chapter, results)
    return found


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
