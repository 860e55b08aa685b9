"""The four tables hold the numbers of the run, and one row is framed in each."""

import dataclasses

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts, table

import attn
from attn import figures, lessons

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw(lang="en", **options):
    lesson = lessons.addition()
    return figures.attention_tables(lesson.trace(**options), lang=lang, labels=lesson.labels(lang), row=3)


def test_the_row_the_lesson_publishes():
    fig = draw()
    assert table(fig, "scores")[3][1] == "4.05"
    assert table(fig, "weights")[3][1] == "52.4"
    # The output of 等, as published.
    assert table(fig, "output")[3] == ["0.52", "−0.42", "0.13", "−0.17", "0.96", "−0.40", "−0.05", "−0.17"]


def test_nothing_is_drawn_from_memory():
    trace = lessons.addition().trace()
    for field, name in (("scores", "scores"), ("masked", "scaled"), ("weights", "weights"), ("output", "output")):
        changed = dataclasses.replace(trace, **{field: np.array(getattr(trace, field)) + 1})
        assert table(figures.attention_tables(changed, lang="en"), name) != table(draw(), name)


def test_hidden_scores_are_minus_infinity():
    assert table(draw(causal=True), "scaled")[0][1:] == ["−∞"] * 5


@pytest.mark.parametrize("lang, parts", [("zh", ["等 这一行", "52.4%", "6×8"]), ("en", ["The row of equal", "52.4%", "6×8"])])
def test_alt_text_has_the_framed_row(lang, parts):
    alt = figures.description(draw(lang))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_overlaps(lang):
    assert overlapping_texts(draw(lang)) == []


def test_bad_input_is_named():
    ones = np.ones((2, 3, 4))
    with pytest.raises(ValueError, match=r"trace: got weights \(2, 3, 3\)"):
        figures.attention_tables(attn.trace(ones, ones, ones), lang="en")
    with pytest.raises(ValueError, match="row: got 9; -6 to 5 fits"):
        figures.attention_tables(lessons.addition().trace(), lang="en", row=9)
