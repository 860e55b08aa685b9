"""Errors of the file system: said to whom they concern, kept for whom they concern."""

import errno
import os

import pytest

import disk
import dev


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_without_a_file_name(number):
    assert "disk is full" in disk.explain(OSError(number, "no space"))


def test_what_is_in_the_way_is_named(tmp_path):
    (tmp_path / "runs").touch()
    with pytest.raises(OSError) as caught:
        (tmp_path / "runs" / "x").mkdir()
    said = disk.explain(caught.value)
    assert str(tmp_path / "runs") in said and os.strerror(errno.ENOTDIR) in said


@pytest.mark.parametrize("error", [OSError("a bug"), FileNotFoundError(2, "No such file", "x"), OSError(errno.EACCES, "?")])
def test_other_errors_are_not_explained_away(error):
    assert disk.explain(error) is None


@pytest.mark.parametrize("error, ends", [(PermissionError(13, "Permission denied", "/x/.cache"), 2), (FileNotFoundError(2, "No such file", "x"), None)])
def test_a_command_says_it_and_ends_with_2_or_shows_the_mistake(monkeypatch, capsys, error, ends):
    def fail(root, level):
        raise error

    monkeypatch.setattr(dev.environment, "ensure", fail)
    if ends is None:
        with pytest.raises(FileNotFoundError):
            dev.main(["check"])
    else:
        assert dev.main(["check"]) == ends
        assert "/x/.cache: Permission denied" in capsys.readouterr().err
