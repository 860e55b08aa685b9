"""A matplotlib figure as one SVG string that can stand inside an HTML page."""

import io
import re
import xml.etree.ElementTree as ElementTree

import matplotlib
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from .alt import Alt, alt_of, first_sentence, maker_of
from .style import INK, NEUTRALS, PAPER, register_font, strict_glyphs

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d*\.?\d+(?:[eE][-+]?\d+)?")
_TRANSLATE = re.compile(r"translate\([^)]*\)")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_GLYPH_SCALE = "scale(0.015625)"
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_ROOT_FILL = "fill:currentColor"
_CSS_PIXELS_PER_POINT = 96 / 72

_TEXT_COLOURS = {**NEUTRALS, "#000000": NEUTRALS[INK]}
_SHAPE_COLOURS = {**_TEXT_COLOURS, "#ffffff": NEUTRALS[PAPER]}


def to_svg(fig: Figure, *, prefix: str) -> str:
    """`fig` as inline SVG: the same bytes for the same figure, light and dark alike.

    `prefix` starts every id in the result, so that two figures of a page never share
    one; letters, digits, `-` and `_`, a letter first.

    Text becomes paths. Neutral colours of the style become `currentColor` and CSS
    variables, and so do the black and white of a figure drawn by hand; white
    backgrounds vanish. The size is a `viewBox` and a maximum width, for the page to
    scale down. `fig` itself is left as it was.

    Raises ValueError where `fig` has no alt text (see `describe`), a `prefix` cannot be
    an id, or a character has no glyph (`style.MissingGlyph`).
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", prefix):
        raise ValueError(
            f"prefix: got {prefix!r}; letters, digits, '-' and '_' with a letter first fit"
        )
    alt = alt_of(fig)
    if alt is None:
        raise ValueError(
            f"fig: {maker_of(fig)} has no alt text; "
            "call attn.figures.describe(fig, text) before it is shown"
        )
    root = ElementTree.fromstring(_draw(fig))
    _drop_metadata(root)
    _use_plain_names(root)
    _recolour(root)
    _shorten_numbers(root)
    _unwrap_bare_groups(root)
    _rename_ids(root, prefix)
    _frame(root, alt, prefix)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _draw(fig: Figure) -> str:
    register_font()
    white = [
        patch
        for patch in (fig.patch, *(axes.patch for axes in fig.axes))
        if patch.get_visible() and same_color(patch.get_facecolor(), "white")
    ]
    for patch in white:
        patch.set_visible(False)
    buffer = io.StringIO()
    try:
        with (
            strict_glyphs(maker_of(fig)),
            matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": "attention-by-hand"}),
        ):
            fig.savefig(buffer, format="svg", metadata={"Date": None})
    finally:
        for patch in white:
            patch.set_visible(True)
    return buffer.getvalue()


def _drop_metadata(root: ElementTree.Element) -> None:
    # matplotlib's <style> would restyle the whole page: `*{stroke-linejoin: round; …}`.
    for child in list(root):
        if child.tag == f"{_SVG}metadata" or child.find(f"{_SVG}style") is not None:
            root.remove(child)


def _use_plain_names(root: ElementTree.Element) -> None:
    """Unprefixed tags and `href`, as HTML writes them."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        if _HREF in element.attrib:
            element.set("href", element.attrib.pop(_HREF))


def _recolour(root: ElementTree.Element) -> None:
    """Neutral ink to `currentColor` and variables; plain black and white as well.

    White text stays white: it stands on a coloured cell. Black needs no style in
    matplotlib's output, hence the fill of the root (see `_frame`).
    """

    def shape_colour(match: re.Match) -> str:
        return _SHAPE_COLOURS.get(match[0].lower(), match[0])

    def text_colour(match: re.Match) -> str:
        return _TEXT_COLOURS.get(match[0].lower(), match[0])

    def visit(element: ElementTree.Element, in_text: bool) -> None:
        kind = element.get("id", "").rpartition("_")[0]
        # A patch in a text is the box behind it.
        in_text = kind != "patch" and (in_text or kind == "text")
        style = re.sub(r"\s*([:;])\s*", r"\1", element.get("style", ""))
        # The background of a hatch is an attribute, where var() is not at home.
        if fill := element.attrib.pop("fill", None):
            style = f"fill:{fill};{style}".rstrip(";")
        style = _HEX.sub(text_colour if in_text else shape_colour, style)
        element.attrib.pop("style", None)
        if style and style != _ROOT_FILL:
            element.set("style", style)
        for child in element:
            visit(child, in_text)

    visit(root, in_text=False)


def _shorten_numbers(root: ElementTree.Element) -> None:
    for element in root.iter():
        # Glyph outlines come in 1/6400 of the font size: whole numbers are plenty.
        decimals = 0 if element.get("transform") == _GLYPH_SCALE else 2
        for name in ("d", "x", "y", "points"):
            if name in element.attrib:
                element.set(name, _compact(element.get(name), decimals))
        if transform := element.get("transform"):
            element.set("transform", _TRANSLATE.sub(lambda m: _compact(m[0], 2), transform))


def _compact(text: str, decimals: int) -> str:
    """Numbers rounded, and no space but between two numbers."""

    def rounded(match: re.Match) -> str:
        number = f"{float(match[0]):.{decimals}f}"
        if "." in number:
            number = number.rstrip("0").rstrip(".")
        return "0" if number == "-0" else number

    text = _NUMBER.sub(rounded, " ".join(text.split()))
    return re.sub(r" ?([A-Za-z]) ?", r"\1", text)


def _unwrap_bare_groups(parent: ElementTree.Element) -> None:
    """Lift the children of groups that say nothing: matplotlib nests four deep."""
    children = []
    for child in parent:
        _unwrap_bare_groups(child)
        child.tail = child.text = None
        bare = child.tag == "g" and not set(child.attrib) - {"id"}
        children.extend(child if bare else [child])
    parent[:] = children
    parent.text = None


def _rename_ids(root: ElementTree.Element, prefix: str) -> None:
    """Number the ids that are referred to, in the order they appear; drop the others."""
    used = {name for element in root.iter() for name in _references(element)}
    names: dict[str, str] = {}
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in used:
            names[own] = f"{prefix}-{len(names) + 1}"
            element.set("id", names[own])
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "href" and value.startswith("#"):
                element.set(key, f"#{names[value[1:]]}")
            else:
                element.set(key, _REFERENCE.sub(lambda m: f"url(#{names[m[1]]})", value))


def _references(element: ElementTree.Element) -> list[str]:
    names = [name for value in element.attrib.values() for name in _REFERENCE.findall(value)]
    href = element.get("href", "")
    return [*names, href[1:]] if href.startswith("#") else names


def _frame(root: ElementTree.Element, alt: Alt, prefix: str) -> None:
    """Size, role and names of the root."""
    _, _, width, _ = map(float, root.get("viewBox").split())
    title_id, text_id = f"{prefix}-title", f"{prefix}-desc"
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": _compact(root.get("viewBox"), 2),
        "role": "img",
        # A title cut from the text would only be read out twice.
        "aria-labelledby": f"{title_id} {text_id}" if alt.title else text_id,
        "stroke-linejoin": "round",
        "style": (
            f"width:100%;max-width:{width * _CSS_PIXELS_PER_POINT:.0f}px;"
            f"height:auto;{_ROOT_FILL}"
        ),
    }
    text = ElementTree.Element("desc", id=text_id)
    text.text = alt.text
    root.insert(0, text)
    title = ElementTree.Element("title", id=title_id)
    title.text = alt.title or first_sentence(alt.text)
    root.insert(0, title)
