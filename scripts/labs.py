"""Labs: pages that are run from top to bottom in a Jupyter kernel, by mkdocs-jupyter.

A lab is written as a chapter is, with a Jupytext header. mkdocs-jupyter reads, executes and
caches it. Its HTML is left out: more than half a megabyte of style sheets, formulas that
need a script of another host, headings whose ids are lost in Chinese. Its template hands
over what the cells did instead (`lab_template`), and the page is then rendered like any
other. Under `serve`, and where nothing is executed, a lab is a chapter to the build.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chapter import Chapter, Fence
from runner import BlockError, BlockFigure, BlockResult, fingerprint

HERE = Path(__file__).resolve().parent
PLUGIN = "mkdocs-jupyter"
TEMPLATES = HERE / "lab_template"
FIGURE = "application/vnd.attention-by-hand.figure+json"  # of kernel_backend.py
AT_ONCE = 2  # kernels

# Of the kernel: no history, none of the user's own start-up files, and no warning that it
# talks to this process without encryption.
_KERNEL = {"IPKernelApp": {"log_level": 40}, "HistoryManager": {"enabled": False}}

Cells = list[dict]


class LabError(Exception):
    """A lab did not run to its end in a kernel; the message is what the kernel said."""


NOT_IN_NAV = LabError("not run, for it is not in nav")


def prepare(config, cache: Path, *, execute: bool) -> None:
    """Tell the plugin what to run, and where to keep it."""
    import mkdocs_jupyter.config

    options = config.plugins[PLUGIN].config
    if not execute:
        options["include"] = []
        return
    mkdocs_jupyter.config.settings.templates_dir = str(TEMPLATES)
    # The plugin's own key knows the page and its options, and nothing of what the page imports.
    # One folder for each language: after a build the plugin empties it of other pages.
    folder = cache / config.theme["language"]
    ours = folder / _fingerprint()
    for other in set(folder.glob("*")) - {ours}:
        shutil.rmtree(other)
    options["cache_dir"] = str(ours)


def _fingerprint() -> str:
    digest = hashlib.sha256(fingerprint().encode())
    for path in [HERE / "kernel_backend.py", *sorted(TEMPLATES.rglob("*.j2"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def execute(pages, config, files, cache: Path) -> dict[str, Cells | LabError]:
    """What the cells of each lab did, or why it did not come to its end, by the page's source.

    Returns when all is done: this thread has better let the others talk to their kernels, for
    Python runs one thread at a time. The blocks of the chapters run meanwhile.
    """
    plugin = config.plugins[PLUGIN]
    pages = [plugin.on_pre_page(page, config=config, files=files) for page in pages]
    # Of a lab the plugin has put its own `render` in place.
    found = [page for page in pages if "render" in vars(page)]
    if not found:
        return {}

    def run(page) -> Cells | LabError:
        try:
            page.render(config, files)
        except Exception as error:  # nbclient's own, or a kernel that could not start
            return LabError(str(error).strip() or repr(error))
        return json.loads(page.content)

    with _environment(cache), ThreadPoolExecutor(AT_ONCE) as threads:
        return dict(zip([page.file.src_uri for page in found], threads.map(run, found)))


@contextlib.contextmanager
def _environment(cache: Path):
    """A kernel inherits the environment of this process; there is no other way to set its own."""
    import warm_kernels

    profile = cache / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.json").write_text(json.dumps(_KERNEL), encoding="utf-8")
    settings = {
        "MPLBACKEND": "module://kernel_backend",
        "PYTHONPATH": str(HERE),
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "IPYTHONDIR": str(profile.parent),
    }
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    warm_kernels.use()
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def take_back(page) -> bool:
    """Let MkDocs itself render a page; whether the plugin would have."""
    return vars(page).pop("render", None) is not None


def results(chapter: Chapter, cells: Cells) -> dict[int, BlockResult]:
    """What the cells did, by the line of their block: a result of each block at the margin.

    Blocks in an admonition are text to Jupyter, and so have none.

    Raises
    ------
    LabError
        Where Jupytext took something else for a cell.
    """
    blocks = [block for block in chapter.blocks if not block.indent]
    if [block.code.strip() for block in blocks] != [cell["source"].strip() for cell in cells]:
        raise LabError(f"Jupytext reads {len(cells)} cells where the page has {len(blocks)} blocks")
    return {block.line: _result(block, cell["outputs"]) for block, cell in zip(blocks, cells)}


def _result(block: Fence, outputs: list[dict]) -> BlockResult:
    text = {"stdout": "", "stderr": ""}
    figures = []
    for output in outputs:
        if output["output_type"] == "stream":
            text[output["name"]] += output["text"]
        elif figure := output.get("data", {}).get(FIGURE):
            figures.append(BlockFigure(**figure))
        else:
            message = "the last line is a value, which Jupyter shows and a script does not; print it"
            return BlockResult(error=BlockError("ShownValue", message, block.line))
    if text["stderr"].strip():
        error = BlockError("Stderr", "the block wrote to stderr", block.line, text["stderr"])
        return BlockResult(error=error)
    return BlockResult(text["stdout"], tuple(figures))

