"""The scripts with which a page runs its code, bundled by esbuild.

`run.js` stands on every page with blocks and only makes the buttons; a classic script, because
browsers refuse module scripts from `file://`. What it loads at the first Run are modules, and
what they share is in a chunk of its own.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import esbuild
from esbuild import BundleError, run_esbuild

SOURCES = Path("docs/theme/assets/run")
FOLDER = "assets/run"  # where the scripts stand in each edition
BUTTONS = "run.js"
MODULES = ("snippet.js", "exercise.js", "solved.js")
WORKER = "worker.js"
BACKEND = Path("scripts/capture_backend.py")  # goes into the worker


def bundles(root: Path, cache: Path, node: str | None) -> dict[str, Path]:
    """The scripts by their paths in the site; bundled anew only when a source changed.

    Raises
    ------
    BundleError
        See `esbuild.run_esbuild`.
    """
    digest = hashlib.sha256((root / "package-lock.json").read_bytes())
    sources = sorted(path for path in (root / SOURCES).iterdir() if path.is_file())
    for path in (Path(__file__), Path(esbuild.__file__), root / BACKEND, *sources):
        digest.update(path.name.encode() + path.read_bytes())
    folder = cache / digest.hexdigest()[:32]
    if not folder.exists():
        shutil.rmtree(cache, ignore_errors=True)
        _bundle(root, folder, node)
    return {f"{FOLDER}/{path.name}": path for path in sorted(folder.iterdir())}


def _bundle(root: Path, folder: Path, node: str | None) -> None:
    scratch = folder.with_suffix(".new")

    def bundle(names, *options):
        entries = [root / SOURCES / name for name in names]
        run_esbuild(root, node, scratch, entries, *options)

    try:
        bundle([BUTTONS], "--format=iife")
        bundle(MODULES, "--format=esm", "--splitting", "--chunk-names=[name]-[hash]")
        bundle([WORKER], "--format=esm", "--loader:.py=text")
    except BundleError:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    scratch.rename(folder)
