"""Code that runs in the page: Run, edit, Stop, Reset, what it prints and draws, what goes wrong."""

import json
import re

import pytest
from chapter import parse, read
from conftest import ROOT
from playwright.sync_api import Page, expect
from running import BUTTONS, LANGUAGES, PHONE, START, Editor, faults, focused, too_small

pytestmark = pytest.mark.usefixtures("live")

CHAPTER = "06-three-positions"
DRAWS, PRINTS, CONTINUES = 0, 1, 2  # blocks of that chapter
WORDS = {
    "zh": {"run": "运行", "edited": "运行你的改动", "done": "运行完毕", "running": "运行中", "stopped": "已停止", "retry": "重试",
           "line": "第 {} 行出错", "above": "上面第 1 块的第 2 行出错", "silent": "没有输出", "undo": "取消还原"},
    "en": {"run": "Run", "edited": "Run your edit", "done": "Done in", "running": "Running", "stopped": "Stopped", "retry": "Retry",
           "line": "Error in line {}", "above": "Error in line 2 of block 1 above",
           "silent": "nothing was printed", "undo": "Undo the reset"},
}  # fmt: skip


def chapter_of(language, name=CHAPTER):
    return parse(read(ROOT / "docs" / language / "chapters" / f"{name}.md"))


def open_chapter(site, page: Page, language="zh", name=CHAPTER) -> Page:
    page.goto(site.url(f"{language}/chapters/{name}/"))
    return page


class Block(Editor):
    def __init__(self, page: Page, number: int, language="zh"):
        root = page.locator(".highlight[data-run]").nth(number)
        super().__init__(page, root, BUTTONS[language] | WORDS[language])
        self.output = self.root.locator(".attn-live-output code")
        self.error = self.root.locator(".attn-live-error")  # the status, where it is an error
        self.trace = self.root.locator(".attn-live-trace")

    def run(self) -> "Block":
        """Open it, and wait until its run has ended."""
        self.opener.click()
        return self.ended()

    def restore(self) -> "Block":
        """Put back the code of the page. Reset does too, but starts Python anew."""
        self.write(self.root.locator("pre > code").first.text_content().rstrip())
        return self

    def code(self) -> str:
        return "\n".join(self.root.locator(".cm-line").all_inner_texts()).replace("\n\n\n", "\n\n")

    def recorded(self):
        """The output that the page came with."""
        return self.root.locator("xpath=following-sibling::*[1]")


def sent(site) -> set[str]:
    return {path.name for path in site.sent}


# The reader's way, from landing to an edited result.


@pytest.mark.parametrize("language", LANGUAGES)
def test_three_actions_lead_from_landing_to_an_edited_result(site, tab, language):
    page = open_chapter(site, tab(), language)
    block = Block(page, PRINTS, language)
    recorded = block.recorded().inner_text()

    block.opener.click()  # 1
    expect(block.status).to_contain_text(block.word["done"], timeout=START)
    assert block.output.inner_text().strip() in recorded
    expect(block.recorded()).to_be_hidden()

    page.keyboard.insert_text("print(6 * 7)\n")  # 2
    page.keyboard.press("Control+Enter")  # 3
    expect(block.output).to_contain_text("42\nc = 0.9803")


def test_nothing_is_loaded_before_the_first_run(site, tab):
    site.sent.clear()
    page = open_chapter(site, tab())
    page.wait_for_load_state("networkidle")
    before = sent(site)
    assert "run.js" in before
    late = {"snippet.js", "worker.js", "run.css", "sizes.json", "pyodide.mjs"}
    assert not before & late
    assert not [name for name in before if name.endswith((".whl", ".wasm", ".zip"))]

    Block(page, PRINTS).run()
    assert sent(site) >= late
    assert not [name for name in sent(site) if name.startswith("matplotlib")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_block_that_can_run_has_a_button_and_the_others_have_none(site, tab, language):
    page = tab()
    page.goto(site.url(f"{language}/reference/to-pytorch/"))
    blocks = parse(read(ROOT / "docs" / language / "reference" / "to-pytorch.md")).blocks
    assert any(block.importorskip for block in blocks)
    can_run = [not block.importorskip for block in blocks]
    shown = page.locator(".language-python.highlight")
    assert [shown.nth(n).locator(".attn-run").count() == 1 for n in range(shown.count())] == can_run
    open_chapter(site, page, language)
    assert page.locator(".attn-run").count() == len(chapter_of(language).blocks)


# What a run shows. One page for all: starting Python takes long.


@pytest.fixture(scope="module")
def chapter(site, open_tab):
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    yield open_chapter(site, tab.page)
    tab.page.context.close()
    assert (tab.said, tab.foreign) == ([], [])


@pytest.fixture
def prints(chapter):
    """A block that has run, with the code and the output of the page."""
    block = Block(chapter, PRINTS)
    if not block.editor.count():
        block.run()
    yield block
    stop = block.button("stop")
    if stop.is_visible():  # a test failed before it could
        stop.click()
    block.restore().rerun()
    expect(block.output).to_contain_text("c = 0.9803")


@pytest.mark.parametrize(
    "code, line, says",
    [
        ("x = 1\n\nprint(1 / 0)", 3, "ZeroDivisionError: division by zero"),
        ("x = 1\ny = (2\nz = 3", 2, "SyntaxError: '(' was never closed"),
        ("import attn\n\ndef f():\n    attn.softmax('a')\n\nf()", 4, "TypeError"),
        ("import sys\nsys.exit('enough')", 2, "SystemExit: enough"),
        ("import torch", 1, "ModuleNotFoundError"),
        ("while True:\n    print('a')", 2, "OutputTooLong: printed more than 64 KiB"),
    ],
)
def test_an_error_says_its_line(prints, code, line, says):
    prints.write(code)
    prints.rerun()
    where = prints.word["line"].format(line)
    expect(prints.error).to_contain_text(where)
    expect(prints.error).to_contain_text(says)
    expect(prints.root.locator(".attn-error-line")).to_have_text(code.split("\n")[line - 1])
    prints.trace.locator("summary").click()
    expect(prints.trace.locator("pre")).to_contain_text(f'File "block", line {line}')
    prints.editor.press("Control+End")
    prints.page.keyboard.type(" ")
    expect(prints.root.locator(".attn-error-line")).to_have_count(0)


def test_what_was_printed_and_drawn_before_an_error_stays(prints):
    prints.write("import matplotlib.pyplot as plt\nprint('first')\nplt.plot([1, 2])\nplt.show()\n1 / 0")
    prints.rerun()
    expect(prints.error).to_contain_text("ZeroDivisionError")
    parts = prints.root.locator(".attn-live-result > *").evaluate_all("all => all.map((one) => one.classList[0])")
    assert parts == ["highlight", "attn-figure", "attn-live-trace"]
    expect(prints.output).to_have_text("first\n")
    expect(prints.root.locator(".attn-live-result svg")).to_be_visible()


@pytest.mark.parametrize(
    "code, says",
    [
        ("print（1）", "这里要写英文符号 ( ，不能写 （ 。"),
        ("x = “你好”", '这里要写英文符号 " ，不能写 “ 。'),
        ("x = [1、2]", "这里要写英文符号 , ，不能写 、 。"),
        ("x = １２", "这里要写英文符号 1 ，不能写 １ 。"),
        ("x = 3 × 2", "这里要写英文符号 * ，不能写 × 。"),
        ("x =\u30001", "看不见的特殊字符"),
        ("x = 1 ⊙ 2", "“⊙”只能放在引号里或注释里。"),
        ("prnt(1)", "Did you mean: 'print'?"),
        ("print(np.eye(2))", "每次运行都从头开始"),
        ("n = input()", "读不到键盘"),
        ("!pip install torch", "不能另装"),
    ],
)
def test_a_beginners_error_is_explained(prints, code, says):
    prints.write(code)
    prints.rerun()
    expect(prints.error).to_contain_text(says)


def test_code_that_is_pasted_loses_its_tabs_and_foreign_line_ends(chapter, prints):
    chapter.evaluate("navigator.clipboard.writeText('if 1:\\r\\n\\tx = \\'a\\tb\\'\\r\\n')")
    prints.editor.press("Control+a")
    prints.editor.press("Control+v")
    prints.page.keyboard.type("    print(len(x))")  # typed after the paste, with spaces
    prints.rerun()
    expect(prints.output).to_have_text("3\n")


def test_chinese_is_typed_by_an_input_method(chapter, prints):
    prints.write("x = '")
    keys = chapter.context.new_cdp_session(chapter)
    for letters in ("n", "ni", "ni hao"):
        keys.send("Input.imeSetComposition", {"text": letters, "selectionStart": len(letters), "selectionEnd": len(letters)})
    keys.send("Input.insertText", {"text": "你好"})
    chapter.keyboard.type("'\nprint(x)")
    prints.rerun()
    expect(prints.output).to_have_text("你好\n")


def test_a_page_that_is_left_while_it_runs_keeps_the_edit(site, tab):
    page = open_chapter(site, tab())
    block = Block(page, PRINTS).run()
    block.write("while True:\n    pass")
    block.editor.press("Control+Enter")
    open_chapter(site, page, name="07-interventions")
    page.go_back()
    expect(block.opener).to_have_text(block.word["edited"])


def test_a_warning_is_shown(prints):
    prints.write("import warnings\nwarnings.warn('careful')\nprint('after')")
    prints.rerun()
    expect(prints.output.first).to_have_text("after\n")
    expect(prints.output.nth(1)).to_contain_text("block:2: UserWarning: careful")


def test_a_run_that_prints_nothing_says_so(prints):
    prints.write("x = 1")
    prints.rerun()
    expect(prints.status).to_contain_text(prints.word["silent"])


def test_every_run_starts_from_nothing(prints):
    prints.write("import numpy as np\nnp.set_printoptions(precision=2)\nleft = 1")
    prints.rerun()
    prints.write("import numpy as np\nprint(np.array([1 / 3]), 'left' in globals())")
    prints.rerun()
    expect(prints.output).to_have_text("[0.33333333] False\n")


@pytest.mark.parametrize("loop", ["while True:\n    pass", "import time\ntime.sleep(600)"])
def test_stop_ends_a_loop_and_the_next_run_works(prints, loop):
    prints.write(f"print('began')\n{loop}")
    prints.editor.press("Control+Enter")
    expect(prints.status).to_contain_text(prints.word["running"])
    prints.press("stop")
    expect(prints.status).to_contain_text(prints.word["stopped"])
    prints.write("print('alive')")
    prints.rerun()
    expect(prints.output).to_have_text("alive\n")


def test_another_block_waits_for_a_loop_to_end(chapter, prints):
    other = Block(chapter, 3)
    prints.write("while True:\n    pass")
    prints.editor.press("Control+Enter")
    other.opener.click()
    expect(other.status).to_contain_text("排在它后面")
    prints.press("stop")
    expect(other.status).to_contain_text(other.word["done"], timeout=START)
    other.press("close")


@pytest.mark.parametrize("end", ["stop", "reset", "close"])
def test_a_block_that_waits_can_be_stopped(chapter, prints, end):
    other = Block(chapter, 3)
    prints.write("print('began')\nwhile True:\n    pass")
    prints.editor.press("Control+Enter")
    other.opener.click()
    expect(other.status).to_contain_text("排在它后面")
    other.press(end)
    if end == "close":
        expect(other.editor).to_have_count(0)
    else:
        expect(other.status).to_contain_text("已还原" if end == "reset" else other.word["stopped"])
        expect(other.button("run")).to_be_visible()
        other.press("close")
    prints.press("stop")
    prints.write("print('alive')")
    prints.rerun()
    expect(prints.output).to_have_text("alive\n")


def test_reset_ends_python_with_all_that_the_code_changed_in_it(prints):
    prints.write("import json\njson.dumps = None")
    prints.rerun()
    prints.press("reset")
    expect(prints.status).to_contain_text("Python 也重新开始")
    prints.write("import json\nprint(json.dumps(1))")
    prints.rerun()
    expect(prints.output).to_have_text("1\n")


def test_code_that_ends_python_is_told_from_a_browser_that_cannot_start_it(prints):
    prints.write("import os\nos._exit(0)")
    prints.rerun()
    expect(prints.status).to_contain_text("你的代码让 Python 自己停了")
    prints.write("print('alive')")
    prints.rerun()
    expect(prints.output).to_have_text("alive\n")


def test_a_figure_that_cannot_be_drawn_marks_no_line(prints):
    prints.write("import matplotlib.pyplot as plt\nplt.title('$\\\\nothing$')")
    prints.rerun()
    expect(prints.error).to_contain_text("图没有画成：ValueError")
    expect(prints.root.locator(".attn-error-line")).to_have_count(0)
    prints.write("import matplotlib.pyplot as plt\nplt.title('注意力权重')")
    prints.rerun()
    expect(prints.error).to_have_count(0)
    expect(prints.root.locator(".attn-live-result .attn-figure > svg")).to_be_visible()


@pytest.mark.parametrize("code, says", [("assert False", "AssertionError"), ("raise SystemExit", "SystemExit")])
def test_an_error_without_a_message_has_no_colon_after_it(prints, code, says):
    prints.write(code)
    prints.rerun()
    expect(prints.error).to_have_text(f"第 1 行出错：{says}")


def test_a_block_that_draws_shows_the_figure_of_the_page(chapter):
    block = Block(chapter, DRAWS)
    description = chapter.locator(".attn-figure > svg > desc").first.text_content()
    block.run()
    figure = block.root.locator(".attn-live-result .attn-figure > svg")
    expect(figure).to_be_visible()
    assert figure.locator("desc").text_content() == description
    ids = chapter.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))

    # The reader's own figure, not shown and not described, is shown and has a description.
    block.write("import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])")
    block.rerun()
    expect(figure.locator("desc")).to_have_text("你的代码画的图。")
    block.press("reset")
    expect(block.root.locator(".attn-live-result .attn-figure")).to_have_count(0)
    block.press("close")


def test_reset_restores_the_code_and_the_output_of_the_page(chapter, prints):
    original = chapter_of("zh").blocks[PRINTS]
    prints.write("print('mine')")
    prints.rerun()
    expect(prints.recorded()).to_be_hidden()
    prints.press("reset")
    assert prints.code().strip() == original.code.strip()
    expect(prints.recorded()).to_be_visible()
    expect(prints.output).to_have_count(0)
    assert chapter.evaluate("localStorage.getItem('attn-run:zh/chapters/06-three-positions/')") is None


def test_a_reset_can_be_undone(prints):
    prints.press("reset")
    expect(prints.button("undo")).to_have_count(0)
    prints.write("print('mine')")
    prints.press("reset")
    prints.press("undo")
    expect(prints.editor).to_have_text("print('mine')")
    expect(prints.button("run")).to_be_focused()
    prints.rerun()
    expect(prints.output).to_have_text("mine\n")


def test_a_continued_block_runs_what_it_continues_as_it_stands_now(chapter, prints):
    block = Block(chapter, CONTINUES)
    block.run()
    expect(block.output).to_contain_text("权重 2/5 1/5 2/5 输出 8/5 3/5")

    prints.write("import numpy as np\nX = np.eye(2, dtype=int)\nV = np.array([[1], [3]])\nprint('above')")
    block.rerun()
    expect(block.output).to_have_text("权重 2/3 1/3 输出 5/3\n权重 1/3 2/3 输出 7/3\n")

    prints.write("X = 1\n1 / 0")
    block.rerun()
    expect(block.error).to_contain_text(block.word["above"])
    block.error.get_by_role("link").click()
    expect(chapter.locator(":target .attn-live")).to_have_count(1)
    expect(prints.root).to_be_in_viewport()
    block.press("close")


def test_copy_takes_the_edited_code_with_what_it_continues(chapter, prints):
    block = Block(chapter, CONTINUES)
    block.run()
    prints.write("X = 1")
    block.write("print(X)")
    block.press("copy")
    expect(block.status).to_have_text(block.word["copied"])
    assert chapter.evaluate("navigator.clipboard.readText()") == "X = 1\nprint(X)\n"
    block.restore()
    block.press("close")


def test_the_second_run_does_not_start_anything(chapter, prints, site):
    prints.rerun()
    site.sent.clear()
    prints.rerun()
    assert site.sent == []


# Edits are kept.


def test_an_edit_that_is_taken_back_is_forgotten(chapter, prints):
    kept = "localStorage.getItem('attn-run:zh/chapters/06-three-positions/')"
    prints.write("print('mine')")
    assert "mine" in chapter.evaluate(kept)
    prints.restore()
    assert chapter.evaluate(kept) is None


def test_an_edit_survives_a_reload_and_loads_nothing(site, tab):
    page = open_chapter(site, tab())
    block = Block(page, PRINTS).run()
    block.write("print('mine')")
    site.sent.clear()
    page.reload()
    page.wait_for_load_state("networkidle")
    assert "snippet.js" not in sent(site)
    block = Block(page, PRINTS)
    expect(block.opener).to_have_text(block.word["edited"])
    expect(Block(page, CONTINUES).opener).to_have_text(block.word["run"])
    block.run()
    expect(block.output).to_have_text("mine\n")

    block.press("reset")
    page.reload()
    expect(Block(page, PRINTS).opener).to_have_text(block.word["run"])


def test_an_edit_of_a_block_that_has_changed_since_is_forgotten(site, tab):
    page = open_chapter(site, tab())
    key = "attn-run:zh/chapters/06-three-positions/"
    mark = page.locator(".highlight[data-run]").first.get_attribute("data-run")
    page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, json.dumps({"0ld": "1", mark: "2"})])
    page.reload()
    buttons = page.locator(".attn-run").all_inner_texts()
    assert [buttons.count(WORDS["zh"]["edited"]), buttons[0]] == [1, WORDS["zh"]["edited"]]
    assert json.loads(page.evaluate("key => localStorage.getItem(key)", key)) == {mark: "2"}


def test_tabs_on_one_page_keep_the_edits_of_each_other(site, tab):
    first = open_chapter(site, tab())
    second = open_chapter(site, first.context.new_page())
    prints, continues = Block(first, PRINTS).run(), Block(second, CONTINUES).run()
    prints.write("print('first')")
    expect(Block(second, PRINTS).opener).to_have_text(prints.word["edited"])
    expect(second.locator(".attn-live-hint")).to_contain_text("连同你在那里的改动")
    continues.write("print('second')")
    expect(Block(first, CONTINUES).opener).to_have_text(prints.word["edited"])
    prints.write("print('first again')")
    kept = json.loads(first.evaluate("localStorage.getItem('attn-run:zh/chapters/06-three-positions/')"))
    assert sorted(kept.values()) == ["print('first again')", "print('second')"]


def test_an_edit_that_cannot_be_kept_is_said_once(site, tab):
    page = open_chapter(site, tab())
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    block = Block(page, PRINTS).run()
    block.write("print('mine')")
    expect(block.status).to_contain_text("浏览器存不下这处改动")
    block.rerun()
    expect(block.output).to_have_text("mine\n")
    block.write("print('more')")
    expect(block.status).to_contain_text(block.word["done"])


@pytest.mark.parametrize("kept", ['{"MARK": 5}', '{"MARK": {}}', "7", "[1", '"text"'])
def test_damaged_edits_are_as_none(site, tab, kept):
    page = open_chapter(site, tab())
    mark = page.locator(".highlight[data-run]").first.get_attribute("data-run")
    key = "attn-run:zh/chapters/06-three-positions/"
    page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, kept.replace("MARK", mark)])
    page.reload()
    assert set(page.locator(".attn-run").all_text_contents()) == {WORDS["zh"]["run"]}


# When something is missing.


def test_a_failed_download_says_what_to_do_and_can_be_tried_again(site, open_tab):
    tab = open_tab()
    page = open_chapter(site, tab.page)
    page.context.route("**/numpy-*.whl", lambda route: route.abort())
    block = Block(page, PRINTS).run()
    expect(block.status).to_contain_text(re.compile(r"numpy-.*\.whl 没有下载成功。请检查网络"))
    page.context.unroute("**/numpy-*.whl")
    block.press("retry")
    expect(block.status).to_contain_text(block.word["done"], timeout=START)
    page.context.close()


def test_an_editor_that_could_not_be_loaded_is_asked_for_again(site, open_tab):
    tab = open_tab()
    page = open_chapter(site, tab.page, "en")
    page.context.route("**/chunk-*.js*", lambda route: route.abort())
    block = Block(page, PRINTS, "en")
    block.opener.click()
    expect(block.root.get_by_role("alert")).to_contain_text("could not be downloaded")
    page.context.unroute("**/chunk-*.js*")
    block.run()
    expect(block.root.get_by_role("alert")).to_have_count(0)
    expect(block.status).to_contain_text(block.word["done"], timeout=START)
    page.context.close()


def test_a_download_that_is_stopped_is_not_begun_again(site, open_tab):
    tab = open_tab()
    page = open_chapter(site, tab.page)
    begun = []
    page.on("worker", lambda worker: begun.append(worker))
    block = Block(page, PRINTS)
    with page.expect_event("request", lambda request: "numpy-" in request.url):
        page.context.route("**/numpy-*.whl", lambda route: None)  # never answered
        block.opener.click()
    block.press("stop")
    expect(block.status).to_contain_text(block.word["stopped"])
    page.wait_for_timeout(500)
    assert len(begun) == 1
    page.context.unroute("**/numpy-*.whl")
    block.press("run")
    expect(block.status).to_contain_text(block.word["done"], timeout=START)
    page.context.close()


def test_a_browser_that_has_no_such_workers_says_that_python_did_not_start(site, open_tab):
    tab = open_tab()
    tab.page.add_init_script("delete window.Worker")
    block = Block(open_chapter(site, tab.page), PRINTS).run()
    expect(block.status).to_contain_text("Python 没有启动：Worker is not defined")
    tab.page.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_opened_from_a_file_says_how_to_serve_it(site, open_tab, language):
    tab = open_tab()
    page = tab.page
    path = site.folder / language / "chapters" / CHAPTER / "index.html"
    page.goto(path.as_uri())
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    block = Block(page, PRINTS, language)
    block.opener.click()
    alert = block.root.get_by_role("alert")
    expect(alert).to_contain_text("python3 -m http.server")
    address = f"http://localhost:8000/{language}/chapters/{CHAPTER}/index.html"
    expect(alert.get_by_role("link")).to_have_attribute("href", address)
    assert [address for address in asked if not address.endswith("favicon.svg")] == []
    page.context.close()


# Keyboard, screen reader, phone.


@pytest.mark.parametrize("language", LANGUAGES)
def test_keyboard_alone(site, tab, language):
    page = open_chapter(site, tab(), language)
    block = Block(page, PRINTS, language)
    block.opener.focus()
    page.keyboard.press("Enter")
    expect(block.status).to_contain_text(block.word["done"], timeout=START)
    expect(block.editor).to_be_focused()
    page.keyboard.insert_text("print('typed')\n")
    page.keyboard.press("Control+Enter")
    block.ended()  # what it prints is there before
    expect(block.output).to_contain_text("typed")

    page.keyboard.press("Tab")  # leaves the editor
    assert focused(page) == block.word["run"]
    page.keyboard.press("Shift+Tab")
    expect(block.editor).to_be_focused()
    page.keyboard.press("Escape")  # so does this
    assert focused(page) == block.word["run"]
    page.keyboard.press("Tab")
    assert focused(page) == block.word["reset"]
    page.keyboard.press("Enter")
    assert "typed" not in block.code()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == block.word["close"]
    page.keyboard.press("Enter")
    expect(block.editor).to_have_count(0)
    expect(block.opener).to_be_focused()


def test_the_focus_is_not_lost_when_a_run_begins_and_ends(site, tab):
    page = open_chapter(site, tab())
    block = Block(page, PRINTS).run()
    block.write("print('ran')")
    page.keyboard.press("Escape")
    page.evaluate(FOCUSED_IN_TURN)
    page.keyboard.press("Enter")
    block.ended()
    expect(block.button("run")).to_be_focused()
    assert page.evaluate("inTurn") == [block.word["stop"], block.word["run"]]


FOCUSED_IN_TURN = """() => {
  window.inTurn = [];
  addEventListener("focusin", ({ target }) => window.inTurn.push(target.textContent));
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_open_editor_on_a_phone(site, tab, language):
    """Axe in both schemes, targets of 44 px, nothing wider than the page, the words said once."""
    page = tab(viewport=PHONE, has_touch=True, color_scheme="light", reduced_motion="reduce")
    open_chapter(site, page, language)
    page.evaluate(
        """() => {
          window.said = [];
          new MutationObserver(() => {
            const text = document.querySelector('.attn-live-status')?.textContent;
            if (text && text !== window.said.at(-1)) window.said.push(text);
          }).observe(document.body, { subtree: true, childList: true, characterData: true });
        }"""
    )
    block = Block(page, PRINTS, language)
    assert too_small(page.locator(".attn-run")) == 0
    block.run()
    assert len(page.evaluate("said")) <= 4, page.evaluate("said")
    expect(block.button("run")).to_be_focused()
    block.write("print(1)\n1 / 0")
    block.rerun()
    block.trace.locator("summary").click()
    targets = block.root.locator(".attn-live-bar button:visible, .attn-live summary")
    assert targets.count() == 5
    assert too_small(targets) == 0
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert faults(page, ".attn-live") == []
    # That axe would find a fault here.
    block.status.evaluate("(status) => (status.style.color = '#777')")
    block.editor.evaluate("(editor) => editor.removeAttribute('aria-label')")
    assert faults(page, ".attn-live") != []
