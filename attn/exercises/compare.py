"""Compare a result with the expected one, and put both into words."""

from __future__ import annotations

from numbers import Rational, Real

import numpy as np

from .words import say

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # float32 is enough; a classic mistake is further off
INDENT = "    "


def differences(function, result, expected, exercise, lang) -> list[str]:
    """Lines that say how the result differs; none if it does not.

    ``function`` is how the reader's function is called in a sentence.
    """
    if not exercise.parts:
        return _differences(function, result, expected, exercise.returns(lang), lang)
    if not isinstance(result, (tuple, list)) or len(result) != len(exercise.parts):
        got = _type(result) + (f" ({len(result)})" if isinstance(result, (tuple, list)) else "")
        listed = f"({', '.join(exercise.parts)})"
        return [say(lang, "several", expected=listed, function=function, got=got)]
    found = {
        part: _differences(function, came, right, part, lang, part)
        for part, came, right in zip(exercise.parts, result, expected)
    }
    right, wrong = ([part for part in found if bool(found[part]) is bad] for bad in (False, True))
    if not wrong:
        return []
    sentence = "parts_right" if right else "part_wrong"
    return [say(lang, sentence, right=", ".join(right), wrong=", ".join(wrong)), *found[wrong[0]]]


def _differences(function, result, expected, returns, lang, part=None) -> list[str]:
    """The same for one result; ``returns`` says what it should be, ``part`` which of several it is."""
    expected = np.asarray(expected)
    array = _array(result, expected.dtype)
    if kind := _wrong_kind(array, result, expected, lang):
        return [say(lang, "kind", function=function, got=kind, returns=returns)]
    same = _same(array, expected) if array.shape == expected.shape else None
    if same is not None and same.all():
        return []
    # As many decimals as it takes to see the difference.
    decimals = next((d for d in (4, 8) if shown(array, decimals=d) != shown(expected, decimals=d)), 16)
    lines = [
        say(lang, "returned_part" if part else "returned", function=function, part=part),
        INDENT + shown(array, INDENT, decimals),
        say(lang, "expected"),
        INDENT + shown(expected, INDENT, decimals),
    ]
    if same is None:
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


def _array(result, dtype):
    """The result as an array, or None if it cannot be one."""
    try:
        array = np.asarray(result)
    except Exception:  # rows of different lengths, a tensor that refuses, …
        return None
    fractions = array.dtype.kind == "O" and all(isinstance(item, Real) for item in array.flat)
    return array.astype(float) if fractions and dtype.kind != "O" else array


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
    return str(value.dtype) if isinstance(value, np.ndarray) else type(value).__name__
