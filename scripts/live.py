"""Serve both editions from `site/` and rebuild, on a change, only what it touches."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import editions
import one_page
import pyodide_files
from mkdocs.livereload import LiveReloadServer

PYODIDE = f"{pyodide_files.CACHE}/{pyodide_files.LOCK}"
SHARED = ("attn", "docs/theme", "mkdocs.yml", "mkdocs.en.yml", PYODIDE)
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
    """
    if problem := _port_problem(host, port):
        print(problem, file=sys.stderr)
        return 1
    address = f"http://{host}:{port}/"
    fetching = _Fetching(root, pyodide_folder)
    watched = _Watched(root)

    def rebuild() -> None:
        if watched.scripts_changed():
            _report("scripts: changed, starting anew")
            fetching.stop()
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        changes = watched.changed()
        if changes and not _one_page(changes):
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
    address = f"http://{host}:{port}/"
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
    finally:
        server.shutdown()


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


def _one_page(changes: dict[str, set[Path]]) -> bool:
    """Write the one page that changed; False where more is to be done than that."""
    if len(changes) != 1:
        return False
    (language, paths), started = *changes.items(), time.perf_counter()
    if len(paths) != 1 or (path := next(iter(paths))).suffix != ".md":
        return False
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
            for file in [path] if path.is_file() else path.rglob("*"):
                if file.is_file() and "__pycache__" not in file.parts:
                    times[file] = file.stat().st_mtime_ns
        return times


def _differences(before: dict[Path, int], now: dict[Path, int]) -> set[Path]:
    return {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}


def _report(line: str) -> None:
    print(time.strftime("[%H:%M:%S] ") + line, flush=True)


def _error_page(root: Path, code: int) -> bytes | None:
    page = root / "site" / f"{code}.html"
    return page.read_bytes() if page.is_file() else None


def _port_problem(host: str, port: int) -> str | None:
    """Why the port cannot be used, with one that can; None when all is well."""
    if _free(host, port):
        return None
    other = next((p for p in range(port + 1, min(port + 100, 65536)) if _free(host, p)), None)
    advice = f"; try: python3 scripts/dev.py serve --port {other}" if other else ""
    return f"port {port} on {host} is in use{advice}"


def _free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
