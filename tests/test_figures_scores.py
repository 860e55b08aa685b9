"""Similarity against scores: both tables, and the pair read in both directions."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts, table, texts

from attn import figures, lessons

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def addition(lang="en", pair=(3, 1)):
    lesson = lessons.addition()
    return figures.similarity_and_scores(
        lesson.x @ lesson.x.T, lesson.trace().scores, pair, lang=lang, labels=lesson.labels(lang)
    )


def test_the_pair_of_the_lesson():
    fig = addition()
    scores = table(fig, "scores")
    # CONTENT: score(equal → plus) = 4.05 and score(plus → equal) = 2.08.
    assert (scores[3][1], scores[1][3]) == ("4.05", "2.08")
    similarity = table(fig, "similarity")
    assert similarity[3][1] == similarity[1][3]
    assert texts(fig)["sentence scores"] == "equal asks plus: 4.05      plus asks equal: 2.08"
    assert texts(fig)["sentence similarity"].endswith("in both directions")


def test_symmetric_scores_are_not_given_a_direction():
    trace = lessons.three_positions().trace()
    x = lessons.three_positions().x
    fig = figures.similarity_and_scores(x @ x.T, trace.scores, (0, 2), lang="zh")
    assert texts(fig)["sentence scores"] == "1 与 3：两个方向都是 0.98"


@pytest.mark.parametrize("lang, parts", [("zh", ["等 问 加 得 4.05", "加 问 等 得 2.08"]), ("en", ["equal asks plus gives 4.05", "gives 2.08"])])
def test_alt_text_has_both_directions(lang, parts):
    alt = figures.description(addition(lang))
    assert [part for part in parts if part not in alt] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("n", [2, 7])
def test_no_text_overlaps(lang, n):
    values = np.random.default_rng(0).normal(size=(n, n)) * 5
    assert overlapping_texts(figures.similarity_and_scores(values + values.T, values, (0, 1), lang=lang)) == []
    assert overlapping_texts(addition(lang)) == []


def test_bad_input_is_named():
    square = np.eye(3)
    with pytest.raises(ValueError, match=r"similarity: got shape \(2, 3\)"):
        figures.similarity_and_scores(square[:2], square, (0, 1), lang="en")
    with pytest.raises(ValueError, match=r"pair: got \(1, 1\)"):
        figures.similarity_and_scores(square, square, (1, 1), lang="en")
    with pytest.raises(ValueError, match="labels: got 2 labels; 3 positions need 3"):
        figures.similarity_and_scores(square, square, (0, 1), lang="en", labels=["a", "b"])
    with pytest.raises(TypeError, match="labels: got 'abc'"):
        figures.similarity_and_scores(square, square, (0, 1), lang="en", labels="abc")
    with pytest.raises(ValueError, match="lang: got 'xx'"):
        figures.similarity_and_scores(square, square, (0, 1), lang="xx")
