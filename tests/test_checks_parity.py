"""A difference between the two editions is found, whichever edition has it."""

import pytest

from chapter import parse
from checks import navigation, parity
from checks.prose import read_page
from checks.same_code import Labels, differences

LABELS = """\
- zh: 三
  en: three
- zh: "第 {} 行："
  en: "row {}: "
"""

ZH = """\
# 标题 {#title}

第一段，0.25 和 $x=1$，还有 $W$。

## 第一节 {#first}

- 一
- 二

    1. 甲
    2. 乙

| 甲 | 乙 |
|---|---|
| 1 | 2 |
| 3 | 4 |

![图](../assets/zh/map.svg)

$$
x = 1 \\text{ 且 } y
$$

```python
# 注释
names = ["三", 5]

for i in range(2):  # 行尾注释
    print(f"第 {i} 行：", names, lang="zh")
```

~~~text
第 0 行： 0.25
第 1 行： 0.5
~~~

!!! note "注意"
    说明。

=== "甲"

    内容。

<!--pytest-codeblocks:importorskip(torch)-->
```python
import torch
```

```py
x = 1
```

```console
$ python3 scripts/dev.py serve  # 启动
```

## 第二节 {#second}

第二节里 W 占 52.4 %，$W$。

> 引文
> 接着引

<div class="grid" markdown>

格子

</div>
"""

EN = """\
# Title {#title}

A first paragraph: $x = 1$ with $W$, then

another, 0.25. And $W$ again.

## First {#first}

- one
- two

    1. a
    2. b

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

![map](../assets/en/map.svg)

$$
x = 1 \\text{ and } y
$$

```python
names = ["three", 5]  # a comment

# another
# comment
for i in range(2):
    print(f"row {i}: ", names, lang="en")
```

~~~text
row 0:  0.25
row 1:  0.5
~~~

!!! note "Mind"
    Words.

=== "A"

    Words.

<!--pytest-codeblocks:importorskip(torch)-->
```python
import torch
```

```py
x = 1
```

```console
$ python3 scripts/dev.py serve  # start
```

## Second {#second}

Here $W$ takes 52.4 %.

> A quotation
> that runs on

<div class="grid" markdown>

cell

</div>
"""


def page(text, language):
    return read_page(parse(text, f"docs/{language}/chapters/06-x.md"))


def compare(zh, en, labels=LABELS):
    return parity.check(page(zh, "zh"), page(en, "en"), Labels(labels))


def line_of(text, fragment):
    assert fragment in text, f"the test plants its fault in a line that is gone: {fragment}"
    return text[: text.index(fragment)].count("\n") + 1


def changed(text, old, new):
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def test_two_editions_without_a_difference():
    assert compare(ZH, EN) == []


@pytest.mark.parametrize(
    ("old", "new", "fragment"),
    [
        ("## Second {#second}", "### Second {#second}", "has another level"),
        ("## Second {#second}", "## Second {#third}", "{#third}” stands where the Chinese"),
        (
            "1. a\n    2. b",
            "- a\n    - b",
            "a bulleted list stands where the Chinese edition has a numbered",
        ),
        (
            "- one\n- two\n",
            "- one\n- two\n- three\n",
            "the bulleted list has 3 items, the Chinese one 2",
        ),
        ("| 3 | 4 |\n", "", "2 columns and 1 rows, the Chinese one 2 and 2"),
        ("|---|---|", "|---|---|---|", "3 columns and 2 rows, the Chinese one 2 and 2"),
        ("assets/en/map.svg", "assets/en/plan.svg", "another image"),
        ("x = 1 \\text", "x = 2 \\text", "another formula"),
        ("\\text{ and } y", "\\text{ and } z", "another formula"),
        ("!!! note", "!!! tip", "a !!! tip stands where the Chinese edition has a !!! note"),
        ("!!! note", "??? note", "a ??? note stands where the Chinese edition has a !!! note"),
        ("names, lang", "name, lang", "another program: “name” against “names”"),
        ("range(2)", "range(3)", "another program: “3” against “2”"),
        ('["three", 5]', '["three", 5.0]', "another program: “5.0” against “5”"),
        ('["three", 5]', '["four", 5]', "add the pair to docs/labels.yml"),
        ('f"row {i}: "', 'f"line {i}: "', "add the pair to docs/labels.yml"),
        ('f"row {i}: "', 'f"row {i:.1f}: "', "another program"),
        ("    print(f", "    i += 1\n    print(f", "another program"),
        (
            "for i in range(2):",
            "for  i in range(2):",
            "“for  i in range(2):” against “for i in range(2):”",
        ),
        ("for i in range(2):", "for i in (range(2)):", "“for i in (range(2)):” against"),
        ("for i in range(2):", "for i in range(\n    2):", "another program"),
        ("row 1:  0.5", "row 1:  0.75", "another output: “row 1:  0.75”"),
        ("row 1:  0.5\n", "row 1:  0.5\n\n", "an output of 3 lines, the Chinese one of 2"),
        ("```py\nx = 1", "```py\nx = 2", "another program: “2” against “1”"),
        ("(torch)", "(jax)", "importorskip(jax) here, importorskip(torch) there"),
        ("dev.py serve", "dev.py build", "another text in the ```console fence"),
        ('=== "A"\n\n    Words.', '=== "A"', None),  # words alone are no structure
        ("    Words.\n\n===", "Words.\n\n===", None),
        ("    1. a\n    2. b", "  1. a\n  2. b", "is indented by 2, in the Chinese edition by 4"),
    ],
)
def test_a_difference(old, new, fragment):
    en = changed(EN, old, new)
    problems = compare(ZH, en)
    if fragment is None:
        assert problems == []
        return
    assert fragment in problems[0].message, problems
    assert problems[0].path == "docs/en/chapters/06-x.md"
    assert "(docs/zh/chapters/06-x.md:" in problems[0].message


def test_the_lines_of_both_languages():
    (problem,) = compare(ZH, changed(EN, "range(2)", "range(3)"))
    assert problem.line == line_of(EN, "range(2)")
    assert f"(docs/zh/chapters/06-x.md:{line_of(ZH, 'range(2)')})" in problem.message


@pytest.mark.parametrize(
    ("piece", "zh_piece", "name"),
    [
        ("## Second {#second}\n", "## 第二节 {#second}\n", "the heading “## 第二节 {#second}”"),
        ("~~~text\nrow 0:  0.25\nrow 1:  0.5\n~~~\n", "~~~text", "an output"),
        ("$$\nx = 1 \\text{ and } y\n$$\n", "$$", "a formula"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "| 甲", "a table"),
        ("![map](../assets/en/map.svg)\n", "![图]", "an image"),
        ('!!! note "Mind"\n', "!!! note", "a !!! note"),
        ('=== "A"\n', "===", "a tab"),
        ("> A quotation\n> that runs on\n", "> 引文", "a quotation"),
        ('<div class="grid" markdown>\n', "<div", "a <div>"),
    ],
)
def test_something_that_one_edition_lacks(piece, zh_piece, name):
    problems = compare(ZH, changed(EN, piece, ""))
    wanted = f"the Chinese edition has {name} (docs/zh/chapters/06-x.md:{line_of(ZH, zh_piece)})"
    assert problems[0].message.startswith(wanted), problems
    assert problems[0].path == "docs/en/chapters/06-x.md"


def test_something_that_the_chinese_edition_lacks():
    (problem,) = compare(changed(ZH, "> 引文\n> 接着引\n", ""), EN)
    assert problem.path == "docs/zh/chapters/06-x.md"
    quotation = line_of(EN, "> A quotation")
    assert (
        f"the English edition has a quotation (docs/en/chapters/06-x.md:{quotation})"
        in problem.message
    )


def test_a_block_that_continues_in_one_edition_only():
    block = "\n```python\nprint(names)\n```\n"
    (problem,) = compare(ZH + "<!--pytest-codeblocks:cont-->" + block, EN + block)
    assert "`cont` above the block in one edition only" in problem.message


@pytest.mark.parametrize(
    ("old", "new", "zh_has", "en_has"),
    [
        ("0.25. And", "0.35. And", "the number 0.25 in", "the number 0.35 in"),
        ("52.4 %", "52.5 %", "the number 52.4 % in", "the number 52.5 % in"),
        ("takes 52.4 %", "takes 0.524", None, None),
        ("another, 0.25.", "another, 0.25, 0.25.", None, "the number 0.25 once more in"),
        ("another, 0.25.", "another.", "the number 0.25 in", None),
        ("$x = 1$ with", "$x = 2$ with", "the formula $x=1$ in", "the formula $x = 2$ in"),
        ("$x = 1$ with", "$x = 1$, $x=1$ with", None, "the formula $x=1$ once more in"),
        ("Here $W$ takes", "Here $W_V$ takes", None, "the symbol $W_V$"),
    ],
)
def test_numbers_and_formulas_of_a_section(old, new, zh_has, en_has):
    problems = compare(ZH, changed(EN, old, new))
    expected = [("en", zh_has), ("zh", en_has)]
    expected = [(language, text) for language, text in expected if text]
    if new == "takes 0.524":  # the same value, printed with as many decimals
        expected = []
    assert len(problems) == len(expected), problems
    for problem, (language, text) in zip(sorted(problems, key=lambda p: p.path), expected):
        assert problem.path == f"docs/{language}/chapters/06-x.md"
        assert text in problem.message


@pytest.mark.parametrize(
    ("language", "old", "new", "fragment"),
    [
        ("en", 'lang="en")', 'lang="zh")', "“zh” in the English edition; write “en”"),
        ("zh", 'lang="zh")', 'lang="en")', "“en” in the Chinese edition; write “zh”"),
    ],
)
def test_the_wrong_language_in_the_code(language, old, new, fragment):
    zh, en = (changed(ZH, old, new), EN) if language == "zh" else (ZH, changed(EN, old, new))
    assert any(
        fragment in p.message and p.path.startswith(f"docs/{language}") for p in compare(zh, en)
    )


def test_labels_in_the_wrong_language():
    code = '```python\nlesson.labels("zh")\n```\n'
    assert [p.path for p in compare(ZH + code, EN + code)] == ["docs/en/chapters/06-x.md"]


def test_a_figure_that_is_not_told_its_language():
    code = "```python\nfrom attn import figures\nfigures.mask_grid(m)\nplt.show()\n```\n"
    problems = compare(ZH + code, EN + code)
    assert sorted(p.path for p in problems) == [
        "docs/en/chapters/06-x.md",
        "docs/zh/chapters/06-x.md",
    ]
    assert 'add lang="en"' in problems[1].message and "figures.mask_grid(…)" in problems[1].message
    code = code.replace("(m)", "(m, **options)")
    assert compare(ZH + code, EN + code) == []


@pytest.mark.parametrize("kind", ["````markdown", "~~~plain"])
def test_a_fence_of_words_is_written_in_each_language(kind):
    zh = f"{ZH}\n{kind}\n# 第 25 页\n{kind.rstrip('markdownplai')}\n"
    en = f"{EN}\n{kind}\n# Page 25\n{kind.rstrip('markdownplai')}\n"
    assert compare(zh, en) == []
    (problem,) = compare(zh, en.replace("Page 25", "Page 26"))
    assert f"other numbers in the {kind} fence" in problem.message


# Code


@pytest.mark.parametrize(
    ("zh", "en"),
    [
        ("x = 1  # 一\n", "# one\nx = 1\n"),
        ('f("三")\n', 'f("three")\n'),
        ('f("三")\n', "f('three')\n"),
        ('f("zh")\n', 'f("en")\n'),
        ('f("三  ")\n', 'f(" three")\n'),
        ('f("x ")\n', 'f("x  ")\n'),
        ("s = '#'\n", "s = '#'  # a hash\n"),
        ('"三"; f("三", x)  # 三\n', '"three"; f("three", x)\n'),
        ("x = f(f'第 {d[\"三\"]} 行：', 1)\n", "x = f(f'row {d[\"three\"]}: ', 1)\n"),
        ('x = f("三", f"第 {a} 行：", 1)\n', 'x = f("three", f"row {a}: ", 1)\n'),
    ],
)
def test_the_same_program(zh, en):
    assert differences(zh, en, Labels(LABELS)) == []


@pytest.mark.parametrize(
    ("zh", "en", "lines"),
    [
        ("a = 1\nb = x + y\n", "a = 1\nb = x - y\n", (2, 2)),
        ("a = 1\nb = 2\n", "a = 1\n", (2, 1)),
        ("a = 1\n", "a = 1\nb = 2\n", (1, 2)),
        ("f(1, 2)\n", "f(1)\n", (1, 1)),
        ("def f(a, b): ...\n", "def f(a, c): ...\n", (1, 1)),
        ("def f(a, *, b=1): ...\n", "def f(a, b=1): ...\n", (1, 1)),
        ("import a\n", "import a as b\n", (1, 1)),
        ("x = True\n", "x = 1\n", (1, 1)),
        ("x = [i for i in y]\n", "x = [i for i in y if i]\n", (1, 1)),
        ("f('en')\n", "f('zh')\n", (1, 1)),
        ("f('three')\n", "f('三')\n", (1, 1)),
        ("# 一\na = 1; b = 2\n", "a = 1\nb = 2\n", (2, 1)),
        ("f('a')\n", 'f("a")\n', (1, 1)),
        ('f("三", 1)\n', 'f("three",  1)\n', (1, 1)),
        ('f("""三""",\n  1)\n', 'f("three", 1)\n', (1, 1)),
    ],
)
def test_another_program(zh, en, lines):
    (found,) = differences(zh, en, Labels(LABELS))
    assert (found.zh, found.en) == lines


def test_every_string_that_is_no_pair_is_told_at_once():
    found = differences('f("甲", "乙", 1)\n', 'f("a", "b", 2)\n', Labels(LABELS))
    assert [each.strings for each in found] == [True, True, False]


def test_a_pair_that_no_block_uses():
    labels = Labels(LABELS)
    differences('f("三")\n', 'f("three")\n', labels)
    (problem,) = labels.unused()
    assert (problem.path, problem.line) == ("docs/labels.yml", 3)
    assert "“第 {} 行：”" in problem.message


def test_a_labels_file_with_a_fault():
    (problem,) = Labels("- zh: 三\n").problems
    assert "en missing; every entry has zh, en" in problem.message


# Pages and navigation


def test_a_page_in_one_language_only():
    zh = {"index.md": "docs/zh/index.md", "a.md": "docs/zh/a.md"}
    en = {"index.md": "docs/en/index.md", "b.md": "docs/en/b.md"}
    problems = parity.missing(zh, en)
    assert [(p.path, p.line) for p in problems] == [("docs/zh/a.md", 1), ("docs/en/b.md", 1)]
    assert "no English edition; write a.md there too" in problems[0].message


PAGES = {"index.md", "chapters/06-x.md", "chapters/07-y.md"}
NAV_ZH = """\
site_url: !ENV [SITE_URL_ZH, "http://127.0.0.1:8000/zh/"]
nav:
  - index.md
  - 第一部分:
      - chapters/06-x.md
      - chapters/07-y.md
emoji: !!python/name:material.extensions.emoji.twemoji
"""
NAV_EN = NAV_ZH.replace("第一部分", "Part 1")


def navigate(zh=NAV_ZH, en=NAV_EN, zh_pages=PAGES, en_pages=PAGES):
    return navigation.check(
        (zh, "mkdocs.yml"), (en, "mkdocs.en.yml"), {"zh": zh_pages, "en": en_pages}
    )


def test_navigation_without_a_difference():
    assert navigate() == []


@pytest.mark.parametrize(
    ("old", "new", "line", "fragment"),
    [
        ("06-x.md\n      - chapters/07-y", "07-y.md\n      - chapters/06-x", 5, "(mkdocs.yml:5)"),
        ("      - chapters/07", "  - chapters/07", 6, "nav has chapters/07-y.md where"),
        ("- chapters/06-x", "- Title: chapters/06-x", 5, "has a title here and one on its page"),
    ],
)
def test_navigation_that_differs(old, new, line, fragment):
    (problem,) = navigate(en=changed(NAV_EN, old, new))
    assert (problem.path, problem.line) == ("mkdocs.en.yml", line)
    assert fragment in problem.message


def test_a_page_that_is_in_one_navigation_only():
    problems = navigate(en=changed(NAV_EN, "      - chapters/07-y.md\n", ""))
    assert [(p.path, p.line) for p in problems] == [("mkdocs.en.yml", 3), ("mkdocs.yml", 6)]
    assert "chapters/07-y.md is not in nav" in problems[0].message
    assert "missing from the nav of mkdocs.en.yml" in problems[1].message


def test_a_page_that_is_in_no_folder():
    (problem,) = navigate(zh_pages=PAGES - {"chapters/07-y.md"})
    assert (problem.path, problem.line) == ("mkdocs.yml", 6)
    assert "there is no such page" in problem.message


@pytest.mark.parametrize(
    ("text", "fragment"), [("site_name: x\n", "no nav"), ("a: [\n", "not YAML")]
)
def test_a_configuration_without_a_navigation(text, fragment):
    (problem,) = navigate(en=text)
    assert problem.path == "mkdocs.en.yml" and fragment in problem.message
