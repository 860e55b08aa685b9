"""Exercises of chapters 01 to 07: one head, by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..core import attention, softmax
from .exercise import Exercise, case

LN2 = np.log(2)
C = np.sqrt(2) * LN2  # makes the scaled scores of the three positions multiples of ln 2

# The three positions of the course, in the version whose scores have a direction.
X = [[1, 0], [0, 1], [1, 1]]
DIRECTED_Q = [[1, 1], [0, 1], [1, 2]]
K = [[C, 0], [0, C], [C, C]]
V = [[2, 0], [0, 1], [2, 1]]


def most_like(x):
    products = (x @ x.T).astype(float)
    np.fill_diagonal(products, -np.inf)
    return products.argmax(axis=1)


def project(x, w_q, w_k, w_v):
    return x @ w_q, x @ w_k, x @ w_v


def sizes(n, d_model, d, d_v):
    return d_model * (2 * d + d_v), n * n


def scores(q, k):
    return q @ k.T


def weights(q, k):
    return softmax(q @ k.T / np.sqrt(q.shape[1]))


def whole_run(x, w_q, w_k, w_v):
    return attention(x @ w_q, x @ w_k, x @ w_v)


def exact_weights(doublings):
    powers = [Fraction(2) ** n for n in doublings]
    return [power / sum(powers) for power in powers]


def replace_value(q, k, v, row, new_value):
    replaced = v.copy()
    replaced[row] = new_value
    return weights(q, k), attention(q, k, replaced)


def shift_reading(weights, v, i, j, amount):
    shifted = weights.copy()
    shifted[i] -= amount
    shifted[j] += amount
    return shifted, shifted @ v


EXERCISES = [
    Exercise(
        name="most-like",
        zh="每一行一个下标，从 0 数起",
        en="one index for each row, counted from 0",
        reference=most_like,
        cases=(
            case("长短不一的三行", "three rows, some longer", x=[[2, 1], [1, 0], [0, 3]]),
            case("点积有负的", "some products below 0", x=[[1, 0], [-1, -1], [-2, 1]]),
            case("四行，每行 3 个数", "four rows of 3 numbers", x=[[1, 2, 0], [0, -1, 1], [2, 0, 1], [-1, 1, 3]]),
        ),
    ),
    Exercise(
        name="project",
        zh="Q、K、V 三张表",
        en="the three tables Q, K, V",
        reference=project,
        parts=("Q", "K", "V"),
        cases=(
            case(
                "三个 2×2 的矩阵",
                "three matrices 2×2",
                x=X,
                w_q=[[1, 1], [0, 1]],
                w_k=[[2, 0], [1, 3]],
                w_v=[[1, -1], [4, 0]],
            ),
            case(
                "值比键宽",
                "values wider than keys",
                x=[[1, 0, 2], [0, -1, 1]],
                w_q=[[1, 2], [0, 1], [1, 0]],
                w_k=[[0, 1], [3, 1], [1, 1]],
                w_v=[[1, 0, 2, 1], [0, 1, 1, 3], [2, 1, 0, 0]],
            ),
            case(
                "小数",
                "decimals",
                x=[[0.5, -1.0], [1.5, 2.0]],
                w_q=[[1.0, 0.5], [-0.5, 2.0]],
                w_k=[[0.0, 1.0], [2.5, -1.0]],
                w_v=[[3.0], [-0.25]],
            ),
        ),
    ),
    Exercise(
        name="sizes",
        zh="参数的个数和得分的个数",
        en="the number of parameters and the number of scores",
        reference=sizes,
        parts=("parameters", "scores"),
        cases=(
            case("加法的例子", "the addition example", n=6, d_model=8, d=8, d_v=8),
            case("文字长一倍", "a text twice as long", n=12, d_model=8, d=8, d_v=8),
            case("三种宽度都不同", "three different widths", n=5, d_model=8, d=4, d_v=3),
        ),
    ),
    Exercise(
        name="scores",
        zh="得分表，一行对应一个查询，一列对应一个键",
        en="the table of scores, a row for each query, a column for each key",
        reference=scores,
        cases=(
            case("整数", "whole numbers", q=DIRECTED_Q, k=X),
            case(
                "两个查询，四个键",
                "two queries, four keys",
                q=[[1, 2, 0], [0, -1, 3]],
                k=[[1, 0, 1], [2, 1, 0], [0, 1, 1], [-1, 0, 2]],
            ),
            case("小数", "decimals", q=[[0.5, -1.5], [2.0, 0.25]], k=[[1.0, 0.5], [-0.5, 2.0]]),
        ),
    ),
    Exercise(
        name="softmax",
        zh="份额，和得分表一样大，每一行加起来是 1",
        en="shares, a table as large as the scores, each row adding up to 1",
        reference=softmax,
        cases=(
            case("ln 2 的倍数", "multiples of ln 2", scores=[[0, LN2, LN2], [2 * LN2, 0, LN2]]),
            case("整数，有负的", "whole numbers, some below 0", scores=[[1, 0, 2], [0, -1, 1], [2, 2, 0]]),
            case("两行相差很远", "two rows far apart", scores=[[0.0, 1.0], [1002.0, 1000.0]]),
        ),
    ),
    Exercise(
        name="weights",
        zh="权重，一行对应一个查询",
        en="the weights, a row for each query",
        reference=weights,
        cases=(
            case("三个位置，有方向的版本", "the three positions, directed", q=DIRECTED_Q, k=K),
            case(
                "两个查询，三个键，4 维",
                "two queries, three keys, 4 wide",
                q=[[1, 0, 2, -1], [0, 1, 1, 1]],
                k=[[1, 1, 0, 0], [0, 2, 1, 1], [1, 0, 1, 0]],
            ),
            case(
                "三个查询，两个键，1 维",
                "three queries, two keys, 1 wide",
                q=[[0.5], [-1.0], [2.0]],
                k=[[1.0], [0.25]],
            ),
        ),
    ),
    Exercise(
        name="attention",
        zh="输出，一行对应一个位置",
        en="the output, a row for each position",
        reference=whole_run,
        cases=(
            case(
                "三个位置，有方向的版本",
                "the three positions, directed",
                x=X,
                w_q=[[1, 1], [0, 1]],
                w_k=[[C, 0], [0, C]],
                w_v=[[2, 0], [0, 1]],
            ),
            case(
                "输入宽 3，查询宽 2",
                "input 3 wide, queries 2 wide",
                x=[[1, 0, 1], [0, 1, -1], [1, 1, 0], [0, -1, 2]],
                w_q=[[1, 0], [0, 1], [1, 1]],
                w_k=[[0, 1], [1, 0], [1, -1]],
                w_v=[[2, 0], [1, 1], [0, 3]],
            ),
            case(
                "值宽 4",
                "values 4 wide",
                x=[[1, 0, 1], [0, 1, -1], [1, 1, 0]],
                w_q=[[1, 0], [0, 1], [1, 1]],
                w_k=[[0, 1], [1, 0], [1, -1]],
                w_v=[[2, 0, 1, 0], [1, 1, 0, 3], [0, 3, 1, 1]],
            ),
        ),
    ),
    Exercise(
        name="exact-weights",
        zh="由 Fraction 组成的列表，每个位置一个",
        en="a list of Fraction, one for each position",
        reference=exact_weights,
        cases=(
            case("三个位置的第 3 行", "row 3 of the three positions", doublings=(1, 1, 2)),
            case("四个位置", "four positions", doublings=(3, 0, 1, 1)),
            case("有负数", "a negative number", doublings=(-1, 0, 2)),
        ),
    ),
    Exercise(
        name="value-only",
        zh="权重和输出",
        en="the weights and the output",
        reference=replace_value,
        parts=("weights", "output"),
        cases=(
            case("题目里的数", "the numbers of the task", q=X, k=K, v=V, row=1, new_value=[0, 2]),
            case(
                "有方向的得分，换第一行",
                "scores with a direction, first row",
                q=DIRECTED_Q,
                k=K,
                v=V,
                row=0,
                new_value=[-1, 3],
            ),
            case(
                "值宽 3",
                "values 3 wide",
                q=[[1.0, 0.5], [0.0, -1.0]],
                k=[[0.5, 1.0], [1.0, 0.0], [-1.0, 0.5]],
                v=[[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 2.0, 0.0]],
                row=2,
                new_value=[4.0, -1.0, 1.0],
            ),
        ),
    ),
    Exercise(
        name="shift-reading",
        zh="新的权重和新的输出",
        en="the new weights and the new output",
        reference=shift_reading,
        parts=("weights", "output"),
        cases=(
            case("两个值相同", "two equal values", weights=[0.2, 0.8], v=[[2, 1], [2, 1]], i=1, j=0, amount=0.5),
            case("三个不同的值", "three different values", weights=[0.25, 0.25, 0.5], v=V, i=2, j=0, amount=0.25),
            case(
                "四个位置",
                "four positions",
                weights=[0.4, 0.1, 0.2, 0.3],
                v=[[1.0], [0.0], [5.0], [2.0]],
                i=0,
                j=3,
                amount=0.3,
            ),
        ),
    ),
]
