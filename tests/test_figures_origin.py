"""Which lesson a figure's tables come from, and what its reader may therefore edit."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from attn import figures, four_ways, lessons, trace
from attn.figures.interactive import interactive_of
from attn.figures.origin import lesson_of, other_sentence

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    "lesson",
    [
        lessons.three_positions(),
        lessons.three_positions_directed(),
        lessons.addition(sentence=1),
        lessons.addition(sentence=2),
    ],
)
def test_a_lesson_is_known_by_its_tables(lesson):
    found = lesson_of(lesson.trace())
    for name in ("x", "w_q", "w_k", "w_v"):
        assert np.array_equal(getattr(found, name), getattr(lesson, name))


def test_other_tables_are_no_lesson():
    steps = lessons.three_positions().trace()
    assert lesson_of(trace(steps.q, steps.k, steps.v + 1e-12)) is None
    assert lesson_of(lessons.three_words().trace()) is None


@pytest.mark.parametrize("sentence", [1, 2])
def test_the_other_sentence(sentence):
    lesson = lessons.addition(sentence=sentence)
    other = other_sentence(lesson.x @ lesson.x.T, lesson.trace().scores)
    assert other.en == lessons.addition(sentence=3 - sentence).en
    assert other_sentence(lesson.x @ lesson.x.T, lesson.trace().scores.T) is None


def bench(**changes):
    fig = figures.intervention_chart(four_ways(lessons.three_positions().trace(), **changes), lang="en")
    interactive = interactive_of(fig)
    return interactive and json.loads(interactive.data)


def test_the_bench_gets_the_edited_input():
    edited = lessons.three_positions(x2=(0, 2)).trace()
    data = bench(k={1: edited.k[1]}, v={1: edited.v[1]})
    assert (data["position"], data["edited"], data["row"]) == (1, [0, 2], 2)


def test_no_bench_where_no_input_makes_both():
    edited = lessons.three_positions(x2=(0, 2)).trace()
    assert bench(k={1: edited.k[1]}, v={1: [5, 5]}) is None
    assert bench(k={1: edited.k[1]}, v={0: edited.v[1]}) is None
    assert bench() is None


LESSON = lessons.three_positions()
OTHER = trace(LESSON.x, LESSON.x, LESSON.x)


@pytest.mark.parametrize(
    ("draw", "element"),
    [
        (lambda steps: figures.attention_tables(steps, lang="en"), "machine"),
        (lambda steps: figures.data_flow(LESSON.x, steps, lang="en"), "cell-ledger"),
    ],
)
def test_the_matrices_come_along_only_with_their_own_lesson(draw, element):
    name, text = interactive_of(draw(LESSON.trace()))
    data = json.loads(text)
    assert (name, data["row"]) == (element, 2)
    for name, values in (("x", LESSON.x), ("wq", LESSON.w_q), ("wk", LESSON.w_k), ("wv", LESSON.w_v)):
        assert np.array_equal(data[name], values)
    assert interactive_of(draw(OTHER)) is None
    assert interactive_of(draw(LESSON.trace(causal=True))) is None
