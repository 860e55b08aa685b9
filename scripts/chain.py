"""What running a chain of blocks takes, in the build and in a reader's browser alike.

worker.py runs blocks for the build. The page sends this file to its own Python, beside
docs/theme/assets/run/driver.py.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings

OUTPUT_LIMIT = 64 * 1024  # what a block may print: a page that prints more is a mistake


class OutputTooLong(Exception):
    def __init__(self):
        super().__init__(f"printed more than {OUTPUT_LIMIT // 1024} KiB; print a summary")


def failure(error: BaseException, name: str, runner: str) -> dict:
    """What went wrong and where.

    Parameters
    ----------
    error : what running a block raised.
    name : the file name that the block was compiled with.
    runner : the file that ran it; its frames are no business of who wrote the block.

    Returns
    -------
    `kind` and `message` (str), `line` (of `name`; None if it was in no line there), and `trace`,
    the traceback as Python prints it.
    """
    ours = (runner, __file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in ours]
    lines = [frame.lineno for frame in frames if frame.filename == name]
    summary = "".join(traceback.TracebackException.from_exception(error).format_exception_only())
    message = _message(error)
    advice = summary.rpartition(message)[2] if message else ""
    if advice.startswith(". Did you"):  # "mean: 'print'?"; Python adds it when it prints
        message += advice.rstrip()
    if isinstance(error, SyntaxError) and error.filename == name:
        frames, lines, message = [], [error.lineno], error.msg
    trace = "".join(
        ["Traceback (most recent call last):\n"] * bool(frames)
        + traceback.format_list(frames)
        + [summary]
    )
    line = lines[-1] if lines else None
    return {"kind": type(error).__name__, "message": message, "line": line, "trace": trace}


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit) and error.code is None:
        return ""
    try:
        return str(error)
    except BaseException:  # a `__str__` of the block's own, or the `__repr__` of a missing key
        return ""


def drawn(figure, prefix: str) -> dict:
    """A figure as a page holds it; see `attn.figures.svg` and `attn.figures.interactive`."""
    from attn.figures.interactive import interactive_of
    from attn.figures.svg import to_svg

    element, data = interactive_of(figure) or (None, None)
    return {"svg": to_svg(figure, prefix=prefix), "element": element, "data": data}


class State:
    """What a chain can change for those after it; `restore` puts it back."""

    def __init__(self):
        import numpy

        self._numpy = numpy
        self._print_options, self._error_state = numpy.get_printoptions(), numpy.geterr()
        self._folder, self._environment = os.getcwd(), dict(os.environ)
        self._path = list(sys.path)
        self._parameters = None

    def keep_figures(self) -> None:
        """From now on matplotlib counts too; its options are what they are now."""
        import matplotlib

        self._parameters = dict(matplotlib.rcParams)

    def restore(self) -> None:
        os.chdir(self._folder)
        os.environ.clear()
        os.environ.update(self._environment)
        sys.path[:] = self._path
        self._numpy.set_printoptions(**self._print_options)
        self._numpy.seterr(**self._error_state)
        if self._parameters is not None:
            self._restore_figures()

    def _restore_figures(self) -> None:
        import matplotlib.pyplot as pyplot

        pyplot.close("all")
        pyplot.switch_backend(os.environ["MPLBACKEND"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some options are deprecated
            pyplot.rcParams.update(self._parameters)
