"""Everything that `dev.py test` runs, and the summary of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

LATER = ("browser", "pyodide")  # tests of what the build has made
# A worker for each processor, or as many as PYTEST_XDIST_AUTO_NUM_WORKERS says. Each takes tests
# that follow each other, so that most of those that share an open page find it open.
PARALLEL = ("-n", "logical", "--dist", "worksteal")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass(frozen=True)
class Result:
    """One step. A step that is not a pytest run counts as one."""

    name: str
    seconds: float
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    remark: str = ""

    @property
    def verdict(self) -> str:
        if self.failed:
            return "FAILED"
        return "passed" if self.passed else "skipped"


def everything(root: Path) -> int:
    """Run every step, each to its end whatever the others did. Returns an exit status."""
    dev = [sys.executable, str(root / "scripts" / "dev.py")]
    tests = root / "tests"
    readmes = [root / name for name in ("README.md", "README.zh.md")]
    # What is missing (a browser, Pyodide's files) is a failure in CI, elsewhere a remark.
    build = [*dev, "build", "--offline", *(["--live=required"] if in_ci(os.environ) else [])]
    results = [
        pytest("unit tests", root, [*PARALLEL, tests, *(f"--ignore={tests / name}" for name in LATER)]),
        pytest("code blocks", root, ["--codeblocks", root / "docs/zh", root / "docs/en", *readmes]),
        step("checks", root, [*dev, "check"]),
        built := step("build, zh and en", root, build),
        pytest("code under Pyodide", root, [tests / "pyodide"]),
        # The pages that were just built, unless they were not.
        browser_tests(root, dict(os.environ, **({} if built.failed else {"ATTN_SITE": str(root / "site")}))),
    ]
    print(summary(results))
    return 1 if any(result.failed for result in results) else 0


def quick(arguments: list) -> int:
    """Run pytest alone, in the directory where the command was given."""
    blocks = ["--codeblocks"] if any(".md" in argument for argument in arguments) else []
    return call([sys.executable, "-m", "pytest", *blocks, *arguments])


def step(name: str, root: Path, command: list) -> Result:
    started = begin(name)
    status = call(command, cwd=root)
    seconds = time.monotonic() - started
    if status:
        return Result(name, seconds, failed=1, remark="exit status {}".format(status))
    return Result(name, seconds, passed=1)


def pytest(name: str, root: Path, arguments: list, env=None) -> Result:
    started = begin(name)
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.xml"
        command = [sys.executable, "-m", "pytest", *arguments, "--junit-xml", report]
        status = call(command, cwd=root, env=env)
        passed, failed, skipped = read_report(report)
    # pytest also fails without a failed test: nothing collected, a broken option, a crash.
    remark = "" if status in (0, 1) else "pytest ended with status {}".format(status)
    if status and not failed:
        failed = 1
    return Result(name, time.monotonic() - started, passed, failed, skipped, remark)


def read_report(report: Path) -> tuple:
    """(passed, failed, skipped) of a JUnit report; zeros when pytest could not write one."""
    if not report.exists():
        return 0, 0, 0
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    total = failed = skipped = 0
    for suite in suites:
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    return max(total - failed - skipped, 0), failed, skipped


def browser_tests(root: Path, env) -> Result:
    """Run the tests that need a browser. Without one they are skipped, but not in CI."""
    browser = find_browser(env)
    if browser:
        tests = [*PARALLEL, root / "tests/browser"]
        return pytest("browser tests", root, tests, dict(env, CHROMIUM=browser))
    remark = "no browser: install Chromium or Chrome, or set CHROMIUM to its path"
    started = begin("browser tests")
    print(remark)
    count = {"failed": 1} if in_ci(env) else {"skipped": 1}
    return Result("browser tests", time.monotonic() - started, remark=remark, **count)


def in_ci(env) -> bool:
    return env.get("CI", "").lower() in ("1", "true")


def find_browser(env) -> str | None:
    if env.get("CHROMIUM"):
        return shutil.which(env["CHROMIUM"])
    found = (shutil.which(name, path=env.get("PATH")) for name in BROWSERS)
    return next(filter(None, found), None)


def call(command: list, cwd=None, env=None) -> int:
    process = subprocess.Popen([str(part) for part in command], cwd=cwd, env=env)
    try:
        return process.wait()
    except KeyboardInterrupt:
        # The terminal has told the child too: let it end its own children first.
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        raise


def begin(name: str) -> float:
    print("\n── {} ──".format(name), flush=True)
    return time.monotonic()


def summary(results: list) -> str:
    width = max(len(result.name) for result in results)
    lines = ["", "── summary ──"]
    for result in results:
        counts = "{} passed, {} failed, {} skipped".format(
            result.passed, result.failed, result.skipped
        )
        line = "{:{}}  {:7}  {:>7.1f} s  {}".format(
            result.name, width, result.verdict, result.seconds, counts
        )
        lines.append(line + (" ({})".format(result.remark) if result.remark else ""))
    lines.append("")
    lines.append(
        "{} passed, {} failed, {} skipped".format(
            sum(result.passed for result in results),
            sum(result.failed for result in results),
            sum(result.skipped for result in results),
        )
    )
    return "\n".join(lines)
