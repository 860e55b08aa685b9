"""Which positions may be read: boolean masks, True = visible."""

from __future__ import annotations

import numpy as np

from ._arguments import causal_offset, integer


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
