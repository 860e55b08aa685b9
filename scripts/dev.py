#!/usr/bin/env python3
"""The one entry: serve, build, test, check, update, bench, publish.

    python3 scripts/dev.py serve

Runs on any Python that can say its version: what a command needs is installed in `.venv` on
the first start, and the command then runs there.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import disk
import environment
import ports

ROOT = Path(__file__).resolve().parent.parent
END_OF_ZIPS = 4354819200  # 2108-01-01: a zip knows no date from then on


def main(argv: list) -> int:
    """Run one command. Returns its exit status: 0 well, 1 problems found, 2 cannot start."""
    try:
        environment.check_version(sys.version_info, sys.executable)
        for stream in (sys.stdout, sys.stderr):
            # A console without Chinese must not end a build; a log must not lag behind it.
            stream.reconfigure(errors="backslashreplace", line_buffering=True)
        parser = make_parser()
        if not argv:
            parser.print_help()
            return 2
        arguments, rest = parser.parse_known_args(argv)
        if rest and not arguments.passes_on:
            parser.error("unrecognized arguments: " + " ".join(rest))
        check_date()
        arguments.given = argv[1:]
        if arguments.command == "serve":
            ports.check(arguments.host, arguments.port)
        python = environment.ensure(ROOT, arguments.level)
        if not running_in(python):
            return run_in(python, argv)
        return arguments.run(arguments)
    except (environment.SetupError, ports.CannotListen, UsageError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        message = disk.explain(error)
        if message is None:
            raise
        print(message, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        end_blocks()
        print(file=sys.stderr)
        return 130


class UsageError(Exception):
    """The command cannot do what was asked. The message says what would work."""


def check_date() -> None:
    """Raise `UsageError` where the date of what is built, if it is given, is none that MkDocs and a zip can hold."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is not None and not (given.isdecimal() and int(given) < END_OF_ZIPS):
        raise UsageError(
            "SOURCE_DATE_EPOCH is {!r}, and should be the seconds since 1970, from 0 to {}. Without it, "
            "the date is that of the last commit: unset SOURCE_DATE_EPOCH".format(given, END_OF_ZIPS - 1)
        )


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dev.py", description="Build, test and publish Attention by Hand."
    )
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)

    def command(name, run, text, level="site", passes_on=False):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run, level=level, passes_on=passes_on)
        return sub

    sub = command("serve", serve, "build both languages, serve them, rebuild on change")
    sub.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    sub.add_argument("--port", type=_port, default=8000, help="port to listen on (%(default)s)")
    sub.add_argument("--open", action="store_true", help="open the page in the browser")
    _add_live(sub, "auto")

    sub = command("build", build, "build the site into site/; stop at the first broken promise")
    _add_site_url(sub)
    _add_live(sub, "auto")
    sub.add_argument(
        "--offline", action="store_true", help="make the zip of the whole site too, to read offline"
    )

    sub = command(
        "test",
        test,
        "run everything: unit tests, code in the chapters, checks, build, browser tests. "
        "With arguments: pass them on to pytest and run that alone",
        level="test",
        passes_on=True,
    )
    sub.add_argument("pytest", nargs="*", help="test files, chapters (.md), options of pytest")

    command("check", check, "name every problem in the chapters, with file and line; blocks that changed run")

    sub = command("update", update, "write the outputs that the chapters' blocks print")
    sub.add_argument(
        "paths", nargs="*", type=Path, metavar="chapter", help="chapters (default: all)"
    )

    sub = command(
        "bench",
        bench,
        "measure the build (site), or attention itself (attn, with --n, --rounds, --threads)",
        level="test",
        passes_on=True,
    )
    sub.add_argument("what", nargs="?", default="site", help="site or attn (%(default)s)")

    sub = command("publish", publish, "build, then push site/ to a branch that serves it")
    _add_site_url(sub)
    _add_live(sub, "required")
    sub.add_argument("--remote", default="origin", help="remote to push to (%(default)s)")
    sub.add_argument("--branch", default="gh-pages", help="branch to push to (%(default)s)")
    sub.add_argument("--yes", action="store_true", help="do not ask")
    sub.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")
    sub.add_argument(
        "--allow-dirty", action="store_true", help="publish changes that are not committed"
    )
    return parser


# The commands. What they need is imported inside: it is there only once `ensure` has run.


def serve(arguments) -> int:
    import live

    if arguments.live == "required":
        pyodide(arguments)  # before anything is served, or not at all
    try:
        return live.serve(
            ROOT,
            host=arguments.host,
            port=arguments.port,
            open_browser=arguments.open,
            run_code=arguments.live != "off",
            pyodide_folder=arguments.pyodide,
        )
    finally:
        end_blocks()


def build(arguments) -> int:
    import editions

    files = pyodide(arguments)
    status = editions.build(
        ROOT, site_url=arguments.site_url, pyodide=files, with_offline=arguments.offline
    )
    if status == 0 and files is None and arguments.live == "auto":
        print("The pages cannot run their code: see above.")
    return status


def pyodide(arguments):
    """The files with which pages run their code, fetched where they are missing."""
    import pyodide_files

    try:
        return pyodide_files.gather(ROOT, arguments.live, arguments.pyodide)
    except pyodide_files.PyodideError as error:
        raise UsageError(str(error)) from None


def test(arguments) -> int:
    import suite

    return suite.quick(arguments.given) if arguments.given else suite.everything(ROOT)


def check(arguments) -> int:
    import checks
    import update

    problems = [*checks.run(ROOT), *update.out_of_date(ROOT)]
    for problem in sorted(problems, key=lambda problem: (problem.path, problem.line)):
        print(problem)
    counted = "1 problem" if len(problems) == 1 else "{} problems".format(len(problems))
    print(counted if problems else "No problems.")
    return 1 if problems else 0


def update(arguments) -> int:
    import update

    return update.main(ROOT, [path.resolve() for path in arguments.paths])


def bench(arguments) -> int:
    if arguments.what == "attn":
        import bench_attn

        return bench_attn.main(arguments.given[1:])
    if arguments.given not in ([], ["site"]):
        raise UsageError("bench: give site or attn, not {}".format(" ".join(arguments.given)))
    import bench

    return bench.main(ROOT)


def publish(arguments) -> int:
    import publish

    return publish.main(
        ROOT,
        remote=arguments.remote,
        branch=arguments.branch,
        site_url=arguments.site_url,
        yes=arguments.yes,
        dry_run=arguments.dry_run,
        allow_dirty=arguments.allow_dirty,
        live=arguments.live,
        pyodide_folder=arguments.pyodide,
    )


# Arguments


def _add_site_url(sub) -> None:
    sub.add_argument(
        "--site-url",
        type=_address,
        default=os.environ.get("SITE_URL") or None,
        metavar="URL",
        help="where the site will be served (default: the variable SITE_URL)",
    )


def _add_live(sub, default: str) -> None:
    sub.add_argument(
        "--live",
        choices=("auto", "required", "off"),
        default=default,
        help="let the pages run their code, for which 13 MB (at most 106) are fetched once: auto does "
        "without where that fails, required does not (%(default)s)",
    )
    sub.add_argument(
        "--pyodide",
        type=_folder,
        default=os.environ.get("ATTN_PYODIDE") or None,
        metavar="DIR",
        help="a folder with Pyodide's packages, such as an unpacked release, to be asked first "
        "(default: the variable ATTN_PYODIDE)",
    )


def _folder(text: str) -> Path:
    if os.path.isdir(text):
        return Path(text).resolve()
    raise argparse.ArgumentTypeError("{!r} is no folder".format(text))


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme in ("http", "https") and parts.netloc and not parts.query + parts.fragment:
        return text
    raise argparse.ArgumentTypeError(
        "{!r} is no address of a site: write it like https://name.github.io/repository/".format(text)
    )


def _port(text: str) -> int:
    with contextlib.suppress(ValueError):
        if 1 <= int(text) <= 65535:
            return int(text)
    raise argparse.ArgumentTypeError("{!r} is no port: give a number from 1 to 65535".format(text))


def end_like_ctrl_c() -> None:
    """Let `kill` and a closed terminal end what this process started, as Ctrl-C does."""
    terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def interrupt(number, frame):
        if number != signal.SIGTERM:
            # To write to a terminal that is gone is an error, and this one has still to end the rest.
            null = os.open(os.devnull, os.O_WRONLY)
            for descriptor in terminals:
                os.dup2(null, descriptor)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        # Ignored by `nohup`: it stays so.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, interrupt)


def end_blocks() -> None:
    """End what still runs of the chapters."""
    pages = sys.modules.get("pages")
    if pages is not None:
        pages.shared_runner(ROOT).close()


# The environment's Python


def running_in(python: Path) -> bool:
    return Path(sys.prefix).resolve() == python.parent.parent


def run_in(python: Path, argv: list) -> int:
    """Run this file again with the environment's Python. Does not return where it can replace."""
    command = [str(python), os.path.abspath(__file__), *argv]
    if os.name == "nt":
        return subprocess.call(command)  # there, exec leaves the terminal before the end
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)


if __name__ == "__main__":
    end_like_ctrl_c()
    status = main(sys.argv[1:])
    if status == 130:
        # At an ordinary end Python would wait for the threads that wait for blocks.
        sys.stdout.flush()
        os._exit(status)
    sys.exit(status)
