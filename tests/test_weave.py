"""Outputs compared and rewritten; figures and copies put into the rendered page."""

import re

import pytest

from chapter import parse
from runner import BlockError, BlockFigure, BlockResult
from weave import Notices, failures, figures, finish, stale, update, weave

NOTICES = Notices("STALE <1>", "FAILED")
PAGE = """\
# T {#t}

```python
print(1)
```

~~~text
1
~~~

- item

    ```python
    draw()
    ```

<!--pytest-codeblocks:cont-->
```python
print("<&>")
```
"""
LINES = [3, 13, 18]


def results(*found):
    return dict(zip(LINES, found))


FIGURE = BlockFigure('<svg id="ATTNFIG"><desc>a</desc></svg>', "a")
RIGHT = results(
    BlockResult("1\n"), BlockResult(figures=(FIGURE, FIGURE)), BlockResult("<&>\n")
)


def test_an_output_that_agrees_is_no_problem_and_one_that_is_missing_is():
    problems = stale(parse(PAGE, "x.md"), RIGHT)
    assert [(p.path, p.line) for p in problems] == [("x.md", 18)]
    assert "no output stands under it" in problems[0].message
    assert "dev.py update" in problems[0].message


def test_an_output_out_of_date_is_shown_as_a_difference():
    (problem,) = stale(parse(PAGE, "x.md"), results(BlockResult("2\n")))
    assert problem.line == 7
    assert "-1\n    +2" in problem.message


def test_an_output_under_a_silent_block_is_a_problem():
    (problem,) = stale(parse(PAGE, "x.md"), results(BlockResult("")))
    assert "prints nothing" in problem.message


def test_spaces_at_line_ends_and_empty_last_lines_do_not_count():
    assert not stale(parse(PAGE), results(BlockResult("1  \n\n")))


def test_a_failure_quotes_the_lines_around_it():
    error = BlockError("NameError", "name 'draw' is not defined", 14, "Traceback…")
    (problem,) = failures(parse(PAGE, "x.md"), results(BlockResult(error=error)))
    assert str(problem).startswith("x.md:14: NameError: name 'draw' is not defined\n")
    assert (
        "      12 | \n      13 |     ```python\n  >   14 |     draw()\n      15 |     ```\n" in problem.message
    )
    assert "Traceback…" in problem.message


def test_update_writes_new_outputs_and_leaves_the_rest_alone():
    new = update(parse(PAGE), results(BlockResult("2\n"), BlockResult(""), BlockResult("<&>\n")))
    changed = PAGE.replace("~~~text\n1\n", "~~~text\n2\n")
    assert new == changed + "\n~~~text\n<&>\n~~~\n"


def test_update_is_a_fixed_point():
    chapter = parse(update(parse(PAGE), RIGHT))
    found = dict(zip((block.line for block in chapter.blocks), RIGHT.values()))
    assert not stale(chapter, found)
    assert update(chapter, found) == chapter.text


def test_update_removes_an_output_that_is_not_printed_any_more():
    assert "~~~" not in update(parse(PAGE), results(BlockResult("")))


def test_update_keeps_what_failed_or_was_skipped():
    error = BlockResult(error=BlockError("E", "m", 3))
    assert update(parse(PAGE), results(error)) == PAGE
    assert update(parse(PAGE), results(BlockResult(skipped=True))) == PAGE


def test_update_indents_an_output_like_its_block():
    new = update(parse(PAGE), {13: BlockResult("a\n\nb\n")})
    assert "    ~~~text\n    a\n\n    b\n    ~~~\n" in new


def test_an_output_that_contains_tildes_gets_a_longer_fence():
    chapter = parse(update(parse(PAGE), results(BlockResult("~~~\n"))))
    assert chapter.blocks[0].output.code == "~~~\n"


def test_under_serve_the_new_output_and_the_traceback_are_marked():
    error = BlockError("E", "m", 13, "Traceback (most recent call last)")
    woven = weave(parse(PAGE), results(BlockResult("2\n"), BlockResult(error=error)), NOTICES)
    assert '~~~text\n2\n~~~\n\n<span class="attn-notice">STALE &lt;1&gt;</span>\n' in woven
    traceback = "    ~~~text\n    Traceback (most recent call last)\n    ~~~\n"
    assert traceback + '\n    <span class="attn-notice">FAILED</span>\n' in woven


def test_figures_are_counted_through_the_page():
    """Three in one block, none in the next, one in the last: a number for each, in the order of the page."""
    text = "".join(f"```python\nx = {number}\n```\n\n" for number in range(3))
    drawn = {1: BlockResult(figures=(FIGURE,) * 3), 5: BlockResult(), 9: BlockResult(figures=(FIGURE,))}
    woven = weave(parse(text), drawn, NOTICES)
    assert re.findall(r'data-figure="(\d)"', woven) == ["1", "2", "3", "4"]


def rendered(*languages):
    return "".join(f'<div class="language-{name} highlight">…</div>\n' for name in languages)


def test_finish_places_figures_and_copies():
    woven = weave(parse(PAGE), RIGHT, NOTICES)
    html = rendered("python", "text", "python") + '<p><span data-figure="1"></span></p>'
    html += '<p><span data-figure="2"></span></p>' + rendered("python", "text")
    page = finish(html, woven, "x.md", figures(parse(PAGE), RIGHT))
    assert 'id="fig-1"><svg id="fig1">' in page
    assert 'id="fig-2"><svg id="fig2">' in page
    assert "data-figure" not in page
    assert page.count("attn-output no-copy") == 2
    assert 'highlight" data-copy="print(1)&#10;"' in page
    assert 'attn-cont" data-copy="draw()&#10;print(&quot;&lt;&amp;&gt;&quot;)&#10;"' in page


def test_an_interactive_figure_keeps_the_still_one_inside():
    living = BlockFigure("<svg></svg>", "a", "mask-composer", '{"label": "</script>"}')
    page = finish('<p><span data-figure="1"></span></p>', "", "x.md", (living,))
    still = '<figure class="attn-figure" id="fig-1"><svg></svg></figure>'
    assert page.startswith(f"<attn-mask-composer>{still}<script type=")
    assert page.count("</script>") == 1 and "\\u003c/script>" in page


@pytest.mark.parametrize(
    ("data", "script"),
    [
        ('{"form": "gallery", "n": 1}', '<script type="application/json" data-form="gallery">{"form"'),
        ('{"n": {"form": "inner"}}', '<script type="application/json">{"n"'),
    ],
)
def test_the_form_of_an_interactive_figure_is_there_for_the_style(data, script):
    living = BlockFigure("<svg></svg>", "a", "mask-composer", data)
    assert script in finish('<p><span data-figure="1"></span></p>', "", "x.md", (living,))


def test_finish_takes_words_without_a_lexer_as_text():
    assert "attn-output" not in finish(rendered("text"), "~~~plain\nx\n~~~\n", "x.md", ())


@pytest.mark.parametrize("languages", [("python",), ("python", "python", "text", "python"), ()])
def test_a_fence_that_did_not_become_a_block_is_noticed(languages):
    with pytest.raises(ValueError, match="block"):
        finish(rendered(*languages), PAGE, "x.md", ())


def test_a_block_that_needs_a_package_of_its_own_cannot_run_in_the_page():
    def marks(text):
        languages = ["python"] * text.count("```python")
        page = finish(rendered(*languages), text, "x.md", ())
        return re.findall(r'data-copy="[^"]*"( data-run="[0-9a-f]{8}")?', page)

    plain, skip = "```python\nx = 1\n```\n", "<!--pytest-codeblocks:importorskip(torch)-->\n"
    first, second, third = marks(plain + skip + plain.replace("1", "2") + plain.replace("1", "3"))
    assert first and third and not second
    assert first != third  # a block that changes gets another mark,
    assert marks(plain * 2) == [first, first]  # and one that does not keeps it


EXERCISE = """\
# T {#t}

## Demonstration {#show}

```python
exercises.check("one", wrong, lang="en")
```

### One {#one}

```py
def first(x):
    ...


exercises.check("one", first, lang="en")
```

???+ success "Answer"

    ```python
    exercises.check("one", second, lang="en")
    ```

### Two {#two}

```python
exercises.check("one", first, lang="en")
```

```py
print(1)
```
"""
RENDERED = "".join(
    f'<div class="language-{language} highlight"><pre></pre></div>'
    for language in ("python", "py", "python", "python", "py")
)


def test_what_an_exercise_starts_from_is_marked_and_nothing_else_is():
    page = finish(RENDERED, EXERCISE, "x.md", ())
    blocks = re.findall(r"<div [^>]*>", page)
    assert ["data-exercise" in block for block in blocks] == [False, True, False, False, False]
    assert 'data-run="one" data-exercise="one" data-function="first"' in blocks[1]
    assert blocks[4] == '<div class="language-py highlight">'


def test_an_exercise_that_runs_as_it_stands_keeps_what_copy_copies():
    rendered = RENDERED.replace("-py ", "-python ", 1)
    page = finish(rendered, EXERCISE.replace("```py\ndef", "```python\ndef"), "x.md", ())
    assert re.search(r'<div [^>]*data-copy="def first[^>]* data-exercise="one"', page)
