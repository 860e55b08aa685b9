"""Formulas: TeX in a rendered page becomes KaTeX's HTML and MathML, once, without a script."""

import os
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import ExitStack, closing
from pathlib import Path

import formulas
import markdown
import pytest
from formulas import FormulaError, Formulas, KatexMissing, katex_files, line_of

ROOT = Path(__file__).resolve().parent.parent
NODE = shutil.which("node", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")

needs_katex = pytest.mark.skipif(
    NODE is None or not (ROOT / "node_modules" / "katex").exists(),
    reason="needs Node and `npm ci`",
)


@pytest.fixture
def open_kit():
    """`Formulas`, closed at the end of the test."""
    with ExitStack() as stack:
        yield lambda *args: stack.enter_context(closing(Formulas(*args)))


@pytest.fixture
def kit(open_kit, tmp_path):
    return open_kit(tmp_path / "cache", NODE)


def page_of(text: str) -> str:
    """HTML as the site's Markdown leaves it for KaTeX."""
    return markdown.markdown(
        text,
        extensions=["pymdownx.arithmatex", "admonition", "tables"],
        extension_configs={"pymdownx.arithmatex": {"generic": True}},
    )


def mathml(page: str) -> list[ElementTree.Element]:
    found = re.findall(r"<math .*?</math>", page, re.DOTALL)
    return [ElementTree.fromstring(re.sub(r' xmlns="[^"]+"', "", one)) for one in found]


@needs_katex
def test_inline_and_display(kit):
    page = page_of("Weight $2/5$ is\n\n$$\n\\frac{2}{5}\n$$\n")
    done = kit.render(page, "page")
    inline, display = mathml(done)
    assert [n.text for n in inline.iter("mn")] == ["2", "5"]
    assert [n.text for n in display.find(".//mfrac")] == ["2", "5"]
    assert inline.get("display") is None and display.get("display") == "block"
    assert "\\(" not in done and "\\[" not in done


@needs_katex
def test_signs_that_html_escapes(kit):
    (formula,) = mathml(kit.render(page_of("$a < b$"), "page"))
    assert [n.text for n in formula.iter("mo")] == ["<"]


@needs_katex
def test_formula_in_a_table_and_in_an_admonition(kit):
    page = page_of("| a |\n|---|\n| $x_1$ |\n\n!!! note\n    $$\n    x_2\n    $$\n")
    subscripts = [f.find(".//msub")[1].text for f in mathml(kit.render(page, "page"))]
    assert subscripts == ["1", "2"]


@needs_katex
def test_an_inline_formula_takes_in_the_punctuation_that_touches_it(kit):
    done = kit.render(page_of("甲（$x$），乙 $y$ 丙，丁"), "page")
    assert '<p>甲<span class="arithmatex">（<span class="katex">' in done
    assert "</span>），</span>乙 <span" in done
    assert "</span></span> 丙，丁" in done


@needs_katex
def test_a_long_inline_formula_may_be_broken_where_tex_would(kit):
    done = kit.render(page_of("$a = b + c$ and $x$"), "page")
    # After the relation and after the operator, as in TeX; nowhere in "x".
    assert done.count("<wbr>") == 2
    assert "<wbr>" not in done.split("and")[1]


@needs_katex
def test_a_line_may_be_broken_between_two_formulas_that_touch(kit):
    done = kit.render(page_of("甲 $x$，$y$：$z$，乙 $x$$y$"), "page")
    assert done.count("，</span><wbr><span") == 1
    assert done.count("：</span><wbr><span") == 1
    assert done.count("<wbr>") == 2


@needs_katex
def test_code_that_shows_the_markup_is_left_alone(kit):
    page = '<code>&lt;span class="arithmatex"&gt;\\(x\\)&lt;/span&gt;</code>'
    assert kit.render(page, "page") == page


@needs_katex
@pytest.mark.parametrize(
    "tex, reason",
    [
        (r"\frac{1", "expected '}'"),
        (r"\nosuchcommand", "Undefined control sequence"),
        ("权重", "unicodeTextInMathMode"),  # only the strict mode refuses it
    ],
)
def test_what_katex_cannot_read_is_an_error(kit, tex, reason):
    with pytest.raises(FormulaError, match=re.escape(tex)) as caught:
        kit.render(f'<p><span class="arithmatex">\\({tex}\\)</span></p>', "zh/chapters/06.md")
    assert reason in str(caught.value)
    assert (caught.value.tex, caught.value.where) == (tex, "zh/chapters/06.md")


@needs_katex
def test_an_error_does_not_spoil_the_next_formula(kit):
    with pytest.raises(FormulaError):
        kit.render(page_of(r"$\frac{1$"), "page")
    (formula,) = mathml(kit.render(page_of("$7$"), "page"))
    assert [n.text for n in formula.iter("mn")] == ["7"]


@needs_katex
def test_one_process_and_none_when_the_cache_knows_the_formula(open_kit, tmp_path, monkeypatch):
    started = []
    popen = formulas.subprocess.Popen

    def counted(*args, **kwargs):
        started.append(args)
        return popen(*args, **kwargs)

    monkeypatch.setattr(formulas.subprocess, "Popen", counted)
    cold = open_kit(tmp_path, NODE)
    assert started == []
    first = cold.render(page_of("$x$ and $y$"), "page")
    cold.render(page_of("$z$"), "other page")
    assert len(started) == 1

    warm = open_kit(tmp_path, None)
    assert warm.render(page_of("$x$ and $y$"), "page") == first
    assert len(started) == 1


@needs_katex
def test_display_and_inline_are_kept_apart_in_the_cache(kit):
    (inline,) = mathml(kit.render(page_of("$x$"), "page"))
    (display,) = mathml(kit.render(page_of("$$\nx\n$$"), "page"))
    assert inline.get("display") != display.get("display")


@needs_katex
def test_another_katex_is_another_cache_entry(open_kit, tmp_path, monkeypatch):
    open_kit(tmp_path, NODE).render(page_of("$x$"), "page")
    monkeypatch.setattr(formulas, "_katex_version", lambda root: "0.0.0")
    with pytest.raises(KatexMissing):  # so it was not answered from the cache
        open_kit(tmp_path, None).render(page_of("$x$"), "page")


def test_without_node_the_message_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(formulas, "_katex_version", lambda root: "0.0.0")
    with pytest.raises(KatexMissing, match="Node 20"):
        Formulas(tmp_path, None).render(page_of("$x$"), "page")


def test_without_node_a_page_without_formulas_is_fine(tmp_path):
    assert Formulas(tmp_path, None).render("<p>no formula</p>", "page") == "<p>no formula</p>"


def test_a_node_that_dies_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(formulas, "_katex_version", lambda root: "0.0.0")
    with pytest.raises(KatexMissing, match="ended with code"):
        Formulas(tmp_path, shutil.which("false")).render(page_of("$x$"), "page")


def test_katex_not_installed(tmp_path):
    with pytest.raises(KatexMissing, match="npm ci"):
        katex_files(tmp_path)


@needs_katex
def test_every_font_the_style_sheet_names_is_served_and_is_woff2():
    files = katex_files(ROOT)
    css = files.pop("assets/katex/katex.min.css").decode()
    named = set(re.findall(r"url\(([^)]+)\)", css))
    assert named == {path.removeprefix("assets/katex/") for path in files}
    assert len(named) == css.count("@font-face")
    for path in files.values():
        assert path.read_bytes()[:4] == b"wOF2"


@needs_katex
def test_a_style_sheet_written_in_another_way_is_an_error(tmp_path):
    katex = tmp_path / "node_modules" / "katex"
    (katex / "dist").mkdir(parents=True)
    (katex / "package.json").write_text('{"version": "9.9.9"}')
    (katex / "dist" / "katex.min.css").write_text("@font-face{src:url(fonts/A.eot)}")
    with pytest.raises(ValueError, match="9.9.9"):
        katex_files(tmp_path)


CHAPTER = """# Title

A weight $x$ of x, then $\\frac{2}{5}$.

> $$
> a +
> b
> $$

Square root: $\\sqrt{d}$
"""


@pytest.mark.parametrize(
    "tex, line",
    [
        ("x", 3),
        (r"\frac{2}{5}", 3),
        ("a +\nb", 5),
        (r"\sqrt{d}", 10),
        ("not there", 1),
        ("", 1),
    ],
)
def test_line_of(tex, line):
    assert line_of(tex, CHAPTER) == line


def test_line_of_prefers_the_formula_to_the_same_letters_in_the_prose():
    assert line_of("x", "an x here\n\nand $x$ there\n") == 3
