"""The interactive figures' scripts: bundled by esbuild, one classic script for each element.

Classic, because browsers refuse module scripts from `file://`. The sources are plain ES
modules in `docs/theme/assets/elements/`: `attn-NAME.js` is the entry of the element
`<attn-NAME>`. What is imported from `shared.js`, or from `attention.js`, which is part of it,
is in a script of its own, so that a page with two elements loads it once.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import esbuild
from esbuild import BundleError, run_esbuild

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
    digest = hashlib.sha256((root / "package-lock.json").read_bytes())
    for script in (__file__, esbuild.__file__):  # how they are bundled
        digest.update(Path(script).read_bytes())
    for source in sorted((root / SOURCES).glob("*.js")):
        digest.update(source.name.encode() + source.read_bytes())
    cache = cache / language
    folder = cache / digest.hexdigest()[:32]
    if not folder.exists():
        shutil.rmtree(cache, ignore_errors=True)
        _bundle(root, entries, folder, node, language)
    scripts = [f"{SHARED}.js", *(entry.name for entry in entries)]
    return {f"{FOLDER}/{script}": folder / script for script in scripts}


def _bundle(root: Path, entries: list[Path], folder: Path, node: str | None, language: str) -> None:
    scratch = folder.with_suffix(".new")
    shared = root / SOURCES / f"{SHARED}.js"
    try:
        run_esbuild(root, node, scratch, [shared], "--format=iife", f"--global-name={_GLOBAL}")
        run_esbuild(
            root,
            node,
            scratch,
            entries,
            *(f"--define:{name.upper()}={str(name == language).lower()}" for name in LANGUAGES),
            f"--external:./{SHARED}.js",
            "--external:./attention.js",
            "--format=cjs",  # the one format in which what is external can be asked for
            f"--banner:js=(()=>{{{_REQUIRE}",
            "--footer:js=})();",
        )
    except BundleError:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    scratch.rename(folder)


def used(page: str) -> list[str]:
    """The scripts of the elements on a page, each once, in the order in which they must run."""
    names = sorted(set(_USED.findall(page)))
    return [SHARED, *names] if names else []
