"""Bad input: the message names the argument, says what came and what would fit."""

import inspect
import re

import numpy as np
import pytest

import attn
from attn import lessons, models

ROWS = np.ones((3, 2))
STEPS = attn.trace(ROWS, ROWS, ROWS)
HEAD = attn.SelfAttention(np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)))
LAYER = attn.MultiHeadAttention(np.ones((2, 4)), np.ones((2, 4)), np.ones((2, 4)), np.ones((4, 2)), n_heads=2)


def cache(k=ROWS, v=ROWS):
    held = attn.KVCache()
    held.append(k, v)
    return held


NOT_NUMBERS = [
    (np.ones((3, 2), bool), TypeError, "real numbers", "bool"),
    (np.ones((3, 2), complex), TypeError, "real numbers", "complex128"),
    ([["a", "b"]], TypeError, "real numbers", "<U1"),
    ([[None, 1]], TypeError, "real numbers", "object"),
    ([[1, 2], [3]], ValueError, "rows of equal length", "inhomogeneous"),
    (None, TypeError, "real numbers", "object"),
]
NOT_INTEGERS = [
    (1.0, TypeError, "an integer", "1.0"),
    ("2", TypeError, "an integer", "'2'"),
    (True, TypeError, "an integer", "True"),
]


def wrong(function, argument, value, error, *words, **others):
    """One row of the table: calling ``function`` with this value must fail with these words."""
    name = f"{name_of(function)}-{argument}-{words[-1]}"
    return pytest.param(function, others | {argument: value}, error, (argument, *words), id=name)


def name_of(function):
    owner = getattr(function, "__self__", None)
    return f"{type(owner).__name__}.{function.__name__}" if owner is not None else function.__name__


def all_wrong(function, argument, values, **others):
    return [wrong(function, argument, *row, **others) for row in values]


def attention_like(function):
    """The same table for attention, trace and both streaming functions."""
    fine = {"q": ROWS, "k": ROWS, "v": ROWS}
    for name in "qkv":
        yield from all_wrong(function, name, NOT_NUMBERS, **fine)
        yield wrong(function, name, np.ones(2), ValueError, "at least 2 axes", "(2,)", **fine)
        yield wrong(function, name, 1.0, ValueError, "at least 2 axes", "()", **fine)
    yield wrong(function, "q", np.ones((3, 4)), ValueError, "k", "same width", "(3, 2)", "(3, 4)", **fine)
    yield wrong(function, "k", np.ones((3, 4)), ValueError, "q", "same width", "(3, 2)", "(3, 4)", **fine)
    yield wrong(function, "k", np.ones((4, 2)), ValueError, "v", "same number of rows", "(3, 2)", "(4, 2)", **fine)
    yield wrong(function, "v", np.ones((4, 2)), ValueError, "k", "same number of rows", "(3, 2)", "(4, 2)", **fine)
    yield wrong(function, "v", np.ones((1, 2)), ValueError, "k", "same number of rows", "(3, 2)", "(1, 2)", **fine)
    none = np.ones((3, 0))
    yield wrong(function, "q", none, ValueError, "at least 1 wide", "d = 0", "(3, 0)", **fine | {"k": none})
    heads = {"q": np.ones((4, 3, 2)), "k": np.ones((2, 3, 2)), "v": np.ones((2, 3, 2))}
    yield wrong(function, "k", np.ones((3, 3, 2)), ValueError, "v", "leading axes", "(2, 3, 2)", "(3, 3, 2)", **heads)
    yield wrong(function, "q", np.ones((3, 3, 2)), ValueError, "must divide", "K/V heads", "(3, 3, 2)", **heads)
    batch = {"k": np.ones((6, 2, 3, 2)), "v": np.ones((6, 2, 3, 2))}
    yield wrong(function, "q", np.ones((5, 4, 3, 2)), ValueError, "leading axes", "(6, 2, 3, 2)", **batch)

    for mask in (np.ones((3, 3), int), np.ones((3, 3)), [[0, 1, 1]] * 3):
        yield wrong(function, "visible", mask, TypeError, "boolean", "bias", str(np.asarray(mask).dtype), **fine)
    ragged = [[True], [True, False]]
    yield wrong(function, "visible", ragged, ValueError, "rows of equal length", "inhomogeneous", **fine)
    for shape in ((2,), (2, 3), (3, 2), (4, 3, 3), (3, 1, 3)):
        yield wrong(function, "visible", np.ones(shape, bool), ValueError, "broadcast", "(3, 3)", str(shape), **fine)
        yield wrong(function, "bias", np.ones(shape), ValueError, "broadcast", "(3, 3)", str(shape), **fine)
    yield wrong(function, "visible", np.ones((4, 3), bool), ValueError, "(1, 3)", "(4, 3)", **fine | {"q": ROWS[:1]})
    yield wrong(function, "bias", np.ones((3, 3), bool), TypeError, "real numbers", "bool", **fine)
    yield wrong(function, "bias", np.ones((3, 3), complex), TypeError, "real numbers", "complex128", **fine)

    yield wrong(function, "causal", "End", ValueError, '"start"', '"end"', "'End'", **fine)
    for value in (1, 0, None, [True], np.ones((3, 3), bool)):
        yield wrong(function, "causal", value, TypeError, '"start"', '"end"', repr(value), **fine)
    unequal = {"q": ROWS, "k": ROWS[:2], "v": ROWS[:2]}
    both = ('"end"', "decoding", '"start"', "is_causal")
    yield wrong(function, "causal", True, ValueError, "queries (3)", "keys (2)", *both, **unequal)

    for value in ("1", [1.0, 2.0], 1j, True, [[1], [1, 2]]):
        yield wrong(function, "scale", value, TypeError, "one real number", "None for 1/sqrt(d)", repr(value), **fine)
    for value in (np.nan, np.inf):
        yield wrong(function, "scale", value, ValueError, "finite", repr(value), **fine)


def block_of(function, argument):
    fine = {"q": ROWS, "k": ROWS, "v": ROWS}
    yield from all_wrong(function, argument, NOT_INTEGERS, **fine)
    yield wrong(function, argument, 0, ValueError, "at least 1", "0", **fine)
    yield wrong(function, argument, -5, ValueError, "at least 1", "-5", **fine)


def mask_like(function, **others):
    fine = {"n_query": 3, "n_key": 3} | others
    for name in ("n_query", "n_key"):
        yield from all_wrong(function, name, NOT_INTEGERS, **fine)
        yield wrong(function, name, -1, ValueError, "at least 0", "-1", **fine)
    for value in ("End", "", 1, True):
        yield wrong(function, "align", value, ValueError, '"start"', '"end"', repr(value), **fine)
    yield wrong(function, "align", None, ValueError, "queries (3)", "keys (8)", '"end"', '"start"', **fine | {"n_key": 8})


def layer_like(layer):
    """Inputs of a layer whose matrices take rows of width 2."""
    for function in (layer.__call__, layer.trace, layer.project):
        for name in ("x", "context"):
            others = {"x": ROWS} if name == "context" else {}
            values = [row for row in NOT_NUMBERS if row[0] is not None or name == "x"]
            yield from all_wrong(function, name, values, **others)
            yield wrong(function, name, np.ones(2), ValueError, "at least 2 axes", "(2,)", **others)
            yield wrong(function, name, np.ones((3, 5)), ValueError, "as wide as", "2", "(3, 5)", **others)
    for function in (layer.__call__, layer.trace):
        yield wrong(function, "visible", np.ones((3, 3)), TypeError, "boolean", "bias", x=ROWS)
        yield wrong(function, "bias", np.ones((2, 2)), ValueError, "broadcast", "(2, 2)", x=ROWS)
        yield wrong(function, "causal", "middle", ValueError, '"start"', "'middle'", x=ROWS)
        yield wrong(function, "scale", "1", TypeError, "one real number", "'1'", x=ROWS)


def matrices(function, *names, **fine):
    for name in names:
        yield from all_wrong(function, name, NOT_NUMBERS, **fine)
        yield wrong(function, name, np.ones(2), ValueError, "at least 2 axes", "(2,)", **fine)
        yield wrong(function, name, np.ones((1, 2, 2)), ValueError, "a matrix", "(1, 2, 2)", **fine)


def interventions(function):
    for value in (None, ROWS, "trace"):
        yield wrong(function, "trace", value, TypeError, "attn.Trace", type(value).__name__)
    for name in "kv":
        yield wrong(function, name, [1, 2], TypeError, "map rows to vectors", "[1, 2]", trace=STEPS)
        yield wrong(function, name, ROWS, TypeError, "map rows to vectors", "array", trace=STEPS)
        for row in (3, -4):
            yield wrong(function, name, {row: [1, 2]}, ValueError, f"a row of {name}", str(row), trace=STEPS)
        yield wrong(function, name, {1.0: [1, 2]}, TypeError, f"a row of {name}", "an integer", "1.0", trace=STEPS)
        for vector in ([1, 2, 3], [1], [[1, 2]], [[1, 2], [3, 4]]):
            shape = str(np.shape(vector))
            yield wrong(function, name, {0: vector}, ValueError, f"{name}[0]", "2 numbers", shape, trace=STEPS)
        yield wrong(function, name, {0: 1}, ValueError, f"{name}[0]", "at least 1 axes", "()", trace=STEPS)
        yield wrong(function, name, {0: ["a", "b"]}, TypeError, f"{name}[0]", "real numbers", trace=STEPS)


ROW_PAIR = {"w_q": np.ones((2, 2)), "w_k": np.ones((2, 2)), "w_v": np.ones((2, 2))}
WIDE = {"w_q": np.ones((2, 6)), "w_k": np.ones((2, 6)), "w_v": np.ones((2, 6)), "w_o": np.ones((6, 2)), "n_heads": 2}

TABLE = [
    *all_wrong(attn.softmax, "scores", NOT_NUMBERS),
    wrong(attn.softmax, "scores", 1.0, ValueError, "at least 1 axes", "()"),
    *all_wrong(attn.softmax, "axis", NOT_INTEGERS, scores=ROWS),
    wrong(attn.softmax, "axis", None, TypeError, "an integer", "None", scores=ROWS),
    wrong(attn.softmax, "axis", 2, ValueError, "from -2 to 1", "(3, 2)", "2", scores=ROWS),
    wrong(attn.softmax, "axis", -3, ValueError, "from -2 to 1", "(3, 2)", "-3", scores=ROWS),
    wrong(attn.softmax, "visible", [1, 0], TypeError, "boolean", "int64", scores=ROWS),
    wrong(attn.softmax, "visible", [True] * 3, ValueError, "broadcast", "(3, 2)", "(3,)", scores=ROWS),
    *attention_like(attn.attention),
    *attention_like(attn.trace),
    *attention_like(attn.streaming_attention),
    *attention_like(attn.streaming_steps),
    *block_of(attn.streaming_attention, "block"),
    *block_of(attn.streaming_attention, "threads"),
    *block_of(attn.streaming_steps, "block"),
    wrong(attn.streaming_steps, "block", None, TypeError, "an integer", "None", q=ROWS, k=ROWS, v=ROWS),
    *mask_like(attn.causal_mask),
    *mask_like(attn.window_mask, left=1, right=1),
    *all_wrong(attn.window_mask, "left", NOT_INTEGERS, n_query=3, right=0),
    *all_wrong(attn.window_mask, "right", NOT_INTEGERS, n_query=3, left=0),
    wrong(attn.window_mask, "left", -1, ValueError, "at least 0", "-1", n_query=3, right=0),
    wrong(attn.window_mask, "right", -2, ValueError, "at least 0", "-2", n_query=3, left=0),
    *all_wrong(attn.padding_mask, "n_key", NOT_INTEGERS, lengths=[1]),
    wrong(attn.padding_mask, "n_key", -1, ValueError, "at least 0", "-1", lengths=[0]),
    wrong(attn.padding_mask, "lengths", [1.0], TypeError, "integers", "float64", n_key=3),
    wrong(attn.padding_mask, "lengths", [True], TypeError, "integers", "bool", n_key=3),
    wrong(attn.padding_mask, "lengths", [[1], [1, 2]], ValueError, "rows of equal length", "inhomogeneous", n_key=3),
    wrong(attn.padding_mask, "lengths", [2, 4], ValueError, "from 0 to n_key = 3", "[2, 4]", n_key=3),
    wrong(attn.padding_mask, "lengths", -1, ValueError, "from 0 to n_key = 3", "-1", n_key=3),
    wrong(attn.padding_mask, "lengths", np.array([2**63 + 1], np.uint64), ValueError, "from 0", str(2**63 + 1), n_key=3),
    *all_wrong(attn.split_heads, "x", NOT_NUMBERS, n_heads=1),
    wrong(attn.split_heads, "x", np.ones(4), ValueError, "at least 2 axes", "(4,)", n_heads=1),
    *all_wrong(attn.split_heads, "n_heads", NOT_INTEGERS, x=ROWS),
    wrong(attn.split_heads, "n_heads", 0, ValueError, "at least 1", "0", x=ROWS),
    wrong(attn.split_heads, "n_heads", 4, ValueError, "divide", "2", "(3, 2)", "4", x=ROWS),
    *all_wrong(attn.merge_heads, "x", NOT_NUMBERS),
    wrong(attn.merge_heads, "x", ROWS, ValueError, "at least 3 axes", "(3, 2)"),
    *all_wrong(attn.repeat_heads, "x", NOT_NUMBERS, n_heads=1),
    wrong(attn.repeat_heads, "x", ROWS, ValueError, "at least 3 axes", "(3, 2)", n_heads=1),
    *all_wrong(attn.repeat_heads, "n_heads", NOT_INTEGERS, x=ROWS[None]),
    wrong(attn.repeat_heads, "n_heads", 0, ValueError, "at least 1", "0", x=ROWS[None]),
    wrong(attn.repeat_heads, "n_heads", 3, ValueError, "multiple", "2", "(2, 3, 2)", x=np.ones((2, 3, 2))),
    wrong(attn.repeat_heads, "n_heads", 2, ValueError, "multiple", "0", "(0, 3, 2)", x=np.ones((0, 3, 2))),
    *matrices(attn.SelfAttention, "w_q", "w_k", "w_v", **ROW_PAIR),
    wrong(attn.SelfAttention, "w_q", np.ones((2, 3)), ValueError, "w_k", "columns", "(2, 3)", **ROW_PAIR),
    wrong(attn.SelfAttention, "w_k", np.ones((2, 3)), ValueError, "w_q", "columns", "(2, 3)", **ROW_PAIR),
    wrong(attn.SelfAttention, "w_v", np.ones((3, 2)), ValueError, "w_k", "rows", "(3, 2)", **ROW_PAIR),
    *layer_like(HEAD),
    *matrices(attn.MultiHeadAttention, "w_q", "w_k", "w_v", "w_o", **WIDE),
    *all_wrong(attn.MultiHeadAttention, "n_heads", NOT_INTEGERS, **WIDE),
    *all_wrong(attn.MultiHeadAttention, "n_kv_heads", NOT_INTEGERS, **WIDE),
    wrong(attn.MultiHeadAttention, "n_heads", 0, ValueError, "at least 1", "0", **WIDE),
    wrong(attn.MultiHeadAttention, "n_kv_heads", 0, ValueError, "at least 1", "0", **WIDE),
    wrong(attn.MultiHeadAttention, "n_kv_heads", 4, ValueError, "divide n_heads", "2", "4", **WIDE),
    wrong(attn.MultiHeadAttention, "n_heads", 4, ValueError, "columns of w_q", "(2, 6)", "4", **WIDE),
    wrong(attn.MultiHeadAttention, "w_k", np.ones((2, 5)), ValueError, "columns of w_k", "(2, 5)", **WIDE),
    wrong(attn.MultiHeadAttention, "w_v", np.ones((2, 5)), ValueError, "columns of w_v", "(2, 5)", **WIDE),
    wrong(attn.MultiHeadAttention, "w_k", np.ones((2, 4)), ValueError, "equally wide", "(2, 6)", "(2, 4)", **WIDE),
    wrong(attn.MultiHeadAttention, "w_v", np.ones((3, 6)), ValueError, "w_k", "rows", "(3, 6)", **WIDE),
    wrong(attn.MultiHeadAttention, "w_o", np.ones((5, 2)), ValueError, "6 rows", "(5, 2)", **WIDE),
    *layer_like(LAYER),
    *all_wrong(cache().append, "k", NOT_NUMBERS, v=ROWS),
    *all_wrong(cache().append, "v", NOT_NUMBERS, k=ROWS),
    wrong(cache().append, "k", np.ones(2), ValueError, "at least 2 axes", "(2,)", v=ROWS),
    wrong(cache().append, "v", np.ones(2), ValueError, "at least 2 axes", "(2,)", k=ROWS),
    wrong(cache().append, "k", np.ones((1, 2)), ValueError, "same number of rows", "(1, 2)", "(3, 2)", v=ROWS),
    wrong(cache().append, "k", np.ones((3, 4)), ValueError, "(n, 2)", "(3, 4)", v=ROWS),
    wrong(cache().append, "v", np.ones((3, 4)), ValueError, "(n, 2)", "(3, 4)", k=ROWS),
    wrong(cache().append, "k", np.ones((1, 3, 2)), ValueError, "(n, 2)", "(1, 3, 2)", v=ROWS),
    wrong(cache().append, "k", ROWS.astype("f4"), TypeError, "dtype", "float64", "float32", v=ROWS),
    wrong(cache().append, "v", ROWS.astype("f4"), TypeError, "dtype", "float64", "float32", k=ROWS),
    *all_wrong(cache().attend, "q", NOT_NUMBERS),
    wrong(cache().attend, "q", np.ones((4, 2)), ValueError, "at most", "3", "(4, 2)"),
    wrong(cache().attend, "q", np.ones((1, 5)), ValueError, "same width", "(1, 5)", "(3, 2)"),
    wrong(cache().attend, "visible", [1, 0, 1], TypeError, "boolean", "bias", q=ROWS),
    wrong(cache().attend, "bias", [1.0, 0.0], ValueError, "broadcast", "(3, 3)", "(2,)", q=ROWS),
    wrong(cache().attend, "scale", "x", TypeError, "one real number", "'x'", q=ROWS),
    *all_wrong(attn.softmax_jacobian, "weights", NOT_NUMBERS),
    wrong(attn.softmax_jacobian, "weights", 0.5, ValueError, "at least 1 axes", "()"),
    *all_wrong(attn.attention_backward, "d_out", NOT_NUMBERS, trace=STEPS),
    wrong(attn.attention_backward, "d_out", np.ones((2, 2)), ValueError, "(3, 2)", "(2, 2)", trace=STEPS),
    wrong(attn.attention_backward, "trace", ROWS, TypeError, "attn.Trace", "ndarray", d_out=ROWS),
    *all_wrong(attn.projection_gradient, "x", NOT_NUMBERS, d_y=ROWS),
    *all_wrong(attn.projection_gradient, "d_y", NOT_NUMBERS, x=ROWS),
    wrong(attn.projection_gradient, "x", np.ones((2, 2)), ValueError, "d_y", "(2, 2)", "(3, 2)", d_y=ROWS),
    wrong(attn.projection_gradient, "d_y", np.ones((1, 3, 2)), ValueError, "x", "(1, 3, 2)", "(3, 2)", x=ROWS),
    *interventions(attn.intervene),
    *interventions(attn.four_ways),
    *(
        row
        for lesson in (lessons.three_positions, lessons.three_positions_directed)
        for row in (
            wrong(lesson, "x2", (1, 2, 3), ValueError, "2 numbers", "(3,)"),
            wrong(lesson, "x2", 1, ValueError, "at least 1 axes", "()"),
            wrong(lesson, "x2", "ab", TypeError, "real numbers", "<U2"),
        )
    ),
    *(wrong(lessons.addition, "sentence", value, ValueError, "1 or 2", repr(value)) for value in (0, 3, "1", None)),
    *(
        wrong(lesson.labels, "lang", value, ValueError, '"zh"', '"en"', repr(value))
        for lesson in (lessons.addition(), lessons.three_words())
        for value in ("fr", None, "ZH")
    ),
    *all_wrong(models.QWEN2_5_7B.cache_bytes_per_token, "bytes_per_number", NOT_INTEGERS),
    wrong(models.QWEN2_5_7B.cache_bytes_per_token, "bytes_per_number", 0, ValueError, "at least 1", "0"),
]


@pytest.mark.parametrize("function, arguments, error, words", TABLE)
def test_message(function, arguments, error, words):
    with pytest.raises(error) as raised:
        function(**arguments)
    assert raised.type is error  # and no subclass from inside NumPy
    message = str(raised.value)
    missing = [word for word in words if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message)]
    assert not missing, f"{missing} not in: {message}"


def test_an_empty_cache_cannot_be_attended():
    with pytest.raises(ValueError, match="cache is empty: append"):
        attn.KVCache().attend(ROWS)


def test_no_arithmetic_before_the_check():
    """The last argument is wrong, and a table of 10^16 scores was never begun."""
    x = np.broadcast_to(1.0, (10**8, 2))
    for function in (attn.attention, attn.trace, attn.streaming_attention, attn.streaming_steps):
        with pytest.raises(TypeError, match="scale"):
            function(x, x, x, scale="1")
    with pytest.raises(TypeError, match="threads"):
        attn.streaming_attention(x, x, x, threads="1")


# --- the table is complete ---


def public_functions():
    for name in attn.__all__:
        thing = getattr(attn, name)
        if inspect.isfunction(thing):
            yield thing
    yield from (attn.SelfAttention, attn.MultiHeadAttention)
    for layer in (HEAD, LAYER):
        yield from (layer.__call__, layer.trace, layer.project)
    yield from (cache().append, cache().attend)
    yield from (lessons.three_positions, lessons.three_positions_directed, lessons.three_words, lessons.addition)
    yield from (lessons.addition().labels, lessons.three_words().labels)
    yield models.QWEN2_5_7B.cache_bytes_per_token


def test_every_argument_of_every_public_function_is_in_the_table():
    covered = {(name_of(row.values[0]), row.values[3][0]) for row in TABLE}
    expected = {(name_of(f), argument) for f in public_functions() for argument in inspect.signature(f).parameters}
    assert expected - covered == set()
