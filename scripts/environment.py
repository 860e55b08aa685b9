"""Make the environment that a command needs, once: `.venv`, the pinned packages, Node.

Imports nothing but the standard library, and keeps to syntax that an old Python can read,
so that an old Python can say that it is too old.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Optional

import lock
import progress

PYTHON = (3, 11, 5)  # the newest release that a pinned package asks for
NODE = 20

# Each level holds all that the one before it holds.
REQUIREMENTS = {"site": "requirements.txt", "test": "requirements-test.txt"}
BUILD_REQUIREMENTS = "requirements-build.txt"
NODE_REQUIREMENTS = "requirements-node.txt"

STAMP = "attention-by-hand.json"
WAITING = "Another start is making the environment; waiting for it …"


class SetupError(Exception):
    """The environment cannot be made. The message says what would help."""


def ensure(root: Path, level: str = "site") -> Path:
    """Make what `level` needs under `root`, unless it is there, and return the Python to use.

    Puts the environment's programs first on this process's PATH. Touches no network when
    nothing is missing.

    Parameters
    ----------
    root : Path
        The repository.
    level : {"site", "test"}
        "site" to build and serve; "test" adds what the tests and the benchmarks use.

    Raises
    ------
    SetupError
        When a step fails. The message says what would help.
    """
    root = root.resolve()
    venv = root / ".venv"
    python = _program(venv, "python")
    _activate(venv)
    if _missing(root, level) is None:
        return python
    try:
        # Two terminals that start together must not install over each other.
        with lock.held(root / ".cache" / "setup.lock", WAITING):
            _make(root, level)
    except progress.CommandFailed as failure:
        raise SetupError(
            "{}\n{}.\n{}".format(failure.tail(), failure, _hint(failure.output))
        ) from None
    except OSError as error:
        raise SetupError(
            "The environment in {} cannot be written: {}".format(venv, error)
        ) from None
    return python


def check_version(version, executable) -> None:
    """Raise `SetupError` for a Python older than `PYTHON`, naming a newer one if there is one."""
    if tuple(version[:3]) >= PYTHON:
        return
    message = "Python {} or newer is needed; {} is Python {}.".format(
        _dotted(PYTHON), executable, _dotted(version[:3])
    )
    newer = _newer_python()
    if newer:
        message += "\nThere is a newer one here: run the same command with {}.".format(newer)
    else:
        message += "\nInstall a newer Python and run the same command with it."
    raise SetupError(message)


def check_can_make_venv(find_spec=importlib.util.find_spec) -> None:
    """Raise `SetupError` where Python comes without `venv` or `ensurepip`, as on Debian."""
    missing = [name for name in ("venv", "ensurepip") if find_spec(name) is None]
    if missing:
        raise SetupError(
            "{} has no {}, so it cannot make a virtual environment.\n"
            "On Debian and Ubuntu: apt install python3-venv (or python{}-venv for this Python).".format(
                sys.executable, " and no ".join(missing), _dotted(sys.version_info[:2])
            )
        )


# What is missing


def _missing(root: Path, level: str) -> Optional[str]:
    """Say what the environment lacks, or None when it lacks nothing."""
    venv = root / ".venv"
    return (
        _why_rebuild(venv)
        or _why_install(root, level)
        or _why_install_node(root)
        or _why_install_node_modules(root, level)
    )


def _why_rebuild(venv: Path) -> Optional[str]:
    if not venv.exists():
        return "there is no .venv yet"
    stamp = _read_stamp(venv)
    if stamp.get("unfinished"):
        return "an earlier start was interrupted"
    if not _belongs_here(venv, stamp):
        return ".venv was made for another directory"
    version = _venv_version(venv)
    if version is None:
        return "the Python of .venv does not run any more"
    if version < PYTHON:
        return "the Python of .venv is {}".format(_dotted(version))
    return None


def _belongs_here(venv: Path, stamp: dict) -> bool:
    # A moved or copied environment still runs, but imports `attn` from the old directory.
    if "venv" in stamp:
        return stamp["venv"] == str(venv)
    # Made by hand: its own record ends with the directory it was made in.
    with contextlib.suppress(OSError):
        config = (venv / "pyvenv.cfg").read_text(encoding="utf-8")
        return re.search(r"^command = .* " + re.escape(str(venv)) + "$", config, re.M) is not None
    return False


def _venv_version(venv: Path) -> Optional[tuple]:
    if Path(sys.prefix).resolve() == venv:
        return tuple(sys.version_info[:3])
    # Asked, not read from pyvenv.cfg: a distribution's upgrade changes what the link runs.
    question = (
        "import encodings, pip, sys; assert sys.prefix != sys.base_prefix;"
        "print(*sys.version_info[:3])"
    )
    with contextlib.suppress(OSError, ValueError):
        answer = subprocess.run(
            [str(_program(venv, "python")), "-I", "-c", question], capture_output=True, text=True
        )
        if answer.returncode == 0:
            return tuple(int(part) for part in answer.stdout.split())
    return None


def _why_install(root: Path, level: str) -> Optional[str]:
    stamp = _read_stamp(root / ".venv")
    if stamp.get(level) == _key(root, level):
        return None
    return "packages are new or have changed" if level in stamp else "packages are missing"


def _why_install_node(root: Path) -> Optional[str]:
    if not (root / "package.json").exists():
        return None
    venv = root / ".venv"
    if _program(venv, "node").exists():
        installed = _read_stamp(venv).get("node")
        return None if installed == _hash(root / NODE_REQUIREMENTS) else "Node has changed"
    return None if find_node() and shutil.which("npm") else "Node is missing or too old, or without npm"


def find_node(first: str = "") -> Optional[str]:
    """The Node in the folder `first`, else on PATH, if it is new enough."""
    places = os.pathsep.join(filter(None, [first, os.environ.get("PATH", os.defpath)]))
    node = shutil.which("node", path=places)
    if node is None:
        return None
    with contextlib.suppress(OSError, ValueError):
        answer = subprocess.run([node, "--version"], capture_output=True, text=True)
        if answer.returncode == 0 and int(answer.stdout.lstrip("v").split(".")[0]) >= NODE:
            return node
    return None


def _why_install_node_modules(root: Path, level: str) -> Optional[str]:
    if not (root / "package.json").exists():
        return None
    stamp = _read_json(root / "node_modules" / STAMP)
    if stamp.get(level) == _node_modules_key(root):
        return None
    return "the packages of Node are missing or have changed"


# Making it


def _make(root: Path, level: str) -> None:
    venv = root / ".venv"
    why = _why_rebuild(venv)
    if why:
        check_can_make_venv()
        _make_venv(venv, why)
    if _why_install(root, level):
        _install(root, level)
    if _why_install_node(root):
        _install_node(root)
    if _why_install_node_modules(root, level):
        _install_node_modules(root, level)


def _make_venv(venv: Path, why: str) -> None:
    print("Making .venv: {}.".format(why))
    if venv.is_symlink() or venv.is_file():
        venv.unlink()  # a link goes, and what it leads to stays
    elif venv.exists():
        shutil.rmtree(venv)
    venv.mkdir()
    # First of all, so that an interruption at any moment is seen by the next start.
    _write_json(venv / STAMP, {"unfinished": True})
    base = getattr(sys, "_base_executable", None) or sys.executable
    progress.run("Making the virtual environment", [base, "-m", "venv", venv])
    _write_json(venv / STAMP, {"venv": str(venv)})


def _install(root: Path, level: str) -> None:
    venv = root / ".venv"
    requirements = root / REQUIREMENTS[level]
    stamp = _read_stamp(venv)
    _write_json(venv / STAMP, {"unfinished": True})
    hashed = ["--require-hashes", "--no-build-isolation", "-r"]
    # Before the rest: what builds a package that is published as source only.
    _pip(venv, "Installing the build tools", [*hashed, root / BUILD_REQUIREMENTS])
    total = _count(requirements)
    label = "Installing the packages of {}".format(requirements.name)
    _pip(venv, label, [*hashed, requirements], note=lambda lines: _pip_note(lines, total))
    _pip(venv, "Installing attn", ["--no-deps", "--no-build-isolation", "--editable", root])
    kept = {"venv": str(venv), "node": stamp.get("node")}
    levels = list(REQUIREMENTS)
    for included in levels[: levels.index(level) + 1]:
        kept[included] = _key(root, included)
    _write_json(venv / STAMP, kept)


def _install_node(root: Path) -> None:
    venv = root / ".venv"
    stamp = _read_stamp(venv)
    _write_json(venv / STAMP, {"unfinished": True})
    _pip(venv, "Installing Node", ["--require-hashes", "-r", root / NODE_REQUIREMENTS])
    _write_json(venv / STAMP, dict(stamp, node=_hash(root / NODE_REQUIREMENTS)))
    if not find_node():
        raise SetupError(
            "Node {0} or newer is needed, and the one installed in .venv does not run here.\n"
            "Install Node {0} or newer with npm, so that `node` finds it, and start again.".format(
                NODE
            )
        )


def _install_node_modules(root: Path, level: str) -> None:
    # No package's scripts run: nothing here needs them, and they are a way in.
    command = [shutil.which("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    if level == "site":
        command.append("--omit=dev")
    progress.run("Installing the packages of Node", command, cwd=str(root))
    key = _node_modules_key(root)
    stamp = {"site": key} if level == "site" else {"site": key, "test": key}
    # Inside node_modules, which `npm ci` deletes before it begins: no stamp survives a failure.
    _write_json(root / "node_modules" / STAMP, stamp)


def _pip(venv: Path, label: str, arguments: list, note=None) -> None:
    env = dict(os.environ, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1")
    # Python compiles what is imported; pip would compile all, which takes a third of its time.
    env["PIP_NO_COMPILE"] = "1"
    python = _program(venv, "python")
    progress.run(label, [python, "-m", "pip", "install", *arguments], env=env, note=note)


def _pip_note(lines: list, total: int) -> str:
    lines = list(lines)  # a thread goes on adding to it
    if any(line.startswith("Installing collected packages") for line in lines):
        return "unpacking"
    total -= sum(line.startswith("Ignoring ") for line in lines)  # for other systems only
    starts = ("Collecting ", "Processing ", "Requirement already satisfied: ")
    seen = sum(line.startswith(starts) for line in lines)
    return "{} of {}".format(seen, total) if seen else ""


def _hint(output: str) -> str:
    """What would help, judged by a failed command's output."""
    if "DO NOT MATCH THE HASHES" in output or "EINTEGRITY" in output:
        return (
            "A downloaded file is not the one that was pinned: a damaged download or a proxy "
            "that changes files.\nClear the cache and start again: python3 -m pip cache purge"
        )
    if "No space left" in output or "ENOSPC" in output:
        return "The disk is full."
    network = ("Temporary failure", "NewConnectionError", "ConnectTimeout", "ReadTimeout", "SSLError")
    network += ("No matching distribution", "ENOTFOUND", "ETIMEDOUT", "ECONNRE", "EAI_AGAIN", "ENETUN")
    if any(sign in output for sign in network):
        return (
            "The package index does not answer. Check the network, or set PIP_INDEX_URL "
            "(and npm_config_registry) to a mirror near you, and start again."
        )
    return "Mend what the lines above name, and start again: what is done is kept or made anew."


# Names, keys and stamps


def _activate(venv: Path) -> None:
    programs = str(_program(venv, "python").parent)
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if path[0] != programs:
        os.environ["PATH"] = os.pathsep.join([programs, *path])
    os.environ["VIRTUAL_ENV"] = str(venv)
    os.environ.pop("PYTHONHOME", None)


def _program(venv: Path, name: str) -> Path:
    if os.name == "nt":
        return venv / "Scripts" / (name + ".exe")
    return venv / "bin" / name


def _newer_python() -> Optional[str]:
    for minor in range(PYTHON[1] + 20, PYTHON[1], -1):
        name = "python3.{}".format(minor)
        with contextlib.suppress(OSError):
            # Run, not only found: the name may stand for a version that is not installed.
            if shutil.which(name) and not subprocess.call(
                [name, "-c", ""], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ):
                return name
    return None


def _key(root: Path, level: str) -> str:
    import tomllib

    # Only what installing `attn` reads: an option of pytest must not reinstall everything.
    text = _content(root / "pyproject.toml").decode("utf-8")
    try:
        project = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SetupError("{}: {}".format(root / "pyproject.toml", error)) from None
    metadata = {name: project.get(name) for name in ("build-system", "project")}
    files = [_hash(root / name) for name in (BUILD_REQUIREMENTS, REQUIREMENTS[level])]
    return _digest(json.dumps([metadata, *files], sort_keys=True).encode())


def _node_modules_key(root: Path) -> str:
    return _digest(
        b"".join(_content(root / name) for name in ("package.json", "package-lock.json"))
    )


def _hash(path: Path) -> str:
    # The same text on every system, whatever git made of its line ends.
    return _digest(_content(path).replace(b"\r\n", b"\n"))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise SetupError(
            "{} is missing: it lists the packages to install. "
            "Restore it: git checkout -- {}".format(path, path.name)
        ) from None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _count(requirements: Path) -> int:
    text = requirements.read_text(encoding="utf-8")
    return len(re.findall(r"^[A-Za-z0-9]", text, re.M))


def _dotted(version) -> str:
    return ".".join(str(part) for part in version)


def _read_stamp(venv: Path) -> dict:
    return _read_json(venv / STAMP)


def _read_json(path: Path) -> dict:
    with contextlib.suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return {}


def _write_json(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
