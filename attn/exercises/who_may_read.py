"""Exercises of chapters 08 and 09: who may read whom."""

from __future__ import annotations

import numpy as np

from ..core import softmax
from ..masks import causal_mask, padding_mask
from .exercise import Exercise, case

LN2 = np.log(2)


def masked_weights(scores, visible):
    return softmax(scores, visible=visible)


def may_read(n_query, n_key):
    return causal_mask(n_query, n_key, align="end")


def padded_weights(scores, lengths):
    return softmax(scores, visible=padding_mask(lengths, scores.shape[-1]))


EXERCISES = [
    Exercise(
        name="mask-first",
        zh="权重，遮住的位置是 0，每一行加起来是 1",
        en="the weights, 0 for what is hidden, each row adding up to 1",
        reference=masked_weights,
        cases=(
            case("什么都没遮", "nothing hidden", scores=[[0, LN2, LN2]], visible=[[True, True, True]]),
            case("遮住第三个", "the third hidden", scores=[[0, LN2, LN2]], visible=[[True, True, False]]),
            case(
                "两行，各遮各的",
                "two rows, each with its own mask",
                scores=[[1.0, 0.0, 2.0, -1.0], [0.5, -2.0, 1.0, 1.5]],
                visible=[[True, False, True, True], [False, True, True, False]],
            ),
            case(
                "遮住的得分特别大",
                "a very large score hidden",
                scores=[[0.0, 1.0, 1000.0], [1000.0, 2.0, 0.0]],
                visible=[[True, True, False], [False, True, True]],
            ),
        ),
    ),
    Exercise(
        name="causal-end",
        zh="True 和 False 的表，True 表示可以读，一行对应一个查询",
        en="a table of True and False, True = may read, a row for each query",
        reference=may_read,
        cases=(
            case("三个查询，三个键", "three queries, three keys", n_query=3, n_key=3),
            case("一个查询，四个键", "one query, four keys", n_query=1, n_key=4),
            case("两个查询，五个键", "two queries, five keys", n_query=2, n_key=5),
        ),
    ),
    Exercise(
        name="padding",
        zh="权重，和得分表一样大，填充的键是 0",
        en="the weights, as large as the scores, 0 for padded keys",
        reference=padded_weights,
        cases=(
            case(
                "一段没有填充",
                "one sequence without padding",
                scores=[[[0.0, 1.0, 2.0], [1.0, 0.0, -1.0], [0.5, 2.0, 0.0]]],
                lengths=[3],
            ),
            case(
                "两段，长 2 和长 3",
                "two sequences, 2 and 3 long",
                scores=[
                    [[0.0, 1.0, 2.0], [1.0, 0.0, -1.0], [0.5, 2.0, 0.0]],
                    [[1.0, 0.5, 0.0], [0.0, 2.0, 1.0], [-1.0, 0.0, 1.5]],
                ],
                lengths=[2, 3],
            ),
            case(
                "两个查询，四个键",
                "two queries, four keys",
                scores=[[[0, 2, 1, 1], [1, 0, 2, 0]], [[2, 1, 0, 1], [0, 1, 1, 2]], [[1, 0, 0, 2], [2, 1, 1, 0]]],
                lengths=[3, 1, 2],
            ),
        ),
    ),
    Exercise(
        name="empty-row",
        zh="权重；一行什么都不能读时，整行是 0",
        en="the weights; a row that may read nothing is all 0",
        reference=masked_weights,
        cases=(
            case(
                "每一行都读得到东西",
                "every row may read something",
                scores=[[0.0, 1.0, 2.0], [1.0, 0.5, 0.0]],
                visible=[[True, True, False], [False, True, True]],
            ),
            case(
                "第二行什么都不能读",
                "the second row may read nothing",
                scores=[[0.0, 1.0, 2.0], [1.0, 0.5, 0.0], [2.0, 0.0, 1.0]],
                visible=[[True, True, False], [False, False, False], [True, False, True]],
            ),
            case("谁都不能读", "nobody may read", scores=[[1, 2], [0, 3]], visible=[[False, False], [False, False]]),
        ),
    ),
]
