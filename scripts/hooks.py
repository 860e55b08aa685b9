"""MkDocs events. What they do is in the modules they call."""

from __future__ import annotations

import functools
import logging
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import urljoin

import jieba
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.structure.files import File, Files
from mkdocs.utils import meta

from formulas import Formulas, katex_files
from pages import Pages
from runner import Runner
from wheel import wheel_name

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
EXECUTE = "ATTN_EXECUTE"  # 0 in the environment: build without running any block

log = logging.getLogger("mkdocs.attn")
jieba.setLogLevel(logging.WARNING)  # otherwise it tells of its dictionary at every build
serving = False
pages: Pages


@functools.cache  # one set of workers for both editions and for every rebuild under serve
def shared_runner() -> Runner:
    return Runner(CACHE / "runs")


@functools.cache
def shared_formulas() -> Formulas:
    # The venv first: a Node is put there only where the machine's own is missing or too old.
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return Formulas(CACHE / "formulas", shutil.which("node", path=places))


def on_startup(command: str, dirty: bool) -> None:
    global serving
    serving = command == "serve"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    global pages
    runner = None
    if os.environ.get(EXECUTE) != "0":
        runner = shared_runner()
        runner.refresh()
    pages = Pages(ROOT, runner, shared_formulas(), config.theme["language"])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, content in katex_files(ROOT).items():
        files.append(File.generated(config, path, **_content(content)))
    pages.begin([Path(file.abs_src_path) for file in files.documentation_pages()])
    return files


def _content(content: Path | bytes) -> dict:
    if isinstance(content, Path):
        return {"abs_src_path": str(content)}
    return {"content": content}


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files) -> str:
    woven, _ = meta.get_data(pages.markdown(Path(page.file.abs_src_path)))
    return woven.replace("{{ wheel }}", urljoin(config.site_url or "", f"../{wheel_name(ROOT)}"))


def on_env(env, config: MkDocsConfig, files: Files):
    if not serving:
        stop_at_problems()  # before a page is written
    return env


def on_post_page(output: str, page, config: MkDocsConfig) -> str:
    return pages.html(Path(page.file.abs_src_path), output)


def on_post_build(config: MkDocsConfig) -> None:
    if not serving:
        stop_at_problems()
    for problem in pages.problems:
        log.warning(str(problem))


def stop_at_problems() -> None:
    if pages.problems:
        found = "\n\n".join(str(problem) for problem in pages.problems)
        raise Abort(f"{found}\n\n{len(pages.problems)} problem(s); nothing was published")
