"""A long command run quietly: what an interruption at an awkward moment leaves behind."""

import io
import os
import signal
import subprocess
import sys
import threading

import pytest

import progress

POSIX = pytest.mark.skipif(os.name == "nt", reason="uses process groups")


@POSIX
def test_ctrl_c_after_the_command_has_ended_is_a_ctrl_c(monkeypatch):
    """Its group is gone by then: to end it is an error that must not take the place of the interruption."""

    class Interrupted(subprocess.Popen):
        waited = 0

        def wait(self, timeout=None):
            status = super().wait(timeout)
            self.waited += 1
            if self.waited == 1:
                raise KeyboardInterrupt
            return status

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    said = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        progress.run("Waiting", [sys.executable, "-c", ""], stream=said)
    assert "Waiting … stopped" in said.getvalue()


@POSIX
def test_ctrl_c_just_after_the_command_has_started_ends_it(monkeypatch):
    started = []

    class Watched(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    def interrupted(thread):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", Watched)
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        progress.run("Waiting", ["sleep", "60"], stream=io.StringIO())
    (process,) = started
    assert process.returncode == -signal.SIGTERM


@POSIX
@pytest.mark.parametrize("error", [ProcessLookupError, PermissionError])
def test_a_group_that_ends_between_the_two_signals(monkeypatch, error):
    """As a system says it: Linux that there is no such group, macOS that it is not allowed."""
    real = os.killpg
    sent = []

    def killpg(group, number):
        sent.append(number)
        if len(sent) == 2:
            raise error
        real(group, number)

    monkeypatch.setattr(os, "killpg", killpg)

    def note(lines):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        progress.run("Waiting", ["sleep", "60"], note=note, stream=io.StringIO())
    assert sent == [signal.SIGTERM, signal.SIGKILL]


def test_in_a_log_a_line_comes_now_and_then_and_not_each_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    said = io.StringIO()
    line = progress.Line("Waiting", said)
    for now[0] in (1, 14, 16, 17, 30, 32):
        line.show("3 of 4")
    now[0] = 33.0
    line.end("done")
    assert said.getvalue().splitlines() == [
        "Waiting …",
        "  Waiting … 16 s · 3 of 4",
        "  Waiting … 32 s · 3 of 4",
        "Waiting … done, 33.0 s",
    ]
