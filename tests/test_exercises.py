"""The checkers: they accept what is right, reject the usual mistakes, and speak clearly in both languages."""

import ast
import doctest
import functools
import inspect
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from exercise_attempts import MISTAKES, SOLUTIONS

import attn
from attn import exercises
from attn.exercises.catalogue import EXERCISES
from attn.exercises.words import LANGUAGES, SENTENCES
from chapter import parse, read

NAMES = exercises.names()
DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture
def answer(capsys):
    """Check a function; return the verdict and what was printed."""

    def check(name, function, lang="en"):
        verdict = exercises.check(name, function, lang=lang)
        return verdict, capsys.readouterr().out

    return check


# What is right and what is wrong.


def solution(name):
    assert name in SOLUTIONS, f"tests/exercise_attempts.py has no solution of {name}"
    return SOLUTIONS[name]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_right_solution_is_accepted(name, lang, answer):
    verdict, text = answer(name, solution(name), lang)
    assert verdict is True, text
    assert text.startswith(name) and text.count("\n") == 1


ALL_MISTAKES = [(name, mistake) for name in MISTAKES for mistake in MISTAKES[name]]


@pytest.mark.parametrize("name, mistake", ALL_MISTAKES)
def test_a_mistake_is_rejected(name, mistake, answer):
    for lang in LANGUAGES:
        verdict, text = answer(name, MISTAKES[name][mistake], lang)
        assert verdict is False
        assert text.count("\n") > 3


def test_every_exercise_has_a_solution_and_mistakes():
    assert list(SOLUTIONS) == list(MISTAKES) == NAMES
    assert min(map(len, MISTAKES.values())) >= 6


@pytest.mark.parametrize(
    "mistake",
    [
        "no √d",
        "÷ d",
        "√ of the model width",
        "softmax over columns",
        "softmax over everything",
        "mask after softmax",
        "inverted mask",
        "start for end",
        "transposed scores",
        "tile for repeat",
        "view without transpose",
        "K read for V",
    ],
)
def test_the_twelve_classic_mistakes_are_among_them(mistake):
    assert any(mistake in mistakes for mistakes in MISTAKES.values())


def test_a_mistake_is_not_rejected_for_stopping_with_an_error(answer):
    """A wrong result is what is caught, but for the few mistakes whose shapes do not fit."""
    stopped = {
        (name, mistake) for name, mistake in ALL_MISTAKES if "stopped" in answer(name, MISTAKES[name][mistake])[1]
    }
    assert stopped == {("scores", "no transpose"), ("multi-head", "output projection transposed")}


@pytest.mark.parametrize(
    "name, function",
    [
        ("softmax", attn.softmax),
        ("mask-first", lambda scores, visible: attn.softmax(scores, visible=visible)),
        ("attention", lambda x, *w: attn.SelfAttention(*w)(x)),
        ("causal-end", functools.partial(attn.causal_mask, align="end")),
        ("multi-head", lambda *w, n_heads=None: attn.MultiHeadAttention(*w[1:5], n_heads=w[5])(w[0])),
        ("split-heads", attn.split_heads),
        ("repeat-heads", attn.repeat_heads),
        ("newest", lambda q, k, v: attn.streaming_attention(q, k, v, causal="end")),
        ("jacobian", attn.softmax_jacobian),
    ],
)
def test_the_library_passes_too(name, function, answer):
    assert answer(name, function)[0]


@pytest.mark.parametrize("name", ["weights", "value-only", "shift-reading", "softmax"])
def test_no_weight_is_nearly_0_or_1(name):
    """A saturated row would hide mistakes. (The last input of softmax is about large scores.)"""
    exercise = next(exercise for exercise in EXERCISES if exercise.name == name)
    for case in exercise.cases[: 2 if name == "softmax" else None]:
        result = exercise.reference(**case.inputs)
        weights = result[0] if isinstance(result, tuple) else result
        assert 0.02 < np.min(weights) and np.max(weights) < 0.9


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_an_exercise_is_complete(exercise):
    arguments = list(exercise.cases[0].inputs)
    assert len(exercise.cases) >= 3
    assert exercise.zh and exercise.en and exercise.zh != exercise.en
    for case in exercise.cases:
        assert list(case.inputs) == arguments
        assert case.zh and case.en


# What is accepted as the same.


def test_rounding_in_float32_does_not_matter(answer):
    assert answer("weights", lambda q, k: np.array(SOLUTIONS["weights"](q, k), np.float32))[0]


def test_fractions_are_as_good_as_floats(answer):
    assert answer(
        "jacobian", lambda weights: SOLUTIONS["jacobian"]([Fraction(w).limit_denominator(100) for w in weights])
    )[0]


def test_four_decimals_are_not_enough_and_the_difference_shows(answer):
    verdict, text = answer("weights", lambda q, k: np.round(SOLUTIONS["weights"](q, k), 4))
    assert not verdict
    came, expected = re.search(r"returned\n(.*)\nexpected\n(.*)\nRight", text, re.S).groups()
    assert came != expected


def test_whole_numbers_are_compared_exactly(answer):
    assert not answer("cache-bytes", lambda *shape: SOLUTIONS["cache-bytes"](*shape) + 1)[0]
    assert answer("cache-bytes", lambda *shape: float(SOLUTIONS["cache-bytes"](*shape)))[0]


# What is printed.


def softmax_then_mask(scores, visible):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=1, keepdims=True) * visible


def test_the_answer_to_a_wrong_number(answer):
    assert answer("mask-first", softmax_then_mask, "en") == (
        False,
        """\
mask-first: right on 1 of 4 inputs.
First failure: input 2, the third hidden
    scores = [[0.     0.6931 0.6931]]
    visible = [[ True  True False]]
softmax_then_mask returned
    [[0.2 0.4 0. ]]
expected
    [[0.3333 0.6667 0.    ]]
Right: the shape, 1 of 3 entries.
First wrong entry: [0, 0], counted from 0.
""",
    )
    assert answer("mask-first", softmax_then_mask, "zh") == (
        False,
        """\
mask-first：对了 1 组，共 4 组。
第一组不对的：第 2 组，遮住第三个
    scores = [[0.     0.6931 0.6931]]
    visible = [[ True  True False]]
函数 softmax_then_mask 返回了
    [[0.2 0.4 0. ]]
应当是
    [[0.3333 0.6667 0.    ]]
形状对了，各项对了 1 项，共 3 项。
第一个不对的：[0, 0]，从 0 数起。
""",
    )


def ends_with(text, *lines):
    assert text.splitlines()[-len(lines) :] == list(lines)


def test_the_answer_to_a_wrong_shape(answer):
    _, text = answer("split-heads", lambda x, n_heads: x.reshape(len(x), n_heads, -1))
    ends_with(text, "The shape is (3, 2, 2) and should be (2, 3, 2).")
    _, text = answer("split-heads", lambda x, n_heads: x.reshape(len(x), n_heads, -1), "zh")
    ends_with(text, "形状是 (3, 2, 2)，应当是 (2, 3, 2)。")


def test_the_answer_when_one_of_several_results_is_wrong(answer):
    _, text = answer("project", lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_k))
    assert "Right: Q, K. Not right: V.\nas V, your function returned\n" in text
    _, text = answer("project", lambda x, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_k), "zh")
    assert "这几样对了：Q, K。不对的是 V。\nV，你的函数返回了\n" in text


@pytest.mark.parametrize("result, got", [(3, "int"), ((1, 2), "tuple (2)"), ([1] * 4, "list (4)"), (np.zeros((3, 3, 2)), "float64")])
def test_the_answer_to_a_wrong_number_of_results(result, got, answer):
    _, text = answer("project", lambda x, w_q, w_k, w_v: result)
    ends_with(text, f"your function returned {got}.", "Expected, in this order: (Q, K, V).")
    _, text = answer("project", lambda x, w_q, w_k, w_v: result, "zh")
    ends_with(text, f"你的函数返回的是：{got}。", "要返回的有几样，按次序是 (Q, K, V)。")


def line_of(function, number):
    """Where the file has that line of a function, counted from its ``def``."""
    return inspect.getsourcelines(function)[1] + number - 1


def fails_on_purpose(scores):
    total = scores.sum()
    return helper(total)


def helper(total):
    raise ValueError(f"no luck\nwith {total:.4f}")


def test_the_answer_to_an_exception(answer):
    _, text = answer("softmax", fails_on_purpose)
    ends_with(
        text,
        "fails_on_purpose stopped with an error:",
        "    ValueError: no luck",
        "    with 3.4657",
        f'    line {line_of(helper, 2)}, in helper: raise ValueError(f"no luck\\nwith {{total:.4f}}")',
    )
    nameless = lambda scores: scores @ scores @ scores  # noqa: E731
    _, text = answer("softmax", nameless, "zh")
    assert "\n你的函数中途出错：\n    ValueError: matmul:" in text
    assert f"\n    第 {line_of(nameless, 1)} 行，在你的函数里： " in text


def test_an_exception_in_a_library_is_placed_in_the_readers_code(answer):
    def wrong(scores):
        largest = 5
        return np.linalg.inv(scores) + largest

    _, text = answer("softmax", wrong)
    ends_with(
        text,
        "    LinAlgError: Last 2 dimensions of the array must be square",
        f"    line {line_of(wrong, 3)}, in wrong: return np.linalg.inv(scores) + largest",
    )


def test_an_exit_is_an_error_and_an_interruption_is_none(answer):
    def leaves(scores):
        raise SystemExit(3)

    def interrupted(scores):
        raise KeyboardInterrupt

    assert "SystemExit: 3" in answer("softmax", leaves)[1]
    with pytest.raises(KeyboardInterrupt):
        exercises.check("softmax", interrupted)


def test_code_without_a_file_is_placed_without_its_text(answer):
    namespace = {}
    exec("\n\ndef f(scores):\n    return 1 / 0", namespace)
    _, text = answer("softmax", namespace["f"])
    ends_with(text, "    ZeroDivisionError: division by zero", "    line 4, in f:")


def test_the_answer_to_nothing_returned(answer):
    def silent(scores):
        scores + 1

    def printing(scores):
        print("my shares")

    _, text = answer("softmax", silent)
    ends_with(
        text,
        "silent returned None.",
        "A result is handed back with return:",
        "shares, a table as large as the scores, each row adding up to 1.",
    )
    _, text = answer("softmax", printing)
    assert text.startswith("my shares\n" * 3), "what the reader prints is passed on"
    ends_with(text, "What is printed does not count as a result.")
    _, text = answer("softmax", printing, "zh")
    ends_with(
        text,
        "函数 printing 返回的是 None。",
        "结果要用 return 交回来：",
        "份额，和得分表一样大，每一行加起来是 1。",
        "打印出来的不算结果。",
    )


def test_printing_and_returning_is_fine(answer):
    def chatty(scores):
        print("thinking", flush=True)
        return SOLUTIONS["softmax"](scores)

    verdict, text = answer("softmax", chatty)
    assert verdict and text.endswith("softmax: right on all 3 inputs.\n")


@pytest.mark.parametrize(
    "name, result, got",
    [
        ("softmax", "abc", "something that is neither a number nor a table of numbers (str)"),
        ("softmax", [[1, 2], [3]], "something that is neither a number nor a table of numbers (list)"),
        ("softmax", {"a": 1}, "something that is neither a number nor a table of numbers (dict)"),
        (
            "softmax",
            np.ones((2, 3), complex),
            "something that is neither a number nor a table of numbers (complex128)",
        ),
        ("softmax", [[None, 1.0]], "something that is neither a number nor a table of numbers (list)"),
        ("softmax", (n for n in range(3)), "something that is neither a number nor a table of numbers (generator)"),
        ("softmax", np.ones((2, 3), bool), "True and False"),
        ("causal-end", np.tri(3), "numbers (float64)"),
        ("exact-weights", [0.25, 0.25, 0.5], "something other than fractions (float64)"),
        ("exact-weights", [Fraction(1, 4), Fraction(1, 4), 0.5], "something other than fractions (float)"),
    ],
)
def test_the_answer_to_something_of_another_kind(name, result, got, answer):
    _, text = answer(name, lambda *inputs: result)
    came, expected = text.splitlines()[-2:]
    assert came == f"your function returned {got}." and expected.startswith("Expected: ")
    assert answer(name, lambda *inputs: result, "zh")[0] is False


def test_a_result_that_refuses_to_be_an_array(answer):
    class Odd:
        def __array__(self, *args, **kwargs):
            raise RuntimeError("no")

    assert "neither a number nor a table of numbers (Odd)" in answer("softmax", lambda scores: Odd())[1]


def test_what_is_not_a_number_is_shown(answer):
    _, text = answer("softmax", lambda scores: np.full(scores.shape, np.nan))
    assert "[[nan nan nan]\n     [nan nan nan]]" in text


# The reader's things are left alone.


def test_changed_inputs_are_reported_and_ours_are_safe(answer):
    def in_place(scores):
        scores -= scores.max(axis=1, keepdims=True)
        return SOLUTIONS["softmax"](scores)

    first = answer("softmax", in_place)
    ends_with(
        first[1],
        "The result is right, but in_place changed its input: scores.",
        "Its caller still needs that; work on a copy.",
    )
    assert answer("softmax", in_place) == first, "the next call finds the same inputs"
    assert answer("softmax", SOLUTIONS["softmax"])[0]
    _, text = answer("softmax", in_place, "zh")
    ends_with(
        text, "结果是对的，但函数 in_place 改动了交给它的 scores。", "调用它的人还要用这些数，请先复制一份再改。"
    )


def test_a_wrong_result_and_changed_inputs_are_both_reported(answer):
    def both(scores):
        scores[:] = 0
        return scores

    _, text = answer("softmax", both)
    assert "\nexpected\n" in text
    ends_with(text, "both also changed its input: scores.", "Its caller still needs that; work on a copy.")


def test_a_changed_shape_is_a_change(answer):
    def reshaped(scores):
        result = SOLUTIONS["softmax"](scores)
        scores.shape = (-1,)
        return result

    assert "changed its input: scores" in answer("softmax", reshaped)[1]


def test_settings_of_numpy_stay_and_do_not_matter(answer):
    usual = answer("mask-first", softmax_then_mask)
    with np.printoptions(precision=1, suppress=False, linewidth=20), np.errstate(all="raise"):
        before = np.get_printoptions(), np.geterr()
        assert answer("mask-first", softmax_then_mask) == usual
        assert (
            answer("softmax", lambda scores: np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True))[0] is False
        )
        assert (np.get_printoptions(), np.geterr()) == before


# Calls that cannot be checked.


@pytest.mark.parametrize(
    "name, en, zh",
    [
        (
            "mask_frist",
            "There is no exercise 'mask_frist'. Did you mean mask-first?",
            "没有叫 'mask_frist' 的练习。是不是想写 mask-first？",
        ),
        (
            "Split heads",
            "There is no exercise 'Split heads'. Did you mean split-heads",
            "没有叫 'Split heads' 的练习。是不是想写 split-heads",
        ),
        (
            "zzz",
            "There is no exercise 'zzz'. There are most-like, project,",
            "没有叫 'zzz' 的练习。现有的是 most-like, project,",
        ),
        (None, "There is no exercise None. ", "没有叫 None 的练习。"),
        (np.ones(2), "There is no exercise array([1., 1.]). ", "没有叫 array([1., 1.]) 的练习。"),
    ],
)
def test_an_unknown_exercise(name, en, zh, answer):
    for lang, words in (("en", en), ("zh", zh)):
        verdict, text = answer(name, abs, lang)
        assert verdict is False and text.startswith(words)


@pytest.mark.parametrize("lang", ["fr", "EN", None, 3, ["en"]])
def test_an_unknown_language_is_answered_in_both(lang, answer):
    verdict, text = answer("softmax", abs, lang)
    assert verdict is False
    assert text == f'lang 应当是 "zh" 或 "en"，现在是 {lang!r}。\nlang should be "zh" or "en", and is {lang!r}.\n'


def test_the_result_instead_of_the_function(answer):
    assert answer("softmax", np.ones(3)) == (
        False,
        "softmax: hand over the function itself; what came is of type ndarray.\n"
        'Write its name without brackets: check("softmax", my_function).\n',
    )
    assert answer("softmax", None, "zh") == (
        False,
        'softmax：要交的是函数本身，收到的却是 NoneType 类型的东西。\n函数名后面不要加括号：check("softmax", my_function)。\n',
    )


def test_name_and_function_exchanged(answer):
    assert answer(abs, "softmax") == (
        False,
        "The name of the exercise comes first, then the function: check('softmax', my_function).\n",
    )


def test_a_function_with_other_arguments(answer):
    def one(x):
        return x

    def keyword(q, *, k):
        return q

    assert answer("scores", one) == (
        False,
        "scores: the call gives (q, k), in this order,\nand one is written for (x).\n",
    )
    assert answer("scores", one, "zh") == (False, "scores：调用时依次给出 (q, k)，\n而函数 one 的写法是 (x)。\n")
    assert "written for (q, *, k)" in answer("scores", keyword)[1]
    assert answer("scores", lambda query, key, *, scale=1: query @ key.T)[0], "names are free"
    assert answer("scores", lambda *both: both[0] @ both[1].T)[0]
    assert answer("sizes", dict)[0] is False, "no signature to be had, so it is called and fails"


# No answer is shown.


def code_lines(source):
    """The lines of the functions in some source that say something."""
    bodies = [node.body for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return {ast.unparse(statement) for body in bodies for statement in body} - {"..."}


def shown_answers(name, text):
    """The lines of our reference or of the page's answer that stand in a text."""
    exercise = next(exercise for exercise in EXERCISES if exercise.name == name)
    secret = code_lines(answers("en")[name])
    if inspect.isfunction(exercise.reference):
        secret |= code_lines(inspect.getsource(exercise.reference))
    return [line for line in secret if line.removeprefix("return ") in text]


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_is_shown(name, answer):
    for function in [*MISTAKES[name].values(), lambda *inputs: None, lambda: 1, SOLUTIONS[name]]:
        for lang in LANGUAGES:
            _, text = answer(name, function, lang)
            without_own_line = re.sub(r"^ *(line \d+, in|第 \d+ 行，在).*$", "", text, flags=re.M)
            assert shown_answers(name, without_own_line) == []


def test_an_answer_that_is_shown_is_noticed():
    assert shown_answers("scores", "try q @ k.T instead") == ["return q @ k.T"]
    assert shown_answers("mask-first", "masked = np.where(visible, scores, -np.inf)")


# The words.


@pytest.mark.parametrize("sentence", SENTENCES)
def test_both_languages_say_the_same_things(sentence):
    placeholders = [sorted(set(re.findall(r"\{\w+\}", SENTENCES[sentence][lang]))) for lang in LANGUAGES]
    assert placeholders[0] == placeholders[1]


def test_docstring_examples_run():
    assert doctest.testmod(exercises) == (0, 5)


# The page.


def page(lang):
    path = DOCS / lang / "chapters" / "16-exercises.md"
    return parse(read(path), path)


@functools.cache
def sections(lang):
    """The fences of each exercise, by the id of its heading."""
    chapter = page(lang)
    found = {}
    heads = [heading for heading in chapter.headings if heading.level > 1]
    for heading, following in zip(heads, [*heads[1:], None]):
        end = following.line if following else len(chapter.text)
        if heading.level == 3:
            found[heading.id] = [fence for fence in chapter.fences if heading.line < fence.line < end]
    return found


def answers(lang):
    return {name: [fence for fence in fences if fence.runs][-1].code for name, fences in sections(lang).items()}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_has_every_exercise_in_its_order(lang):
    assert list(sections(lang)) == NAMES


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_the_reader_completes_and_an_answer_that_is_accepted(name, lang, answer):
    assert name in sections(lang), f"docs/{lang}/chapters/16-exercises.md has no heading '### … {{#{name}}}'"
    fences = [fence for fence in sections(lang)[name] if fence.ticks.startswith("`")]
    first, last = fences
    call = f'exercises.check("{name}", '
    exercise = next(exercise for exercise in EXERCISES if exercise.name == name)
    for fence in fences:
        assert call in fence.code
        function = next(node for node in ast.parse(fence.code).body if isinstance(node, ast.FunctionDef))
        assert [argument.arg for argument in function.args.args] == list(exercise.cases[0].inputs)
    assert (first.indent, last.indent) == ("", "    ")
    assert last.output.code.splitlines()[0] == answer(name, solution(name), lang)[1].strip()
    if first.runs:  # a first attempt that is wrong
        assert not re.search(r"right on all|全对", first.output.code)
    else:
        assert first.info == "py" and "    ...\n" in first.code
