"""Copy: a block as it is in the chapter, a continued one with all that it continues."""

import os
import subprocess
import sys

import pytest
from chapter import parse, read
from conftest import ROOT

CHAPTERS = [
    (language, path.stem)
    for language in ("zh", "en")
    for path in sorted((ROOT / "docs" / language / "chapters").glob("*.md"))
]


def blocks(language, name):
    """(what Copy must give, what it prints at its end) for each block of a chapter."""
    chapter = parse(read(ROOT / "docs" / language / "chapters" / f"{name}.md"))
    found = []
    for chain in chapter.chains:
        code = ""
        for block in chain:
            code += block.code
            found.append((block, code))
    return sorted(found, key=lambda pair: pair[0].line)


def copied(page, number):
    """The clipboard after a click on the button of the page's n-th Python block."""
    page.evaluate("navigator.clipboard.writeText('nothing was copied')")
    block = page.locator(".language-python.highlight").nth(number)
    block.scroll_into_view_if_needed()
    block.locator("[data-md-type=copy]").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text !== 'nothing was copied')")
    return page.evaluate("navigator.clipboard.readText()")


def open_chapter(site, page, language, name):
    page.goto(site.url(f"{language}/chapters/{name}/"))
    page.wait_for_load_state("networkidle")
    page.evaluate("document.querySelectorAll('details').forEach((part) => part.open = true)")
    return page


@pytest.fixture(scope="module", params=CHAPTERS, ids="-".join)
def chapter(request, site, open_tab):
    """An open chapter: its blocks, and a page that the tests of it share."""
    language, name = request.param
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    yield blocks(language, name), open_chapter(site, tab.page, language, name)
    tab.page.context.close()
    assert (tab.said, tab.foreign) == ([], [])


def test_copy_gives_the_code_of_the_chapter(chapter):
    its_blocks, page = chapter
    expected = [code.rstrip() for _, code in its_blocks]
    assert page.locator(".language-python.highlight").count() == len(expected)
    assert [copied(page, number) for number in range(len(expected))] == expected


def test_a_copied_chain_runs_and_ends_in_the_output_on_the_page(chapter, tmp_path):
    its_blocks, page = chapter
    numbered = list(enumerate(its_blocks))
    continued = [number for number, (block, _) in numbered if block.cont and not block.importorskip]
    if not continued:
        pytest.skip("no continued block in this chapter")
    for number in continued:
        pasted = tmp_path / "pasted.py"
        pasted.write_text(copied(page, number), "utf-8")
        done = subprocess.run(
            [sys.executable, pasted.name],
            cwd=tmp_path,
            env=os.environ | {"MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        output = page.locator(".language-python.highlight").nth(number).locator("+ .attn-output code")
        if output.count():
            assert trimmed(done.stdout).endswith(trimmed(output.text_content()))


def trimmed(text):
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def test_an_output_has_no_copy_button(site, tab):
    page = open_chapter(site, tab(), "zh", "06-three-positions")
    assert page.locator(".attn-output").count() > 0
    assert page.locator(".attn-output [data-md-type=copy]").count() == 0
