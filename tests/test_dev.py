"""The entry point: its commands and messages, and the summary of `dev.py test`."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bench_attn
import dev
import environment
import ports
import pyodide_files
import suite
from chapter import Problem

DEV = Path(dev.__file__)
COMMANDS = ["serve", "build", "test", "check", "update", "bench", "publish"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="uses shell scripts and signals")


@pytest.fixture
def here(monkeypatch):
    """The running Python stands for the environment's: nothing is installed, nothing replaced."""
    levels = []
    monkeypatch.setattr(
        environment, "ensure", lambda root, level: levels.append(level) or Path(sys.executable)
    )
    monkeypatch.setattr(dev, "running_in", lambda python: True)
    monkeypatch.setattr(pyodide_files, "gather", lambda *arguments: None)
    return levels


class Fake:
    """A module that stands in for one of ours, and remembers how it was called."""

    def __init__(self, monkeypatch, name, function, returns=0):
        self.calls = []
        self.returns = returns
        setattr(self, function, self._call)
        monkeypatch.setitem(sys.modules, name, self)

    def _call(self, *arguments, **options):
        self.calls.append((arguments, options))
        if isinstance(self.returns, BaseException):
            raise self.returns
        return self.returns


@pytest.mark.parametrize("date", ["", "yesterday", "-1", "1.5", "²", "4354819200"])
def test_a_date_that_is_none_is_refused_before_anything_is_built(here, monkeypatch, capsys, date):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    editions = Fake(monkeypatch, "editions", "build")
    assert dev.main(["build", "--live=off"]) == 2
    said = capsys.readouterr().err
    assert f"SOURCE_DATE_EPOCH is {date!r}" in said and "unset" in said
    assert editions.calls == [] and here == []
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert dev.main(["build", "--live=off"]) == 0


# Commands


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)])
def test_help_names_every_command_and_needs_no_environment(arguments):
    command = [sys.executable, "-S", str(DEV), *arguments, "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert shown.returncode == 0, shown.stderr
    for name in [arguments[0]] if arguments else COMMANDS:
        assert name in shown.stdout


def test_without_a_command_the_commands_are_listed(capsys):
    assert dev.main([]) == 2
    listed = capsys.readouterr().out
    assert all(name in listed for name in COMMANDS)


def test_an_unknown_option_is_refused(here, capsys):
    with pytest.raises(SystemExit) as ended:
        dev.main(["build", "--fast"])
    assert ended.value.code == 2
    assert "--fast" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command, level",
    [("build", "site"), ("check", "site"), ("update", "site"), ("test", "test")],
)
def test_a_command_asks_for_no_more_than_it_uses(here, monkeypatch, command, level):
    Fake(monkeypatch, "editions", "build")
    Fake(monkeypatch, "checks", "run", [])
    Fake(monkeypatch, "update", "main").out_of_date = lambda root: []
    Fake(monkeypatch, "suite", "everything")
    assert dev.main([command]) == 0
    assert here == [level]


def test_build_takes_the_address_from_the_option_or_the_variable(here, monkeypatch):
    editions = Fake(monkeypatch, "editions", "build")
    monkeypatch.delenv("SITE_URL", raising=False)
    dev.main(["build"])
    monkeypatch.setenv("SITE_URL", "")  # an unset variable of a workflow
    dev.main(["build"])
    monkeypatch.setenv("SITE_URL", "https://a.example/one/")
    dev.main(["build"])
    dev.main(["build", "--site-url", "https://b.example/"])
    given = [options["site_url"] for _, options in editions.calls]
    assert given == [None, None, "https://a.example/one/", "https://b.example/"]


def test_the_zip_is_made_when_asked_for(here, monkeypatch):
    editions = Fake(monkeypatch, "editions", "build")
    dev.main(["build"])
    dev.main(["build", "--offline"])
    assert [options["with_offline"] for _, options in editions.calls] == [False, True]


def test_build_passes_its_status_on(here, monkeypatch):
    Fake(monkeypatch, "editions", "build", 1)
    assert dev.main(["build"]) == 1


def test_check_prints_every_problem_and_fails(here, monkeypatch, capsys):
    found = [Problem("docs/zh/a.md", 3, "wrong"), Problem("docs/zh/b.md", 4, "wrong too")]
    Fake(monkeypatch, "checks", "run", found)
    Fake(monkeypatch, "update", "out_of_date", [Problem("docs/zh/a.md", 9, "out of date")])
    assert dev.main(["check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "docs/zh/a.md:3: wrong",
        "docs/zh/a.md:9: out of date",
        "docs/zh/b.md:4: wrong too",
        "3 problems",
    ]


def test_update_gets_chapters_from_where_the_command_was_given(here, monkeypatch, tmp_path):
    update = Fake(monkeypatch, "update", "main")
    monkeypatch.chdir(tmp_path)
    dev.main(["update", "a.md"])
    dev.main(["update"])
    assert [arguments[1] for arguments, _ in update.calls] == [[tmp_path / "a.md"], []]


def test_arguments_of_test_reach_pytest_in_their_order(here, monkeypatch):
    runs = []
    monkeypatch.setattr(suite, "call", lambda command: runs.append(command[3:]) or 0)
    dev.main(["test", "tests/test_dev.py", "-k", "order", "-x"])
    dev.main(["test", "-k", "order"])
    dev.main(["test", "docs/zh/chapters/06.md"])
    assert runs == [
        ["tests/test_dev.py", "-k", "order", "-x"],
        ["-k", "order"],
        ["--codeblocks", "docs/zh/chapters/06.md"],
    ]


def test_bench_refuses_what_it_does_not_measure(here, monkeypatch, capsys):
    Fake(monkeypatch, "bench", "main")
    attention = Fake(monkeypatch, "bench_attn", "main")
    assert dev.main(["bench", "speed"]) == 2
    assert "site or attn" in capsys.readouterr().err
    assert dev.main(["bench"]) == 0
    assert dev.main(["bench", "attn", "--n", "64"]) == 0
    assert attention.calls == [((["--n", "64"],), {})]


def test_the_help_of_bench_names_the_options_of_attn(capsys):
    with pytest.raises(SystemExit):
        bench_attn.main(["--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    with pytest.raises(SystemExit):
        dev.main(["bench", "--help"])
    assert options and options <= set(re.findall(r"--[a-z]+", capsys.readouterr().out))


# Ends


def test_ctrl_c_ends_with_130_and_no_traceback(here, monkeypatch, capsys):
    Fake(monkeypatch, "editions", "build", KeyboardInterrupt())
    assert dev.main(["build"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_ctrl_c_does_not_wait_for_the_blocks_that_still_run():
    # A build is interrupted while a block sleeps; nothing of it may hold the process.
    code = """
import runpy, sys
from functools import partial
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1]).parent))
import editions, environment, pages
from chapter import parse

def build(root, **options):
    block = "```python\\nimport time\\ntime.sleep(600)\\n```\\n"
    pages.Runner = partial(pages.Runner, time_limit=600)
    pages.shared_runner(root).run(parse(block))
    raise KeyboardInterrupt

editions.build = build
environment.ensure = lambda root, level: Path(sys.executable)
sys.argv[1:] = ["build", "--live=off"]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
    code = code.replace("sys.argv[0]", repr(str(DEV)))
    command = [sys.executable, "-c", code, str(DEV)]
    # Less than the time that the block gets until it is stopped.
    assert subprocess.run(command, timeout=300).returncode == 130


ENDLESS = """
import os, runpy, sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1]).parent))
import editions, environment, pages
from chapter import parse

def build(root, **options):
    block = "```python\\nfrom pathlib import Path\\nimport os\\nPath({file!r}).write_text(str(os.getpid()))\\n"
    pages.shared_runner(root).run(parse(block + "while True: pass\\n```\\n")).result()

editions.build = build
environment.ensure = lambda root, level: Path(sys.executable)
sys.argv[1:] = ["build", "--live=off"]
runpy.run_path({dev!r}, run_name="__main__")
"""


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_kill_and_a_closed_terminal_end_a_block_that_never_ends(heedful, tmp_path, number):
    file = tmp_path / "pid"
    code = ENDLESS.format(file=str(file), dev=str(DEV))
    window, terminal = os.openpty()
    command = subprocess.Popen([sys.executable, "-c", code, str(DEV)], stdout=terminal, stderr=terminal)
    os.close(terminal)
    while not (file.exists() and file.read_text()) and command.poll() is None:
        time.sleep(0.1)
    block = int(file.read_text())
    if number == signal.SIGHUP:
        os.close(window)  # what is written there from now on is an error
    command.send_signal(number)
    assert command.wait(120) == 130
    if number == signal.SIGTERM:
        os.close(window)
    assert ends(block)


def ends(pid, seconds=60):
    """Whether a process ends, or has ended and nobody has asked how; one that does not is killed."""
    status = Path(f"/proc/{pid}/stat")
    for _ in range(10 * seconds):
        try:
            os.kill(pid, 0)
            if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return False


def test_a_failed_set_up_is_said_and_ends_with_2(monkeypatch, capsys):
    def ensure(root, level):
        raise environment.SetupError("pip says no")

    monkeypatch.setattr(environment, "ensure", ensure)
    assert dev.main(["build"]) == 2
    assert capsys.readouterr().err == "pip says no\n"


@POSIX
def test_it_runs_again_in_the_environment_with_the_same_arguments(monkeypatch):
    replaced = []
    monkeypatch.setattr(os, "execv", lambda program, command: replaced.append(command))
    monkeypatch.setattr(
        environment, "ensure", lambda root, level: Path("/another/.venv/bin/python")
    )
    dev.main(["update", "a chapter.md"])
    assert replaced == [["/another/.venv/bin/python", str(DEV), "update", "a chapter.md"]]


# Ports


@pytest.fixture
def busy():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_busy_port_offers_a_free_one_before_anything_is_made(busy, capsys):
    assert dev.main(["serve", "--port", str(busy)]) == 2
    message = capsys.readouterr().err
    assert f"Port {busy} is in use" in message
    offered = int(message.rsplit("--port", 1)[1])
    assert offered > busy
    ports.check("127.0.0.1", offered)


def test_a_free_port_passes():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ports.check("127.0.0.1", port)


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
def test_what_is_no_port_is_refused(port, capsys):
    with pytest.raises(SystemExit):
        dev.main(["serve", f"--port={port}"])
    assert "1 to 65535" in capsys.readouterr().err


def test_an_address_of_another_machine_is_refused(capsys):
    assert dev.main(["serve", "--host", "192.0.2.1", "--port", "8123"]) == 2
    assert "Cannot listen on 192.0.2.1 port 8123" in capsys.readouterr().err


# The summary of `dev.py test`


@pytest.fixture
def tree(tmp_path):
    """A tree with one test of each kind, and commands that do as they are told."""
    for name in ("tests/browser", "tests/pyodide", "docs/zh", "docs/en", "scripts"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(DEV.parent.parent / "conftest.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npythonpath = ["scripts"]\nfilterwarnings = ["error"]\n'
    )
    (tmp_path / "scripts/dev.py").write_text(
        "import sys; print('ran', *sys.argv[1:], flush=True)\n"
    )
    (tmp_path / "tests/test_one.py").write_text("def test_one(): pass\ndef test_two(): pass\n")
    (tmp_path / "tests/pyodide/test_same.py").write_text("def test_same(): pass\n")
    (tmp_path / "tests/browser/test_page.py").write_text(
        "import os\ndef test_page():\n"
        "    assert os.path.exists(os.environ['CHROMIUM'])\n"
        "    assert os.environ.get('ATTN_SITE', '').endswith('site')\n"
    )
    block = "```python\nprint(1)\n```\n"
    for name in ("docs/zh/a.md", "docs/en/a.md", "README.md", "README.zh.md"):
        (tmp_path / name).write_text(block)
    return tmp_path


@pytest.fixture
def browser(tmp_path, monkeypatch):
    program = tmp_path / "browser program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("CHROMIUM", str(program))
    monkeypatch.delenv("ATTN_SITE", raising=False)  # whoever looks at one page has it set


def everything(tree, capfd):
    status = suite.everything(tree)
    out = capfd.readouterr().out
    return status, out, out.splitlines()[-1]


@POSIX
def test_everything_passes_and_is_counted(tree, browser, capfd):
    status, out, last = everything(tree, capfd)
    assert status == 0
    # 2 unit tests, 4 files of one block, the checks, the build, 1 chain, 1 page.
    assert last == "10 passed, 0 failed, 0 skipped"
    assert "ran check" in out and "ran build" in out


@POSIX
@pytest.mark.parametrize("ci, said", [("true", "ran build --offline --live=required"), ("", "ran build --offline\n")])
def test_in_ci_the_pages_must_be_able_to_run_their_code(tree, browser, capfd, monkeypatch, ci, said):
    monkeypatch.setenv("CI", ci)
    assert said in everything(tree, capfd)[1]


FAULTS = {
    "tests/test_one.py": "def test_one(): assert 0\ndef test_two(): pass\n",
    "docs/en/a.md": "```python\n1 / 0\n```\n",
    "docs/zh/a.md": "```python\nimport warnings\nwarnings.warn('planted')\n```\n",
    "README.zh.md": "```python\nraise SystemError\n```\n",
    "tests/browser/test_page.py": "def test_page(): assert 0\n",
}


@POSIX
def test_every_fault_is_counted_and_every_step_still_runs(tree, browser, capfd):
    for path, content in FAULTS.items():
        (tree / path).write_text(content)
    status, out, last = everything(tree, capfd)
    assert status == 1
    assert last == "5 passed, 5 failed, 0 skipped"
    assert "ran check" in out and "ran build" in out


@POSIX
@pytest.mark.parametrize("command", ["check", "build"])
def test_a_command_that_fails_fails_the_run(tree, browser, capfd, command):
    (tree / "scripts/dev.py").write_text(f"import sys; sys.exit(sys.argv[1] == {command!r})\n")
    status, out, last = everything(tree, capfd)
    assert status == 1
    # Without a build there are no pages to test: the test of them fails here too.
    failed = 2 if command == "build" else 1
    assert last == f"{10 - failed} passed, {failed} failed, 0 skipped"


@POSIX
@pytest.mark.parametrize(
    "tests, counted",
    [
        ("import not_there\n", "8 passed, 1 failed, 0 skipped"),
        ("import os\ndef test_one(): os._exit(3)\ndef test_two(): pass\n", "9 passed, 1 failed, 0 skipped"),
    ],
    ids=["a file that cannot be read", "a worker that dies in a test"],
)
def test_what_ends_before_it_is_tested_is_a_failure(tree, browser, capfd, tests, counted):
    (tree / "tests/test_one.py").write_text(tests)
    status, out, last = everything(tree, capfd)
    assert status == 1
    assert last == counted


@POSIX
def test_no_tests_at_all_is_a_failure(tree, browser, capfd):
    (tree / "tests/test_one.py").unlink()
    status, out, last = everything(tree, capfd)
    assert status == 1
    assert "pytest ended with status 5" in out


@POSIX
def test_a_run_that_dies_is_a_failure(tree, browser, capfd):
    (tree / "docs/en/a.md").write_text("```python\nimport os\nos._exit(3)\n```\n")
    status, out, last = everything(tree, capfd)
    assert status == 1
    assert "pytest ended with status 3" in out


@pytest.mark.parametrize("workers", ["1", "3"])
def test_the_number_of_workers_can_be_chosen(tmp_path, monkeypatch, workers):
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", workers)
    (tmp_path / "test_one.py").write_text(
        f"import os\ndef test_one(): assert os.environ['PYTEST_XDIST_WORKER_COUNT'] == '{workers}'\n"
    )
    assert suite.pytest("unit tests", tmp_path, [*suite.PARALLEL, tmp_path]).passed == 1


def test_without_a_browser_its_tests_are_skipped_and_in_ci_they_fail(tree, capsys):
    bare = {"PATH": ""}
    result = suite.browser_tests(tree, bare)
    assert (result.passed, result.failed, result.skipped) == (0, 0, 1)
    assert "install Chromium" in capsys.readouterr().out
    result = suite.browser_tests(tree, dict(bare, CI="true"))
    assert (result.passed, result.failed, result.skipped) == (0, 1, 0)


@POSIX
def test_a_browser_named_by_the_variable_comes_first(tmp_path):
    for name in ("mine", "google-chrome"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    env = {"PATH": str(tmp_path)}
    assert suite.find_browser(env) == str(tmp_path / "google-chrome")
    assert suite.find_browser(dict(env, CHROMIUM=str(tmp_path / "mine"))) == str(tmp_path / "mine")
    assert suite.find_browser(dict(env, CHROMIUM=str(tmp_path / "gone"))) is None


def test_skipped_tests_are_counted_as_skipped(tmp_path, capfd):
    (tmp_path / "test_a.py").write_text(
        "import pytest\n"
        "@pytest.mark.skip\ndef test_one(): pass\n"
        "@pytest.mark.xfail\ndef test_two(): assert 0\n"
        "def test_three(): pass\n"
        "@pytest.fixture\ndef broken(): assert 0\n"
        "def test_four(broken): pass\n"
    )
    result = suite.pytest("unit tests", tmp_path, [tmp_path])
    assert (result.passed, result.failed, result.skipped) == (1, 1, 2)
    assert result.verdict == "FAILED"


@POSIX
def test_ctrl_c_stops_the_running_step_and_its_children(heedful, tree):
    (tree / "tests/test_one.py").write_text(
        "import os, time\n"
        "def test_one():\n"
        "    open('pid', 'w').write(str(os.getpid()))\n"
        "    time.sleep(60)\n"
    )
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import suite, pathlib\n"
        "try: suite.everything(pathlib.Path(sys.argv[2]))\n"
        "except KeyboardInterrupt: sys.exit(130)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(DEV.parent), str(tree)],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    pid = tree / "pid"
    while not (pid.exists() and pid.read_text()) and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    assert process.wait(120) == 130
    assert ends(int(pid.read_text()))
