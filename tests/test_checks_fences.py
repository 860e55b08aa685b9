"""Each rule for fences, code, headings and formulas finds the fault that it is there for."""

import inspect
import io
import textwrap

import pytest
from pytest_codeblocks.main import extract_from_buffer

from attn import figures
from chapter import parse
from checks import code, fences
from checks.prose import read_page


def check(text, **options):
    return fences.check(read_page(parse(text, "docs/en/chapters/01-x.md")), **options)


def page(body):
    return "# Title {#title}\n\n" + textwrap.dedent(body)


def found(body, **options):
    """Line and message of every problem, for a body that starts on line 3."""
    return [(problem.line, problem.message) for problem in check(page(body), **options)]


def assert_found(body, line, *fragments):
    problems = found(body)
    assert [at for at, _ in problems] == [line], problems
    for fragment in fragments:
        assert fragment in problems[0][1]


GOOD = """\
# Title {#title}

Words with `code`, a `` ` `` tick, $x$ and 0.5.

## First {#first}

```python
import matplotlib.pyplot as plt
from attn import figures

print("0.5")
```

~~~text
0.5
~~~

<!--pytest-codeblocks:cont-->
```python
fig = figures.data_flow(None, lang="en")
figures.describe(fig, "A figure.")
plt.show()
```

### Deeper {#deeper}

$$
x = 1
$$

1. One

    ```python
    print("in a list")
    ```

    ~~~text
    in a list
    ~~~

??? tip "Hint"
    Words.

    <!--pytest-codeblocks:importorskip(torch)-->
    ```python
    import torch
    ```

        code of an indented kind in a fold is left alone

```py
x = torch.nn.Linear(2, 2)
```

```console
$ python3 scripts/dev.py serve
```

~~~yaml
a: 1
~~~

````markdown
```python
not_run(
```
<!--pytest-codeblocks:skipfile-->
# No heading
````

~~~plain
# No heading either
~~~

| a | b |
|---|---|
| 1 | 2 |

---

## Last {#last-2}
"""


def test_a_page_without_faults():
    assert check(GOOD) == []


def test_a_fence_in_a_list_in_a_tab_in_an_admonition():
    nested = """\
    !!! note "One"

        === "Two"

            - Three

                ```python
                print(3)
                ```

                ~~~text
                3
                ~~~
    """
    assert found(nested) == []
    assert found(nested.replace("~~~text", "~~~ text")) != []


@pytest.mark.parametrize(
    "info",
    [
        'python title="x"',
        "{.python}",
        "Python",
        "py3",
        "python3",
        " python",
        "python linenums",
        "pycon",
    ],
)
def test_a_spelling_of_python_that_pytest_codeblocks_skips(info):
    body = f"```{info}\nx = 1\n```\n"
    assert_found(body, 3, f"```{info}: ", "```python if it should run, ```py if it is only shown")
    assert "python" not in [block.syntax for block in extract_from_buffer(io.StringIO(body))]


@pytest.mark.parametrize(
    ("opening", "advice"),
    [
        ("~~~python", "```python if it should run"),
        ("```sh", "pytest-codeblocks would run it; write ```console"),
        ("```bash", "pytest-codeblocks would run it; write ```console"),
        ("```shell", "write ```console"),
        ("~~~console", "write ```console"),
        ("~~~bash", "write ```console"),
        ("```", "write ~~~text for the output"),
        ("~~~", "write ~~~text for the output"),
        ("```text", "write ~~~text for the output"),
        ("```output", "write ~~~text for the output"),
        ("```yaml", "write ~~~yaml"),
        ("~~~YAML", "~~~yaml"),
        ('~~~yaml title="x"', "~~~yaml"),
        ("```markdown", "````markdown (four backticks)"),
        ("```mermaid", "another host"),
        ("~~~mermaid", "another host"),
    ],
)
def test_another_spelling(opening, advice):
    assert_found(f"{opening}\nx\n{opening[:3]}\n", 3, f"{opening}: ", advice)


def test_a_tab_before_a_fence():
    assert_found("- item\n\n\t```console\n\tls\n\t```\n", 5, "a tab before ```console")


def test_a_fence_inside_another_that_was_not_closed():
    problems = found("```console\nls\n\n```python\nx = 1\n")
    assert problems[0][0] == 6 and "while the fence of line 3 is open" in problems[0][1]


def test_a_closing_fence_with_more_marks_than_the_opening_one():
    assert_found("```console\nls\n````\n", 5, "“````” while the fence of line 3 is open")


def test_a_closing_fence_indented_otherwise():
    assert_found("- item\n\n    ```console\n    ls\n```\n", 7, "not indented like the opening one")


def test_backticks_inside_tildes():
    body = "~~~markdown\n```python\nnot_run(\n```\n~~~\n"
    assert [line for line, _ in found(body)] == [4, 6]
    assert "four backticks" in found(body)[0][1]
    assert [block.syntax for block in extract_from_buffer(io.StringIO(body))] == ["python"]


def test_a_directive_inside_tildes():
    assert_found("~~~markdown\n<!--pytest-codeblocks:cont-->\n~~~\n", 4, "obeys it even there")


@pytest.mark.parametrize(
    "above",
    [
        "Words.\n\n",
        "```python\nprint(1)\n```\n\nWords between.\n\n",
        "```py\nprint(1)\n```\n\n",
        "~~~text\n1\n~~~\n\n",
    ],
)
def test_an_output_of_no_block(above):
    problems = found(above + "~~~text\n1\n~~~\n")
    assert problems[-1][0] == 3 + above.count("\n")
    assert "directly above" in problems[-1][1] and "~~~plain" in problems[-1][1]


def test_an_output_indented_otherwise_than_its_block():
    assert_found(
        "- item\n\n    ```python\n    print(1)\n    ```\n\n~~~text\n1\n~~~\n", 9, "same indentation"
    )


def test_a_fence_in_an_html_comment_runs_unseen():
    body = "<!--\n```python\nprint(1)\n```\n-->\n"
    assert_found(body, 4, "```python inside an HTML comment", "pytest-codeblocks runs it")
    assert [block.syntax for block in extract_from_buffer(io.StringIO(body))] == ["python"]


def test_a_line_that_begins_with_three_inline_backticks_swallows_what_follows():
    body = "```x``` is code.\n\n```python\nprint(1)\n```\n"
    assert_found(body, 3, "“```x``` is code.”", "begin the line with a word")
    with pytest.raises(RuntimeError, match="end-of-file"):
        extract_from_buffer(io.StringIO(body))


@pytest.mark.parametrize("quoted", ["> ```python", ">```python", "> > ~~~text"])
def test_a_fence_in_a_quotation(quoted):
    assert_found(f"{quoted}\n", 3, "in a quotation")
    assert extract_from_buffer(io.StringIO(f"{quoted}\n> x = 1\n> ```\n")) == []


@pytest.mark.parametrize("marker", ["-", "*", "1.", "2)"])
def test_a_fence_on_the_line_of_a_list_marker(marker):
    problems = found(f"{marker} ~~~yaml\n  a: 1\n")
    assert problems[0][0] == 3 and "a line of its own" in problems[0][1]


@pytest.mark.parametrize(
    ("directive", "advice"),
    [
        ("<!--pytest-codeblocks:skipfile-->", "leaves the whole file untested"),
        ("<!--pytest-codeblocks:skip-->", "write ```py"),
        ("<!--pytest-codeblocks:skipif(True)-->", "importorskip(module)"),
        ("<!--pytest-codeblocks:expected-output-->", "put a ~~~text fence"),
        ("<!--pytest-codeblocks:expected-output-ignore-whitespace-->", "put a ~~~text fence"),
        ("<!--pytest-codeblocks:expect-error-->", "catch the error and print it"),
        ("<!-- pytest-codeblocks: contt -->", "`cont` and `importorskip(module)`"),
        ("<!--pytest-codeblocks:importorskip()-->", "`cont` and `importorskip(module)`"),
        ("<!--pytest.mark.skip-->", "untested"),
        ("<!--pytest-codeblocks cont-->", "is not read by pytest-codeblocks"),
        ("<!--pytest-codeblock:cont-->", "is not read by pytest-codeblocks"),
        ("- <!--pytest-codeblocks:importorskip(torch)-->", "is not read by pytest-codeblocks"),
    ],
)
def test_a_directive_that_leaves_code_untested_or_unread(directive, advice):
    assert_found(f"{directive}\n```python\nx = 1\n```\n", 3, directive, advice)


@pytest.mark.parametrize("below", ["Words.", "```py\nx = 1\n```", "```console\nls\n```"])
def test_a_directive_above_no_block(below):
    assert_found(
        f"<!--pytest-codeblocks:importorskip(torch)-->\n\n{below}\n", 3, "belongs directly above"
    )


FIRST = "```python\nx = 1\n```\n\n"
CONT = "<!--pytest-codeblocks:cont-->\n```python\nprint(x)\n```\n"


@pytest.mark.parametrize("between", ["```py\ny = 2\n```", "```console\nls\n```"])
def test_cont_with_another_fence_between(between):
    body = f"{FIRST}{between}\n\n{CONT}"
    assert_found(body, 12, "never be tested", f"{between.splitlines()[0]} fence of line 7")
    tested = [b.code for b in extract_from_buffer(io.StringIO(body)) if b.syntax == "python"]
    assert tested == ["x = 1\n"]


def test_cont_over_a_section():
    assert_found(f"{FIRST}## Next {{#next}}\n\n{CONT}", 10, "“Next” of line 7")


def test_cont_over_a_subsection_is_allowed():
    assert found(f"## A {{#a}}\n\n{FIRST}### B {{#b}}\n\n{CONT}") == []


def test_importorskip_on_a_block_that_continues_another():
    body = f"{FIRST}<!--pytest-codeblocks:importorskip(torch)-->\n{CONT}"
    assert_found(body, 9, "importorskip(torch) on a block that continues another")


@pytest.mark.parametrize(
    ("code", "line", "fragment"),
    [
        ("import sys\n\nsys.exit(0)", 6, "sys.exit() ends the whole run"),
        ("exit()", 4, "exit() ends the whole run"),
        ("if True:\n    quit()", 5, "quit() ends the whole run"),
        ("raise SystemExit", 4, "raise SystemExit ends the whole run"),
        ("raise SystemExit(1)", 4, "raise SystemExit ends the whole run"),
        (
            "def main():\n    pass\nif __name__ == '__main__':\n    main()",
            6,
            "skipped without a word",
        ),
        ("name = input('?')", 4, "input() waits for someone to type"),
        ("breakpoint()", 4, "breakpoint() waits"),
        ("x = 1\ny = (\n", 5, "does not parse"),
        ("x = 1\n>>> x", 5, "without prompts"),
        ("%matplotlib inline", 4, "```console"),
        ("return 1", 4, "does not parse"),
        ("x = '\\d'", 4, "does not parse"),
    ],
)
def test_code_that_cannot_run_everywhere(code, line, fragment):
    assert_found(f"```python\n{code}\n```\n", line, fragment)


def test_code_that_is_only_shown_must_parse_and_may_stop():
    assert_found("```py\nx = (\n```\n", 4, "does not parse")
    assert found("```py\nimport sys\nsys.exit()\n```\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib.pyplot as plt\nplt.plot([1])",
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nplt.show()\nprint(1)",
        "from attn import figures\nfigures.mask_grid(m, lang='en')",
        "from attn.figures import mask_grid as grid\ngrid(m, lang='en')",
        "import attn.figures\nattn.figures.mask_grid(m, lang='en')",
        "from matplotlib import pyplot\npyplot.figure()",
    ],
)
def test_a_block_that_draws_and_does_not_show(code):
    line = 3 + code.count("\n") + 1
    assert_found(f"```python\n{code}\n```\n", line, "let its last line be plt.show()")


def test_a_block_that_draws_with_the_imports_of_its_chain():
    first = "```python\nimport matplotlib.pyplot as plt\nfrom attn import figures as f\n```\n\n"
    cont = "<!--pytest-codeblocks:cont-->\n```python\nf.mask_grid(m, lang='en')\n```\n"
    assert_found(first + cont, 10, "f.mask_grid")


def test_every_function_of_attn_figures_without_a_language_is_known_to_draw_nothing():
    silent = {
        name
        for name in figures.__all__
        if "lang" not in inspect.signature(getattr(figures, name)).parameters
    }
    assert silent == code.NOT_DRAWING


def test_what_draws_nothing_needs_no_show():
    code = (
        "from attn import figures\nimport numpy as np\nplot = np.plot\nfigures.describe(fig, 'x')"
    )
    assert found(f"```python\n{code}\n```\n") == []


# Headings and formulas


@pytest.mark.parametrize(
    ("text", "line", "fragment"),
    [
        ("", 1, "the file is empty"),
        (" \n\n", 1, "the file is empty"),
        ("Words.\n", 1, "no title"),
        ("# A {#a}\n\n# B {#b}\n", 3, "a second title (the first is on line 1)"),
        ("# A {#a}\n\n## B\n", 3, "has no id; add one in English"),
        ("# 标题\n", 1, "“# 标题” has no id"),
        ("# 标题 {#标题}\n", 1, "the id “标题” has to stand in an address"),
        ("# A {#Why_scale}\n", 1, "use a-z, 0-9 and hyphens"),
        ("# A {#a}\n\n## B {#a}\n", 3, "the id “a” is taken by line 1"),
        ('# A {#a}\n\n<a id="a"></a>\n', 3, "the id “a” is taken by line 1"),
        ("# A {#a}\n\n## Why $\\sqrt d$ {#b}\n", 3, "TeX shows raw"),
        ("# A {#a}\n\n### C {#c}\n", 3, "skips a level; write ##"),
        ("# A {#a}\n\n- item\n\n    ## B {#b}\n", 5, "an indented heading"),
        ("# A {#a}\n\n##B\n", 3, "put a space after the #"),
        ("# A {#a}\n\nB\n---\n", 4, "“B” is underlined"),
        ("# A {#a}\n\nB\n===\n", 4, "“B” is underlined"),
        ("# A {#a}\n\n<!--\n## B {#b}\n-->\n", 4, "a heading in an HTML comment"),
        ("# A {#a}\n\n$$x = 1$$\n", 3, "$$ stands alone on its line"),
        ("# A {#a}\n\nSo $$x = 1$$ it is.\n", 3, "$$ stands alone on its line"),
        ("# A {#a}\n\n$$ x\n= 1\n$$\n", 3, "$$ stands alone on its line"),
        ("# A {#a}\n\nWords:\n$$\nx = 1\n$$\n", 4, "an empty line above"),
        ("# A {#a}\n\n$$\nx = 1\n$$\nWords.\n", 5, "an empty line below"),
        ("# A {#a}\n\n$$\nx = 1\n", 3, "has no partner"),
        ("# A {#a}\n\nSo \\(x = 1\\).\n", 3, "formulas are written $…$"),
        ("# A {#a}\n\n\\[\nx = 1\n\\]\n", 3, "formulas are written $…$"),
        ("# A {#a}\n\nWords.\n\n    x = 1\n    y = 2\n", 5, "indented by four"),
        ("# A {#a}\n\n```console\nls\n```\n\n    x = 1\n", 7, "indented by four"),
        ("# A {#a}\n\n<pre>x = 1</pre>\n", 3, "code in HTML is neither run"),
    ],
)
def test_layout(text, line, fragment):
    problems = check(text)
    assert [problem.line for problem in problems] == [line], problems
    assert fragment in problems[0].message


def test_a_formula_with_an_empty_line_in_it():
    problems = check("# A {#a}\n\n$$\nx = 1\n\ny = 2\n$$\n")
    assert [problem.line for problem in problems] == [3, 7]


def test_a_heading_that_skips_the_title():
    assert any("skips a level" in problem.message for problem in check("## A {#a}\n"))


def test_a_file_that_only_github_shows_needs_no_ids():
    assert check("# A\n\n## B\n", heading_ids=False) == []


def test_front_matter_is_no_heading():
    assert check("---\ntitle: A\n---\n\n# A {#a}\n") == []
