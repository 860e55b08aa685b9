"""The file that carries the exercises from one browser to another, read and written by Node."""

import subprocess
import sys

import pytest
from in_node import node

MODULE = "../run/exercise-file.js"
WORDS = {"mark": "solved", "changed": "solved before"}
HEAD = "# Exercises: 1 of 25 solved.\n"
EXERCISES = [
    {"name": "most-like", "code": "print('一')\n\n\nprint('# %% not a cell')", "solved": "this"},
    {"name": "scores", "code": "def scores(q, k):\n    return q", "solved": "other"},
    {"name": "sizes", "code": "", "solved": "this"},
    {"name": "weights", "code": "# %% a cell of the reader's\nx = (", "solved": ""},
]


def written(exercises=EXERCISES):
    return node(MODULE, [["written", HEAD, exercises, WORDS]])[0]


def read(text):
    return node(MODULE, [["exercisesIn", text]])[0]


def by_name(exercises):
    return {exercise["name"]: exercise for exercise in exercises}


def test_what_was_written_is_read():
    assert by_name(read(written())) == by_name(EXERCISES)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_as_in_another_system(end):
    assert by_name(read(written().replace("\n", end))) == by_name(EXERCISES)


def test_the_file_is_a_program():
    done = subprocess.run(
        [sys.executable, "-"], input=written(EXERCISES[:1]), capture_output=True, encoding="utf-8"
    )
    assert (done.stdout, done.stderr) == ("一\n# %% not a cell\n", "")


def test_a_program_changed_elsewhere_is_read_as_it_is_now():
    text = written().replace("return q", "return q @ k.T").replace("solved before", "今天又改了")
    changed = {**EXERCISES[1], "code": "def scores(q, k):\n    return q @ k.T"}
    assert by_name(read(text))["scores"] == changed


@pytest.mark.parametrize("text", ["", "print(1)\n", "# %% exercise:\nx", "# %% [markdown]\n# exercise: scores\n", '{"cells": []}'])
def test_another_file_holds_none(text):
    assert read(text) == []


def test_what_stands_twice_is_read_twice():
    assert [one["name"] for one in read(written([EXERCISES[1], EXERCISES[1]]))] == ["scores", "scores"]
