"""The table of `dev.py bench attn`: its shape and its arithmetic, not its times."""

import re

import bench_attn
import numpy as np
import pytest


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(bench_attn, "PAUSE", 0)
    monkeypatch.setattr(bench_attn, "MEMORY_N", 1024)
    monkeypatch.setattr(bench_attn, "TARGETS", {})


def test_table(small, capsys):
    assert bench_attn.main(["--n", "32", "48", "--rounds", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if re.match(r" +\d+ +(True|False)", line)]
    ours = [row for row in rows if row[2] == "streaming_attention"]
    assert [row[:2] for row in ours] == [["32", "False"], ["32", "True"], ["48", "False"], ["48", "True"]]
    assert {row[4] for row in ours} == {"1.00"}
    assert len([row for row in rows if row[2] == "attn.attention"]) == 4


@pytest.mark.parametrize("target, missed", [(0.0001, 0), (10000, 1)])
def test_a_missed_target_is_an_error(small, monkeypatch, capsys, target, missed):
    monkeypatch.setattr(bench_attn, "TARGETS", {("attn.attention", True): target})
    assert bench_attn.main(["--n", "32", "--rounds", "1"]) == missed
    assert f"≥ {target}" in capsys.readouterr().out


def test_too_much_memory_is_an_error(small, monkeypatch, capsys):
    monkeypatch.setattr(bench_attn, "peak_in_new_process", lambda n, threads: 65)
    assert bench_attn.main(["--n", "32", "--rounds", "1"]) == 1
    assert "65.0 MB" in capsys.readouterr().out


def test_a_contender_with_another_answer_is_noticed(monkeypatch):
    monkeypatch.setattr(bench_attn.attn, "attention", lambda q, k, v, causal: np.zeros_like(v))
    with pytest.raises(AssertionError, match="attn.attention"):
        bench_attn.contenders(32, False, 1)
