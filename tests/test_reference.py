"""The reference pages say what is there: the API, the terms, the claims, a model's file."""

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import api
import dev
import matplotlib
import pytest
import yaml
from chapter import parse, read
from checks import fences, numbers, parity
from checks.prose import read_page
from checks.same_code import Labels

import attn
from attn import exercises, figures, lessons, models

matplotlib.use("agg")

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("zh", "en")


def page(language, name):
    path = f"docs/{language}/reference/{name}.md"
    return parse(read(ROOT / path), path)


def sections(chapter):
    """The text under each heading, by its id."""
    lines = chapter.text.split("\n")
    starts = [heading.line for heading in chapter.headings]
    ends = [*(start - 1 for start in starts[1:]), len(lines)]
    return {
        heading.id: "\n".join(lines[start:end])
        for heading, start, end in zip(chapter.headings, starts, ends)
    }


# The API


def public_names():
    """Every name that a reader may use, relative to attn."""
    for name in attn.__all__:
        if not inspect.ismodule(getattr(attn, name)):
            yield name
    for module in (lessons, models):
        for name, thing in vars(module).items():
            home = getattr(thing, "__module__", None)
            if not name.startswith("_") and (home == module.__name__) and not inspect.ismodule(thing):
                yield f"{module.__name__.removeprefix('attn.')}.{name}"
    for module in (exercises, figures):
        for name in module.__all__:
            yield f"{module.__name__.removeprefix('attn.')}.{name}"


def described(language):
    for name in ("api", "api-figures"):
        for heading in page(language, name).headings:
            if heading.level == 3:
                yield heading.text.strip("`")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_public_name_is_described_once(language):
    assert sorted(described(language)) == sorted(public_names())


def test_the_pages_say_what_the_docstrings_say():
    outdated = list(api.stale(ROOT))
    assert outdated == [], "run `python3 scripts/dev.py update`"


SOURCE = '''
from dataclasses import dataclass


def half(x, y=2, *, z=None, **more):
    """The half of ``x``, see :class:`attn.Pair`.

    A second paragraph,
    on two lines.

    Parameters
    ----------
    x : ``(n,)``; y : ``(m,)``.
        Numbers.
    z, more : nothing.

    Returns
    -------
    A number.

    Raises
    ------
    TypeError, ValueError : never.

    Examples
    --------
    >>> import numpy as np
    >>> p = Pair()
    >>> half(np.e * 2).round(2)
    2.72
    """


@dataclass
class Pair:
    """Two things.

    >>> Pair().labels("zh")
    """

    def labels(self, lang):
        """In ``lang``."""
'''
DECLARED = """
api:
  zh: {title: 接口, intro: 都在这里。}
  en: {title: Names, intro: All of them.}
  groups:
    - {id: all, zh: 全部, en: All, names: {half: 一半。, Pair: 一对。}}
"""
HALF = """# 接口 {#api}

都在这里。

## 全部 {#all}

### `half` {#half}

一半。

`half(x, y=2, *, z=None, **more)`

The half of `x`, see [`Pair`](#class-pair).

A second paragraph, on two lines.

**参数**

- `x`: `(n,)`; `y`: `(m,)`. Numbers.
- `z`, `more`: nothing.

**返回**

A number.

**抛出**

- `TypeError`, `ValueError`: never.

```python
import numpy as np

from attn import Pair, half

p = Pair()
print(half(np.e * 2).round(2))
```

### `Pair` {#class-pair}

一对。

Two things.

```python
from attn import Pair

Pair().labels("zh")
```

**`labels(lang)`**: In `lang`.
"""


@pytest.fixture
def planted(tmp_path):
    (tmp_path / "attn").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "attn" / "__init__.py").write_text(SOURCE)
    (tmp_path / "docs" / "api.yml").write_text(DECLARED, "utf-8")
    return tmp_path


def test_a_docstring_becomes_a_section(planted):
    assert api.pages(planted)["docs/zh/reference/api.md"] == HALF
    english = api.pages(planted)["docs/en/reference/api.md"]
    assert english.startswith("# Names {#api}\n\nAll of them.\n\n## All {#all}\n\n### `half`")
    assert "一" not in english and "**Parameters**" in english and 'labels("en")' in english


def test_pages_are_written_once_and_outputs_do_not_count(planted):
    assert len(api.write(planted)) == 2
    written = planted / "docs/zh/reference/api.md"
    written.write_text(HALF.replace("2))\n```\n", "2))\n```\n\n~~~text\n2.72\n~~~\n"), "utf-8")
    assert api.write(planted) == []
    source = planted / "attn" / "__init__.py"
    source.write_text(SOURCE.replace("A number.", "Another number."))
    assert len(api.stale(planted)) == 2
    assert api.write(planted) and "Another number." in written.read_text("utf-8")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("half: 一半。", "helf: 一半。", "attn has no helf"),
        ("p = Pair()", "p = Peer()", "uses Peer, which neither"),
        ('    """Two things.\n\n    >>> Pair().labels("zh")\n    """\n', "", "attn.Pair has no docstring"),
    ],
)
def test_what_cannot_be_written_is_named(planted, old, new, message):
    for file in (planted / "attn" / "__init__.py", planted / "docs" / "api.yml"):
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(api.ApiError, match=message):
        api.pages(planted)


def test_without_a_declaration_there_are_no_pages(tmp_path):
    assert api.write(tmp_path) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_that_draw_run_as_pasted(language, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    shown = [fence for fence in page(language, "api-figures").fences if fence.info == "py"]
    assert len(shown) >= len(figures.__all__) - 3  # a few are described without an example
    for fence in shown:
        before = len(plt.get_fignums())
        exec(compile(fence.code, f"line {fence.line}", "exec"), {})
        assert len(plt.get_fignums()) == before + 1, f"line {fence.line} draws no figure"
        plt.close("all")


# The glossary


def rows(language):
    """Term, the term in the other language, meaning."""
    found = re.findall(r"^- (.+?) · (.+?)[:：] ?(.+)$", page(language, "glossary").text, re.M)
    assert len(found) > 40
    return found


def test_each_term_is_linked_to_a_section_of_a_chapter():
    for language in LANGUAGES:
        for term, _, meaning in rows(language):
            link = re.fullmatch(r"\[.+\]\(\.\./chapters/(.+\.md)#([a-z0-9-]+)\)\{#[a-z0-9-]+\}", term)
            assert link, f"{term} is not linked"
            chapter = read(ROOT / "docs" / language / "chapters" / link[1])
            assert f"{{#{link[2]}}}" in chapter, f"{term}: no such section"
            assert meaning


def test_both_editions_have_the_same_pairs():
    def pairs(language):
        return [(re.sub(r"\[(.+?)\]\(.*", r"\1", own), other) for own, other, _ in rows(language)]

    assert [(zh, en) for zh, en in pairs("zh")] == [(zh, en) for en, zh in pairs("en")]


def test_the_settled_terms_are_in_the_glossary():
    glossary = {language: page(language, "glossary").text.lower() for language in LANGUAGES}
    settled = [
        (entry["lang"], term)
        for entry in yaml.safe_load((ROOT / "docs" / "terms.yml").read_text("utf-8"))
        if entry["why"].startswith(("one ", "the terms"))
        for term in re.split(r", | or ", entry["use"])
    ]
    assert len(settled) > 20
    missing = [(language, term) for language, term in settled if term.lower() not in glossary[language]]
    assert missing == []


# Claims


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_claim_has_a_number_or_a_chapter(language):
    chapter = page(language, "claims")
    claims = [heading for heading in chapter.headings if heading.level == 3]
    assert len(claims) >= 17
    for heading in claims:
        text = sections(chapter)[heading.id]
        assert re.search(r"\]\(\.\./chapters/\d\d-[a-z-]+\.md#[a-z-]+\)|\d", text), heading.text


# A model's file


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_and_the_code_give_the_same_file(language):
    chapter = page(language, "where-next")
    (block,) = [block for block in chapter.blocks if "config = {" in block.code]
    config = ast.literal_eval(re.search(r"config = (\{.*?\})", block.code, re.S)[1])
    shown = re.findall(r"^- `(.+?)`[:：]", chapter.text, re.M)
    assert {tuple(json.loads(f"{{{line}}}").items()) for line in shown} == {((k, v),) for k, v in config.items()}


def test_the_file_agrees_with_the_shapes():
    block = next(b for b in page("en", "where-next").blocks if "config = {" in b.code)
    config = ast.literal_eval(re.search(r"config = (\{.*?\})", block.code, re.S)[1])
    shape = models.QWEN3_0_6B
    assert config["num_hidden_layers"] == shape.n_layers
    assert config["hidden_size"] == shape.hidden
    assert config["num_attention_heads"] == shape.n_heads
    assert config["num_key_value_heads"] == shape.n_kv_heads
    assert config["head_dim"] == shape.head_dim
    assert config["attention_bias"] == shape.qkv_bias


# How to write a chapter


def shown_chapter(language):
    (fence,) = [fence for fence in page(language, "authoring").fences if fence.info == "markdown"]
    return read_page(parse(fence.code, f"docs/{language}/chapters/17-shares.md"))


def test_the_chapter_that_is_shown_is_one_that_the_checks_accept():
    labels = Labels(next(f.code for f in page("en", "authoring").fences if f.info == "yaml"))
    zh, en = shown_chapter("zh"), shown_chapter("en")
    problems = [*parity.check(zh, en, labels)]
    for chapter in (zh, en):
        problems += [*fences.check(chapter), *numbers.check(chapter)]
    assert problems == [] and labels.problems == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chapter_that_is_shown_prints_what_it_says(language):
    (block,) = shown_chapter(language).chapter.blocks
    run = subprocess.run([sys.executable, "-c", block.code], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert run.stdout == block.output.code and not run.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_exists(language):
    commands = re.findall(r"^\s*python3 scripts/dev\.py (.+)$", page(language, "authoring").text, re.M)
    assert {command.split()[0] for command in commands} >= {"serve", "update", "check", "test", "publish"}
    for command in commands:
        _, unknown = dev.make_parser().parse_known_args(command.split())
        assert unknown == [], command
