"""The wheel that the site serves: the same bytes each time, and all that a pasted block needs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from chapter import parse, read
from wheel import build_wheel, wheel_name

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = ROOT / "docs/zh/chapters/06-three-positions.md"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


def test_it_is_built_the_same_each_time(wheel, tmp_path):
    again = build_wheel(ROOT, tmp_path / "again")
    assert again.name == wheel.name == wheel_name(ROOT)
    assert again.read_bytes() == wheel.read_bytes()


def test_it_holds_the_package_and_its_font_and_nothing_of_the_site(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert "attn" in tops and len(tops) == 2
    assert "attn/figures/fonts/OFL.txt" in names
    assert any(name.endswith("NotoSansSC-Regular.otf") for name in names)


def test_what_copy_copies_runs_in_an_empty_folder_with_the_wheel_alone(wheel, tmp_path):
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(installed), str(wheel)], check=True, timeout=120)
    # The folder of this repository must not help: only the wheel and the installed libraries.
    environment = dict(os.environ, PYTHONPATH=str(installed), MPLBACKEND="agg")
    chapter = parse(read(CHAPTER))
    assert len(chapter.chains) > 3
    for number, chain in enumerate(chapter.chains):
        script = tmp_path / f"snippet{number}.py"
        where = "\nimport attn\nassert attn.__file__.startswith(%r), attn.__file__\n" % str(installed)
        script.write_text("".join(block.code for block in chain) + where, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(script)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, done.stderr


def test_a_source_that_cannot_be_packed_is_an_error_with_the_reason(tmp_path):
    (tmp_path / "attn").mkdir()
    # Without the README that it names.
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    with pytest.raises(RuntimeError, match="could not be built"):
        build_wheel(tmp_path, tmp_path / "cache")


def test_half_a_wheel_of_an_interrupted_build_is_not_taken(wheel, tmp_path, monkeypatch):
    real = subprocess.run

    def interrupted(command, **options):
        folder = Path(command[command.index("-d") + 1])
        folder.mkdir(parents=True)
        (folder / wheel.name).write_bytes(wheel.read_bytes()[:1000])
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_wheel(ROOT, tmp_path / "cache")
    monkeypatch.setattr(subprocess, "run", real)
    assert build_wheel(ROOT, tmp_path / "cache").read_bytes() == wheel.read_bytes()


def test_a_wheel_of_another_date_is_not_taken_from_the_cache(tmp_path, monkeypatch):
    # Else a warm build and a cold one of the same commit would publish different bytes.
    made = []
    for date in ("1767225600", "1767312000", "1767225600"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
        made.append(build_wheel(ROOT, tmp_path / "cache").read_bytes())
    assert made[0] == made[2] != made[1]
