"""Serve both editions from `site/` and rebuild, on a change, only what it touches."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import editions
import one_page
import ports
import pyodide_files
from mkdocs.livereload import LiveReloadServer

PYODIDE = f"{pyodide_files.CACHE}/{pyodide_files.LOCK}"
SHARED = ("attn", "docs/theme", "mkdocs.yml", "mkdocs.en.yml", PYODIDE)
FEW = 4  # pages, written one after another sooner than all anew
BY_EDITION = {language: (f"docs/{language}",) for language in editions.CONFIGS}


def serve(
    root: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    open_browser: bool = False,
    run_code: bool = False,
    pyodide_folder: Path | None = None,
) -> int:
    """Build both editions, then serve them until Ctrl-C; returns an exit status.

    Parameters
    ----------
    run_code : let the pages run their code. What that needs is fetched beside the server, so
        that a first start waits for nothing; when it has come, the pages are built anew.
    pyodide_folder : where to look for it first.

    Raises
    ------
    ports.CannotListen
        Before the first build, and after it where the port was taken meanwhile.
    """
    ports.check(host, port)
    address = _address(host, port)
    fetching = _Fetching(root, pyodide_folder)
    watched = _Watched(root)

    def rebuild() -> None:
        if watched.scripts_changed():
            if problem := _syntax_error(root / "scripts"):
                _report(f"scripts: {problem}; those of before are used until it is mended")
            else:
                _report("scripts: changed, starting anew")
                fetching.stop()
                os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        changes = watched.changed()
        if changes and not _few_pages(changes):
            languages = tuple(changes)
            editions.build(
                root,
                strict=False,
                languages=languages,
                site_url=address,
                serving=True,
                pyodide=pyodide_files.files(root) if run_code else None,
                report=_report,
            )

    try:
        rebuild()
        if run_code and pyodide_files.files(root) is None:
            fetching.start()
        _serve(root, host, port, watched, rebuild, open_browser)
    finally:
        fetching.stop()
    return 0


def _serve(root: Path, host: str, port: int, watched: _Watched, rebuild, open_browser: bool) -> None:
    address = _address(host, port)
    server = LiveReloadServer(rebuild, host, port, str(root / "site"), polling_interval=0.2)
    server.error_handler = lambda code: _error_page(root, code)
    for path in watched.paths():
        server.watch(str(path))
    # The file comes when all is fetched, and what is not there yet cannot be watched.
    (root / PYODIDE).parent.mkdir(parents=True, exist_ok=True)
    server.watch(str((root / PYODIDE).parent), recursive=False)
    rebuild()  # what changed while the first build ran
    print(f"\nServing {address} (zh: {address}zh/, en: {address}en/). Ctrl-C stops.", flush=True)
    try:
        server.serve(open_in_browser=open_browser)
    except KeyboardInterrupt:
        print("\nStopped.")
    except OSError:
        ports.check(host, port)
        raise
    finally:
        server.shutdown()


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Fetching:
    """The download beside the server: a process of its own, so that it can be ended at once."""

    def __init__(self, root: Path, folder: Path | None):
        self._command = [sys.executable, pyodide_files.__file__, str(root)]
        self._command += [str(folder)] if folder else []
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        # In a session of its own, Ctrl-C does not reach it: one signal, from `stop`.
        self._process = subprocess.Popen(self._command, start_new_session=os.name == "posix")

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        if os.name == "posix":
            self._process.send_signal(signal.SIGINT)  # it takes away what is half fetched
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                pass
        self._process.kill()
        self._process.wait()


def _few_pages(changes: dict[str, set[Path]]) -> bool:
    """Write the pages that changed, one or the same in both languages; False where more is to be done."""
    pages = [(language, path) for language, paths in changes.items() for path in sorted(paths)]
    if len(pages) > FEW or any(path.suffix != ".md" for _, path in pages):
        return False
    return all(_one_page(language, path) for language, path in pages)


def _one_page(language: str, path: Path) -> bool:
    started = time.perf_counter()
    try:
        problems = one_page.rebuild(language, path)
    except Exception:
        return False  # the whole build meets the same error, and reports it
    if problems is None:
        return False
    for problem in problems:
        print(problem, flush=True)
    _report(f"{language}: {path.name} in {time.perf_counter() - started:.1f} s")
    return True


def _syntax_error(scripts: Path) -> str | None:
    """File, line and what is wrong, where a script would not even start."""
    for path in sorted(scripts.rglob("*.py")):
        try:
            compile(path.read_bytes(), str(path), "exec")
        except SyntaxError as error:
            return f"{path.relative_to(scripts)}:{error.lineno}: {error.msg}"
    return None


class _Watched:
    """Which files there are and when each changed, for each edition."""

    def __init__(self, root: Path):
        self._root = root
        self._seen: dict[str, dict[Path, int]] = {}
        self._scripts = self._times(["scripts"])

    def paths(self) -> list[Path]:
        names = ["scripts", *SHARED, *(name for names in BY_EDITION.values() for name in names)]
        return [self._root / name for name in names if name != PYODIDE]

    def scripts_changed(self) -> bool:
        """A script changed: this process still holds the old one."""
        return self._times(["scripts"]) != self._scripts

    def changed(self) -> dict[str, set[Path]]:
        """The files that changed since the last call, by the edition that they matter to."""
        now = {
            language: self._times([*SHARED, *names]) for language, names in BY_EDITION.items()
        }
        changes = {name: _differences(self._seen.get(name, {}), now[name]) for name in now}
        self._seen = now
        return {name: paths for name, paths in changes.items() if paths}

    def _times(self, names: list[str]) -> dict[Path, int]:
        times = {}
        for name in names:
            path = self._root / name
            for file in [path] if path.is_file() else _files(path):
                with suppress(OSError):  # gone again, as an editor's temporary files are
                    times[file] = file.stat().st_mtime_ns
        return times


def _files(folder: Path) -> Iterator[Path]:
    """The files in a folder that make the site: not compiled Python, not what an editor keeps."""
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = set(folders) - {"__pycache__"}
        for name in names:
            if not name.startswith((".", "#")) and not name.endswith("~"):
                yield Path(place, name)


def _differences(before: dict[Path, int], now: dict[Path, int]) -> set[Path]:
    return {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}


def _report(line: str) -> None:
    print(time.strftime("[%H:%M:%S] ") + line, flush=True)


def _error_page(root: Path, code: int) -> bytes | None:
    page = root / "site" / f"{code}.html"
    return page.read_bytes() if page.is_file() else None
