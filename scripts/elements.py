"""The interactive figures' scripts: bundled by esbuild, one classic script for each element.

Classic, because browsers refuse module scripts from `file://`. The sources are plain ES
modules in `docs/theme/assets/elements/`: `attn-NAME.js` is the entry of the element
`<attn-NAME>`. What is imported from `shared.js`, or from `attention.js`, which is part of it,
is in a script of its own, so that a page with two elements loads it once.
"""

from __future__ import annotations

import re
from pathlib import Path

from esbuild import bundled, run_esbuild

SOURCES = Path("docs/theme/assets/elements")
FOLDER = "assets/elements"  # where the scripts stand in each edition
SHARED = "shared"
LANGUAGES = ("zh", "en")  # ZH and EN in the sources
_GLOBAL = "attnShared"  # what the shared script leaves for the others
# In the scripts of the elements: imports become calls of `require`, and these its answers.
_REQUIRE = f'const require=name=>name==="./attention.js"?{_GLOBAL}.attention:{_GLOBAL};'
_USED = re.compile(r"<(attn-[a-z-]+)>")


def bundles(root: Path, cache: Path, node: str | None, language: str) -> dict[str, Path]:
    """The script of each element, by its path in the site; bundled anew only when changed.

    A page is in one language, so a script has the words of that one only.

    Raises
    ------
    BundleError
        With esbuild's message (file, line, what is wrong), or a way to get esbuild.
    """
    entries = sorted((root / SOURCES).glob("attn-*.js"))
    if not entries:
        return {}
    sources = [Path(__file__), *sorted((root / SOURCES).glob("*.js"))]
    folder = bundled(
        root, cache / language, sources, lambda scratch: _bundle(root, entries, scratch, node, language)
    )
    scripts = [f"{SHARED}.js", *(entry.name for entry in entries)]
    return {f"{FOLDER}/{script}": folder / script for script in scripts}


def _bundle(root: Path, entries: list[Path], folder: Path, node: str | None, language: str) -> None:
    shared = root / SOURCES / f"{SHARED}.js"
    run_esbuild(root, node, folder, [shared], "--format=iife", f"--global-name={_GLOBAL}")
    run_esbuild(
        root,
        node,
        folder,
        entries,
        *(f"--define:{name.upper()}={str(name == language).lower()}" for name in LANGUAGES),
        f"--external:./{SHARED}.js",
        "--external:./attention.js",
        "--format=cjs",  # the one format in which what is external can be asked for
        f"--banner:js=(()=>{{{_REQUIRE}",
        "--footer:js=})();",
    )


def used(page: str) -> list[str]:
    """The scripts of the elements on a page, each once, in the order in which they must run."""
    names = sorted(set(_USED.findall(page)))
    return [SHARED, *names] if names else []
