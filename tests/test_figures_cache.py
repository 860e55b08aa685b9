"""Cache growth: the lines end where the published shapes say."""

import dataclasses
import json

import pytest
from figure_reading import overlapping_texts, texts
from matplotlib.lines import Line2D

from attn import figures
from attn.figures.interactive import interactive_of
from attn.models import QWEN2_5_1_5B, QWEN2_5_7B, QWEN3_0_6B, TRANSFORMER_BASE

SHAPES = [QWEN3_0_6B, QWEN2_5_7B, QWEN2_5_1_5B]


def lines(fig):
    return {line.get_gid(): line for line in fig.findobj(Line2D) if line.get_gid()}


def test_lines_are_straight_and_end_at_the_published_bytes():
    drawn = lines(figures.cache_growth(SHAPES, lang="en"))
    # CONTENT: 114,688 and 57,344 bytes a token in bfloat16; × 32,768 tokens ÷ 2³⁰.
    for name, end in (("Qwen3-0.6B", 3.5), ("Qwen2.5-7B", 1.75), ("Qwen2.5-1.5B", 0.875)):
        x, y = drawn[name].get_data()
        assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 32_768, end)
        assert y[2] == end / 2


def test_labels_at_the_ends():
    shown = texts(figures.cache_growth(SHAPES, lang="en"))
    assert shown["end Qwen3-0.6B"] == "3.5 GiB"
    assert shown["rate Qwen3-0.6B"] == "114,688 bytes a token"
    assert shown["rate Qwen2.5-7B"] == "57,344 bytes a token"
    assert texts(figures.cache_growth(SHAPES, lang="zh"))["rate Qwen2.5-7B"] == "每词元 57,344 字节"


def test_smaller_sizes_are_in_mebibytes_and_float32_doubles_them():
    shown = texts(figures.cache_growth([QWEN2_5_7B], lang="en", longest=4096))
    assert shown["end Qwen2.5-7B"] == "224 MiB"
    shown = texts(figures.cache_growth([QWEN2_5_7B], lang="en", longest=4096, bytes_per_number=4))
    assert shown["end Qwen2.5-7B"] == "448 MiB"


def test_more_kv_heads_would_be_seen():
    many = dataclasses.replace(QWEN2_5_7B, n_kv_heads=QWEN2_5_7B.n_heads)
    drawn = lines(figures.cache_growth([many], lang="en"))
    assert drawn["Qwen2.5-7B"].get_ydata()[-1] == pytest.approx(1.75 * 7)


def test_lines_differ_without_colour():
    drawn = lines(figures.cache_growth(SHAPES, lang="en")).values()
    assert len({line.get_marker() for line in drawn}) == 3


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = figures.cache_growth(SHAPES, lang=lang)
    for number in ("32,768", "114,688", "57,344", "3.5 GiB", "1.75 GiB"):
        assert number in figures.description(fig)
    assert overlapping_texts(fig) == []
    assert figures.to_svg(fig, prefix="a")
    # Lines that end close together: labels move apart and stay on the page.
    low = dataclasses.replace(TRANSFORMER_BASE, name="lower", n_layers=5)
    assert overlapping_texts(figures.cache_growth([QWEN3_0_6B, TRANSFORMER_BASE, low, QWEN2_5_1_5B], lang=lang)) == []
    same = dataclasses.replace(QWEN3_0_6B, name="twin")
    assert overlapping_texts(figures.cache_growth([QWEN3_0_6B, same], lang=lang)) == []


@pytest.mark.parametrize(
    "shapes, options, error, message",
    [
        (["Qwen"], {}, TypeError, "shapes: got .* a sequence of attn.models.ModelShape fits"),
        ([], {}, ValueError, "shapes: got 0 models; 1 to 4 fit"),
        (SHAPES * 2, {}, ValueError, "shapes: got 6 models"),
        (SHAPES, {"longest": 1}, ValueError, "longest: got 1; at least 2 tokens"),
        (SHAPES, {"longest": 2.5}, TypeError, "longest: got 2.5; a number of tokens"),
        (SHAPES, {"bytes_per_number": 0}, ValueError, "bytes_per_number must be at least 1"),
        (SHAPES, {"lang": "fr"}, ValueError, "lang: got 'fr'"),
    ],
)
def test_bad_input(shapes, options, error, message):
    with pytest.raises(error, match=message):
        figures.cache_growth(shapes, **{"lang": "en", **options})


def test_what_a_reader_can_calculate_with():
    element, data = interactive_of(figures.cache_growth([QWEN2_5_7B], lang="en", longest=4096, bytes_per_number=4))
    # From the model's config.json.
    shape = {"name": "Qwen2.5-7B", "layers": 28, "kvHeads": 4, "headDim": 128}
    assert (element, json.loads(data)) == ("cache-size", {"models": [shape], "tokens": 4096, "bytes": 4})


@pytest.mark.parametrize("options", [{"longest": 5000}, {"bytes_per_number": 3}])
def test_what_the_calculator_cannot_be_set_to_stays_a_still_figure(options):
    assert interactive_of(figures.cache_growth(SHAPES, lang="en", **options)) is None
