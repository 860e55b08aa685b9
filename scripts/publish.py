"""`dev.py publish`: build for the address where the site will stand, and push it to a branch.

For those who prefer a branch to the workflow in `.github/workflows/site.yml`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import editions
import pyodide_files

SHOWN = 10  # changed files named before "and so on"
SUBJECT = "Publish "  # how the message of every commit made here begins


class PublishError(Exception):
    """Nothing was pushed. The message says why, and what would help."""


def main(
    root: Path,
    *,
    remote: str = "origin",
    branch: str = "gh-pages",
    site_url: str | None = None,
    yes: bool = False,
    dry_run: bool = False,
    allow_dirty: bool = False,
    live: str = "off",
    pyodide_folder: Path | None = None,
    ask: Callable[[str], str] = input,
) -> int:
    """Build the site and push it. Returns an exit status: 1 when nothing was pushed, asked for or not.

    `live` and `pyodide_folder`: see `pyodide_files.gather`.
    """
    try:
        check_can_ask(yes or dry_run)
        check_clean(root, allow_dirty)
        url = remote_url(root, remote)
        published = fetch(root, remote, branch)
        check_target(root, branch, published)
        domain = custom_domain(root, published)
        address = site_url or (f"https://{domain}/" if domain else github_address(url))
        message = SUBJECT + git(root, "describe", "--always", "--dirty")
        before = tip(root, published) if published else None
        keep = has_other_commits(root, branch, published)

        shown = without_password(url)
        print(f"Building for {address}, to be pushed to the branch {branch} of {remote} ({shown}).")
        if source := github_source(url):
            os.environ.setdefault("SOURCE_URL", source)
            os.environ.setdefault("SITE_BRANCH", branch)
        pyodide = pyodide_files.gather(root, live, pyodide_folder)
        if editions.build(root, site_url=address, pyodide=pyodide, with_offline=True):
            raise PublishError("The site was not built, so nothing is published.")
        site = root / "site"
        print(describe(site, remote, branch, shown, address, published, keep))
        if dry_run:
            print("A dry run: nothing is pushed.")
            return 0
        if not yes and ask("Push it? [y/N] ").strip().lower() not in ("y", "yes"):
            print("Nothing is pushed.")
            return 1
        commit(root, site, remote, branch, message, domain, keep)
        push(root, remote, branch, before)
    except (PublishError, pyodide_files.PyodideError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Pushed. {address} shows it when the host has taken up the branch {branch}.")
    return 0


# What is published, and where


def check_can_ask(without: bool) -> None:
    if not without and not sys.stdin.isatty():
        raise PublishError("There is no terminal to ask on. To publish without a question: --yes")


def check_clean(root: Path, allow_dirty: bool) -> None:
    """Raise `PublishError` when the site would show what no commit holds."""
    changed = git(root, "status", "--porcelain").splitlines()
    if not changed or allow_dirty:
        return
    names = changed[:SHOWN] + (["…"] if len(changed) > SHOWN else [])
    raise PublishError(
        "These changes are not committed, so no one could build the site that you publish:\n"
        + "\n".join(f"  {name}" for name in names)
        + "\nCommit them, or publish all the same with --allow-dirty"
    )


def remote_url(root: Path, remote: str) -> str:
    try:
        return git(root, "remote", "get-url", remote)
    except PublishError:
        known = git(root, "remote").split()
        advice = f"--remote takes one of: {', '.join(known)}" if known else "there is none yet"
        raise PublishError(
            f"There is no remote {remote!r}; {advice}. To add it: git remote add {remote} <url>"
        ) from None


def fetch(root: Path, remote: str, branch: str) -> str | None:
    """Bring the published branch here, and name it; None when there is none yet."""
    tracking = f"refs/remotes/{remote}/{branch}"
    heads = git(root, "ls-remote", "--heads", remote, f"refs/heads/{branch}")
    if not heads:
        return None
    git(root, "fetch", "--quiet", remote, f"+refs/heads/{branch}:{tracking}")
    return tracking


def check_target(root: Path, branch: str, published: str | None) -> None:
    """Raise `PublishError` for a branch of sources: publishing replaces all that a branch holds."""
    if branch == git(root, "branch", "--show-current"):
        raise PublishError(f"{branch} is the branch you are on; publishing would replace its files.")
    for name in filter(None, [f"refs/heads/{branch}", published]):
        if exists(root, f"{name}:pyproject.toml"):
            raise PublishError(
                f"The branch {branch} holds sources (pyproject.toml), and publishing would replace "
                "them. Give another one with --branch, gh-pages for example."
            )


def has_other_commits(root: Path, branch: str, published: str | None) -> bool:
    """Whether the branch holds a commit that was not made here. Its history is kept then.

    Of our own only the last is: each holds the whole site, and the zip of it that changes every
    time, so a history would soon be larger than what GitHub takes.
    """
    here = f"refs/heads/{branch}"
    names = [name for name in (here if tip(root, here) else None, published) if name]
    subjects = git(root, "log", "--format=%s", *names).splitlines() if names else []
    return not all(subject.startswith(SUBJECT) for subject in subjects)


def custom_domain(root: Path, published: str | None) -> str | None:
    """The domain that GitHub keeps in a file of the branch: lost if it is not written again."""
    if published and exists(root, f"{published}:CNAME"):
        return git(root, "show", f"{published}:CNAME")
    return None


def without_password(url: str) -> str:
    return re.sub(r"(?<=//)[^@/]*@", "", url)


def _github(url: str) -> re.Match | None:
    return re.fullmatch(
        r"(?:https?://(?:[^@/]+@)?|ssh://git@|git@)(?:www\.)?github\.com(?::\d+)?[:/]"
        r"(?P<owner>[^/]+)/(?P<name>[^/]+?)(?:\.git)?/?",
        url,
    )


def github_address(url: str) -> str:
    """Where GitHub Pages serves the repository of a remote's address."""
    found = _github(url)
    if not found:
        raise PublishError(
            f"{without_password(url)} is not on GitHub, so where the site will stand is not known. "
            "Say it with --site-url https://…/ or the variable SITE_URL."
        )
    host = found["owner"].lower() + ".github.io"
    if found["name"].lower() == host:
        return f"https://{host}/"
    return f"https://{host}/{found['name']}/"


def github_source(url: str) -> str | None:
    found = _github(url)
    return f"https://github.com/{found['owner']}/{found['name']}" if found else None


def describe(
    site: Path, remote: str, branch: str, url: str, address: str, published: str | None, keep: bool
) -> str:
    files = [path for path in site.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    history = "its history stays" if keep else "as its only commit"
    return (
        f"This will push {len(files)} files, {size / 1e6:.1f} MB, from site/\n"
        f"  to      {remote} ({url})\n"
        f"  branch  {branch} ({'in place of what it holds, ' + history if published else 'new'})\n"
        f"  seen at {address}"
    )


# Pushing


def commit(
    root: Path, site: Path, remote: str, branch: str, message: str, domain: str | None, keep: bool
) -> None:
    """Make one commit of `site` on the branch: after what is published already, or the only one."""
    name, email = identity(root)
    here = f"refs/heads/{branch}"
    options = ["--no-jekyll", "--remote", remote, "--branch", branch, "--message", message]
    if keep:
        earlier = {tip(root, here), tip(root, f"refs/remotes/{remote}/{branch}"), None}
    else:
        git(root, "update-ref", "-d", here)  # of a branch that is not there, no commit is the parent
        earlier = {None}
        options.append("--no-history")
    if domain:
        options += ["--cname", domain]
    done = subprocess.run(
        [sys.executable, "-m", "ghp_import", *options, str(site)],
        cwd=root,
        env=dict(os.environ, GIT_COMMITTER_NAME=name, GIT_COMMITTER_EMAIL=email),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    # ghp-import ends well even when git does not: what counts is a commit that was not there.
    if done.returncode or tip(root, here) in earlier:
        raise PublishError(f"The commit could not be made:\n{done.stdout}{done.stderr}")


def push(root: Path, remote: str, branch: str, before: str | None) -> None:
    """Put the branch in the place of `before`, and of nothing that came since.

    Raises `PublishError` when someone else has published meanwhile.
    """
    reference = f"refs/heads/{branch}"
    try:
        git(root, "push", f"--force-with-lease={reference}:{before or ''}", remote, f"{reference}:{reference}")
    except PublishError as error:
        raise PublishError(
            f"The branch was made here, but {remote} did not take it.\n{error}\n"
            "“stale info” means that someone else published meanwhile: publish again. "
            "A protected branch has to allow force pushes."
        ) from None


def identity(root: Path) -> tuple[str, str]:
    found = re.match(r"(.*) <(.*)> ", git(root, "var", "GIT_COMMITTER_IDENT"))
    return found[1], found[2]


def tip(root: Path, reference: str) -> str | None:
    """The commit that a branch ends in; None where there is no such branch."""
    command = ["git", "-C", str(root), "rev-parse", "--verify", "--quiet", reference]
    return subprocess.run(command, capture_output=True, encoding="utf-8").stdout.strip() or None


def exists(root: Path, name: str) -> bool:
    command = ["git", "-C", str(root), "cat-file", "-e", name]
    return subprocess.run(command, capture_output=True).returncode == 0


def git(root: Path, *arguments: str) -> str:
    """What git prints. Raises `PublishError` with git's own message."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )
    except FileNotFoundError:
        raise PublishError("git is not installed, and publishing is a push.") from None
    if done.returncode:
        raise PublishError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.rstrip("\n") if arguments[0] == "status" else done.stdout.strip()
