"""Formulas in the search index are text that a reader can read."""

import pytest

import search_text


@pytest.mark.parametrize(
    "tex, text",
    [
        (r"\(q_3\)", "q_3"),
        (r"\(x_i\cdot x_j\)", "x_i·x_j"),
        (r"\(1/\sqrt d\)", "1/√(d)"),
        (r"\[ X=\begin{bmatrix}1&amp;0\\0&amp;1\end{bmatrix} \]", "X=[ 1 0; 0 1 ]"),
        (r"\(j&lt;i\le n\)", "j&lt;i≤n"),
        (r"\(\left[\frac12\right]\allowbreak\bigl(1\bigr)\)", "[1/2](1)"),
        (r"\(a\unheardof b\)", r"a\unheardof b"),
        (r"\(f'(x)\)", "f'(x)"),
        (r"sends \(Q\) to \(K\)", "sends Q to K"),
        ("f(x) and [0] and \\(", "f(x) and [0] and \\("),
    ],
)
def test_formulas_become_text(tex, text):
    assert search_text.readable(tex) == text


def test_other_text_stays_as_it_is():
    text = "<p>a &lt; b &amp; c\u200b权重</p>"
    assert search_text.readable(text) == text
