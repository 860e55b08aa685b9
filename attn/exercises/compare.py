"""Compare a result with the expected one, and put both into words."""

from __future__ import annotations

from numbers import Rational

import numpy as np

from .words import say

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # float32 is enough; a classic mistake is further off
INDENT = "    "


def differences(function, result, expected, exercise, lang) -> list[str]:
    """Lines that say how the result differs; none if it does not."""
    if not exercise.parts:
        return _one(function, result, expected, exercise, lang)
    if not isinstance(result, (tuple, list)) or len(result) != len(exercise.parts):
        got = _type(result) + (f" ({len(result)})" if isinstance(result, (tuple, list)) else "")
        return [say(lang, "several", expected=_listed(exercise.parts), function=function, got=got)]
    found = {
        part: _one(function, *pair, exercise, lang, part) for part, *pair in zip(exercise.parts, result, expected)
    }
    wrong = [part for part, lines in found.items() if lines]
    right = [part for part, lines in found.items() if not lines]
    if not wrong:
        return []
    sentence = "parts_right" if right else "part_wrong"
    return [say(lang, sentence, right=", ".join(right), wrong=", ".join(wrong)), *found[wrong[0]]]


def _one(function, result, expected, exercise, lang, part=None) -> list[str]:
    expected = np.asarray(expected)
    array = _array(result)
    if kind := _wrong_kind(array, result, expected, lang):
        returns = exercise.returns(lang) if part is None else part
        return [say(lang, "kind", function=function, got=kind, returns=returns)]
    if array.shape == expected.shape and (same := _same(array, expected)).all():
        return []
    decimals = next((d for d in (4, 8) if _text(array, d) != _text(expected, d)), 16)
    returned = say(lang, "returned", function=function) if part is None else say(lang, "returned_part", part=part, function=function)
    lines = [
        returned,
        INDENT + shown(array, INDENT, decimals),
        say(lang, "expected"),
        INDENT + shown(expected, INDENT, decimals),
    ]
    if array.shape != expected.shape:
        lines.append(say(lang, "shape", got=array.shape, expected=expected.shape))
    elif expected.size > 1:
        place = np.argwhere(~same)[0].tolist()
        lines.append(say(lang, "shape_right", right=int(same.sum()), count=same.size, place=place))
    return lines


def shown(value, before="", decimals=4) -> str:
    """A number, a table or a tuple as it is printed after ``before``, rounded."""
    if isinstance(value, tuple):
        return str(value)
    array = np.asarray(value)
    if array.size == 0:
        return f"[] {array.shape}"
    if array.dtype.kind == "f":
        array = np.round(array, decimals) + 0  # a rounded -0. becomes 0.
    return np.array2string(
        array,
        precision=decimals,
        suppress_small=True,
        prefix=before,
        max_line_width=88,
        threshold=1000,
        formatter={"object": str} if array.dtype.kind == "O" else None,
    )


def _text(array, decimals):
    return shown(array, "", decimals)


def _array(result):
    """The result as an array, or None if it cannot be one."""
    try:
        return np.asarray(result)
    except Exception:  # rows of different lengths, a tensor that refuses, …
        return None


def _wrong_kind(array, result, expected, lang) -> str | None:
    """What the result is instead, if it is not of the kind that is expected."""
    if array is None:
        return say(lang, "not_numbers", type=_type(result))
    kind = array.dtype.kind
    if expected.dtype.kind == "O":
        inexact = [item for item in array.flat if not isinstance(item, Rational)]
        return say(lang, "not_fractions", type=_type(inexact[0])) if inexact else None
    if kind not in "biuf":
        return say(lang, "not_numbers", type=_type(result))
    if expected.dtype.kind == "b":
        return None if kind == "b" else say(lang, "numbers", dtype=array.dtype)
    return say(lang, "booleans") if kind == "b" else None


def _same(array, expected):
    """Where two arrays of one shape agree: fractions and whole numbers exactly, others but for rounding."""
    if expected.dtype.kind == "f":
        return np.isclose(array, expected, rtol=RELATIVE, atol=ABSOLUTE)
    return array == expected


def _type(value) -> str:
    return type(value).__name__


def _listed(names) -> str:
    return f"({', '.join(names)})"
