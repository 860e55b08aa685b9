"""The reshape trap shows whose numbers end up where."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import cells, overlapping_texts, table
from matplotlib.colors import to_hex

from attn import figures
from attn.figures.style import BLUE, ORANGE

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def trap(lang="en", heads=2, shape=(3, 4)):
    return figures.reshape_trap(np.arange(1, 1 + shape[0] * shape[1]).reshape(shape), heads, lang=lang)


def colours(fig, name):
    drawn = cells(fig, name)
    columns = 1 + max(column for _, column in drawn)
    return [[to_hex(drawn[place].get_edgecolor()) for place in sorted(drawn)][i : i + columns] for i in range(0, len(drawn), columns)]


def test_right_split_and_trap():
    fig = trap()
    assert table(fig, "right 0") == [["1", "2"], ["5", "6"], ["9", "10"]]
    assert table(fig, "right 1") == [["3", "4"], ["7", "8"], ["11", "12"]]
    # A row-major reshape to (2, 3, 2) deals the numbers out in reading order.
    assert table(fig, "trap 0") == [["1", "2"], ["3", "4"], ["5", "6"]]
    assert table(fig, "trap 1") == [["7", "8"], ["9", "10"], ["11", "12"]]


def test_numbers_keep_the_colour_of_their_head():
    fig = trap()
    assert colours(fig, "whole") == [[BLUE, BLUE, ORANGE, ORANGE]] * 3
    assert colours(fig, "right 0") == [[BLUE, BLUE]] * 3
    assert colours(fig, "trap 0") == [[BLUE, BLUE], [ORANGE, ORANGE], [BLUE, BLUE]]


def test_second_head_is_hatched_too():
    hatches = [patch.get_hatch() for patch in cells(trap(), "hatch of right 1").values()]
    assert all(hatches) and not any(p.get_hatch() for p in cells(trap(), "hatch of right 0").values())


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_alt_text(lang):
    assert "[3, 4]" in figures.description(trap(lang)) and "3×4" in figures.description(trap(lang))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_overlaps(lang):
    for heads, shape in ((2, (3, 4)), (4, (4, 8)), (2, (1, 2)), (3, (2, 6))):
        assert overlapping_texts(trap(lang, heads, shape)) == []


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_heads: got 3; 2 to 4, and a divisor of 4, fits"):
        trap(heads=3)
    with pytest.raises(ValueError, match=r"x: got shape \(3, 10\)"):
        trap(shape=(3, 10))
