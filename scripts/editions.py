"""Build both editions, and what stands beside them, into one `site/`."""

from __future__ import annotations

import filecmp
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from pages import run_ahead, shared_formulas

CONFIGS = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}
LOCAL = "http://127.0.0.1:8000/"
SIZES = "sizes.json"
NO_COMMIT = 1767225600  # 2026-01-01, where the sources are not in a git repository


def build(
    root: Path,
    *,
    strict: bool = True,
    execute: bool = True,
    languages: tuple[str, ...] = tuple(CONFIGS),
    site_url: str | None = None,
    serving: bool = False,
    pyodide: dict[str, Path] | None = None,
    report: Callable[[str], None] = print,
) -> int:
    """Build the editions and the root pages; returns an exit status.

    Parameters
    ----------
    strict : a warning of MkDocs fails the build.
    execute : run the blocks; without, pages have no figures and outputs are not compared.
    languages : the editions to build; the other one stays as it is.
    site_url : where the site will stand; the environment's SITE_URL, else this machine.
    serving : show problems on the pages instead of failing.
    pyodide : the files with which a page runs its code (`pyodide_files.gather`); without, no
        page offers that.
    """
    address = site_url or os.environ.get("SITE_URL") or LOCAL
    set_environment(root, address, execute)
    os.environ["ATTN_LIVE"] = "1" if pyodide else "0"
    if execute:
        run_ahead(root, languages)
    try:
        for language in languages:
            started = time.perf_counter()
            report(f"{language}: building …")
            if not build_edition(root, language, strict=strict, serving=serving):
                report(f"{language}: failed")
                return 1
            report(f"{language}: built in {time.perf_counter() - started:.1f} s")
    finally:
        shared_formulas(root).close()
    try:
        wheel = place_root_files(root, address)
    except RuntimeError as error:
        print(error)
        return 1
    place_pyodide(root / "site" / "pyodide", pyodide or {}, wheel)
    return 0


def set_environment(root: Path, address: str, execute: bool = True) -> None:
    """What the configuration files and the tools they start read from the environment."""
    address = address.rstrip("/") + "/"
    os.environ["BOTH_EDITIONS"] = "true"
    os.environ["NO_MKDOCS_2_WARNING"] = "true"  # Material's banner about another program
    os.environ["ATTN_EXECUTE"] = "1" if execute else "0"
    os.environ.setdefault("SOURCE_DATE_EPOCH", str(last_commit(root)))
    os.environ.setdefault("SOURCE_URL", source_url(root))
    for language in CONFIGS:
        os.environ[f"SITE_URL_{language.upper()}"] = f"{address}{language}/"


def last_commit(root: Path) -> int:
    """Seconds since 1970 of the last commit: a date that does not change between builds."""
    return int(_git(root, "log", "-1", "--format=%ct") or NO_COMMIT)


def source_url(root: Path) -> str:
    """The web address that the sources were cloned from; empty where it is not one."""
    address = _git(root, "remote", "get-url", "origin").removesuffix(".git")
    address = re.sub(r"^git@([\w.-]+):", r"https://\1/", address)
    return re.sub(r"//[^/@]*@", "//", address) if address.startswith("https://") else ""


def _git(root: Path, *command: str) -> str:
    """What git says, or nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def build_edition(root: Path, language: str, *, strict: bool, serving: bool = False) -> bool:
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, ConfigurationError

    messages = logging.StreamHandler(sys.stdout)
    messages.setLevel(logging.WARNING)
    logging.getLogger("mkdocs").addHandler(messages)
    try:
        config = load_config(str(root / CONFIGS[language]), strict=strict)
        config.plugins.on_startup(command="serve" if serving else "build", dirty=False)
        mkdocs_build(config)
    except (Abort, ConfigurationError) as stop:
        print(getattr(stop, "message", stop))
        return False
    finally:
        logging.getLogger("mkdocs").removeHandler(messages)
    return True


def place_root_files(root: Path, address: str) -> Path:
    """The pages that choose a language, the wheel, and a mark for GitHub Pages. Returns the wheel."""
    from wheel import build_wheel

    site, base = root / "site", urlsplit(address).path.rstrip("/") + "/"
    for source in sorted((root / "docs" / "theme" / "root").glob("*.html")):
        page = source.read_text("utf-8").replace("{{ base }}", base)
        (site / source.name).write_text(page, encoding="utf-8", newline="\n")
    wheel = build_wheel(root, root / ".cache" / "wheel")
    shutil.copyfile(wheel, site / wheel.name)
    (site / ".nojekyll").touch()
    return wheel


def place_pyodide(folder: Path, files: dict[str, Path], wheel: Path) -> None:
    """Those files and no others, and how many bytes each has, for who waits for them.

    What stands there already is left as it is: a server may be sending it.
    """
    if not files:
        shutil.rmtree(folder, ignore_errors=True)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in [path for path in folder.iterdir() if path.name not in (*files, SIZES)]:
        path.unlink()
    for name, source in files.items():
        target = folder / name
        if not (target.is_file() and filecmp.cmp(source, target)):
            shutil.copy2(source, target)
    sizes = {name: path.stat().st_size for name, path in {**files, wheel.name: wheel}.items()}
    text = json.dumps(sizes, indent=1, sort_keys=True) + "\n"
    (folder / SIZES).write_text(text, encoding="utf-8", newline="\n")
