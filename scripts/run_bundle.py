"""The scripts with which a page runs its code, bundled by esbuild.

`run.js` stands on every page with blocks and only makes the buttons; a classic script, because
browsers refuse module scripts from `file://`. What it loads at the first Run are modules, and
what they share is in a chunk of its own.
"""

from __future__ import annotations

from pathlib import Path

from esbuild import bundled, run_esbuild

SOURCES = Path("docs/theme/assets/run")
FOLDER = "assets/run"  # where the scripts stand in each edition
BUTTONS = "run.js"
MODULES = ("snippet.js", "exercise.js", "solved.js")
WORKER = "worker.js"
# What goes into the worker beside driver.py.
PYTHON = (Path("scripts/capture_backend.py"), Path("scripts/chain.py"))


def bundles(root: Path, cache: Path, node: str | None) -> dict[str, Path]:
    """The scripts by their paths in the site; bundled anew only when a source changed.

    Raises
    ------
    BundleError
        See `esbuild.run_esbuild`.
    """
    sources = sorted(path for path in (root / SOURCES).iterdir() if path.is_file())

    def bundle(scratch: Path) -> None:
        def run(names, *options):
            run_esbuild(root, node, scratch, [root / SOURCES / name for name in names], *options)

        run([BUTTONS], "--format=iife")
        run(MODULES, "--format=esm", "--splitting", "--chunk-names=[name]-[hash]")
        run([WORKER], "--format=esm", "--loader:.py=text")

    folder = bundled(root, cache, [Path(__file__), *(root / path for path in PYTHON), *sources], bundle)
    return {f"{FOLDER}/{path.name}": path for path in sorted(folder.iterdir())}
