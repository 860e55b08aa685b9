"""A link that leads nowhere, and anything loaded from another host, is found."""

import pytest

import checks
from chapter import parse
from checks.links import Links
from checks.prose import read_page

OTHERS = {
    "docs/en/index.md": "# Home {#home}\n",
    "docs/en/chapters/07-y.md": '# Y {#y}\n\n## Two {#two}\n\n<a id="old"></a>\n\nWords.\n{#words}\n',
    "docs/en/reference/index.md": "# R {#r}\n",
    "docs/zh/chapters/06-x.md": "# 标题 {#title}\n",
    "docs/zh/index.md": "# 首页 {#home}\n",
    "README.zh.md": "# 甲\n\n## 怎样 开始？\n",
}
FILES = {
    "docs/en/assets/map.png",
    "docs/theme/assets/js/attn.js",
    "LICENSE",
    "docs/zh/chapters/06-x.md",
    "docs/en/index.md",
    "README.zh.md",
    "README.md",
}


def check(body, path="docs/en/chapters/06-x.md"):
    page = read_page(parse("# Title {#title}\n\n" + body + "\n", path))
    pages = {name: read_page(parse(text, name)) for name, text in OTHERS.items()}
    links = Links(
        {**pages, path: page},
        FILES.__contains__,
        ("http://127.0.0.1:8000/en/", "https://me.example/"),
    )
    return [(problem.line, problem.message) for problem in links.check(page)]


@pytest.mark.parametrize(
    "body",
    [
        "[a](07-y.md), [b](07-y.md#two), [c](07-y.md#old), [d](07-y.md#words), [e](#title)",
        "[a](../index.md), [b](../reference/index.md#r), [c](./07-y.md)",
        "[a](https://example.org/x), <https://example.org>, [b](mailto:a@example.org)",
        "[a](http://127.0.0.1:9000/)",
        "[a](../../zh/chapters/06-x.md){ target=_self }",
        '[a](../../../zh/chapters/06-x/#title){target="_self"}',
        '<a href="../../../zh/chapters/06-x/" target="_self">a</a>',
        '<a href="../07-y/#two">a</a> <a href="../../">a</a> <a href="#title">a</a>',
        '<a href="../../../attention_by_hand-0.1.0-py3-none-any.whl">a</a> <a href="../06-x.ipynb">b</a>',
        "![A map](../assets/map.png)",
        '<img src="../../assets/map.png" alt="A map"> <img src="../../assets/map.png" alt="">',
        '<script src="../../assets/js/attn.js"></script>',
        "[wheel]({{ wheel }})",
        "`[a](b.md)` and ```py``` and $[a](b)$",
        "[a][ref]\n\n[ref]: 07-y.md",
        "[![A map](../assets/map.png)](07-y.md)",
    ],
)
def test_a_link_that_leads_somewhere(body):
    assert check(body) == []


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        (
            "[a](07-z.md)",
            "07-z.md: there is no page docs/en/chapters/07-z.md; did you mean docs/en/chapters/07-y.md?",
        ),
        ("[a](07-y.md#tow)", "docs/en/chapters/07-y.md has no id “tow”; did you mean two?"),
        ("[a](#titel)", "has no id “titel”; did you mean title?"),
        ("[a][ref]\n\n[ref]: 07-z.md", "there is no page"),
        ("[![A map](../assets/map.png)](07-z.md)", "there is no page"),
        ("[a](07-y/)", "no page is served at en/chapters/06-x/07-y/"),
        ("[a](../07-y/)", "link to the file (07-y.md)"),
        ("[a](07-y.html)", "link to the .md file"),
        ("[a](/en/chapters/07-y/)", "begins at the host"),
        ("[a]()", "a link to nothing"),
        ("[](07-y.md)", "a link without words"),
        ("[a](../../zh/chapters/06-x.md)", "add { target=_self } behind the link"),
        ("[a](../../../zh/chapters/06-x/)", "add { target=_self } behind the link"),
        ("[a](../../zh/chapters/06-x.md#two){ target=_self }", "has no id “two”"),
        (
            "[a](../../zh/chapters/07-y.md){ target=_self }",
            "there is no page docs/zh/chapters/07-y.md",
        ),
        ('<a href="../../../zh/chapters/06-x/">a</a>', 'add target="_self"'),
        ('<a href="07-y.md">a</a>', "write the folder, x/ for x.md"),
        ('<a href="../07-z/">a</a>', "no page is served at en/chapters/07-z/"),
        ('<a href="../../../../x/">a</a>', "leads out of the site"),
        ('<a href="../07-y/#tow">a</a>', "did you mean two?"),
        ('<a\n  href="../07-z/">a</a>', "no page is served"),
        ("[a](http://example.org/)", "not encrypted; write https://…"),
        ("<http://example.org/>", "not encrypted; write https://…"),
        ("[a](//example.org/x)", "unknown kind of address"),
        ("[a](javascript:alert)", "unknown kind of address"),
        ("[a](http://127.0.0.1:8000/en/chapters/07-y/)", "an absolute link to this site"),
        ("[a](https://me.example/zh/)", "an absolute link to this site"),
        ("![A map](../assets/plan.png)", "there is no docs/en/assets/plan.png"),
        ("![](../assets/map.png)", "an image without alt text"),
        ('<img src="../../assets/map.png">', "an image without alt text"),
        ('<img src="../assets/map.png" alt="">', "there is no docs/en/chapters/assets/map.png"),
        (
            "![A badge](https://example.org/badge.svg)",
            "<img> makes every reader's browser ask another host",
        ),
        ('<img src="//example.org/a.png" alt="a">', "<img> makes every reader's browser"),
        (
            '<script src="https://example.org/a.js"></script>',
            "<script> makes every reader's browser",
        ),
        ('<iframe src="https://example.org/"></iframe>', "<iframe> makes every reader's browser"),
        (
            '<link rel="stylesheet" href="https://example.org/a.css">',
            "<link> makes every reader's browser",
        ),
    ],
)
def test_a_link_with_a_fault(body, fragment):
    problems = check(body)
    assert len(problems) == 1, problems
    assert fragment in problems[0][1]


def test_its_line():
    assert [line for line, _ in check("Words\n\n[a](07-z.md) and\n[b](07-w.md)")] == [5, 6]


@pytest.mark.parametrize(
    ("body", "fragment"),
    [
        ("[a](LICENSE), [b](docs/en/index.md), [c](README.zh.md#怎样-开始), [d](#title)", None),
        ("[a](https://me.example/)", None),
        ("[a](LICENCE)", "there is no LICENCE"),
        (
            "[a](README.zh.md#怎么-开始)",
            "no heading of README.zh.md has this address; did you mean 怎样-开始?",
        ),
        ("[a](http://example.org/)", "not encrypted"),
    ],
)
def test_a_file_that_github_shows(body, fragment):
    problems = check(body, "README.md")
    if fragment is None:
        assert problems == []
    else:
        assert [text for _, text in problems if fragment in text] and len(problems) == 1


# All checks together

CHAPTER = "# {title} {{#title}}\n\n```python\nprint({code})\n```\n\n~~~text\n0.25\n~~~\n\n{prose}\n"
GOOD = {
    "docs/zh/index.md": CHAPTER.format(title="标题", code='"甲", 0.25', prose="占 25 %。"),
    "docs/en/index.md": CHAPTER.format(
        title="Title", code='"A", 0.25', prose="It takes 25 %, of 12,345."
    ),
    "docs/labels.yml": "- zh: 甲\n  en: A\n",
    "docs/facts.yml": '- value: "12,345"\n  what: a\n  source: b\n',
    "docs/terms.yml": "- lang: en\n  use: normalise\n  not: [normaliz*]\n  why: British\n",
    "README.md": "# Title\n",
    "README.zh.md": "# 标题\n",
    "mkdocs.yml": "site_url: !ENV [A, 'http://127.0.0.1:8000/zh/']\nnav:\n  - index.md\n",
    "mkdocs.en.yml": "nav:\n  - index.md\n",
}
GOOD["docs/zh/index.md"] = GOOD["docs/zh/index.md"].replace("25 %。", "25 %，共 12,345。")


def run(root, changes=None):
    for name, text in {**GOOD, **(changes or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [(problem.path, problem.line, problem.message) for problem in checks.run(root)]


def test_a_project_without_faults(tmp_path):
    assert run(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "fragment"),
    [
        ("docs/en/index.md", "```python", "```py3", 3, "```python if it should run"),
        ("docs/en/index.md", "25 %", "26 %", 11, "“26 %”"),
        ("docs/en/index.md", "It takes", "It is normalized:", 11, "write normalise"),
        ("docs/en/index.md", "It takes", "[It](x.md) takes", 11, "there is no page docs/en/x.md"),
        ("docs/en/index.md", "It takes", "## Two {#two}\n\nIt takes", 11, "and this one has not"),
        ("docs/en/index.md", "print(", "print( ", 4, "another program"),
        ("docs/zh/index.md", "标题 {#title}", "标题", 1, "has no id"),
        ("docs/en/index.md", "~~~text\n0.25\n~~~", "~~~text\n0.25", 7, "never closed"),
        ("docs/en/index.md", "# Title", b"# \xff", 1, "not UTF-8"),
        ("README.md", "# Title", "# Title\n\n## Two", 1, "and this one has not"),
        ("README.zh.md", "# 标题\n", None, 1, "this page has no Chinese edition"),
        ("docs/zh/index.md", "", None, 1, "this page has no Chinese edition"),
        ("mkdocs.en.yml", "- index.md", "- other.md", 2, "there is no such page"),
        ("mkdocs.en.yml", "nav:\n  - index.md\n", "", 1, "no nav"),
        ("docs/facts.yml", "a\n", "a\n  note: x\n", 1, "“note” is no field"),
        ("docs/facts.yml", "12,345", "12,346", 1, "no page states “12,346”"),
        ("docs/labels.yml", "甲", "乙", 1, "no block has “乙”"),
        ("docs/terms.yml", "lang: en", "lang: fr", 1, "expected zh or en"),
    ],
)
def test_each_check_has_its_say(tmp_path, name, old, new, line, fragment):
    if new is None:
        changed = None
    elif isinstance(new, bytes):
        changed = GOOD[name].encode().replace(old.encode(), new)
    else:
        changed = GOOD[name].replace(old, new)
        assert changed != GOOD[name]
    problems = run(tmp_path, {name: changed})
    assert problems == sorted(problems)
    assert any(fragment in text for _, at, text in problems if at == line), problems


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path):
    changed = {
        name: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        for name, text in GOOD.items()
        if name.endswith(".md")
    }
    assert run(tmp_path, changed) == []


def test_a_project_without_pages(tmp_path):
    assert checks.run(tmp_path) == []
