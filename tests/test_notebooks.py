"""The notebooks: everything of a page is there, and every one of them runs.

Each is executed in a kernel, two at a time, and must do what the page says it does.
"""

import base64
import copy
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import nbformat
import pages
import pytest
from chapter import parse, read
from labs import FIGURE
from nbconvert import HTMLExporter
from notebooks import Site, colab, file_name, notebook
from runner import BlockFigure, BlockResult

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "https://name.github.io/repo/attention_by_hand-0.1.0-py3-none-any.whl"
# A block of an answer: at the start of a fold that is to be guessed, or after text in it.
ANSWER = re.compile(r"^\?\?\? (?:tip|success).*\n(?:(?:    .*)?\n)*?    ```python$", re.M)
SITE = Site("Attention by Hand", "https://name.github.io/repo/en/", WHEEL)
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("chapters", "labs")
    for path in (ROOT / "docs").glob(f"*/{folder}/*.md")
)


def made(text, path="docs/en/chapters/06-x.md", results=None):
    page = nbformat.reads(notebook(parse(text, path), results or {}, SITE), as_version=4)
    nbformat.validate(page)
    return page


def sources(made, kind="markdown"):
    return [cell.source for cell in made.cells if cell.cell_type == kind]


# What a notebook shows in place of what it cannot

PAGE = """\
# Title {#title}

See [the mask](08-causal-mask.md#order), [home](../index.md), [below](#one), [a paper](https://a.org/b)
and `[no](link.md)`.

## One, $x$ {#one}

!!! note "Beware"
    Careful with $x$.

```python
print(1)
```

~~~text
1
~~~

<!--pytest-codeblocks:cont-->
```python
print(2)
```

~~~text
2
~~~

```py
not_run()
```

```console
pip install x
```

??? tip "Hint"
    Think.

??? success "Answer"
    Three.

    ```python
    print(3)
    ```

    ~~~text
    3
    ~~~

    That is all.

??? info "More"
    Even more.

    ```python
    print(4)
    ```

    ~~~text
    4
    ~~~
"""


def test_ids_links_and_directives():
    text = "\n".join(sources(made(PAGE)))
    assert '<a id="one"></a>\n\n## One, $x$\n' in text + "\n"
    assert "{#" not in text and "pytest-codeblocks" not in text
    assert "(https://name.github.io/repo/en/chapters/08-causal-mask/#order)" in text
    assert "[home](https://name.github.io/repo/en/)" in text
    assert "[below](#one)" in text and "(https://a.org/b)" in text and "`[no](link.md)`" in text
    assert "https://name.github.io/repo/en/chapters/06-x/" in text, "where it comes from"


def test_admonitions_become_quotations_and_folds():
    page = sources(made(PAGE))
    text = "\n".join(page)
    assert "> **Beware**\n>\n> Careful with $x$." in text
    assert "<details><summary>Hint</summary>\n\nThink.\n\n</details>" in text
    assert "**More**\n\nEven more." in page
    assert not re.search(r"^(!!!|\?\?\?)", text, re.M)


def test_blocks_become_cells_and_what_only_shows_stays_text():
    page = made(PAGE)
    install, *code = sources(page, "code")
    assert code == ["print(1)", "print(2)", "print(4)"]
    text = "\n".join(sources(page))
    assert "~~~python\nnot_run()\n~~~" in text and "~~~bash\npip install x\n~~~" in text
    assert "~~~text" not in FOLD.sub("", text), "an output stands in the text"


FOLD = re.compile(r"^<details><summary>(.*?)</summary>\n\n(.*?)\n\n</details>$", re.M | re.S)

ANSWERS = """\
# Title {#title}

??? success "Answer"

    ```python
    def f(x):
        return x[0](1)


    print(f([abs]))
    ```

    ~~~text
    1
    ~~~

    It is [here](07-x.md).


    And that is all.

??? tip "Hint"
    ```python
    draw()
    ```

    ~~~text
    drawn
    ~~~

Text.
"""


def test_an_answer_is_seen_only_by_who_opens_it():
    drawn = BlockFigure('<svg style="width:1em" stroke="var(--a,#123)"/>', "a [1, 2]\nline")
    _, draws = parse(ANSWERS, "docs/en/chapters/06-x.md").blocks
    page = made(ANSWERS, results={draws.line: BlockResult("", (drawn,))})
    (text,) = sources(page)
    assert len(sources(page, "code")) == 1, "to install, and no answer"
    code = "~~~python\ndef f(x):\n    return x[0](1)\n\n\nprint(f([abs]))\n~~~\n\n~~~text\n1\n~~~"
    more = "It is [here](https://name.github.io/repo/en/chapters/07-x/).\n\n\nAnd that is all."
    picture = "~~~python\ndraw()\n~~~\n\n~~~text\ndrawn\n~~~\n\n![a (1, 2) line](attachment:figure-1.svg)"
    assert FOLD.findall(text) == [("Answer", f"{code}\n\n{more}"), ("Hint", picture)]
    (attached,) = [cell.attachments for cell in page.cells if "attachments" in cell]
    svg = base64.b64decode(attached["figure-1.svg"]["image/svg+xml"]).decode()
    assert 'stroke="#123"' in svg and "background:#fff" in svg


class Folds(HTMLParser):
    """The code that a page shows, and the folds that hold no text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.empty, self._within, self._summary = "", 0, [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "details":
            self._within.append("")
        self._summary |= tag == "summary"

    def handle_endtag(self, tag):
        if tag == "details":
            self.empty += not self._within.pop().strip()
        self._summary &= tag != "summary"

    def handle_data(self, text):
        if not self._within:
            self.open += text
        elif not self._summary:
            self._within[-1] += text


def test_nor_in_what_nbconvert_makes_of_it():
    seen = Folds(HTMLExporter(template_name="basic").from_notebook_node(made(ANSWERS))[0])
    assert "Text." in seen.open and "def f" not in seen.open and "that is all" not in seen.open
    assert seen.empty == 0
    wrong = "<details><summary>Answer</summary>\n</details><p>def f</p>"
    assert Folds(wrong).empty == 1 and "def f" in Folds(wrong).open


def test_tabs_and_what_stands_in_them():
    page = made('# T {#t}\n\n=== "Plain"\n    Text.\n\n    ```python\n    a = 1\n    ```\n')
    assert "**Plain**" in "\n".join(sources(page)) and sources(page, "code")[1] == "a = 1"


def test_an_exercise_can_be_completed():
    code = "def f(x):\n    ...\n\n\nexercises.check('x', f, lang='en')"
    assert sources(made(f"# T {{#t}}\n\n```py\n{code}\n```\n"), "code")[1] == code


def test_the_header_of_a_lab_is_not_text():
    text = "\n".join(sources(made(f"---\njupyter:\n  a: b\n---\n\n{PAGE}", "docs/en/labs/01-x.md")))
    assert "jupyter:" not in text and text.startswith('<a id="title">')


def test_names():
    assert file_name("docs/zh/chapters/06-three-positions.md") == "06-three-positions.zh.ipynb"
    assert file_name("docs/en/labs/01-five-lines.md") == "lab-01-five-lines.en.ipynb"
    assert file_name("docs/en/reference/card.md") is None


def test_colab_opens_what_github_serves_from_a_branch():
    path = "en/notebooks/x.en.ipynb"
    assert colab("https://github.com/name/repo", "gh-pages", path) == (
        "https://colab.research.google.com/github/name/repo/blob/gh-pages/en/notebooks/x.en.ipynb"
    )
    assert colab("https://github.com/name/repo", "", path) is None
    assert colab("https://gitlab.com/name/repo", "gh-pages", path) is None
    assert colab("", "gh-pages", path) is None


# All of them


@pytest.fixture(scope="module")
def results():
    runner = pages.Runner(ROOT / ".cache" / "runs")
    chapters = {path: parse(read(ROOT / path), path) for path in PAGES}
    futures = {path: runner.run(chapter) for path, chapter in chapters.items()}
    yield {path: (chapters[path], future.result()) for path, future in futures.items()}
    runner.close()


def made_of(results, path):
    chapter, ran = results[path]
    page = nbformat.reads(notebook(chapter, ran, SITE), as_version=4)
    nbformat.validate(page)
    return page


# In a process of its own: a kernel takes over the environment, and leaves an event loop behind.
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

page = nbformat.reads(sys.stdin.read(), as_version=4)
resources = {"metadata": {"path": sys.argv[1]}}
client = NotebookClient(page, kernel_name="python3", timeout=120, resources=resources)
sys.stdout.write(nbformat.writes(client.execute()))
"""


def execute(page, folder):
    """The notebook as a kernel leaves it. Raises AssertionError with what went wrong."""
    settings = {
        "MPLBACKEND": "module://kernel_backend",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "scripts"), str(ROOT)]),
        "IPYTHONDIR": str(folder / ".ipython"),
    }
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(folder)],
        input=nbformat.writes(page),
        env=dict(os.environ, **settings),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return nbformat.reads(done.stdout, as_version=4)


@pytest.fixture(scope="module")
def executed(results, tmp_path_factory):
    """Each notebook as a kernel leaves it."""
    folder = tmp_path_factory.mktemp("executed")

    def run(path):
        page = made_of(results, path)
        page.cells = [cell for cell in page.cells if not missing(cell)]
        return execute(page, folder)

    with ThreadPoolExecutor(2) as threads:
        yield {path: threads.submit(run, path) for path in PAGES}
        threads.shutdown(cancel_futures=True)


def missing(cell):
    """Whether a cell needs what is not here, as the tests of the chapters find out too."""
    needs = [tag.removeprefix("needs-") for tag in cell.metadata.get("tags", [])]
    return any(not any(Path(p, name).exists() for p in sys.path) for name in needs)


def did(cell):
    """What a cell printed, how many figures it drew, and what else it did."""
    printed, figures, others = "", 0, []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            printed += output.text
        elif {"image/svg+xml", FIGURE} & set(output.get("data", {})):
            figures += 1
        else:
            others.append(output)
    return printed, figures, others


@pytest.mark.parametrize("path", PAGES)
def test_a_notebook_runs_and_does_what_the_page_says(results, executed, path):
    outcome = executed[path].result()
    shown = [cell for cell in made_of(results, path).cells if not missing(cell)]
    for before, after in zip(shown, outcome.cells, strict=True):
        if after.cell_type == "code" and "exercises.check(" not in after.source:
            assert did(after) == did(before), after.source
            assert not did(after)[2], after.source


@pytest.mark.parametrize("path", PAGES)
def test_a_notebook_holds_every_block_and_every_output_of_its_page(results, path):
    chapter, ran = results[path]
    page = made_of(results, path)
    code = sources(page, "code")
    folded = "\n".join(body for _, body in FOLD.findall("\n".join(sources(page))))
    answers = [block for block in chapter.blocks if f"~~~python\n{block.code.rstrip()}\n~~~" in folded]
    assert len(answers) == len(ANSWER.findall(chapter.text))
    blocks = [block for block in chapter.blocks if block not in answers]
    positions = [code.index(block.code.rstrip("\n")) for block in blocks]
    assert positions == sorted(positions)
    for answer in answers:
        assert not answer.output or f"~~~text\n{answer.output.code.rstrip()}\n~~~" in folded
        assert answer.code.rstrip("\n") not in code, "an answer in the open"
    outputs = [did(cell) for cell in page.cells if cell.cell_type == "code"]
    attached = sum(len(cell.get("attachments", {})) for cell in page.cells)
    drawn = sum(figures for _, figures, _ in outputs)
    assert drawn + attached == sum(len(result.figures) for result in ran.values())
    assert "".join(text for text, _, _ in outputs).split() == [
        word for block in blocks if block.output for word in block.output.code.split()
    ]


@pytest.mark.parametrize("path", PAGES)
def test_a_fold_opens_and_closes_in_one_cell(path):
    for text in sources(made(read(ROOT / path), path)):
        assert text.count("<details") == text.count("</details>") == len(FOLD.findall(text))
        assert all(title.strip() and body.strip() for title, body in FOLD.findall(text))


@pytest.mark.parametrize("path", PAGES)
def test_a_notebook_needs_nothing_of_the_site_to_be_read(results, path):
    page = made_of(results, path)
    text = "\n".join(sources(page))
    text = re.sub(r"^~~~.*?^~~~", "", text, flags=re.M | re.S)
    assert not re.search(r"^\s*(!!!|\?\?\?|===) ", text, re.M)
    assert "{#" not in text and "{{" not in text.replace("}}", "").replace("{{\\", "")
    assert not re.search(r"\]\((?!https?:|#|attachment:)", re.sub(r"`[^`]*`", "", text)), "a relative link"
    for anchor in re.findall(r"\]\(#([^)]+)\)", text):
        assert f'<a id="{anchor}"></a>' in text
    drawn = json.dumps(page)
    assert "var(--" not in drawn, "a colour of our style sheet"
    assert drawn.count("<svg ") == drawn.count("background:#fff;color:#000;")


def test_a_notebook_that_does_something_else_is_found(results, executed):
    page = copy.deepcopy(made_of(results, PAGES[0]))
    outcome = executed[PAGES[0]].result()
    changed = next(cell for cell in page.cells if cell.cell_type == "code" and did(cell)[0])
    changed.outputs[0].text += "more"
    other = next(cell for cell in outcome.cells if cell.source == changed.source)
    assert did(other) != did(changed)


# The first cell

PRETEND = """\
import importlib.util
from IPython import get_ipython

importlib.util.find_spec = lambda name: None
get_ipython().register_magic_function(lambda line: print("pip", line), magic_name="pip")
"""


def installed(folder, site=SITE, path="docs/en/chapters/06-x.md"):
    """What the first cell asks pip for where there is no attn, with `folder` as the current one."""
    page = nbformat.reads(notebook(parse("# T {#t}\n", path), {}, site), as_version=4)
    page.cells = [nbformat.v4.new_code_cell(PRETEND), page.cells[0]]
    return "".join(output.text for output in execute(page, folder).cells[1].outputs)


LINKED = "# A title {#t}\n\n[a](05-y.md#b) [b](../index.md) [c](#here) [d](https://x.example/) [e](../../zh/labs/01-z/)\n"


@pytest.mark.parametrize(
    "address, on_disk, links",
    [
        ("https://a.example/b/en/", False, ["chapters/06-x/", "chapters/05-y/#b", "", "../zh/labs/01-z/"]),
        ("https://a.example/b/en/", True, ["chapters/06-x/", "chapters/05-y/#b", "", "../zh/labs/01-z/"]),
        ("http://127.0.0.1:8000/en/", False, ["chapters/06-x/", "chapters/05-y/#b", "", "../zh/labs/01-z/"]),
        ("http://127.0.0.1:8000/en/", True, ["chapters/06-x.html", "chapters/05-y.html#b", "index.html"]),
    ],
)
def test_links_lead_to_the_site_and_in_a_copy_without_an_address_to_its_files(address, on_disk, links):
    site = Site("T", address, WHEEL, on_disk)
    written = notebook(parse(LINKED, "docs/en/chapters/06-x.md"), {}, site)
    beside = on_disk and "127.0.0.1" in address
    for link in [*links, "../zh/labs/01-z.html"] if beside else links:
        assert f"]({'../' + link if beside else urljoin(address, link)})" in written
    assert "](#here)" in written and "](https://x.example/)" in written


def test_the_first_cell_installs_the_wheel_of_the_site(tmp_path):
    assert installed(tmp_path) == f'pip install --quiet "attention-by-hand[figures] @ {WHEEL}"\n'


def test_in_a_downloaded_copy_of_the_site_it_installs_the_wheel_of_the_copy(tmp_path):
    folder = tmp_path / "my site 网站" / "en" / "notebooks"
    folder.mkdir(parents=True)
    wheel = folder.parents[1] / WHEEL.rsplit("/")[-1]
    wheel.touch()
    assert f"@ {wheel.as_uri()}" in installed(folder)


@pytest.mark.parametrize("language, says", [("zh", "没有装 attn"), ("en", "attn is not installed")])
def test_without_the_address_of_a_site_it_says_which_file_to_fetch(tmp_path, language, says):
    name = WHEEL.rsplit("/")[-1]
    here = Site("T", f"http://127.0.0.1:8000/{language}/", f"http://127.0.0.1:8000/{name}")
    path = f"docs/{language}/chapters/06-x.md"
    with pytest.raises(AssertionError) as stopped:
        installed(tmp_path, here, path)
    said = re.sub(r"\x1b\[[\d;]*m", "", str(stopped.value))
    assert re.search(rf"^ *FileNotFoundError: {says}.*{re.escape(name)}.*site/", said, re.M)
    (tmp_path / name).touch()
    assert f"@ {(tmp_path / name).as_uri()}" in installed(tmp_path, here, path)
