"""What a figure says to a reader who does not see it."""

import re
from typing import NamedTuple

from matplotlib.figure import Figure

_ALT = "_attn_alt"
_MAKER = "_attn_maker"


class Alt(NamedTuple):
    """Alt text as it was given; `title` is None where none was given."""

    text: str
    title: str | None


def describe(fig: Figure, text: str, title: str | None = None) -> None:
    """Give `fig` its alt text: what kind of figure, what its axes are, what it shows.

    Every figure on a page needs one; the figure functions of this package set their
    own. `text` is one to three sentences in the page's language. `title`, a few words,
    is what a screen reader says first; without it the first sentence stands in.

    >>> import matplotlib.pyplot as plt
    >>> from attn import figures
    >>> fig, ax = plt.subplots()
    >>> bars = ax.bar(["q·k₁", "q·k₂"], [1, 3])
    >>> figures.describe(fig, "Bar chart of two scores: 1 for key 1 and 3 for key 2.")

    Raises TypeError where `fig` is no Figure or a text is no string, ValueError where
    a text is empty.
    """
    _require_figure(fig)
    _require_text("text", text)
    if title is not None:
        _require_text("title", title)
    setattr(fig, _ALT, Alt(_one_line(text), None if title is None else _one_line(title)))


def description(fig: Figure) -> str | None:
    """The alt text of `fig`, or None where it has none."""
    given = alt_of(fig)
    return None if given is None else given.text


def alt_of(fig: Figure) -> Alt | None:
    """Alt text and title of `fig` as they were given, or None."""
    _require_figure(fig)
    return getattr(fig, _ALT, None)


def remember_maker(fig: Figure, name: str) -> None:
    """Note which function drew `fig`, so that an error met while saving can name it."""
    setattr(fig, _MAKER, name)


def maker_of(fig: Figure) -> str:
    return getattr(fig, _MAKER, "a figure drawn by hand")


def first_sentence(text: str) -> str:
    """Up to the first full stop, Chinese or English, without it."""
    return re.split(r"[。！？]|[.!?](?=\s|$)", text, maxsplit=1)[0].strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _require_figure(fig) -> None:
    if not isinstance(fig, Figure):
        raise TypeError(f"fig: got {type(fig).__name__}; a matplotlib Figure fits")


def _require_text(name: str, text) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{name}: got {type(text).__name__}; a sentence (str) fits")
    if not text.strip():
        raise ValueError(f"{name}: got an empty string; say what the figure shows")
