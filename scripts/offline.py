"""The whole site as one zip: unpack it, open `index.html`, read without a network."""

from __future__ import annotations

import os
import time
import zipfile
from pathlib import Path

NAME = "attention-by-hand-offline.zip"
FOLDER = "attention-by-hand"  # what it unpacks to
# What only a server or a search engine asks for.
LEFT_OUT = {"404.html", "sitemap.xml", "sitemap.xml.gz", ".nojekyll"}
_STORED = {".whl", ".woff2", ".zip", ".png"}  # compressed already
_EARLIEST = 315532800  # 1980-01-01: a zip knows no date before


def pack(site: Path, target: Path) -> Path:
    """Write the files of `site` to the zip `target`: the same bytes for the same files.

    Every file has the date of SOURCE_DATE_EPOCH.
    """
    date = time.gmtime(max(_EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", _EARLIEST))))[:6]
    files = sorted(path for path in site.rglob("*") if path.is_file() and path.name not in LEFT_OUT)
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as archive:
        for path in files:
            entry = zipfile.ZipInfo(f"{FOLDER}/{path.relative_to(site).as_posix()}", date)
            entry.create_system = 3  # the rights below are those of Unix, whoever builds
            entry.external_attr = 0o100644 << 16
            stored = path.suffix in _STORED
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return target


def megabytes(path: Path) -> str:
    """The size of a file as a page states it, rounded up to a tenth.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "x")
    >>> _ = path.write_bytes(bytes(1_240_001))
    >>> megabytes(path)
    '1.3'
    """
    return f"{-(-path.stat().st_size // 100_000) / 10:.1f}"
