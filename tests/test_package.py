"""The package as a whole: what it exports, and what it does not load."""

import subprocess
import sys

import attn


def test_every_public_name_exists_and_is_listed_once():
    assert attn.__all__ == sorted(set(attn.__all__))
    for name in attn.__all__:
        assert getattr(attn, name) is not None


def loaded_by(statement):
    command = [sys.executable, "-c", f"{statement}; import sys; print(*sys.modules)"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_import_does_not_load_matplotlib():
    assert "matplotlib" not in loaded_by("import attn")
    assert "matplotlib" in loaded_by("import attn.figures")
