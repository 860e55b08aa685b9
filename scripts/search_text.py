"""Formulas in the search index: as text a reader can read, `x_1·x_2` for `\\(x_1\\cdot x_2\\)`."""

from __future__ import annotations

import html
import re

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

# As pymdownx.arithmatex leaves formulas in the page, and the search index in its text.
FORMULA = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
# They change how a formula is set, not what it says.
SIZES_AND_BREAKS = ["left", "right", "bigl", "bigr", "Bigl", "Bigr", "allowbreak"]


def _to_text() -> LatexNodes2Text:
    commands = get_default_latex_context_db()
    commands.add_context_category("sizes", [MacroTextSpec(name, "") for name in SIZES_AND_BREAKS], prepend=True)
    # Otherwise a command it does not know would vanish.
    commands.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=lambda node: node.latex_verbatim()))
    return LatexNodes2Text(math_mode="text", latex_context=commands)


TO_TEXT = _to_text()


def readable(entry: str) -> str:
    """The text of an entry, HTML-escaped as it was, with its formulas as plain text."""
    return FORMULA.sub(lambda match: _plain(match[1] or match[2]), entry)


def _plain(tex: str) -> str:
    words = TO_TEXT.latex_to_text(html.unescape(tex)).split()
    return html.escape(" ".join(words), quote=False)
