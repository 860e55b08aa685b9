"""The workflow and `.ci/run`: valid, least privilege, pinned, and every step runs here."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOW = ROOT / ".github/workflows/site.yml"
POSIX = pytest.mark.skipif(os.name == "nt", reason="uses shell scripts")


def load(text):
    # YAML 1.1 reads `on` as true; GitHub does not.
    return {("on" if key is True else key): value for key, value in yaml.safe_load(text).items()}


def steps(workflow):
    return [(name, step) for name, job in workflow["jobs"].items() for step in job["steps"]]


def unpinned(text):
    """Actions that are not pinned by a commit with its version beside it."""
    used = re.findall(r"uses: *(\S+)(.*)", text)
    return [
        action
        for action, rest in used
        if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)
        or not re.fullmatch(r" # v\d+\.\d+\.\d+", rest)
    ]


def writers(workflow):
    """Jobs that may write, with what they may write."""
    found = {}
    for name, job in {"": workflow, **workflow["jobs"]}.items():
        granted = job.get("permissions", {})
        granted = {"all": granted} if isinstance(granted, str) else granted
        written = sorted(what for what, level in granted.items() if level not in ("read", "none"))
        if written:
            found[name] = written
    return found


def dangling(workflow):
    """References to a step of the same job that does not exist, and jobs that are not there."""
    found = []
    for name, job in workflow["jobs"].items():
        ids = {step["id"] for step in job["steps"] if "id" in step}
        found += [r for r in re.findall(r"steps\.([\w-]+)\.", yaml.safe_dump(job)) if r not in ids]
        needs = job.get("needs", [])
        found += [n for n in ([needs] if isinstance(needs, str) else needs) if n not in workflow["jobs"]]
    return found


@pytest.fixture(scope="module")
def text():
    return WORKFLOW.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def workflow(text):
    return load(text)


def validate(path, schema):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    "path, schema, fault",
    [
        (WORKFLOW, "vendor.github-workflows", ("runs-on:", "run-on:")),
        (ROOT / ".github/dependabot.yml", "vendor.dependabot", ("interval: monthly", "every: month")),
    ],
)
def test_github_can_read_it(path, schema, fault, tmp_path):
    result = validate(path, schema)
    assert result.returncode == 0, result.stdout
    planted = tmp_path / "planted.yml"
    planted.write_text(path.read_text(encoding="utf-8").replace(*fault), encoding="utf-8")
    assert validate(planted, schema).returncode != 0


def test_actions_are_pinned_by_commit(text):
    assert unpinned(text) == []
    pin = re.search(r"@[0-9a-f]{40} # v[\d.]+", text)[0]
    assert len(unpinned(text.replace(pin, "@v7", 1))) == 1
    assert len(unpinned(text.replace(pin, pin.split(" ")[0], 1))) == 1


def test_only_the_deployment_may_write_and_only_pages(text, workflow):
    expected = {"deploy": ["id-token", "pages"]}
    assert workflow["permissions"] == {"contents": "read"}
    assert writers(workflow) == expected
    assert writers(load(text.replace("contents: read", "contents: write", 1))) != expected
    assert writers(load(text.replace("      pages: read", "      pages: write"))) != expected
    assert writers(load("permissions: write-all\njobs: {}\n")) == {"": ["all"]}


def test_what_it_refers_to_is_there(text, workflow):
    assert dangling(workflow) == []
    assert dangling(load(text.replace("id: pages", "id: page"))) == ["pages", "pages"]
    assert dangling(load(text.replace("[test, build]", "[tests, build]"))) == ["tests"]


def test_only_main_is_deployed_and_only_when_tests_and_build_passed(workflow):
    deploy = workflow["jobs"]["deploy"]
    assert sorted(deploy["needs"]) == ["build", "test"]
    assert "github.ref == 'refs/heads/main'" in deploy["if"]
    assert "github.event_name != 'pull_request'" in deploy["if"]
    assert set(workflow["on"]) == {"push", "pull_request", "workflow_dispatch"}
    assert workflow["on"]["push"] == {"branches": ["main"]}


def test_no_input_of_a_stranger_reaches_a_shell(workflow):
    assert [step["run"] for _, step in steps(workflow) if "${{" in step.get("run", "")] == []


def test_every_job_ends_by_itself(workflow):
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


# Its commands, run here with programs that only say how they were called


def program(directory, name, script):
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path):
    """A checkout whose dev.py only records its call, and a PATH with a machine's bare necessities."""
    root = tmp_path / "a checkout"
    (root / ".ci").mkdir(parents=True)
    (root / "scripts").mkdir()
    shutil.copy(ROOT / ".ci/run", root / ".ci/run")
    (root / "scripts/dev.py").write_text(
        "import os, sys\n"
        "print('dev.py', *sys.argv[1:], 'CI=' + os.environ.get('CI', ''),"
        " 'SITE_URL=' + os.environ.get('SITE_URL', '-'), 'in', os.getcwd())\n"
        "sys.exit(int(os.environ.get('STATUS', 0)))\n"
    )
    binaries = tmp_path / "bin"
    binaries.mkdir()
    for name in ("bash", "sh", "dirname", "id", "git", "env"):
        (binaries / name).symlink_to(shutil.which(name))
    (binaries / "python3").symlink_to(sys.executable)
    program(binaries, "chromium", "exit 0")
    program(binaries, "apt-get", 'echo "apt-get $*" >&2')
    return root


def run(machine, command, **variables):
    env = {"PATH": str(machine.parent / "bin"), **variables}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", command],
        cwd=machine,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@POSIX
def test_each_step_is_a_command_that_the_readme_documents(workflow, machine):
    ran = []
    for _, step in steps(workflow):
        if "run" in step:
            done = run(machine, step["run"], CI="true", SITE_URL="")
            assert done.returncode == 0, done.stderr
            ran += re.findall(r"^dev\.py (\w+)", done.stdout, re.M)
    assert ran == ["test", "build"]


def test_a_site_whose_pages_cannot_run_their_code_is_not_deployed(workflow):
    commands = [step.get("run", "") for _, step in steps(workflow)]
    assert "python3 scripts/dev.py build --live=required --offline" in commands


@POSIX
def test_a_step_fails_when_its_command_fails(workflow, machine):
    for _, step in steps(workflow):
        if "run" in step:
            assert run(machine, step["run"], STATUS="1").returncode == 1


def readme_command(name):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"^(?:\$ )?(python3 scripts/dev\.py {name})$", readme, re.M)[1]


@POSIX
def test_ci_run_is_the_command_of_the_readme(machine):
    by_hand = run(machine, readme_command("test"), CI="true")
    # From anywhere, without CI set: it sets it.
    by_ci = run(machine, f"cd / && '{machine}/.ci/run'")
    assert by_ci.stdout == by_hand.stdout == f"dev.py test CI=true SITE_URL=- in {machine}\n"
    assert by_ci.stderr == ""  # nothing was missing, nothing was installed


@POSIX
@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="as another user it calls sudo")
def test_ci_run_installs_what_a_bare_machine_lacks(machine):
    binaries = machine.parent / "bin"
    (binaries / "chromium").unlink()
    done = run(machine, ".ci/run")
    assert done.returncode == 0
    calls = done.stderr.splitlines()
    assert calls[0].startswith("apt-get update")
    assert calls[1].endswith("chromium")

    program(binaries, "apt-get", "exit 100")
    assert run(machine, ".ci/run").returncode == 100


@POSIX
def test_ci_run_takes_a_browser_that_is_named(machine):
    (machine.parent / "bin" / "chromium").unlink()
    done = run(machine, ".ci/run", CHROMIUM="/opt/chrome")
    assert "apt-get" not in done.stderr


@POSIX
def test_ci_run_takes_a_python_that_is_new_enough(machine):
    binaries = machine.parent / "bin"
    (binaries / "python3").unlink()
    program(binaries, "python3", "exit 1")  # as an old one answers the question for its version
    (binaries / "python3.13").symlink_to(sys.executable)
    done = run(machine, ".ci/run")
    assert done.stdout.startswith("dev.py test ")
    assert "apt-get" not in done.stderr


@POSIX
def test_ci_run_is_sound(machine):
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", str(ROOT / ".ci/run")]).returncode == 0
