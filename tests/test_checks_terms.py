"""A spelling that the course has rejected is found where a reader would read it."""

from pathlib import Path

import pytest
import yaml

from chapter import parse
from checks import terms
from checks.prose import read_page
from checks.same_code import Labels
from checks.terms import Terms

CHOICES = """\
- lang: zh
  use: 参数矩阵
  not: [权重矩阵]
  why: 权重 are the attention weights
  pages: [reference/glossary.md]
- lang: zh
  use: 每头维度
  not: [头维度, 个 token]
  except: [每头维度]
  why: one name
- lang: en
  use: normalise
  not: [normaliz*, weight matrix]
  except: [Layer Normalization]
  why: British spelling
"""


def check(text, language, name="chapters/06-x.md"):
    page = read_page(parse(text, f"docs/{language}/{name}"))
    problems = terms.check(page, language, Terms(CHOICES))
    return [(problem.line, problem.message) for problem in problems]


def lines(text, language="en"):
    return [line for line, _ in check(text, language)]


def test_the_message():
    assert check("# 标题\n\n这个权重矩阵。\n", "zh") == [
        (3, "“权重矩阵”: write 参数矩阵 (权重 are the attention weights)")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "normalize",
        "Normalized rows",
        "normalization.",
        "the weight matrix",
        "the weight\nmatrix",
        "# To normalize {#a}",
        "[normalize](a.md)",
        "![Normalize](a.png)",
        '!!! note "Normalize"',
        "| normalize |\n|---|",
        "```python\nx = 1  # normalize\n```",
    ],
)
def test_a_rejected_spelling(text):
    assert len(check(text, "en")) == 1


def test_its_line():
    assert lines("A\n\n```python\nx = 1\ny = 2  # normalize\n```\n\nnormalize\n") == [8, 5]


@pytest.mark.parametrize(
    "text",
    [
        "normalise, denormalized, weight matrixes",
        "`normalize` and ``normalize``",
        "$\\mathrm{normalize}$",
        "```python\nnormalize = 1\n```",
        "~~~text\nnormalize\n~~~",
        "[paper](https://example.org/normalize)",
        '<a id="normalize"></a>',
        "<!-- normalize -->",
        "Layer Normalization",
        "权重矩阵",  # a choice of the other language
    ],
)
def test_what_is_left_alone(text):
    assert check(text, "en") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("头维度", 1),
        ("每头维度", 0),
        ("每头维度，不是头维度", 1),
        ("三个 token。", 1),
        ("三个 tokens", 0),
    ],
)
def test_chinese_spellings_and_exceptions(text, count):
    assert len(check(text, "zh")) == count


def test_a_page_that_may_use_it():
    assert check("权重矩阵", "zh", "reference/glossary.md") == []


def test_a_label_is_read_by_people_too():
    labels = Labels("- zh: 权重矩阵\n  en: parameters\n- zh: 参数\n  en: normalized\n")
    problems = terms.check_labels(labels.strings(), "docs/labels.yml", Terms(CHOICES))
    assert [(problem.path, problem.line) for problem in problems] == [
        ("docs/labels.yml", 1),
        ("docs/labels.yml", 3),
    ]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("- lang: zh\n  use: a\n  not: [b]\n", "why missing"),
        ("- lang: zh\n  use: a\n  why: b\n", "not missing; list the spellings"),
        ("- lang: fr\n  use: a\n  not: [b]\n  why: c\n", "expected zh or en"),
        ("- lang: zh\n  use: a\n  instead: b\n  why: c\n", "“instead” is no field"),
    ],
)
def test_a_terms_file_with_a_fault(text, fragment):
    (problem,) = Terms(text).problems
    assert (problem.path, problem.line) == ("docs/terms.yml", 1)
    assert fragment in problem.message


# The choices of the course itself

ROOT = Path(__file__).resolve().parent.parent
REAL = (ROOT / "docs" / "terms.yml").read_text("utf-8")


def test_the_list_of_the_course_is_sound():
    assert Terms(REAL).problems == []


@pytest.mark.parametrize("entry", yaml.safe_load(REAL), ids=lambda entry: entry["use"][:20])
def test_each_choice_of_the_course_finds_its_spellings_and_no_right_one(entry):
    real = Terms(REAL)

    def found(text):
        page = read_page(parse(text, f"docs/{entry['lang']}/x.md"))
        return terms.check(page, entry["lang"], real)

    for spelling in entry["not"]:
        assert found(f"A {spelling.replace('*', 'es')} b"), spelling
    assert found(entry["use"]) == []
