"""Lines as thick as the weights, from the one that reads; what the element starts from."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_reading import overlapping_texts, texts
from matplotlib.patches import FancyBboxPatch, PathPatch

import attn
from attn import figures, lessons
from attn.figures.interactive import interactive_of

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def pair(lang):
    both = [lessons.addition(sentence=n) for n in (1, 2)]
    return [one.trace() for one in both], [one.labels(lang) for one in both]


def draw(lang="en", row=3):
    traces, labels = pair(lang)
    return figures.reading_lines(traces, labels=labels, row=row, lang=lang)


def test_lines_are_as_thick_as_the_weights():
    fig = draw()
    widths = {p.get_gid(): p.get_linewidth() for p in fig.findobj(PathPatch) if p.get_gid()}
    for place, trace in enumerate(pair("en")[0]):
        drawn = np.array([widths[f"line {place} {j}"] for j in range(6)])
        assert drawn / drawn.sum() == pytest.approx(trace.weights[3])


def test_lines_lead_from_the_reader_to_each_position():
    fig = draw(row=0)
    chips = {p.get_gid(): p.get_bbox() for p in fig.findobj(FancyBboxPatch) if p.get_gid()}
    middle = {gid: (box.x0 + box.x1) / 2 for gid, box in chips.items()}
    for patch in fig.findobj(PathPatch):
        if not patch.get_gid():
            continue
        _, place, j = patch.get_gid().split()
        (start, *_), *_, (end, _) = patch.get_path().vertices
        if j != "0":
            assert start == pytest.approx(middle[f"chip {place} 0"])
            assert end == pytest.approx(middle[f"chip {place} {j}"])


@pytest.mark.parametrize("lang, first, second", [("zh", "加 52.4%", "减 43.5%"), ("en", "plus 52.4%", "minus 43.5%")])
def test_the_lesson(lang, first, second):
    fig = draw(lang)
    # Chapter 05 prints these shares.
    assert [texts(fig)[f"share 0 {j}"] for j in range(6)] == ["11.8%", "52.4%", "7.8%", "17.6%", "1.4%", "9.0%"]
    assert first in figures.description(fig) and second in figures.description(fig)
    assert overlapping_texts(fig) == []


def test_what_the_element_gets():
    element, data = interactive_of(draw(row=-1))
    data = json.loads(data)
    assert element == "who-reads-whom"
    assert data["row"] == 5 and data["numbers"] is True
    # Only 等 于 ? stand in both sentences.
    assert data["same_query"] == [False, False, False, True, True, True]
    assert data["sentences"][1]["weights"] == lessons.addition(sentence=2).trace().weights.tolist()
    assert data["sentences"][1]["labels"][0] == "ten"


def test_bad_input_is_named():
    traces, labels = pair("en")
    wide = attn.trace(np.eye(2), np.ones((3, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="traces: got 0"):
        figures.reading_lines([], labels=[], lang="en")
    with pytest.raises(ValueError, match="labels: got 1 rows of labels; 2 sentences need 2"):
        figures.reading_lines(traces, labels=labels[:1], lang="en")
    with pytest.raises(ValueError, match=r"traces: got weights of shape \(2, 3\)"):
        figures.reading_lines([wide], labels=[["a", "b", "c"]], lang="en")
    with pytest.raises(ValueError, match="row: got 6; -6 to 5 fits"):
        figures.reading_lines(traces, labels=labels, row=6, lang="en")
    with pytest.raises(ValueError, match=r"labels\[1\]: got 5 labels"):
        figures.reading_lines(traces, labels=[labels[0], labels[1][:5]], lang="en")
