"""Which positions may be read: boolean masks, True = visible."""

from __future__ import annotations

import numpy as np

from ._arguments import causal_offset, integer, integers


def causal_mask(n_query, n_key=None, *, align=None):
    """A position may read itself and what came before it, nothing later.

    Parameters
    ----------
    n_query, n_key : numbers of queries and keys; ``n_key=None`` means as many
        keys as queries.
    align : needed where the two differ. ``"end"``: the last query is the newest
        position, so query i may read keys up to ``i + n_key - n_query`` (decoding
        with a cache). ``"start"``: query i and key i are the same position, so
        query i may read keys up to i (PyTorch's ``is_causal``).

    Returns
    -------
    Booleans ``(n_query, n_key)``, True = may be read.

    Raises
    ------
    TypeError : a number that is not an integer.
    ValueError : a negative number, an unknown ``align``, or none where the
        numbers differ.

    Examples
    --------
    >>> causal_mask(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> int(causal_mask(1, 8, align="end").sum()), int(causal_mask(1, 8, align="start").sum())
    (8, 1)
    """
    n_query = integer("n_query", n_query, minimum=0)
    n_key = n_query if n_key is None else integer("n_key", n_key, minimum=0)
    return np.tri(n_query, n_key, causal_offset(n_query, n_key, align), dtype=bool)


def padding_mask(lengths, n_key):
    """Hide the padding behind each sequence: key j is visible where ``j < length``.

    It masks keys. The outputs of padded *queries* are computed all the same, and
    are ignored later.

    Parameters
    ----------
    lengths : integers, one for each sequence; their shape is that of the leading
        axes of q: ``(batch,)`` for q of shape ``(batch, n, d)``, ``(batch, 1)``
        where an axis of heads follows.
    n_key : number of keys, padding included.

    Returns
    -------
    Booleans ``lengths.shape + (1, n_key)``, True = may be read; the axis of length
    1 stands for the queries.

    Raises
    ------
    TypeError : not integers.
    ValueError : a length below 0 or above ``n_key``, or ``n_key`` below 0.

    Examples
    --------
    >>> padding_mask([2, 3], 3).astype(int).tolist()
    [[[1, 1, 0]], [[1, 1, 1]]]
    """
    n_key = integer("n_key", n_key, minimum=0)
    lengths = integers("lengths", lengths)
    if ((lengths < 0) | (lengths > n_key)).any():
        raise ValueError(f"lengths must lie from 0 to n_key = {n_key}, got {lengths.tolist()}")
    return np.arange(n_key) < lengths[..., None, None]


def window_mask(n_query, n_key=None, *, left, right, align=None):
    """A position may read ``left`` positions before it, itself, and ``right`` after it.

    Parameters
    ----------
    n_query, n_key, align : as for :func:`causal_mask`.
    left, right : how far a position may read; None = without a limit. ``right=0``
        makes the window causal.

    Returns
    -------
    Booleans ``(n_query, n_key)``, True = may be read.

    Raises
    ------
    TypeError, ValueError : as for :func:`causal_mask`; a negative ``left`` or ``right``.

    Examples
    --------
    >>> window_mask(4, left=1, right=0).astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    n_query = integer("n_query", n_query, minimum=0)
    n_key = n_query if n_key is None else integer("n_key", n_key, minimum=0)
    offset = causal_offset(n_query, n_key, align)
    distance = np.arange(n_key) - (np.arange(n_query)[:, None] + offset)
    visible = np.ones((n_query, n_key), dtype=bool)
    if left is not None:
        visible &= distance >= -integer("left", left, minimum=0)
    if right is not None:
        visible &= distance <= integer("right", right, minimum=0)
    return visible
