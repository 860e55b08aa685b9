"""Is every fence one that both the build and pytest-codeblocks understand?

pytest-codeblocks reads lines, not Markdown: it runs what the page does not show (a fence in
a comment), and skips without a word what the page does show (`{.python}`, a quoted fence).
Whatever the two would read differently is a problem here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chapter import DIRECTIVE, RUNS, Fence, Problem

from . import code, layout
from .code import SHOWN
from .prose import Page

SHELL = "console"
NESTING = "markdown"  # in four backticks: how the authoring page shows a fence

_TICKS = r"(?P<ticks>`{3,}|~{3,})"
_QUOTED = re.compile(rf"[ \t]*>[> \t]*{_TICKS}")
_AFTER_MARKER = re.compile(rf"[ \t]*(?:[-*+]|\d+[.)])[ \t]+{_TICKS}")
_MARK = re.compile(r"<!--[-\s]*pytest\.mark\.")
_IMPORTORSKIP = re.compile(r"importorskip\([\w.]+\)")
_DISPLAY = re.compile(r"[a-z][a-z0-9+-]*")
_PYTHON_WORDS = {"python", "python3", "py", "py3", "ipython", "ipython3", "pycon"}
_SHELL_WORDS = {
    "sh",
    "bash",
    "zsh",
    "shell",
    "console",
    "shell-session",
    "sh-session",
    "powershell",
}
_PLAIN_WORDS = {"", "text", "txt", "plain", "plaintext", "output", "none"}

_PYTHON_ADVICE = "write ```python if it should run, ```py if it is only shown"
_SHELL_ADVICE = "write ```console"
_DIRECTIVE_ADVICE = {
    "skipfile": "it leaves the whole file untested; delete it",
    "skip": "it leaves the block untested; delete it, or write ```py for code that is only shown",
    "skipif": "it leaves the block untested; use importorskip(module), or write ```py",
    "expected-output": "outputs are compared by the build; put a ~~~text fence under the block",
    "expect-exception": "a block that fails stops the build; catch the error and print it",
    "expect-error": "a block that fails stops the build; catch the error and print it",
}


def check(page: Page, *, heading_ids: bool = True) -> list[Problem]:
    """Problems of fences, of the code in them, and of headings and formulas.

    `heading_ids`: False for a file that GitHub alone shows (it prints `{#id}` as it stands).
    """
    problems = [
        Problem(page.path, line, message)
        for rule in (
            _spelling,
            _closing,
            _contents,
            _outputs,
            _commented,
            _outside,
            _directives,
            _chains,
        )
        for line, message in rule(page)
    ]
    return problems + code.check(page) + layout.check(page, ids=heading_ids)


Found = Iterator[tuple[int, str]]


def _spelling(page: Page) -> Found:
    lines = page.lines
    for fence in page.chapter.fences:
        raw = lines[fence.line - 1]
        if "\t" in raw[: len(raw) - len(raw.lstrip())]:
            yield fence.line, f"a tab before {_marks(fence)}; indent the fence with spaces"
        written = raw.strip()[len(fence.ticks) :]
        if not _is_known(fence.ticks, written):
            yield fence.line, f"{fence.ticks}{written}: {_advice(fence.ticks, written)}"


def _is_known(ticks: str, info: str) -> bool:
    if ticks[0] == "`":
        return info in {RUNS, SHOWN, SHELL} or (len(ticks) > 3 and info == NESTING)
    if info in _PYTHON_WORDS | _SHELL_WORDS | {"mermaid", "output"}:
        return False
    return _DISPLAY.fullmatch(info) is not None


def _advice(ticks: str, info: str) -> str:
    found = re.search(r"[A-Za-z][\w+-]*", info)
    word = found[0].lower() if found else ""
    if word in _PYTHON_WORDS:
        return f"pytest-codeblocks skips this spelling without a word; {_PYTHON_ADVICE}"
    if word in {"sh", "bash"} and ticks[0] == "`":
        return f"pytest-codeblocks would run it; {_SHELL_ADVICE}"
    if word in _SHELL_WORDS:
        return f"shell commands have one spelling; {_SHELL_ADVICE}"
    if word == "mermaid":
        return "mermaid loads a script from another host; draw the figure with attn.figures"
    if word in _PLAIN_WORDS:
        return (
            "what is not code stands in tildes; write ~~~text for the output of the block "
            "directly above, ~~~plain for anything else"
        )
    if ticks[0] == "`" and word == NESTING:
        return "write ````markdown (four backticks) if it shows fences, else ~~~markdown"
    if ticks[0] == "`":
        return f"backticks are for code that is run or shown in Python; write ~~~{word}"
    return f"write one word in lower case after the tildes, ~~~{word}"


def _closing(page: Page) -> Found:
    """Where the renderer wants the very same marks, pytest-codeblocks takes any beginning."""
    lines = page.lines
    for fence in page.chapter.fences:
        raw = lines[fence.end - 1]
        if raw.strip() != fence.ticks:
            yield (
                fence.end,
                f"“{raw.strip()}” while the fence of line {fence.line} is open; "
                f"close that one first, with {fence.ticks} alone on a line",
            )
        elif raw[: len(raw) - len(raw.lstrip())] != fence.indent:
            yield (
                fence.end,
                f"the closing {fence.ticks} is not indented like the opening one on line "
                f"{fence.line}; give both the same number of spaces",
            )


def _contents(page: Page) -> Found:
    """pytest-codeblocks does not know tildes: it reads on inside them."""
    for fence in page.chapter.fences:
        if fence.ticks[0] != "~":
            continue
        for number, line in enumerate(fence.code.split("\n"), fence.line + 1):
            if line.lstrip().startswith("```"):
                yield (
                    number,
                    f"“{line.strip()}” in a {_marks(fence)} fence: pytest-codeblocks takes it for "
                    "code that runs; show fences in ````markdown (four backticks)",
                )
            elif DIRECTIVE.match(line.strip()) or _MARK.match(line.strip()):
                yield (
                    number,
                    f"“{line.strip()}” in a {_marks(fence)} fence: pytest-codeblocks obeys it even "
                    "there; show it in ````markdown (four backticks)",
                )


def _outputs(page: Page) -> Found:
    attached = {block.output.line for block in page.chapter.blocks if block.output}
    for fence in page.chapter.fences:
        if fence.is_output and fence.line not in attached:
            yield (
                fence.line,
                "~~~text is the output of the ```python block directly above it (same "
                "indentation, nothing but blank lines between), and there is none; move it, or "
                "write ~~~plain for text that no code prints",
            )


def _commented(page: Page) -> Found:
    for first, last in page.comments:
        for fence in page.chapter.fences:
            if first < fence.line <= last:
                yield (
                    fence.line,
                    f"{_marks(fence)} inside an HTML comment: nobody sees it, and "
                    "pytest-codeblocks runs it; delete it or move it out of the comment",
                )


def _outside(page: Page) -> Found:
    fenced = page.fenced_lines()
    for number, line in enumerate(page.lines, 1):
        if number in fenced:
            continue
        if line.lstrip().startswith("```"):
            yield (
                number,
                f"“{line.strip()}”: a line that begins with three backticks opens a fence for "
                "pytest-codeblocks, and what follows is lost; begin the line with a word, or use "
                "one backtick",
            )
        elif found := _QUOTED.match(line):
            yield (
                number,
                f"“{line.strip()}”: pytest-codeblocks does not see a {found['ticks']} fence in a "
                "quotation; take it out of the quotation",
            )
        elif found := _AFTER_MARKER.match(line):
            yield (
                number,
                f"“{line.strip()}”: a fence on the line of a list marker is not seen; put "
                f"{found['ticks']} on a line of its own, indented by four spaces",
            )


def _directives(page: Page) -> Found:
    fenced, lines = page.fenced_lines(), page.lines
    opens = {fence.line: fence for fence in page.chapter.fences}
    for number, line in enumerate(lines, 1):
        if number in fenced:
            continue
        bare = line.strip()
        if _MARK.match(bare):
            yield (
                number,
                f"{bare}: a mark can leave the block untested; delete it, or use "
                "<!--pytest-codeblocks:importorskip(module)-->",
            )
        elif found := DIRECTIVE.match(bare):
            keyword = found[1].strip("- ")
            if keyword != "cont" and not _IMPORTORSKIP.fullmatch(keyword):
                yield number, f"{bare}: {_directive_advice(keyword)}"
                continue
            below = _next_line(lines, number)
            if below not in opens or not opens[below].runs:
                yield (
                    number,
                    f"{bare} belongs directly above a ```python block, and none follows; "
                    "move it or delete it",
                )
        elif re.search(r"pytest-?codeblocks?", re.sub(r"`[^`]*`", "", line)) and "<!--" in line:
            yield (
                number,
                f"“{bare}” is not read by pytest-codeblocks; write "
                "<!--pytest-codeblocks:cont--> or <!--pytest-codeblocks:importorskip(module)--> "
                "alone on its line",
            )


def _directive_advice(keyword: str) -> str:
    for known, advice in _DIRECTIVE_ADVICE.items():
        if keyword == known or keyword.startswith((f"{known}(", f"{known}-")):
            return advice
    return (
        "pytest-codeblocks stops at a word it does not know; the course uses `cont` and "
        "`importorskip(module)`"
    )


def _next_line(lines: list[str], after: int) -> int:
    """The number of the next line that says something other than a directive."""
    for number, line in enumerate(lines[after:], after + 1):
        if line.strip() and not DIRECTIVE.match(line.strip()):
            return number
    return len(lines) + 1


def _chains(page: Page) -> Found:
    fences = page.chapter.fences
    for position, block in enumerate(fences):
        if not (block.runs and block.cont):
            continue
        if block.importorskip:
            yield (
                block.line,
                f"importorskip({block.importorskip}) on a block that continues another: "
                "pytest-codeblocks would apply it to a later block; put it above the first block "
                "of the chain",
            )
        before = [fence for fence in fences[:position] if fence.ticks[0] == "`"]
        if before and not before[-1].runs:
            yield (
                block.line,
                f"`cont` would continue the {_marks(before[-1])} fence of line {before[-1].line}, "
                "and this code would never be tested; move that fence, or repeat the imports and "
                "let the block stand alone",
            )
        start = max((fence.line for fence in before if fence.runs), default=block.line)
        for heading in page.chapter.headings:
            if heading.level <= 2 and start < heading.line < block.line:
                yield (
                    block.line,
                    f"`cont` reaches over the heading “{heading.text}” of line {heading.line}; "
                    "a reader starts at a section, so repeat the imports and let the block stand "
                    "alone",
                )
                break


def _marks(fence: Fence) -> str:
    return fence.ticks + fence.info
