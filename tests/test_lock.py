"""A lock that one process holds makes another wait, and ends with the process."""

import os
import subprocess
import sys

import pytest

import lock

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
HOLD = """\
import sys
from pathlib import Path
import lock
with lock.held(Path(sys.argv[1]), "waiting"):
    print("held", flush=True)
    sys.stdin.read()
"""


def start(path):
    env = dict(os.environ, PYTHONPATH=os.path.dirname(lock.__file__))
    command = [sys.executable, "-c", HOLD, str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)


@pytest.mark.parametrize("end", ["close", "kill"])
def test_the_second_waits_and_says_so_until_the_first_ends(tmp_path, end):
    path = tmp_path / "new" / "site.lock"
    with start(path) as first:
        assert first.stdout.readline() == "held\n"
        with start(path) as second:
            assert second.stdout.readline() == "waiting\n"
            first.kill() if end == "kill" else first.stdin.close()
            assert second.stdout.readline() == "held\n"
            second.stdin.close()


def test_one_after_the_other_does_not_wait(tmp_path, capsys):
    for _ in range(2):
        with lock.held(tmp_path / "x.lock", "waiting"):
            pass
    assert capsys.readouterr().out == ""
