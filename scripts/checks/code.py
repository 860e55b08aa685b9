"""Does the code of a block parse, and can a reader, a test and the build all run it?"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache

from chapter import RUNS, Fence, Problem

from .prose import Page

_CACHED = 4096  # several checks ask for the same blocks

SHOWN = "py"  # the info string of Python that is shown and not run

_STOPS = {"exit", "quit", "sys.exit", "os._exit", "os.abort"}
_ASKS = {"input", "breakpoint", "pdb.set_trace"}
_NEW_FIGURE = {
    "axes", "bar", "barh", "figure", "fill_between", "hist", "imshow", "matshow", "pcolormesh",
    "plot", "scatter", "stem", "step", "subplot", "subplot_mosaic", "subplots",
}  # fmt: skip
# What attn.figures offers besides functions that draw.
NOT_DRAWING = {"book_style", "describe", "description", "to_svg"}


def check(page: Page) -> list[Problem]:
    problems = []
    figures = Figures()
    for block in python_fences(page):
        tree = parsed(block)
        if isinstance(tree, Problem):
            problems.append(Problem(page.path, tree.line, tree.message))
            continue
        if not block.runs:
            continue
        if not block.cont:
            figures = Figures()
        figures.read_imports(tree)
        for node, message in [*_unrunnable(tree), *_unshown(tree, figures)]:
            problems.append(Problem(page.path, block.line + node.lineno, message))
    return problems


def python_fences(page: Page) -> list[Fence]:
    """The blocks that run and those that are only shown."""
    known = {RUNS, SHOWN}
    return [f for f in page.chapter.fences if f.ticks[0] == "`" and f.info in known]


@lru_cache(_CACHED)
def parsed(block: Fence) -> ast.Module | Problem:
    """The tree of a block, or what is wrong with it (without a path)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(block.code)
            compile(tree, "<block>", "exec")
    except SyntaxError as error:
        text = (error.text or "").strip()
        return Problem("", block.line + (error.lineno or 1), f"“{text}”: {_advice(error, text)}")
    except ValueError as error:  # a null byte
        return Problem("", block.line + 1, f"this block is no Python: {error}; retype it")
    return tree


@lru_cache(_CACHED)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a block's tree."""
    return tuple(ast.walk(tree))


def _advice(error: SyntaxError, text: str) -> str:
    if text.startswith((">>>", "...")):
        return "write the code without prompts, and what it prints as ~~~text under the block"
    if text.startswith(("%", "!", "$")):
        return "this is no Python; write shell commands in ```console"
    return f"this does not parse as Python ({error.msg}); mend it, or choose another kind of fence"


def _unrunnable(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    for node in nodes(tree):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            if name in _STOPS:
                yield (
                    node,
                    f"{name}() ends the whole run of pytest-codeblocks, not this block; let the "
                    "block end by itself",
                )
            elif name in _ASKS:
                yield (
                    node,
                    f"{name}() waits for someone to type, and a build has nobody; give the value "
                    "in the code",
                )
        elif isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if dotted(raised) in {"SystemExit", "KeyboardInterrupt"}:
                yield (
                    node,
                    f"raise {dotted(raised)} ends the whole run of pytest-codeblocks, not this "
                    "block; let the block end by itself",
                )
        elif isinstance(node, ast.Name) and node.id == "__name__":
            yield (
                node,
                "__name__ is not “__main__” under pytest-codeblocks, so a guarded line is skipped "
                "without a word; write the guarded lines without the guard",
            )


def _unshown(tree: ast.Module, figures: Figures) -> Iterator[tuple[ast.AST, str]]:
    drawing = figures.drawing_calls(tree)
    if drawing and not (tree.body and figures.is_show(tree.body[-1])):
        last = tree.body[-1]
        yield (
            last,
            f"the block draws ({ast.unparse(drawing[0].func)}, line {drawing[0].lineno} of the "
            f"block) and ends in “{ast.unparse(last).splitlines()[0]}”, so a pasted script shows "
            "nothing; let its last line be plt.show()",
        )


class Figures:
    """Under which names a chain of blocks knows pyplot and `attn.figures`."""

    def __init__(self):
        self._pyplot = {"matplotlib.pyplot"}
        self._figures = {"attn.figures"}
        self._functions: set[str] = set()

    def read_imports(self, tree: ast.Module) -> None:
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self._module(alias.name, alias.asname)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if node.module == "attn.figures" and alias.name not in NOT_DRAWING:
                        self._functions.add(alias.asname or alias.name)
                    else:
                        self._module(f"{node.module}.{alias.name}", alias.asname or alias.name)

    def _module(self, name: str, alias: str | None) -> None:
        if name == "matplotlib.pyplot":
            self._pyplot.add(alias or name)
        elif name == "attn.figures":
            self._figures.add(alias or name)

    def attn_calls(self, tree: ast.Module) -> list[ast.Call]:
        """Calls of functions of `attn.figures` that draw."""
        return [call for call in _calls(tree) if self._is_attn(call)]

    def drawing_calls(self, tree: ast.Module) -> list[ast.Call]:
        """Calls that open a figure, of `attn.figures` and of pyplot."""
        return [call for call in _calls(tree) if self._is_attn(call) or self._is_pyplot(call)]

    def _is_attn(self, call: ast.Call) -> bool:
        module, _, name = dotted(call.func).rpartition(".")
        if module:
            return module in self._figures and name not in NOT_DRAWING
        return name in self._functions

    def _is_pyplot(self, call: ast.Call) -> bool:
        module, _, name = dotted(call.func).rpartition(".")
        return module in self._pyplot and name in _NEW_FIGURE

    def is_show(self, statement: ast.stmt) -> bool:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
            return False
        module, _, name = dotted(statement.value.func).rpartition(".")
        return module in self._pyplot and name == "show"


@lru_cache(_CACHED)
def _calls(tree: ast.Module) -> tuple[ast.Call, ...]:
    calls = (node for node in nodes(tree) if isinstance(node, ast.Call))
    return tuple(sorted(calls, key=lambda call: (call.lineno, call.col_offset)))


def dotted(node: ast.AST) -> str:
    """`a.b.c` for such an expression, else an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""
