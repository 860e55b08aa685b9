"""Two sentences' similarities: the cells of shared words, counted by words, are what is underlined."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts, table, texts

from attn import figures, lessons
from attn.figures.interactive import interactive_of

matplotlib.use("agg")

BOTH = [lessons.addition(sentence=sentence) for sentence in (1, 2)]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def addition(lang="en"):
    tables, labels = [one.x @ one.x.T for one in BOTH], [one.labels(lang) for one in BOTH]
    return figures.similarity_in_two_sentences(tables, labels=labels, pair=(3, 4), lang=lang)


def underlined(fig):
    """How many lines stand under the numbers of each table, the upper first."""
    lines = [line.get_ydata()[0] for line in fig.axes[0].lines]
    middle = (min(lines) + max(lines)) / 2
    return sum(y < middle for y in lines), sum(y > middle for y in lines)


def test_the_row_of_the_chapter_in_both_sentences():
    fig = addition()
    assert table(fig, "sentence 1")[3] == ["−0.11", "0.40", "1.07", "2.87", "1.86", "−0.43"]
    assert table(fig, "sentence 2")[3] == ["0.33", "0.33", "0.34", "2.87", "1.86", "−0.43"]


def test_only_pairs_of_shared_words_are_underlined():
    shared = sum(one == other for one, other in zip(*(lesson.labels("zh") for lesson in BOTH), strict=True))
    fig = addition()
    assert underlined(fig) == (shared**2, shared**2) == (9, 9)
    assert texts(fig)["kept"] == "underlined: the same in both sentences, 9 cells of 36"


def test_a_number_that_only_looks_the_same_is_not_underlined():
    one = np.eye(2)
    fig = figures.similarity_in_two_sentences([one, one + [[0, 0.001], [0.001, 0]]], labels=[["a", "b"], ["a", "c"]], pair=(0, 1), lang="zh")
    assert underlined(fig) == (2, 2)


@pytest.mark.parametrize("lang, parts", [("zh", ["等 与 于 1.86", "9 格"]), ("en", ["equal and to 1.86", "are 9 cells"])])
def test_description_and_layout(lang, parts):
    fig = addition(lang)
    assert [part for part in parts if part not in figures.description(fig)] == []
    assert overlapping_texts(fig) == []
    values = np.random.default_rng(0).normal(size=(7, 7)) * 5
    labels = [list("abcdefg"), list("abcdefg")]
    widest = figures.similarity_in_two_sentences([values, values], labels=labels, pair=(0, 0), lang=lang)
    assert overlapping_texts(widest) == []


def test_what_the_interactive_figure_starts_from():
    element, data = interactive_of(addition("zh"))
    assert element == "two-directions"
    assert json.loads(data) == {
        "form": "similarity",
        "sentences": [{"labels": list(one.labels("zh")), "similarity": (one.x @ one.x.T).tolist()} for one in BOTH],
        "pair": [3, 4],
    }


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"similarities": [np.eye(2)]}, r"similarities: got shapes \[\(2, 2\)\]; two tables"),
        ({"similarities": []}, r"similarities: got shapes \[\]"),
        ({"similarities": [np.eye(2), np.eye(3)]}, r"similarities: got shapes \[\(2, 2\), \(3, 3\)\]"),
        ({"similarities": [np.eye(2), [[1, np.inf], [1, 1]]]}, "similarities: got a number that is not finite"),
        ({"labels": [["a", "b"]]}, "labels: got 1 rows of labels; 2 sentences need 2"),
        ({"labels": [["a", "b"], ["a"]]}, r"labels\[1\]: got 1 labels; 2 positions need 2"),
        ({"pair": (0, 2)}, r"pair: got \(0, 2\); two positions from 0 to 1 fit"),
        ({"lang": "xx"}, "lang: got 'xx'"),
    ],
)
def test_bad_input_is_named(changes, message):
    given = {"similarities": [np.eye(2)] * 2, "labels": [["a", "b"], ["a", "c"]], "pair": (0, 1), "lang": "en"}
    with pytest.raises(ValueError, match=message):
        figures.similarity_in_two_sentences(**(given | changes))
