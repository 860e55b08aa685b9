"""Runs a reader's blocks in the browser, and tells the page what they did.

Pyodide loads this into the worker (see python.js); nothing in it needs Pyodide, so that it
can be tried under any Python. scripts/worker.py runs the blocks of a chapter for the build;
what both do alike is in scripts/chain.py. The difference is whom they serve: the build refuses
what a writer must mend (a warning, a figure that is not shown), this shows it to the reader
who wrote it.
"""

from __future__ import annotations

import ast
import builtins
import io
import linecache
import os
import sys
import warnings
from collections.abc import Callable
from types import ModuleType

from chain import OUTPUT_LIMIT, OutputTooLong, State, drawn, failure

BACKEND = "module://capture_backend"
ALT = {"zh": "你的代码画的图。", "en": "The figure that your code draws."}


def draws(blocks: list[str]) -> bool:
    """Whether any block imports matplotlib or `attn.figures`, which needs it."""
    return any(
        name.split(".")[0] in ("matplotlib", "mpl_toolkits", "pylab")
        or f"{name}.".startswith("attn.figures.")
        for code in blocks
        for name in _imported(code)
    )


def _imported(code: str) -> list[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return []  # running it will say what is wrong
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def no_input(prompt=""):
    """Stands in for `input`: the page has no keyboard for a program."""
    raise RuntimeError("input(): there is no keyboard here; write the value in the code")


class Session:
    """Runs chains one after another.

    Each finds as they were: the built-in functions, the public names of NumPy, attn and
    pyplot, NumPy's and matplotlib's options, the filters of warnings, the folder, the
    environment and `sys.path`. What else a chain changes inside a library lasts until Python
    is started anew, as the page does at Stop and Reset.
    """

    def __init__(self):
        import numpy

        from attn import exercises

        self._check = exercises.check  # before a reader's code could put another there
        self._kept: list[tuple[ModuleType, str, object]] = []
        self._keep(builtins, numpy, numpy.linalg, numpy.random, *_modules_of("attn"))
        os.environ["MPLBACKEND"] = BACKEND
        self._state = State()

    def prepare_figures(self) -> None:
        """Import what draws. Call it when matplotlib is there, before a block that draws."""
        import matplotlib.pyplot

        from attn.figures import style

        style.register_font()
        # Chinese in a figure of the reader's own: what matplotlib's font lacks is in the book's.
        matplotlib.rcParams["font.family"] = ["sans-serif", style.FONT_FAMILY[0]]
        self._state.keep_figures()
        self._keep(matplotlib.pyplot, *_modules_of("attn.figures"))

    def run(
        self,
        blocks: list[str],
        *,
        language: str,
        prefix: str = "live",
        on_output: Callable[[str], None] = lambda text: None,
        exercise: str | None = None,
        function: str = "",
    ) -> list[dict]:
        """Run the blocks of a chain in one namespace, up to the first that fails.

        Parameters
        ----------
        blocks : the code of each block, in order.
        language : "zh" or "en", for the alt text of a figure that has none of its own.
        prefix : starts every id in the figures; letters, digits, `-` and `_`, a letter first.
        on_output : is given what the last block prints, as it prints it.
        exercise, function : the name of an exercise, and of the function that answers it. Where
            no block failed, that function is handed to `attn.exercises.check`.

        Returns
        -------
        One dict for each block that ran: `stdout` and `stderr` (str); `figures`, a list of
        dicts with `svg`, and `element` and `data` (str or None, see
        `attn.figures.interactive`); `error`, None or a dict with `kind`, `message`, `line`
        (counted from 1 in that block, or None), `trace` and `drawing` (whether the code ran and
        its figure could not be drawn). For an exercise, one more: `stdout` is the answer, `line`
        is one of the last block, and `solved` is a bool, or None where there is no such function.
        """
        namespace, results = {"__name__": "chapter"}, []
        try:
            with warnings.catch_warnings():
                for number, code in enumerate(blocks, 1):
                    name = "block" if len(blocks) == 1 else f"block {number} of {len(blocks)}"
                    last = number == len(blocks)
                    heard = on_output if last else lambda text: None
                    result = _run_block(code, name, namespace, heard)
                    _draw(result, language, f"{prefix}-{number}")
                    results.append(result)
                    if result["error"]:
                        return results
                if exercise is not None:
                    self._put_back()
                    given = namespace.get(function)
                    results.append(self._checked(exercise, given, language, name))
        finally:
            self._put_back()
            self._state.restore()
        return results

    def _checked(self, exercise: str, function: object, language: str, name: str) -> dict:
        solved = None

        def check():
            nonlocal solved
            solved = self._check(exercise, function, language)

        idle = (lambda: None) if function is None else check
        result = _captured(idle, name, lambda text: None)
        del result["shown"]
        return {**result, "figures": [], "solved": solved}

    def _keep(self, *modules: ModuleType) -> None:
        for module in modules:
            public = [name for name in vars(module) if not name.startswith("_")]
            self._kept += [(module, name, vars(module)[name]) for name in public]

    def _put_back(self) -> None:
        for module, name, value in self._kept:
            if vars(module).get(name) is not value:
                setattr(module, name, value)


class _Stream(io.TextIOBase):
    """Keeps what is written, hands it on at once, and refuses to go on past the limit."""

    def __init__(self, on_output: Callable[[str], None]):
        self._on_output = on_output
        self._length = 0
        self._parts: list[str] = []

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._length += len(text)
        if self._length > OUTPUT_LIMIT:
            raise OutputTooLong
        self._parts.append(text)
        self._on_output(text)
        return len(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


def _run_block(code: str, name: str, namespace: dict, on_output: Callable[[str], None]) -> dict:
    # Lets a traceback quote the line that went wrong.
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    return _captured(lambda: exec(compile(code, name, "exec"), namespace), name, on_output)


def _captured(action: Callable[[], None], name: str, on_output: Callable[[str], None]) -> dict:
    """What an action prints and shows, and its error; `name` is the block whose lines count."""
    out, err, error = _Stream(on_output), _Stream(lambda text: None), None
    streams, read = (sys.stdout, sys.stderr), builtins.input
    sys.stdout, sys.stderr, builtins.input = out, err, no_input
    try:
        action()
    except BaseException as problem:
        error = {**failure(problem, name, __file__), "drawing": False}
    finally:
        (sys.stdout, sys.stderr), builtins.input = streams, read
    return {"stdout": out.text, "stderr": err.text, "error": error, "shown": _shown()}


def _modules_of(package: str) -> list[ModuleType]:
    return [
        module for name, module in sys.modules.items() if f"{name}.".startswith(f"{package}.")
    ]


def _shown() -> list:
    """The figures shown since the last call, and those that a block left open."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    import capture_backend

    capture_backend.FigureManager.pyplot_show()
    return capture_backend.take()


def _draw(result: dict, language: str, prefix: str) -> None:
    """Put what `result` has `shown` as `figures`; an error of the code itself comes first."""
    result["figures"] = []
    try:
        for number, figure in enumerate(result.pop("shown"), 1):
            result["figures"].append(_figure(figure, language, f"{prefix}-{number}"))
    except Exception as problem:  # a character without a glyph, a formula that does not parse
        undrawn = {**failure(problem, "", __file__), "drawing": True}  # in no line of the block
        result["error"] = result["error"] or undrawn


def _figure(figure, language: str, prefix: str) -> dict:
    from attn.figures import describe, description

    if not description(figure):
        describe(figure, ALT[language])
    return drawn(figure, prefix)
