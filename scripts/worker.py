"""The process that runs blocks: one chain a request, JSON lines in and out.

`runner.py` starts it and talks to it. A request is a chain: the chapter's name and its
blocks, each with its code and the line in the Markdown where that code begins. The
answers are one "started" line and one result line for each block, so that the parent
can time every block by itself.

Blocks write to a real file descriptor, so text printed by C code or by a library is
captured too. The worker talks over a private copy of the first stdout.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import linecache
import os
import sys
import tempfile
import warnings

import capture_backend
from chain import OUTPUT_LIMIT, OutputTooLong, State, drawn, failure

FIGURE_PREFIX = "ATTNFIG"  # each page puts its own figure number here


class _Limited(io.BufferedIOBase):
    """Writes to a descriptor at once, and refuses to go on past the limit."""

    def __init__(self, descriptor: int):
        self._descriptor = descriptor
        self._written = 0

    def writable(self):
        return True

    def write(self, data):
        self._written += len(data)
        if self._written > OUTPUT_LIMIT:
            raise OutputTooLong
        return os.write(self._descriptor, data)


def _text_stream(descriptor: int) -> io.TextIOWrapper:
    limited = _Limited(descriptor)
    return io.TextIOWrapper(limited, encoding="utf-8", newline="\n", write_through=True)


def _open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


class _Capture:
    """Send descriptors 1 and 2, and sys.stdout and sys.stderr, to files of our own."""

    def __enter__(self):
        self._files = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
        for descriptor, file in zip((1, 2), self._files):
            os.dup2(file.fileno(), descriptor)
        sys.stdout, sys.stderr = self._streams = (_text_stream(1), _text_stream(2))
        return self

    def __exit__(self, *exc):
        self.closed = any(stream.closed for stream in self._streams) or not _open(1)
        self.out, self.err = (self._text(file) for file in self._files)
        for file in self._files:
            file.close()
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if null > 2:  # or it is in the place of one that the block has closed
            os.close(null)
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    @staticmethod
    def _text(file) -> str:
        file.seek(0)
        return file.read(OUTPUT_LIMIT + 1).decode("utf-8", "replace").replace("\r\n", "\n")


def _error(kind: str, message: str, line: int, trace: str = "") -> dict:
    return {"kind": kind, "message": message, "line": line, "trace": trace}


def _describe(error: BaseException, name: str, first: int) -> dict:
    found = failure(error, name, __file__)
    return {**found, "line": found["line"] or first}


def page_figure(figure) -> dict:
    """The fields of a `runner.BlockFigure`."""
    from attn.figures import description

    return {**drawn(figure, FIGURE_PREFIX), "alt": description(figure)}


def _left_open() -> int:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return len(pyplot.get_fignums()) if pyplot else 0


def _run_block(block: dict, name: str, namespace: dict) -> dict:
    """Run one block. Problems are part of the result; nothing is raised."""
    error, figures = None, []
    first = block["line"]
    with _Capture() as capture, warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            tree = ast.parse(block["code"], name)
            ast.increment_lineno(tree, first - 1)
            exec(compile(tree, name, "exec"), namespace)
        except SyntaxError as problem:
            if problem.filename == name and problem.lineno:
                problem.lineno += first - 1
            error = _describe(problem, name, first)
        except SystemExit as problem:
            error = _describe(problem, name, first)
            error["message"] = "a block must not exit: it would end the whole test run"
        except BaseException as problem:
            error = _describe(problem, name, first)
        try:
            figures = [page_figure(figure) for figure in capture_backend.take()]
        except Exception as problem:
            error = error or _describe(problem, name, first)
    if error is None:
        error = _afterthoughts(capture, first)
    return {"stdout": capture.out, "figures": figures, "error": error, "skipped": False}


def _afterthoughts(capture: _Capture, line: int) -> dict | None:
    """What is wrong with a block that raised nothing."""
    if capture.closed:
        return _error("ClosedOutput", "the block closed its output; leave sys.stdout open", line)
    if len(capture.out) > OUTPUT_LIMIT:
        return _error("OutputTooLong", f"printed more than {OUTPUT_LIMIT // 1024} KiB", line)
    if capture.err.strip():
        return _error("Stderr", "the block wrote to stderr", line, capture.err)
    if count := _left_open():
        message = f"{count} figure(s) made but not shown; end the block with plt.show()"
        return _error("FigureNotShown", message, line)
    return None


def _run_chain(request: dict, answer) -> None:
    name, namespace, process = request["name"], {"__name__": "chapter"}, os.getpid()
    # Lets a traceback quote the line of the Markdown that went wrong.
    source = request["source"]
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    for number, block in enumerate(request["blocks"]):
        needs = block["importorskip"]
        if needs and importlib.util.find_spec(needs) is None:
            answer({"block": number, "result": {"skipped": True}})
            continue
        answer({"block": number, "started": True})
        result = _run_block(block, name, namespace)
        if os.getpid() != process:
            os._exit(0)  # a fork made by the block came back here: it has no business talking
        answer({"block": number, "result": result})
        if result["error"]:
            break
    answer({"done": True})


def main() -> None:
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(null, descriptor)
    os.close(null)

    def answer(message: dict) -> None:
        channel.write(json.dumps(message, ensure_ascii=False) + "\n")
        channel.flush()

    import matplotlib.pyplot  # noqa: F401  warm before the first request

    state = State()
    state.keep_figures()
    for line in requests:
        try:
            _run_chain(json.loads(line), answer)
        finally:
            state.restore()


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(1)
