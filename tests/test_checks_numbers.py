"""A number that nothing computes is found, in every form a page can state it."""

import textwrap

import pytest

from chapter import parse
from checks import numbers
from checks.numbers import Facts
from checks.prose import read_page

CODE = """\
```python
import numpy as np
from fractions import Fraction

X = np.array([[0.67, -0.42], [1.5, 192]])
c = np.sqrt(2) * np.log(2)
width = 2**10 - 24
half, share = Fraction(3, 8), 1 / 3
print(shares, total)
```

~~~text
[0.25 0.6667 0.5 ] 2/5 114,688 -0.3 52.4 %
(6,1536) 1.e-09 0.1429
~~~
"""


def page(body, path="docs/en/chapters/06-x.md"):
    return read_page(parse("# Title {#title}\n\n" + textwrap.dedent(body) + "\n" + CODE, path))


def unexplained(body, **options):
    """The quoted numbers that are reported, with their lines; the body starts on line 3."""
    problems = numbers.check(page(body, **options))
    return [(problem.line, problem.message.split("”")[0][1:]) for problem in problems]


@pytest.mark.parametrize(
    "body",
    [
        # Literals, folded constants and outputs, rounded to what is printed.
        "0.67 and 0.7, −0.42 and -0.4, 192, 1000.",
        "0.9803 is √2 · ln 2; 0.98; 0.980258.",
        "3/8 and 0.375 and 0.38; 1/3 and 0.333 and 0.3333333.",
        "0.25, 1/4, 25 %, 25%; 0.667 and 66.67 % and 67 %.",
        "2/5 = 0.4 = 40 %; 8/20.",
        "114,688 and 114688; 1536; 0.000000001 and 1e-9.",
        "−0.3 or 0.3 less; 52.4 % and 0.524; 1/7.",
        "⅓ and ¼, ⅖.",
        "比例是 52.4％，共192个参数，变化−0.3，约0.98。",
        "10⁻⁹",
        # Inline code that is nothing but numbers, links, tables, alt text.
        "`0.25`, `[0.25, 0.5]` and [0.5 of it](#title)",
        "| a | b |\n|---|---|\n| 0.25 | 2/5 |",
        # Small whole numbers are words.
        "6×8, 3 × 2 and row 9; -1.",
        # Formulas.
        r"$\frac{2}{5}$, $\tfrac14$, $\dfrac{3}{8}$, $2/5$, $0.25$, $-0.3$, $x-0.25$",
        r"$52.4\,\%$, $114{,}688$, $114\,688$, $x^{192}$, $10^{-9}$, $q_{12}$, $W_{34}$",
        "$$\n\\begin{bmatrix}0.25&\\frac{1}{3}\\\\[12pt]0.5&-0.42\\end{bmatrix}\\hspace{13em}\\tag{77}\n$$",
        r"$\sqrt2\,\ln2$ and $\sqrt{192}$ and $\text{float32}$",
    ],
)
def test_a_number_that_the_code_gives(body):
    assert unexplained(body) == []


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("0.68", "0.68"),
        ("0.671", "0.671"),
        ("+0.42", "+0.42"),
        ("the change is −0.67", "−0.67"),
        ("193", "193"),
        ("114,689", "114,689"),
        ("3/7", "3/7"),
        ("33 of them are 3/10", "33"),
        ("53 %", "53 %"),
        ("52.5%", "52.5%"),
        ("比例是53％", "53％"),
        ("共193个", "193"),
        ("⅙", "⅙"),
        ("1e-8", "1e-8"),
        ("10⁻⁸", "10⁻⁸"),
        ("13–25 %", "13"),
        (".68", ".68"),
        ("3×64", "64"),
        ("64-wide", "64"),
        ("`0.68`", "0.68"),
        ("`[0.25, 0.68]`", "0.68"),
        ("[0.68](../x.md)", "0.68"),
        ("![A share of 0.68](x.png)", "0.68"),
        ('<img src="x.png" alt="A share of 0.68">', "0.68"),
        ("| 0.68 |\n|---|", "0.68"),
        ('!!! note "0.68"', "0.68"),
        ("## 0.68 {#a}", "0.68"),
        ("- 12. 0.68", "12"),
        (r"$\frac{3}{7}$", r"\frac{3}{7}"),
        (r"$\frac37$", r"\frac37"),
        (r"$3/7$", "3/7"),
        (r"$x=-0.67$", "-0.67"),
        (r"$0.68$", "0.68"),
        (r"$53\,\%$", r"53\,\%"),
        (r"$114{,}689$", "114{,}689"),
        (r"$d=64$", "64"),
        ("$$\n0.68\n$$", "0.68"),
        (r"$\mathrm{193}$", "193"),
    ],
)
def test_a_number_that_nothing_gives(body, number):
    assert number in [text for _, text in unexplained(body)]


def test_an_approximation_with_two_decimals_is_no_fraction():
    """0.14 could be 1/7 or 9/64; the output has 0.1429 and no 0.43."""
    assert unexplained("1/7") == []
    assert unexplained("3/7 and 0.43") == [(3, "3/7"), (3, "0.43")]
    body = "```python\nprint(x)\n```\n\n~~~text\n0.17 0.83\n~~~\n\n1/6 and 5/6"
    assert [text for _, text in unexplained(body)] == ["1/6", "5/6"]


@pytest.mark.parametrize(
    "body",
    [
        "See chapter 06, chapters 10 and 12, chapters 13–15; Chapter 16.",
        "见第 06 章、第 10 章；10、12、13 章；第10章。",
        "chapters 00 to 08, then 10, 12 and 13. 第 00 到 08 章，然后是 10、12、13 章。",
        "The core path is 00–08, 10, 12, 13.",
        "[06 Three positions](06-three-positions.md) and [12 · Decoding](../chapters/12-decoding.md)",
        "§3.2.1, section 3.2.1, Sections 3.25 and 3.26, 第 3.2.1 节, equation (12), figure 12, 图 12, p. 17",
        "(2017), （2017）, Jain & Wallace 2019, Wiegreffe 与 Pinter，2019，说, Vaswani et al., 2017; in 2017",
        "2017 年 6 月 12 日, 12 June 2017, May 2027, 2017-06-12",
        "The [paper of 2017](https://example.org/) (Vaswani et al.); from 2017. The 2017 paper",
        "arXiv:1706.03762",
        "Qwen2.5-7B, Qwen3-0.6B, a 7B model, float32, float64, bf16, UTF-8, GPT-2, W_12, x10, Llama-3.1-8B",
        "3.11.5, Python 3.11, Node ≥ 20, CC BY 4.0",
        "`d_model=768`, `x[10:20]`, `0.68 * x`, `python3.11`",
        "12. A list item\n13. Another",
        "https://example.org/0.68 and [a paper](https://example.org/1706.03762) <https://example.org/12>",
        "<!-- 0.68 -->",
        '<div style="width: 68%" markdown>words</div>',
        "Words.[^12]\n\n[^12]: Words.",
        "![](x.png){ width=300 }",
        "{{ wheel_12 }} :octicons-arrow-right-24: &#8722;",
        "~~~yaml\nport: 8000\n~~~",
        "```console\n$ serve --port 8001\n```",
        r"$\text{Qwen2.5-7B}$",
    ],
)
def test_what_is_no_quantity_by_rule(body):
    assert unexplained(body) == []


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("(2048)", "2048"),  # no year
        ("width 2017", "2017"),  # no name before it
        ("2017 tokens", "2017"),
        ("of 2017 tokens", "2017"),
        ("[11 Three positions](06-three-positions.md)", "11"),  # not its number
        ("the 12 chapters", "12"),
        ("only 0.68 of section 3", "0.68"),
        ("08, 0.68", "0.68"),
        ("Python is 0.68 of it", "0.68"),
    ],
)
def test_what_only_looks_like_an_exception(body, number):
    assert unexplained(body) == [(3, number)]


def test_full_width_digits():
    problems = numbers.check(page("共１９２个"))
    assert [(p.line, p.message.split(";")[-1]) for p in problems] == [(3, " write 192")]


def test_a_comment_in_the_code_is_prose():
    body = "```python\nx = 1  # 0.68 of it\n# 0.25 of it\n```"
    assert unexplained(body) == [(4, "0.68")]


def test_the_chapters_own_number_in_its_title():
    text = "# {} Three positions {{#a}}\n"
    for number, expected in (("06", []), ("10", [1])):
        chapter = parse(text.format(number), f"docs/en/chapters/{number}-x.md")
        assert numbers.check(read_page(chapter)) == []
        chapter = parse(text.format(number), "docs/en/chapters/11-x.md")
        assert [problem.line for problem in numbers.check(read_page(chapter))] == expected


def test_only_the_code_of_the_page_counts():
    outside = "# Title {#title}\n\n0.25\n\n~~~plain\n0.25\n~~~\n\n```console\n0.25\n```\n"
    chapter = parse(outside, "docs/en/chapters/06-x.md")
    assert [problem.line for problem in numbers.check(read_page(chapter))] == [3]


def test_the_message_names_the_nearest_number_and_three_ways_out():
    (problem,) = numbers.check(page("0.68"))
    assert problem.path == "docs/en/chapters/06-x.md"
    # 0.67 is in the fourth line of code, under a fence on line 4; 0.6667 is farther off.
    assert problem.message == (
        "“0.68”: nothing on this page gives this number (nearest: 0.67, line 8); compute it in "
        "a block of this page, correct it, or list it with its source in docs/facts.yml"
    )


def test_the_constants_of_mathematics_are_inputs_of_the_code():
    block = "```python\nimport numpy as np\nx = np.e, np.pi\n```"
    assert unexplained(f"2.718 and 3.1416 and 2.719\n\n{block}") == [(3, "2.719")]


def test_an_output_that_is_not_written_yet_is_named_first():
    body = "0.68\n\n```python\nprint(x)\n```\n"
    (problem,) = numbers.check(page(body))
    assert problem.message.endswith(
        "(the block of line 5 prints and has no output under it: run `dev.py update` first)"
    )


# Facts

FACTS = """\
# A comment.
- value: "29,364,736"
  what: parameters of an attention layer of Qwen2.5-7B
  source: https://example.org/config.json
- value: Debian 12
  what: where the tests run
  source: .ci/run
  pages: [README.md]
"""


def test_a_fact_explains_a_number():
    facts = Facts(FACTS)
    assert numbers.check(page("29,364,736 parameters, $29{,}364{,}736$"), facts) == []
    assert [problem.line for problem in numbers.check(page("29,364,737"), facts)] == [3]


def test_a_fact_that_is_a_phrase_holds_where_it_is_listed():
    facts = Facts(FACTS)
    readme = read_page(parse("# A\n\nDebian 12 is fine, 12 is not.\n", "README.zh.md"))
    (problem,) = numbers.check(readme, facts)
    assert problem.message.startswith("“12”")
    assert [text for _, text in unexplained("Debian 12")] == ["12"]
    assert [problem.line for problem in numbers.check(page("Debian 12"), facts)] == [3]


def test_a_fact_that_no_page_needs():
    facts = Facts(FACTS)
    numbers.check(page("29,364,736"), facts)
    (problem,) = facts.unused()
    assert (problem.path, problem.line) == ("docs/facts.yml", 5)
    assert "Debian 12" in problem.message


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("- value: 12\n  what: a\n", 1, "source missing"),
        ("- value: 12\n  what: a\n  source: ''\n", 1, "source missing"),
        ("# c\n- value: 12\n  what: a\n  source: b\n  page: x\n", 2, "“page” is no field"),
        ("- value: 12\n  what: a\n  source: b\n  pages: x\n", 1, "pages: expected a list"),
        ("- value: [12]\n  what: a\n  source: b\n", 1, "value: expected one value"),
        ("- 12\n", 1, "expected an entry with the fields value, what, source"),
        ("value: 12\n", 1, "expected a list of entries"),
        ("- value: 'a\n", 2, "not YAML"),
    ],
)
def test_a_facts_file_with_a_fault(text, line, fragment):
    (problem,) = Facts(text).problems
    assert (problem.path, problem.line) == ("docs/facts.yml", line)
    assert fragment in problem.message
