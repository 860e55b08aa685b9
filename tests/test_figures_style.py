"""The style leaves no trace, the font has what the course needs, alt text is checked."""

import itertools

import matplotlib
import matplotlib.pyplot as plt
import pytest
from fontTools.ttLib import TTFont
from matplotlib import font_manager

from attn import figures
from attn.figures import canvas, style

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def luminance(colour):
    def linear(c):
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    r, g, b = map(linear, matplotlib.colors.to_rgb(colour))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


DATA_COLOURS = [style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.RED]


@pytest.mark.parametrize("colour", DATA_COLOURS)
def test_data_colours_stand_out_on_both_schemes(colour):
    # WCAG 2.2, 1.4.11: graphical objects need 3:1.
    assert contrast(colour, "#ffffff") >= 3
    assert contrast(colour, "#1e2129") >= 3


def test_contrast_would_catch_a_pale_colour():
    assert contrast("#f0e442", "#ffffff") < 3


def test_luminance_against_published_contrast_ratios():
    # WebAIM's contrast checker: #777777 on white is 4.48, #ff0000 on white 4.00 (3.998).
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.002)
    assert contrast("#ff0000", "#ffffff") == pytest.approx(3.998, abs=0.002)


@pytest.mark.parametrize("fill", [canvas.shade(1), canvas.signed_shade(-1, 1), canvas.signed_shade(1, 1)])
@pytest.mark.parametrize("page, ink", [("#ffffff", "#1b1f24"), ("#1e2129", "#dde1e6")])
def test_ink_is_readable_on_the_strongest_cells_of_both_schemes(fill, page, ink):
    *rgb, alpha = fill
    cell = [alpha * c + (1 - alpha) * p for c, p in zip(rgb, matplotlib.colors.to_rgb(page))]
    # WCAG 2.2, 1.4.3: text needs 4.5:1.
    assert contrast(cell, ink) >= 4.5


def test_sentinels_are_distinct_and_no_data_colour():
    names = [*style.NEUTRALS, *DATA_COLOURS, "#000000", "#ffffff"]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and len(name) == 7 for name in names)


def test_rcparams_are_untouched():
    before = dict(matplotlib.rcParams)

    @style.figure_function
    def drawing():
        assert matplotlib.rcParams["font.family"] == style.FONT_FAMILY
        fig = plt.figure()
        figures.describe(fig, "x")
        return fig

    figures.to_svg(drawing(), prefix="a")
    assert dict(matplotlib.rcParams) == before


def test_our_font_wins_over_a_namesake():
    style.register_font()
    found = font_manager.findfont(font_manager.FontProperties(family="Noto Sans SC"))
    assert found == str(style.FONT_FILE)


def test_font_has_the_characters_of_the_course():
    cmap = TTFont(style.FONT_FILE).getBestCmap()
    words = "注意力得分权重查询键值位置掩码缩放点积归一化饱和梯度拼接预填充解码干预残差熵"
    signs = "→←↑↓−×÷·√≤≥≈≠∞∑‖∂αβσ①⑩（），。：；？“”《》、"
    assert [c for c in words + signs if ord(c) not in cmap] == []
    # Row 16 cell 1 and row 55 cell 89: the first and the last of GB 2312's first level.
    assert ord("啊") in cmap and ord("座") in cmap


def test_font_is_small_and_has_its_licence():
    assert style.FONT_FILE.stat().st_size < 900_000
    licence = style.FONT_FILE.with_name("OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence and "Adobe" in licence


def test_words_of_an_unknown_language():
    table = {"zh": {"query": "查询"}, "en": {"query": "query"}}
    assert style.words(table, "zh") == {"query": "查询"}
    with pytest.raises(ValueError, match="""lang: got 'fr'; this figure speaks "en" or "zh\""""):
        style.words(table, "fr")


def test_description_is_stored_on_the_figure():
    fig = plt.figure()
    assert figures.description(fig) is None
    figures.describe(fig, "  Two bars,\n   1 and 3. ")
    assert figures.description(fig) == "Two bars, 1 and 3."


@pytest.mark.parametrize("text", ["", "  \n"])
def test_empty_text_is_refused(text):
    with pytest.raises(ValueError, match="text: got an empty string"):
        figures.describe(plt.figure(), text)
    with pytest.raises(ValueError, match="title: got an empty string"):
        figures.describe(plt.figure(), "x", title=text)


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="text: got NoneType"):
        figures.describe(plt.figure(), None)
    fig, ax = plt.subplots()
    with pytest.raises(TypeError, match="fig: got Axes; a matplotlib Figure fits"):
        figures.describe(ax, "x")
    with pytest.raises(TypeError, match="fig: got Axes"):
        figures.description(ax)


def test_palette_differs_in_greys():
    greys = sorted(luminance(colour) for colour in DATA_COLOURS[:3])
    assert all(b - a > 0.02 for a, b in itertools.pairwise(greys))
