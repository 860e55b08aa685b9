"""The wheel of `attn` that the site itself serves, so that readers can pip install it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from derived import derived


def wheel_name(root: Path) -> str:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return f"{project['name'].replace('-', '_')}-{project['version']}-py3-none-any.whl"


def build_wheel(root: Path, cache: Path) -> Path:
    """Build the wheel, or take the one built from the same sources before.

    The bytes depend on the sources and on SOURCE_DATE_EPOCH alone.

    Raises
    ------
    RuntimeError
        With what the build backend printed, when it fails.
    """
    sources = [root / name for name in ("pyproject.toml", "README.md", "LICENSE")]
    sources += sorted(p for p in (root / "attn").rglob("*") if "__pycache__" not in p.parts)
    # How it is built counts as a source.
    digest = hashlib.sha256(os.environ.get("SOURCE_DATE_EPOCH", "").encode() + Path(__file__).read_bytes())
    for path in sources:
        if path.is_file():
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(f"the wheel could not be built:\n{done.stdout}{done.stderr}")

    return derived(cache, digest.hexdigest()[:32], build) / wheel_name(root)
