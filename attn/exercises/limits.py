"""Exercises of chapters 13 to 15: order, cost, learning."""

from __future__ import annotations

import numpy as np

from ..gradients import softmax_jacobian
from ..heads import SelfAttention
from .exercise import Exercise, case

LN2 = np.log(2)
C = np.sqrt(2) * LN2


def permuted_output(output, order):
    return output[order]


def two_layers(x, w_q, w_k, w_v):
    layer = SelfAttention(w_q, w_k, w_v)
    return layer(layer(x, causal=True), causal=True)


def online_step(maximum, total, weighted, score, value):
    larger = max(maximum, score)
    shrink, exponential = np.exp(maximum - larger), np.exp(score - larger)
    return larger, shrink * total + exponential, shrink * weighted + exponential * value


def to_scores(weights, v, d_output):
    return softmax_jacobian(weights) @ (v @ d_output)


PAPER_MATRICES = {"w_q": [[1, 0], [0, 1]], "w_k": [[C, 0], [0, C]], "w_v": [[2, 0], [0, 1]]}

EXERCISES = [
    Exercise(
        name="permuted-inputs",
        zh="新的输出，行数不变",
        en="the new output, with as many rows",
        reference=permuted_output,
        cases=(
            case("三行", "three rows", output=[[1.6, 0.6], [1.2, 0.8], [1.5, 0.75]], order=[2, 0, 1]),
            case("四行", "four rows", output=[[1.0, 0.0], [2.0, 0.5], [3.0, 1.5], [4.0, -1.0]], order=[1, 3, 0, 2]),
            case(
                "五行，值宽 1", "five rows, values 1 wide", output=[[2], [3], [5], [7], [11]], order=[4, 0, 3, 1, 2]
            ),
        ),
    ),
    Exercise(
        name="two-layers",
        zh="第二层的输出，一行对应一个位置",
        en="the output of the second layer, a row for each position",
        reference=two_layers,
        cases=(
            case("三个位置", "the three positions", x=[[1, 0], [0, 1], [1, 1]], **PAPER_MATRICES),
            case("位置 1 和 2 对调", "positions 1 and 2 swapped", x=[[0, 1], [1, 0], [1, 1]], **PAPER_MATRICES),
            case(
                "四个位置，宽 3，查询宽 2",
                "four positions, 3 wide, queries 2 wide",
                x=[[1.0, 0.0, 0.5], [0.0, 1.0, -0.5], [1.0, 1.0, 0.0], [0.5, 0.0, 1.0]],
                w_q=[[1.0, 0.0], [0.0, 1.0], [1.0, 0.5]],
                w_k=[[0.0, 1.0], [1.0, 0.0], [0.5, -1.0]],
                w_v=[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, -0.5, 1.0]],
            ),
        ),
    ),
    Exercise(
        name="online-step",
        zh="新的最大值、总和、加权和",
        en="the new maximum, total and weighted sum",
        reference=online_step,
        parts=("maximum", "total", "weighted"),
        cases=(
            case(
                "第一个键",
                "the first key",
                maximum=-np.inf,
                total=0.0,
                weighted=[0.0, 0.0],
                score=LN2,
                value=[2.0, 0.0],
            ),
            case(
                "得分更小",
                "a smaller score",
                maximum=2 * LN2,
                total=1.5,
                weighted=[2.0, 0.5],
                score=LN2,
                value=[0.0, 1.0],
            ),
            case(
                "得分更大",
                "a larger score",
                maximum=LN2,
                total=2.0,
                weighted=[2.0, 1.0],
                score=2 * LN2,
                value=[2.0, 1.0],
            ),
            case(
                "得分特别大",
                "a very large score",
                maximum=1000.0,
                total=1.5,
                weighted=[1.0, 4.0],
                score=1001.0,
                value=[3.0, -1.0],
            ),
        ),
    ),
    Exercise(
        name="jacobian",
        zh="J，行数和列数都等于权重的个数",
        en="J, with a row and a column for each weight",
        reference=softmax_jacobian,
        cases=(
            case("两个权重", "two weights", weights=[0.75, 0.25]),
            case("第 3 行的权重", "the weights of row 3", weights=[0.25, 0.25, 0.5]),
            case("四个权重", "four weights", weights=[0.1, 0.2, 0.3, 0.4]),
        ),
    ),
    Exercise(
        name="back-to-scores",
        zh="缩放后得分的梯度，每个位置一个数",
        en="the gradient for the scaled scores, one number for each position",
        reference=to_scores,
        cases=(
            case(
                "第 15 章的数",
                "the numbers of chapter 15",
                weights=[0.25, 0.25, 0.5],
                v=[[2, 0], [0, 1], [2, 1]],
                d_output=[-8, 0],
            ),
            case(
                "四个位置，值宽 3",
                "four positions, values 3 wide",
                weights=[0.1, 0.2, 0.3, 0.4],
                v=[[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 1.0, -1.0], [1.0, 1.0, 0.5]],
                d_output=[1.0, -2.0, 0.5],
            ),
            case(
                "两个位置，值宽 1",
                "two positions, values 1 wide",
                weights=[0.7, 0.3],
                v=[[2.0], [-1.0]],
                d_output=[3.0],
            ),
        ),
    ),
]
