"""Checks that any implementation of attention must pass, and the classic mistakes must not.

Each takes the implementation as an argument: test_core and test_heads run them on the
library, test_mutants on twelve wrong versions. All inputs are unsaturated and
asymmetric, so that no mistake hides behind a symmetry.
"""

import numpy as np
import oracle

LN2 = np.log(2)

# q · k counts multiples of ln 2. Three queries, four keys of width 2, values of width 3.
Q = [[1, 0], [2, 1], [0, -1]]
K = [[0, 1], [1, 0], [-1, 1], [1, -1]]
V = [[1, 0, 5], [0, 2, 1], [4, 1, 0], [-3, 2, 2]]
VISIBLE = [[True, False, True, True], [False, True, True, False], [True, True, False, True]]
BIAS = [[0, 1, -1, 0], [2, 0, 0, 1], [0, 0, 3, -2]]


def floats(q=Q, k=K, v=V):
    """The problem such that the default scale, 1/√2, makes the scores whole multiples of ln 2."""
    return np.array(q, float), np.array(k, float) * LN2 * np.sqrt(2), np.array(v, float)


def same(result, fractions):
    np.testing.assert_allclose(result, oracle.floats(fractions), rtol=1e-12, atol=1e-13)


def plain(attention):
    same(attention(*floats()), oracle.attention(Q, K, V))


def self_attention(attention):
    """As many queries as keys, so that a table that is turned around still has the right shape."""
    x = K[:3]
    same(attention(*floats(x, Q, V[:3])), oracle.attention(x, Q, V[:3]))


def given_scale(attention):
    q, k, v = floats()
    same(attention(q, k / np.sqrt(2), v, scale=1), oracle.attention(Q, K, V))


def masked(attention):
    same(attention(*floats(), visible=np.array(VISIBLE)), oracle.attention(Q, K, V, visible=VISIBLE))


def biased(attention):
    same(attention(*floats(), bias=np.array(BIAS) * LN2), oracle.attention(Q, K, V, bias=BIAS))


def causal(attention):
    visible = oracle.causal(3, 3, "start")
    same(attention(*floats(Q, K[:3], V[:3]), causal=True), oracle.attention(Q, K[:3], V[:3], visible=visible))


def causal_start(attention):
    visible = oracle.causal(3, 4, "start")
    same(attention(*floats(), causal="start"), oracle.attention(Q, K, V, visible=visible))


def causal_end(attention):
    visible = oracle.causal(3, 4, "end")
    same(attention(*floats(), causal="end"), oracle.attention(Q, K, V, visible=visible))


def nothing_visible(attention):
    """A row that may read nothing is zero, and its neighbours are as if alone."""
    visible = [VISIBLE[0], [False] * 4, VISIBLE[2]]
    same(attention(*floats(), visible=np.array(visible)), oracle.attention(Q, K, V, visible=visible))


def shared_heads(attention):
    """Four query heads, two K/V heads: heads 0 and 1 read the first, 2 and 3 the second."""
    heads_q = [Q, Q[::-1], [Q[1], Q[2], Q[0]], [Q[2], Q[0], Q[1]]]
    heads_k, heads_v = [K, K[::-1]], [V, [row[::-1] for row in V]]
    result = attention(*floats(heads_q, heads_k, heads_v))
    for head in range(4):
        same(result[head], oracle.attention(heads_q[head], heads_k[head // 2], heads_v[head // 2]))


ATTENTION = [
    plain,
    self_attention,
    given_scale,
    masked,
    biased,
    causal,
    causal_start,
    causal_end,
    nothing_visible,
    shared_heads,
]

# A layer: width 4 in, four query heads and two K/V heads of width 2, width 3 out.
X = [[1, 0, -1, 2], [0, 1, 1, 0], [2, -1, 0, 1]]
W_Q = [[1, 0, 0, 1, -1, 0, 1, 1], [0, 1, 1, 0, 0, 1, 0, -1], [1, 0, 0, 1, 0, 1, 1, 0], [0, 0, 1, 0, 1, 0, 0, 1]]
W_K = [[0, 1, 1, 0], [1, 0, 0, 1], [0, -1, 1, 0], [1, 0, 0, 0]]
W_V = [[2, 0, 1, 0], [0, 1, 0, 3], [1, 0, 0, 1], [0, 1, 2, 0]]
W_O = [[1, 0, 2], [0, 1, 0], [1, 1, 0], [0, 0, 1], [3, 0, 1], [0, 2, 0], [1, 0, 0], [0, 1, 1]]


def multi_head_answer(visible=None):
    def head_of(table, head):
        return [row[2 * head : 2 * head + 2] for row in table]

    q, k, v = (oracle.times(X, w) for w in (W_Q, W_K, W_V))
    heads = [
        oracle.attention(head_of(q, h), head_of(k, h // 2), head_of(v, h // 2), visible=visible) for h in range(4)
    ]
    concatenated = [[x for head in heads for x in head[i]] for i in range(len(X))]
    return concatenated, oracle.times(concatenated, W_O)


def layer_matrices():
    """W_K carries the factor that makes the scaled scores whole multiples of ln 2: heads are 2 wide."""
    w_q, w_k, w_v, w_o = (np.array(w, float) for w in (W_Q, W_K, W_V, W_O))
    return w_q, w_k * LN2 * np.sqrt(2), w_v, w_o


def layer(multi_head):
    result = multi_head(np.array(X, float), *layer_matrices(), n_heads=4, n_kv_heads=2)
    same(result, multi_head_answer()[1])


def causal_layer(multi_head):
    result = multi_head(np.array(X, float), *layer_matrices(), n_heads=4, n_kv_heads=2, causal=True)
    same(result, multi_head_answer(visible=oracle.causal(3, 3, "start"))[1])


LAYER = [layer, causal_layer]
