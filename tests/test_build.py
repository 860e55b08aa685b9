"""Whole builds of a small project: what a writer and a publisher see, right and wrong.

The project is a copy of this one with three short pages an edition, built in a process
of its own, as `dev.py build` does.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = "chapters/06-three-positions.md"
PAGE = """\
# {title} {{#title}}

## One {{#one}}

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

The root $\\sqrt{{2}}$.
"""
RUN = """\
import sys
sys.path.insert(0, "scripts")
from pathlib import Path
import editions
sys.exit(editions.build(Path.cwd(), **{arguments!r}))
"""


def made(folder):
    """A project with a name that has a space and Chinese in it."""
    root = folder / "my site 网站"
    root.mkdir()
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("attn", "scripts", "docs/theme"):
        shutil.copytree(ROOT / name, root / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE", "package.json", "package-lock.json"):
        shutil.copy(ROOT / name, root / name)
    (root / "node_modules").symlink_to(ROOT / "node_modules")
    for language, title in (("zh", "标题"), ("en", "Title")):
        config = (ROOT / {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}[language]).read_text("utf-8")
        config = re.sub(r"(?m)^nav:\n(?:[ #-].*\n)+", f"nav:\n  - index.md\n  - {CHAPTER}\n", config)
        (root / {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}[language]).write_text(config, "utf-8")
        docs = root / "docs" / language
        (docs / "chapters").mkdir(parents=True)
        (docs / "index.md").write_text(f"# {title} {{#home}}\n\n`{{{{ wheel }}}}`\n", "utf-8")
        (docs / CHAPTER).write_text(PAGE.format(title=title), "utf-8")
    return root


@pytest.fixture
def project(tmp_path):
    return made(tmp_path)


def build(root, languages=("en",), **arguments):
    arguments["languages"] = languages
    environment = {k: v for k, v in os.environ.items() if k not in ("SITE_URL", "MPLBACKEND")}
    return subprocess.run(
        [sys.executable, "-c", RUN.format(arguments=arguments)],
        cwd=root,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def edit(root, old, new, language="en"):
    path = root / "docs" / language / CHAPTER
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def line_of(root, text, language="en"):
    lines = (root / "docs" / language / CHAPTER).read_text("utf-8").split("\n")
    return lines.index(text) + 1


def page(root, language="en"):
    return (root / "site" / language / CHAPTER.replace(".md", "/index.html")).read_text("utf-8")


def test_a_page_has_its_output_its_figure_its_formula_and_what_copy_copies(project):
    done = build(project, ("zh", "en"), site_url="https://someone.example/repo/")
    assert done.returncode == 0, done.stdout + done.stderr
    for language in ("zh", "en"):
        html = page(project, language)
        assert html.count('<figure class="attn-figure"') == 1
        assert "a rising line" in html and "data-figure" not in html
        assert 'class="katex"' in html and "<math" in html and "\\(" not in html
        assert "print(&quot;hello&quot;)&#10;import matplotlib.pyplot as plt&#10;" in html
        assert '<span class="attn-number">06</span> ' in html
        assert html.count("06 标题" if language == "zh" else "06 Title") >= 2, "title and navigation"
    address = "https://someone.example/repo/attention_by_hand-0.1.0-py3-none-any.whl"
    assert address in (project / "site/en/index.html").read_text("utf-8")
    assert (project / "site" / address.rsplit("/")[-1]).is_file()
    assert (project / "site/.nojekyll").exists()
    assert 'href="https://someone.example/repo/en/' in page(project)


def test_a_build_that_has_pyodide_serves_it_and_says_so_to_the_pages(project):
    hooks = project / "scripts/hooks.py"
    said = "\n\ndef on_post_build(config): print('ATTN_LIVE', os.environ['ATTN_LIVE'])\n"
    hooks.write_text(hooks.read_text("utf-8") + said, "utf-8")
    code = RUN.replace("**{arguments!r}", "languages=('en',), execute=False, pyodide={files}")

    def built(files):
        command = [sys.executable, "-c", code.format(files=files)]
        return subprocess.run(command, cwd=project, capture_output=True, encoding="utf-8").stdout

    assert "ATTN_LIVE 1" in built("{'core.wasm': Path('LICENSE')}")
    served = project / "site/pyodide"
    assert (served / "core.wasm").read_bytes() == (project / "LICENSE").read_bytes()
    wheel = next((project / "site").glob("*.whl"))
    assert json.loads((served / "sizes.json").read_text()) == {
        "core.wasm": (project / "LICENSE").stat().st_size,
        wheel.name: wheel.stat().st_size,
    }
    assert "ATTN_LIVE 0" in built(None)
    assert not served.exists()


def test_two_cold_builds_are_the_same_bytes(tmp_path):
    trees = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        root = made(tmp_path / name)
        assert build(root, ("zh", "en")).returncode == 0
        site = root / "site"
        files = sorted(path for path in site.rglob("*") if path.is_file())
        trees.append({path.relative_to(site).as_posix(): path.read_bytes() for path in files})
    first, second = trees
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


BROKEN = {
    "raises": ('print("hello")', "1 / 0", "ZeroDivisionError: division by zero"),
    "warns": ('print("hello")', "import warnings; warnings.warn('old')", "UserWarning: old"),
    "stderr": ('print("hello")', "import sys; sys.stderr.write('x')", "wrote to stderr"),
    "exits": ('print("hello")', "raise SystemExit", "must not exit"),
    "prints a megabyte": ('print("hello")', "print('x' * 10**6)", "64 KiB"),
    "no alt text": ('describe(figure, "a rising line")', "", "alt text"),
    "stale": ('print("hello")', 'print("bye")', "the output is out of date"),
}


@pytest.mark.parametrize(("old", "new", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_block_stops_the_build_with_file_line_and_reason(project, old, new, words):
    edit(project, old, new)
    done = build(project)
    assert done.returncode == 1
    assert words in done.stdout
    assert f"docs/en/{CHAPTER}:" in done.stdout
    assert not (project / "site/en" / CHAPTER).exists()


def test_the_line_is_the_line_in_the_markdown(project):
    edit(project, 'print("hello")', "x = 1\n1 / 0")
    assert f"docs/en/{CHAPTER}:{line_of(project, '1 / 0')}: " in build(project).stdout


def test_every_problem_is_named_not_only_the_first(project):
    edit(project, 'print("hello")', 'print("bye")')
    edit(project, "The root", "```python\n1 / 0\n```\n\nThe root")
    assert "2 problem(s)" in build(project).stdout


def test_a_formula_that_katex_refuses_has_its_line(project):
    edit(project, "\\sqrt{2}", "\\sqrt{2")
    done = build(project)
    assert done.returncode == 1
    line = line_of(project, "The root $\\sqrt{2$.")
    assert f"docs/en/{CHAPTER}:{line}: " in done.stdout


def test_a_fence_that_is_never_closed_has_its_line(project):
    edit(project, "The root", "```python\nThe root")
    done = build(project)
    assert done.returncode == 1
    line = line_of(project, "The root $\\sqrt{2}$.") - 1
    assert f":{line}: the fence ```python is never closed" in done.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[dead](nowhere.md)", "nowhere.md"),
        ("[dead](../index.md#nowhere)", "nowhere"),
        ("[odd](/en/index/)", "absolute"),
    ],
)
def test_a_dead_link_fails_a_strict_build(project, text, words):
    edit(project, "The root", f"{text} root")
    done = build(project)
    assert done.returncode == 1
    assert words in done.stdout + done.stderr


def test_without_node_modules_the_build_says_what_to_do(project):
    (project / "node_modules").unlink()
    done = build(project)
    assert done.returncode == 1
    assert "npm ci" in done.stdout and "Traceback" not in done.stderr


def test_a_wheel_that_cannot_be_built_fails_with_the_reason(project):
    (project / "README.md").unlink()
    done = build(project)
    assert done.returncode == 1
    assert "the wheel could not be built" in done.stdout and "Traceback" not in done.stderr


def test_serving_goes_on_and_shows_what_is_wrong_on_the_page(project):
    edit(project, 'print("hello")', 'print("bye")')
    edit(project, "The root", "```python\n1 / 0\n```\n\nThe root")
    done = build(project, serving=True, strict=False)
    assert done.returncode == 0
    html = page(project)
    assert html.count('class="attn-notice"') == 2
    assert "bye" in html and "ZeroDivisionError" in html
    assert "out of date" in done.stdout + done.stderr
    source = (project / "docs/en" / CHAPTER).read_text("utf-8")
    assert "hello\n~~~" in source, "serving must not rewrite a chapter"


def test_serving_shows_a_chapter_that_cannot_be_read(project):
    edit(project, "The root", "```python\nThe root")
    assert build(project, serving=True, strict=False).returncode == 0
    assert "never closed" in page(project)


GBK = "# 标题\n".encode("gbk")


def test_a_chapter_that_is_not_utf_8_stops_the_build_with_its_name(project):
    (project / "docs/en" / CHAPTER).write_bytes(GBK)
    done = build(project)
    assert done.returncode == 1
    assert f"docs/en/{CHAPTER}:1: not UTF-8" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_serving_shows_a_chapter_that_is_not_utf_8(project):
    (project / "docs/en" / CHAPTER).write_bytes(GBK)
    assert build(project, serving=True, strict=False).returncode == 0
    assert "not UTF-8" in page(project)


def test_what_an_editor_leaves_beside_a_chapter_is_no_page(project):
    folder = (project / "docs/en" / CHAPTER).parent
    (folder / ".#06-three-positions.md").symlink_to("teacher@host.1:2")  # a lock of Emacs
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints/06-checkpoint.md").write_text("```python\n1 / 0\n```\n")
    done = build(project)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_build_without_execution_runs_nothing(project):
    edit(project, 'print("hello")', "1 / 0")
    assert build(project, execute=False).returncode == 0


COUNT = """\
print("hello")
with open({marker!r}, "a") as file:
    file.write("x")"""


def test_a_warm_build_runs_nothing(project):
    marker = project / "runs"
    edit(project, 'print("hello")', COUNT.format(marker=str(marker)))
    assert build(project).returncode == build(project).returncode == 0
    assert marker.read_text() == "x"


def test_a_change_of_attn_runs_everything_again(project):
    marker = project / "runs"
    edit(project, 'print("hello")', COUNT.format(marker=str(marker)))
    build(project)
    core = project / "attn/core.py"
    core.write_text(core.read_text("utf-8") + "\n", "utf-8")
    build(project)
    assert marker.read_text() == "xx"


def test_unusual_files_build(project):
    path = project / "docs/en" / CHAPTER
    text = path.read_text("utf-8").replace("\n", "\r\n")
    path.write_bytes("\ufeff".encode() + text.encode())
    done = build(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert page(project).count("<figure") == 1


def test_search_finds_chinese_words_in_the_middle_of_a_sentence(project):
    edit(project, "The root", "这里的因果掩码不让位置读未来。 The root")
    assert build(project).returncode == 0
    index = json.loads((project / "site/en/search/search_index.json").read_text("utf-8"))
    text = " ".join(entry["text"] for entry in index["docs"])
    assert "\u200b因果\u200b" in text or "\u200b掩码\u200b" in text
    assert index["config"]["lang"] == ["zh", "en"]


def test_search_shows_formulas_as_text(project):
    edit(project, "The root", r"From $x_1\cdot x_2$ on. The root")
    assert build(project).returncode == 0
    index = json.loads((project / "site/en/search/search_index.json").read_text("utf-8"))
    text = " ".join(entry["text"] for entry in index["docs"])
    assert "From x_1·x_2 on. The root √(2)." in text and r"\(" not in text


def test_a_link_to_a_page_can_say_what_the_page_asks(project):
    edit(project, "{#title}\n", '{#title}\n\nIs "half" of $x_1$ **enough**?\n')
    assert build(project, site_url="https://name.github.io/repo/").returncode == 0
    about = '"Is “half” of x_1 enough?"'
    assert f'<meta name="description" content={about}>' in page(project)
    assert f'<meta property="og:description" content={about}>' in page(project)
    assert '<meta property="og:title" content="06 Title">' in page(project)
    assert '<meta property="og:url" content="https://name.github.io/repo/en/chapters/06-three-positions/">' in page(project)
