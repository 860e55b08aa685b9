"""Online softmax in steps: the sums on the page are the ones a pencil gives."""

import json

import numpy as np
import pytest
from figure_reading import cells, overlapping_texts, texts
from matplotlib.patches import Rectangle

import attn
from attn import figures, lessons
from attn.figures.interactive import interactive_of


def lesson(**options):
    """The directed example: row 3 has exponentials 2, 4, 8 and values [2,0], [0,1], [2,1]."""
    steps = lessons.three_positions_directed().trace()
    return steps, list(attn.streaming_steps(steps.q, steps.k, steps.v, **options))


def widths(fig):
    return {place: part.get_width() for place, part in cells(fig, "term").items()}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_numbers_of_each_step(lang):
    shown = texts(figures.online_softmax(*lesson(), lang=lang))
    assert [shown[f"maximum {n}"] for n in range(3)] == ["0.69", "max(0.69, 1.39) = 1.39", "max(1.39, 2.08) = 2.08"]
    assert [shown[f"total {n}"] for n in range(3)] == ["1", "1/2 × 1 + 1 = 1.5", "1/2 × 1.5 + 1 = 1.75"]
    assert [shown[f"weighted {n}"] for n in range(3)] == [
        "1 × [2, 0] = [2, 0]",
        "1/2 × [2, 0] + 1 × [0, 1] = [1, 1]",
        "1/2 × [1, 1] + 1 × [2, 1] = [2.5, 1.5]",
    ]
    # 10/7 and 6/7, as CONTENT has them for the directed example.
    assert shown["output 2"] == "[2.5, 1.5] ÷ 1.75 = [1.43, 0.86]"


def test_old_parts_shrink_by_the_factor_that_is_written():
    fig = figures.online_softmax(*lesson(), lang="en")
    parts = widths(fig)
    unit = parts[0, 0]
    assert [parts[2, j] / unit for j in range(3)] == pytest.approx([1 / 4, 1 / 2, 1])
    assert texts(fig)["factor 2"] == "old sums × 1/2"
    before = {p.get_gid(): p.get_width() for p in fig.findobj(Rectangle)}
    assert before["before 2"] / unit == pytest.approx(1.5)


def test_nothing_is_rescaled_while_the_maximum_stays():
    steps = lessons.three_positions().trace()
    fig = figures.online_softmax(steps, attn.streaming_steps(steps.q, steps.k, steps.v), lang="en")
    assert [name for name in texts(fig) if name.startswith("factor")] == ["factor 2"]
    assert texts(fig)["total 1"] == "1 + 1 = 2"


def test_blocks_of_two():
    fig = figures.online_softmax(*lesson(block=2), lang="en")
    shown = texts(fig)
    assert shown["step 0"] == "step 1: read $k_1$, $k_2$"
    assert shown["weighted 0"] == "1/2 × [2, 0] + 1 × [0, 1] = [1, 1]"
    assert shown["total 1"] == "1/2 × 1.5 + 1 = 1.75"
    hatches = [p.get_hatch() for p in fig.findobj(Rectangle) if p.get_hatch()]
    assert len(hatches) == 2  # the two old parts of the last bar


def test_another_row():
    shown = texts(figures.online_softmax(*lesson(), lang="en", row=1))
    # Row 2 has exponentials 1, 2, 2.
    assert shown["total 2"] == "1.5 + 1 = 2.5"
    assert shown["output 2"].endswith("[1.2, 0.8]")


def test_hidden_keys_add_nothing():
    x = np.eye(3, 2)
    visible = np.array([False, True, False])
    steps = list(attn.streaming_steps(x, x, x, visible=visible))
    fig = figures.online_softmax(attn.trace(x, x, x, visible=visible), steps, lang="en")
    assert texts(fig)["maximum 0"] == "−∞"
    assert texts(fig)["output 0"] == "[0, 0]"
    assert set(widths(fig)) == {(1, 1), (2, 1)}


def test_long_sums_are_shortened_not_cut():
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(1, 4)), rng.normal(size=(8, 4)), rng.normal(size=(8, 3))
    for lang in ("zh", "en"):
        for block in (2, 4, 8):
            steps = attn.streaming_steps(q, k, v, block=block)
            assert overlapping_texts(figures.online_softmax(attn.trace(q, k, v), steps, lang=lang)) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = figures.online_softmax(*lesson(), lang=lang)
    for number in ("1.75", "[2.5, 1.5]", "1/2", "[1.43, 0.86]"):
        assert number in figures.description(fig)
    assert overlapping_texts(fig) == []
    assert figures.to_svg(fig, prefix="a")


def test_what_the_interactive_figure_starts_from():
    given = interactive_of(figures.online_softmax(*lesson(block=2), lang="en"))
    assert given.element == "online-softmax"
    assert json.loads(given.data) == {"powers": [1, 2, 3], "v": [[2, 0], [0, 1], [2, 1]], "block": 2}


@pytest.mark.parametrize("keys", [[1.0, 2.5], [0.0, 4.0], [-1.0, 0.0]])
def test_scores_that_are_no_small_multiples_of_ln_2_have_no_interactive_figure(keys):
    q, k, v = np.ones((1, 1)), np.log(2) * np.array(keys)[:, None], np.ones((2, 1))
    for visible in (None, np.array([True, False])):
        steps = attn.streaming_steps(q, k, v, visible=visible)
        fig = figures.online_softmax(attn.trace(q, k, v, visible=visible), steps, lang="en")
        assert interactive_of(fig) is None


def test_steps_of_another_call_are_refused():
    trace, _ = lesson()
    other = lessons.three_positions().trace()
    steps = attn.streaming_steps(other.q, other.k, other.v)
    with pytest.raises(ValueError, match="steps: got other steps than those of trace"):
        figures.online_softmax(trace, steps, lang="en")


def test_bad_input():
    trace, steps = lesson()
    with pytest.raises(ValueError, match="steps: got other steps"):
        figures.online_softmax(trace, steps[:2], lang="en")
    with pytest.raises(ValueError, match="steps: got 0 blocks; 1 to 6 fit"):
        figures.online_softmax(trace, [], lang="en")
    with pytest.raises(ValueError, match="row: got 3; -3 to 2 fits"):
        figures.online_softmax(trace, steps, lang="en", row=3)
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        figures.online_softmax(trace, steps, lang="fr")
    x = np.ones((9, 2))
    with pytest.raises(ValueError, match="trace: got 9 keys and values 2 wide; 1 to 8 keys"):
        figures.online_softmax(attn.trace(x, x, x), attn.streaming_steps(x, x, x, block=4), lang="en")
    heads = np.ones((2, 3, 2))
    with pytest.raises(ValueError, match=r"trace: got weights of shape \(2, 3, 3\); one head"):
        figures.online_softmax(attn.trace(heads, heads, heads), steps, lang="en")
