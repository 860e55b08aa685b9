"""What readers may hand in: a right solution of each exercise, and the usual mistakes.

Plain loops and fractions, or plain NumPy where the shape is the point; nothing of attn.
"""

import math
from fractions import Fraction

import numpy as np

# Steps that several attempts share.


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def table_of_dots(q, k):
    return [[dot(row, other) for other in k] for row in q]


def shares(row, visible=None):
    """Softmax of one row by hand."""
    visible = [True] * len(row) if visible is None else visible
    seen = [score for score, may in zip(row, visible) if may]
    if not seen:
        return [0.0] * len(row)
    exponentials = [math.exp(score - max(seen)) if may else 0.0 for score, may in zip(row, visible)]
    return [e / sum(exponentials) for e in exponentials]


def blend(weights, v):
    """One row of the output: each column of v, weighted."""
    return [dot(weights, column) for column in zip(*v)]


def plain_softmax(scores, axis=-1):
    scores = np.asarray(scores, float)
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def plain_attention(q, k, v, *, scale=None, hidden=None, axis=-1, after=False):
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if hidden is not None and not after:
        scores = np.where(hidden, -np.inf, scores)
    weights = plain_softmax(scores, axis)
    if hidden is not None and after:
        weights = np.where(hidden, 0, weights)
    return weights @ v


def view(x, n_heads):
    """The reshape trap: no transpose."""
    return x.reshape(n_heads, len(x), -1)


def split(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=1))


def layer(x, w_q, w_k, w_v, w_o, n_heads, *, cut=split, scale=None, axis=-1, join=np.hstack):
    q, k, v = (cut(x @ w, n_heads) for w in (w_q, w_k, w_v))
    heads = [plain_attention(*head, scale=scale, axis=axis) for head in zip(q, k, v)]
    return join(heads) @ w_o


# Right solutions.


def most_like(x):
    found = []
    for i, row in enumerate(x):
        others = [j for j in range(len(x)) if j != i]
        found.append(max(others, key=lambda j: dot(row, x[j])))
    return found


def project(x, *matrices):
    return tuple([[dot(row, column) for column in w.T] for row in x] for w in matrices)


def sizes(n, d_model, d, d_v):
    return d_model * d + d_model * d + d_model * d_v, n**2


def softmax(scores):
    return [shares(row) for row in scores]


def weights(q, k):
    return [shares([score / math.sqrt(len(q[0])) for score in row]) for row in table_of_dots(q, k)]


def attention(x, w_q, w_k, w_v):
    q, k, v = (np.array(table) for table in project(x, w_q, w_k, w_v))
    return [blend(row, v) for row in weights(q, k)]


def exact_weights(doublings):
    powers = [Fraction(2**n) if n >= 0 else Fraction(1, 2**-n) for n in doublings]
    return [power / sum(powers) for power in powers]


def value_only(q, k, v, row, new_value):
    replaced = [new_value if i == row else value for i, value in enumerate(v)]
    table = weights(q, k)
    return table, [blend(each, replaced) for each in table]


def shift_reading(weights, v, i, j, amount):
    moved = [w - amount * (n == i) + amount * (n == j) for n, w in enumerate(weights)]
    return moved, blend(moved, v)


def mask_first(scores, visible):
    return [shares(*pair) for pair in zip(scores, visible)]


def causal_end(n_query, n_key):
    earlier = n_key - n_query
    return [[j <= earlier + i for j in range(n_key)] for i in range(n_query)]


def padding(scores, lengths):
    return [
        [shares(row, [j < length for j in range(len(row))]) for row in table]
        for table, length in zip(scores, lengths)
    ]


def multi_head(x, w_q, w_k, w_v, w_o, n_heads):
    return layer(x, w_q, w_k, w_v, w_o, n_heads)


def repeat_heads(shared, n_heads):
    group = n_heads // len(shared)
    return [head for head in shared for _ in range(group)]


def cache_bytes(n_layers, n_heads, n_kv_heads, head_dim, bytes_per_number):
    keys = n_layers * n_kv_heads * head_dim * bytes_per_number
    return keys + keys


def decode_step(q, k, v, keys, values):
    keys, values = [*keys, k], [*values, v]
    scaled = [dot(q, key) / math.sqrt(len(q)) for key in keys]
    return blend(shares(scaled), values), keys, values


def newest(q, k, v):
    rows = []
    for i, query in enumerate(q):
        seen = len(k) - len(q) + i + 1
        scaled = [dot(query, key) / math.sqrt(len(query)) for key in k[:seen]]
        rows.append(blend(shares(scaled), v[:seen]))
    return rows


def permuted_inputs(output, order):
    return [output[i] for i in order]


def one_causal_layer(x, w_q, w_k, w_v):
    return newest(x @ w_q, x @ w_k, x @ w_v)


def two_layers(x, w_q, w_k, w_v):
    return one_causal_layer(np.array(one_causal_layer(x, w_q, w_k, w_v)), w_q, w_k, w_v)


def online_step(maximum, total, weighted, score, value):
    if score > maximum:
        shrink = math.exp(maximum - score)
        return score, total * shrink + 1, [w * shrink + x for w, x in zip(weighted, value)]
    extra = math.exp(score - maximum)
    return maximum, total + extra, [w + extra * x for w, x in zip(weighted, value)]


def jacobian(weights):
    return [[a * ((i == j) - b) for j, b in enumerate(weights)] for i, a in enumerate(weights)]


def back_to_scores(weights, v, d_output):
    at_weights = [dot(value, d_output) for value in v]
    mean = dot(weights, at_weights)
    return [a * (g - mean) for a, g in zip(weights, at_weights)]


SOLUTIONS = {
    "most-like": most_like,
    "project": project,
    "sizes": sizes,
    "scores": table_of_dots,
    "softmax": softmax,
    "weights": weights,
    "attention": attention,
    "exact-weights": exact_weights,
    "value-only": value_only,
    "shift-reading": shift_reading,
    "mask-first": mask_first,
    "causal-end": causal_end,
    "padding": padding,
    "empty-row": mask_first,
    "split-heads": split,
    "multi-head": multi_head,
    "repeat-heads": repeat_heads,
    "cache-bytes": cache_bytes,
    "decode-step": decode_step,
    "newest": newest,
    "permuted-inputs": permuted_inputs,
    "two-layers": two_layers,
    "online-step": online_step,
    "jacobian": jacobian,
    "back-to-scores": back_to_scores,
}


# Mistakes that need more than one expression.


def softmax_in_place(scores):
    scores -= scores.max(axis=1, keepdims=True)
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def softmax_into_whole_numbers(scores):
    result = np.zeros_like(scores)
    result[:] = plain_softmax(scores)
    return result


def without_maximum(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def maximum_of_everything(scores):
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def cosines(a, b):
    return a @ b.T / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)


def without_diagonal(table, instead):
    table = np.array(table, float)
    np.fill_diagonal(table, instead)
    return table


def value_in_place(q, k, v, row, new_value):
    v[row] = new_value
    table = weights(q, k)
    return table, np.array(table) @ v


def with_value(v, row, new_value):
    replaced = v.copy()
    replaced[row] = new_value
    return replaced


def replacing(q, k, v, row, new_value, *, key=False, value=True, column=False, shown=None):
    new_k = with_value(k, row, [new_value[0], new_value[1]]) if key else k
    new_v = with_value(v, row, new_value) if value else v
    if column:
        new_v = v.copy()
        new_v[:, row % v.shape[1]] = new_value[0]
    return weights(q, new_k), np.array(weights(q, new_k)) @ new_v


def shift_in_place(weights, v, i, j, amount):
    weights[i] -= amount
    weights[j] += amount
    return weights, weights @ v


def added_and_renormalised(weights, v, i, j, amount):
    moved = weights + amount * (np.arange(len(weights)) == j)
    moved = moved / moved.sum()
    return moved, moved @ v


def mask_in_place(scores, visible):
    scores[~visible] = -np.inf
    return plain_softmax(scores)


def mask_after(scores, visible):
    return plain_softmax(scores) * visible


def mask_after_and_renormalise(scores, visible):
    after = mask_after(scores, visible)
    return after / after.sum(axis=1, keepdims=True)


def padded(scores, visible):
    return plain_softmax(np.where(visible, scores, -np.inf))


def last_columns(x, n_heads):
    return np.stack([x[:, h::n_heads] for h in range(n_heads)])


def cached_without_itself(q, k, v, keys, values):
    if not len(keys):
        return v, [k], [v]
    return plain_attention(q[None], keys, values)[0], np.vstack([keys, k]), np.vstack([values, v])


def cached(q, k, v, keys, values, **options):
    keys, values = np.vstack([keys, k]), np.vstack([values, v])
    return (
        plain_attention(q[None], keys, options.pop("read", lambda k, v: v)(keys, values), **options)[0],
        keys,
        values,
    )


def later(q, k, offset):
    return ~np.tri(len(q), len(k), offset, dtype=bool)


def online_forgetting(*what):
    """Online softmax in which the old sums named are not brought to the new maximum."""

    def step(maximum, total, weighted, score, value):
        larger = max(maximum, score)
        shrink, new = np.exp(maximum - larger), np.exp(score - larger)
        old_total = total if "total" in what else total * shrink
        old_weighted = weighted if "weighted" in what else weighted * shrink
        return larger, old_total + new, old_weighted + new * value

    return step


def online_with_inverse_factor(maximum, total, weighted, score, value):
    larger = max(maximum, score)
    factor, new = np.exp(min(larger - maximum, 700)), np.exp(score - larger)
    return larger, total * factor + new, weighted * factor + new * value


def online_in_place(maximum, total, weighted, score, value):
    larger = max(maximum, score)
    weighted *= np.exp(maximum - larger)
    weighted += np.exp(score - larger) * value
    return larger, total * np.exp(maximum - larger) + np.exp(score - larger), weighted


def online_normalised(*arguments):
    maximum, total, weighted = online_step(*arguments)
    return maximum, total, np.array(weighted) / total


def layers(x, w_q, w_k, w_v, first, second, residual=False):
    def one(x, causal):
        hidden = later(x, x, 0) if causal else None
        return plain_attention(x @ w_q, x @ w_k, x @ w_v, hidden=hidden) + (x if residual else 0)

    return one(one(x, first), second)


MISTAKES = {
    "most-like": {
        "itself counted": lambda x: (x @ x.T).argmax(axis=1),
        "itself set to 0": lambda x: without_diagonal(x @ x.T, 0).argmax(axis=1),
        "cosine": lambda x: without_diagonal(cosines(x, x), -2).argmax(axis=1),
        "least alike": lambda x: without_diagonal(x @ x.T, 99).argmin(axis=1),
        "size without sign": lambda x: without_diagonal(abs(x @ x.T), -1).argmax(axis=1),
        "counted from 1": lambda x: np.array(most_like(x)) + 1,
        "nearest row": lambda x: without_diagonal(((x[:, None] - x) ** 2).sum(-1), 99).argmin(axis=1),
        "the products themselves": lambda x: without_diagonal(x @ x.T, -99).max(axis=1),
    },
    "project": {
        "transposed matrices": lambda x, w_q, w_k, w_v: (x @ w_q.T, x @ w_k.T, x @ w_v.T),
        "matrix first": lambda x, w_q, w_k, w_v: (w_q @ x.T, w_k @ x.T, w_v @ x.T),
        "K and V swapped": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_v, x @ w_k),
        "all by W_Q": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_q, x @ w_q),
        "no projection": lambda x, w_q, w_k, w_v: (x, x, x),
        "added up": lambda x, w_q, w_k, w_v: x @ w_q + x @ w_k,
        "one after another": lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_q @ w_k, x @ w_q @ w_k @ w_v),
    },
    "sizes": {
        "parameters for each position": lambda n, d_model, d, d_v: (n * d_model * (2 * d + d_v), n * n),
        "values as wide as keys": lambda n, d_model, d, d_v: (3 * d_model * d, n * n),
        "Q forgotten": lambda n, d_model, d, d_v: (d_model * (d + d_v), n * n),
        "scores of different positions only": lambda n, d_model, d, d_v: (d_model * (2 * d + d_v), n * (n - 1)),
        "size of Q": lambda n, d_model, d, d_v: (d_model * (2 * d + d_v), n * d),
        "scores first": lambda n, d_model, d, d_v: (n * n, d_model * (2 * d + d_v)),
    },
    "scores": {
        "transposed scores": lambda q, k: k @ q.T,
        "no transpose": lambda q, k: q @ k,
        "queries with queries": lambda q, k: q @ q.T,
        "keys with keys": lambda q, k: k @ k.T,
        "cosine": cosines,
        "place by place": lambda q, k: q * k,
        "scaled already": lambda q, k: q @ k.T / math.sqrt(q.shape[1]),
        "softmax already": lambda q, k: plain_softmax(q @ k.T),
        "whole numbers": lambda q, k: (q @ k.T).astype(int),
    },
    "softmax": {
        "softmax over columns": lambda scores: plain_softmax(scores, 0),
        "softmax over everything": lambda scores: plain_softmax(scores, (0, 1)),
        "divided by the sum": lambda scores: scores / scores.sum(axis=1, keepdims=True),
        "exponentials only": lambda scores: np.exp(scores - scores.max(axis=1, keepdims=True)),
        "hard maximum": lambda scores: (scores == scores.max(axis=1, keepdims=True)).astype(float),
        "powers of 2": lambda scores: plain_softmax(scores * math.log(2)),
        "whole numbers": softmax_into_whole_numbers,
        "overflow": without_maximum,
        "maximum of everything": maximum_of_everything,
        "logarithm": lambda scores: np.log(np.array(softmax(scores))),
        "in place": softmax_in_place,
        "rounded": lambda scores: np.round(softmax(scores), 4),
    },
    "weights": {
        "no √d": lambda q, k: plain_softmax(q @ k.T),
        "÷ d": lambda q, k: plain_softmax(q @ k.T / q.shape[1]),
        "× √d": lambda q, k: plain_softmax(q @ k.T * math.sqrt(q.shape[1])),
        "√ of the number of queries": lambda q, k: plain_softmax(q @ k.T / math.sqrt(len(q))),
        "√ of the number of keys": lambda q, k: plain_softmax(q @ k.T / math.sqrt(len(k))),
        "softmax over columns": lambda q, k: plain_softmax(q @ k.T / math.sqrt(q.shape[1]), 0),
        "softmax over everything": lambda q, k: plain_softmax(q @ k.T / math.sqrt(q.shape[1]), (0, 1)),
        "transposed scores": lambda q, k: plain_softmax(k @ q.T / math.sqrt(q.shape[1])),
        "√d after softmax": lambda q, k: plain_softmax(q @ k.T) / math.sqrt(q.shape[1]),
        "scaled twice": lambda q, k: plain_softmax(q @ k.T / q.shape[1] ** 0.5 / q.shape[1] ** 0.5),
        "cosine": lambda q, k: plain_softmax(cosines(q, k)),
        "scores": lambda q, k: q @ k.T / math.sqrt(q.shape[1]),
    },
    "attention": {
        "no √d": lambda x, w_q, w_k, w_v: plain_attention(x @ w_q, x @ w_k, x @ w_v, scale=1),
        "÷ d": lambda x, w_q, w_k, w_v: plain_attention(x @ w_q, x @ w_k, x @ w_v, scale=1 / w_q.shape[1]),
        "√ of the model width": lambda x, w_q, w_k, w_v: plain_attention(
            x @ w_q, x @ w_k, x @ w_v, scale=x.shape[1] ** -0.5
        ),
        "√ of the width of the values": lambda x, w_q, w_k, w_v: plain_attention(
            x @ w_q, x @ w_k, x @ w_v, scale=w_v.shape[1] ** -0.5
        ),
        "softmax over columns": lambda x, w_q, w_k, w_v: plain_attention(x @ w_q, x @ w_k, x @ w_v, axis=-2),
        "softmax over everything": lambda x, w_q, w_k, w_v: plain_attention(x @ w_q, x @ w_k, x @ w_v, axis=(-2, -1)),
        "transposed scores": lambda x, w_q, w_k, w_v: plain_attention(x @ w_k, x @ w_q, x @ w_v),
        "K read for V": lambda x, w_q, w_k, w_v: plain_attention(x @ w_q, x @ w_k, x @ w_k),
        "X read for V": lambda x, w_q, w_k, w_v: plain_attention(x @ w_q, x @ w_k, x),
        "no projections": lambda x, w_q, w_k, w_v: plain_attention(x, x, x),
        "weights only": lambda x, w_q, w_k, w_v: weights(x @ w_q, x @ w_k),
        "scores for weights": lambda x, w_q, w_k, w_v: (x @ w_q) @ (x @ w_k).T @ (x @ w_v),
        "causal": lambda x, w_q, w_k, w_v: one_causal_layer(x, w_q, w_k, w_v),
    },
    "exact-weights": {
        "floats": lambda doublings: [float(share) for share in exact_weights(doublings)],
        "fractions of floats": lambda doublings: [
            Fraction(2.0**n / sum(2.0**m for m in doublings)) for n in doublings
        ],
        "divided by the sum": lambda doublings: [Fraction(n, sum(doublings)) for n in doublings],
        "times 2": lambda doublings: [Fraction(2 * n, 2 * sum(doublings)) for n in doublings],
        "not divided": lambda doublings: [Fraction(2) ** n for n in doublings],
        "only the largest": lambda doublings: [Fraction(n == max(doublings)) for n in doublings],
        "strings": lambda doublings: [str(share) for share in exact_weights(doublings)],
    },
    "value-only": {
        "in place": value_in_place,
        "nothing replaced": lambda q, k, v, row, new_value: replacing(q, k, v, row, new_value, value=False),
        "key replaced": lambda q, k, v, row, new_value: replacing(q, k, v, row, new_value, key=True, value=False),
        "both replaced": lambda q, k, v, row, new_value: replacing(q, k, v, row, new_value, key=True),
        "column replaced": lambda q, k, v, row, new_value: replacing(q, k, v, row, new_value, column=True),
        "counted from 1": lambda q, k, v, row, new_value: replacing(q, k, v, row - 1, new_value),
        "output first": lambda q, k, v, row, new_value: value_only(q, k, v, row, new_value)[::-1],
        "no √d": lambda q, k, v, row, new_value: (
            plain_softmax(q @ k.T),
            plain_softmax(q @ k.T) @ with_value(v, row, new_value),
        ),
        "transposed scores": lambda q, k, v, row, new_value: replacing(k, q, v, row, new_value),
        "output only": lambda q, k, v, row, new_value: value_only(q, k, v, row, new_value)[1],
    },
    "shift-reading": {
        "in place": shift_in_place,
        "not taken away": lambda weights, v, i, j, amount: (
            w := weights + amount * (np.arange(len(weights)) == j),
            w @ v,
        ),
        "added, renormalised": added_and_renormalised,
        "other way round": lambda weights, v, i, j, amount: shift_reading(weights, v, j, i, amount),
        "amount as a part of the share": lambda weights, v, i, j, amount: shift_reading(
            weights, v, i, j, amount * weights[i]
        ),
        "output of the old weights": lambda weights, v, i, j, amount: (
            shift_reading(weights, v, i, j, amount)[0],
            weights @ v,
        ),
        "shares exchanged": lambda weights, v, i, j, amount: shift_reading(weights, v, i, j, weights[i] - weights[j]),
    },
    "mask-first": {
        "mask after softmax": mask_after,
        "mask after softmax, renormalised": mask_after_and_renormalise,
        "no mask": lambda scores, visible: plain_softmax(scores),
        "inverted mask": lambda scores, visible: padded(scores, ~visible),
        "score 0 for hidden": lambda scores, visible: plain_softmax(scores * visible),
        "softmax over columns": lambda scores, visible: plain_softmax(np.where(visible, scores, -np.inf), 0),
        "softmax over everything": lambda scores, visible: plain_softmax(np.where(visible, scores, -np.inf), (0, 1)),
        "hidden left out": lambda scores, visible: plain_softmax(scores[visible]),
        "in place": mask_in_place,
        "hidden 1 added": lambda scores, visible: plain_softmax(scores + visible),
        "hard maximum": lambda scores, visible: (
            np.where(visible, scores, -np.inf) == np.where(visible, scores, -np.inf).max(1, keepdims=True)
        ),
    },
    "causal-end": {
        "start for end": lambda n_query, n_key: np.tri(n_query, n_key, dtype=bool),
        "inverted mask": lambda n_query, n_key: ~np.tri(n_query, n_key, n_key - n_query, dtype=bool),
        "itself hidden": lambda n_query, n_key: np.tri(n_query, n_key, n_key - n_query - 1, dtype=bool),
        "one too many": lambda n_query, n_key: np.tri(n_query, n_key, n_key - n_query + 1, dtype=bool),
        "the future": lambda n_query, n_key: np.triu(np.ones((n_query, n_key), bool), n_key - n_query),
        "columns read": lambda n_query, n_key: np.tri(n_key, n_query, n_key - n_query, dtype=bool),
        "everything": lambda n_query, n_key: np.ones((n_query, n_key), bool),
        "0 and 1": lambda n_query, n_key: np.tri(n_query, n_key, n_key - n_query),
        "0 and minus infinity": lambda n_query, n_key: np.where(causal_end(n_query, n_key), 0, -np.inf),
        "always square": lambda n_query, n_key: np.tri(n_key, n_key, dtype=bool),
    },
    "padding": {
        "queries hidden": lambda scores, lengths: np.array(
            [[shares(row, [i < n] * len(row)) for i, row in enumerate(table)] for table, n in zip(scores, lengths)]
        ),
        "one too many": lambda scores, lengths: padding(scores, lengths + 1),
        "one too few": lambda scores, lengths: padding(scores, lengths - 1),
        "no mask": lambda scores, lengths: plain_softmax(scores),
        "inverted mask": lambda scores, lengths: padded(scores, np.arange(scores.shape[2]) >= lengths[:, None, None]),
        "padding in front": lambda scores, lengths: padded(
            scores, np.arange(scores.shape[2])[::-1] < lengths[:, None, None]
        ),
        "mask after softmax": lambda scores, lengths: (
            plain_softmax(scores) * (np.arange(scores.shape[2]) < lengths[:, None, None])
        ),
        "first length for all": lambda scores, lengths: padding(scores, [lengths[0]] * len(lengths)),
        "longest length for all": lambda scores, lengths: padding(scores, [max(lengths)] * len(lengths)),
        "score 0 for hidden": lambda scores, lengths: plain_softmax(
            scores * (np.arange(scores.shape[2]) < lengths[:, None, None])
        ),
        "softmax over columns": lambda scores, lengths: plain_softmax(
            np.where(np.arange(scores.shape[2]) < lengths[:, None, None], scores, -1e9), 1
        ),
        "cut off": lambda scores, lengths: [plain_softmax(table[:, :n]) for table, n in zip(scores, lengths)],
    },
    "empty-row": {
        "not a number": padded,
        "minus 1e9 added": lambda scores, visible: plain_softmax(scores + np.where(visible, 0, -1e9)),
        "minus 1e9 in place": lambda scores, visible: plain_softmax(np.where(visible, scores, -1e9)),
        "mask after softmax": mask_after,
        "zero if one row is empty": lambda scores, visible: (
            np.nan_to_num(padded(scores, visible)) * visible.any(axis=1).all()
        ),
        "itself read": lambda scores, visible: [
            shares(row, may) if any(may) else np.eye(len(row))[i % len(row)]
            for i, (row, may) in enumerate(zip(scores, visible))
        ],
        "rows left out": lambda scores, visible: [shares(row, may) for row, may in zip(scores, visible) if any(may)],
        "inverted mask": lambda scores, visible: [shares(row, ~may) for row, may in zip(scores, visible)],
    },
    "split-heads": {
        "view without transpose": view,
        "axes not exchanged": lambda x, n_heads: x.reshape(len(x), n_heads, -1),
        "last two axes exchanged": lambda x, n_heads: split(x, n_heads).swapaxes(1, 2),
        "every other column": last_columns,
        "heads in reverse": lambda x, n_heads: split(x, n_heads)[::-1],
        "positions split": lambda x, n_heads: np.array_split(x, n_heads, axis=0),
        "heads for widths": lambda x, n_heads: split(x, x.shape[1] // n_heads),
        "columns transposed first": lambda x, n_heads: x.T.reshape(n_heads, len(x), -1),
        "first head only": lambda x, n_heads: split(x, n_heads)[0],
    },
    "multi-head": {
        "√ of the model width": lambda *layer_of: layer(*layer_of, scale=layer_of[0].shape[1] ** -0.5),
        "√ of all heads together": lambda *layer_of: layer(*layer_of, scale=layer_of[1].shape[1] ** -0.5),
        "no √d": lambda *layer_of: layer(*layer_of, scale=1),
        "÷ d": lambda *layer_of: layer(*layer_of, scale=layer_of[5] / layer_of[1].shape[1]),
        "view without transpose": lambda *layer_of: layer(*layer_of, cut=view),
        "every other column": lambda *layer_of: layer(*layer_of, cut=last_columns),
        "joined without transpose": lambda *layer_of: layer(
            *layer_of, join=lambda heads: np.reshape(heads, (len(layer_of[0]), -1))
        ),
        "heads in reverse": lambda *layer_of: layer(*layer_of, join=lambda heads: np.hstack(heads[::-1])),
        "heads averaged": lambda *layer_of: layer(
            *layer_of, join=lambda heads: np.hstack([np.mean(heads, axis=0)] * len(heads))
        ),
        "one big head": lambda x, w_q, w_k, w_v, w_o, n_heads: layer(x, w_q, w_k, w_v, w_o, 1),
        "no output projection": lambda x, w_q, w_k, w_v, w_o, n_heads: layer(
            x, w_q, w_k, w_v, np.eye(len(w_o)), n_heads
        ),
        "output projection transposed": lambda x, w_q, w_k, w_v, w_o, n_heads: layer(
            x, w_q, w_k, w_v, w_o.T, n_heads
        ),
        "softmax over columns": lambda *layer_of: layer(*layer_of, axis=-2),
        "softmax over everything": lambda *layer_of: layer(*layer_of, axis=(-2, -1)),
        "transposed scores": lambda x, w_q, w_k, w_v, w_o, n_heads: layer(x, w_k, w_q, w_v, w_o, n_heads),
        "K read for V": lambda x, w_q, w_k, w_v, w_o, n_heads: layer(x, w_q, w_k, w_k, w_o, n_heads),
        "residual added": lambda *layer_of: layer(*layer_of) + np.resize(layer_of[0], layer(*layer_of).shape),
    },
    "repeat-heads": {
        "tile for repeat": lambda shared, n_heads: np.tile(shared, (n_heads // len(shared), 1, 1)),
        "positions repeated": lambda shared, n_heads: np.repeat(shared, n_heads // len(shared), axis=1),
        "everything repeated n_heads times": lambda shared, n_heads: np.repeat(shared, n_heads, axis=0),
        "only the first shared": lambda shared, n_heads: [shared[0]] * n_heads,
        "averaged": lambda shared, n_heads: [shared.mean(axis=0)] * n_heads,
        "in reverse": lambda shared, n_heads: repeat_heads(shared[::-1], n_heads),
        "left as it is": lambda shared, n_heads: shared,
    },
    "cache-bytes": {
        "K only": lambda n_layers, n_heads, n_kv_heads, head_dim, size: n_layers * n_kv_heads * head_dim * size,
        "query heads": lambda n_layers, n_heads, n_kv_heads, head_dim, size: 2 * n_layers * n_heads * head_dim * size,
        "one layer": lambda n_layers, n_heads, n_kv_heads, head_dim, size: 2 * n_kv_heads * head_dim * size,
        "numbers, not bytes": lambda n_layers, n_heads, n_kv_heads, head_dim, size: (
            2 * n_layers * n_kv_heads * head_dim
        ),
        "Q cached too": lambda n_layers, n_heads, n_kv_heads, head_dim, size: (
            n_layers * (2 * n_kv_heads + n_heads) * head_dim * size
        ),
        "bits": lambda *shape: 8 * cache_bytes(*shape),
        "kilobytes": lambda *shape: cache_bytes(*shape) / 1024,
        "off by one": lambda *shape: cache_bytes(*shape) + 1,
    },
    "decode-step": {
        "itself not read": cached_without_itself,
        "cache not kept": lambda q, k, v, keys, values: (decode_step(q, k, v, keys, values)[0], keys, values),
        "new row in front": lambda q, k, v, keys, values: (
            decode_step(q, k, v, keys, values)[0],
            np.vstack([k, keys]),
            np.vstack([v, values]),
        ),
        "K read for V": lambda *new: cached(*new, read=lambda k, v: k),
        "no √d": lambda *new: cached(*new, scale=1),
        "÷ d": lambda *new: cached(*new, scale=1 / len(new[0])),
        "√ of the number of keys": lambda *new: cached(*new, scale=(len(new[3]) + 1) ** -0.5),
        "query cached for key": lambda q, k, v, keys, values: cached(q, q, v, keys, values),
        "only itself read": lambda q, k, v, keys, values: (v, np.vstack([keys, k]), np.vstack([values, v])),
        "output with an axis too many": lambda *new: (cached(*new)[0][None], *cached(*new)[1:]),
    },
    "newest": {
        "start for end": lambda q, k, v: plain_attention(q, k, v, hidden=later(q, k, 0)),
        "no mask": plain_attention,
        "itself hidden": lambda q, k, v: plain_attention(
            q, k, v, hidden=later(q, k, len(k) - len(q) - 1) & ~(np.arange(len(k)) == 0)
        ),
        "inverted mask": lambda q, k, v: plain_attention(q, k, v, hidden=~later(q, k, len(k) - len(q) - 1)),
        "mask after softmax": lambda q, k, v: plain_attention(
            q, k, v, hidden=later(q, k, len(k) - len(q)), after=True
        ),
        "no √d": lambda q, k, v: plain_attention(q, k, v, scale=1, hidden=later(q, k, len(k) - len(q))),
        "K read for V": lambda q, k, v: plain_attention(q, k, k, hidden=later(q, k, len(k) - len(q))),
        "older keys dropped": lambda q, k, v: newest(q, k[-len(q) :], v[-len(q) :]),
        "newest row only": lambda q, k, v: newest(q, k, v)[-1],
    },
    "permuted-inputs": {
        "way back": lambda output, order: output[np.argsort(order)],
        "left as it is": lambda output, order: output,
        "reversed": lambda output, order: output[::-1],
        "columns too": lambda output, order: output[order][:, ::-1],
        "sorted": lambda output, order: np.sort(output, axis=0),
        "in place": lambda output, order: output.__setitem__(slice(None), output[order]) or output,
    },
    "two-layers": {
        "no mask": lambda *given: layers(*given, False, False),
        "first layer masked": lambda *given: layers(*given, True, False),
        "second layer masked": lambda *given: layers(*given, False, True),
        "one layer": one_causal_layer,
        "three layers": lambda x, *w: two_layers(np.array(one_causal_layer(x, *w)), *w),
        "residual added": lambda *given: layers(*given, True, True, residual=True),
        "X read again for K and V": lambda x, w_q, w_k, w_v: newest(
            np.array(one_causal_layer(x, w_q, w_k, w_v)) @ w_q, x @ w_k, x @ w_v
        ),
        "K and V kept": lambda x, w_q, w_k, w_v: newest(
            np.array(one_causal_layer(x, w_q, w_k, w_v)) @ w_q,
            np.array(one_causal_layer(x, w_q, w_k, w_v)) @ w_k,
            x @ w_v,
        ),
    },
    "online-step": {
        "old sums kept": online_forgetting("total", "weighted"),
        "old total kept": online_forgetting("total"),
        "old weighted sum kept": online_forgetting("weighted"),
        "inverse factor": online_with_inverse_factor,
        "maximum kept": lambda m, total, weighted, score, value: (
            m,
            total + np.exp(score - m),
            weighted + np.exp(score - m) * value,
        ),
        "newest score for maximum": lambda m, total, weighted, score, value: (
            score,
            total * np.exp(m - score) + 1,
            weighted * np.exp(m - score) + value,
        ),
        "no maximum": lambda m, total, weighted, score, value: (
            max(m, score),
            total + np.exp(score),
            weighted + np.exp(score) * value,
        ),
        "divided already": online_normalised,
        "mean of the maxima": lambda m, *rest: ((m + rest[2]) / 2, *online_step(m, *rest)[1:]),
        "in place": online_in_place,
    },
    "jacobian": {
        "diagonal only": lambda weights: np.diag(weights * (1 - weights)),
        "products only": lambda weights: -np.outer(weights, weights),
        "weights on the diagonal": lambda weights: np.diag(weights),
        "sign": lambda weights: -np.array(jacobian(weights)),
        "rates of a single weight": lambda weights: weights * (1 - weights),
        "products added": lambda weights: np.diag(weights) + np.outer(weights, weights),
        "positive off the diagonal": lambda weights: abs(np.array(jacobian(weights))),
    },
    "back-to-scores": {
        "no softmax": lambda weights, v, d_output: v @ d_output,
        "mean not taken off": lambda weights, v, d_output: weights * (v @ d_output),
        "plain mean taken off": lambda weights, v, d_output: weights * (v @ d_output - (v @ d_output).mean()),
        "mean taken off twice": lambda weights, v, d_output: v @ d_output - weights @ v @ d_output,
        "sign": lambda weights, v, d_output: -np.array(back_to_scores(weights, v, d_output)),
        "to the values": lambda weights, v, d_output: np.outer(weights, d_output),
        "values added up": lambda weights, v, d_output: weights * v.sum(axis=1),
    },
}
