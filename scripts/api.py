"""Write the API pages of both editions from the docstrings of `attn`.

Griffe reads the package without running it. The sections of a docstring become lists; its
example becomes a block like any other, with the imports in front, so that it runs when
pasted. `docs/api.yml` says which names, in which order, and holds a line of Chinese for each.
`dev.py update` calls this before it writes the outputs.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import griffe
import yaml

DECLARED = "docs/api.yml"
DRAWS = "figures"  # examples from there are shown and not run: drawn, they would make a heavy page
TITLES = {
    "zh": {"Parameters": "参数", "Attributes": "属性", "Returns": "返回", "Raises": "抛出"},
    "en": {name: name for name in ("Parameters", "Attributes", "Returns", "Raises")},
}
_ROLE = re.compile(r":\w+:`~?(?P<name>[\w.]+)`")
_LITERAL = re.compile(r"``(?P<code>[^`]+)``")
_OTHER_NAMES = re.compile(r"(?<=; )(?P<names>\w+(?:, \w+)*) : ")  # `q : (n, d); k, v : (n, d)`
_LANGUAGE = re.compile(r'(lang=|labels\()"(?:zh|en)"')
_SECTION = re.compile(r"(?P<title>[A-Z]\w+)\n-+\n")


class ApiError(Exception):
    """A page that cannot be written. The message says why."""


@dataclass(frozen=True)
class Name:
    """A public name as `docs/api.yml` declares it."""

    path: str  # relative to attn: "attention", "lessons.addition"
    page: str
    chinese: str
    thing: griffe.Object

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def module(self) -> str:
        return self.path.rpartition(".")[0]

    @property
    def id(self) -> str:
        words = re.sub(r"[^a-z0-9]+", "-", self.last.lower()).strip("-")
        return f"class-{words}" if self.thing.is_class else words  # there is trace and Trace


def write(root: Path) -> list[str]:
    """Write anew the pages that say something else than the docstrings; returns their paths."""
    outdated = stale(root)
    for path, text in outdated.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    return list(outdated)


def stale(root: Path) -> dict[str, str]:
    """What should stand on each page that says something else, or is missing."""
    return {
        path: text
        for path, text in pages(root).items()
        if not (root / path).exists() or _without_outputs((root / path).read_text("utf-8")) != text
    }


def _without_outputs(page: str) -> str:
    return re.sub(r"\n~~~text\n.*?\n~~~\n", "", page, flags=re.S)


def pages(root: Path) -> dict[str, str]:
    """The text of each page, without outputs, by its path relative to `root`."""
    file = root / DECLARED
    if not file.exists():
        return {}
    declared = yaml.safe_load(file.read_text("utf-8"))
    package = griffe.load("attn", search_paths=[str(root)], try_relative_path=False)
    names = [
        Name(path, page, chinese, _find(package, path))
        for page, content in declared.items()
        for group in content["groups"]
        for path, chinese in group["names"].items()
    ]
    return {
        f"docs/{language}/reference/{page}.md": _Writer(language, page, names).page(content)
        for language in TITLES
        for page, content in declared.items()
    }


def _find(package: griffe.Object, path: str) -> griffe.Object:
    try:
        found = package[path]
        if found.is_module:  # a function that has the name of its file
            found = found[found.name]
        return found.final_target if found.is_alias else found
    except KeyError:
        raise ApiError(f"{DECLARED}: attn has no {path}; correct the name or delete it") from None


class _Writer:
    """One page in one language."""

    def __init__(self, language: str, page: str, names: list[Name]):
        self._language = language
        self._page = page
        self._names = {name.path: name for name in names}
        self._by_last = {name.last: name for name in names}

    def page(self, content: dict) -> str:
        own = content[self._language]
        parts = [f"# {own['title']} {{#{self._page}}}", own["intro"]]
        for group in content["groups"]:
            parts.append(f"## {group[self._language]} {{#{group['id']}}}")
            for path in group["names"]:
                parts += self._entry(self._names[path])
        return "\n\n".join(parts) + "\n"

    def _entry(self, name: Name) -> Iterator[str]:
        yield f"### `{name.path}` {{#{name.id}}}"
        if self._language == "zh":
            yield name.chinese
        if name.thing.is_attribute:
            yield _constant(name.thing)
            return
        if not name.thing.docstring:
            raise ApiError(f"attn.{name.path} has no docstring; write one, with an example")
        if _is_called(name.thing):
            yield f"`{name.path}{_signature(name.thing)}`"
        yield from self._docstring(name.thing, name.module)
        for member in name.thing.members.values() if name.thing.is_class else ():
            if member.docstring and (not member.name.startswith("_") or member.name == "__call__"):
                first, *others = self._docstring(member, name.module)
                call = _signature(member) if member.is_function else ""
                yield f"**`{member.name}{call}`**: {first}"
                yield from others

    def _docstring(self, thing: griffe.Object, module: str) -> Iterator[str]:
        for part in re.split(r"\n\s*\n", thing.docstring.value.strip()):
            section = _SECTION.match(part)
            body = part[section.end() :] if section else part
            if body.startswith(">>>"):
                yield self._example(body, module)
            elif section and section["title"] == "Returns":
                yield self._title("Returns")
                yield self._prose(body)
            elif section:
                yield self._title(section["title"])
                yield "\n".join(map(self._item, re.split(r"\n(?=\S)", body)))
            else:
                yield self._prose(body)

    def _title(self, title: str) -> str:
        return f"**{TITLES[self._language][title]}**"

    def _item(self, text: str) -> str:
        """`name, name : what they are` as an item of a list."""
        names, _, what = text.partition(" : ")
        what = _OTHER_NAMES.sub(lambda others: f"{_code(others['names'])}: ", what.rstrip(";"))
        return f"- {_code(names)}: {self._prose(what)}"

    def _prose(self, text: str) -> str:
        text = _ROLE.sub(lambda role: self._link(role["name"]), " ".join(text.split()))
        return _LITERAL.sub(r"`\g<code>`", text)

    def _link(self, written: str) -> str:
        path = written.removeprefix("attn.")
        name = self._names.get(path) or self._by_last.get(path.rpartition(".")[2])
        if name is None:
            return f"`{written}`"
        file = "" if name.page == self._page else f"{name.page}.md"
        return f"[`{name.path}`]({file}#{name.id})"

    def _example(self, text: str, module: str) -> str:
        code = "".join(map(_statement, doctest.DocTestParser().get_examples(text)))
        code = _LANGUAGE.sub(rf'\1"{self._language}"', code)
        if module != DRAWS:
            return f"```python\n{self._with_imports(code, module)}```"
        return f"```py\n{self._with_imports(code + 'plt.show()', module)}```"

    def _with_imports(self, code: str, module: str) -> str:
        """The code with its imports in front: those it has, and those a docstring needs not write."""
        tree = ast.parse(code)
        others: set[str] = set()
        ours: dict[str, set[str]] = {}
        kept = []
        lines = code.splitlines()
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "attn":
                ours.setdefault(node.module, set()).update(alias.name for alias in node.names)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                others.add(ast.unparse(node))
            else:
                kept += lines[node.lineno - 1 : node.end_lineno]
        for used in _undefined(tree):
            if used == "plt":
                others.add("import matplotlib.pyplot as plt")
            else:
                ours.setdefault(self._module_of(used, module), set()).add(used)
        from_ours = [f"from {m} import {', '.join(sorted(n))}" for m, n in sorted(ours.items())]
        parts = [sorted(others), from_ours, kept]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    def _module_of(self, name: str, module: str) -> str:
        known = self._names.get(f"{module}.{name}") or self._names.get(name) or self._by_last.get(name)
        if known is None:
            raise ApiError(f"an example uses {name}, which neither the example nor attn defines")
        return f"attn.{known.module}".rstrip(".")


def _code(names: str) -> str:
    """`q, k` as code, each by itself."""
    return ", ".join(f"`{name}`" for name in names.split(", "))


def _constant(thing: griffe.Attribute) -> str:
    """A record written out in the source: what its `name` and `source` say."""
    given = {argument.name: ast.literal_eval(str(argument.value)) for argument in thing.value.arguments}
    source = given["source"]
    return f"{given['name']}: " + (f"<{source}>" if source.startswith("https:") else source)


def _is_called(thing: griffe.Object) -> bool:
    """A record is only ever handed out: nobody calls it."""
    return thing.is_function or "Parameters\n---" in thing.docstring.value or not thing.decorators


def _signature(thing: griffe.Object) -> str:
    """`(q, k, *, causal=False)`."""
    shown = []
    for parameter in thing.parameters:
        if parameter.name == "self":
            continue
        if parameter.kind is griffe.ParameterKind.keyword_only and "*" not in shown:
            shown.append("*")
        star = "**" if parameter.kind is griffe.ParameterKind.var_keyword else ""
        default = "" if star or parameter.default is None else f"={parameter.default}"
        shown.append(f"{star}{parameter.name}{default}")
    return f"({', '.join(shown)})"


def _statement(example: doctest.Example) -> str:
    """The code of a doctest; a value that the prompt would show is printed."""
    try:
        ast.parse(example.source.strip(), mode="eval")
    except SyntaxError:
        return example.source
    return f"print({example.source.strip()})\n" if example.want else example.source


def _undefined(tree: ast.Module) -> list[str]:
    """The names that the code reads and does not define."""
    used, given = set(), set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else given).add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            given.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.arg):
            given.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            given.add(node.name)
    return sorted(used - given)
