"""Docstrings are lessons: every example in them runs, and every public name has one."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import attn

MODULES = ["attn"] + [f"attn.{module.name}" for module in pkgutil.iter_modules(attn.__path__) if not module.ispkg]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def public_callables():
    for name in attn.__all__:
        if callable(getattr(attn, name)):
            yield name, getattr(attn, name)
    for module in (attn.lessons, attn.models):
        for name, thing in vars(module).items():
            if callable(thing) and thing.__module__ == module.__name__ and not name.startswith("_"):
                yield name, thing


# What is only ever handed out: described, but not called by a reader.
RECORDS = {"AttentionGradients", "FourWays", "GivenQKV", "Lesson", "MultiHeadTrace", "StreamingStep", "Trace"}


@pytest.mark.parametrize("name, thing", dict(public_callables()).items())
def test_every_public_name_is_explained(name, thing):
    text = inspect.getdoc(thing)
    assert text and len(text) > 80
    if name not in RECORDS:
        assert ">>>" in text, f"{name} has no example"


def test_a_wrong_example_is_noticed(tmp_path, monkeypatch, capsys):
    (tmp_path / "planted.py").write_text('"""\n>>> 1 + 1\n3\n"""\n')
    monkeypatch.syspath_prepend(tmp_path)
    assert doctest.testmod(importlib.import_module("planted")).failed == 1
    capsys.readouterr()


def test_signatures_are_explained():
    """A docstring names every argument of its function."""
    missing = [
        f"{name}: {argument}"
        for name, thing in public_callables()
        if inspect.isfunction(thing)
        for argument in inspect.signature(thing).parameters
        if not re.search(rf"\b{argument}\b", inspect.getdoc(thing))
    ]
    assert missing == []
