"""`dev.py publish`, against a bare repository on this machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import editions
import publish

PAGES = {
    "index.html": b"<p>choose</p>\n",
    ".nojekyll": b"",
    "zh/index.html": "<p>亲手算</p>\n".encode(),
    "zh/权重.html": b"\x00\xff not text",
    "attention_by_hand-0.1.0-py3-none-any.whl": bytes(range(256)),
}


@pytest.fixture(autouse=True)
def identity(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path_factory.mktemp("git") / "config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A Teacher 老师")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "teacher@example.org")
    monkeypatch.delenv("SOURCE_URL", raising=False)
    monkeypatch.delenv("SITE_BRANCH", raising=False)
    monkeypatch.delenv("SITE_URL", raising=False)


def git(root, *arguments):
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True)
    return done.stdout


@pytest.fixture
def remote(tmp_path):
    path = tmp_path / "remote 库.git"
    git(tmp_path, "init", "--quiet", "--bare", str(path))
    return path


@pytest.fixture
def root(tmp_path, remote):
    root = tmp_path / "a course"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch", "main")
    (root / "pyproject.toml").write_text("[project]\n")
    (root / ".gitignore").write_text("/site/\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "A course")
    git(root, "remote", "add", "origin", str(remote))
    return root


@pytest.fixture(autouse=True)
def built(monkeypatch):
    """Stands for the build: writes some pages. Its record says for which address."""
    addresses = []

    def build(root, *, site_url, pyodide, with_offline):
        assert with_offline, "what is published can be read offline too"
        addresses.append(site_url)
        for name, content in PAGES.items():
            (root / "site" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "site" / name).write_bytes(content)
        return 0

    monkeypatch.setattr(editions, "build", build)
    return addresses


def run(root, **options):
    return publish.main(root, **dict({"site_url": "https://a.example/b/", "yes": True}, **options))


def contents(repository, branch="gh-pages"):
    names = git(repository, "ls-tree", "-r", "-z", "--name-only", branch).decode().split("\0")
    return {name: git(repository, "show", f"{branch}:{name}") for name in names if name}


def commits(repository, branch="gh-pages"):
    return git(repository, "log", "--format=%an|%s", branch).decode().splitlines()


def test_the_branch_holds_the_built_site_and_nothing_else(root, remote, built):
    assert run(root) == 0
    assert contents(remote) == PAGES
    assert built == ["https://a.example/b/"]


def test_the_commit_says_who_and_from_what(root, remote):
    run(root)
    source = git(root, "rev-parse", "--short", "HEAD").decode().strip()
    assert commits(remote) == [f"A Teacher 老师|Publish {source}"]


def test_a_page_that_is_gone_is_gone_there_too(root, remote):
    run(root)
    (root / "site" / "index.html").write_bytes(b"")
    (root / "site" / "old.html").write_bytes(b"left from an older build")
    run(root)
    assert "old.html" in contents(remote)
    (root / "site" / "old.html").unlink()
    run(root)
    assert contents(remote) == PAGES


def test_the_branch_does_not_grow_with_each_publication(root, remote):
    for number in range(3):
        (root / "pyproject.toml").write_text(f"[project]\nversion = '{number}'\n")
        git(root, "commit", "--quiet", "--all", "--message", "Another chapter")
        assert run(root) == 0
    source = git(root, "rev-parse", "--short", "HEAD").decode().strip()
    assert commits(remote) == [f"A Teacher 老师|Publish {source}"]
    git(root, "branch", "--quiet", "--delete", "--force", "gh-pages")  # as in another clone
    assert run(root) == 0
    assert len(commits(remote)) == 1 and contents(remote) == PAGES


def test_what_someone_else_published_since_is_kept_in_the_history(root, remote, tmp_path):
    run(root)
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", "--branch", "gh-pages", str(remote), str(other))
    git(other, "commit", "--quiet", "--allow-empty", "--message", "Elsewhere")
    git(other, "push", "--quiet")
    assert run(root) == 0
    assert [line.split("|")[1].split()[0] for line in commits(remote)] == [
        "Publish",
        "Elsewhere",
        "Publish",
    ]


def test_what_someone_else_publishes_meanwhile_is_not_overwritten(root, remote, tmp_path, monkeypatch, capsys):
    run(root)
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", "--branch", "gh-pages", str(remote), str(other))
    build = editions.build

    def slowly(root, **options):
        git(other, "commit", "--quiet", "--allow-empty", "--message", "Publish elsewhere")
        git(other, "push", "--quiet")
        return build(root, **options)

    monkeypatch.setattr(editions, "build", slowly)
    assert run(root) == 1
    assert "publish again" in capsys.readouterr().err
    assert [line.split("|")[1] for line in commits(remote)][0] == "Publish elsewhere"
    monkeypatch.setattr(editions, "build", build)
    assert run(root) == 0


def test_a_new_branch_that_another_has_made_meanwhile_is_not_overwritten(root, remote, monkeypatch, capsys):
    build = editions.build

    def slowly(root, **options):
        git(root, "push", "--quiet", "origin", "main:gh-pages")
        return build(root, **options)

    monkeypatch.setattr(editions, "build", slowly)
    assert run(root) == 1
    assert "publish again" in capsys.readouterr().err
    assert "pyproject.toml" in contents(remote)


def test_it_says_whether_the_history_stays(root, remote, tmp_path, capsys):
    run(root)
    run(root, yes=False, dry_run=True)
    assert "as its only commit" in capsys.readouterr().out
    git(root, "switch", "--quiet", "gh-pages")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "By hand")
    git(root, "push", "--quiet", "origin", "gh-pages")
    git(root, "switch", "--quiet", "main")
    run(root, yes=False, dry_run=True)
    assert "its history stays" in capsys.readouterr().out


def test_the_sources_are_not_touched(root):
    before = git(root, "rev-parse", "HEAD"), (root / "pyproject.toml").read_bytes()
    run(root)
    assert (git(root, "rev-parse", "HEAD"), (root / "pyproject.toml").read_bytes()) == before
    assert git(root, "branch", "--show-current") == b"main\n"
    assert git(root, "status", "--porcelain") == b""


def test_a_custom_domain_is_kept_and_is_the_address(root, remote, built):
    run(root)
    (root / "site" / "CNAME").write_bytes(b"course.example.org\n")
    run(root)
    (root / "site" / "CNAME").unlink()
    assert run(root, site_url=None) == 0
    assert contents(remote)["CNAME"].strip() == b"course.example.org"
    assert built[-1] == "https://course.example.org/"


# Said first, and asked


def test_it_says_what_it_will_do_and_a_dry_run_does_no_more(root, remote, capsys):
    assert run(root, yes=False, dry_run=True) == 0
    said = capsys.readouterr().out
    for fact in ("origin", str(remote), "gh-pages", "https://a.example/b/", "5 files", "new"):
        assert fact in said
    assert git(remote, "branch", "--list") == b""
    assert git(root, "branch", "--list", "gh-pages") == b""


@pytest.mark.parametrize("answer, status", [("y", 0), ("Yes", 0), ("n", 1), ("", 1), ("了", 1)])
def test_it_asks(root, remote, monkeypatch, answer, status):
    monkeypatch.setattr(publish, "check_can_ask", lambda without: None)
    assert run(root, yes=False, ask=lambda question: answer) == status
    assert bool(git(remote, "branch", "--list")) == (status == 0)


def test_without_a_terminal_it_asks_for_yes_before_it_builds(root, built, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", open(os.devnull))
    with sys.stdin:
        assert run(root, yes=False) == 1
    assert "--yes" in capsys.readouterr().err
    assert built == []


# Refused


def test_changes_that_are_not_committed_are_named(root, built, capsys):
    (root / "pyproject.toml").write_text("changed")
    for number in range(20):
        (root / f"new {number:02}.md").write_text("new")
    assert run(root) == 1
    said = capsys.readouterr().err
    assert " M pyproject.toml" in said and "--allow-dirty" in said
    assert "new 19" not in said
    assert built == []
    assert run(root, allow_dirty=True) == 0


def test_a_commit_with_such_changes_says_so(root, remote):
    (root / "pyproject.toml").write_text("changed")
    run(root, allow_dirty=True)
    assert commits(remote)[0].endswith("-dirty")


def test_a_failed_build_is_not_published(root, remote, monkeypatch, capsys):
    monkeypatch.setattr(editions, "build", lambda root, **options: 1)
    assert run(root) == 1
    assert git(remote, "branch", "--list") == b""


def test_a_site_whose_pages_cannot_run_their_code_is_not_published(root, remote, built, capsys):
    assert run(root, live="required") == 1  # the project here has no Pyodide at all
    assert built == [] and git(remote, "branch", "--list") == b""
    assert "cannot run code" in capsys.readouterr().err
    assert run(root, live="off") == 0


def test_an_unknown_remote_is_refused_with_those_there_are(root, capsys):
    assert run(root, remote="upstream") == 1
    said = capsys.readouterr().err
    assert "'upstream'" in said and "origin" in said


def test_a_remote_elsewhere_needs_an_address(root, remote, built, capsys):
    assert run(root, site_url=None) == 1
    said = capsys.readouterr().err
    assert "not on GitHub" in said and "SITE_URL" in said
    assert built == []


@pytest.mark.parametrize("branch", ["main", "develop"])
def test_a_branch_of_sources_is_never_replaced(root, remote, branch, capsys):
    git(root, "push", "--quiet", "origin", "main", "main:develop")
    assert run(root, branch=branch) == 1
    assert f"{branch} " in capsys.readouterr().err
    assert b"pyproject.toml" in git(remote, "ls-tree", "--name-only", branch)


def test_a_branch_of_sources_that_is_only_here_is_never_replaced(root, remote, capsys):
    git(root, "branch", "develop")
    assert run(root, branch="develop") == 1
    assert "holds sources" in capsys.readouterr().err
    assert git(root, "rev-parse", "develop") == git(root, "rev-parse", "main")


def test_a_push_that_the_remote_refuses_shows_why(root, remote, capsys):
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho planted refusal >&2\nexit 1\n")
    hook.chmod(0o755)
    assert run(root) == 1
    assert "planted refusal" in capsys.readouterr().err


@pytest.mark.parametrize("published", [False, True])
def test_a_commit_that_git_cannot_make_is_not_pushed(root, remote, published, monkeypatch, capsys):
    if published:  # the branch of last time is there, and is not what was to be pushed
        assert run(root) == 0

    # ghp-import itself ends well here: only the missing commit tells.
    def run_it(command, **options):
        if "ghp_import" in command:
            return subprocess.CompletedProcess(command, 0, "", "planted failure")
        return real(command, **options)

    real = subprocess.run
    monkeypatch.setattr(subprocess, "run", run_it)
    assert run(root) == 1
    assert "planted failure" in capsys.readouterr().err
    monkeypatch.undo()
    assert len(git(remote, "rev-list", "--all").split()) == published


def test_without_a_name_git_says_how_to_give_one(root, monkeypatch, capsys):
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\n\tuseConfigOnly = true\n")
    assert run(root) == 1
    assert "git config" in capsys.readouterr().err


# Addresses, as GitHub's documentation gives them


@pytest.mark.parametrize(
    "url, address",
    [
        ("https://github.com/Ada/course.git", "https://ada.github.io/course/"),
        ("https://github.com/Ada/course", "https://ada.github.io/course/"),
        ("https://ada:token@github.com/Ada/course.git", "https://ada.github.io/course/"),
        ("git@github.com:Ada/course.git", "https://ada.github.io/course/"),
        ("ssh://git@github.com/Ada/My.Course.git", "https://ada.github.io/My.Course/"),
        ("ssh://git@github.com:22/Ada/course", "https://ada.github.io/course/"),
        ("https://github.com/Ada/ada.github.io.git", "https://ada.github.io/"),
    ],
)
def test_the_address_of_a_remote_on_github(url, address):
    assert publish.github_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "https://gitlab.com/ada/course.git",
        "https://github.com.example.org/ada/course.git",
        "https://example.org/github.com/ada.git",
        "/srv/git/github.com/ada/course.git",
        "git@notgithub.com:ada/course.git",
    ],
)
def test_a_remote_that_only_looks_like_github(url):
    with pytest.raises(publish.PublishError, match="not on GitHub"):
        publish.github_address(url)
    assert publish.github_source(url) is None


def test_a_token_in_the_remote_is_not_shown():
    shown = publish.without_password("https://ada:s3cret@github.com/ada/course.git")
    assert shown == "https://github.com/ada/course.git"
    with pytest.raises(publish.PublishError) as refused:
        publish.github_address("https://ada:s3cret@git.example.org/course.git")
    assert "s3cret" not in str(refused.value)


def test_the_pages_link_to_the_sources_they_were_built_from():
    assert publish.github_source("git@github.com:Ada/course.git") == "https://github.com/Ada/course"


@pytest.mark.parametrize(
    "cloned_from, linked_to",
    [
        ("https://ada:s3cret@github.com/Ada/course.git", "https://github.com/Ada/course"),
        ("https://s3cret@git.example.org/course", "https://git.example.org/course"),
        ("git@git.example.org:ada/course.git", "https://git.example.org/ada/course"),
        ("/srv/git/course.git", ""),
    ],
)
def test_a_page_links_to_where_it_was_cloned_from_without_a_token(root, cloned_from, linked_to):
    git(root, "remote", "set-url", "origin", cloned_from)
    assert editions.source_url(root) == linked_to


def test_sources_without_git_have_no_address(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert editions.source_url(tmp_path) == ""
    monkeypatch.setenv("PATH", str(tmp_path))  # and where git is not installed
    assert editions.source_url(tmp_path) == ""
    assert editions.last_commit(tmp_path) == editions.NO_COMMIT
