"""Running blocks: what is captured, what is a failure, what leaks, what is remembered."""

import ast
import io
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import runner as runners
from chapter import parse
from runner import Runner


@pytest.fixture(scope="module")
def runner():
    with Runner(None, time_limit=5, workers=1) as runner:
        yield runner


def chapter(*blocks):
    """A chapter with one chain for each block; a block that starts with + continues."""
    text = "# T {#t}\n\n"
    for code in blocks:
        if code.startswith("+"):
            text += "<!--pytest-codeblocks:cont-->\n"
            code = code[1:]
        text += f"```python\n{code}\n```\n\n"
    return parse(text, "chapter.md")


def run(runner, *blocks):
    return list(runner.run(chapter(*blocks)).result(timeout=60).values())


def test_a_chain_shares_its_names_and_a_new_chain_does_not(runner):
    first, second, third = run(runner, "x = 1", "+print(x)", "print(x)")
    assert first.error is None
    assert second.stdout == "1\n"
    assert third.error.kind == "NameError"


def test_text_from_below_python_is_captured_too(runner):
    code = "import os\nprint('a')\nos.system('echo b')\nos.write(1, b'c\\n')\nprint('d')"
    assert run(runner, code)[0].stdout == "a\nb\nc\nd\n"


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_block_that_closes_what_it_writes_to_leaves_it_open_for_the_next(runner, descriptor):
    later = "import os\nprint(os.system('echo b'))\nos.system('echo c >&2')"
    _, after = run(runner, f"import os\nos.close({descriptor})", later)
    assert after.stdout == "b\n0\n"
    assert after.error.kind == "Stderr"


def test_an_error_has_its_line_in_the_markdown_and_quotes_it(runner):
    result = run(runner, "def f():\n    return 1 / 0\n\nf()")[0]
    assert (result.error.kind, result.error.line) == ("ZeroDivisionError", 5)
    assert 'File "chapter.md", line 7' in result.error.trace
    assert "return 1 / 0" in result.error.trace
    assert "worker.py" not in result.error.trace


def test_a_block_that_does_not_parse_has_its_line(runner):
    result = run(runner, "x = 1\ny = (")[0]
    assert (result.error.kind, result.error.line) == ("SyntaxError", 5)


def test_after_a_failure_the_chain_stops_and_the_next_chain_runs(runner):
    results = runner.run(chapter("1 / 0", "+print(1)", "print(2)")).result()
    assert [result.stdout for result in results.values()] == ["", "2\n"]


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("import warnings\nwarnings.warn('old')", "UserWarning", "old"),
        ("import sys\nprint('x', file=sys.stderr)", "Stderr", "stderr"),
        ("import os\nos.write(2, b'x')", "Stderr", "stderr"),
        ("import sys\nsys.exit(0)", "SystemExit", "must not exit"),
        ("print('x' * 1_000_000)", "OutputTooLong", "64 KiB"),
        ("import os\nos.write(1, b'x' * 1_000_000)", "OutputTooLong", "64 KiB"),
        ("import sys\nsys.stdout.close()", "ClosedOutput", "leave sys.stdout open"),
        ("import os\nos.close(1)", "ClosedOutput", "leave sys.stdout open"),
        ("import os\nos._exit(3)", "WorkerDied", "status 3"),
        ("import os\nos.abort()", "WorkerDied", "status -6"),
        ("import matplotlib.pyplot as plt\nplt.figure()", "FigureNotShown", "plt.show()"),
        (
            "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
            "ValueError",
            "alt text",
        ),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", ""),
    ],
    ids=lambda value: value.split("\n")[-1][:30],
)
def test_what_a_block_must_not_do(runner, code, kind, words):
    broken, healthy = run(runner, code, "print('next')")
    assert broken.error.kind == kind
    assert words in broken.error.message
    assert healthy.stdout == "next\n"


def test_a_block_that_hangs_is_stopped_and_the_next_chain_runs():
    with Runner(None, time_limit=3, workers=1) as runner:
        broken, healthy = run(runner, "while True: pass", "print('next')")
    assert broken.error.kind == "TimeLimit"
    assert "after 3 s" in broken.error.message
    assert broken.error.line == 4
    assert healthy.stdout == "next\n"


def test_what_a_new_worker_imports_does_not_count_against_its_first_block(monkeypatch):
    waited = []

    def answer(worker, limit):
        waited.append(limit)
        return {"result": {}, "done": len(waited) == 3}

    monkeypatch.setattr(runners._Worker, "_started", lambda worker: SimpleNamespace(stdin=io.StringIO()))
    monkeypatch.setattr(runners._Worker, "_answer", answer)
    runners._Worker(5).run({"blocks": []})
    assert waited[0] > 5 and waited[1:] == [5, 5]


def test_a_fork_does_not_answer_for_the_worker(runner):
    code = (
        "import os, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "if os.fork():\n    os.wait()\n    print('parent')\nelse:\n    print('child')"
    )
    forked, healthy = run(runner, code, "print('next')")
    assert sorted(forked.stdout.split()) == ["child", "parent"]
    assert healthy.stdout == "next\n"


def test_nothing_a_chain_sets_reaches_the_next(runner):
    spoil = (
        "import os, sys, numpy as np, matplotlib, matplotlib.pyplot as plt\n"
        "np.set_printoptions(precision=1)\n"
        "np.seterr(all='ignore')\n"
        "matplotlib.rcParams['lines.linewidth'] = 99\n"
        "os.environ['SPOILT'] = '1'\n"
        "os.chdir('/')\n"
        "sys.path.insert(0, '/nowhere')\n"
    )
    look = (
        "import os, sys, numpy as np, matplotlib\n"
        "print(np.array([0.125]), np.geterr()['divide'], matplotlib.rcParams['lines.linewidth'])\n"
        "print('SPOILT' in os.environ, os.getcwd() == '/', '/nowhere' in sys.path)\n"
    )
    assert run(runner, spoil, look)[1].stdout == "[0.125] warn 1.5\nFalse False False\n"


def test_no_open_file_of_ours_warns_in_a_later_block(runner):
    collect = "import gc\ngc.collect()"
    assert [result.error for result in run(runner, "print(1)", collect, collect)] == [None] * 3


FIGURE = """\
import matplotlib.pyplot as plt
from attn.figures import describe
for number in range({count}):
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.plot([1, 2])
    describe(figure, f"line {{number}}")
plt.show()
print(plt.get_fignums())
"""


def test_every_figure_that_is_shown_is_taken_with_its_alt_text(runner):
    result = run(runner, FIGURE.format(count=10))[0]
    assert result.error is None
    assert [figure.alt for figure in result.figures] == [f"line {n}" for n in range(10)]
    assert all(figure.svg.startswith("<svg") for figure in result.figures)
    assert result.stdout == "[]\n"


def test_a_figure_shown_before_an_error_stays_with_its_block(runner):
    broken, healthy = run(runner, FIGURE.format(count=1) + "1 / 0", "print('next')")
    assert broken.error.kind == "ZeroDivisionError"
    assert [figure.alt for figure in broken.figures] == ["line 0"]
    assert healthy.figures == ()


def test_a_glyph_that_the_font_lacks_is_a_failure(runner):
    result = run(runner, FIGURE.format(count=1).replace("line {{", "\U00013000 {{").replace(
        "axes.plot([1, 2])", "axes.set_title('\U00013000')"))[0]
    assert result.error is not None
    assert "13000" in result.error.message or "\U00013000" in result.error.message


def test_a_block_whose_module_is_missing_is_skipped():
    text = "# T {#t}\n<!--pytest-codeblocks:importorskip(no_such_module)-->\n```python\n1 / 0\n```\n"
    with Runner(None, workers=1) as runner:
        (result,) = runner.run(parse(text)).result().values()
    assert result.skipped and result.error is None


def test_a_result_is_remembered_until_its_code_changes(tmp_path):
    stamp = "import time\nprint(time.perf_counter_ns())"
    with Runner(tmp_path, workers=1) as runner:
        first, again, other = run(runner, stamp, stamp, stamp + "\n")
        assert first.stdout == run(runner, stamp)[0].stdout
        assert other.stdout != first.stdout
    with Runner(tmp_path, workers=1) as later:
        assert run(later, stamp)[0].stdout == first.stdout
        later._fingerprint = "attn has changed"
        assert run(later, stamp)[0].stdout != first.stdout


def test_what_ran_while_attn_was_saved_is_not_remembered(tmp_path, monkeypatch):
    """The worker may have read the new source, and the key stands for the old one."""
    (tmp_path / "attn").mkdir()
    source = tmp_path / "attn/core.py"
    source.write_text("x = 1")
    monkeypatch.setattr(runners, "ATTN", source.parent)
    cache = tmp_path / "cache"
    save = f"import os\nos.utime({str(source)!r}, ns=(1, 1))"
    with Runner(cache, workers=1) as runner:
        run(runner, save)
        assert not list(cache.glob("*.json"))
        runner.refresh()
        run(runner, "print(1)")
        assert len(list(cache.glob("*.json"))) == 1


def test_a_failure_is_not_remembered(tmp_path):
    with Runner(tmp_path, workers=1) as runner:
        assert run(runner, "1 / 0")[0].error
    assert not list(tmp_path.iterdir())


def test_a_cache_file_cut_short_is_run_again(tmp_path):
    with Runner(tmp_path, workers=1) as runner:
        run(runner, "print(1)")
        (file,) = tmp_path.iterdir()
        file.write_text(file.read_text()[:10])
        assert run(runner, "print(1)")[0].stdout == "1\n"


def test_a_block_that_was_skipped_is_not_remembered(tmp_path):
    # Where the module is there tomorrow, the block has to run.
    text = "<!--pytest-codeblocks:importorskip(no_such_module)-->\n```python\nprint(1)\n```\n"
    with Runner(tmp_path, workers=1) as runner:
        (result,) = runner.run(parse(text)).result(timeout=60).values()
    assert result.skipped and not list(tmp_path.glob("*.json"))


def test_every_block_of_a_chain_counts_for_what_is_remembered(tmp_path):
    with Runner(tmp_path, workers=1) as runner:
        assert run(runner, "x = 1", "+print(x)")[1].stdout == "1\n"
        assert run(runner, "x = 1", "+print(x + 1)")[1].stdout == "2\n"


def test_every_script_that_the_worker_reads_counts_for_what_is_remembered():
    waiting, read = [Path("worker.py")], set()
    while waiting:
        name = waiting.pop()
        read.add(runners.HERE / name)
        for node in ast.walk(ast.parse((runners.HERE / name).read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module] if isinstance(node, ast.ImportFrom) else []
            ours = {Path(f"{module}.py") for module in modules if (runners.HERE / f"{module}.py").exists()}
            waiting += [module for module in ours if runners.HERE / module not in read]
    assert len(read) > 1 and read <= set(runners._sources())
    assert runners.ATTN / "core.py" in runners._sources()
    assert any(path.suffix == ".otf" for path in runners._sources())


@pytest.mark.parametrize("changed", ["numpy", "matplotlib"])
def test_another_version_of_a_package_is_another_result(monkeypatch, changed):
    before = runners.fingerprint()
    real = runners.version
    monkeypatch.setattr(runners, "version", lambda name: "0" if name == changed else real(name))
    assert runners.fingerprint() != before


def test_a_change_of_attn_while_serving_runs_everything_again_once(tmp_path, monkeypatch):
    marker = tmp_path / "runs"
    code = f"with open({str(marker)!r}, 'a') as file:\n    file.write('x')"
    with Runner(tmp_path / "cache", workers=1) as runner:
        run(runner, code)
        runner.refresh()
        run(runner, code)
        assert marker.read_text() == "x"
        monkeypatch.setattr(runners, "fingerprint", lambda: "another")
        for _ in range(2):
            runner.refresh()
            run(runner, code)
        assert marker.read_text() == "xx"


ENDLESS = """from pathlib import Path
Path({marker!r}).write_text('x')
while True: pass"""


def running(runner, marker):
    """The future of a block that never ends, once it runs."""
    future = runner.run(chapter(ENDLESS.format(marker=str(marker))))
    while not marker.exists() and not future.done():
        time.sleep(0.02)
    return future


def test_a_block_that_is_ended_from_outside_is_not_blamed_for_it(tmp_path):
    # Closing and the chain's own thread both look at the process that dies.
    for turn in range(5):
        with Runner(None, workers=1) as runner:
            future = running(runner, tmp_path / str(turn))
        (result,) = future.result(timeout=60).values()
        assert (result.error.kind, result.error.line) == ("Stopped", 4)


def test_after_a_change_of_attn_in_the_middle_of_a_block_the_next_one_runs(tmp_path, monkeypatch):
    with Runner(None, workers=1) as runner:
        future = running(runner, tmp_path / "marker")
        monkeypatch.setattr(runners, "fingerprint", lambda: "another")
        runner.refresh()
        (result,) = future.result(timeout=60).values()
        assert result.error.kind == "Stopped"
        assert run(runner, "print(1)")[0].stdout == "1\n"


def test_a_closed_runner_starts_no_process(monkeypatch):
    runner = Runner(None, workers=1)
    (worker,) = runner._workers
    runner.close()
    monkeypatch.setattr(runners.subprocess, "Popen", None)
    (result,) = worker.run({"blocks": [{"line": 7}]})
    assert (result.error.kind, result.error.line) == ("Stopped", 7)
