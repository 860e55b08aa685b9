"""MkDocs events. What they do is in the modules they call."""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from urllib.parse import urljoin

import jieba
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url, meta

import description
import elements
import labs
import notebooks
import one_page
import run_bundle
import search_text
from esbuild import BundleError
from formulas import KatexMissing, katex_files
from pages import Pages, node, shared_formulas, shared_runner, source_of
from wheel import wheel_name

ROOT = Path(__file__).resolve().parent.parent
EXECUTE = "ATTN_EXECUTE"  # 0 in the environment: build without running any block
LIVE = "ATTN_LIVE"  # 1 in the environment: Pyodide's files stand in the site

WORKER = "assets/js/iframe-worker.js"
LABS = ROOT / ".cache" / "labs"

CHAPTER = re.compile(r"chapters/(?P<number>\d\d)-")
H1 = re.compile(r"<h1[^>]*>")

log = logging.getLogger("mkdocs.attn")
jieba.setLogLevel(logging.WARNING)  # otherwise it tells of its dictionary at every build
serving = False
pages: Pages
executed: dict[str, labs.Cells | labs.LabError]


def on_startup(command: str, dirty: bool) -> None:
    global serving
    serving = command == "serve"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    global pages
    runner = None
    if os.environ.get(EXECUTE) != "0":
        runner = shared_runner(ROOT)
        runner.refresh()
    if offline(config):
        config.extra["polyfills"] = [WORKER]  # in place of the one that the plugin takes from another host
    labs.prepare(config, LABS, execute=runner is not None and not serving)
    pages = Pages(ROOT, runner, shared_formulas(ROOT), config.theme["language"])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    try:
        generated = {
            **{path: _content(content) for path, content in katex_files(ROOT).items()},
            **bundled_scripts(files, config.theme["language"]),
        }
        if offline(config):
            generated[WORKER] = _content(ROOT / "node_modules" / "iframe-worker" / "shim" / "index.js")
    except (KatexMissing, BundleError) as error:
        raise Abort(str(error)) from None
    for path, content in generated.items():
        files.append(File.generated(config, path, **content))
    pages.begin([Path(file.abs_src_path) for file in files.documentation_pages()])
    return files


def bundled_scripts(files: Files, language: str) -> dict[str, dict]:
    """The scripts that esbuild bundles; their sources are taken out of the files."""
    for file in [file for file in files if file.src_uri.startswith((elements.FOLDER, run_bundle.FOLDER))]:
        files.remove(file)
    scripts = elements.bundles(ROOT, ROOT / ".cache" / "elements", node(), language)
    if live():
        scripts |= run_bundle.bundles(ROOT, ROOT / ".cache" / "run", node())
    return {path: _content(script) for path, script in scripts.items()}


def offline(config: MkDocsConfig) -> bool:
    """Whether the pages are for a disk, where a script may start no other by itself."""
    return config.plugins["material/offline"].config.enabled


def live() -> bool:
    """Whether the pages can run their code."""
    return os.environ.get(LIVE) == "1"


def _content(content: Path | bytes) -> dict:
    if isinstance(content, Path):
        return {"abs_src_path": str(content)}
    return {"content": content}


def on_page_read_source(page, config: MkDocsConfig) -> str:
    """In place of MkDocs' own reading, which ends the build at a file that is not UTF-8."""
    return source_of(Path(page.file.abs_src_path))


def on_page_markdown(markdown: str, page, config: MkDocsConfig, files: Files) -> str:
    path = Path(page.file.abs_src_path)
    if labs.take_back(page):
        pages.ran_in_kernel(path, executed.get(page.file.src_uri, labs.NOT_IN_NAV))
    woven, _ = meta.get_data(pages.markdown(path))
    repository = config.extra.get("source_url") or "ADDRESS-OF-THE-REPOSITORY"
    return woven.replace("{{ wheel }}", wheel_address(config)).replace("{{ repository }}", repository)


def wheel_address(config: MkDocsConfig) -> str:
    return urljoin(config.site_url or "", f"../{wheel_name(ROOT)}")


def on_page_content(html: str, page, config: MkDocsConfig, files: Files) -> str:
    """What the page is about; a chapter's number, which its file name has, before its title and in the navigation."""
    if (about := description.of(html)) and not page.is_homepage:
        page.meta.setdefault("description", about)
    chapter = CHAPTER.match(page.file.src_uri)
    if chapter is None:
        return html
    page.title = f"{chapter['number']} {page.title}"
    number = f'<span class="attn-number">{chapter["number"]}</span> '
    return H1.sub(lambda heading: heading[0] + number, html, count=1)


def on_nav(nav, config: MkDocsConfig, files: Files):
    global navigation, executed
    navigation = nav
    executed = labs.execute(nav.pages, config, files, LABS)
    return nav


def on_env(env, config: MkDocsConfig, files: Files):
    if not serving:
        stop_at_problems()  # before a page is written
    this = sys.modules[__name__]
    one_page.last_build[config.theme["language"]] = one_page.Built(config, files, navigation, env, this)
    return env


def on_page_context(context, page, config: MkDocsConfig, nav):
    """The search plugin has just added the page's sections to its index."""
    if offline(config):
        page.canonical_url = None  # a copy on a disk has no address, and the site's own differ
    for entry in one_page.search_plugin(config).search_index.entries:
        if entry["location"].split("#")[0] == page.url:
            entry |= {part: search_text.readable(entry[part]) for part in ("title", "text")}
    return context | {"notebook": notebook_links(page, config)}


def notebook_links(page, config: MkDocsConfig) -> dict | None:
    """For the page: where its notebook is, and where Colab opens it."""
    language, extra = config.theme["language"], config.extra
    name = notebooks.file_name(f"docs/{language}/{page.file.src_uri}")
    if name is None:
        return None
    path = f"{notebooks.FOLDER}/{name}"
    return {
        "path": path,
        "colab": notebooks.colab(extra["source_url"], extra["site_branch"], f"{language}/{path}"),
    }


def write_notebook(page, config: MkDocsConfig) -> None:
    links = notebook_links(page, config)
    site = notebooks.Site(config.site_name, config.site_url, wheel_address(config), offline(config))
    text = links and pages.notebook(Path(page.file.abs_src_path), site)
    if text:
        target = Path(config.site_dir, links["path"])
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def on_post_page(output: str, page, config: MkDocsConfig) -> str:
    write_notebook(page, config)
    try:
        finished = pages.html(Path(page.file.abs_src_path), output)
    except KatexMissing as error:
        raise Abort(str(error)) from None
    return with_scripts(finished, lambda path: get_relative_url(path, page.url))


def with_scripts(page: str, address) -> str:
    """The page with the style and the scripts of its interactive figures and of its Run buttons."""
    names = elements.used(page)
    scripts = [f'<script defer src="{address(f"{elements.FOLDER}/{n}.js")}"></script>\n' for n in names]
    if names:
        style = f'<link rel="stylesheet" href="{address("assets/css/elements.css")}">\n'
        page = page.replace("</head>", f"{style}</head>", 1)
    if live() and ' data-run="' in page:
        buttons = address(f"{run_bundle.FOLDER}/{run_bundle.BUTTONS}")
        scripts.append(f'<script defer src="{buttons}" data-wheel="{wheel_name(ROOT)}"></script>\n')
    if not scripts:
        return page
    head, _, tail = page.rpartition("</body>")
    return head + "".join(scripts) + "</body>" + tail


def on_post_build(config: MkDocsConfig) -> None:
    if not serving:
        stop_at_problems()
    for problem in pages.problems:
        log.warning(str(problem))


def on_shutdown() -> None:
    shared_formulas(ROOT).close()


def stop_at_problems() -> None:
    if pages.problems:
        found = "\n\n".join(str(problem) for problem in pages.problems)
        raise Abort(f"{found}\n\n{len(pages.problems)} problem(s); nothing was published")
