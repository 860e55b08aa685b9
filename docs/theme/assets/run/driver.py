"""Runs a reader's blocks in the browser, and tells the page what they did.

Pyodide loads this into the worker (see python.js); nothing in it needs Pyodide, so that it
can be tried under any Python. What the build does with the blocks of a chapter is in
scripts/worker.py. The difference is whom they serve: the build refuses what a writer must
mend (a warning, a figure that is not shown), this shows it to the reader who wrote it.
"""

from __future__ import annotations

import ast
import io
import linecache
import os
import sys
import traceback
from collections.abc import Callable

OUTPUT_LIMIT = 64 * 1024  # characters that a block may print, as in the build
ALT = {"zh": "你的代码画的图。", "en": "The figure that your code draws."}


class OutputTooLong(Exception):
    pass


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


class Session:
    """Runs chains one after another; each finds the libraries as they were at the start."""

    def __init__(self):
        import numpy

        self._numpy = numpy
        self._print_options, self._error_state = numpy.get_printoptions(), numpy.geterr()
        self._parameters = None
        os.environ["MPLBACKEND"] = "module://capture_backend"
        self._folder, self._environment = os.getcwd(), dict(os.environ)
        self._path = list(sys.path)

    def prepare_figures(self) -> None:
        """Import what draws. Call it when matplotlib is there, before a block that draws."""
        import matplotlib.pyplot

        from attn.figures import style

        style.register_font()
        self._parameters = dict(matplotlib.rcParams)

    def run(
        self,
        blocks: list[str],
        *,
        language: str,
        prefix: str = "live",
        on_output: Callable[[str], None] = lambda text: None,
    ) -> list[dict]:
        """Run the blocks of a chain in one namespace, up to the first that fails.

        Parameters
        ----------
        blocks : the code of each block, in order.
        language : "zh" or "en", for the alt text of a figure that has none of its own.
        prefix : starts every id in the figures; letters, digits, `-` and `_`, a letter first.
        on_output : is given what the last block prints, as it prints it.

        Returns
        -------
        One dict for each block that ran: `stdout` and `stderr` (str); `figures`, a list of
        dicts with `svg`, and `element` and `data` (str or None, see
        `attn.figures.interactive`); `error`, None or a dict with `kind`, `message`, `line`
        (counted from 1 in that block) and `trace`.
        """
        namespace, results = {"__name__": "chapter"}, []
        try:
            for number, code in enumerate(blocks, 1):
                name = "block" if len(blocks) == 1 else f"block {number} of {len(blocks)}"
                last = number == len(blocks)
                result = _run_block(code, name, namespace, on_output if last else lambda text: None)
                shown = result.pop("shown")
                if not result["error"]:
                    _take_figures(result, shown, language, f"{prefix}-{number}")
                results.append(result)
                if result["error"]:
                    break
        finally:
            self._restore()
        return results

    def _restore(self) -> None:
        if self._parameters is not None:
            import matplotlib.pyplot

            matplotlib.pyplot.close("all")
            matplotlib.rcParams.update(self._parameters)
        self._numpy.set_printoptions(**self._print_options)
        self._numpy.seterr(**self._error_state)
        os.chdir(self._folder)
        os.environ.clear()
        os.environ.update(self._environment)
        sys.path[:] = self._path


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
            raise OutputTooLong(f"printed more than {OUTPUT_LIMIT // 1024} KiB; print a summary")
        self._parts.append(text)
        self._on_output(text)
        return len(text)

    @property
    def text(self) -> str:
        return "".join(self._parts)


def _run_block(code: str, name: str, namespace: dict, on_output: Callable[[str], None]) -> dict:
    # Lets a traceback quote the line that went wrong.
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    out, err, error = _Stream(on_output), _Stream(lambda text: None), None
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = out, err
    try:
        exec(compile(code, name, "exec"), namespace)
    except BaseException as problem:
        error = _describe(problem, name)
    finally:
        sys.stdout, sys.stderr = streams
    return {"stdout": out.text, "stderr": err.text, "error": error, "shown": _shown()}


def _describe(error: BaseException, name: str) -> dict:
    """What went wrong and where, and the traceback without the frames of this file."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    lines = [frame.lineno for frame in frames if frame.filename == name]
    message = str(error)
    if isinstance(error, SyntaxError) and error.filename == name:
        lines, message = [error.lineno], error.msg
    trace = "".join(
        ["Traceback (most recent call last):\n"] * bool(frames)
        + traceback.format_list(frames)
        + traceback.format_exception_only(error)
    )
    return {
        "kind": type(error).__name__,
        "message": message,
        "line": lines[-1] if lines and lines[-1] else 1,
        "trace": trace,
    }


def _shown() -> list:
    """The figures shown since the last call, and those that a block left open."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    import capture_backend

    capture_backend.FigureManager.pyplot_show()
    figures, capture_backend.shown[:] = list(capture_backend.shown), []
    return figures


def _take_figures(result: dict, shown: list, language: str, prefix: str) -> None:
    result["figures"] = []
    try:
        for number, figure in enumerate(shown, 1):
            result["figures"].append(_figure(figure, language, f"{prefix}-{number}"))
    except Exception as problem:  # a character without a glyph, a formula that does not parse
        result["error"] = _describe(problem, "")


def _figure(figure, language: str, prefix: str) -> dict:
    from attn.figures import describe, description
    from attn.figures.interactive import interactive_of
    from attn.figures.svg import to_svg

    if not description(figure):
        describe(figure, ALT[language])
    element, data = interactive_of(figure) or (None, None)
    return {"svg": to_svg(figure, prefix=prefix), "element": element, "data": data}
