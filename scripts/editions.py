"""Build both editions, and what stands beside them, into one `site/`."""

from __future__ import annotations

import filecmp
import html
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

import lock
import offline
from pages import run_ahead, shared_formulas

CONFIGS = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}
LOCAL = "http://127.0.0.1:8000/"
SIZES = "sizes.json"
WAITING = "Another build writes to site/; waiting for it …"
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
    with_offline: bool = False,
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
    with_offline : make the zip to be read without a network too; the pages then link to it.
    """
    address = site_url or os.environ.get("SITE_URL") or LOCAL
    set_environment(root, address, execute)
    os.environ["ATTN_LIVE"] = "1" if pyodide else "0"
    os.environ["OFFLINE_SIZE"] = ""
    if execute:
        run_ahead(root, languages)

    def whole(site: Path, *, for_disk: bool) -> bool:
        """Everything of one site; says what is wrong."""
        for language in languages:
            started = time.perf_counter()
            report(f"{language}: building{' the offline copy' * for_disk} …")
            if not build_edition(root, language, site, strict=strict, serving=serving):
                report(f"{language}: failed")
                return False
            report(f"{language}: built in {time.perf_counter() - started:.1f} s")
        try:
            wheel = place_root_files(root, site, address, for_disk=for_disk)
        except RuntimeError as error:
            print(error)
            return False
        place_pyodide(site / "pyodide", pyodide or {}, wheel)
        return True

    site = root / "site"
    packed = site / offline.NAME
    # Two builds at once would delete each other's pages.
    with lock.held(root / ".cache" / "site.lock", WAITING):
        try:
            if with_offline:
                os.environ["ATTN_OFFLINE"] = "true"
                copy = root / ".cache" / "offline"
                if not whole(copy / "site", for_disk=True):
                    return 1
                made = offline.pack(copy / "site", copy / offline.NAME)
                os.environ["OFFLINE_SIZE"] = offline.megabytes(made)
                report(f"{offline.NAME}: {offline.megabytes(made)} MB")
            os.environ["ATTN_OFFLINE"] = "false"
            if not whole(site, for_disk=False):
                return 1
        finally:
            shared_formulas(root).close()
        if with_offline:
            shutil.copyfile(made, packed)
        else:
            packed.unlink(missing_ok=True)  # of an earlier build: no page links to it any more
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


def build_edition(
    root: Path, language: str, site: Path, *, strict: bool, serving: bool = False
) -> bool:
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, ConfigurationError

    messages = logging.StreamHandler(sys.stdout)
    messages.setLevel(logging.WARNING)
    logging.getLogger("mkdocs").addHandler(messages)
    try:
        folder = str(site / language)
        config = load_config(str(root / CONFIGS[language]), strict=strict, site_dir=folder)
        config.plugins.on_startup(command="serve" if serving else "build", dirty=False)
        mkdocs_build(config)
    except (Abort, ConfigurationError) as stop:
        print(getattr(stop, "message", stop))
        return False
    finally:
        logging.getLogger("mkdocs").removeHandler(messages)
    return True


def place_root_files(root: Path, site: Path, address: str, *, for_disk: bool = False) -> Path:
    """The pages that choose a language, the wheel, and a mark for GitHub Pages. Returns the wheel."""
    from wheel import build_wheel

    values = {
        "base": urlsplit(address).path.rstrip("/") + "/",
        "home": "index.html" if for_disk else "",  # a server finds it by itself
        **names(root),
    }
    for source in sorted((root / "docs" / "theme" / "root").glob("*.html")):
        page = re.sub(r"\{\{ (\w+) \}\}", lambda field: values[field[1]], source.read_text("utf-8"))
        (site / source.name).write_text(page, encoding="utf-8", newline="\n")
    wheel = build_wheel(root, root / ".cache" / "wheel")
    shutil.copyfile(wheel, site / wheel.name)
    (site / ".nojekyll").touch()
    return wheel


def names(root: Path) -> dict[str, str]:
    """What each edition's configuration calls it, as HTML: `name_zh`, `description_zh` and so on."""
    from mkdocs.utils import yaml_load

    found = {}
    for language, file in CONFIGS.items():
        with (root / file).open(encoding="utf-8") as text:
            config = yaml_load(text)
        for field in ("name", "description"):
            found[f"{field}_{language}"] = html.escape(config.get(f"site_{field}", ""))
    return found


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
