"""Put what the blocks did into the page: outputs compared, figures placed, chains copied.

Pure: chapters and results in, text and problems out. Before rendering, `weave` leaves an
empty span where each figure goes; after rendering, `finish` swaps the SVG in, because
Markdown would mangle it inside lists and tabs.
"""

from __future__ import annotations

import difflib
import hashlib
import html
import json
import re
from dataclasses import dataclass

from chapter import OUTPUT, Chapter, Fence, Problem, parse
from runner import BlockFigure, BlockResult
from worker import FIGURE_PREFIX

Results = dict[int, BlockResult]  # by the line of the block

UPDATE = "run `python3 scripts/dev.py update`"

_HIGHLIGHT = re.compile(r'<div class="language-(?P<language>[\w-]+) highlight">')
_CHECK = re.compile(r'^exercises\.check\("(?P<name>[\w-]+)", (?P<function>\w+), lang=', re.M)
_FIGURE = re.compile(r'(?:<p>)?<span data-figure="(?P<number>\d+)"></span>(?:</p>)?')


@dataclass(frozen=True)
class Notices:
    """What a page under `serve` says beside a block that has a problem, in its language."""

    stale: str
    failed: str


def failures(chapter: Chapter, results: Results) -> list[Problem]:
    """Every block that failed, with the lines around and the traceback."""
    return [
        Problem(chapter.path, result.error.line, _failure(chapter, result))
        for result in results.values()
        if result.error
    ]


def stale(chapter: Chapter, results: Results) -> list[Problem]:
    """Every recorded output that is not what its block prints."""
    return [
        Problem(chapter.path, (block.output or block).line, _difference(recorded, printed))
        for block, result in _ran(chapter, results)
        if (recorded := _recorded(block)) != (printed := _printed(result))
    ]


def _ran(chapter: Chapter, results: Results) -> list[tuple[Fence, BlockResult]]:
    """The blocks that ran to their end, with what they did."""
    ran = [(block, results[block.line]) for block in chapter.blocks if block.line in results]
    return [(block, result) for block, result in ran if not (result.error or result.skipped)]


def _failure(chapter: Chapter, result: BlockResult) -> str:
    error = result.error
    lines = chapter.text.split("\n")
    around = range(max(1, error.line - 2), min(len(lines), error.line + 1) + 1)
    quoted = "\n".join(
        f"  {'>' if number == error.line else ' '} {number:4d} | {lines[number - 1]}"
        for number in around
    )
    trace = "".join(f"    {line}\n" for line in error.trace.rstrip().split("\n") if line)
    return f"{error.kind}: {error.message}\n{quoted}\n{trace}".rstrip()


def _difference(recorded: str, printed: str) -> str:
    if not recorded:
        what = f"the block prints, but no output stands under it; {UPDATE}"
    elif not printed:
        what = f"an output stands under a block that prints nothing; {UPDATE}"
    else:
        what = f"the output is out of date; {UPDATE}"
    lines = difflib.unified_diff(
        recorded.splitlines(), printed.splitlines(), "on the page", "printed now", lineterm="", n=1
    )
    return "\n    ".join([what, *lines])


def _tidy(text: str) -> str:
    """Without spaces at line ends and empty lines at the end: editors remove those."""
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def _recorded(block: Fence) -> str:
    return _tidy(block.output.code) if block.output else ""


def _printed(result: BlockResult) -> str:
    return _tidy(result.stdout)


def update(chapter: Chapter, results: Results) -> str:
    """The chapter's text with the outputs that its blocks print now.

    A block that failed, and one that could not run here, keep what they have.
    """

    def outputs(block: Fence, result: BlockResult) -> list[str] | None:
        if result.error or result.skipped or _recorded(block) == _printed(result):
            return None
        return _output_lines(block, _printed(result))

    return _rewrite(chapter, results, outputs)


def weave(chapter: Chapter, results: Results, notices: Notices) -> str:
    """The chapter as it is rendered: with figure marks, and outputs as printed now."""
    numbers = {block.line: n for block, n in zip(chapter.blocks, _first_figures(chapter, results))}

    def outputs(block: Fence, result: BlockResult) -> list[str]:
        if result.skipped or not (result.error or _recorded(block) != _printed(result)):
            lines = _output_lines(block, _recorded(block))
        elif result.error:
            text = (result.stdout + result.error.trace) or result.error.message
            lines = [*_output_lines(block, _tidy(text)), *_notice(block, notices.failed)]
        else:
            lines = [*_output_lines(block, _printed(result)), *_notice(block, notices.stale)]
        for number in range(len(result.figures)):
            mark = f'<span data-figure="{numbers[block.line] + number}"></span>'
            lines += ["", block.indent + mark]
        return [*lines, ""]

    return _rewrite(chapter, results, outputs)


def figures(chapter: Chapter, results: Results) -> tuple[BlockFigure, ...]:
    """The figures of a page, in order; their number on the page is their place here + 1."""
    return tuple(
        figure
        for block in chapter.blocks
        if block.line in results
        for figure in results[block.line].figures
    )


def _first_figures(chapter: Chapter, results: Results) -> list[int]:
    """The page's number of each block's first figure."""
    firsts, number = [], 1
    for block in chapter.blocks:
        firsts.append(number)
        number += len(results[block.line].figures) if block.line in results else 0
    return firsts


def _notice(block: Fence, text: str) -> list[str]:
    return ["", f'{block.indent}<span class="attn-notice">{html.escape(text)}</span>']


def _output_lines(block: Fence, text: str) -> list[str]:
    if not text:
        return []
    ticks = "~~~"
    while ticks in text:
        ticks += "~"
    lines = [f"{ticks}{OUTPUT}", *text.split("\n"), ticks]
    return ["", *(block.indent + line if line else "" for line in lines)]


def _rewrite(chapter: Chapter, results: Results, outputs) -> str:
    """Replace what stands between each block's end and its output's end.

    `outputs(block, result)` gives the new lines, or None to leave the block alone.
    """
    lines = chapter.text.split("\n")
    for block in reversed(chapter.blocks):
        result = results.get(block.line)
        new = outputs(block, result) if result else None
        if new is not None:
            end = block.output.end if block.output else block.end
            lines[block.end : end] = new
    return "\n".join(lines)


def finish(page: str, woven: str, path: str, figures: tuple[BlockFigure, ...]) -> str:
    """A rendered page with its figures, what Copy copies for each block, and a mark on those
    that can run in the page: all but the ones that need a package the course does without.

    Parameters
    ----------
    page : the page's HTML.
    woven : the Markdown that it was rendered from.
    """
    page = _mark_fences(page, parse(woven, path))
    return _FIGURE.sub(lambda mark: _figure(figures, int(mark["number"])), page)


def _figure(figures: tuple[BlockFigure, ...], number: int) -> str:
    """The figure; inside its interactive element, with its numbers, where it has one."""
    figure = figures[number - 1]
    svg = figure.svg.replace(FIGURE_PREFIX, f"fig{number}")
    still = f'<figure class="attn-figure" id="fig-{number}">{svg}</figure>'
    if figure.element is None:
        return still
    data = figure.data.replace("<", "\\u003c")  # so that no text can end the script element
    form = json.loads(figure.data).get("form")
    mark = f' data-form="{form}"' if form else ""
    script = f'<script type="application/json"{mark}>{data}</script>'
    return f"<attn-{figure.element}>{still}{script}</attn-{figure.element}>"


def _mark_fences(page: str, chapter: Chapter) -> str:
    fences = iter([fence for fence in chapter.fences if fence.info])
    copies, exercises = _copies(chapter), _exercises(chapter)
    outputs = {block.output.line for block in chapter.blocks if block.output}

    def mark(match: re.Match) -> str:
        fence = next(fences, None)
        language = match["language"]
        # What has no lexer, as `plain` has none, is rendered as text.
        if fence is None or language not in (fence.info.split()[0], OUTPUT):
            raise ValueError(f"a {language} block on the page has no fence in the chapter")
        if fence.line in outputs:
            return f'<div class="language-{language} highlight attn-output no-copy">'
        exercise = exercises.get(fence.line)
        run = exercise or ("" if fence.importorskip else f' data-run="{_short_hash(fence.code)}"')
        if fence.line not in copies:
            return f'<div class="language-{language} highlight"{run}>' if exercise else match[0]
        more = " attn-cont" if fence.cont else ""
        copy = html.escape(copies[fence.line]).replace("\n", "&#10;")
        return f'<div class="language-{language} highlight{more}" data-copy="{copy}"{run}>'

    page = _HIGHLIGHT.sub(mark, page)
    if (left := next(fences, None)) is not None:
        raise ValueError(f"the {left.info} block at line {left.line} is not a block on the page")
    return page


def _exercises(chapter: Chapter) -> dict[int, str]:
    """Attributes of the block that an exercise starts from, by its line: the first one under a
    heading with the exercise's name that hands a function to the checker. What a reader wrote is
    kept under that name, so that it outlives a change of the starting code.
    """
    found: dict[str, tuple[int, str]] = {}
    for fence in chapter.fences:
        heading = [heading.id for heading in chapter.headings if heading.line < fence.line][-1:]
        check = _CHECK.search(fence.code)
        if check and heading == [check["name"]] and check["name"] not in found:
            name, function = check["name"], check["function"]
            attributes = f' data-run="{name}" data-exercise="{name}" data-function="{function}"'
            found[name] = fence.line, attributes
    return dict(found.values())


def _short_hash(code: str) -> str:
    """Tells a block from what it was before it changed: a reader's edit is kept under this."""
    return hashlib.sha256(code.encode()).hexdigest()[:8]


def _copies(chapter: Chapter) -> dict[int, str]:
    """What Copy copies: a block with all that it continues, so that it runs as pasted."""
    copies = {}
    for chain in chapter.chains:
        code = ""
        for block in chain:
            code += block.code
            copies[block.line] = code
    return copies
