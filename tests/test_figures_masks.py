"""The mask grid shows who may read whom, and the weights of those who may."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import every_text, hatched, overlapping_texts, strengths, table

import attn
from attn import figures, lessons
from attn.figures.masks import runs

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def random_trace(n_query, n_key, **options):
    rng = np.random.default_rng(3)
    k = rng.normal(size=(n_key, 4))
    return attn.trace(rng.normal(size=(n_query, 4)), k, k, **options)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_causal_lesson(lang):
    fig = figures.mask_grid(lessons.three_positions().trace(causal=True), lang=lang)
    assert table(fig, "weights") == [["1", "×", "×"], ["1/3", "2/3", "×"], ["1/4", "1/4", "1/2"]]
    assert hatched(fig, "weights") == {(0, 1), (0, 2), (1, 2)}


def test_stronger_fill_for_a_larger_weight():
    strength = strengths(figures.mask_grid(lessons.three_positions().trace(causal=True), lang="en"), "weights")
    assert strength[0, 0] > strength[1, 1] > strength[2, 2] > strength[1, 0] > strength[2, 0]


def test_unmasked_trace_has_no_hatch():
    fig = figures.mask_grid(lessons.three_positions().trace(), lang="en")
    assert hatched(fig, "weights") == set()


@pytest.mark.parametrize("align, first_row_visible", [("end", 7), ("start", 1)])
def test_fewer_queries_than_keys(align, first_row_visible):
    fig = figures.mask_grid(random_trace(2, 8, causal=align), lang="en")
    hidden = hatched(fig, "weights")
    assert 8 - sum(1 for row, _ in hidden if row == 0) == first_row_visible


@pytest.mark.parametrize("n", [2, 8, 9, 12])
def test_numbers_up_to_eight_positions_only(n):
    fig = figures.mask_grid(random_trace(n, n, causal=True), lang="en")
    numbers = [text for row in table(fig, "weights") for text in row if text]
    assert len(numbers) == (n * n if n <= 8 else 0)
    assert len(hatched(fig, "weights")) == n * (n - 1) // 2


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (1, 8), (5, 5), (8, 8), (12, 12), (8, 2), (12, 3)])
def test_no_text_overlaps(lang, shape):
    assert overlapping_texts(figures.mask_grid(random_trace(*shape), lang=lang)) == []


def test_overlap_would_be_found():
    fig = figures.mask_grid(random_trace(2, 2), lang="en", key_labels=["a very long label", "another long label"])
    assert overlapping_texts(fig) != []


def test_labels_of_positions():
    labels = ["she", "mother", "happy"]
    trace = lessons.three_words().trace(causal=True)
    fig = figures.mask_grid(trace, lang="en", query_labels=labels, key_labels=labels)
    assert sum(text in labels for text in every_text(fig)) == 6
    assert "Query she reads she with weights 1" in figures.description(fig)
    with pytest.raises(ValueError, match="query_labels: got 2 labels; 3 positions need 3"):
        figures.mask_grid(trace, lang="en", query_labels=labels[:2])


def test_alt_text_has_every_row():
    trace = lessons.three_positions().trace(causal=True)
    assert figures.description(figures.mask_grid(trace, lang="zh")).endswith(
        "查询 1 读 1，权重 1；查询 2 读 1、2，权重 1/3、2/3；查询 3 读 1、2、3，权重 1/4、1/4、1/2。"
    )
    assert figures.description(figures.mask_grid(trace, lang="en")).endswith(
        "Query 1 reads 1 with weights 1; query 2 reads 1, 2 with weights 1/3, 2/3; "
        "query 3 reads 1, 2, 3 with weights 1/4, 1/4, 1/2."
    )


def test_alt_text_of_a_row_that_reads_nothing():
    visible = np.array([[True, False], [False, False]])
    fig = figures.mask_grid(random_trace(2, 2, visible=visible), lang="en")
    assert "query 2 reads nothing" in figures.description(fig)


def test_alt_text_of_many_positions_is_short():
    visible = np.eye(12, dtype=bool) | np.tri(12, 12, -10, dtype=bool)
    fig = figures.mask_grid(random_trace(12, 12, visible=visible), lang="en")
    assert "query 12 reads 1–2, 12." in figures.description(fig)


def test_runs():
    assert runs(np.array([1, 1, 0, 1], dtype=bool), ["a", "b", "c", "d"]) == ["a–b", "d"]
    assert runs(np.zeros(3, dtype=bool), ["a", "b", "c"]) == []


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"trace: got weights of shape \(13, 13\)"):
        figures.mask_grid(random_trace(13, 13), lang="en")
    with pytest.raises(ValueError, match="lang: got None"):
        figures.mask_grid(random_trace(2, 2), lang=None)
