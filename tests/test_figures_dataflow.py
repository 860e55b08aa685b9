"""The data-flow diagram shows the numbers and shapes it was given, in both languages."""

import dataclasses

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import every_text, hatched, overlapping_texts, table, texts

import attn
from attn import figures, lessons

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw(lang="en", row=2, **options):
    lesson = lessons.three_positions()
    return figures.data_flow(lesson.x, lesson.trace(**options), lang=lang, row=row)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_tables_of_the_lesson(lang):
    fig = draw(lang)
    assert table(fig, "x") == [["1", "0"], ["0", "1"], ["1", "1"]]
    assert table(fig, "q") == [["1", "0"], ["0", "1"], ["1", "1"]]
    # c = √2 · ln 2 ≈ 0.9803
    assert table(fig, "k") == [["0.98", "0"], ["0", "0.98"], ["0.98", "0.98"]]
    assert table(fig, "v") == [["2", "0"], ["0", "1"], ["2", "1"]]
    assert table(fig, "weights") == [["2/5", "1/5", "2/5"], ["1/5", "2/5", "2/5"], ["1/4", "1/4", "1/2"]]
    assert table(fig, "output") == [["1.6", "0.6"], ["1.2", "0.8"], ["1.5", "0.75"]]


@pytest.mark.parametrize("lang, heading", [("zh", {"缩放后", "的得分"}), ("en", {"scaled", "score"})])
def test_traced_scores_are_called_scaled(lang, heading):
    assert heading <= set(every_text(draw(lang=lang)))


def test_traced_row_lines_up_weights_and_values():
    fig = draw()
    shown = texts(fig)
    # ln 2 ≈ 0.69 and 2 ln 2 ≈ 1.39
    assert [shown[f"traced score {j}"] for j in range(3)] == ["0.69", "0.69", "1.39"]
    heights = []
    for j, (weight, value) in enumerate(zip(["1/4", "1/4", "1/2"], [["2", "0"], ["0", "1"], ["2", "1"]])):
        assert table(fig, f"traced weight {j}") == [[weight]]
        assert table(fig, f"traced value {j}") == [value]
        row = {t.get_gid(): t for t in fig.axes[0].texts}
        ys = {row[f"traced {name}"].get_position()[1] for name in (f"score {j}", f"weight {j} 0 0", f"value {j} 0 0")}
        assert len(ys) == 1
        heights += ys
    assert heights == sorted(heights)


def test_another_row_is_traced_from_the_data():
    shown = texts(draw(row=0))
    assert [shown[f"traced weight {j} 0 0"] for j in range(3)] == ["2/5", "1/5", "2/5"]
    assert texts(draw(row=-1)) == texts(draw(row=2))


@pytest.mark.parametrize("field, name", [("v", "v"), ("output", "output"), ("weights", "weights"), ("q", "q")])
def test_nothing_is_drawn_from_memory(field, name):
    lesson = lessons.three_positions()
    trace = lesson.trace()
    changed = dataclasses.replace(trace, **{field: getattr(trace, field) + 7})
    fig = figures.data_flow(lesson.x, changed, lang="en")
    assert table(fig, name) != table(draw(), name)


def test_masked_trace_names_the_mask_and_hatches_hidden_cells():
    fig = draw(row=1, causal=True)
    assert hatched(fig, "weights") == {(0, 1), (0, 2), (1, 2)}
    assert table(fig, "weights")[1] == ["1/3", "2/3", ""]
    shown = texts(fig)
    assert [shown[f"traced score {j}"] for j in range(3)] == ["0", "0.69", "−∞"]
    assert "mask" in every_text(fig) and "mask" not in every_text(draw())
    assert "masked" in figures.description(fig)


def test_another_scale_is_said():
    fig = draw(scale=0.25)
    assert r"$\times 0.25$" in every_text(fig)
    assert "times 0.25" in figures.description(fig)
    assert r"$\div\sqrt{2}$" in every_text(draw())


@pytest.mark.parametrize(
    "lang, parts",
    [
        ("zh", ["数据流图", "3×2", "3×3", "除以 √2", "第 3 行", "0.69、0.69、1.39", "1/4、1/4、1/2", "[1.5, 0.75]"]),
        ("en", ["Data-flow", "3×2", "3×3", "by √2", "Row 3", "0.69, 0.69, 1.39", "1/4, 1/4, 1/2", "[1.5, 0.75]"]),
    ],
)
def test_alt_text_has_the_numbers(lang, parts):
    alt = figures.description(draw(lang))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("rows, widths", [(2, (1, 1, 1)), (3, (2, 2, 2)), (4, (3, 3, 3)), (3, (2, 3, 1))])
def test_no_text_overlaps(lang, rows, widths):
    rng = np.random.default_rng(1)
    d_model, d, d_v = widths
    head = attn.SelfAttention(
        *(rng.normal(size=(d_model, width)) for width in (d, d, d_v)),
    )
    x = rng.normal(size=(rows, d_model))
    fig = figures.data_flow(x, head.trace(x, causal=True), lang=lang)
    assert overlapping_texts(fig) == []


def test_bad_input_is_named():
    lesson = lessons.three_positions()
    trace = lesson.trace()
    with pytest.raises(ValueError, match=r"""lang: got 'fr'; this figure speaks "en" or "zh\""""):
        figures.data_flow(lesson.x, trace, lang="fr")
    with pytest.raises(ValueError, match="row: got 3; -3 to 2 fits"):
        figures.data_flow(lesson.x, trace, lang="en", row=3)
    with pytest.raises(ValueError, match=r"x: got shape \(6, 2\)"):
        figures.data_flow(np.ones((6, 2)), trace, lang="en")
    many = attn.trace(np.ones((2, 3, 2)), np.ones((2, 3, 2)), np.ones((2, 3, 2)))
    with pytest.raises(ValueError, match=r"trace.q: got shape \(2, 3, 2\)"):
        figures.data_flow(lesson.x, many, lang="en")
