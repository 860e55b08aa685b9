"""`dev.py bench` measures what it says: nothing here is timed."""

import os
import sys
from pathlib import Path

import nbformat
import pytest

import bench
import rivals
from suite import find_browser

DRAWS = """\
# Page {#page}

```python
import matplotlib.pyplot as plt

plt.figure()
plt.plot([1, 2])
plt.show()
```

!!! note

    ```python
    print(6 * 7)
    ```

    ~~~text
    42
    ~~~

<!--pytest-codeblocks:cont-->
    ```python
    print(6 * 8)
    ```
"""


@pytest.fixture
def docs(tmp_path):
    for language in ("zh", "en"):
        (tmp_path / "docs" / language).mkdir(parents=True)
        (tmp_path / "docs" / language / "page.md").write_text(DRAWS, encoding="utf-8")
        (tmp_path / "docs" / language / "index.md").write_text("# Home\n", encoding="utf-8")
    return tmp_path / "docs"


# The other tools get the same blocks, and really run them


def test_a_notebook_holds_every_block_once_and_no_recorded_output(docs, tmp_path):
    rivals.jupyter(docs, tmp_path / "jupyter")
    notebook = nbformat.read(tmp_path / "jupyter/docs/zh/page.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code[1:] == ["print(6 * 7)\n", "print(6 * 8)\n"]
    assert code[0].endswith("plt.show()\n")
    prose = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "# Page" in prose and "42" not in prose and "```" not in prose


def test_blocks_of_a_chain_share_a_session(docs, tmp_path):
    rivals.markdown_exec(docs, tmp_path / "exec")
    lines = (tmp_path / "exec/docs/en/page.md").read_text(encoding="utf-8").split("\n")
    fences = [line.split(" source")[0] for line in lines if "exec=" in line]
    assert fences == [
        '```python exec="on" session="chain-0"',
        '    ```python exec="on" session="chain-1"',
        '    ```python exec="on" session="chain-1"',
    ]


def test_a_block_that_needs_a_missing_module_is_left_to_read(docs, tmp_path):
    block = "<!--pytest-codeblocks:importorskip(not_there)-->\n```python\nimport not_there\n```\n"
    (docs / "zh/page.md").write_text(DRAWS + block, encoding="utf-8")
    rivals.jupyter(docs, tmp_path / "jupyter")
    notebook = nbformat.read(tmp_path / "jupyter/docs/zh/page.ipynb", as_version=4)
    assert [c.cell_type for c in notebook.cells if "import not_there" in c.source] == ["markdown"]
    rivals.markdown_exec(docs, tmp_path / "exec")
    lines = (tmp_path / "exec/docs/zh/page.md").read_text(encoding="utf-8").split("\n")
    assert lines[lines.index("import not_there") - 1] == "```python"


def test_a_tool_that_draws_nothing_is_found_out(docs, tmp_path, monkeypatch):
    config = rivals.markdown_exec(docs, tmp_path / "exec")
    (tmp_path / "exec/.cache/mkdocs-jupyter").mkdir(parents=True)  # of an earlier build
    assert bench.rival_time("markdown-exec", config, docs) > 0
    page = tmp_path / "exec/site/en/page/index.html"
    assert "48" in page.read_text(encoding="utf-8")
    assert not (tmp_path / "exec/.cache/mkdocs-jupyter").exists()

    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("- markdown-exec", "- tags"), encoding="utf-8")
    with pytest.raises(bench.BenchError, match="shows 0 figures and should show 1"):
        bench.rival_time("markdown-exec", config, docs)


def test_a_command_that_fails_is_not_a_time(tmp_path):
    command = [sys.executable, "-c", "print('planted'); raise SystemExit(3)"]
    with pytest.raises(bench.BenchError, match="planted"):
        bench.timed("it", command, tmp_path, dict(os.environ))


# Copies


def test_a_copy_has_the_sources_and_nothing_built(tmp_path):
    root = Path(bench.__file__).parent.parent
    copy = bench.copy_tree(root, tmp_path / "copy")
    names = {path.name for path in copy.iterdir()}
    assert {"attn", "docs", "scripts", "mkdocs.yml", "mkdocs.en.yml", "pyproject.toml"} <= names
    assert not names & {"site", ".cache", ".git", ".venv"}


def test_the_edit_changes_what_the_first_block_prints():
    edited = bench.with_line(DRAWS, "print(1)")
    assert "plt.show()\nprint(1)\n```" in edited
    assert len(edited) == len(DRAWS) + len("print(1)\n")
    indented = DRAWS[DRAWS.index("!!!") :]
    assert "    print(6 * 7)\n    print(1)\n    ```" in bench.with_line(indented, "print(1)")


def test_a_file_that_differs_between_two_builds_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "copy_tree", lambda root, target: target)

    def build(tree):
        (tree / "site/zh").mkdir(parents=True)
        (tree / "site/same").write_text("same")
        (tree / "site/zh/dated").write_text(str(tree))
        (tree / "site" / tree.name).write_text("only here")

    monkeypatch.setattr(bench, "build", build)
    measure = bench.identical(tmp_path, tmp_path)
    assert not measure.met
    assert measure.value == "3 of 4 files differ"
    assert "zh/dated" in capsys.readouterr().out


def test_two_builds_with_the_same_bytes_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "copy_tree", lambda root, target: target)

    def build(tree):
        (tree / "site").mkdir(parents=True)
        (tree / "site/same").write_bytes(b"\x00same")

    monkeypatch.setattr(bench, "build", build)
    assert bench.identical(tmp_path, tmp_path).met


# What a page loads


@pytest.mark.skipif(find_browser(os.environ) is None, reason="no browser")
def test_a_heavy_page_and_a_request_elsewhere_are_seen(tmp_path):
    site = tmp_path / "site"
    (site / "page").mkdir(parents=True)
    (site / "light").mkdir()
    (site / "heavy.png").write_bytes(os.urandom(450_000))  # chance does not compress
    (site / "page/index.html").write_text(
        '<link rel="icon" href="data:,"><img src="../heavy.png">'
        '<img src="http://other.example/planted.png">'
    )
    (site / "light/index.html").write_text('<link rel="icon" href="data:,">' + "light " * 1000)
    heaviest, foreign = bench.weights(site, tmp_path)
    assert not heaviest.met and heaviest.value == "450 kB (page)"
    assert not foreign.met and foreign.value == "1"
    loaded, elsewhere = bench.load_pages(site, find_browser(os.environ))
    assert loaded["light"] < 200
    assert elsewhere == ["http://other.example/planted.png"]


def test_without_a_browser_nothing_is_claimed(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "find_browser", lambda env: None)
    assert [measure.met for measure in bench.weights(tmp_path, tmp_path)] == [None, None]
    assert {measure.value for measure in bench.weights(tmp_path, tmp_path)} == {"not measured"}


# The table


def test_a_target_is_met_up_to_its_bound():
    assert bench.ratio("a", 5.0, 2.0, most=2.5).met
    assert not bench.ratio("a", 5.1, 2.0, most=2.5).met
    assert bench.ratio("a", 10.0, 2.0, least=5).met
    assert not bench.ratio("a", 9.9, 2.0, least=5).met


def test_the_table_says_what_was_missed():
    lines = bench.table(
        [
            bench.Measure("cold", "2.61", "≤ 2.5", False),
            bench.Measure("warm", "1.00", "≤ 1.1", True),
            bench.Measure("pages", "not measured", "0", None),
        ]
    ).split("\n")
    assert lines[1].endswith("MISSED")
    assert lines[2].endswith("met")
    assert lines[3].endswith("0")
