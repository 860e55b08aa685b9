"""Right answers by exact fractions, sharing no code with the library.

Where every scaled score is a whole multiple of ln 2, exp(score) is a power of two, so
weights and outputs are fractions. Tables are lists of rows of whole numbers; a score
table holds those multiples, and a bias too.
"""

from fractions import Fraction


def dot_products(q, k):
    return [[sum(a * b for a, b in zip(x, y)) for y in k] for x in q]


def weights(scores, visible=None):
    """Rows of powers of two, hidden entries left out, each divided by its sum."""
    table = []
    for i, row in enumerate(scores):
        powers = [
            Fraction(2) ** score if visible is None or visible[i][j] else Fraction(0) for j, score in enumerate(row)
        ]
        total = sum(powers)
        table.append([power / total if total else Fraction(0) for power in powers])
    return table


def times(a, b):
    """Matrix product; ``b`` may have no rows, but then it has no columns to speak of."""
    columns = list(zip(*b))
    return [[sum((x * y for x, y in zip(row, column)), Fraction(0)) for column in columns] for row in a]


def transposed(table):
    return [list(column) for column in zip(*table)]


def attention(q, k, v, *, visible=None, bias=None):
    """``q`` and ``k`` such that q · k counts multiples of ln 2."""
    scores = dot_products(q, k)
    if bias is not None:
        scores = [[s + b for s, b in zip(row, extra)] for row, extra in zip(scores, bias)]
    return times(weights(scores, visible), v)


def backward(d_out, w, q, k, v):
    """Gradients for v, for the scaled scores, and for q and k without their factors of scale and ln 2."""
    d_v = times(transposed(w), d_out)
    d_w = times(d_out, transposed(v))
    d_scaled = [
        [p * (d - sum(a * b for a, b in zip(p_row, d_row))) for p, d in zip(p_row, d_row)]
        for p_row, d_row in zip(w, d_w)
    ]
    return d_v, d_scaled, times(d_scaled, k), times(transposed(d_scaled), q)


def causal(n_query, n_key, align):
    """Who may read whom, from the words of the definition: nothing later than the query's own position."""
    first = n_key - n_query if align == "end" else 0
    return [[j <= first + i for j in range(n_key)] for i in range(n_query)]


def floats(table):
    return [[float(x) for x in row] for row in table]
