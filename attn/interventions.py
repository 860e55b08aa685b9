"""What if a key or a value were different? Rows replaced after the projection.

An output depends on an input along two paths: through K (who is read, and how
much) and through V (what is read there). Replacing one and not the other tells
the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import core
from ._arguments import integer, numbers


def intervene(trace, *, k=None, v=None):
    """Run attention again with some rows of K or V replaced and all else kept.

    Parameters
    ----------
    trace : a :class:`attn.Trace`.
    k, v : ``{row: vector}``, rows counted from 0 (negative from the end). A
        vector has the width of K or V; with leading axes (heads) it replaces
        that row in each of them, or has their shape too.

    Returns
    -------
    A new :class:`attn.Trace` with the queries, mask, bias and scale of ``trace``.

    Raises
    ------
    TypeError : ``trace`` not a Trace, ``k`` or ``v`` not a mapping, a row that is
        not an integer, a vector that does not hold numbers.
    ValueError : a row out of range or named twice, a vector of another width.

    Examples
    --------
    >>> from attn import trace
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> intervene(trace(x, x, x), v={0: [4, 0]}).output[2].round(2).tolist()
    [1.5, 0.75]
    """
    if not isinstance(trace, core.Trace):
        raise TypeError(f"trace must be an attn.Trace, as attn.trace returns, got {type(trace).__name__}")
    return core.trace(
        trace.q,
        _replace("k", trace.k, k),
        _replace("v", trace.v, v),
        visible=trace.visible,
        bias=trace.bias,
        scale=trace.scale,
    )


@dataclass(frozen=True, eq=False)
class FourWays:
    """Nothing replaced, K only, V only, both: four traces and what they differ by.

    ``k_change``, ``v_change`` and ``both_change`` are outputs minus the original
    output. ``interaction`` is ``both_change - k_change - v_change``: 0 if the two
    paths simply added up.
    """

    original: core.Trace
    k_only: core.Trace
    v_only: core.Trace
    both: core.Trace

    @property
    def k_change(self):
        return self.k_only.output - self.original.output

    @property
    def v_change(self):
        return self.v_only.output - self.original.output

    @property
    def both_change(self):
        return self.both.output - self.original.output

    @property
    def interaction(self):
        return self.both_change - self.k_change - self.v_change


def four_ways(trace, *, k=None, v=None):
    """The table of an intervention: original, K only, V only, both.

    Takes (``trace``, ``k``, ``v``) and raises what :func:`intervene` does; returns
    :class:`FourWays`.

    Examples
    --------
    >>> from attn import trace
    >>> x = [[1, 0], [0, 1], [1, 1]]
    >>> table = four_ways(trace(x, x, x), k={1: [0, 2]}, v={1: [0, 2]})
    >>> table.v_change[2].round(3).tolist()
    [0.0, 0.248]
    >>> table.interaction[2].round(3).tolist()
    [0.0, 0.153]
    """
    return FourWays(
        original=trace,
        k_only=intervene(trace, k=k),
        v_only=intervene(trace, v=v),
        both=intervene(trace, k=k, v=v),
    )


def _replace(name, table, replacements):
    if replacements is None:
        return table
    if not isinstance(replacements, Mapping):
        raise TypeError(f"{name} must map rows to vectors, as in {name}={{1: [0, 2]}}, got {replacements!r}")
    n = table.shape[-2]
    table = table.copy()
    named = {}
    for row, vector in replacements.items():
        row = integer(f"a row of {name}", row, minimum=-n)
        if row >= n:
            raise ValueError(f"a row of {name} must be at most {n - 1} (rows are counted from 0), got {row}")
        if (other := named.setdefault(row % n, row)) != row:
            raise ValueError(f"{name} must name each row once; of {n} rows, {other} and {row} are the same")
        vector = numbers(f"{name}[{row}]", vector, axes=1)
        target = table[..., row, :]
        fits = vector.shape[-1] == target.shape[-1] and vector.shape in (target.shape, target.shape[-1:])
        if not fits:
            raise ValueError(
                f"{name}[{row}] must be a vector of {target.shape[-1]} numbers, "
                f"or one for each leading axis, shape {target.shape}; got shape {vector.shape}"
            )
        target[...] = vector
    return table
