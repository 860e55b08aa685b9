"""Whether two SVGs show the same figure, drawn by two releases of matplotlib.

Everything but geometry must be the same to the letter: elements, texts and the glyphs they
are drawn with, colours, opacities, line widths, the alt text. Releases of matplotlib set
text a little wider or narrower, and what is laid out around it follows: so a shape may be
shifted and stretched, but must be the same shape, and nothing may go far.
"""

import re
import xml.etree.ElementTree as ElementTree

NUMBER = re.compile(r"-?\d*\.?\d+(?:[eE][-+]?\d+)?")
GEOMETRY = ("d", "transform", "x", "y", "width", "height")
ROUNDED = 0.03  # coordinates have two decimals, and a shape is compared after a stretch
FAR = 1 / 25  # of the figure's larger side


def differences(one: str, other: str) -> list[str]:
    """What differs, in words; nothing if the two are the same figure."""
    first, second = (list(ElementTree.fromstring(svg).iter()) for svg in (one, other))
    if [element.tag for element in first] != [element.tag for element in second]:
        return ["the elements"]
    far = max(map(float, first[0].get("viewBox").split()[2:])) * FAR
    found = []
    for a, b in zip(first, second):
        tag = a.tag.rpartition("}")[2]
        if a.text != b.text:
            found.append(f"text of <{tag}>: {a.text!r}, {b.text!r}")
        for name in sorted({*a.keys(), *b.keys()}):
            if not _same(name, a.get(name), b.get(name), far):
                found.append(f"{name} of <{tag}>: {a.get(name)!r}, {b.get(name)!r}")
    return found


def _same(name: str, one: str | None, other: str | None, far: float) -> bool:
    if one == other:
        return True
    if name not in GEOMETRY or None in (one, other) or NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (one, other)]
    if max(abs(a - b) for a, b in zip(*numbers)) > far:
        return False
    if name != "d":
        return True
    # A path's numbers are pairs: its drawing commands in matplotlib's SVG are M, L, Q, C and z.
    return all(_same_shape(numbers[0][axis::2], numbers[1][axis::2]) for axis in (0, 1))


def _same_shape(one: list[float], other: list[float]) -> bool:
    """Whether coordinates along one axis are the same but for a shift and a stretch."""
    low, high = min(one), max(one)
    start, end = min(other), max(other)
    if high - low < 1 or end - start < 1:  # a line along the other axis
        return abs((high - low) - (end - start)) <= ROUNDED
    stretch = (high - low) / (end - start)
    return all(abs((a - low) - (b - start) * stretch) <= ROUNDED for a, b in zip(one, other))
