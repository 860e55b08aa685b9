"""The lessons' data give the numbers that the course prints: fractions, or digits published elsewhere."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

import attn
from attn import lessons


def close(result, fractions):
    expected = [[float(F(x)) for x in row] for row in fractions]
    np.testing.assert_allclose(result, expected, rtol=1e-14, atol=1e-15)


def test_three_positions():
    lesson = lessons.three_positions()
    assert lesson.x.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert lesson.w_q.tolist() == [[1, 0], [0, 1]]
    assert lesson.w_v.tolist() == [[2, 0], [0, 1]]
    np.testing.assert_allclose(lesson.w_k, np.eye(2) * math.sqrt(2) * math.log(2), rtol=1e-15)
    steps = lesson.trace()
    np.testing.assert_allclose(np.exp(steps.scaled), [[2, 1, 2], [1, 2, 2], [2, 2, 4]], rtol=1e-14)
    close(steps.weights, [["2/5", "1/5", "2/5"], ["1/5", "2/5", "2/5"], ["1/4", "1/4", "1/2"]])
    close(steps.output, [["8/5", "3/5"], ["6/5", "4/5"], ["3/2", "3/4"]])
    np.testing.assert_array_equal(steps.scores, steps.scores.T)
    assert abs(steps.weights - steps.weights.T).max() > 0.1


def test_three_positions_with_another_second_row():
    steps = lessons.three_positions(x2=(0, 2)).trace()
    close(steps.weights[2:], [["1/5", "2/5", "2/5"]])
    close(steps.output[2:], [["6/5", "6/5"]])
    assert steps.q[1].tolist() == [0, 2] and steps.v[1].tolist() == [0, 2]
    # K only: row 3 happens to equal what row 2 was
    original = lessons.three_positions().trace()
    close(attn.intervene(original, k={1: steps.k[1]}).output[2:], [["6/5", "4/5"]])


def test_three_positions_causal():
    steps = lessons.three_positions().trace(causal=True)
    close(steps.weights, [[1, 0, 0], ["1/3", "2/3", 0], ["1/4", "1/4", "1/2"]])
    close(steps.output[1:2], [["2/3", "2/3"]])
    # the order race: deleting after softmax leaves 3/5, and dividing by that gives 1/3 and 2/3 again
    deleted = np.where(attn.causal_mask(3), lessons.three_positions().trace().weights, 0)[1:2]
    close(deleted.sum(axis=1, keepdims=True), [["3/5"]])
    close(deleted / deleted.sum(), [["1/3", "2/3", 0]])


def test_order_of_earlier_positions():
    """One causal layer cannot tell it in its last row; a second one can."""

    def last_rows(x):
        head = lessons.three_positions().attention()
        once = head(x, causal=True)
        return once[2], head(once, causal=True)[2]

    once, twice = last_rows([[1, 0], [0, 1], [1, 1]])
    swapped_once, swapped_twice = last_rows([[0, 1], [1, 0], [1, 1]])
    close([once, swapped_once], [["3/2", "3/4"]] * 2)
    assert [twice.round(3).tolist(), swapped_twice.round(3).tolist()] == [[3.184, 0.401], [2.507, 0.634]]


def test_three_positions_directed():
    lesson = lessons.three_positions_directed()
    assert lesson.w_q.tolist() == [[1, 1], [0, 1]]
    for name in ("x", "w_k", "w_v"):
        np.testing.assert_array_equal(getattr(lesson, name), getattr(lessons.three_positions(), name))
    steps = lesson.trace()
    np.testing.assert_allclose(np.exp(steps.scaled), [[2, 2, 4], [1, 2, 2], [2, 4, 8]], rtol=1e-14)
    close(steps.weights, [["1/4", "1/4", "1/2"], ["1/5", "2/5", "2/5"], ["1/7", "2/7", "4/7"]])
    close(steps.output, [["3/2", "3/4"], ["6/5", "4/5"], ["10/7", "6/7"]])
    assert steps.scores[0, 1] != steps.scores[1, 0]
    assert lessons.three_positions_directed(x2=(3, 4)).x[1].tolist() == [3, 4]


def test_three_words():
    lesson = lessons.three_words()
    e = math.e
    unscaled = lesson.trace(scale=1)
    assert unscaled.scores[2].tolist() == [1, 1, 2]
    np.testing.assert_allclose(unscaled.weights[2], np.array([1, 1, e]) / (e + 2), rtol=1e-14)
    np.testing.assert_allclose(unscaled.output[2], [(e + 1) / (e + 2)] * 2, rtol=1e-14)
    assert unscaled.output[2].round(2).tolist() == [0.79, 0.79]
    scaled = lesson.trace()
    assert scaled.weights[2].round(3).tolist() == [0.248, 0.248, 0.503]
    assert scaled.output[2].round(3).tolist() == [0.752, 0.752]
    # row 1 gives itself its lowest weight
    assert unscaled.weights[0].round(3).min() == unscaled.weights[0, 0].round(3) == 0.155
    assert scaled.weights[0].round(3).min() == scaled.weights[0, 0].round(3) == 0.198
    # under a causal mask the first word reads itself alone
    assert lesson.trace(causal=True).weights[0].tolist() == [1, 0, 0]


def test_addition_gives_what_was_published():
    lesson = lessons.addition()
    san, jia, wu, deng, yu, ask = range(6)
    steps = lesson.trace()
    assert lesson.x.shape == (6, 8) and sum(w.size for w in (lesson.w_q, lesson.w_k, lesson.w_v)) == 192
    assert lesson.x[san, 0] == 0.67
    assert steps.q[san, 0].round(2) == 0.09
    assert steps.scores[deng, jia].round(2) == 4.05 and steps.scores[jia, deng].round(2) == 2.08
    assert steps.weights[deng].argmax() == jia and steps.weights[deng, jia].round(3) == 0.524
    assert 0.014 in steps.weights[deng].round(3)
    assert steps.output[deng].round(2).tolist() == [0.52, -0.42, 0.13, -0.17, 0.96, -0.40, -0.05, -0.17]
    cosines = steps.v @ steps.output[deng] / np.linalg.norm(steps.v, axis=1) / np.linalg.norm(steps.output[deng])
    assert cosines[jia].round(4) == 0.9855
    assert np.delete(cosines, jia).max() <= 0.93
    guess = steps.weights[ask, [san, jia, wu]]
    assert guess.min() >= 0.14 and guess.sum().round(2) == 0.74


def test_both_sentences_share_words_and_matrices():
    first, second = lessons.addition(sentence=1), lessons.addition(sentence=2)
    for name in ("w_q", "w_k", "w_v"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first.x[3:], second.x[3:])
    assert (first.x[:3] != second.x[:3]).any(axis=1).all()
    # a pair of shared words has the same score in both sentences, and another weight
    np.testing.assert_allclose(first.trace().scores[3:, 3:], second.trace().scores[3:, 3:], rtol=1e-12)
    assert abs(first.trace().weights[3, 3:] - second.trace().weights[3, 3:]).max() > 1e-3


LESSONS = {
    "three_positions": (lessons.three_positions(), "位置 1|位置 2|位置 3", "position 1|position 2|position 3"),
    "three_positions_directed": (
        lessons.three_positions_directed(),
        "位置 1|位置 2|位置 3",
        "position 1|position 2|position 3",
    ),
    "three_words": (lessons.three_words(), "她|妈妈|开心", "she|mother|happy"),
    "addition 1": (lessons.addition(), "三|加|五|等|于|?", "three|plus|five|equal|to|?"),
    "addition 2": (lessons.addition(sentence=2), "十|减|四|等|于|?", "ten|minus|four|equal|to|?"),
}


@pytest.mark.parametrize("name", LESSONS)
def test_labels_and_read_only_arrays(name):
    lesson, zh, en = LESSONS[name]
    assert "|".join(lesson.labels("zh")) == zh
    assert "|".join(lesson.labels("en")) == en
    arrays = [value for value in vars(lesson).values() if isinstance(value, np.ndarray)]
    assert len(arrays) in (3, 4) and {array.dtype for array in arrays} == {np.dtype(float)}
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    assert len(arrays[0]) == len(lesson.labels("zh")) == len(lesson.labels("en"))


@pytest.mark.parametrize("name", [name for name in LESSONS if name != "three_words"])
def test_attention_of_a_lesson_is_its_head(name):
    lesson, _, _ = LESSONS[name]
    np.testing.assert_array_equal(lesson.attention()(lesson.x, causal=True), lesson.trace(causal=True).output)
