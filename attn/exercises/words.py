"""Everything that the checker says, in both languages."""

from __future__ import annotations

LANGUAGES = ("zh", "en")

SENTENCES = {
    # What the checker was given.
    "lang": {
        "zh": 'lang 应当是 "zh" 或 "en"，现在是 {got}。',
        "en": 'lang should be "zh" or "en", and is {got}.',
    },
    "misspelt": {
        "zh": "没有叫 {name} 的练习。是不是想写 {names}？\n全部名字见 exercises.names()。",
        "en": "There is no exercise {name}. Did you mean {names}?\nexercises.names() lists them all.",
    },
    "unknown": {
        "zh": "没有叫 {name} 的练习。现有的是 {names}。",
        "en": "There is no exercise {name}. There are {names}.",
    },
    "swapped": {
        "zh": "先写练习的名字，再写函数：check({name}, my_function)。",
        "en": "The name of the exercise comes first, then the function: check({name}, my_function).",
    },
    "no_function": {
        "zh": '{name}：要交的是函数本身，收到的却是 {got} 类型的东西。\n函数名后面不要加括号：check("{name}", my_function)。',
        "en": '{name}: hand over the function itself; what came is of type {got}.\nWrite its name without brackets: check("{name}", my_function).',
    },
    "arguments": {
        "zh": "{name}：调用时依次给出 {expected}，\n而{function}的写法是 {signature}。",
        "en": "{name}: the call gives {expected}, in this order,\nand {function} is written for {signature}.",
    },
    # The result as a whole.
    "right": {
        "zh": "{name}：{count} 组输入全对。",
        "en": "{name}: right on all {count} inputs.",
    },
    "not_yet": {
        "zh": "{name}：对了 {right} 组，共 {count} 组。",
        "en": "{name}: right on {right} of {count} inputs.",
    },
    "input": {
        "zh": "第一组不对的：第 {number} 组，{note}",
        "en": "First failure: input {number}, {note}",
    },
    # One input.
    "named": {
        "zh": "函数 {name} ",
        "en": "{name}",
    },
    "unnamed": {
        "zh": "你的函数",
        "en": "your function",
    },
    "stopped": {
        "zh": "{function}中途出错：",
        "en": "{function} stopped with an error:",
    },
    "where": {
        "zh": "第 {line} 行，在{function}里：",
        "en": "line {line}, in {function}:",
    },
    "none": {
        "zh": "{function}返回的是 None。\n结果要用 return 交回来：\n{returns}。",
        "en": "{function} returned None.\nA result is handed back with return:\n{returns}.",
    },
    "printed": {
        "zh": "打印出来的不算结果。",
        "en": "What is printed does not count as a result.",
    },
    "kind": {
        "zh": "{function}返回的是：{got}。\n应当返回：{returns}。",
        "en": "{function} returned {got}.\nExpected: {returns}.",
    },
    "several": {
        "zh": "{function}返回的是：{got}。\n要返回的有几样，按次序是 {expected}。",
        "en": "{function} returned {got}.\nExpected, in this order: {expected}.",
    },
    "parts_right": {
        "zh": "这几样对了：{right}。不对的是 {wrong}。",
        "en": "Right: {right}. Not right: {wrong}.",
    },
    "part_wrong": {
        "zh": "不对的是 {wrong}。",
        "en": "Not right: {wrong}.",
    },
    "returned": {
        "zh": "{function}返回了",
        "en": "{function} returned",
    },
    "returned_part": {
        "zh": "{part}，{function}返回了",
        "en": "as {part}, {function} returned",
    },
    "expected": {
        "zh": "应当是",
        "en": "expected",
    },
    "shape": {
        "zh": "形状是 {got}，应当是 {expected}。",
        "en": "The shape is {got} and should be {expected}.",
    },
    "shape_right": {
        "zh": "形状对了，各项对了 {right} 项，共 {count} 项。\n第一个不对的：{place}，从 0 数起。",
        "en": "Right: the shape, {right} of {count} entries.\nFirst wrong entry: {place}, counted from 0.",
    },
    "changed": {
        "zh": "{function}还改动了交给它的 {names}。\n调用它的人还要用这些数，请先复制一份再改。",
        "en": "{function} also changed its input: {names}.\nIts caller still needs that; work on a copy.",
    },
    "only_changed": {
        "zh": "结果是对的，但{function}改动了交给它的 {names}。\n调用它的人还要用这些数，请先复制一份再改。",
        "en": "The result is right, but {function} changed its input: {names}.\nIts caller still needs that; work on a copy.",
    },
    # Kinds of things.
    "booleans": {
        "zh": "True 和 False",
        "en": "True and False",
    },
    "numbers": {
        "zh": "数（{dtype}）",
        "en": "numbers ({dtype})",
    },
    "not_numbers": {
        "zh": "既不是数、也不是数表的东西（{type}）",
        "en": "something that is neither a number nor a table of numbers ({type})",
    },
    "not_fractions": {
        "zh": "不是 Fraction 的东西（{type}）",
        "en": "something other than fractions ({type})",
    },
}


def say(lang, sentence, **words):
    """A sentence in this language, with the words filled in."""
    return SENTENCES[sentence][lang].format(**words)


def called(lang, name):
    """How a function is called in a sentence; Python names one without a name <lambda>."""
    return say(lang, "unnamed") if name.startswith("<") else say(lang, "named", name=name)
