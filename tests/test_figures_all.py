"""What every figure function promises: both languages, alt text, one style, no side effects."""

import doctest
import inspect
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts
from matplotlib.text import Text

import attn
from attn import figures, lessons, models
from attn.figures import style

matplotlib.use("agg")

NOT_FIGURES = {"book_style", "describe", "description", "to_svg"}
RNG = np.random.default_rng(7)


def permuted():
    q, k, v = RNG.normal(size=(3, 3, 2))
    order = [2, 0, 1]
    return attn.trace(q, k, v), attn.trace(q, k[order], v[order]), attn.trace(q[order], k[order], v[order]), order


def three():
    return lessons.three_positions()


def joined():
    w_o = RNG.normal(size=(4, 2))
    layer = attn.MultiHeadAttention(*RNG.normal(size=(3, 2, 4)), w_o, n_heads=2)
    return layer.trace(RNG.normal(size=(3, 2))), w_o


def norms():
    return {d: RNG.uniform(0, 0.5, size=40) for d in (8, 128)}


# One call of each figure function: arguments without `lang`.
SAMPLES = {
    "attention_tables": lambda: ((lessons.addition().trace(),), {"row": 3}),
    "cache_growth": lambda: (([models.QWEN3_0_6B, models.QWEN2_5_7B],), {}),
    "heads_joined": lambda: (joined(), {}),
    "data_flow": lambda: ((three().x, three().trace()), {}),
    "decoding_steps": lambda: ((three().x, three().trace(causal=True)), {}),
    "head_sharing": lambda: ((8, (8, 2, 1)), {}),
    "intervention_chart": lambda: ((attn.four_ways(three().trace(), k={1: [0, 2]}, v={1: [0, 2]}),), {}),
    "jacobian_norms": lambda: ((norms(), norms()), {}),
    "mask_gallery": lambda: (({"causal": attn.causal_mask(4), "cross": np.ones((2, 5), dtype=bool)},), {}),
    "mask_grid": lambda: ((three().trace(causal=True),), {}),
    "mask_order": lambda: ((three().trace(), attn.causal_mask(3)), {"row": 1}),
    "online_softmax": lambda: ((three().trace(), attn.streaming_steps(three().trace().q, three().trace().k, three().trace().v)), {}),
    "output_range": lambda: ((three().trace(),), {}),
    "permuted_rows": lambda: (permuted(), {}),
    "reading_lines": lambda: (([lessons.addition(sentence=n).trace() for n in (1, 2)],), {"labels": [list("abcdef")] * 2, "row": 3}),
    "repeat_against_tile": lambda: ((4, 2), {}),
    "reshape_trap": lambda: ((np.arange(1, 13).reshape(3, 4), 2), {}),
    "score_spread": lambda: (({d: RNG.normal(size=50) * d**0.5 for d in (1, 4, 16)},), {}),
    "similarity_and_scores": lambda: ((np.eye(4), RNG.normal(size=(4, 4)), (0, 1)), {}),
    "similarity_in_two_sentences": lambda: (([np.eye(4), np.ones((4, 4))],), {"labels": [list("abcd"), list("abce")], "pair": (0, 1)}),
    "soft_reading": lambda: (([0.25, 0.25, 0.5],), {"reader": "?"}),
    "softmax_steps": lambda: (([2.0, 1.0, -1.0],), {}),
    "streaming_tiles": lambda: ((attn.causal_mask(6), 2), {}),
    "weights_by_width": lambda: (({d: RNG.normal(size=6) * d**0.5 for d in (8, 128)},), {}),
}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def draw(name, lang):
    arguments, options = SAMPLES[name]()
    return getattr(figures, name)(*arguments, lang=lang, **options)


def test_every_figure_function_has_a_sample():
    assert set(SAMPLES) == set(figures.__all__) - NOT_FIGURES


@pytest.mark.parametrize("name", SAMPLES)
def test_signature_and_docstring(name):
    function = getattr(figures, name)
    lang = inspect.signature(function).parameters["lang"]
    assert lang.kind is inspect.Parameter.KEYWORD_ONLY and lang.default is inspect.Parameter.empty
    documented = inspect.getdoc(function)
    assert "Parameters" in documented and "Raises" in documented
    missing = [p for p in inspect.signature(function).parameters if not re.search(rf"^[\w, ]*\b{p}\b.*:", documented, re.M)]
    assert missing == []


@pytest.mark.parametrize("name", sorted({*SAMPLES, "book_style", "describe"}))
def test_example_runs(name):
    examples = doctest.DocTestFinder().find(getattr(figures, name), name, globs={})
    results = [doctest.DocTestRunner().run(example) for example in examples]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 0


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_figure(name, lang):
    before = dict(matplotlib.rcParams)
    fig = draw(name, lang)
    assert dict(matplotlib.rcParams) == before
    assert plt.fignum_exists(fig.number)
    assert fig.get_size_inches()[0] <= style.WIDTH
    assert overlapping_texts(fig) == []

    text = figures.description(fig)
    title = fig._attn_alt.title
    for words in (text, title):
        assert bool(re.search(r"[\u4e00-\u9fff]", words)) == (lang == "zh"), words
        assert "$" not in words and "{" not in words and "nan" not in words
    assert len(title) <= 60
    assert text.endswith("。" if lang == "zh" else ".")

    shown = [t for t in fig.findobj(Text) if t.get_text().strip() and t.get_visible()]
    too_small = {t.get_text(): t.get_fontsize() for t in shown if t.get_fontsize() < style.SMALL}
    assert too_small == {}
    if lang == "en":
        assert [t.get_text() for t in shown if re.search(r"[\u3000-\u9fff\uff00-\uffef]", t.get_text())] == []

    svg = figures.to_svg(fig, prefix="a")
    assert figures.to_svg(fig, prefix="a") == svg
    assert "#000000" not in svg


@pytest.mark.parametrize("name", SAMPLES)
def test_unknown_language(name):
    with pytest.raises(ValueError, match="lang: got 'fr'"):
        draw(name, "fr")
