"""The zip to be read without a network: the same bytes each time, and only links that a disk knows.

The small project is that of test_build.py. What a browser makes of it: tests/browser/test_offline.py.
"""

import json
import os
import posixpath
import re
import zipfile

import offline
import pytest
from test_build import CHAPTER, build, made, page

LINK = re.compile(r'href="\.\./\.\./\.\./attention-by-hand-offline\.zip" download>(.*?)</a>')


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Built with the zip."""
    root = made(tmp_path_factory.mktemp("offline"))
    done = build(root, ("zh", "en"), with_offline=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return root


@pytest.fixture(scope="module")
def files(project):
    """What the zip unpacks to, by name."""
    with zipfile.ZipFile(project / "site" / offline.NAME) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def text(files, name):
    return files[f"{offline.FOLDER}/{name}"].decode()


def test_the_site_links_to_the_zip_and_states_its_size(project):
    size = (project / "site" / offline.NAME).stat().st_size
    for language, words in (("zh", "离线"), ("en", "offline")):
        (label,) = LINK.findall(page(project, language))
        assert words in label
        stated = float(re.search(r"([\d.]+) MB", label)[1]) * 1e6
        assert size <= stated < size + 100_000


def test_the_copy_does_not_link_to_itself(files):
    assert not any(offline.NAME.encode() in content for content in files.values())


def test_a_copy_has_files_with_names_and_a_search_that_needs_no_server(files):
    for language in ("zh", "en"):
        chapter = text(files, f"{language}/{CHAPTER.replace('.md', '.html')}")
        other = {"zh": "en", "en": "zh"}[language]
        assert f'href="../../{other}/{CHAPTER.replace(".md", ".html")}"' in chapter
        assert 'src="../assets/js/iframe-worker.js"' in chapter
        assert text(files, f"{language}/search/search_index.js").startswith("var __index = {")
        assert not re.search(r'<script[^>]* src="(?:https?:)?//', chapter), "a script of another host"
        assert not re.search(r'href="(?!https?:)[^"#?]*/"', chapter), "a folder is no page on a disk"
    start = text(files, "index.html")
    assert 'href="zh/index.html"' in start and "`${language}/index.html" in start
    assert "{{" not in start


def test_a_copy_names_no_address_as_its_own(files, project):
    own = re.compile(r'<link rel="(?:canonical| alternate)"')
    for language in ("zh", "en"):
        assert not own.search(text(files, f"{language}/{CHAPTER.replace('.md', '.html')}"))
        assert not own.search(text(files, f"{language}/index.html"))
        assert len(own.findall(page(project, language))) == 4, "the site itself has them"


def test_a_copy_says_where_the_notebook_is_for_a_browser_would_show_its_json(files, project):
    for language in ("zh", "en"):
        chapter = text(files, f"{language}/{CHAPTER.replace('.md', '.html')}")
        assert not re.search(r'href="[^"]*\.ipynb"', chapter)
        (named,) = re.findall(r"<code>([^<]*\.ipynb)</code>", chapter)
        assert f"{offline.FOLDER}/{named}" in files
        assert re.search(r'href="[^"]*\.ipynb" download>', page(project, language))


def test_a_notebook_of_a_copy_without_an_address_leads_to_the_pages_beside_it(files):
    for language in ("zh", "en"):
        name = f"{language}/notebooks/06-three-positions.{language}.ipynb"
        cells = [cell for cell in json.loads(text(files, name))["cells"] if cell["cell_type"] == "markdown"]
        links = re.findall(r"\]\(([^)#]+)", "\n".join("".join(cell["source"]) for cell in cells))
        assert f"../{CHAPTER.replace('.md', '.html')}" in links
        for link in links:
            assert posixpath.normpath(f"{offline.FOLDER}/{posixpath.dirname(name)}/{link}") in files


def test_what_only_a_server_needs_is_left_out_and_the_wheel_is_there(files):
    names = {name.rsplit("/")[-1] for name in files}
    assert not names & {"404.html", "sitemap.xml", "sitemap.xml.gz", ".nojekyll"}
    assert any(name.endswith(".whl") and name.count("/") == 1 for name in files)
    assert any(name.endswith("06-three-positions.en.ipynb") for name in files)


def test_a_site_built_without_it_has_no_link_and_no_zip(tmp_path):
    other = made(tmp_path)
    (other / "site").mkdir()
    (other / "site" / offline.NAME).write_bytes(b"of an earlier build")
    assert build(other, execute=False).returncode == 0
    assert not LINK.search(page(other)) and not (other / "site" / offline.NAME).exists()
    assert 'src="../../assets/js/iframe-worker.js"' not in page(other)


# The archive itself


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    for name in ("b.html", "a/一.html", "a/x.whl", "404.html", "zh/sitemap.xml"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name * 100, "utf-8")
    return folder


def packed(site, monkeypatch, date="1700000000"):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    return offline.pack(site, site.parent / "made" / "x.zip").read_bytes()


def test_same_files_same_bytes(site, monkeypatch):
    first = packed(site, monkeypatch)
    for path in site.rglob("*.html"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert packed(site, monkeypatch) == first
    assert packed(site, monkeypatch, "1800000000") != first, "the date is that of the sources"
    (site / "b.html").write_text("changed", "utf-8")
    assert packed(site, monkeypatch) != first


def test_names_dates_and_rights(site, monkeypatch):
    packed(site, monkeypatch)
    with zipfile.ZipFile(site.parent / "made" / "x.zip") as archive:
        entries = archive.infolist()
    assert [e.filename for e in entries] == [
        "attention-by-hand/a/x.whl",
        "attention-by-hand/a/一.html",
        "attention-by-hand/b.html",
    ]
    assert {e.date_time for e in entries} == {(2023, 11, 14, 22, 13, 20)}
    assert {e.external_attr >> 16 for e in entries} == {0o100644}
    assert [e.compress_type for e in entries] == [0, 8, 8]


def test_a_date_before_there_were_zips(site, monkeypatch):
    packed(site, monkeypatch, "0")
    with zipfile.ZipFile(site.parent / "made" / "x.zip") as archive:
        assert archive.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)
