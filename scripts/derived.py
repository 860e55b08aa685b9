"""Folders that are made from sources, and kept until one of these changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path


def derived(cache: Path, key: str, make: Callable[[Path], None]) -> Path:
    """The folder `key`, the only one in `cache`; filled by `make` unless it is there.

    It has its name only when it is whole: what a `make` that fails or is interrupted leaves is
    taken for nothing.
    """
    folder = cache / key
    if not folder.exists():
        shutil.rmtree(cache, ignore_errors=True)
        scratch = folder.with_suffix(".new")
        make(scratch)
        scratch.rename(folder)
    return folder
