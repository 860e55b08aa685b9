"""Scripts of the interactive figures: bundled, small, loaded where they are used and only there."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import elements
import hooks
import pytest
from elements import bundles, used
from esbuild import BundleError

ROOT = Path(__file__).resolve().parent.parent
NODE = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
EACH, ALL = 12_000, 45_000  # bytes on the wire

needs_esbuild = pytest.mark.skipif(
    NODE is None or not (ROOT / "node_modules" / "esbuild").exists(), reason="needs Node and `npm ci`"
)

SMALL = """\
import { AttnElement, define, html } from "./shared.js";

class Small extends AttnElement {
  static words = { zh: ZH && { title: "小" }, en: EN && { title: "Small" } };
  fields() {
    return {};
  }
  view() {
    return html`<p>small</p>`;
  }
}

define("small", Small);
"""


@pytest.fixture
def project(tmp_path):
    """A project with the shared sources and one small element."""
    root = tmp_path / "project 项目"
    shutil.copytree(ROOT / elements.SOURCES, root / elements.SOURCES)
    for entry in (root / elements.SOURCES).glob("attn-*.js"):
        entry.unlink()
    (root / elements.SOURCES / "attn-small.js").write_text(SMALL, encoding="utf-8")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / name, root)
    (root / "node_modules").symlink_to(ROOT / "node_modules")
    return root


@pytest.fixture(scope="module", params=["zh", "en"])
def scripts(tmp_path_factory, request) -> dict[str, Path]:
    return bundles(ROOT, tmp_path_factory.mktemp("cache") / "elements", NODE, request.param)


def weight(content: bytes) -> int:
    return len(gzip.compress(content))


def too_heavy(weights: dict[str, int]) -> list[str]:
    found = [name for name, own in weights.items() if own > EACH]
    return found + ([] if sum(weights.values()) <= ALL else ["all together"])


@needs_esbuild
def test_every_element_and_what_they_share_has_a_script(scripts):
    sources = [path.name for path in sorted((ROOT / elements.SOURCES).glob("attn-*.js"))]
    assert sources
    assert list(scripts) == [f"assets/elements/{name}" for name in ["shared.js", *sources]]


@needs_esbuild
def test_the_scripts_are_light(scripts):
    weights = {name: weight(path.read_bytes()) for name, path in scripts.items()}
    assert too_heavy(weights) == []


def test_a_heavy_script_is_noticed():
    heavy = {"one": weight(os.urandom(EACH))}
    assert too_heavy(heavy) == ["one"]
    many = {str(number): EACH - 1 for number in range(4)}
    assert too_heavy(many) == ["all together"]


@needs_esbuild
def test_the_scripts_are_classic_ones(scripts):
    for name, path in scripts.items():
        # As a browser reads a script that is no module; `import` would not parse.
        parse = "new (require('vm').Script)(require('fs').readFileSync(0, 'utf8'))"
        done = subprocess.run([NODE, "-e", parse], input=path.read_text("utf-8"), capture_output=True, encoding="utf-8")
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert re.search(r"^import\b", path.read_text("utf-8"), re.M) is None


@needs_esbuild
def test_what_is_shared_is_in_one_script_only(scripts):
    for mark in ("lit$", "6d2b79f5", "1831565813"):  # of lit-html; of attention.js, as written or minified
        having = [name for name, path in scripts.items() if mark in path.read_text("utf-8")]
        assert having in (["assets/elements/shared.js"], []), mark
    shared = scripts["assets/elements/shared.js"].read_text("utf-8")
    assert "lit$" in shared and ("6d2b79f5" in shared or "1831565813" in shared)


def test_figures_and_elements_know_each_other():
    named = set()
    for module in (ROOT / "attn" / "figures").glob("*.py"):
        if module.name != "interactive.py":
            named |= set(re.findall(r'make_interactive\(\s*fig,\s*"([a-z-]+)"', module.read_text("utf-8")))
    defined = set()
    for source in (ROOT / elements.SOURCES).glob("attn-*.js"):
        (name,) = re.findall(r'^define\("([a-z-]+)"', source.read_text("utf-8"), re.M)
        assert source.name == f"attn-{name}.js"
        defined.add(name)
    assert named == defined


@needs_esbuild
def test_nothing_is_bundled_twice_and_changes_are_noticed(project, tmp_path):
    cache = tmp_path / "cache"
    first = bundles(project, cache, NODE, "zh")["assets/elements/attn-small.js"]
    stamp = first.stat().st_mtime_ns
    assert "small" in first.read_text("utf-8")
    assert bundles(project, cache, NODE, "zh")["assets/elements/attn-small.js"].stat().st_mtime_ns == stamp

    entry = project / elements.SOURCES / "attn-small.js"
    entry.write_text(SMALL.replace("<p>small", "<p>smaller"), encoding="utf-8")
    second = bundles(project, cache, NODE, "zh")["assets/elements/attn-small.js"]
    assert "smaller" in second.read_text("utf-8")

    shared = project / elements.SOURCES / "format.js"
    shared.write_text(shared.read_text("utf-8").replace('"−"', '"MINUS"'), encoding="utf-8")
    assert "MINUS" in bundles(project, cache, NODE, "zh")["assets/elements/shared.js"].read_text("utf-8")


@needs_esbuild
def test_a_script_has_the_words_of_one_language(project, tmp_path):
    for language, kept, dropped in (("zh", "小", "Small"), ("en", "Small", "小")):
        script = bundles(project, tmp_path / "cache", NODE, language)["assets/elements/attn-small.js"]
        words = re.search(r"\{zh:.*?\}\)?[,;]", script.read_text("utf-8"))[0]
        assert kept in words and dropped not in words


def test_every_element_leaves_out_the_other_language():
    for source in (ROOT / elements.SOURCES).glob("attn-*.js"):
        text = source.read_text("utf-8")
        assert (text.count("zh: ZH && {"), text.count("en: EN && {")) == (1, 1), source.name


@needs_esbuild
def test_a_broken_source_is_named_with_its_line(project, tmp_path):
    (project / elements.SOURCES / "attn-small.js").write_text(SMALL + "const 1;\n", encoding="utf-8")
    with pytest.raises(BundleError, match=r"attn-small\.js:14:\d+"):
        bundles(project, tmp_path / "cache", NODE, "zh")


@needs_esbuild
def test_an_import_of_something_that_is_not_there_is_named(project, tmp_path):
    broken = SMALL.replace('define("', 'import "./nowhere.js";\ndefine("', 1)
    (project / elements.SOURCES / "attn-small.js").write_text(broken, encoding="utf-8")
    with pytest.raises(BundleError, match=r"nowhere\.js"):
        bundles(project, tmp_path / "cache", NODE, "zh")


def test_without_esbuild_the_message_says_how_to_get_it(project, tmp_path):
    (project / "node_modules").unlink()
    with pytest.raises(BundleError, match=r"dev\.py build"):
        bundles(project, tmp_path / "cache", NODE, "zh")
    with pytest.raises(BundleError, match=r"dev\.py build"):
        bundles(project, tmp_path / "cache", None, "zh")


def test_a_project_without_elements_needs_no_esbuild(project, tmp_path):
    (project / elements.SOURCES / "attn-small.js").unlink()
    assert bundles(project, tmp_path / "cache", None, "zh") == {}


PAGE = "<html><head><title>t</title></head><body>{}</body></html>"


def test_a_page_loads_the_scripts_of_its_elements_once_and_the_shared_one_first():
    page = PAGE.format("<attn-two></attn-two><attn-one></attn-one><attn-two></attn-two>")
    assert used(page) == ["shared", "attn-one", "attn-two"]
    made = hooks.with_scripts(page, lambda path: f"../{path}")
    assert re.findall(r'<script defer src="([^"]+)"', made) == [
        "../assets/elements/shared.js",
        "../assets/elements/attn-one.js",
        "../assets/elements/attn-two.js",
    ]
    head, body = made.split("</head>")
    assert head.count('<link rel="stylesheet" href="../assets/css/elements.css">') == 1
    assert "stylesheet" not in body


def test_a_page_without_elements_loads_nothing():
    page = PAGE.format("<p>The element &lt;attn-one&gt; in words.</p>")
    assert used(page) == []
    assert hooks.with_scripts(page, lambda path: path) == page
