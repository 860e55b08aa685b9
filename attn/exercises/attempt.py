"""Call the reader's function once, and tell what came of it."""

from __future__ import annotations

import contextlib
import copy
import linecache
import sys
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Attempt:
    """What one call did.

    Attributes
    ----------
    result : what the function returned.
    error : what it raised, or None.
    printed : whether it printed something.
    changed : names of the inputs that are no longer what they were.
    """

    result: Any
    error: BaseException | None
    printed: bool
    changed: tuple[str, ...]


def attempt(function, inputs) -> Attempt:
    """Call ``function`` with copies of ``inputs``, a dict of arguments in their order."""
    given = copy.deepcopy(inputs)
    listener = _Listener(sys.stdout)
    result = error = None
    with contextlib.redirect_stdout(listener):
        try:
            result = function(*given.values())
        except (Exception, SystemExit) as problem:
            error = problem
    changed = tuple(name for name in inputs if not _same(inputs[name], given[name]))
    return Attempt(result, error, listener.heard, changed)


@dataclass(frozen=True)
class Place:
    """A line of the reader's code, counted as an editor counts the lines of the file."""

    function: str
    line: int
    code: str


def place_of(error: BaseException) -> Place | None:
    """Where in the reader's own file the error arose, or None if that is not known."""
    frames = list(traceback.walk_tb(error.__traceback__))[1:]  # the first is `attempt`
    own = [(frame, line) for frame, line in frames if frame.f_code.co_filename == frames[0][0].f_code.co_filename]
    if not own:
        return None
    frame, line = own[-1]
    code = frame.f_code
    text = linecache.getline(code.co_filename, line, frame.f_globals).strip()
    return Place(code.co_name, line, text)


def _same(before, after) -> bool:
    if isinstance(before, np.ndarray):
        return np.array_equal(before, after)
    return before == after


class _Listener:
    """Passes on what is printed, and remembers that something was."""

    def __init__(self, stream):
        self._stream = stream
        self.heard = False

    def write(self, text):
        self.heard = self.heard or bool(text.strip())
        return self._stream.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)
