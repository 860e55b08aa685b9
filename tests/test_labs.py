"""The labs: what Jupyter runs is what the page shows, and every task answers.

The small project is that of test_build.py, with one lab.
"""

import contextlib
import io
import os
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_build import build, made

import labs
import warm_kernels
from chapter import parse, read

ROOT = Path(__file__).resolve().parent.parent
LAB = "labs/01-lab.md"
HEADER = read(ROOT / "docs/en/labs/01-five-lines.md").split("\n# ")[0]
PAGE = f"""{HEADER}
# A lab {{#a-lab}}

## One {{#one}}

The root $\\sqrt{{2}}$.

```python
print("hello")
```

~~~text
hello
~~~

<!--pytest-codeblocks:cont-->
```python
import matplotlib.pyplot as plt
from attn.figures import describe

figure, axes = plt.subplots(figsize=(2, 1))
axes.plot([1, 2])
describe(figure, "a rising line")
plt.show()
```

??? success "Answer"
    ```python
    print("folded")
    ```

    ~~~text
    folded
    ~~~
"""


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    root = made(tmp_path_factory.mktemp("labs"))
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        config = (root / name).read_text("utf-8")
        (root / name).write_text(config.replace("nav:\n", f"nav:\n  - {LAB}\n", 1), "utf-8")
    for language in ("zh", "en"):
        (root / "docs" / language / "labs").mkdir()
    return root


@pytest.fixture
def project(made_once):
    """With the lab as it should be. Tests leave it changed."""
    for language in ("zh", "en"):
        (made_once / "docs" / language / LAB).write_text(PAGE, "utf-8")
    return made_once


def edit(root, old, new):
    path = root / "docs/en" / LAB
    assert old in PAGE
    path.write_text(PAGE.replace(old, new, 1), "utf-8")


def page(root):
    return (root / "site/en" / LAB.replace(".md", "/index.html")).read_bytes()


def test_a_kernel_runs_a_lab_and_the_page_is_like_any_other(project):
    done = build(project)
    assert done.returncode == 0, done.stdout + done.stderr
    built = page(project).decode()
    assert built.count('<figure class="attn-figure"') == 1 and "a rising line" in built
    assert 'id="one"' in built and "{#" not in built
    assert 'class="katex"' in built and "<math" in built
    assert "attn-output" in built and "folded" in built
    assert not re.search(r"mathjax|require\.js|jp-Cell|cdnjs", built, re.I)
    assert 'href="../../notebooks/lab-01-lab.en.ipynb" download' in built
    assert "colab.research" not in built, "no branch of GitHub holds this site"
    assert "hello" in (project / "site/en/notebooks/lab-01-lab.en.ipynb").read_text("utf-8")
    kept = list((project / ".cache/labs/en").glob("*/*.json"))
    assert len(kept) == 1 and not list((project / ".cache/labs/zh").glob("*/*.json"))

    shutil.rmtree(project / ".cache/labs")
    assert build(project).returncode == 0
    assert page(project) == built.encode(), "two cold builds"

    shutil.rmtree(project / ".cache/labs")
    assert build(project, serving=True).returncode == 0
    assert not (project / ".cache/labs/ipython").exists(), "serving started a kernel"
    assert page(project) == built.encode(), "serving shows what a build makes"

    assert build(project, execute=False).returncode == 0
    assert not (project / ".cache/labs/ipython").exists(), "a kernel ran without being asked"


def test_a_value_that_only_jupyter_shows_stops_the_build(project):
    edit(project, 'print("hello")\n', 'print("hello")\n1 + 1\n')
    done = build(project)
    assert done.returncode == 1
    assert f"docs/en/{LAB}" in done.stdout and "print it" in done.stdout


def test_a_cell_that_fails_stops_the_build(project):
    edit(project, 'print("hello")\n', 'print("hello")\n1 / 0\n')
    done = build(project)
    assert done.returncode == 1
    assert f"docs/en/{LAB}" in done.stdout and "ZeroDivisionError" in done.stdout


def test_an_output_that_a_kernel_does_not_print_stops_the_build(project):
    edit(project, 'print("hello")\n', "print('hello' if __name__ == 'chapter' else 'Jupyter')\n")
    done = build(project)
    assert done.returncode == 1
    assert "+Jupyter" in done.stdout


def test_what_a_lab_imports_is_part_of_where_its_results_are_kept(tmp_path, monkeypatch):
    def folder(language="en", execute=True):
        options = {"include": ["labs/*.md"]}
        config = SimpleNamespace(
            plugins={labs.PLUGIN: SimpleNamespace(config=options)}, theme={"language": language}
        )
        labs.prepare(config, tmp_path, execute=execute)
        return options.get("cache_dir"), options["include"]

    before, include = folder()
    assert include
    assert folder()[0] == before != folder("zh")[0]
    Path(before).mkdir(parents=True)
    monkeypatch.setattr(labs, "fingerprint", lambda: "attn has changed")
    assert folder()[0] != before
    assert not Path(before).exists(), "results that nothing can use stay"
    assert folder(execute=False)[1] == []


# What a kernel says, and what is made of it

ONE = parse('```python\nprint("x")\n```\n')


def cell(*outputs, source='print("x")'):
    return {"source": source, "outputs": list(outputs)}


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def test_streams_and_figures_become_a_result():
    figure = {"svg": "<svg/>", "alt": "a", "element": None, "data": None}
    shown = {"output_type": "display_data", "data": {labs.FIGURE: figure}}
    (result,) = labs.results(ONE, [cell(stream("x"), shown, stream("y\n"))]).values()
    assert result.stdout == "xy\n" and [f.svg for f in result.figures] == ["<svg/>"]
    assert result.error is None


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        (stream("careful", "stderr"), "Stderr"),
        ({"output_type": "execute_result", "data": {"text/plain": "2"}}, "ShownValue"),
        ({"output_type": "display_data", "data": {"image/png": ""}}, "ShownValue"),
    ],
)
def test_what_a_page_does_not_show_is_an_error(output, kind):
    (result,) = labs.results(ONE, [cell(output)]).values()
    assert result.error.kind == kind


def test_other_cells_than_blocks_are_an_error():
    with pytest.raises(labs.LabError, match="2 cells where the page has 1"):
        labs.results(ONE, [cell(), cell()])
    with pytest.raises(labs.LabError):
        labs.results(ONE, [cell(source="print()")])


# Every task: untouched it says nothing, right it says so, wrong it says what is wrong.

STEP = """\
    new = np.maximum(largest, scores.max(axis=1))
    {shrink}
    exponentials = np.exp(scores - new[:, None])
    total = shrink * total + exponentials.sum(axis=1)
    weighted = shrink[:, None] * weighted + exponentials @ values
    return new, total, weighted
"""
TASKS = [
    ("01", "row_3 = ...", ["[1 / 7, 2 / 7, 4 / 7]"], ["[1, 2, 4]", "[1 / 4, 1 / 4, 1 / 2]"]),
    (
        "01",
        "def stable(scores):\n    ...",
        ["scores = scores - scores.max(axis=-1, keepdims=True)\n    return softmax(scores)"],
        ["scores = scores - scores.max(axis=-1, keepdims=True)\n    return np.exp(scores)"],
    ),
    ("01", "same = ...", ["[[1, 2, 3, 4]] * 2"], ["[1, 2, 3, 4]", "[[1, 1, 1, 1]] * 2"]),
    ("01", "W_Q = ...", ["np.array([[1, 1], [0, 1]])"], ["np.eye(2)", "np.ones((2, 2))"]),
    ("02", "new_v = ...", ["[2, 2]"], ["[2, 1]", "[0, 2]"]),
    ("02", "doublings = ...", ["np.log2(12)"], ["2", "np.log2(6)"]),
    ("02", "interaction = ...", ["9 / 14"], ["0.15", "9 / 28"]),
    ("02", "v_1 = ...", ["[-4, 1]"], ["[2, 0]", "[0, 1]"]),
    (
        "03",
        "window = ...",
        ["np.tri(6, dtype=bool) & ~np.tri(6, k=-3, dtype=bool)"],
        ["np.tri(6, dtype=bool)", "np.tri(5, dtype=bool)", "~np.tri(6, k=-3, dtype=bool)"],
    ),
    ("03", "x_3 = ...", ["[5, 1]"], ["[1, 1]", "[1, 3]"]),
    (
        "03",
        "def masked_softmax(scores, visible):\n    ...",
        [
            "weights = np.zeros(len(scores))\n    "
            "weights[visible] = np.exp(scores[visible] - scores[visible].max(initial=-np.inf))\n    "
            "return weights / max(weights.sum(), 1)"
        ],
        [
            "return np.where(visible, softmax(scores), 0)",
            "weights = np.where(visible, np.exp(scores), 0)\n    "
            "return weights / weights.sum() if weights.any() else np.ones(3) / 3",
        ],
    ),
    ("03", "choice, count = ..., ...", ['"end", 6'], ['"start", 1', '"start", 6', '"end", 1']),
    (
        "04",
        "heads = ...",
        ["q.reshape(3, 2, 2).swapaxes(0, 1)"],
        ["q.reshape(2, 3, 2)", "q.reshape(3, 2, 2)"],
    ),
    (
        "04",
        "def kv_head(m, n_heads=28, n_kv_heads=4):\n    ...",
        ["return m // (n_heads // n_kv_heads)"],
        ["return m % n_kv_heads", "return m // n_kv_heads"],
    ),
    (
        "04",
        "q_columns, k_columns = ..., ...",
        ["slice(54, 56), slice(6, 8)"],
        ["slice(54, 56), slice(4, 6)", "slice(52, 56), slice(4, 8)"],
    ),
    (
        "04",
        "parameters, cache = ..., ...",
        ["29_364_736, 57_344"],
        ["29_360_128, 57_344", "29_364_736, 2_048"],
    ),
    ("05", "sums = ...", ["[1, 1, 1]"], ["[1, 3 / 2, 7 / 4]"]),
    (
        "05",
        "    ...",
        [STEP.format(shrink="shrink = np.exp(largest - new)").strip()],
        [STEP.format(shrink="shrink = np.ones(len(scores))").strip()],
    ),
    (
        "05",
        "def needed(b):\n    ...",
        ["return b * (b + 1) // 2"],
        ["return b * b // 2", "return b * b"],
    ),
]


def tasks(text):
    """How many places of a page wait for an answer."""
    return len(re.findall(r"^(?:\S.* = \.\.\.(?:, \.\.\.)?|    \.\.\.)(?:  #.*)?$", text, re.M))


def run(chain):
    namespace, printed = {"__name__": "lab"}, io.StringIO()
    for code in chain[:-1]:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, namespace)
    with contextlib.redirect_stdout(printed):
        exec(chain[-1], namespace)
    return printed.getvalue()


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("lab", "place", "right", "wrong"), TASKS, ids=lambda x: str(x)[:30])
def test_a_task_answers(language, lab, place, right, wrong):
    (path,) = (ROOT / "docs" / language / "labs").glob(f"{lab}-*.md")
    found = [
        [block.code for block in chain[: number + 1]]
        for chain in parse(read(path), path).chains
        for number, block in enumerate(chain)
        if not block.indent and (f"\n{place}" in f"\n{block.code}")
    ]
    # The step of lab 5 is a bare body, as others are: it is the one with a switch.
    found = [c for c in found if place != "    ..." or "complete = False" in c[-1]]
    assert len(found) == 1, "the task is not where it was"
    chain, answers = found[0], {"zh": "对了\n", "en": "right\n"}

    def answered(answer):
        dots = "..., ..." if place.endswith("..., ...") else "..."
        code = chain[-1].replace(place, place.removesuffix(dots) + answer, 1)
        return [*chain[:-1], code.replace("complete = False", "complete = True")]

    assert run(chain) == ""
    for answer in right:
        assert run(answered(answer)) == answers[language]
    for answer in wrong:
        with pytest.raises(AssertionError) as failed:
            run(answered(answer))
        assert str(failed.value), "it does not say what is wrong"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_task_is_left_out(language):
    pages = (ROOT / "docs" / language / "labs").glob("*.md")
    assert sum(tasks(read(path)) for path in pages) == len(TASKS)


# Kernels that start warm


def test_a_program_that_cannot_be_read_again_gets_ordinary_kernels(monkeypatch):
    from jupyter_client.provisioning import KernelProvisionerFactory

    factory = KernelProvisionerFactory.instance()
    monkeypatch.setattr(factory, "default_provisioner_name", "local-provisioner")
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__file__="/nowhere/<stdin>"))
    warm_kernels.use()
    assert factory.default_provisioner_name == "local-provisioner"
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__file__=__file__))
    warm_kernels.use()
    assert factory.default_provisioner_name == warm_kernels.NAME
    assert warm_kernels.NAME in factory.provisioners


def test_a_signal_for_a_kernel_that_has_ended_goes_to_no_one(monkeypatch):
    sent = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    warm_kernels._Process(SimpleNamespace(pid=1234567, exitcode=0)).send_signal(2)
    assert sent == []
    running = warm_kernels._Process(SimpleNamespace(pid=1234567, exitcode=None))
    running.send_signal(2)
    assert sent == [(1234567, 2)]

    def gone(pid, number):
        raise ProcessLookupError

    monkeypatch.setattr(os, "kill", gone)
    running.send_signal(2)  # it ended just after it was asked
