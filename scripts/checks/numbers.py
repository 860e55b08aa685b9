"""Does the page's own code compute every number that the page states?"""

from __future__ import annotations

import ast
import bisect
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from chapter import Problem

from .code import dotted, nodes, parsed, python_fences
from .declared import Entry, page_name, read_entries
from .prose import Page, code_comments
from .quantities import Quantity, quantities, quantities_in

_FULL_WIDTH = re.compile(r"[０-９][０-９．，]*")
_OUTPUT_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-−+])?(?:(?P<top>\d+)/(?P<under>\d+)(?![\d/])"
    r"|(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+))"
    r"(?P<percent>\s?%)?",
    re.A,
)
_FUNCTIONS = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp}
_CONSTANTS = {
    f"{module}.{name}": value
    for module in ("math", "np", "numpy")
    for name, value in (("e", math.e), ("pi", math.pi))
}
_FLOAT_DECIMALS = 12  # to which a computed constant is trusted
_LEAST_DECIMALS = 3  # that a printed value needs to stand for a fraction it only approaches
_CLOSE = Fraction(1, 10)  # a source that near is worth naming
_WAYS_OUT = (
    "compute it in a block of this page, correct it, or list it with its source in docs/facts.yml"
)


@dataclass(frozen=True)
class Source:
    """A number that the page computes, or a listed fact."""

    value: Fraction
    decimals: int | None  # to which it is known; None if it is exact
    text: str
    line: int

    def gives(self, quantity: Quantity) -> bool:
        """Whether a reader may write `quantity` for this number."""
        own = self.value if quantity.signed else abs(self.value)
        gap = abs(own - quantity.value)
        if quantity.decimals is not None:
            return gap <= Fraction(1, 2 * 10**quantity.decimals)
        if gap == 0:
            return True
        if self.decimals is None or self.decimals < _LEAST_DECIMALS:
            return False
        return gap <= Fraction(1, 2 * 10**self.decimals)


class Facts:
    """The numbers of docs/facts.yml, and which of them no page needs."""

    def __init__(self, text: str = "", path: str = "docs/facts.yml"):
        self._path = path
        self._entries, self.problems = read_entries(
            text, path, required=("value", "what", "source"), lists=("pages",)
        )
        self._used: set[int] = set()

    def phrases(self, page: Page) -> tuple[str, ...]:
        """Facts that are more than a number, such as “Python 3.11”, and stand on the page."""
        found = []
        for entry in self._entries_for(page):
            phrase = entry.fields["value"]
            if _as_source(entry) is None and phrase in page.prose:
                self._used.add(entry.line)
                found.append(phrase)
        return tuple(found)

    def gives(self, page: Page, quantity: Quantity) -> bool:
        for entry in self._entries_for(page):
            source = _as_source(entry)
            if source is not None and source.gives(quantity):
                self._used.add(entry.line)
                return True
        return False

    def unused(self) -> list[Problem]:
        return [
            Problem(
                self._path,
                entry.line,
                f"no page states “{entry.fields['value']}” without computing it; delete the entry",
            )
            for entry in self._entries
            if entry.line not in self._used
        ]

    def _entries_for(self, page: Page) -> Iterator[Entry]:
        name = page_name(page.path)
        for entry in self._entries:
            if name in entry.lists.get("pages", (name,)):
                yield entry


def _as_source(entry: Entry) -> Source | None:
    value = entry.fields["value"]
    found = quantities_in(value)
    if len(found) != 1 or found[0].text != value.strip():
        return None
    return Source(found[0].value, found[0].decimals, value, entry.line)


def check(page: Page, facts: Facts | None = None) -> list[Problem]:
    facts = facts or Facts()
    problems = [*_full_width(page)]
    ways_out = _WAYS_OUT + _unrecorded(page)
    sources = sorted(_sources(page), key=lambda source: source.value)
    stated = [*quantities(page, facts.phrases(page)), *_in_comments(page)]
    for quantity in sorted(stated, key=lambda stated: stated.line):
        if not _given(quantity, sources) and not facts.gives(page, quantity):
            message = f"“{quantity.text}”: nothing on this page gives this number"
            if near := _nearest(quantity, sources):
                message += f" (nearest: {near.text}, line {near.line})"
            problems.append(Problem(page.path, quantity.line, f"{message}; {ways_out}"))
    return problems


def _unrecorded(page: Page) -> str:
    """A hint, where an output that may hold the number has not been written yet."""
    for block in page.chapter.blocks:
        if "print(" in block.code and block.output is None:
            return (
                f" (the block of line {block.line} prints and has no output under it: "
                "run `dev.py update` first)"
            )
    return ""


def _full_width(page: Page) -> Iterator[Problem]:
    for found in _FULL_WIDTH.finditer(page.prose):
        plain = found[0].translate({ord(wide): ord(wide) - 0xFEE0 for wide in found[0]})
        yield Problem(
            page.path,
            page.line_of(found.start()),
            f"“{found[0]}”: full-width digits are found by no search and no check; write {plain}",
        )


def _in_comments(page: Page) -> Iterator[Quantity]:
    for block in python_fences(page):
        for line, comment in code_comments(block):
            yield from quantities_in(comment, line)


def _given(quantity: Quantity, sources: list[Source]) -> bool:
    slack = Fraction(1, 10 ** (_LEAST_DECIMALS if quantity.decimals is None else quantity.decimals))
    signs = (1,) if quantity.signed else (1, -1)
    for target in (sign * quantity.value for sign in signs):
        first = bisect.bisect_left(sources, target - slack, key=lambda source: source.value)
        for source in sources[first:]:
            if source.value > target + slack:
                break
            if source.gives(quantity):
                return True
    return False


def _nearest(quantity: Quantity, sources: Iterable[Source]) -> Source | None:
    def gap(source: Source) -> Fraction:
        return abs(source.value - quantity.value)

    best = min(sources, key=gap, default=None)
    return best if best and gap(best) <= _CLOSE * abs(quantity.value) else None


def _sources(page: Page) -> set[Source]:
    found: dict[tuple, Source] = {}
    for block in python_fences(page):
        tree = parsed(block)
        if isinstance(tree, Problem):
            continue  # the fences check reports it
        for source in _literals(tree, block.line):
            found.setdefault((source.value, source.decimals), source)
        if block.output:
            for source in _printed(block.output.code, block.output.line):
                found.setdefault((source.value, source.decimals), source)
    return set(found.values())


def _literals(tree: ast.Module, line: int) -> Iterator[Source]:
    negated = {id(node.operand) for node in nodes(tree) if _is_negative(node)}
    for node in nodes(tree):
        if id(node) in negated or not isinstance(node, ast.expr):
            continue
        if (value := _constant(node)) is not None:
            text = ast.unparse(node)
            if isinstance(value, float):
                yield Source(Fraction(value), _FLOAT_DECIMALS, text, line + node.lineno)
            else:
                yield Source(value, _decimals(node), text, line + node.lineno)


def _is_negative(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def _decimals(node: ast.expr) -> int | None:
    """How many decimals a literal has; None for what is exact."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return len(repr(node.value).partition("e")[0].partition(".")[2])
    return None


def _constant(node: ast.expr) -> Fraction | float | None:
    """The value of an expression of literals; a float where it is not exact."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            return None
        return Fraction(repr(node.value)) if math.isfinite(node.value) else None
    if isinstance(node, ast.Attribute):
        return _CONSTANTS.get(dotted(node))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _constant(node.operand)
        return -value if value is not None and isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left = _constant(node.left)
        right = _constant(node.right) if left is not None else None
        return None if right is None else _computed(node.op, left, right)
    if isinstance(node, ast.Call) and not node.keywords:
        arguments = [_constant(argument) for argument in node.args]
        if arguments and None not in arguments:
            return _called(dotted(node.func).rpartition(".")[2], arguments)
    return None


def _computed(operator: ast.operator, left, right) -> Fraction | float | None:
    try:
        match operator:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left / right
            case ast.FloorDiv():
                return Fraction(left // right)
            case ast.Mod():
                return left % right
            case ast.Pow() if abs(right) <= 64 and abs(left) <= 10**6:
                power = left**right
                return power if isinstance(power, (Fraction, float)) else None
    except (ArithmeticError, ValueError):
        pass
    return None


def _called(name: str, arguments: list) -> Fraction | float | None:
    try:
        if name == "Fraction" and len(arguments) <= 2:
            return Fraction(*arguments)
        if name in _FUNCTIONS and len(arguments) == 1:
            return _FUNCTIONS[name](arguments[0])
    except (ArithmeticError, ValueError, TypeError):
        pass
    return None


def _printed(output: str, line: int) -> Iterator[Source]:
    for number, text in enumerate(output.split("\n"), line + 1):
        for found in _OUTPUT_NUMBER.finditer(text):
            yield from _printed_number(found, number)


def _printed_number(found: re.Match, line: int) -> Iterator[Source]:
    factor = -1 if found["sign"] in {"-", "−"} else 1
    if found["top"]:
        if int(found["under"]):
            yield Source(
                factor * Fraction(int(found["top"]), int(found["under"])), None, found[0], line
            )
        return
    digits = found["digits"]
    readings = {digits.replace(",", "")}
    if "," in digits:  # 114,688 is one number; a tuple printed without spaces is several
        readings.update(digits.split(","))
    for reading in readings:
        value = factor * Fraction(reading.rstrip("."))
        decimals = _printed_decimals(reading)
        if found["percent"]:
            value, decimals = value / 100, decimals + 2
        yield Source(value, decimals, found[0], line)


def _printed_decimals(digits: str) -> int:
    mantissa, _, exponent = digits.lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))
