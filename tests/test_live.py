"""Serving: what is rebuilt on a change, a port that is taken, a stop that is clean."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_build import CHAPTER, ROOT, edit, made
from test_pyodide_files import put_core, put_wheels

import editions
import live
import ports
import pyodide_files

SERVE = """\
import sys
sys.path.insert(0, "scripts")
from pathlib import Path
import live
sys.exit(live.serve(Path.cwd(), port={port}, run_code=True, pyodide_folder=Path({folder!r})))
"""


@pytest.fixture
def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def with_a_small_pyodide(root):
    (root / "node_modules").unlink()
    put_core(root)
    for package in (ROOT / "node_modules").iterdir():
        if package.name != "pyodide":
            (root / "node_modules" / package.name).symlink_to(package)


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("waited in vain")


def test_an_edit_reaches_the_page_a_script_starts_anew_ctrl_c_ends_cleanly(heedful, tmp_path, free_port):
    root = made(tmp_path)
    with_a_small_pyodide(root)
    serve = SERVE.format(port=free_port, folder=str(put_wheels(tmp_path / "given")))
    address = f"http://127.0.0.1:{free_port}/"
    log = tmp_path / "log"

    def get(path):
        try:
            with urllib.request.urlopen(address + path, timeout=60) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    with open(log, "w") as file:
        server = subprocess.Popen(
            [sys.executable, "-u", "-c", serve],
            cwd=root,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for(lambda: "Serving" in log.read_text() or server.poll() is not None)
        page = "en/" + CHAPTER.replace(".md", "/")
        wait_for(lambda: "hello" in get(page))
        # Fetched beside the server, and served once it is there.
        wait_for(lambda: "numpy-1.0.whl" in get("pyodide/sizes.json"))
        assert "Fetching" not in log.read_text()  # the folder had it all
        before = log.read_text()
        edit(root, 'print("hello")', 'print("good evening")')
        wait_for(lambda: "good evening" in get(page))
        assert "attn-notice" in get(page)
        after = log.read_text()[len(before) :]
        assert "en: 06-three-positions.md in" in after and "building" not in after
        assert f"docs/en/{CHAPTER}:" in after
        assert get(page).count("06 Title") == get("zh/" + CHAPTER.replace(".md", "/")).count("06 标题")
        index = get("en/search/search_index.json")
        assert "good evening" in index and "hello" not in index
        edit(root, "# Title", "# Another title")
        wait_for(lambda: "06 Another title" in get("en/"))
        assert "en: building" in log.read_text()[len(before) :]
        script = root / "scripts/chapter.py"
        script.write_text(script.read_text("utf-8") + "\n", "utf-8")
        wait_for(lambda: log.read_text().count("Serving http") == 2 and get(page))
        with pytest.raises(urllib.error.HTTPError) as missing:
            urllib.request.urlopen(address + "en/nowhere/", timeout=60)
        assert missing.value.code == 404 and "没有这一页" in missing.value.read().decode()
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=120) == 0
        assert "Traceback" not in log.read_text()
        # Not at the end: a request that was just answered may be logged after it.
        assert "\nStopped.\n" in log.read_text()
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("taken_at", ["once", "after the first build"])
def test_a_port_in_use_is_refused_with_one_that_is_free(tmp_path, monkeypatch, free_port, taken_at):
    for name in ("attn", "scripts", "docs/zh", "docs/en", "docs/theme"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("mkdocs.yml", "mkdocs.en.yml"):
        (tmp_path / name).touch()
    taken = socket.socket()

    def take(*arguments, **options):
        taken.bind(("127.0.0.1", free_port))
        taken.listen()

    monkeypatch.setattr(editions, "build", take)
    with taken, pytest.raises(ports.CannotListen) as refused:
        if taken_at == "once":
            take()
        live.serve(tmp_path, port=free_port)
    assert f"Port {free_port} is in use" in str(refused.value)
    assert "dev.py serve --port" in str(refused.value)


EN, ZH, STYLE = Path("docs/en/a.md"), Path("docs/zh/a.md"), Path("docs/theme/a.css")


@pytest.mark.parametrize(
    "changes, needs_all, written",
    [
        ({"en": {EN}}, [], [("en", EN)]),
        ({"zh": {ZH}, "en": {EN}}, [], [("zh", ZH), ("en", EN)]),  # both were saved at once
        ({"zh": {ZH}, "en": {EN}}, [ZH], None),  # a title changed: other pages show it
        ({"zh": {ZH}, "en": {EN}}, [EN], None),
        ({"en": {EN, STYLE}}, [], None),
        ({"en": {Path(f"docs/en/{name}.md") for name in "abcde"}}, [], None),
    ],
)
def test_pages_that_are_saved_at_once_are_written_alone(monkeypatch, changes, needs_all, written):
    rebuilt = []

    def rebuild(language, path):
        rebuilt.append((language, path))
        return None if path in needs_all else []

    monkeypatch.setattr(live.one_page, "rebuild", rebuild)
    assert live._few_pages(changes) == (written is not None)
    if written is not None:
        assert rebuilt == written


def test_a_page_whose_headings_another_may_link_to_is_not_written_alone():
    def page(title, *ids):
        below = [SimpleNamespace(id=name, children=[]) for name in ids]
        return SimpleNamespace(title=title, toc=[SimpleNamespace(id="top", children=below)])

    seen = live.one_page._seen_elsewhere
    assert seen(page("A", "one", "two")) == seen(page("A", "one", "two"))
    for other in (page("B", "one", "two"), page("A", "one", "three"), page("A", "one")):
        assert seen(page("A", "one", "two")) != seen(other)


def test_a_page_that_cannot_be_written_alone_is_left_to_the_whole_build(monkeypatch):
    monkeypatch.setattr(live.one_page, "rebuild", lambda language, path: 1 / 0)
    assert not live._few_pages({"en": {EN}})


def test_a_script_that_does_not_parse_is_not_started(tmp_path):
    (tmp_path / "checks").mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    assert live._syntax_error(tmp_path) is None
    (tmp_path / "checks/b.py").write_text("x = 1\ny = (\n")
    assert live._syntax_error(tmp_path) == "checks/b.py:2: '(' was never closed"


def test_an_address_of_ip_version_6_is_one():
    assert live._address("::1", 8000) == "http://[::1]:8000/"
    assert live._address("127.0.0.1", 8000) == "http://127.0.0.1:8000/"


def test_only_the_edition_that_changed_is_rebuilt(tmp_path):
    lock = f"{pyodide_files.CACHE}/{pyodide_files.LOCK}"
    files = ["docs/zh/a.md", "docs/en/a.md", "attn/x.py", "docs/theme/z.css", lock]
    for name in [*files, "mkdocs.yml", "mkdocs.en.yml"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    watched = live._Watched(tmp_path)
    assert sorted(watched.changed()) == ["en", "zh"]
    assert watched.changed() == {}

    def touch(name):
        stamp = time.time_ns() + 10**9
        os.utime(tmp_path / name, ns=(stamp, stamp))
        return watched.changed()

    assert touch("docs/zh/a.md") == {"zh": {tmp_path / "docs/zh/a.md"}}
    assert touch("docs/en/a.md") == {"en": {tmp_path / "docs/en/a.md"}}
    assert touch("attn/x.py") == dict.fromkeys(("zh", "en"), {tmp_path / "attn/x.py"})
    assert sorted(touch("docs/theme/z.css")) == ["en", "zh"]
    # When all of Pyodide has come, the pages of both can run their code.
    assert sorted(touch(lock)) == ["en", "zh"]
    (tmp_path / "docs/en/a.md").unlink()
    assert list(watched.changed()) == ["en"]


@pytest.mark.parametrize("name", [".a.md.swp", "a.md~", "#a.md#", "__pycache__/a.pyc"])
def test_what_an_editor_keeps_beside_a_page_rebuilds_nothing(tmp_path, name):
    (tmp_path / "docs/en/__pycache__").mkdir(parents=True)
    (tmp_path / "docs/en/a.md").write_text("")
    watched = live._Watched(tmp_path)
    watched.changed()
    (tmp_path / "docs/en" / name).write_text("")
    (tmp_path / "docs/en/.#a.md").symlink_to("teacher@host.1:2")
    assert watched.changed() == {}
    (tmp_path / "docs/en/b.md").write_text("")
    assert watched.changed() == {"en": {tmp_path / "docs/en/b.md"}}


def test_a_file_that_goes_while_files_are_looked_at_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "docs/en").mkdir(parents=True)
    monkeypatch.setattr(live, "_files", lambda folder: iter([folder / "gone.md"]))
    assert live._Watched(tmp_path).changed() == {}
