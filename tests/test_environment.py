"""The environment is made once, made anew when it is not right, and left alone when it is.

Each test works on a small tree of its own, with one package built here: no network.
"""

import ast
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path

import pytest

import environment
import progress

SCRIPTS = Path(environment.__file__).parent
POSIX = pytest.mark.skipif(os.name == "nt", reason="uses shell scripts and signals")

# Installs the tree as a `.pth` file, as hatchling does, without a package to download.
BACKEND = """
import os, time, zipfile

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    if os.environ.get("SLOW_BUILD"):
        open(os.environ["SLOW_BUILD"], "w").close()
        time.sleep(60)
    name = "tree-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.writestr("tree.pth", os.getcwd() + "\\n")
        wheel.writestr("tree-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tree\\nVersion: 1.0\\n")
        wheel.writestr("tree-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("tree-1.0.dist-info/RECORD", "")
    return name
"""

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "tree"
version = "1.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
"""


def make_wheel(directory, name):
    """A package of one module that says its name. Returns its line for a requirements file."""
    directory.mkdir(exist_ok=True)
    path = directory / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", f"name = {name!r}\n")
        info = f"{name}-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{name}==1.0 --hash=sha256:{digest}\n"


# What is read before there is an environment, by whatever Python there is.
READ_BY_ANY = ["disk", "environment", "lock", "ports", "progress"]


def make_tree(root):
    scripts = root / "scripts"
    scripts.mkdir(parents=True)
    for name in ("dev", *READ_BY_ANY):
        shutil.copy(SCRIPTS / f"{name}.py", scripts)
    (scripts / "update.py").write_text("def out_of_date(root):\n    return []\n")
    # A command that says which Python runs it and where it finds what was installed.
    (scripts / "checks.py").write_text(
        "import here, of_site, sys\n"
        "def run(root):\n"
        "    print('runs in', sys.prefix)\n"
        "    print('imports', here.__file__)\n"
        "    return []\n",
        encoding="utf-8",
    )
    (root / "here.py").write_text("", encoding="utf-8")
    (root / "backend.py").write_text(BACKEND, encoding="utf-8")
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    site = make_wheel(root / "wheels", "of_site")
    test = make_wheel(root / "wheels", "of_test")
    build = make_wheel(root / "wheels", "of_build")
    (root / "requirements-build.txt").write_text(build, encoding="utf-8")
    (root / "requirements.txt").write_text(site, encoding="utf-8")
    (root / "requirements-test.txt").write_text(site + test, encoding="utf-8")
    return root


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path_factory):
    """What `ensure` changes is put back; pip reaches nothing but the tree's own wheels."""
    for name in ("PATH", "VIRTUAL_ENV", "PYTHONHOME"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.delenv("PYTHONHOME")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels")
    monkeypatch.setattr(progress, "SILENCE", 0.0)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A tree whose environment for the site is made. Tests copy it or leave it as it is."""
    root = make_tree(tmp_path_factory.mktemp("env") / "课程 one")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PATH", "VIRTUAL_ENV"):
            patch.setenv(name, os.environ.get(name, ""))
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_CONFIG_FILE", os.devnull)
        patch.setenv("PIP_FIND_LINKS", (root / "wheels").as_uri())
        environment.ensure(root)
    return root


@pytest.fixture
def wheels(made, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", (made / "wheels").as_uri())


@pytest.fixture
def site_alone(made, wheels):
    """`made` without what another test has added to it."""
    if imports(environment._program(made / ".venv", "python"), "of_test").returncode == 0:
        shutil.rmtree(made / ".venv")
        environment.ensure(made)
    return made


def imports(python, module):
    command = [str(python), "-c", f"import {module}; print({module}.__file__)"]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def forbid_work(monkeypatch):
    def run(label, command, **options):
        raise AssertionError(f"nothing was to be done, but: {label}")

    monkeypatch.setattr(progress, "run", run)


# A first start, a second one


def test_first_start_installs_the_packages_and_the_tree(made):
    python = environment.ensure(made)
    assert python.is_relative_to(made / ".venv")
    assert imports(python, "of_site").returncode == 0
    assert imports(python, "of_build").returncode == 0
    assert imports(python, "here").stdout.strip() == str(made / "here.py")


def test_site_installs_no_test_packages(site_alone):
    assert imports(environment.ensure(site_alone), "of_test").returncode != 0


def test_second_start_does_nothing(made, monkeypatch):
    forbid_work(monkeypatch)
    environment.ensure(made)


def test_its_programs_come_first_on_the_path(made):
    environment.ensure(made)
    environment.ensure(made)
    programs = str(environment._program(made / ".venv", "python").parent)
    assert os.environ["PATH"].split(os.pathsep).count(programs) == 1
    assert shutil.which("pip") == str(environment._program(made / ".venv", "pip"))


def test_an_option_of_pytest_reinstalls_nothing(made, monkeypatch):
    pyproject = made / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    forbid_work(monkeypatch)
    try:
        pyproject.write_text(text.replace('"tests"', '"tests", "more"'), encoding="utf-8")
        environment.ensure(made)
    finally:
        pyproject.write_text(text, encoding="utf-8")


# What makes an environment wrong, one thing at a time


@pytest.mark.parametrize(
    "file, change",
    [
        ("requirements.txt", "\n# changed\n"),
        ("requirements-build.txt", "\n# changed\n"),
        ("pyproject.toml", '\n[project.optional-dependencies]\nmore = ["of_site"]\n'),
    ],
)
def test_changed_requirements_are_installed(made, wheels, monkeypatch, file, change):
    path = made / file
    text = path.read_text(encoding="utf-8")
    labels = []
    monkeypatch.setattr(progress, "run", lambda label, command, **options: labels.append(label))
    stamp = (made / ".venv" / environment.STAMP).read_bytes()
    try:
        path.write_text(text + change, encoding="utf-8")
        environment.ensure(made)
    finally:
        path.write_text(text, encoding="utf-8")
        (made / ".venv" / environment.STAMP).write_bytes(stamp)
    assert "Installing the packages of requirements.txt" in labels
    assert "Making the virtual environment" not in labels


def test_line_ends_of_a_windows_checkout_change_nothing(made, monkeypatch):
    path = made / "requirements.txt"
    content = path.read_bytes()
    forbid_work(monkeypatch)
    try:
        path.write_bytes(content.replace(b"\n", b"\r\n"))
        environment.ensure(made)
    finally:
        path.write_bytes(content)


def test_a_missing_requirements_file_is_named(made):
    path = made / "requirements.txt"
    content = path.read_bytes()
    path.unlink()
    try:
        with pytest.raises(environment.SetupError, match="requirements.txt is missing"):
            environment.ensure(made)
    finally:
        path.write_bytes(content)


@POSIX
def test_a_copied_tree_imports_its_own_sources(made, wheels, tmp_path, capsys):
    copy = tmp_path / "moved 到 here"
    shutil.copytree(made, copy, symlinks=True)
    # The fault: the copy's Python runs, and imports the original's sources.
    python = environment._program(copy / ".venv", "python")
    assert imports(python, "here").stdout.strip() == str(made / "here.py")

    assert environment.ensure(copy) == python
    assert "another directory" in capsys.readouterr().out
    assert imports(python, "here").stdout.strip() == str(copy / "here.py")


def test_an_environment_whose_python_is_gone_is_made_anew(made, tmp_path):
    copy = tmp_path / ".venv"
    shutil.copytree(made / ".venv", copy, symlinks=True)
    (copy / environment.STAMP).write_text(json.dumps({"venv": str(copy)}), encoding="utf-8")
    assert environment._why_rebuild(copy) is None
    environment._program(copy, "python").unlink()
    assert "does not run" in environment._why_rebuild(copy)


def test_an_environment_without_pip_is_made_anew(made, tmp_path):
    copy = tmp_path / ".venv"
    shutil.copytree(made / ".venv", copy, symlinks=True)
    (copy / environment.STAMP).write_text(json.dumps({"venv": str(copy)}), encoding="utf-8")
    for package in copy.rglob("site-packages/pip"):
        shutil.rmtree(package)
    assert "does not run" in environment._why_rebuild(copy)


def test_an_environment_of_an_old_python_is_made_anew(made, monkeypatch):
    monkeypatch.setattr(environment, "_venv_version", lambda venv: (3, 11, 2))
    assert environment._why_rebuild(made / ".venv") == "the Python of .venv is 3.11.2"


def test_an_environment_made_by_hand_is_kept(made, tmp_path):
    venv = tmp_path / ".venv"
    shutil.copytree(made / ".venv", venv, symlinks=True)
    (venv / environment.STAMP).unlink()
    config = venv / "pyvenv.cfg"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace(str(made / ".venv"), str(venv)), encoding="utf-8")
    assert environment._why_rebuild(venv) is None
    config.write_text(text, encoding="utf-8")
    assert "another directory" in environment._why_rebuild(venv)


def test_a_link_in_place_of_the_environment_goes_and_what_it_leads_to_stays(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    venv = tmp_path / "tree" / ".venv"
    venv.parent.mkdir()
    venv.symlink_to(elsewhere)
    monkeypatch.setattr(environment.progress, "run", lambda *arguments, **options: "")
    environment._make_venv(venv, "planted")
    assert not venv.is_symlink() and environment._read_stamp(venv) == {"venv": str(venv)}
    assert [path.name for path in elsewhere.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    "key, name",
    [
        (lambda root: environment._key(root, "site"), "pyproject.toml"),
        (lambda root: environment._key(root, "site"), "requirements-build.txt"),
        (environment._node_modules_key, "package-lock.json"),
    ],
)
def test_a_missing_list_of_packages_is_named_with_the_way_to_restore_it(tmp_path, key, name):
    for each in ("pyproject.toml", "requirements.txt", "requirements-build.txt", "package.json", "package-lock.json"):
        (tmp_path / each).touch()
    key(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(environment.SetupError, match=f"{name} is missing.*git checkout -- {name}"):
        key(tmp_path)


def test_a_mistake_in_pyproject_is_told_with_its_line(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = \n")
    with pytest.raises(environment.SetupError, match=r"pyproject.toml: .*line 2"):
        environment._key(tmp_path, "site")


def test_a_damaged_stamp_is_no_stamp(made, tmp_path):
    (tmp_path / environment.STAMP).write_text("{", encoding="utf-8")
    assert environment._read_stamp(tmp_path) == {}


# Failures


def test_a_changed_package_is_refused_and_the_next_start_begins_anew(site_alone):
    made = site_alone
    wheel = made / "wheels" / "of_test-1.0-py3-none-any.whl"
    stamp = made / ".venv" / environment.STAMP
    good = wheel.read_bytes(), stamp.read_bytes()
    try:
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("planted.py", "")
        with pytest.raises(environment.SetupError) as failure:
            environment.ensure(made, "test")
        assert "interrupted" in environment._why_rebuild(made / ".venv")
    finally:
        wheel.write_bytes(good[0])
        stamp.write_bytes(good[1])
    assert "DO NOT MATCH THE HASHES" in str(failure.value)  # pip's own words
    assert "pip cache purge" in str(failure.value)  # and ours
    assert imports(environment.ensure(made), "planted").returncode != 0


def test_the_test_level_adds_to_the_site(made, wheels, monkeypatch):
    environment.ensure(made, "test")
    python = environment._program(made / ".venv", "python")
    assert imports(python, "of_test").returncode == 0
    forbid_work(monkeypatch)
    environment.ensure(made, "site")
    environment.ensure(made, "test")


@pytest.mark.parametrize(
    "output, hint",
    [
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "pip cache purge"),
        ("npm error code EINTEGRITY", "pip cache purge"),
        ("Failed to establish a new connection: NewConnectionError", "PIP_INDEX_URL"),
        ("ERROR: No matching distribution found for numpy", "PIP_INDEX_URL"),
        ("npm error code ENOTFOUND", "npm_config_registry"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("something new", "the lines above"),
    ],
)
def test_hints(output, hint):
    assert hint in environment._hint(output)


def test_a_place_that_cannot_be_written_is_named(made, tmp_path):
    shutil.copy(made / "requirements.txt", tmp_path)
    (tmp_path / ".venv").write_text("a file", encoding="utf-8")
    (tmp_path / ".cache").write_text("a file", encoding="utf-8")
    with pytest.raises(environment.SetupError, match="cannot be written"):
        environment.ensure(tmp_path)


# Python


def test_an_old_python_is_told_which_newer_one_is_here(monkeypatch):
    monkeypatch.setattr(environment, "_newer_python", lambda: "python3.13")
    with pytest.raises(environment.SetupError) as failure:
        environment.check_version((3, 11, 4, "final", 0), "/usr/bin/python3")
    message = str(failure.value)
    assert "3.11.5 or newer" in message
    assert "/usr/bin/python3 is Python 3.11.4" in message
    assert "python3.13" in message


def test_the_oldest_python_that_works_is_let_through():
    environment.check_version((3, 11, 5, "final", 0), "python3")
    environment.check_version((4, 0, 0, "final", 0), "python3")


@POSIX
def test_a_name_that_runs_no_python_is_not_offered(tmp_path, monkeypatch):
    for name, status in (("python3.14", 127), ("python3.13", 0)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert environment._newer_python() == "python3.13"


@pytest.mark.parametrize("absent", ["venv", "ensurepip"])
def test_a_python_without_venv_names_the_package(absent):
    def find_spec(name):
        return None if name == absent else object()

    with pytest.raises(environment.SetupError) as failure:
        environment.check_can_make_venv(find_spec)
    assert absent in str(failure.value)
    assert "apt install python3-venv" in str(failure.value)


def annotations(tree):
    """Evaluated when the file is read: `str | None` there is an error before Python 3.10."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.returns
            yield from (argument.annotation for argument in node.args.args)


@pytest.mark.parametrize("name", ["dev.py", *(f"{module}.py" for module in READ_BY_ANY)])
def test_an_old_python_can_read_what_tells_it_that_it_is_old(name):
    source = (SCRIPTS / name).read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 6))
    own = {path.stem for path in SCRIPTS.glob("*.py")}
    modules = set()
    assert not any(isinstance(node, ast.BinOp) for node in annotations(tree))
    for node in tree.body:
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module.split(".")[0])
    assert modules <= set(sys.stdlib_module_names) | (own & set(READ_BY_ANY))


def test_that_check_can_fail():
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n    case 1: pass", feature_version=(3, 6))


# Node


def fake_program(directory, name, script):
    directory.mkdir(exist_ok=True)
    program = directory / name
    program.write_text("#!/bin/sh\n" + textwrap.dedent(script), encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@POSIX
@pytest.mark.parametrize(
    "version, npm, found",
    [
        ("v20.0.0", True, True),
        ("v24.1.0", True, True),
        ("v18.20.4", True, False),
        ("v24.1.0", False, False),  # Debian packages npm apart
        ("what?", True, False),
    ],
)
def test_node_has_to_be_new_enough_and_have_npm(tmp_path, monkeypatch, version, npm, found):
    node = fake_program(tmp_path, "node", f"echo {version}")
    if npm:
        fake_program(tmp_path, "npm", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "package.json").write_text("{}")
    assert (environment._why_install_node(tmp_path) is None) == found
    if npm:
        assert environment.find_node() == (node if found else None)


@POSIX
def test_a_node_put_into_the_environment_comes_before_the_one_that_is_too_old(tmp_path, monkeypatch):
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    fake_program(tmp_path / "old", "node", "echo v18.0.0")
    new = fake_program(tmp_path / "new", "node", "echo v24.1.0")
    monkeypatch.setenv("PATH", str(tmp_path / "old"))
    assert environment.find_node() is None
    assert environment.find_node(str(tmp_path / "new")) == new
    assert environment.find_node(str(tmp_path / "nowhere")) is None


def test_the_progress_of_pip_counts_only_what_is_for_this_system():
    """Of five pinned packages one is for Windows alone: when four have been taken up, all have."""
    lines = ["Ignoring pywin32: markers don't match your environment\n"]
    assert environment._pip_note(lines, 5) == ""
    lines += ["Collecting a==1.0\n", "Requirement already satisfied: b==1.0\n", "  Downloading a.whl\n"]
    assert environment._pip_note(lines, 5) == "2 of 4"
    lines += ["Processing ./c.whl\n", "Collecting d==1.0\n"]
    assert environment._pip_note(lines, 5) == "4 of 4"
    assert environment._pip_note([*lines, "Installing collected packages: a, c, d\n"], 5) == "unpacking"


@POSIX
def test_node_modules_are_installed_once_for_each_level(made, tmp_path, monkeypatch):
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    fake_program(
        tmp_path / "bin",
        "npm",
        """
        echo "$@" >> npm.log
        rm -rf node_modules
        test -z "$NPM_FAILS" || exit 1
        mkdir node_modules
        """,
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    def calls():
        return (tmp_path / "npm.log").read_text().splitlines()

    def ensure(level):
        if environment._why_install_node_modules(tmp_path, level):
            environment._install_node_modules(tmp_path, level)

    ensure("site")
    ensure("site")
    assert len(calls()) == 1
    assert "--omit=dev" in calls()[0] and "--ignore-scripts" in calls()[0]
    ensure("test")
    ensure("test")
    ensure("site")
    assert len(calls()) == 2
    assert "--omit=dev" not in calls()[1]

    (tmp_path / "package-lock.json").write_text('{"changed": 1}', encoding="utf-8")
    monkeypatch.setenv("NPM_FAILS", "1")
    with pytest.raises(progress.CommandFailed):
        ensure("site")
    monkeypatch.delenv("NPM_FAILS")
    ensure("site")
    assert len(calls()) == 4


# Whole starts, as a person makes them


def start(root, **variables):
    return subprocess.Popen(
        [sys.executable, str(root / "scripts" / "dev.py"), "check"],
        env=dict(os.environ, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def copy_without_environment(made, root):
    shutil.copytree(made, root, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".cache"))
    return root


@POSIX
def test_ctrl_c_while_installing_ends_cleanly_and_the_next_start_recovers(heedful, made, wheels, tmp_path):
    root = tmp_path / "中断 tree"
    shutil.copytree(made, root, symlinks=True, ignore=shutil.ignore_patterns(".cache"))
    # Made here, and empty: the start goes straight to the packages.
    venv = root / ".venv"
    (venv / environment.STAMP).write_text(json.dumps({"venv": str(venv)}), encoding="utf-8")
    left = venv / "left-behind"
    left.touch()
    building = tmp_path / "building"
    process = start(root, SLOW_BUILD=str(building))
    while not building.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, out + err
    assert "Traceback" not in out + err

    process = start(root)
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert "an earlier start was interrupted" in out
    assert not left.exists()
    assert f"runs in {root / '.venv'}" in out
    assert f"imports {root / 'here.py'}" in out


@POSIX
def test_two_starts_at_once_make_one_environment(made, wheels, tmp_path):
    root = copy_without_environment(made, tmp_path / "tree")
    both = [start(root), start(root)]
    outputs = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert sum("Making .venv" in out for out, _ in outputs) == 1
