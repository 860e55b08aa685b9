"""Heads concatenated and projected: every number by pencil, and another W_O is refused."""

import numpy as np
import pytest
from figure_reading import cells, overlapping_texts, table, texts
from matplotlib.patches import Rectangle

from attn import MultiHeadAttention, figures

# The first head is the exact lesson; the second sees the coordinates exchanged.
C = np.sqrt(2) * np.log(2)
W_Q = [[1, 0, 0, 1], [0, 1, 1, 0]]
W_K = [[C, 0, C, 0], [0, C, 0, C]]
W_V = [[2, 0, 1, 0], [0, 1, 0, 2]]
W_O = [[1, 0], [0, 1], [0.5, 0], [0, -1]]
X = [[1, 0], [0, 1], [1, 1]]


def layer():
    return MultiHeadAttention(W_Q, W_K, W_V, W_O, n_heads=2)


def drawn(**options):
    return figures.heads_joined(layer().trace(X), W_O, **{"lang": "en", **options})


def test_tables():
    fig = drawn()
    # CONTENT: the outputs of the exact lesson.
    assert table(fig, "head 0") == [["1.6", "0.6"], ["1.2", "0.8"], ["1.5", "0.75"]]
    assert table(fig, "concatenated")[2] == ["1.5", "0.75", "0.75", "1.5"]
    assert table(fig, "w_o") == [["1", "0"], ["0", "1"], ["0.5", "0"], ["0", "−1"]]
    assert table(fig, "output")[2] == ["1.88", "−0.75"]
    shapes = {text.get_text() for text in fig.axes[0].texts}
    assert {"3×2", "3×4", "4×2"} <= shapes


def test_one_number_by_pencil():
    shown = texts(drawn())
    assert shown["part 0"] == "1.5 × 1 + 0.75 × 0 = 1.5"
    assert shown["part 1"] == "0.75 × 0.5 + 1.5 × 0 = 0.375"
    assert shown["sum"] == "1.5 + 0.375 = 1.875"
    first = texts(drawn(row=0))
    assert first["sum"] == "1.6 + 0.3 = 1.9"


def test_columns_and_rows_wear_the_look_of_their_head():
    fig = drawn()
    joined = {place: cell.get_edgecolor() for place, cell in cells(fig, "concatenated").items()}
    projection = {place: cell.get_edgecolor() for place, cell in cells(fig, "w_o").items()}
    assert joined[0, 0] == joined[2, 1] == projection[0, 0] == projection[1, 1]
    assert joined[0, 2] == joined[2, 3] == projection[2, 0] == projection[3, 1]
    assert joined[0, 0] != joined[0, 2]
    # Without colour: only the first head's 6 + 6 + 4 cells are hatched.
    assert sum(bool(patch.get_hatch()) for patch in fig.findobj(Rectangle)) == 16


def test_the_product_is_framed():
    frames = {
        (round(p.get_width()), round(p.get_height())) for p in drawn().findobj(Rectangle) if p.get_linewidth() == 2
    }
    assert frames == {(68, 20), (136, 20), (34, 80), (34, 20)}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = drawn(lang=lang)
    for part in ("3×4", "4×2", "[1.5, 0.75, 0.75, 1.5]", "1.875", "−0.75"):
        assert part in figures.description(fig)
    assert overlapping_texts(fig) == []
    assert figures.to_svg(fig, prefix="a")
    rng = np.random.default_rng(0)
    three = MultiHeadAttention(*rng.normal(size=(3, 2, 6)), rng.normal(size=(6, 2)), n_heads=3)
    wide = figures.heads_joined(three.trace(rng.normal(size=(4, 2))), three.w_o, lang=lang)
    assert overlapping_texts(wide) == []


def test_bad_input():
    steps = layer().trace(X)
    with pytest.raises(ValueError, match="w_o: got another matrix than the one that gave steps.output"):
        figures.heads_joined(steps, np.array(W_O)[[2, 3, 0, 1]], lang="en")
    with pytest.raises(ValueError, match=r"w_o: got shape \(2, 4\); 4 rows"):
        figures.heads_joined(steps, np.transpose(W_O), lang="en")
    with pytest.raises(ValueError, match="row: got 3; -3 to 2 fits"):
        drawn(row=3)
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        drawn(lang="fr")
    one = MultiHeadAttention([[1.0]], [[1.0]], [[1.0]], [[1.0]], n_heads=1)
    with pytest.raises(ValueError, match=r"steps: got heads of shape \(1, 2, 1\); .* 2 to 3 heads"):
        figures.heads_joined(one.trace([[1.0], [2.0]]), one.w_o, lang="en")
    with pytest.raises(ValueError, match=r"steps: got heads of shape \(1, 2, 3, 2\)"):
        figures.heads_joined(layer().trace([X]), W_O, lang="en")
