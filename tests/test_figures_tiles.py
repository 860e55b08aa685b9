"""Blocks of a streaming pass: what is visited and skipped is counted by hand."""

import numpy as np
import pytest
from figure_reading import cells, overlapping_texts, texts
from matplotlib.patches import Rectangle

from attn import causal_mask, figures, window_mask


def visits(fig):
    """(block row, block column) → the number written in it."""
    return {
        tuple(map(int, gid.split()[1:])): int(text) for gid, text in texts(fig).items() if gid.startswith("block ")
    }


def test_causal_blocks_in_the_order_of_the_pass():
    fig = figures.streaming_tiles(causal_mask(6), 2, lang="en")
    assert visits(fig) == {(0, 0): 1, (1, 0): 2, (1, 1): 3, (2, 0): 4, (2, 1): 5, (2, 2): 6}
    assert len(cells(fig, "block")) == 9
    shown = texts(fig)
    assert [shown[f"count {kind}"] for kind in ("full", "part", "skipped")] == [
        "all visible: 3",
        "partly: 3",
        "skipped: 3",
    ]
    assert shown["summary"] == "6 of 9 blocks visited; 21 of 36 pairs visible"


def test_partly_visible_blocks_show_their_pairs():
    fig = figures.streaming_tiles(causal_mask(4), 2, lang="en")
    side = 280 / 4
    runs = [p for p in fig.findobj(Rectangle) if p.get_gid() == "visible pairs"]
    # Two blocks on the diagonal, each with a row of one pair and a row of two.
    lengths = sorted(round(run.get_width() / side) for run in runs if run.get_height() == side)
    assert lengths == [1, 1, 2, 2]


def test_a_mask_turned_round_would_be_seen():
    right = visits(figures.streaming_tiles(causal_mask(6), 2, lang="en"))
    assert visits(figures.streaming_tiles(causal_mask(6).T, 2, lang="en")) != right


def test_window_skips_on_both_sides_and_the_last_blocks_may_be_smaller():
    # Ten positions in blocks of 4, 4, 2, each reading itself and the one before.
    fig = figures.streaming_tiles(window_mask(10, left=1, right=0), 4, lang="en")
    assert set(visits(fig)) == {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)}
    sizes = {place: round(block.get_width() / 28) for place, block in cells(fig, "block").items()}
    assert (sizes[0, 0], sizes[0, 2]) == (4, 2)


def test_blocks_need_not_be_square():
    fig = figures.streaming_tiles(np.ones((4, 6), bool), (1, 3), lang="en")
    assert len(visits(fig)) == 8
    assert texts(fig)["count full"] == "all visible: 8"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = figures.streaming_tiles(causal_mask(16), 4, lang=lang)
    for number in ("16×16", "4×4", "10", "6", "136", "256"):
        assert number in figures.description(fig)
    assert overlapping_texts(fig) == []
    assert figures.to_svg(fig, prefix="a")
    narrow = figures.streaming_tiles(window_mask(64, left=9, right=0), (8, 6), lang=lang)
    assert overlapping_texts(narrow) == []


@pytest.mark.parametrize(
    "visible, block, error, message",
    [
        (np.ones((4, 4)), 2, TypeError, "visible: got dtype float64; booleans, True = may be read"),
        (np.ones((2, 4, 4), bool), 2, ValueError, r"visible: got shape \(2, 4, 4\)"),
        (np.ones((4, 65), bool), 8, ValueError, r"visible: got shape \(4, 65\)"),
        (np.ones((4, 4), bool), 0, ValueError, "block: got 0; a positive integer"),
        (np.ones((4, 4), bool), 1.5, ValueError, "block: got 1.5"),
        (np.ones((4, 4), bool), (2, 2, 2), ValueError, r"block: got \(2, 2, 2\)"),
        (np.ones((26, 26), bool), 2, ValueError, "block: got 2; .* at most 12 blocks a side"),
    ],
)
def test_bad_input(visible, block, error, message):
    with pytest.raises(error, match=message):
        figures.streaming_tiles(visible, block, lang="en")


def test_unknown_language():
    with pytest.raises(ValueError, match="lang: got 'de'"):
        figures.streaming_tiles(causal_mask(4), 2, lang="de")
