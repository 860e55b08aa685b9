"""The reader of chapters, and that it agrees with pytest-codeblocks block by block."""

import ast
import io
import re
from pathlib import Path

import pytest
from pytest_codeblocks import extract_from_buffer

from chapter import ChapterError, page_files, parse, read

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("docs/[ze][hn]/**/*.md"), *ROOT.glob("README*.md")])


def theirs(text):
    blocks = extract_from_buffer(io.StringIO(text))
    return [same(block.code) for block in blocks if block.syntax == "python"]


def ours(text):
    return [same("".join(block.code for block in chain)) for chain in parse(text).chains]


def same(code):
    """Code as it is compared: pytest-codeblocks drops the empty lines of an indented block,
    which is harmless unless a string goes over such a line. The tree would show that.
    """
    return ast.dump(ast.parse(code)), re.sub(r"\n+", "\n", code)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_our_chains_are_those_that_pytest_codeblocks_runs(path):
    text = read(path)
    assert ours(text) == theirs(text)
    assert len(theirs(text)) == len(parse(text).chains)


TABS_AND_LISTS = """\
# A {#a}

=== "one"

    !!! note

        1. item

            ```python
            if True:
                x = 1

                print(x)
            ```

            ~~~text
            1
            ~~~

            <!--pytest-codeblocks:cont-->
            ```python
            print(x + 1)
            ```
"""


@pytest.mark.parametrize(
    "text",
    [
        TABS_AND_LISTS,
        "````python\nprint('''\n```\n''')\n````\n",
        "```py\nx = 1\n```\n\n```python\ny = 1\n```\n",
        "```python\na = 1\n```\n\n~~~text\n1\n~~~\n\n<!--pytest-codeblocks:cont-->\n```python\na\n```\n",
        "```python\n```\n",
        "``` python\nx\n```\n",
        "",
    ],
    ids=["nested", "four-ticks", "shown-only", "output-between", "empty-block", "space-before", "empty-file"],
)
def test_shapes_of_fences_agree_with_pytest_codeblocks(text):
    assert ours(text) == theirs(text)


def test_a_string_that_pytest_codeblocks_reads_otherwise_is_noticed():
    text = "1. item\n\n    ```python\n    print(\"\"\"a\n\n    b\"\"\")\n    ```\n"
    assert ours(text) != theirs(text)


def test_a_block_in_a_list_in_a_tab_keeps_its_indentation():
    first, second = parse(TABS_AND_LISTS).blocks
    assert first.code == "if True:\n    x = 1\n\n    print(x)\n"
    assert first.output.code == "1\n"
    assert (first.line, first.end, first.indent) == (9, 14, " " * 12)
    assert second.cont


def test_of_a_line_that_is_indented_less_than_its_fence_only_spaces_go():
    text = "- item\n\n    ```python\n  x = 1\ny = 2\n      z = 3\n    ```\n"
    assert parse(text).blocks[0].code == "x = 1\ny = 2\n  z = 3\n"


def test_an_output_belongs_to_the_block_directly_above_only():
    chapter = parse("```python\n1\n```\n\ntext\n\n~~~text\n1\n~~~\n")
    assert chapter.blocks[0].output is None


def test_an_output_with_another_indent_is_not_the_blocks():
    chapter = parse("```python\n1\n```\n\n    ~~~text\n    1\n    ~~~\n")
    assert chapter.blocks[0].output is None


def test_headings_have_levels_and_ids_and_fences_hold_none():
    chapter = parse("# 为什么 {#why}\n\n## Two ##\n\n```python\n# no heading\n```\n")
    assert [(h.level, h.text, h.id, h.line) for h in chapter.headings] == [
        (1, "为什么", "why", 1),
        (2, "Two", None, 3),
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("one\n\n```python\nx\n", 3, "never closed"),
        ("~~~text\n1\n", 1, "never closed"),
        ("# T\n<!--pytest-codeblocks:cont-->\n```python\nx\n```\n", 2, "continues a block"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, line, words):
    with pytest.raises(ChapterError) as caught:
        parse(text, "chapters/x.md")
    assert caught.value.problem.line == line
    assert str(caught.value).startswith(f"chapters/x.md:{line}: ")
    assert words in str(caught.value)


def test_a_byte_order_mark_and_crlf_are_read_like_any_file(tmp_path):
    path = tmp_path / "x.md"
    path.write_bytes("\ufeff# T {#t}\r\n\r\n```python\r\nprint(1)\r\n```\r\n".encode())
    chapter = parse(read(path))
    assert chapter.headings[0].id == "t"
    assert chapter.blocks[0].code == "print(1)\n"


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path):
    path = tmp_path / "x.md"
    path.write_bytes(b"one\n\xff\xfe\n")
    with pytest.raises(ChapterError, match="x.md:2: not UTF-8"):
        read(path)


def test_a_file_that_is_gone_is_named(tmp_path):
    with pytest.raises(ChapterError, match="x.md:1: cannot be read: No such file"):
        read(tmp_path / "x.md")


def test_pages_are_what_mkdocs_takes_for_pages(tmp_path):
    names = ["b.md", "a/c.md", "a.md", "notes.txt", ".#a.md", ".obsidian/d.md", "a/.ipynb_checkpoints/c.md"]
    for name in names:
        (tmp_path / ".site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".site" / name).write_text("")
    (tmp_path / ".site/folder.md").mkdir()
    found = [path.relative_to(tmp_path / ".site").as_posix() for path in page_files(tmp_path / ".site")]
    assert found == ["a/c.md", "a.md", "b.md"]


def test_importorskip_is_for_the_next_block_alone():
    skip = "<!--pytest-codeblocks:importorskip(torch)-->\n"
    blocks = parse(skip + "```python\n1\n```\n\n```python\n2\n```\n").blocks
    assert [block.importorskip for block in blocks] == ["torch", None]
