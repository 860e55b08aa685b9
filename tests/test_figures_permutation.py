"""Rows in another order: the outputs are those of the chapter, and the verdict can fail."""

import json

import numpy as np
import pytest
from figure_reading import hatched, overlapping_texts, table, texts

import attn
from attn import figures, lessons
from attn.figures.interactive import interactive_of

ORDER = [2, 0, 1]


def runs(order=ORDER, steps=None, **options):
    steps = lessons.three_positions().trace() if steps is None else steps
    q, k, v = steps.q, steps.k, steps.v
    return (
        attn.trace(q, k, v, **options),
        attn.trace(q, k[order], v[order], **options),
        attn.trace(q[order], k[order], v[order], **options),
        order,
    )


def chips(fig, name):
    shown = texts(fig)
    return [shown[f"{name} {place}"] for place in range(3)]


def test_tables_of_the_exact_lesson():
    fig = figures.permuted_rows(*runs(), lang="en")
    assert table(fig, "weights original") == [["2/5", "1/5", "2/5"], ["1/5", "2/5", "2/5"], ["1/4", "1/4", "1/2"]]
    # Columns move with the keys; the outputs stay.
    assert table(fig, "weights kv") == [["2/5", "2/5", "1/5"], ["2/5", "1/5", "2/5"], ["1/2", "1/4", "1/4"]]
    assert table(fig, "output kv") == table(fig, "output original") == [["1.6", "0.6"], ["1.2", "0.8"], ["1.5", "0.75"]]
    # Rows move too.
    assert table(fig, "output inputs") == [["1.5", "0.75"], ["1.6", "0.6"], ["1.2", "0.8"]]


def test_rows_and_columns_carry_their_positions():
    fig = figures.permuted_rows(*runs(), lang="en")
    assert chips(fig, "queries kv") == ["1", "2", "3"]
    assert chips(fig, "keys kv") == ["3", "1", "2"]
    assert chips(fig, "queries inputs") == chips(fig, "outputs inputs") == ["3", "1", "2"]


@pytest.mark.parametrize(
    "lang, kv, inputs",
    [
        ("en", "→ every row keeps its output", "→ every row keeps its output and takes it along"),
        ("zh", "→ 每一行的输出都不变", "→ 每一行的输出都不变，跟着它换地方"),
    ],
)
def test_verdict_without_a_mask(lang, kv, inputs):
    shown = texts(figures.permuted_rows(*runs(), lang=lang))
    assert (shown["verdict kv"], shown["verdict inputs"]) == (kv, inputs)


def test_verdict_under_a_causal_mask():
    # CONTENT: swap x₁ and x₂, and row 3 stays [1.5, 0.75]; the others do not stay.
    fig = figures.permuted_rows(*runs([1, 0, 2], causal=True), lang="en")
    assert texts(fig)["verdict inputs"] == "→ output kept: row 3; changed: row 1, 2"
    assert table(fig, "output inputs")[2] == ["1.5", "0.75"]
    assert hatched(fig, "weights inputs") == {(0, 1), (0, 2), (1, 2)}
    assert table(fig, "weights original")[0] == ["1", "×", "×"]


def test_verdict_where_nothing_stays():
    rng = np.random.default_rng(0)
    steps = attn.trace(*rng.normal(size=(3, 3, 2)))
    # A bias for nearness is not permuted: every row notices.
    bias = -np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    shown = texts(figures.permuted_rows(*runs(steps=steps, bias=bias), lang="en"))
    assert shown["verdict inputs"] == "→ no row keeps its output"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_description_and_layout(lang):
    fig = figures.permuted_rows(*runs(), lang=lang)
    for part in ("[1.5, 0.75]", "[1.6, 0.6]", {"zh": "3、1、2", "en": "3, 1, 2"}[lang]):
        assert part in figures.description(fig)
    assert overlapping_texts(fig) == []
    assert figures.to_svg(fig, prefix="a")
    steps = attn.trace(*np.random.default_rng(1).normal(size=(3, 4, 3)))
    for options in ({}, {"causal": True}):
        widest = figures.permuted_rows(*runs([3, 0, 1, 2], steps=steps, **options), lang=lang)
        assert overlapping_texts(widest) == []


def test_bad_input():
    original, kv, inputs, order = runs()
    with pytest.raises(ValueError, match=r"order: got \[0, 0, 1\]; each of 0 to 2 once fits"):
        figures.permuted_rows(original, kv, inputs, [0, 0, 1], lang="en")
    with pytest.raises(ValueError, match=r"kv\.k: got other rows than original\.k\[\[1, 0, 2\]\]"):
        figures.permuted_rows(original, kv, inputs, [1, 0, 2], lang="en")
    with pytest.raises(ValueError, match=r"kv\.q: got other rows than original\.q"):
        figures.permuted_rows(original, inputs, kv, order, lang="en")
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        figures.permuted_rows(original, kv, inputs, order, lang="fr")
    heads = attn.trace(*np.ones((3, 2, 3, 2)))
    with pytest.raises(ValueError, match=r"original: got an output of shape \(2, 3, 2\); one head"):
        figures.permuted_rows(heads, heads, heads, order, lang="en")
    cross = attn.trace(np.ones((3, 2)), np.ones((4, 2)), np.ones((4, 2)))
    with pytest.raises(ValueError, match="original: got 3 queries and 4 keys"):
        figures.permuted_rows(cross, cross, cross, order, lang="en")


def test_what_a_reader_can_reorder():
    lesson = lessons.three_positions_directed()
    element, text = interactive_of(figures.permuted_rows(*runs(steps=lesson.trace()), lang="en"))
    data = json.loads(text)
    assert element == "order"
    # p of the chapter, which asks for one number more at position 1.
    assert (data["x"], data["p"]) == ([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 0], [0, 0]])
    assert np.allclose(np.array(data["x"]) @ data["wv"], lesson.trace().v)


@pytest.mark.parametrize("version, lesson", [(0, lessons.three_positions()), (1, lessons.three_positions_directed())])
def test_a_reader_starts_with_the_version_of_the_page(version, lesson):
    _, text = interactive_of(figures.permuted_rows(*runs(steps=lesson.trace()), lang="en"))
    data = json.loads(text)
    assert data["version"] == version
    assert data["wqs"] == [[[1, 0], [0, 1]], [[1, 1], [0, 1]]]  # chapter 03: plain, directed


def test_rows_of_no_lesson_stay_a_still_figure():
    steps = lessons.three_positions().trace()
    other = attn.trace(2 * steps.q, steps.k, steps.v)
    assert interactive_of(figures.permuted_rows(*runs(steps=other), lang="en")) is None
    assert interactive_of(figures.permuted_rows(*runs(visible=np.eye(3, dtype=bool)), lang="en")) is None
