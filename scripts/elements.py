"""The interactive figures' scripts: bundled by esbuild, one classic script for each element.

Classic, because browsers refuse module scripts from `file://`. The sources are plain ES
modules in `docs/theme/assets/elements/`: `attn-NAME.js` is the entry of the element
`<attn-NAME>`, other modules there are what the entries share.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

SOURCES = Path("docs/theme/assets/elements")
FOLDER = "assets/elements"  # where the scripts stand in each edition
_USED = re.compile(r"<(attn-[a-z-]+)>")


class BundleError(Exception):
    """esbuild refused a source, or is missing. The message is what it said."""


def bundles(root: Path, cache: Path, node: str | None) -> dict[str, Path]:
    """The script of each element, by its path in the site; bundled anew only when changed.

    Raises
    ------
    BundleError
        With esbuild's message (file, line, what is wrong), or a way to get esbuild.
    """
    entries = sorted((root / SOURCES).glob("attn-*.js"))
    if not entries:
        return {}
    digest = hashlib.sha256((root / "package-lock.json").read_bytes())
    for source in sorted((root / SOURCES).glob("*.js")):
        digest.update(source.name.encode() + source.read_bytes())
    folder = cache / digest.hexdigest()[:32]
    if not folder.exists():
        shutil.rmtree(cache, ignore_errors=True)
        _run_esbuild(root, entries, folder, node)
    return {f"{FOLDER}/{entry.name}": folder / entry.name for entry in entries}


def _run_esbuild(root: Path, entries: list[Path], folder: Path, node: str | None) -> None:
    esbuild = root / "node_modules" / "esbuild" / "bin" / "esbuild"
    if node is None or not esbuild.exists():
        raise BundleError("esbuild is missing; run `python3 scripts/dev.py build`, which installs it")
    scratch = folder.with_suffix(".new")
    options = ["--bundle", "--minify", "--format=iife", "--target=es2020", "--charset=utf8"]
    command = [str(esbuild), *map(str, entries), *options, f"--outdir={scratch}"]
    # The package may hold esbuild's own program or a script that starts it.
    if esbuild.read_bytes()[:2] == b"#!":
        command.insert(0, node)
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8")
    if done.returncode:
        shutil.rmtree(scratch, ignore_errors=True)
        raise BundleError(done.stderr.strip())
    scratch.rename(folder)


def used(page: str) -> list[str]:
    """The elements on a page, each once, in order of their names."""
    return sorted(set(_USED.findall(page)))
