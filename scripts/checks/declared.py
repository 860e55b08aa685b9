"""Read docs/labels.yml, docs/facts.yml and docs/terms.yml: lists of entries, each with its line."""

from __future__ import annotations

from dataclasses import dataclass, field

import yaml

from chapter import Problem


@dataclass(frozen=True)
class Entry:
    line: int
    fields: dict[str, str]
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read_entries(
    text: str,
    path: str,
    *,
    required: tuple[str, ...],
    lists: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
) -> tuple[list[Entry], list[Problem]]:
    """The entries of a YAML list of mappings, and what is wrong with the others.

    `required` and `optional` name scalar fields, kept as they are written ("114,688" stays
    a string); `lists` names optional lists of scalars.
    """
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return [], [
            Problem(path, line, f"not YAML: {error.problem}; compare the entries around it")
        ]
    if tree is None:
        return [], []
    if not isinstance(tree, yaml.SequenceNode):
        return [], [Problem(path, 1, "expected a list of entries, each beginning with “- ”")]
    entries, problems = [], []
    for node in tree.value:
        line = node.start_mark.line + 1
        entry = _entry(node, required, lists, optional)
        if isinstance(entry, Entry):
            entries.append(entry)
        else:
            problems.append(Problem(path, line, entry))
    return entries, problems


def _entry(node, required, lists, optional) -> Entry | str:
    """The entry, or what is wrong with it."""
    if not isinstance(node, yaml.MappingNode):
        return f"expected an entry with the fields {', '.join(required)}"
    fields: dict[str, str] = {}
    listed: dict[str, tuple[str, ...]] = {}
    for key, value in node.value:
        name = key.value
        if name in lists:
            if not _is_list_of_scalars(value):
                return f"{name}: expected a list, [one, two]"
            listed[name] = tuple(item.value for item in value.value)
        elif name in (*required, *optional):
            if not isinstance(value, yaml.ScalarNode):
                return f"{name}: expected one value; put it in quotes if it holds : or ["
            fields[name] = value.value
        else:
            known = ", ".join((*required, *optional, *lists))
            return f"“{name}” is no field of this list; it has {known}"
    missing = [name for name in required if not fields.get(name, "").strip(" ")]
    if missing:
        return f"{' and '.join(missing)} missing; every entry has {', '.join(required)}"
    return Entry(node.start_mark.line + 1, fields, listed)


def _is_list_of_scalars(node) -> bool:
    return isinstance(node, yaml.SequenceNode) and all(
        isinstance(item, yaml.ScalarNode) for item in node.value
    )


def page_name(path: str) -> str:
    """How the lists name a page, the same in both languages: `chapters/06-….md`, `README.md`."""
    for edition in ("docs/zh/", "docs/en/"):
        if path.startswith(edition):
            return path.removeprefix(edition)
    return path.replace("README.zh.md", "README.md")
