"""The checker's answer: is the call one that can be checked, and what came of each input?"""

from __future__ import annotations

import difflib
import inspect
import reprlib

from .attempt import attempt, place_of
from .catalogue import EXERCISES
from .compare import INDENT, differences, shown
from .words import LANGUAGES, called, say


def report(name, function, lang) -> tuple[str, bool]:
    """What `check` prints, and whether the exercise is solved."""
    if not (isinstance(lang, str) and lang in LANGUAGES):
        return "\n".join(say(known, "lang", got=reprlib.repr(lang)) for known in LANGUAGES), False
    if callable(name) and isinstance(function, str):
        return say(lang, "swapped", name=repr(function)), False
    exercise = next((e for e in EXERCISES if isinstance(name, str) and e.name == name), None)
    if exercise is None:
        return _unknown(name, lang), False
    if not callable(function):
        return say(lang, "no_function", name=name, got=type(function).__name__), False
    if mismatch := _mismatch(exercise, function, lang):
        return mismatch, False

    found = [_judge(exercise, case, function, lang) for case in exercise.cases]
    count, right = len(found), sum(not lines for lines in found)
    if right == count:
        return say(lang, "right", name=name, count=count), True
    first = next(number for number, lines in enumerate(found) if lines)
    case = exercise.cases[first]
    lines = [
        say(lang, "not_yet", name=name, right=right, count=count),
        say(lang, "input", number=first + 1, note=getattr(case, lang)),
    ]
    for argument, value in case.inputs.items():
        before = f"{INDENT}{argument} = "
        lines.append(before + shown(value, before))
    return "\n".join([*lines, *found[first]]), False


def _judge(exercise, case, function, lang) -> list[str]:
    """Lines that say what is wrong with the function on this input; none if nothing is."""
    name = _name(function, lang)
    tried = attempt(function, case.inputs)
    if tried.error is not None:
        return _stopped(name, tried.error, lang)
    if tried.result is None:
        lines = [say(lang, "none", function=name, returns=exercise.returns(lang))]
        lines += [say(lang, "printed")] * tried.printed
    else:
        expected = exercise.reference(**case.inputs)
        lines = differences(name, tried.result, expected, exercise, lang)
    if tried.changed:
        sentence = "changed" if lines else "only_changed"
        lines.append(say(lang, sentence, function=name, names=", ".join(tried.changed)))
    return lines


def _stopped(name, error, lang) -> list[str]:
    message = f"{type(error).__name__}: {error}".replace("\n", f"\n{INDENT}")
    lines = [say(lang, "stopped", function=name), INDENT + message]
    if place := place_of(error):
        where = say(lang, "where", function=called(lang, place.function), line=place.line)
        lines.append(f"{INDENT}{where} {place.code}".rstrip())
    return lines


def _mismatch(exercise, function, lang) -> str | None:
    """What is wrong, if the function cannot be called with the exercise's arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    arguments = tuple(exercise.cases[0].inputs)
    try:
        signature.bind(*arguments)
    except TypeError:
        expected = f"({', '.join(arguments)})"
        return say(
            lang,
            "arguments",
            name=exercise.name,
            expected=expected,
            function=_name(function, lang),
            signature=signature,
        )
    return None


def _unknown(name, lang) -> str:
    names = [exercise.name for exercise in EXERCISES]
    written = str(name).lower().replace("_", "-").replace(" ", "-")
    close = difflib.get_close_matches(written, names, n=3, cutoff=0.5)
    listed = ", ".join(close or names)
    return say(lang, "misspelt" if close else "unknown", name=reprlib.repr(name), names=listed)


def _name(function, lang) -> str:
    return called(lang, getattr(function, "__name__", "<unnamed>"))
