"""What a page that runs scripts needs to bring a figure to life: its kind and its numbers."""

import json
import re
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

_INTERACTIVE = "_attn_interactive"


class Interactive(NamedTuple):
    """`element` names the kind of figure; `data` is JSON text with the numbers it shows."""

    element: str
    data: str


def make_interactive(fig: Figure, element: str, data: dict, *, form: str | None = None) -> None:
    """Say which interactive element may stand in for `fig`, and give it the figure's numbers.

    Parameters
    ----------
    fig : the figure; it stays what a reader without scripts sees.
    element : lower-case words joined by hyphens, such as ``"mask-composer"``.
    data : what the element starts from. Arrays become nested lists; every number must be
        finite, because JSON has no other.
    form : a lower-case word, where an element has several forms: the site's style gives each
        the room it needs. It becomes ``data["form"]``.

    Raises TypeError for data that JSON cannot hold, ValueError for a bad name or a number
    that is not finite.

    >>> import matplotlib.pyplot as plt
    >>> fig = plt.figure()
    >>> make_interactive(fig, "mask-composer", {"scores": np.eye(2)})
    >>> interactive_of(fig).data
    '{"scores": [[1.0, 0.0], [0.0, 1.0]]}'
    """
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", element):
        raise ValueError(f"element: got {element!r}; lower-case words joined by hyphens fit")
    if form is not None:
        if not re.fullmatch("[a-z]+", form):
            raise ValueError(f"form: got {form!r}; a lower-case word fits")
        data = {"form": form, **data}
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        raise ValueError("data: a number is not finite; JSON has no infinity and no NaN") from None
    setattr(fig, _INTERACTIVE, Interactive(element, text))


def interactive_of(fig: Figure) -> Interactive | None:
    """What `make_interactive` was told about `fig`, or None."""
    return getattr(fig, _INTERACTIVE, None)


def _plain(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"data: got a {type(value).__name__}, which JSON cannot hold")
