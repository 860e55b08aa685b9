"""What an exercise is. The exercises themselves are in the modules of the four parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """One input: a few words on it in both languages, and the arguments by name."""

    zh: str
    en: str
    inputs: dict[str, Any]


@dataclass(frozen=True)
class Exercise:
    """A function to be written, with the inputs that it is tried on.

    Attributes
    ----------
    name : how `check` and the page call it.
    zh, en : what the function returns, in a few words.
    reference : a function that does it right; it leaves its arguments as they are, and
        returns numbers, booleans or a list of fractions, or a tuple of such.
    cases : the inputs, easy ones first. No symmetry, and no weight of nearly 0 or 1,
        behind which a mistake could hide.
    parts : names of the results, where the reference returns a tuple.
    """

    name: str
    zh: str
    en: str
    reference: Callable
    cases: tuple[Case, ...]
    parts: tuple[str, ...] = ()

    def returns(self, lang):
        """What the function returns, in this language."""
        return self.zh if lang == "zh" else self.en


def case(zh: str, en: str, **inputs) -> Case:
    """A case; lists become arrays, everything else stays as it is."""
    arrays = {name: np.array(value) if isinstance(value, list) else value for name, value in inputs.items()}
    return Case(zh, en, arrays)
