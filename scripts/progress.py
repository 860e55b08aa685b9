"""Run a long command quietly: one line says what and how long; its output shows only if it fails."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

# Without a terminal (a CI log) a line this often says that work goes on.
SILENCE = 15.0
SHOWN = 40  # lines of a failed command's output: pip puts the reason at the end


class CommandFailed(Exception):
    """A command ended with a status other than 0. `output` is all that it printed."""

    def __init__(self, label: str, status: int, output: str):
        super().__init__("{} failed (exit status {})".format(label, status))
        self.label = label
        self.status = status
        self.output = output

    def tail(self) -> str:
        return "\n".join("  | " + line for line in self.output.splitlines()[-SHOWN:])


def run(label, command, *, cwd=None, env=None, note=None, stream=None) -> str:
    """Run `command` and return what it printed, standard error included.

    Parameters
    ----------
    label : str
        What is being done, for the progress line.
    note : callable, optional
        From the lines printed so far to a short text for the progress line.

    Raises
    ------
    CommandFailed
        For an exit status other than 0.
    OSError
        When the command cannot be started.
    """
    stream = stream or sys.stdout
    started = time.monotonic()
    # No stdin: a question (a proxy's password, say) must fail, not wait unseen.
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        # A group of its own: what the command starts can be ended with it.
        start_new_session=os.name == "posix",
    )
    lines = []
    line = None
    reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
    try:  # at once: what is interrupted from here on must not leave the command running
        reader.start()
        line = Line(label, stream, started)
        while reader.is_alive():
            line.show(note(lines) if note else "")
            reader.join(0.2)
        status = process.wait()
    except BaseException:
        _end(process)
        if line:
            line.end("stopped")
        raise
    finally:
        with contextlib.suppress(RuntimeError):  # it was not started
            reader.join()
        process.stdout.close()
    if status:
        line.end("failed")
        raise CommandFailed(label, status, "".join(lines))
    line.end("done")
    return "".join(lines)


def _end(process):
    """End the command and what it started, of which some or all may have ended by itself."""
    if os.name != "posix":
        process.kill()
    else:
        _signal_group(process, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(3)
        _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process, number):
    # Of a group in which nobody runs any more, macOS says that it is not allowed.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class Line:
    """One line that says what is being done, how long already, and how it ended."""

    def __init__(self, label, stream=None, started=None):
        self.label = label
        self.stream = stream or sys.stdout
        self.started = time.monotonic() if started is None else started
        self.terminal = self.stream.isatty()
        self.spoke = self.started
        if not self.terminal:
            self._write("{} …\n".format(label))

    def show(self, note):
        now = time.monotonic()
        text = "{} … {:.0f} s".format(self.label, now - self.started)
        if note:
            text += " · " + note
        if self.terminal:
            self._write("\r\033[K" + text)
        elif now - self.spoke >= SILENCE:
            self.spoke = now
            self._write("  " + text + "\n")

    def end(self, how):
        start = "\r\033[K" if self.terminal else ""
        seconds = time.monotonic() - self.started
        self._write("{}{} … {}, {:.1f} s\n".format(start, self.label, how, seconds))

    def _write(self, text):
        self.stream.write(text)
        self.stream.flush()
