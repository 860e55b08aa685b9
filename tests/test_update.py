"""`dev.py update`: outputs written, everything else kept to the byte."""

import update

PAGE = "# T {#t}\n\n```python\nprint('中', 2)\n```\n\n~~~text\nold\n~~~\n\nend\n"


def write(path, data):
    path.write_bytes(data)
    return path


def test_outputs_are_written_and_a_second_run_changes_nothing(tmp_path, capsys):
    path = write(tmp_path / "a.md", PAGE.encode())
    assert update.main(tmp_path, [path]) == 0
    assert path.read_text("utf-8") == PAGE.replace("old", "中 2")
    assert "a.md: outputs written" in capsys.readouterr().out
    assert update.main(tmp_path, [path]) == 0
    assert "1 files run, 0 changed, 0 problem(s)" in capsys.readouterr().out


def test_line_ends_and_a_byte_order_mark_stay(tmp_path):
    data = b"\xef\xbb\xbf" + PAGE.replace("\n", "\r\n").encode()
    path = write(tmp_path / "a.md", data)
    assert update.main(tmp_path, [path]) == 0
    assert path.read_bytes() == data.replace(b"old", "中 2".encode())


def test_a_failing_block_is_named_and_keeps_its_output_while_others_are_written(tmp_path, capsys):
    broken = PAGE.replace("print('中', 2)", "1 / 0")
    path = write(tmp_path / "a.md", (broken + PAGE.replace("# T {#t}", "")).encode())
    assert update.main(tmp_path, [path]) == 1
    text = path.read_text("utf-8")
    assert text.count("old") == 1 and text.count("中 2") == 1
    assert "a.md:4: ZeroDivisionError" in capsys.readouterr().err


def test_a_file_that_is_missing_or_unreadable_is_named_and_the_rest_goes_on(tmp_path, capsys):
    good = write(tmp_path / "good.md", PAGE.encode())
    bad = write(tmp_path / "bad.md", b"```python\nx\n")
    assert update.main(tmp_path, [tmp_path / "none.md", bad, good]) == 1
    error = capsys.readouterr().err
    assert "none.md" in error and "bad.md:1: the fence" in error
    assert "中 2" in good.read_text("utf-8")
    assert bad.read_bytes() == b"```python\nx\n"


def test_without_paths_all_pages_of_both_editions_and_the_readmes_are_taken(tmp_path):
    for name in ("docs/zh/a.md", "docs/en/labs/b.md", "docs/theme/c.md", "README.zh.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / name, b"")
    found = {path.relative_to(tmp_path).as_posix() for path in update.chapter_files(tmp_path)}
    assert found == {"docs/zh/a.md", "docs/en/labs/b.md", "README.zh.md"}


def test_what_is_out_of_date_is_named_and_not_written(tmp_path):
    (tmp_path / "docs/en").mkdir(parents=True)
    (tmp_path / "docs/zh").mkdir()
    pages = {
        "docs/en/new.md": PAGE.replace("old", "中 2"),
        "docs/en/old.md": PAGE,
        "docs/en/unreadable.md": "```python\nx\n",
        "docs/zh/fails.md": PAGE.replace("print('中', 2)", "1 / 0"),
    }
    for name, text in pages.items():
        write(tmp_path / name, text.encode())
    old, fails = update.out_of_date(tmp_path)
    assert (old.path, old.line) == ("docs/en/old.md", 7) and "-old" in old.message and "+中 2" in old.message
    assert (fails.path, fails.line) == ("docs/zh/fails.md", 4) and "ZeroDivisionError" in fails.message
    assert (tmp_path / "docs/en/old.md").read_text("utf-8") == PAGE
