"""The arithmetic of the interactive figures, run by Node, against attn: equal to 1e-12.

Node gets all cases at once, as one list of calls, and answers with one list of results.
"""

import itertools

import numpy as np
import pytest
from in_node import NODE, node

import attn
from attn import lessons

RNG = np.random.default_rng(5)

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

def table(answer) -> np.ndarray:
    """An answer as an array; "Infinity" and "NaN" become what they name."""
    return np.array(answer, dtype=float)


def same(answer, right) -> bool:
    right = np.asarray(right, dtype=float)
    return table(answer).shape == right.shape and np.allclose(table(answer), right, rtol=1e-12, atol=1e-12, equal_nan=True)


def traces() -> dict:
    """Name → (q, k, v, options of `trace`)."""
    three, words = lessons.three_positions(), lessons.three_words().trace()
    start = three.trace()
    first, second = (lessons.addition(sentence=n).trace() for n in (1, 2))
    cases = {
        "three positions": (start.q, start.k, start.v, {}),
        "causal": (start.q, start.k, start.v, {"visible": attn.causal_mask(3)}),
        "directed": (*_qkv(lessons.three_positions_directed().trace()), {}),
        "three words, unscaled": (*_qkv(words), {"scale": 1.0}),
        "addition": (*_qkv(first), {}),
        "second sentence": (*_qkv(second), {}),
    }
    for n_query, n_key, d, d_v in [(1, 1, 1, 1), (4, 4, 3, 3), (2, 7, 5, 3), (6, 6, 512, 8)]:
        q, k, v = RNG.normal(size=(n_query, d)), RNG.normal(size=(n_key, d)), RNG.normal(size=(n_key, d_v))
        name = f"{n_query} × {n_key}, {d} wide"
        cases[name] = (q, k, v, {})
        cases[f"{name}, masked"] = (q, k, v, {"visible": RNG.random((n_query, n_key)) < 0.5})
        cases[f"{name}, biased"] = (q, k, v, {"bias": RNG.normal(size=(n_query, n_key)), "scale": 0.7})
    q, k, v = RNG.normal(size=(3, 3, 4))
    cases["nothing visible"] = (q, k, v, {"visible": np.zeros((3, 3), dtype=bool)})
    cases["huge scores"] = (1e5 * q, 1e5 * k, v, {})
    cases["tiny scores"] = (1e-200 * q, 1e-200 * k, v, {})
    cases["zeros"] = (0 * q, 0 * k, v, {})
    return cases


def _qkv(steps):
    return steps.q, steps.k, steps.v


TRACES = traces()


@pytest.fixture(scope="module")
def traced():
    """Name → (answer of `trace`, the Trace of attn)."""
    answers = node("attention.js", [["trace", *case] for case in TRACES.values()])
    rights = [attn.trace(q, k, v, **options) for q, k, v, options in TRACES.values()]
    return dict(zip(TRACES, zip(answers, rights)))


@pytest.mark.parametrize("name", TRACES)
def test_every_step_of_a_trace(traced, name):
    answer, right = traced[name]
    steps = ("scores", "scaled", "masked", "weights", "output")
    wrong = [step for step in steps if not same(answer[step], getattr(right, step))]
    assert wrong == []


def test_the_comparison_sees_a_difference(traced):
    answer, right = traced["addition"]
    assert same(answer["output"], right.output)
    assert not same(answer["output"], right.output + 1e-10)
    assert not same(answer["output"], right.output[:5])
    assert not same(answer["weights"], lessons.addition().trace(scale=1).weights)


EXTREME_ROWS = [
    [0.0, np.log(2), np.log(5)],
    [1000.0, 1000.0 + np.log(3)],
    [-1e308, 1e308],
    [-np.inf, -np.inf],
    [-np.inf, 0.0, 1.0],
    [np.nan, 1.0],
    [np.inf, 1.0],
    [5e-324, 0.0],
    [7.0],
]


def test_softmax_of_extremes():
    rows = [*EXTREME_ROWS, [np.nan, 1.0, 2.0], [1.0, 2.0]]
    masks = [None] * len(EXTREME_ROWS) + [[False, True, True], [False, False]]
    answers = node("attention.js", [["softmax", row, mask] for row, mask in zip(rows, masks)])
    for row, mask, answer in zip(rows, masks, answers):
        with np.errstate(invalid="ignore"):  # infinity less infinity
            assert same(answer, attn.softmax(row, visible=mask)), row


def test_heads_share_keys_and_values():
    q = RNG.normal(size=(6, 4, 3))
    for n_kv_heads in (1, 2, 3, 6):
        k, v = RNG.normal(size=(2, n_kv_heads, 4, 3))
        visible = attn.causal_mask(4)
        right = attn.attention(q, k, v, visible=visible)
        (answer,) = node("attention.js", [["traceHeads", q, k, v, {"visible": visible}]])
        assert same([head["output"] for head in answer], right)
        tiled = attn.attention(q, np.tile(k, (6 // n_kv_heads, 1, 1)), np.tile(v, (6 // n_kv_heads, 1, 1)), visible=visible)
        if n_kv_heads in (2, 3):
            assert not same([head["output"] for head in answer], tiled)


def test_masks():
    calls, rights = [], []
    for queries, keys in [(1, 8), (3, 3), (2, 6), (6, 2), (5, 5)]:
        for align in ("end", "start"):
            calls.append(["causalMask", queries, keys, align])
            rights.append(attn.causal_mask(queries, keys, align=align))
            for left, right in [(0, 0), (2, 0), (1, 3)]:
                calls.append(["windowMask", queries, keys, {"left": left, "right": right, "align": align}])
                rights.append(attn.window_mask(queries, keys, left=left, right=right, align=align))
        for real in range(keys + 1):
            padding = np.broadcast_to(attn.padding_mask(real, keys), (queries, keys))
            calls += [["paddingMask", real, queries, keys], ["paddingMask", real, queries, keys, True]]
            rights += [padding, padding[:, ::-1]]
    causal, padding = attn.causal_mask(4), np.broadcast_to(attn.padding_mask(2, 4), (4, 4))
    calls.append(["both", causal, padding])
    rights.append(causal & padding)
    for call, answer, right in zip(calls, node("attention.js", calls), rights):
        assert answer == right.tolist(), call


def test_what_deleting_after_softmax_leaves():
    # Chapter 08: 1/5 and 2/5 are left, which is 3/5; renormalised 1/3 and 2/3.
    weights, visible = [1 / 5, 2 / 5, 2 / 5], [True, True, False]
    kept, shared = node("attention.js", [["deleted", weights, visible], ["renormalised", [1 / 5, 2 / 5, 0]]])
    assert same(kept, [1 / 5, 2 / 5, 0])
    assert same(shared, [1 / 3, 2 / 3, 0])
    assert same(node("attention.js", [["renormalised", [0, 0]]])[0], [0, 0])


@pytest.mark.parametrize("block", [1, 2, 3, 5])
def test_streaming_steps(block):
    q, k, v = RNG.normal(size=(3, 5, 4))
    q = q[:1]
    hidden = np.array([[False, False, True, True, False]])  # the first blocks may see nothing
    cases = [{}, {"visible": hidden}, {"visible": np.zeros((1, 5), dtype=bool)}, {"scale": 200.0}]
    masked = [attn.trace(q, k, v, **options).masked[0] for options in cases]
    answers = node("attention.js", [["streamingSteps", row, v, block] for row in masked])
    for options, answer in zip(cases, answers):
        steps = list(attn.streaming_steps(q, k, v, block=block, **options))
        assert [(one["start"], one["end"]) for one in answer] == [(s.keys.start, s.keys.stop) for s in steps]
        for name in ("maximum", "total", "weighted", "output"):
            assert same([one[name] for one in answer], [getattr(step, name)[0] for step in steps]), name
        assert same(answer[-1]["output"], attn.attention(q, k, v, **options)[0])


class Counted:
    """A number that counts the multiplications it takes part in."""

    count = 0

    def __mul__(self, other):
        Counted.count += 1
        return self

    def __add__(self, other):
        return self


def counted(*shape):
    return np.full(shape, Counted(), dtype=object)


def test_multiplications_are_those_that_matrix_products_do():
    width, d, d_v = 3, 4, 2
    calls, rights = [], []
    for rows, keys in [(1, 1), (1, 5), (3, 3)]:
        Counted.count = 0
        x = counted(rows, width)
        q = x @ counted(width, d)
        x @ counted(width, d), x @ counted(width, d_v)
        q @ counted(d, keys)
        counted(rows, keys) @ counted(keys, d_v)
        calls.append(["multiplications", rows, rows * keys, {"input": width, "key": d, "value": d_v}])
        rights.append(Counted.count)
    assert node("attention.js", calls) == rights


def test_jacobian_and_its_norm():
    rows = [[1 / 4, 1 / 4, 1 / 2], [1.0, 0.0], [1 / 6] * 6, attn.softmax(RNG.normal(size=8) * 5).tolist()]
    answers = node("attention.js", [["jacobian", row] for row in rows])
    norms = node("attention.js", [["jacobianNorm", row] for row in rows])
    for row, answer, norm in zip(rows, answers, norms):
        assert same(answer, attn.softmax_jacobian(row))
        assert same(norm, np.linalg.norm(attn.softmax_jacobian(row)))


def test_the_way_back(traced):
    given = {name: RNG.normal(size=right.output.shape) for name, (_, right) in traced.items()}
    calls = [["backward", given[name], answer] for name, (answer, _) in traced.items()]
    for (name, (_, right)), back in zip(traced.items(), node("attention.js", calls)):
        gradients = attn.attention_backward(given[name], right)
        for step in ("v", "weights", "scaled", "q", "k"):
            assert same(back[step], getattr(gradients, step)), (name, step)


def test_random_numbers_are_normal_and_the_same_for_a_seed():
    count = 20_000
    drawn = node("attention.js", [["normals", seed] for seed in (1, 1, 2, 0)], times=count)
    first, again, other, zero = (table(row) for row in drawn)
    assert (first == again).all()
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.03
    for row in (first, other, zero):
        # Five standard errors, for each of the first four moments of the normal distribution.
        moments = [(row**power).mean() for power in (1, 2, 3, 4)]
        errors = 5 * np.sqrt(np.array([1, 2, 15, 96]) / count)
        assert (np.abs(np.array(moments) - [0, 1, 0, 3]) < errors).all()
        assert abs(np.corrcoef(row[:-1], row[1:])[0, 1]) < 5 / np.sqrt(count)


def test_tables_are_added():
    one, other = RNG.normal(size=(2, 4, 3))
    assert same(node("attention.js", [["plus", one, other]])[0], one + other)


def test_which_query_head_reads_which_kv_head():
    cases = [(heads, kv) for heads in (1, 4, 12, 28) for kv in range(1, heads + 1) if heads % kv == 0]
    for (heads, kv), right in zip(cases, node("attention.js", [["repeated", *case] for case in cases])):
        assert same(right, attn.repeat_heads(np.arange(kv).reshape(-1, 1, 1), heads).ravel())
    for (heads, kv), wrong in zip(cases, node("attention.js", [["tiled", *case] for case in cases])):
        assert same(wrong, np.tile(np.arange(kv), heads // kv))


def test_bytes_of_the_cache():
    models = (attn.models.QWEN2_5_7B, attn.models.QWEN3_0_6B, attn.models.TRANSFORMER_BASE)
    for model, number in itertools.product(models, (1, 2, 4)):
        shape = {"layers": model.n_layers, "kvHeads": model.n_kv_heads, "headDim": model.head_dim, "bytes": number}
        answer = node("attention.js", [["cacheBytesPerToken", shape]])
        assert answer == [model.cache_bytes_per_token(bytes_per_number=number)]


def test_numbers_are_written_as_in_the_still_figures():
    from attn.figures.numbers import as_fraction, decimal, shares, vector

    values = [0.0, -0.0, 1.0, -1.5, 1 / 3, 2 / 3, 0.125, 0.375, -0.125, 2.675, 1.005, 0.145, 1e-4, -0.001, 1234.5, 5 / 12, 1 / 13, 4.052]
    decimals = node("format.js", [["decimal", value] for value in values])
    assert decimals == [decimal(value) for value in values]
    zeros = node("format.js", [["decimal", value, 3, {"trim": False}] for value in values])
    assert zeros == [decimal(value, 3, trim=False) for value in values]
    assert node("format.js", [["decimal", np.inf], ["decimal", -np.inf]]) == [decimal(np.inf), decimal(-np.inf)]
    fractions = node("format.js", [["fraction", value] for value in values])
    rights = [as_fraction(value) for value in values]
    assert fractions == [right if right is None else str(right).replace("-", "−") for right in rights]
    for row in ([0.25, 0.25, 0.5], [0.21, 0.79], [0.0, 1.0], [1 / 3, 2 / 3, 0]):
        assert node("format.js", [["shares", row]])[0] == shares(row).tolist()
    assert node("format.js", [["vector", [1.5, 0.75, -2]]]) == [vector([1.5, 0.75, -2])]


def test_the_laboratory_measures_weights_as_attn_does():
    for d, seed in [(1, 1), (16, 2), (128, 3)]:
        scores, measured = node("lab.js", [["drawScores", d, seed], ["measureWeights", d, seed, 0.9]])
        scores = np.array(scores)
        assert scores.shape == (100, 6, 6)
        # 3600 scores, of which those of a table are not quite independent.
        assert scores.std() == pytest.approx(np.sqrt(d), rel=0.15)
        for name, scale in _scales(d).items():
            weights = attn.softmax(scores * scale)
            largest = weights.max(axis=-1)
            answer = measured[name]
            assert same(answer["row"], weights[0, 0])
            assert same(answer["spread"], (scores * scale).std())
            assert same(answer["expected"], np.sqrt(d) * scale)
            assert same(answer["largest"], largest.mean())
            assert same(answer["sharp"], (largest > 0.9).mean())


def test_the_laboratory_measures_gradients_as_attn_does():
    for d, seed in [(8, 1), (128, 2)]:
        layer, measured = node("lab.js", [["drawLayer", d, seed], ["measureGradients", d, seed, 0.05]])
        x, w_q, w_k, w_v, back = (np.array(layer[name]) for name in ("x", "wQ", "wK", "wV", "back"))
        for name, scale in _scales(d).items():
            steps = attn.trace(x @ w_q, x @ w_k, x @ w_v, scale=float(scale))
            gradients = attn.attention_backward(back, steps)
            norms = np.linalg.norm(attn.softmax_jacobian(steps.weights), axis=(-2, -1))
            queries = np.sort(np.linalg.norm(gradients.q, axis=-1), axis=None)
            answer = measured[name]
            assert same(answer["largest"], steps.weights.max(axis=-1).mean())
            assert same(answer["faded"], (norms < 0.05).mean())
            assert same(answer["median"], np.median(queries))
            assert same(answer["loudest"], queries[-30:].sum() / queries.sum())
            assert same(answer["wQ"], np.linalg.norm(attn.projection_gradient(x, gradients.q)))
            assert same(answer["wV"], np.linalg.norm(attn.projection_gradient(x, gradients.v)))


def _scales(d):
    return {"raw": 1, "root": 1 / np.sqrt(d), "full": 1 / d}
