"""Bundle scripts for the browser with esbuild."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

from derived import derived


class BundleError(Exception):
    """esbuild refused a source, or is missing. The message is what it said."""


def run_esbuild(root: Path, node: str | None, out: Path, entries: list[Path], *options: str) -> None:
    """One script in `out` for each entry, minified, its imports inside.

    Raises
    ------
    BundleError
        With esbuild's message (file, line, what is wrong), or a way to get esbuild.
    """
    esbuild = root / "node_modules" / "esbuild" / "bin" / "esbuild"
    if node is None or not esbuild.exists():
        raise BundleError("esbuild is missing; run `python3 scripts/dev.py build`, which installs it")
    always = ["--bundle", "--minify", "--target=es2022", "--charset=utf8", f"--outdir={out}"]
    command = [str(esbuild), *map(str, entries), *always, *options]
    # The package may hold esbuild's own program or a script that starts it.
    if esbuild.read_bytes()[:2] == b"#!":
        command.insert(0, node)
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise BundleError(done.stderr.strip())


def bundled(root: Path, cache: Path, sources: list[Path], bundle: Callable[[Path], None]) -> Path:
    """The folder that `bundle` filled, the only one in `cache`; filled anew when a source changed.

    What esbuild and the packages are, and how this module calls it, counts as a source.
    """
    digest = hashlib.sha256((root / "package-lock.json").read_bytes())
    for path in (Path(__file__), *sources):
        digest.update(path.name.encode() + path.read_bytes())
    return derived(cache, digest.hexdigest()[:32], bundle)
