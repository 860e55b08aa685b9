"""Head sharing: the lines go where Ainslie et al. say, and tiling is marked as wrong."""

import json

import pytest
from figure_reading import overlapping_texts, texts
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from attn import figures
from attn.figures.interactive import interactive_of


def wiring(fig, name):
    """For each query head, in order, the K/V head its line goes to."""
    ends = {}
    for line in fig.findobj(Line2D):
        panel, _, numbers = (line.get_gid() or "").partition(" wire ")
        if numbers and panel == name:
            head, kv = map(int, numbers.split())
            ends[head] = kv
    return [ends[head] for head in sorted(ends)]


def positions(fig, name):
    """number of a box → the x of its middle."""
    boxes = [box for box in fig.findobj(Rectangle) if (box.get_gid() or "").startswith(name + " ")]
    return {int(box.get_gid().split()[-1]): box.get_x() + box.get_width() / 2 for box in boxes}


def test_three_ways_of_sharing():
    fig = figures.head_sharing(4, (4, 2, 1), lang="en")
    assert wiring(fig, "mha 4") == [0, 1, 2, 3]
    assert wiring(fig, "gqa 2") == [0, 0, 1, 1]
    assert wiring(fig, "mqa 1") == [0, 0, 0, 0]
    assert texts(fig)["title gqa 2"] == "grouped-query attention (GQA)"


def test_lines_end_at_the_boxes_of_their_heads():
    fig = figures.head_sharing(8, [2], lang="en")
    queries, kvs = positions(fig, "query gqa 2"), positions(fig, "kv gqa 2")
    assert (len(queries), len(kvs)) == (8, 2)
    for line in fig.findobj(Line2D):
        if " wire " in (line.get_gid() or ""):
            head, kv = map(int, line.get_gid().split()[-2:])
            assert list(line.get_xdata()) == pytest.approx([queries[head], kvs[kv]])
    # Each shared head stands under the middle of its group.
    assert kvs[0] == pytest.approx(sum(queries[h] for h in range(4)) / 4)


def test_repeat_and_tile():
    fig = figures.repeat_against_tile(4, 2, lang="en")
    assert wiring(fig, "repeat") == [0, 0, 1, 1]
    assert wiring(fig, "tile") == [0, 1, 0, 1]
    # Heads 0 and 3 get their own even so.
    assert {gid for gid in texts(fig) if gid.startswith("wrong")} == {"wrong tile 1", "wrong tile 2"}
    dashed = [line.get_gid() for line in fig.findobj(Line2D) if line.get_linestyle() == "--"]
    assert dashed == ["tile wire 1 1", "tile wire 2 0"]


def test_heads_are_told_apart_without_colour():
    fig = figures.repeat_against_tile(4, 2, lang="en")
    numbers = texts(fig)
    assert [numbers[f"kv repeat {kv}"] for kv in range(2)] == ["0", "1"]
    hatches = {box.get_hatch() for box in fig.findobj(Rectangle) if box.get_facecolor() == (0, 0, 0, 0)}
    assert "////" in hatches


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_descriptions_and_layout(lang):
    shared = figures.head_sharing(8, (8, 2, 1), lang=lang)
    for part in ("MHA", "GQA", "MQA", "8", "2", "4"):
        assert part in figures.description(shared)
    wires = figures.repeat_against_tile(4, 2, lang=lang)
    orders = {"zh": ("0、0、1、1", "0、1、0、1", "查询头 1、2"), "en": ("0, 0, 1, 1", "0, 1, 0, 1", "query heads 1, 2")}
    for part in orders[lang]:
        assert part in figures.description(wires)
    for fig in (shared, wires, figures.head_sharing(16, (16, 8, 4, 1), lang=lang)):
        assert overlapping_texts(fig) == []
        # Dotted hatches would make this several times larger.
        assert len(figures.to_svg(fig, prefix="a")) < 100_000


@pytest.mark.parametrize(
    "n_heads, n_kv_heads, error, message",
    [
        (4, 3, ValueError, "n_kv_heads: got 3; a divisor of n_heads = 4 fits"),
        (4, [4, 0], ValueError, "n_kv_heads: got 0; a divisor"),
        (4, [], ValueError, "n_kv_heads: got 0 numbers; 1 to 4 fit"),
        (1, 1, ValueError, "n_heads: got 1; 2 to 16 fit"),
        (32, 8, ValueError, "n_heads: got 32; 2 to 16 fit"),
        (4.0, 2, TypeError, "n_heads: got 4.0; an integer fits"),
        (4, True, TypeError, "n_kv_heads: got True; an integer fits"),
    ],
)
def test_bad_counts(n_heads, n_kv_heads, error, message):
    with pytest.raises(error, match=message):
        figures.head_sharing(n_heads, n_kv_heads, lang="en")


@pytest.mark.parametrize("n_kv_heads", [1, 4])
def test_nothing_to_compare_where_repeat_and_tile_are_the_same(n_kv_heads):
    with pytest.raises(ValueError, match=f"n_kv_heads: got {n_kv_heads} of 4 heads, where repeating"):
        figures.repeat_against_tile(4, n_kv_heads, lang="en")


def test_unknown_language():
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        figures.head_sharing(4, 2, lang="fr")
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        figures.repeat_against_tile(4, 2, lang="fr")


def test_what_a_reader_can_regroup():
    assert interactive_of(figures.head_sharing(8, [8, 2, 1], lang="en")) is None
    element, data = interactive_of(figures.repeat_against_tile(12, 3, lang="en"))
    assert (element, json.loads(data)) == ("head-sharing", {"n_heads": 12, "n_kv_heads": 3})
