"""A figure becomes one inline SVG: small, repeatable, named, good on light and dark."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from attn import figures
from attn.figures import style
from attn.figures.svg import to_svg

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def plain_figure():
    """A figure as someone without our style would draw it."""
    fig, ax = plt.subplots(figsize=(4, 3))
    ax.bar([0, 1], [1, 3], color="black", edgecolor="white", hatch="//")
    ax.plot([0, 1], [0, 1], "o-", label="line")
    ax.text(0, 1, "white on black", color="white")
    ax.text(1, 1, "boxed", bbox={"facecolor": "white"})
    ax.legend()
    figures.describe(fig, "Bar chart of two counts. Read 1 and 3 < 4.", title="Two counts")
    return fig


def styled_figure(**kwargs):
    with figures.book_style():
        fig, ax = plt.subplots(figsize=(5, 3), **kwargs)
        ax.plot([0, 1], [0, 1], color=style.BLUE)
        ax.text(0.5, 0.5, "查询 $q_3$ −1", color=style.INK_SOFT)
        ax.add_patch(plt.Rectangle((0, 0), 0.2, 0.2, facecolor=style.PANEL, edgecolor=style.GRID))
    figures.describe(fig, "折线图。从 0 到 1。", title="折线")
    return fig


def parse(svg):
    return ElementTree.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def test_same_figure_same_bytes_and_figure_unchanged():
    fig = plain_figure()
    before = fig.patch.get_visible(), fig.axes[0].patch.get_visible()
    first = to_svg(fig, prefix="a")
    assert to_svg(fig, prefix="a") == first
    assert to_svg(plain_figure(), prefix="a") == first
    assert (fig.patch.get_visible(), fig.axes[0].patch.get_visible()) == before


def test_every_id_has_the_prefix_and_every_reference_a_target():
    svg = to_svg(plain_figure(), prefix="ch07-2")
    ids = re.findall(r'\bid="([^"]+)"', svg)
    assert ids and len(ids) == len(set(ids))
    assert all(name.startswith("ch07-2-") for name in ids)
    targets = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    assert targets and targets <= set(ids)


def test_two_prefixes_share_no_id():
    ids = [
        set(re.findall(r'\bid="([^"]+)"', to_svg(plain_figure(), prefix=p))) for p in ("a", "b")
    ]
    assert not ids[0] & ids[1]


def test_nothing_that_belongs_to_a_file_or_styles_the_page():
    svg = to_svg(plain_figure(), prefix="a")
    assert svg.startswith("<svg ")
    for unwanted in ("<?xml", "<!DOCTYPE", "<style", "<metadata", "xlink", "<!--", "ns0:"):
        assert unwanted not in svg


def test_scales_by_view_box():
    root = parse(to_svg(plain_figure(), prefix="a"))
    assert root.get("viewBox") == "0 0 288 216"
    assert "width" not in root.attrib and "height" not in root.attrib
    assert "max-width:384px" in root.get("style")  # 4 inches of 96 CSS pixels


def test_named_for_a_screen_reader():
    root = parse(to_svg(plain_figure(), prefix="a"))
    assert root.get("role") == "img"
    names = {name: root.find(name) for name in ("title", "desc")}
    assert names["title"].text == "Two counts"
    assert names["desc"].text == "Bar chart of two counts. Read 1 and 3 < 4."
    assert root.get("aria-labelledby") == f"{names['title'].get('id')} {names['desc'].get('id')}"


def test_title_cut_from_the_text_is_not_read_twice():
    fig, _ = plt.subplots()
    figures.describe(fig, "散点图，d = 1.5。其余如文。")
    root = parse(to_svg(fig, prefix="a"))
    assert root.find("title").text == "散点图，d = 1.5"
    assert root.get("aria-labelledby") == root.find("desc").get("id")


def test_ink_follows_the_page_and_data_colours_stay():
    svg = to_svg(styled_figure(), prefix="a").lower()
    for sentinel, replacement in style.NEUTRALS.items():
        assert sentinel not in svg
        if sentinel != style.PAPER:
            assert replacement.lower() in svg
    assert style.BLUE in svg


def test_black_white_and_backgrounds_of_a_figure_drawn_by_hand():
    svg = to_svg(plain_figure(), prefix="a")
    assert "#000000" not in svg
    root = parse(svg)
    assert root.get("style").endswith("fill:currentColor")
    # Bar edges, the legend's frame and the box behind a text are the page's colour …
    assert svg.count("var(--attn-paper") >= 4
    # … the page-sized background is gone, and white text is still white, once.
    assert "M0 216L288 216L288 0L0 0z" not in svg
    assert len(re.findall("#ffffff", svg)) == 1


def test_a_chosen_background_stays():
    fig, ax = plt.subplots(facecolor="#123456")
    figures.describe(fig, "Empty axes.")
    assert "#123456" in to_svg(fig, prefix="a")


def test_coordinates_are_rounded_to_two_decimals():
    fig, ax = plt.subplots()
    ax.plot(np.linspace(0, 1, 50), np.sin(np.linspace(0, 9, 50)) / 3)
    figures.describe(fig, "A wave.")
    svg = to_svg(fig, prefix="a")
    assert not re.search(r'\bd="[^"]*\.\d{3}', svg)
    raw = re.search(r"L([\d.]+) ", svg)
    assert raw and "-0 " not in svg


def test_missing_alt_text_is_an_error_that_names_the_figure_function():
    @style.figure_function
    def forgetful():
        return plt.figure()

    with pytest.raises(ValueError, match="forgetful has no alt text"):
        to_svg(forgetful(), prefix="a")
    with pytest.raises(ValueError, match="drawn by hand has no alt text"):
        to_svg(plt.figure(), prefix="a")


@pytest.mark.parametrize("prefix", ["", "1a", "a b", 'a"', "图"])
def test_prefix_must_be_an_id(prefix):
    with pytest.raises(ValueError, match="prefix: got"):
        to_svg(plain_figure(), prefix=prefix)


@pytest.mark.parametrize("text, codepoint", [("𠮷", "U+20BB7"), ("한", "U+D55C")])
def test_missing_glyph_is_an_error_with_function_and_character(text, codepoint):
    @style.figure_function
    def unlucky():
        fig = plt.figure()
        fig.text(0.5, 0.5, f"查询 {text}")
        figures.describe(fig, "One word.")
        return fig

    with pytest.raises(style.MissingGlyph, match=f"unlucky: no glyph for .*{re.escape(codepoint)}"):
        to_svg(unlucky(), prefix="a")


def test_missing_glyph_in_mathtext_is_an_error():
    @style.figure_function
    def unlucky():
        fig = plt.figure()
        fig.text(0.5, 0.5, r"$q_3$ 한 $\sqrt{d}$")
        figures.describe(fig, "One word.")
        return fig

    with pytest.raises(style.MissingGlyph, match="unlucky: .*[dD]55[cC]"):
        to_svg(unlucky(), prefix="a")


def test_chinese_without_the_style_is_an_error_that_says_what_to_do():
    with matplotlib.rc_context({"font.family": "DejaVu Sans"}):  # whatever another test has set
        fig = plt.figure()
        fig.text(0.5, 0.5, "查询")
        figures.describe(fig, "一个词。")
        with pytest.raises(style.MissingGlyph, match=r"book_style\(\)"):
            to_svg(fig, prefix="a")


def test_other_warnings_are_left_alone():
    with pytest.raises(UserWarning, match="something else"), style.strict_glyphs("f"):
        import warnings

        warnings.warn("something else", UserWarning, stacklevel=1)
