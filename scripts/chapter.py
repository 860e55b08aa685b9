"""Read a chapter's Markdown: headings, fences, and chains of blocks that run together.

Pure: text in, records out; nothing here runs code or knows of a site generator.
The rules for backtick fences and for `cont` are those of pytest-codeblocks, so that
what the build runs is what the tests run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

RUNS = "python"  # the one info string that runs
OUTPUT = "text"  # the info string of a printed output, always in tildes

DIRECTIVE = re.compile(r"<!--[-\s]*pytest-codeblocks:(.*)-->")
_IMPORTORSKIP = re.compile(r"importorskip\((.*)\)")
_FENCE = re.compile(r"(?P<indent>\s*)(?P<ticks>`{3,}|~{3,})(?P<info>.*)")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)(?:\s+#+)?\s*$")
_HEADING_ID = re.compile(r"\s*\{\s*#(?P<id>[^\s}]+)[^}]*\}\s*$")


@dataclass(frozen=True)
class Problem:
    """Something a writer has to mend: where it is, what is wrong, and a way out."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class ChapterError(Exception):
    """A chapter that cannot be read at all. Carries the `Problem`."""

    def __init__(self, problem: Problem):
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class Heading:
    level: int
    text: str  # without the `{#id}`
    id: str | None
    line: int


@dataclass(frozen=True)
class Fence:
    """A fenced block of any kind. Lines count from 1; `line` and `end` are the fences' own."""

    ticks: str
    info: str
    code: str
    line: int
    end: int
    indent: str
    cont: bool = False
    importorskip: str | None = None
    output: "Fence | None" = None

    @property
    def runs(self) -> bool:
        return self.ticks.startswith("`") and self.info == RUNS

    @property
    def is_output(self) -> bool:
        return self.ticks.startswith("~") and self.info == OUTPUT


@dataclass(frozen=True)
class Chapter:
    path: str
    text: str
    headings: tuple[Heading, ...]
    fences: tuple[Fence, ...]

    @property
    def blocks(self) -> tuple[Fence, ...]:
        """The blocks that run, in order."""
        return tuple(fence for fence in self.fences if fence.runs)

    @property
    def chains(self) -> tuple[tuple[Fence, ...], ...]:
        """Blocks that share a namespace: a block and those that continue it."""
        chains: list[list[Fence]] = []
        for block in self.blocks:
            if block.cont and chains:
                chains[-1].append(block)
            else:
                chains.append([block])
        return tuple(tuple(chain) for chain in chains)


def page_files(folder: Path) -> list[Path]:
    """The pages in a folder, in order: every `.md` that MkDocs takes for one too.

    What begins with a dot is not the writer's: an editor's lock file, Jupyter's checkpoints.
    """
    return sorted(
        path
        for path in folder.rglob("*.md")
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and not path.is_dir()
    )


def read(path: Path) -> str:
    """The text of a file, with `\\n` line ends and without a byte-order mark.

    Raises
    ------
    ChapterError
        For a file that is not UTF-8, or that the system does not let read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise ChapterError(Problem(str(path), 1, message)) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        message = f"not UTF-8 (byte {error.start}: {error.reason}); save the file as UTF-8"
        raise ChapterError(Problem(str(path), line, message)) from None


def parse(text: str, path: str | Path = "<text>") -> Chapter:
    """Parse a chapter.

    Raises
    ------
    ChapterError
        For a fence that is never closed, and for a `cont` with no block before it.
    """
    path = str(path)
    lines = text.split("\n")
    headings: list[Heading] = []
    fences: list[Fence] = []
    cont = False
    importorskip = None
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if directive := DIRECTIVE.match(line.strip()):
            keyword = directive.group(1).strip("- ")
            if keyword == "cont":
                if not any(fence.runs for fence in fences):
                    raise ChapterError(
                        Problem(
                            path,
                            number,
                            "`cont` continues a block, but no python block stands before it; "
                            "delete the comment or add the block it should continue",
                        )
                    )
                cont = True
            elif skip := _IMPORTORSKIP.match(keyword):
                importorskip = skip.group(1).strip()
            continue
        opening = _FENCE.match(line)
        if opening and not (opening["ticks"][0] == "`" and "`" in opening["info"]):
            fence = _read_fence(lines, number, opening, path)
            number = fence.end
            if fence.runs:
                fence = replace(fence, cont=cont, importorskip=importorskip)
                cont, importorskip = False, None
            fences.append(fence)
            continue
        if heading := _HEADING.match(line):
            headings.append(_heading(heading, number))
    return Chapter(path, text, tuple(headings), tuple(_attach_outputs(fences, lines)))


def _read_fence(lines: list[str], line: int, opening: re.Match, path: str) -> Fence:
    ticks, indent = opening["ticks"], opening["indent"]
    code: list[str] = []
    for number in range(line, len(lines)):
        body = lines[number]
        bare = body.lstrip()
        if bare.startswith(ticks):
            # A space before the word counts: pytest-codeblocks does not run "``` python".
            return Fence(ticks, opening["info"].rstrip(), _join(code), line, number + 1, indent)
        code.append(body[min(len(indent), len(body) - len(bare)) :])
    message = f"the fence {ticks}{opening['info'].strip()} is never closed; add a line {ticks}"
    raise ChapterError(Problem(path, line, message))


def _join(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _heading(match: re.Match, line: int) -> Heading:
    text = match["text"]
    found = _HEADING_ID.search(text)
    if found:
        return Heading(len(match["marks"]), text[: found.start()], found["id"], line)
    return Heading(len(match["marks"]), text, None, line)


def _attach_outputs(fences: list[Fence], lines: list[str]) -> list[Fence]:
    """Give each block that runs the `~~~text` directly under it, if there is one."""
    attached = []
    for fence, following in zip(fences, [*fences[1:], None]):
        if (
            fence.runs
            and following is not None
            and following.is_output
            and following.indent == fence.indent
            and not any(lines[n].strip() for n in range(fence.end, following.line - 1))
        ):
            fence = replace(fence, output=following)
        attached.append(fence)
    return attached
