"""The two configuration files: what they share, what differs, what they refuse.

Builds are of small pages that inherit the real files, without the hooks.
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from mkdocs.config import load_config

import editions

ROOT = Path(__file__).resolve().parent.parent
CONFIGS = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}


@pytest.fixture(scope="module")
def configs():
    return {language: load_config(str(ROOT / name)) for language, name in CONFIGS.items()}


def own_settings(language):
    """What the file itself says, without what it inherits; `!ENV` as its default."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!ENV", lambda loader, node: loader.construct_sequence(node)[-1])
    return yaml.load((ROOT / CONFIGS[language]).read_text("utf-8"), Loader)


def test_english_changes_only_words_addresses_and_folders():
    english = own_settings("en")
    assert english.pop("INHERIT") == "mkdocs.yml"
    assert set(english) == {
        "site_name", "site_description", "site_url", "docs_dir", "site_dir", "copyright",
        "nav", "theme", "extra", "markdown_extensions",
    }  # fmt: skip
    assert set(english["theme"]) == {"language", "palette"}
    assert english["markdown_extensions"].keys() == {"toc"}
    assert english["markdown_extensions"]["toc"].keys() == {"permalink_title"}


def test_everything_else_is_shared(configs):
    chinese, english = configs["zh"], configs["en"]
    assert english.hooks.keys() == chinese.hooks.keys() == {"scripts/hooks.py"}
    assert english.markdown_extensions == chinese.markdown_extensions
    assert english.theme["features"] == chinese.theme["features"]
    assert english.extra_css == chinese.extra_css != []
    search = [c.plugins["material/search"].config for c in (chinese, english)]
    assert [s["lang"] for s in search] == [["zh", "en"], ["zh", "en"]]
    assert [s["pipeline"] for s in search] == [[], []]


def test_every_label_is_in_both_languages():
    chinese, english = (own_settings(language)["extra"]["labels"] for language in CONFIGS)
    assert chinese.keys() == english.keys()
    assert all(re.search("[一-鿿]", text) for text in chinese.values())
    assert not any(re.search("[一-鿿]", text) for text in english.values())


def test_the_restated_palette_differs_in_names_only():
    def without_names(language):
        palette = own_settings(language)["theme"]["palette"]
        return [{**option, "toggle": option["toggle"]["icon"]} for option in palette]

    assert without_names("zh") == without_names("en")


@pytest.mark.parametrize("language", CONFIGS)
def test_nothing_is_fetched_from_another_host(configs, language):
    config = configs[language]
    assert config.theme["font"] is False
    assert config.repo_url is None  # every page would ask api.github.com
    assert config.extra["generator"] is False
    urls = [str(path) for path in [*config.extra_css, *config.extra_javascript]]
    assert not [url for url in urls if "//" in url]


@pytest.mark.parametrize("language", CONFIGS)
def test_the_style_sheets_and_scripts_exist(configs, language):
    config = configs[language]
    for path in [*config.extra_css, *(script.path for script in config.extra_javascript)]:
        assert (ROOT / "docs" / "theme" / path).is_file()


# Small builds.

PAGE = "# Title {#title}\n\n## Part {#part}\n\nText.\n"


def build(folder, language="en", pages=None, **environment):
    """Build pages with the real configuration; returns the process."""
    pages = {"index.md": PAGE} | (pages or {})
    docs = folder / "docs"
    for name, text in pages.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, "utf-8")
    settings = {
        "INHERIT": str(ROOT / CONFIGS[language]),
        "docs_dir": str(docs),
        "site_dir": str(folder / "site"),
        "hooks": [],
        "nav": [name for name in pages if not name.startswith("unlisted")],
        "theme": {"custom_dir": str(ROOT / "docs" / "theme")},
    }
    config = folder / "mkdocs.yml"
    config.write_text(yaml.safe_dump(settings), "utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SITE_URL", "BOTH_", "SOURCE_"))}
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config)],
        env=kept | {"NO_MKDOCS_2_WARNING": "1"} | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


@pytest.mark.parametrize("language", CONFIGS)
def test_a_sound_page_builds_without_a_word_of_warning(tmp_path, language):
    done = build(tmp_path, language)
    assert done.returncode == 0
    assert "WARNING" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "pages, message",
    [
        ({"index.md": PAGE + "[a](nothing.md)"}, "'nothing.md', but the target is not found"),
        ({"index.md": PAGE + "[a](#nothing)"}, "there is no such anchor"),
        ({"index.md": PAGE + "[a](b.md#nothing)", "b.md": PAGE}, "does not contain an anchor"),
        ({"index.md": PAGE + "[a](b/)", "b.md": PAGE}, "unrecognized relative link"),
        ({"index.md": PAGE + "[a](/b)", "b.md": PAGE}, "absolute link"),
        ({"unlisted.md": PAGE}, "not included in the \"nav\""),
    ],
)
def test_strict_means_strict(tmp_path, pages, message):
    done = build(tmp_path, pages=pages)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr


class Links(HTMLParser):
    """All <a> and <link> of a page, as dictionaries of their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in ("a", "link"):
            self.found.append(dict(attributes, tag=tag))


def switches(page):
    return [link for link in Links(page).found if link.get("class") == "attn-switch"]


def test_one_edition_alone_has_no_language_switch(tmp_path):
    build(tmp_path)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert not switches(page)
    assert "hreflang" not in page


def test_both_editions_lead_to_the_same_page_of_the_other(tmp_path):
    address = "https://example.org/zh/repo/"  # with an edition's name in it, to be unhelpful
    build(
        tmp_path,
        "zh",
        {"chapters/08-mask.md": PAGE},
        BOTH_EDITIONS="true",
        SITE_URL_ZH=address + "zh/",
        SITE_URL_EN=address + "en/",
    )
    page = (tmp_path / "site/chapters/08-mask/index.html").read_text("utf-8")
    (switch,) = switches(page)
    assert switch["href"] == "../../../en/chapters/08-mask/"
    assert switch["target"] == "_self"
    assert switch["lang"] == switch["hreflang"] == "en"

    head = {
        link["hreflang"]: link["href"]
        for link in Links(page).found
        if link["tag"] == "link" and link.get("rel", "").strip() == "alternate"
    }
    assert head == {
        "zh": address + "zh/chapters/08-mask/",
        "en": address + "en/chapters/08-mask/",
        "x-default": address,
    }
    # Material's script would request a sitemap for each of these.
    assert 'rel="alternate"' not in page

    (switch,) = switches((tmp_path / "site/404.html").read_text("utf-8"))
    assert os.path.normpath(switch["href"]) == "/zh/repo/en"


def test_the_page_of_the_root_is_called_what_the_configuration_says(tmp_path):
    shutil.copytree(ROOT / "docs/theme/root", tmp_path / "docs/theme/root")
    for language, file in CONFIGS.items():
        text = (ROOT / file).read_text("utf-8")
        (tmp_path / file).write_text(re.sub(r"(?m)^site_name: .*", f"site_name: Q & K, {language}", text), "utf-8")
    for source in ("attn", "pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / source).symlink_to(ROOT / source)
    (tmp_path / "site").mkdir()
    editions.place_root_files(tmp_path, tmp_path / "site", "https://name.github.io/repo/")
    page = (tmp_path / "site/index.html").read_text("utf-8")
    assert "<title>Q &amp; K, zh · Q &amp; K, en</title>" in page
    assert "{{" not in page
    assert not re.search("亲手|by Hand", page)


@pytest.mark.parametrize("language, title", [("zh", "没有这一页"), ("en", "There is no such page")])
def test_an_edition_has_a_404_page_in_its_language(tmp_path, language, title):
    build(tmp_path, language)
    assert f"<h1>{title}</h1>" in (tmp_path / "site/404.html").read_text("utf-8")


def test_pages_of_the_root_are_not_copied_into_an_edition(tmp_path):
    build(tmp_path)
    assert not (tmp_path / "site" / "root").exists()


def test_katex_is_loaded_only_where_there_is_a_formula(tmp_path):
    build(tmp_path, pages={"index.md": PAGE, "b.md": PAGE + "\n$x$\n"})
    assert "katex" not in (tmp_path / "site/index.html").read_text("utf-8")
    assert "assets/katex/katex.min.css" in (tmp_path / "site/b/index.html").read_text("utf-8")


def test_a_source_link_appears_when_the_address_is_known(tmp_path):
    build(tmp_path, SOURCE_URL="https://example.org/source")
    assert 'href="https://example.org/source"' in (tmp_path / "site/index.html").read_text("utf-8")
