"""What the page adds to an error, by Node. What Python says stands here as it says it."""

import ast

import pytest
from in_node import node

MODULE = "../run/hints.js"
# In place of words.js: which sentence it is, and for the characters what is put into it.
NAMES = ("noModule", "noName", "invisible", "tabs", "tooLong", "noInput")


def hint(kind, message, code="", line=1):
    return node(MODULE, [["hintFor", {"kind": kind, "message": message, "line": line}, code, dict(zip(NAMES, NAMES))]])[0]


def refused(code):
    """What Python here says of that code."""
    with pytest.raises(SyntaxError) as caught:
        ast.parse(code)
    return type(caught.value).__name__, caught.value.msg


@pytest.mark.parametrize("code", ["x =\u30001", "x =\u00a01", "x = 1\u200b"])
def test_a_character_that_cannot_be_seen(code):
    assert hint(*refused(code), code) == "invisible"


def test_tabs_beside_spaces():
    assert hint(*refused("if 1:\n\tx = 1\n        y = 2\n")) == "tabs"


@pytest.mark.parametrize(
    "kind, message, says",
    [
        ("ModuleNotFoundError", "No module named 'torch'", "noModule"),
        ("NameError", "name 'np' is not defined", "noName"),
        ("NameError", "name 'prnt' is not defined. Did you mean: 'print'?", ""),
        ("OutputTooLong", "printed more than 64 KiB; print a summary", "tooLong"),
        ("RuntimeError", "input(): there is no keyboard here; write the value in the code", "noInput"),
        ("ZeroDivisionError", "division by zero", ""),
        ("SyntaxError", "'(' was never closed", ""),
    ],
)
def test_other_errors(kind, message, says):
    assert hint(kind, message, "x\n") == says


@pytest.mark.parametrize("command", ["pip install torch", "!pip install torch", "  %pip install torch", "conda install x"])
def test_nothing_can_be_installed(command):
    code = f"x = 1\n{command}"
    assert hint("SyntaxError", "invalid syntax", code, 2) == "noModule"
    assert hint("SyntaxError", "invalid syntax", code, 1) == ""
