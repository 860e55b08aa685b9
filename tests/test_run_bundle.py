"""The scripts with which a page runs its code: bundled, small, the same from the same sources."""

import gzip
import shutil
from pathlib import Path

import hooks
import pytest
import run_bundle
from esbuild import BundleError
from pages import node

ROOT = Path(__file__).resolve().parents[1]
BUTTONS_BUDGET = 3_000  # bytes on the wire of what every page loads
EDITOR_BUDGET = 160_000  # and of what the first Run loads, without Python itself


@pytest.fixture
def project(tmp_path):
    for name in ("package-lock.json", *run_bundle.PYTHON):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / run_bundle.SOURCES, tmp_path / run_bundle.SOURCES)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


def bundles(project, cache="cache"):
    scripts = run_bundle.bundles(project, project / cache, node())
    return {path: script.read_bytes() for path, script in scripts.items()}


def test_a_page_loads_little_until_the_first_run(project):
    scripts = bundles(project)
    weights = {path: len(gzip.compress(content)) for path, content in scripts.items()}
    assert weights.pop("assets/run/run.js") <= BUTTONS_BUDGET
    assert sum(weights.values()) <= EDITOR_BUDGET


def test_the_same_sources_give_the_same_bytes(project):
    assert bundles(project) == bundles(project, "another")


@pytest.mark.parametrize("source", [run_bundle.SOURCES / "driver.py", *run_bundle.PYTHON])
def test_what_changes_in_python_reaches_the_worker(project, source):
    before = bundles(project)["assets/run/worker.js"]
    path = project / source
    path.write_text(path.read_text("utf-8") + "CHANGED = True\n", encoding="utf-8")
    assert b"CHANGED" not in before
    assert b"CHANGED" in bundles(project)["assets/run/worker.js"]


def test_a_mistake_is_reported_with_its_line_and_leaves_nothing(project):
    path = project / run_bundle.SOURCES / "edits.js"
    path.write_text("const 1;\n", encoding="utf-8")
    with pytest.raises(BundleError, match=r"edits\.js:1:\d+"):
        bundles(project)
    assert not list(project.glob("cache/*"))


def test_the_buttons_are_a_classic_script(project):
    """Browsers refuse modules from `file://`, where a button has to say so."""
    assert b"export" not in bundles(project)["assets/run/run.js"]


def test_no_script_names_another_host(project):
    for content in bundles(project).values():
        hosts = {part.split(b"/")[0].split(b"`")[0] for part in content.split(b"https://")[1:]}
        assert hosts <= {b"bugs.webkit.org", b"github.com"}, hosts


PAGE = "<html><head></head><body>{}</body></html>"
BLOCK = '<div class="highlight" data-copy="1" data-run="0a1b2c3d">'


@pytest.mark.parametrize("live, block, tags", [("1", BLOCK, 1), ("0", BLOCK, 0), (None, BLOCK, 0), ("1", "", 0)])
def test_only_a_page_that_can_run_something_loads_the_buttons(monkeypatch, live, block, tags):
    monkeypatch.delenv(hooks.LIVE, raising=False)
    if live is not None:
        monkeypatch.setenv(hooks.LIVE, live)
    page = hooks.with_scripts(PAGE.format(block), lambda path: f"../{path}")
    tag = '<script defer src="../assets/run/run.js" data-wheel="attention_by_hand-'
    assert page.count(tag) == page.count("<script") == tags
