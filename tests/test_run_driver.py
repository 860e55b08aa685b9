"""What runs a reader's blocks in the browser, tried here under the Python at hand."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from chapter import parse
from runner import Runner

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def driver():
    spec = importlib.util.spec_from_file_location("driver", ROOT / "docs/theme/assets/run/driver.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def session(driver):
    backend, environment = matplotlib.get_backend(), dict(os.environ)
    matplotlib.use("module://capture_backend")
    session = driver.Session()
    session.prepare_figures()
    yield session
    matplotlib.use(backend)
    os.environ.clear()
    os.environ.update(environment)


def run(session, *blocks, **options):
    return session.run(list(blocks), language="en", **options)


@pytest.mark.parametrize(
    "code, draws",
    [
        ("import matplotlib.pyplot as plt", True),
        ("from matplotlib import pyplot", True),
        ("from attn import figures, lessons", True),
        ("import attn.figures", True),
        ("from attn.figures import mask_grid", True),
        ("def later():\n    import pylab", True),
        ("import attn", False),
        ("from attn import lessons", False),
        ("figures = 'attn.figures'", False),
        ("import matplotlib as", False),
        ("import numpy as np\0", False),
    ],
)
def test_matplotlib_is_asked_for_only_by_code_that_draws(driver, code, draws):
    assert driver.draws(["x = 1", code]) is draws


def test_attn_itself_does_not_need_matplotlib():
    code = "import sys, attn; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_chain_shares_its_names_and_each_block_has_its_output(session):
    heard = []
    results = run(session, "x = 20\nprint('a')", "print(x + 1)", on_output=heard.append)
    assert [result["stdout"] for result in results] == ["a\n", "21\n"]
    assert "".join(heard) == "21\n"


def test_a_chain_ends_at_the_first_error_with_the_line_of_its_block(session):
    results = run(session, "x = 1", "\n\ndef f():\n    return x / 0\n\nf()", "print('never')")
    assert [bool(result["error"]) for result in results] == [False, True]
    error = results[1]["error"]
    assert (error["kind"], error["line"]) == ("ZeroDivisionError", 4)  # where it was raised
    assert 'File "block 2 of 3", line 4, in f\n    return x / 0' in error["trace"]
    assert "driver.py" not in error["trace"]


def test_a_syntax_error_has_its_line(session):
    error = run(session, "a = 1\nb = )")[0]["error"]
    assert (error["kind"], error["line"], error["message"]) == ("SyntaxError", 2, "unmatched ')'")


@pytest.mark.parametrize("end", ["import sys\nsys.exit()", "raise KeyboardInterrupt", "raise SystemExit(3)"])
def test_nothing_that_a_block_raises_gets_out(session, end):
    assert run(session, end)[0]["error"]["line"] == len(end.split("\n"))


def test_a_block_cannot_print_without_end(session, driver):
    result = run(session, "while True:\n    print('x' * 100)")[0]
    assert result["error"]["kind"] == "OutputTooLong"
    assert len(result["stdout"]) <= driver.OUTPUT_LIMIT


def test_each_run_finds_the_libraries_as_they_were(session):
    folder, options = os.getcwd(), np.get_printoptions()
    run(
        session,
        "import os, sys\nimport numpy as np\nimport matplotlib.pyplot as plt\n"
        "np.set_printoptions(precision=1)\nnp.seterr(all='raise')\nplt.rcParams['font.size'] = 40\n"
        "os.environ['LEFT'] = '1'\nos.chdir('/')\nsys.path.append('/left')\nplt.figure()\n1 / 0",
    )
    assert np.get_printoptions() == options
    assert np.geterr()["divide"] == "warn"
    assert matplotlib.rcParams["font.size"] != 40
    assert "LEFT" not in os.environ and os.getcwd() == folder and "/left" not in sys.path
    assert matplotlib.pyplot.get_fignums() == []
    assert run(session, "print('np' in globals())")[0]["stdout"] == "False\n"


@pytest.mark.parametrize(
    "breaks, works, says",
    [
        ("import numpy as np\nnp.exp = None", "import numpy as np\nprint(np.exp(0.0))", "1.0\n"),
        ("import builtins\nbuiltins.print = None", "print('alive')", "alive\n"),
        ("import attn\nattn.softmax = None", "import attn\nprint(attn.softmax([1.0]))", "[1.]\n"),
        (
            "import warnings\nwarnings.simplefilter('once', BytesWarning)",
            "import warnings\nprint(('once', None, BytesWarning, None, 0) in warnings.filters)",
            "False\n",
        ),
        (
            "import matplotlib.pyplot as plt\nplt.switch_backend('Agg')",
            "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\nprint(plt.get_fignums())",
            "[]\n",
        ),
    ],
)
def test_what_a_run_breaks_is_whole_in_the_next(session, breaks, works, says):
    run(session, breaks)
    result = run(session, works)[0]
    assert (result["stdout"], result["stderr"], result["error"]) == (says, "", None)


RIGHT = "def scores(q, k):\n    return q @ k.T\n"
WRONG = "def scores(q, k):\n    return q\n"


def checked(session, code):
    return run(session, code, exercise="scores", function="scores")[-1]


@pytest.mark.parametrize(
    "code, solved",
    [
        (RIGHT, True),
        (WRONG, False),
        ("import attn.exercises\nattn.exercises.check = lambda *given: True\n" + WRONG, False),
        ("import attn.exercises\nattn.exercises.report = lambda *given: ('', True)\n" + WRONG, False),
        ("import builtins\nbuiltins.print = None\nprint = None\n" + RIGHT, True),
        (RIGHT.replace("scores", "other"), None),
    ],
)
def test_the_checker_is_out_of_reach(session, code, solved):
    result = checked(session, code)
    assert (result["solved"], result["error"]) == (solved, None)


def test_an_error_in_the_check_has_the_line_of_the_reader_or_none(session, monkeypatch):
    error = checked(session, "\n\ndef scores(q, k):\n    raise KeyboardInterrupt\n")["error"]
    assert (error["kind"], error["line"]) == ("KeyboardInterrupt", 4)
    monkeypatch.setattr(session, "_check", lambda *given: 1 / 0)
    assert checked(session, RIGHT)["error"]["line"] is None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python itself advises since 3.12")
def test_the_advice_of_python_is_part_of_the_message(session):
    message = run(session, "prnt(1)")[0]["error"]["message"]
    assert message == "name 'prnt' is not defined. Did you mean: 'print'?"


def test_input_says_what_to_do(session):
    error = run(session, "x = 1\ny = input('number? ')")[0]["error"]
    assert (error["kind"], error["line"]) == ("RuntimeError", 2)
    assert "no keyboard" in error["message"]


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.exit()",
        "assert False",
        "class Mute(Exception):\n    def __str__(self):\n        raise self\nraise Mute",
    ],
)
def test_an_error_without_a_message_has_none(session, code):
    assert run(session, code)[0]["error"]["message"] == ""


def test_what_is_written_to_stderr_is_told_apart(session):
    result = run(session, "import sys\nprint('careful', file=sys.stderr)\nprint('out')")[0]
    assert (result["stdout"], result["stderr"], result["error"]) == ("out\n", "careful\n", None)


def test_a_figure_is_what_the_page_shows(session):
    code = (
        "import matplotlib.pyplot as plt\nfrom attn import figures, lessons\n"
        "lesson = lessons.three_positions()\n"
        "figures.data_flow(lesson.x, lesson.trace(), lang='zh')\nplt.show()\n"
    )
    with Runner(None, workers=1) as builder:
        built = builder.run(parse(f"```python\n{code}```\n")).result()[1].figures[0]
    figure = run(session, code, prefix="live7")[0]["figures"][0]
    assert figure["svg"].replace("live7-1-1", "ATTNFIG") == built.svg
    assert (figure["element"], figure["data"]) == (built.element, built.data)


def test_a_figure_that_is_neither_shown_nor_described_is_shown_and_described(session, driver):
    result = run(session, "import matplotlib.pyplot as plt\nplt.plot([1, 2])")[0]
    assert result["error"] is None
    assert driver.ALT["en"] in result["figures"][0]["svg"]


def test_figures_of_a_block_have_ids_of_their_own(session):
    code = "import matplotlib.pyplot as plt\nfor _ in range(2):\n    plt.figure()\nplt.show()"
    first, second = run(session, code)[0]["figures"]
    assert "live-1-1-title" in first["svg"] and "live-1-2-title" in second["svg"]


PLOT = "import matplotlib.pyplot as plt\nplt.figure()\nplt.title({title!r})\n"


@pytest.mark.parametrize("show", ["plt.show()\n", ""])
def test_what_was_printed_and_drawn_before_an_error_stays(session, show):
    result = run(session, f"print('first')\n{PLOT.format(title='seen')}{show}1 / 0")[0]
    assert result["stdout"] == "first\n"
    assert len(result["figures"]) == 1
    assert (result["error"]["kind"], result["error"]["drawing"]) == ("ZeroDivisionError", False)
    assert run(session, "x = 1")[0]["figures"] == []


def test_an_error_of_the_code_comes_before_that_of_its_figure(session):
    result = run(session, PLOT.format(title="\U00020000") + "1 / 0")[0]
    assert (result["error"]["kind"], result["error"]["line"]) == ("ZeroDivisionError", 4)
    assert result["figures"] == []


def test_a_figure_that_cannot_be_drawn_is_an_error(session):
    error = run(session, "import matplotlib.pyplot as plt\nplt.title('\\U00020000')\nplt.show()")[0]["error"]
    assert (error["kind"], error["line"], error["drawing"]) == ("MissingGlyph", None, True)


@pytest.mark.parametrize("options", ["", "plt.rcParams['font.sans-serif'] = ['DejaVu Sans']\n"])
def test_a_readers_own_chinese_is_drawn(session, options):
    result = run(session, f"import matplotlib.pyplot as plt\n{options}plt.title('注意力权重')")[0]
    assert (result["error"], len(result["figures"])) == (None, 1)
