"""Numbers as a reader writes them: fractions where they are exact, a true minus sign."""

from fractions import Fraction

import numpy as np

LARGEST_DENOMINATOR = 12
# Two roundings of float64 arithmetic away from a fraction is that fraction.
_TOLERANCE = 1e-12


def as_fraction(value: float) -> Fraction | None:
    """The fraction with a denominator of at most 12 that `value` is, or None.

    >>> as_fraction(2 / 3), as_fraction(0.21)
    (Fraction(2, 3), None)
    """
    if not np.isfinite(value):
        return None
    nearest = Fraction(float(value)).limit_denominator(LARGEST_DENOMINATOR)
    return nearest if abs(float(nearest) - value) <= _TOLERANCE else None


def decimal(value: float, places: int = 2, *, trim: bool = True) -> str:
    """`value` rounded, trailing zeros cut, with U+2212 for minus and ∞ for infinity.

    >>> decimal(1.5), decimal(-0.001), decimal(2), decimal(0.4, trim=False)
    ('1.5', '0', '2', '0.40')
    """
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    if trim and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def shares(values, places: int = 2) -> np.ndarray:
    """Weights as text: all fractions if every one is exact, else all decimals.

    `values` may have any shape; the result has the same, dtype object.

    >>> shares([0.25, 0.25, 0.5]).tolist(), shares([0.21, 0.79]).tolist()
    (['1/4', '1/4', '1/2'], ['0.21', '0.79'])
    """
    values = np.asarray(values, dtype=float)
    fractions = [as_fraction(value) for value in values.flat]
    if all(fraction is not None for fraction in fractions):
        texts = [str(fraction) for fraction in fractions]
    else:
        texts = [decimal(value, places, trim=False) for value in values.flat]
    return np.array(texts, dtype=object).reshape(values.shape)


def vector(values, places: int = 2) -> str:
    """A row as text: `[1.5, 0.75]`."""
    return f"[{', '.join(decimal(value, places) for value in values)}]"


def listing(items, lang: str) -> str:
    """Items one after another, as the language punctuates them: `a, b, c` or `a、b、c`."""
    return {"zh": "、", "en": ", "}[lang].join(map(str, items))
