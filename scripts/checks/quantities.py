"""Find the numbers of a page that something has to compute: in prose, formulas and comments.

A number counts if it has a decimal point, is a fraction or a percentage, or has two digits
or more. Chapter and section numbers, years, names and versions are told apart by rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from .prose import Formula, Page

_RANGE = r"(?:\s*(?:[,、，–—-]|and|or|to|then|through|和|与|到|至|及)\s*)+"
_YEAR = r"(?:19[5-9]\d|20[0-2]\d|203[0-5])"
_NOT_QUANTITIES = [
    # 12. at the beginning of a line: the number of a list item.
    re.compile(r"^[ \t>]*\d+[.)](?=[ \t])", re.M),
    # float32, bf16, Qwen2.5-7B, GPT-2, UTF-8: names.
    re.compile(r"(?<![A-Za-z0-9_])(?:[A-Za-z][A-Za-z_]*\d|[A-Z][A-Za-z]*[-‑]\d)[\w.‑-]*", re.A),
    # 7B, 1.5B: the size in a model's name.
    re.compile(r"(?<![\w.])\d+(?:\.\d+)?B(?![A-Za-z0-9])"),
    # 3.11.5: a version. A number has one point.
    re.compile(r"(?<![\w.])\d+(?:\.\d+){2,}", re.A),
    re.compile(r"(?:Python|Node(?:\.js)?|NumPy|Matplotlib|PyTorch)\s*(?:≥|>=)?\s*\d+(?:\.\d+)*"),
    re.compile(r"(?:CC BY(?:-[A-Z]{2})*|Apache) \d\.\d"),
    # 2017-06-12, 12 June 2017, 2017 年 6 月 12 日.
    re.compile(r"(?<!\d)(?:19|20)\d\d[-/]\d{1,2}[-/]\d{1,2}(?!\d)"),
    re.compile(
        r"(?:\d{1,2}\s+)?\b(?:January|February|March|April|May|June|July|August|September|October|"
        r"November|December)\s+(?:\d{1,2},\s+)?(?:19|20)\d\d(?!\d)"
    ),
    re.compile(r"(?<!\d)(?:19|20)\d\d\s*年(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*日)?"),
    # chapter 06, chapters 10 and 12, 第 06 章, 06、07 两章.
    re.compile(rf"\b[Cc]hapters?\s+\d+(?:{_RANGE}\d+)*"),
    re.compile(rf"\d+(?:{_RANGE}\d+)*\s*[一两几三]?章"),
    # 00–08, 10, 12: a list that begins like a chapter's number.
    re.compile(rf"(?<![\d.,])0\d(?:{_RANGE}\d\d(?!\.?\d))*(?!\.?\d)"),
    # §3.2.1, section 3.2.1, 第 3.2 节.
    re.compile(rf"(?:§|\b[Ss]ections?)\s*\d+(?:\.\d+)*(?:{_RANGE}\d+(?:\.\d+)*)*"),
    re.compile(rf"第\s*\d+(?:\.\d+)*(?:{_RANGE}\d+(?:\.\d+)*)*\s*节"),
    # figure 12, equation (12), p. 12, 图 12, 第 12 页.
    re.compile(
        r"\b(?:[Ff]igure|[Ff]ig\.|[Tt]able|[Ee]quation|[Ee]q\.|[Pp]ages?|pp?\.|[Ll]ines?)\s+"
        rf"\(?\d+\)?(?:{_RANGE}\d+)*(?!\.?\d)"
    ),
    re.compile(r"(?<![一-鿿])[见如]?[图表式]\s*[(（]?\d+(?!\.?\d)|第\s*\d+\s*页"),
    # arXiv:1706.03762
    re.compile(r"arXiv[:\s]*\d{4}\.\d{4,5}(?:v\d+)?"),
    # (2017), Wiegreffe & Pinter 2019, Wallace，2019, et al., 2017, in 2017: a source's year.
    re.compile(
        r"(?:[(（]|\b[A-Z][A-Za-z'’-]{2,}[,，]?\s?|\bal\.,?\s|\b[Ii]n\s|\b[Ss]ince\s|等人?[，,]?\s?)"
        rf"{_YEAR}[a-z]?(?=[)）\s;；,，:：.。]|$)(?![.,]\d|\s?[×/%])"
    ),
    # the paper of 2017, the 2017 paper.
    re.compile(rf"\b(?:[Oo]f|[Ff]rom)\s{_YEAR}(?=\s*(?:[.,;:()（）]|$))", re.M),
    re.compile(rf"(?<!\d){_YEAR}(?=\s(?:paper|article|[Tt]ransformer)\b)"),
]  # fmt: skip

_BETWEEN_PARAGRAPHS = re.compile(r"(\n\s*\n)")
_DIGIT = re.compile(r"\d")

_DIGITS = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|(?<!\d)\.\d+"
_TEX_DIGITS = r"\d{1,3}(?:(?:\{,\}|\\,)\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|(?<!\d)\.\d+"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_FROM_SUPERSCRIPT = str.maketrans(_SUPERSCRIPTS, "0123456789-")
_PROSE_NUMBER = re.compile(
    rf"""
    (?P<sign> (?<![A-Za-z0-9)\]%])[-−+] )?
    (?:
      (?<![\d./]) (?P<numerator>\d+) [ ]?/[ ]? (?P<denominator>\d+) (?![\d/]|\.\d)
    | (?P<vulgar>[¼-¾⅐-⅞])
    | (?<![\d.]) (?P<digits>{_DIGITS}) (?P<power>[{_SUPERSCRIPTS}]+ | [eE][-−+]?\d+(?![A-Za-z]))?
      (?P<percent> \s?[%％] | (?=\s?[–—~～-]\s?\d+(?:\.\d+)?\s?[%％]) )?
    )
    """,
    re.X,
)
_TEX_NUMBER = re.compile(
    rf"""
    (?P<sign> (?<![A-Za-z0-9)\]}}]) (?<![A-Za-z0-9)\]}}]\s) \{{?[-−+]\}}?\s? )?
    (?:
      \\[td]?frac\s* (?:\{{\s*(?P<top>\d+)\s*\}}|(?P<top1>\d))
        \s* (?:\{{\s*(?P<under>\d+)\s*\}}|(?P<under1>\d))
    | (?<![\d.^]) (?P<numerator>\d+)\s*/\s*(?P<denominator>\d+) (?![\d]|\.\d)
    | (?<![\d.]) (?P<digits>{_TEX_DIGITS}) (?P<power>\s*\^\s*(?:\{{\s*-?\d+\s*\}}|\d))?
      (?P<percent> (?:\\[,;:\ ]|~|\s)*\\% )?
    )
    """,
    re.X,
)
# Lengths, indices and what is not shown.
_TEX_UNREAD = re.compile(
    r"""
    \\[hmv]space\*?\{[^{}]*\}
  | \\\\\s*\[[^\]]*?(?:em|ex|pt|mu|px)\s*\]
  | \\(?:tag|label|ref|eqref|[hv]?phantom|begin|end|color|htmlClass|class)\*?\{[^{}]*\}
  | (?<![\d.])\d*\.?\d+\s*(?:em|ex|pt|mu|px)\b
  | _\s*(?:\{[^{}.]*\}|\d)
    """,
    re.X,
)
_TEX_WORDS = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|operatorname)\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class Quantity:
    """A number as a reader sees it."""

    text: str
    line: int
    value: Fraction  # a percentage divided by 100
    decimals: int | None  # how many are printed, after that division; None for a fraction
    signed: bool


def quantities(page: Page, phrases: tuple[str, ...] = ()) -> tuple[Quantity, ...]:
    """The numbers of prose and formulas, in the order of the page.

    `phrases` are left out wherever they stand in the prose ("Debian 12").
    """
    return _quantities(page, phrases)


@lru_cache(maxsize=512)  # two checks ask for it
def _quantities(page: Page, phrases: tuple[str, ...]) -> tuple[Quantity, ...]:
    found = [*_in_prose(page, phrases), *_in_formulas(page)]
    return tuple(sorted(found, key=lambda quantity: quantity.line))


def quantities_in(text: str, line: int = 1) -> list[Quantity]:
    """The numbers in a piece of prose that stands on one line."""
    return list(_scan(_without_rules(text), _PROSE_NUMBER, lambda offset: line))


def _in_prose(page: Page, phrases: tuple[str, ...]) -> Iterator[Quantity]:
    text = page.prose
    for link in page.links:
        text = _without_own_chapter(text, link.target, link.start, link.end)
    for heading in page.chapter.headings[:1]:
        start = page.chapter.text.find(heading.text)
        text = _without_own_chapter(text, page.path, start, start + len(heading.text))
    for phrase in phrases:
        text = text.replace(phrase, " " * len(phrase))
    yield from _scan(_without_rules(text), _PROSE_NUMBER, page.line_of)


def _without_own_chapter(text: str, target: str, start: int, end: int) -> str:
    """Blank the number of a chapter at the beginning of its title or of a link to it."""
    own = re.search(r"(?:^|/)(\d\d)-[^/]*$", target.partition("#")[0].rstrip("/"))
    if own and (number := re.match(rf"\s*{own[1]}(?![\d.])", text[start:end])):
        return text[:start] + " " * number.end() + text[start + number.end() :]
    return text


def _without_rules(text: str) -> str:
    paragraphs = _BETWEEN_PARAGRAPHS.split(text)
    return "".join(map(_paragraph_without_rules, paragraphs))


def _paragraph_without_rules(text: str) -> str:
    if _DIGIT.search(text):
        for rule in _NOT_QUANTITIES:
            text = rule.sub(_spaces, text)
    return text


def _spaces(found: re.Match) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _in_formulas(page: Page) -> Iterator[Quantity]:
    for formula in page.formulas:
        yield from _scan(_readable(formula), _TEX_NUMBER, _line_in(page, formula))


def _line_in(page: Page, formula: Formula):
    return lambda offset: page.line_of(formula.start + offset)


def _readable(formula: Formula) -> str:
    tex = _TEX_UNREAD.sub(_spaces, formula.tex)
    return _TEX_WORDS.sub(lambda found: _without_rules(found[0]), tex)


def _scan(text: str, pattern: re.Pattern, line_of) -> Iterator[Quantity]:
    for found in pattern.finditer(text):
        if (quantity := _quantity(found, line_of(found.start()))) is not None:
            yield quantity


def _quantity(found: re.Match, line: int) -> Quantity | None:
    """The number that was found, or None where it is too small a thing to be checked."""
    groups = found.groupdict()
    sign = groups["sign"] or ""
    factor = -1 if sign.strip("{} ") in {"-", "−"} else 1
    text = " ".join(found[0].split())
    if groups["digits"] is None:
        value = _fraction(groups)
        return None if value is None else Quantity(text, line, factor * value, None, bool(sign))
    whole, _, part = re.sub(r"[^\d.]", "", groups["digits"]).partition(".")
    digits, decimals = whole + part, len(part)
    percent, power = groups["percent"] is not None, groups["power"]
    if not (percent or len(digits) > 1 or (power and power[0] in "eE")):
        return None
    value = Fraction(int(digits), 10**decimals)
    if power and (power[0] in "eE" or digits == "10"):
        exponent = _exponent(power)
        value *= Fraction(10) ** (exponent - (digits == "10" and power[0] not in "eE"))
        decimals = max(0, decimals - exponent)
    if percent:
        value, decimals = value / 100, decimals + 2
    return Quantity(text, line, factor * value, decimals, bool(sign))


def _exponent(power: str) -> int:
    plain = power.translate(_FROM_SUPERSCRIPT).replace("−", "-")
    return int(re.sub(r"[^\d-]", "", plain))


def _fraction(groups: dict[str, str | None]) -> Fraction | None:
    if vulgar := groups.get("vulgar"):
        return Fraction(unicodedata.numeric(vulgar)).limit_denominator(10)
    top = groups["numerator"] or groups.get("top") or groups.get("top1")
    under = groups["denominator"] or groups.get("under") or groups.get("under1")
    return Fraction(int(top), int(under)) if int(under) else None
