"""What a reader's browser computes is what stands on the page: every chain, both languages.

One Pyodide in Node runs all chains with what the site serves; outputs are compared with the
page's, figures with those of the build.
"""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest
from same_figure import differences

import pyodide_files
import run_bundle
import weave
from chapter import parse, read
from pages import find_node, shared_runner
from wheel import build_wheel
from worker import FIGURE_PREFIX

ROOT = Path(__file__).resolve().parent.parent.parent
RUN = ROOT / "docs/theme/assets/run"
PAGES = sorted(path for language in ("zh", "en") for path in (ROOT / "docs" / language).rglob("*.md"))
CHAPTERS = {path.relative_to(ROOT).as_posix(): parse(read(path), path) for path in PAGES}
MISSING = ("torch",)  # modules that Pyodide does not have
PLANTED = ["import sys\nprint(sys.platform)\n"]  # another answer there than here


def runnable(chapter):
    """The chains up to the first block that needs what Pyodide does not have."""
    for chain in chapter.chains:
        needs = [block.importorskip for block in chain]
        cut = next((n for n, module in enumerate(needs) if module in MISSING), len(chain))
        if cut:
            yield chain[:cut]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Page and first line of each chain → what its blocks did; `PLANTED` under its own name."""
    files = pyodide_files.files(ROOT)
    if files is None:
        missing = "Pyodide's files are not here; `dev.py build` fetches them"
        (pytest.fail if os.environ.get("CI", "").lower() in ("1", "true") else pytest.skip)(missing)
    folder = tmp_path_factory.mktemp("pyodide")
    for name, path in files.items():
        (folder / name).symlink_to(path)
    chains = {
        (page, chain[0].line): ([block.code for block in chain], page.split("/")[1])
        for page, chapter in CHAPTERS.items()
        for chain in runnable(chapter)
    }
    chains["planted"] = (PLANTED, "en")
    given = {
        "run": str(RUN),
        "pyodide": str(folder),
        "wheel": str(build_wheel(ROOT, folder / "wheel")),
        "modules": {path.stem: read(ROOT / path) for path in (RUN / "driver.py", *run_bundle.PYTHON)},
        "chains": [{"blocks": blocks, "language": language} for blocks, language in chains.values()],
    }
    done = subprocess.run(
        [find_node(), str(Path(__file__).with_name("chains.mjs"))],
        input=json.dumps(given),
        capture_output=True,
        encoding="utf-8",
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(chains, map(json.loads, done.stdout.splitlines()), strict=True))


def problems(block, number, expected, came):
    """What one block did otherwise than the page says; `number` counts the blocks of its chain."""
    found = []
    if came.get("error"):
        found.append("raised: " + came["error"]["trace"])
    if came["stderr"]:
        found.append("on stderr: " + came["stderr"])
    page = weave._tidy(block.output.code) if block.output else ""
    if weave._tidy(came["stdout"]) != page:
        found.append(f"printed {came['stdout']!r}; the page has {page!r}")
    if len(came["figures"]) != len(expected.figures):
        found.append(f"{len(came['figures'])} figures; the page has {len(expected.figures)}")
    for count, (one, other) in enumerate(zip(came["figures"], expected.figures), 1):
        svg = other.svg.replace(FIGURE_PREFIX, f"live-{number}-{count}")
        found += [f"figure {count}: {text}" for text in differences(one["svg"], svg)]
        if one.get("element") != other.element or not same_numbers(
            json.loads(one.get("data") or "null"), json.loads(other.data or "null")
        ):
            found.append(f"figure {count}: what its interactive form starts from")
    return found


def same_numbers(one, other):
    """Whether two values of JSON are the same but for the rounding of another BLAS."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same_numbers(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_numbers, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


@pytest.mark.parametrize("page", [page for page, chapter in CHAPTERS.items() if chapter.blocks])
def test_the_page_shows_what_pyodide_computes(page, ran):
    chains = list(runnable(CHAPTERS[page]))
    if not chains:
        pytest.skip(f"its code needs {' or '.join(MISSING)}, which Pyodide does not have")
    results = shared_runner(ROOT).run(CHAPTERS[page]).result()
    found = []
    for chain in chains:
        came = ran[page, chain[0].line]
        for number, (block, one) in enumerate(zip(chain, came), 1):
            found += [f"line {block.line}: {text}" for text in problems(block, number, results[block.line], one)]
        if len(came) < len(chain):
            found.append(f"line {chain[len(came)].line}: did not run")
    assert not found, "\n".join(found)


# The comparison finds what differs


def block_of(text):
    chapter = parse(text)
    return chapter.blocks[0], shared_runner(ROOT).run(chapter).result()[chapter.blocks[0].line]


def test_an_output_that_pyodide_does_not_give_is_found(ran):
    block, expected = block_of(f"```python\n{PLANTED[0]}```\n\n~~~text\nlinux\n~~~\n")
    assert problems(block, 1, expected, ran["planted"][0]) == [
        "printed 'emscripten\\n'; the page has 'linux'"
    ]


DRAWING = """
```python
import matplotlib.pyplot as plt
from attn.figures import describe

figure, axes = plt.subplots(figsize=(3, 2))
axes.plot([1, 2, 4], [1, 3, 2], color="#336699", linewidth=2)
axes.bar([1, 2], [2, 3], alpha=0.25)
axes.set_title("weights 0.25")
describe(figure, "A line from 1 over 3 to 2.")
plt.show()
```
"""
FAULTS = {
    "another value": ("[1, 3, 2]", "[1, 3, 2.1]"),
    "another bar": ("[2, 3]", "[2, 2.5]"),
    "another label": ("weights 0.25", "weights 0.26"),
    "another colour": ("#336699", "#336698"),
    "another strength": ("alpha=0.25", "alpha=0.26"),
    "another width": ("linewidth=2", "linewidth=2.1"),
    "another alt text": ("to 2.", "to 4."),
    "one figure more": ("plt.show()", "plt.show(); describe(plt.figure(), 'x.'); plt.show()"),
}


def as_came(result):
    figures = [
        {"svg": figure.svg.replace(FIGURE_PREFIX, f"live-1-{count}")}
        for count, figure in enumerate(result.figures, 1)
    ]
    return {"stdout": result.stdout, "stderr": "", "figures": figures}


def test_the_same_figure_is_the_same():
    block, result = block_of(DRAWING)
    assert problems(block, 1, result, as_came(result)) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_figure_that_differs_is_found(fault):
    old, new = FAULTS[fault]
    assert old in DRAWING
    block, result = block_of(DRAWING)
    _, other = block_of(DRAWING.replace(old, new))
    assert problems(block, 1, result, as_came(other)) != []


def test_what_a_figure_starts_from_may_differ_by_rounding_alone():
    assert same_numbers({"w": [[0.1 + 0.2, 1]]}, {"w": [[0.3, 1]]})
    assert not same_numbers({"w": [[0.3000001]]}, {"w": [[0.3]]})
    assert not same_numbers({"w": [0.3]}, {"w": [0.3, 0.3]})
    assert not same_numbers({"w": ["3"]}, {"w": ["4"]})
    assert not same_numbers(True, None)


def test_an_error_a_warning_and_a_block_that_did_not_run_are_found():
    block, result = block_of("```python\nprint(1)\n```\n\n~~~text\n1\n~~~\n")
    came = as_came(result)
    assert problems(block, 1, result, came) == []
    assert problems(block, 1, result, dict(came, stderr="DeprecationWarning"))
    assert problems(block, 1, result, dict(came, error={"trace": "ZeroDivisionError"}))
