"""Exercises of chapters 10 to 12: many heads, shared heads, decoding."""

from __future__ import annotations

import numpy as np

from ..core import attention
from ..heads import MultiHeadAttention
from .exercise import Exercise, case

C = np.sqrt(2) * np.log(2)


def split(x, n_heads):
    return x.reshape(len(x), n_heads, -1).swapaxes(0, 1)


def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    return MultiHeadAttention(w_q, w_k, w_v, w_o, n_heads=n_heads)(x)


def repeat(shared, n_heads):
    return np.repeat(shared, n_heads // len(shared), axis=0)


def cache_bytes(n_layers, n_heads, n_kv_heads, head_dim, bytes_per_number):
    return 2 * n_layers * n_kv_heads * head_dim * bytes_per_number


def decode_step(q, k, v, keys, values):
    keys, values = np.vstack([keys, k]), np.vstack([values, v])
    return attention(q[None], keys, values)[0], keys, values


def newest(q, k, v):
    return attention(q, k, v, causal="end")


EXERCISES = [
    Exercise(
        name="split-heads",
        zh="形状是 头数 × 位置数 × 每头维度 的数组",
        en="an array of shape heads × positions × head dimension",
        reference=split,
        cases=(
            case(
                "三个位置，两个头",
                "three positions, two heads",
                x=[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
                n_heads=2,
            ),
            case("两个位置，两个头", "two positions, two heads", x=[[1, 2, 3, 4], [5, 6, 7, 8]], n_heads=2),
            case(
                "两个位置，三个头",
                "two positions, three heads",
                x=[[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]],
                n_heads=3,
            ),
        ),
    ),
    Exercise(
        name="multi-head",
        zh="输出，一行对应一个位置",
        en="the output, a row for each position",
        reference=multi_head,
        cases=(
            case(
                "三个位置，两个头，3×4 乘 4×2",
                "three positions, two heads, 3×4 times 4×2",
                x=[[1, 0], [0, 1], [1, 1]],
                w_q=[[1, 1, 0, 1], [0, 1, 2, 0]],
                w_k=[[1, 0, 1, -1], [0, 1, 1, 0]],
                w_v=[[2, 0, 1, 0], [0, 1, 0, 3]],
                w_o=[[1, 0], [0, 1], [1, -1], [0, 2]],
                n_heads=2,
            ),
            case(
                "输入宽 4，每头 2 维",
                "input 4 wide, heads 2 wide",
                x=[[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, -1]],
                w_q=[[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, -1]],
                w_k=[[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, -1, 0], [1, 0, 0, 1]],
                w_v=[[1, 0, 2, 0], [0, 1, 0, 1], [3, 0, 1, 0], [0, 2, 0, -1]],
                w_o=[[1, 0, 0, 2], [0, 1, 1, 0], [0, 3, 1, 0], [1, 0, 0, 1]],
                n_heads=2,
            ),
            case(
                "三个头，值宽 1",
                "three heads, values 1 wide",
                x=[[1, 0], [0, 1], [1, 1], [2, -1]],
                w_q=[[1, 1, 0, 1, 0, 1], [0, 1, 1, 0, 1, -1]],
                w_k=[[1, 0, 1, -1, 1, 1], [0, 1, 1, 0, 0, 1]],
                w_v=[[2, 1, 0], [1, 0, 3]],
                w_o=[[1, 0], [2, 1], [0, 3]],
                n_heads=3,
            ),
        ),
    ),
    Exercise(
        name="repeat-heads",
        zh="每个查询头一份的数组，形状是 查询头数 × 位置数 × 每头维度",
        en="an array with one head for each query head: heads × positions × head dimension",
        reference=repeat,
        cases=(
            case("两个头分给四个", "two heads for four", shared=[[[1, 2]], [[3, 4]]], n_heads=4),
            case("两个头分给六个", "two heads for six", shared=[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], n_heads=6),
            case("一个头分给三个", "one head for three", shared=[[[1, 2], [3, 4]]], n_heads=3),
        ),
    ),
    Exercise(
        name="cache-bytes",
        zh="一个整数：每个词元占多少字节",
        en="a whole number: bytes for each token",
        reference=cache_bytes,
        cases=(
            case("很小的模型", "a tiny model", n_layers=3, n_heads=4, n_kv_heads=2, head_dim=5, bytes_per_number=4),
            case("Qwen3-0.6B", "Qwen3-0.6B", n_layers=28, n_heads=16, n_kv_heads=8, head_dim=128, bytes_per_number=2),
            case("Qwen2.5-7B", "Qwen2.5-7B", n_layers=28, n_heads=28, n_kv_heads=4, head_dim=128, bytes_per_number=2),
        ),
    ),
    Exercise(
        name="decode-step",
        zh="新位置的输出，加上变长了的键和值",
        en="the output of the new position, and the keys and values with one more row",
        reference=decode_step,
        parts=("output", "keys", "values"),
        cases=(
            case(
                "三个位置，位置 3 是新的",
                "the three positions, position 3 is new",
                q=[1, 1],
                k=[C, C],
                v=[2, 1],
                keys=[[C, 0], [0, C]],
                values=[[2, 0], [0, 1]],
            ),
            case(
                "三个旧位置，4 维，值宽 3",
                "three old positions, 4 wide, values 3 wide",
                q=[1.0, 0.0, -1.0, 2.0],
                k=[0.5, 1.0, 0.0, 1.0],
                v=[1.0, 2.0, 0.0],
                keys=[[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, -1.0]],
                values=[[1.0, 0.0, 2.0], [0.0, 3.0, 1.0], [2.0, 1.0, -1.0]],
            ),
            case(
                "第一个位置，缓存还是空的",
                "the first position, nothing cached yet",
                q=[1.0, 2.0],
                k=[0.5, 1.0],
                v=[3.0, 4.0],
                keys=np.empty((0, 2)),
                values=np.empty((0, 2)),
            ),
        ),
    ),
    Exercise(
        name="newest",
        zh="输出，一行对应一个查询",
        en="the output, a row for each query",
        reference=newest,
        cases=(
            case(
                "三个查询，三个键",
                "three queries, three keys",
                q=[[1.0, 1.0], [0.0, 1.0], [1.0, 2.0]],
                k=[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
                v=[[2.0, 0.0], [0.0, 1.0], [2.0, 1.0]],
            ),
            case(
                "一个查询，四个键",
                "one query, four keys",
                q=[[1.0, -1.0]],
                k=[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, -0.5]],
                v=[[2.0, 0.0], [0.0, 1.0], [2.0, 1.0], [-1.0, 3.0]],
            ),
            case(
                "两个查询，四个键，值宽 3",
                "two queries, four keys, values 3 wide",
                q=[[1, 0], [1, 2]],
                k=[[1, 0], [0, 1], [1, 1], [-1, 1]],
                v=[[2, 0, 1], [0, 1, 0], [2, 1, 3], [1, -1, 0]],
            ),
        ),
    ),
]
