"""Exercises that answer: the editor, Check, hints one at a time, and what the browser keeps."""

import contextlib
import io
import json
import re
import subprocess
import sys

import pytest
from chapter import parse, read
from conftest import ROOT
from playwright.sync_api import Page, expect
from running import BUTTONS, LANGUAGES, PHONE, START, Editor, faults, focused, too_small

from attn import exercises

pytestmark = pytest.mark.usefixtures("live")

PAGE = "chapters/16-exercises/"
NAMES = exercises.names()
WORDS = {
    "zh": {"write": "在这里写", "go on": "接着写", "check": "检查", "hint": "提示",
           "stopped": "已停止", "solved": "✓ 做对了。", "not yet": "还不对", "count": "做对了 {} 题，共 25 题。",
           "export": "导出", "import": "导入", "clear": "清空", "mark": "✓ 已做对",
           "no function": "代码里没有函数 scores", "line": "第 3 行出错"},
    "en": {"write": "Write it here", "go on": "Go on writing", "check": "Check", "hint": "Hint",
           "stopped": "Stopped", "solved": "✓ Solved.", "not yet": "Not yet", "count": "{} of 25 solved.",
           "export": "Export", "import": "Import", "clear": "Reset", "mark": "✓ solved",
           "no function": "Your code has no function scores", "line": "Error in line 3"},
}  # fmt: skip


def blocks(language):
    """Name → (starting code, code of the answer), as the chapter has them."""
    chapter = parse(read(ROOT / f"docs/{language}/chapters/16-exercises.md"))
    found = {}
    for heading, following in zip(chapter.headings, [*chapter.headings[1:], None]):
        if heading.level == 3:
            end = following.line if following else float("inf")
            codes = [f.code for f in chapter.fences if heading.line < f.line < end and f.info in ("py", "python")]
            found[heading.id] = codes[0].rstrip(), codes[-1]
    return found


def said_by_python(code):
    """What that code prints here."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exercise", "exec"), {"__name__": "chapter"})
    return out.getvalue()


def open_exercises(site, page: Page, language="zh") -> Page:
    page.goto(site.url(f"{language}/{PAGE}"))
    page.wait_for_load_state("networkidle")
    return page


class Exercise(Editor):
    def __init__(self, page: Page, name: str, language="zh"):
        super().__init__(page, page.locator(f'[data-exercise="{name}"]'), BUTTONS[language] | WORDS[language])
        self.answer = self.root.locator(".attn-right, .attn-wrong").locator("code")
        self.mark = page.locator(f"#{name} .attn-solved-mark")
        # All folds between the starting code and the next exercise.
        following = "xpath=following-sibling::details[preceding-sibling::h3[1][@id='{}']]"
        self.folds = self.root.locator(following.format(name))

    def open(self) -> "Exercise":
        self.opener.click()
        expect(self.editor).to_be_focused(timeout=START)
        return self


def panel(page):
    return page.locator(".attn-solved-panel")


def test_every_exercise_can_be_written_on_the_page(site, tab):
    for language in LANGUAGES:
        page = open_exercises(site, tab(), language)
        shown = page.locator("[data-exercise]").evaluate_all("all => all.map((one) => one.dataset.exercise)")
        assert shown == NAMES
        buttons = page.locator("[data-exercise] .attn-run").all_inner_texts()
        assert buttons == [WORDS[language]["write"]] * len(NAMES)
        expect(panel(page)).to_contain_text(WORDS[language]["count"].format(0))


def test_nothing_of_python_is_loaded_before_the_first_check(site, tab):
    site.sent.clear()
    page = open_exercises(site, tab())
    Exercise(page, "scores").open()
    page.wait_for_load_state("networkidle")
    names = {path.name for path in site.sent}
    assert "exercise.js" in names
    assert not names & {"worker.js", "sizes.json", "pyodide.mjs"}
    assert not [name for name in names if name.endswith((".whl", ".wasm", ".zip"))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_checker_answers_as_it_does_anywhere_else(site, tab, language):
    """All 25, in one Python: what they start from is refused in the same words, the page's answers pass."""
    page = open_exercises(site, tab(), language)
    for count, (name, (start, answer)) in enumerate(blocks(language).items(), 1):
        exercise = Exercise(page, name, language).open()
        exercise.rerun()
        expect(exercise.status).to_contain_text(exercise.word["not yet"])
        assert exercise.answer.inner_text().strip() == said_by_python(start).strip()
        expect(exercise.mark).to_be_hidden()
        exercise.write(answer)
        exercise.rerun()
        expect(exercise.status).to_have_text(exercise.word["solved"])
        expect(exercise.mark).to_have_text(exercise.word["mark"])
        expect(panel(page)).to_contain_text(exercise.word["count"].format(count))
        exercise.press("close")
    assert count == len(NAMES)


@pytest.fixture(scope="module")
def running(site, open_tab):
    """A page whose Python has started, with nothing solved."""
    tab = open_tab(permissions=["clipboard-read", "clipboard-write"])
    page = open_exercises(site, tab.page)
    exercise = Exercise(page, "scores").open()
    exercise.rerun()
    exercise.press("close")
    yield page
    page.context.close()
    assert (tab.said, tab.foreign) == ([], [])


@pytest.fixture
def scores(running):
    exercise = Exercise(running, "scores").open()
    yield exercise
    exercise.press("close")  # no Reset, after which Python would start anew
    running.evaluate("localStorage.clear(); dispatchEvent(new StorageEvent('storage', { key: null }))")


RIGHT = "def scores(q, k):\n    return q @ k.T\n"


def test_the_call_of_the_checker_may_be_missing(scores):
    scores.write(RIGHT)
    scores.rerun()
    expect(scores.status).to_have_text(scores.word["solved"])
    expect(scores.answer).to_have_text("scores：3 组输入全对。")


def test_what_the_code_prints_is_shown_beside_the_answer(scores):
    scores.write("print('before')\n" + RIGHT)
    scores.rerun()
    expect(scores.root.locator(".attn-live-output code").first).to_have_text("before\n")
    expect(scores.answer).to_have_text("scores：3 组输入全对。")


def test_copy_takes_what_was_written_and_no_more(running, scores):
    scores.write(RIGHT)
    scores.press("copy")
    expect(scores.status).to_have_text(scores.word["copied"])
    assert running.evaluate("navigator.clipboard.readText()") == RIGHT


def test_a_function_of_another_name_is_no_answer(scores):
    scores.write(RIGHT.replace("scores", "my_scores"))
    scores.rerun()
    expect(scores.status).to_contain_text(scores.word["no function"])
    expect(scores.mark).to_be_hidden()


def test_the_checker_counts_lines_as_the_editor_does(scores):
    scores.write("import numpy as np\n\n\ndef scores(q, k):\n    return np.nothing\n")
    scores.rerun()
    expect(scores.answer).to_contain_text("第 5 行，在函数 scores 里： return np.nothing")
    numbers = scores.root.locator(".cm-lineNumbers .cm-gutterElement:visible").all_inner_texts()
    assert "5" in numbers


def test_an_error_outside_the_function_has_its_line(scores):
    scores.write("x = 1\n\n1 / 0\n" + RIGHT)
    scores.rerun()
    expect(scores.status).to_contain_text(scores.word["line"])
    expect(scores.editor.locator(".attn-error-line")).to_have_text("1 / 0")
    expect(scores.mark).to_be_hidden()


def test_names_that_the_code_gives_away_do_not_disturb_the_check(scores):
    scores.write("exercises = json = contextlib = io = said = None\n" + RIGHT)
    scores.rerun()
    expect(scores.status).to_have_text(scores.word["solved"])


def test_a_checker_that_the_code_replaced_does_not_answer(scores):
    wrong = RIGHT.replace("q @ k.T", "q")
    scores.write(f"import attn.exercises\nattn.exercises.check = lambda *given: True\n{wrong}")
    scores.rerun()
    expect(scores.status).to_contain_text(scores.word["not yet"])
    expect(scores.mark).to_be_hidden()
    scores.press("reset")  # the tests that follow have another Python


def test_an_error_that_gets_through_the_checker_has_the_line_of_the_reader(scores):
    scores.write("print = None\n\ndef scores(q, k): raise KeyboardInterrupt")
    scores.rerun()
    expect(scores.status).to_have_text("第 3 行出错：KeyboardInterrupt")
    expect(scores.editor.locator(".attn-error-line")).to_contain_text("raise")


def test_a_function_that_never_ends_can_be_stopped(site, tab):
    page = open_exercises(site, tab())
    exercise = Exercise(page, "scores").open()
    exercise.write("def scores(q, k):\n    while True:\n        pass\n")
    exercise.editor.press("Control+Enter")
    exercise.press("stop")
    exercise.ended()
    expect(exercise.status).to_contain_text(exercise.word["stopped"])
    expect(exercise.mark).to_be_hidden()


# Hints


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_come_one_at_a_time(site, tab, language):
    page = open_exercises(site, tab(), language)
    exercise = Exercise(page, "newest", language)
    expect(exercise.folds).to_have_count(3)  # two hints, and the answer
    assert [fold.is_visible() for fold in exercise.folds.all()] == [True, True, True]
    exercise.open()

    def visible():
        return [fold.is_visible() for fold in exercise.folds.all()]

    assert visible() == [True, False, True]
    exercise.press("hint")
    assert exercise.folds.nth(0).get_attribute("open") is not None
    expect(exercise.folds.nth(0).locator("summary")).to_be_focused()
    assert visible() == [True, True, True]
    exercise.folds.nth(0).locator("summary").click()  # folded again, it has been seen
    assert visible() == [True, True, True]
    exercise.press("hint")
    assert exercise.folds.nth(1).get_attribute("open") is not None
    hint = exercise.button("hint")
    expect(hint).to_have_count(0)
    exercise.press("close")
    assert visible() == [True, True, True]


# What is kept


def test_code_and_progress_survive_a_reload_and_both_languages_share_the_progress(site, tab):
    page = open_exercises(site, tab())
    exercise = Exercise(page, "scores").open()
    exercise.write(RIGHT)
    exercise.rerun()
    expect(exercise.status).to_have_text(exercise.word["solved"])
    page.reload()
    expect(panel(page)).to_contain_text(exercise.word["count"].format(1))
    expect(exercise.mark).to_be_visible()
    expect(exercise.opener).to_have_text(exercise.word["go on"])
    exercise.open()
    assert exercise.editor.inner_text().strip() == RIGHT.strip()
    english = open_exercises(site, page, "en")
    expect(panel(english)).to_contain_text(WORDS["en"]["count"].format(1))
    expect(Exercise(english, "scores", "en").opener).to_have_text(WORDS["en"]["write"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_export_is_a_program_that_checks_again_and_reset_forgets(site, tab, tmp_path, language):
    page = open_exercises(site, tab(accept_downloads=True), language)
    word = WORDS[language]
    page.evaluate("localStorage.setItem('attn-exercises', '[\"weights\"]')")
    page.reload()
    codes = blocks(language)
    for name in ("scores", "weights"):
        exercise = Exercise(page, name, language).open()
        exercise.write(codes[name][1])
        exercise.press("close")

    with page.expect_download() as downloaded:
        panel(page).get_by_role("button", name=word["export"]).click()
    program = tmp_path / downloaded.value.suggested_filename
    downloaded.value.save_as(program)
    assert program.suffix == ".py"
    text = program.read_text("utf-8")
    assert re.search(r"pip install http://127\.0\.0\.1:\d+/attention_by_hand-\S+\.whl\n", text)
    assert text.count(word["mark"]) == 1 and f"# %% exercise: weights {word['mark']}\n" in text
    done = subprocess.run([sys.executable, program], capture_output=True, encoding="utf-8")
    assert done.stderr == ""
    right = [said_by_python(f'from attn import exercises\n{codes[name][1]}') for name in ("scores", "weights")]
    assert done.stdout == "".join(right)

    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    panel(page).get_by_role("button", name=word["clear"]).click()
    assert len(asked) == 1
    expect(panel(page)).to_contain_text(word["count"].format(1))
    exercise = Exercise(page, "scores", language).open()
    page.once("dialog", lambda dialog: dialog.accept())
    panel(page).get_by_role("button", name=word["clear"]).click()
    expect(panel(page)).to_contain_text(word["count"].format(0))
    assert exercise.editor.inner_text().split() == codes["scores"][0].split()
    exercise.press("close")
    expect(exercise.opener).to_have_text(word["write"])
    kept = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('attn-'))")
    assert kept == []
    expect(panel(page).get_by_role("button", name=word["export"])).to_be_disabled()


def test_export_says_where_the_code_is_not_what_was_solved(running, scores):
    export = panel(running).get_by_role("button", name=scores.word["export"])

    def exported():
        with running.expect_download() as downloaded:
            export.click()
        return downloaded.value.path().read_text("utf-8")

    scores.write(RIGHT)
    scores.rerun()
    assert f"# %% exercise: scores {scores.word['mark']}\n" in exported()
    scores.write(RIGHT.replace("q @ k.T", "q"))
    assert "# %% exercise: scores (做对过，但不是下面这份代码)\n" in exported()
    scores.press("reset")  # the code that solved it is still known
    assert f"# %% exercise: scores {scores.word['mark']}\n\n{RIGHT}" in exported()


def choose(page, language, content, name="attention_exercises.py"):
    """Import a file, and wait for what the page says of it."""
    news = panel(page).get_by_role("status").nth(1)
    news.evaluate("(news) => (news.textContent = '')")  # of a file before this one
    with page.expect_file_chooser() as chooser:
        panel(page).get_by_role("button", name=WORDS[language]["import"]).press("Enter")
    chooser.value.set_files({"name": name, "mimeType": "text/plain", "buffer": content})
    expect(news).not_to_be_empty()
    return news


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_one_device_exports_another_imports(site, tab, language):
    page = open_exercises(site, tab(), "zh")
    codes = blocks("zh")
    for name in ("scores", "weights", "sizes"):
        Exercise(page, name).open().write(codes[name][1])
    page.evaluate(f"localStorage.setItem('attn-exercises', JSON.stringify({{ scores: 'other', newest: null, weights: {json.dumps(codes['weights'][1])} }}))")
    page.reload()
    with page.expect_download() as downloaded:
        panel(page).get_by_role("button", name=WORDS["zh"]["export"]).click()
    content = downloaded.value.path().read_bytes()

    other = open_exercises(site, tab(), language)
    opened = Exercise(other, "scores", language).open()
    news = choose(other, language, content)
    expect(news).to_have_text({"zh": "导入了 4 题。", "en": "Imported 4 exercises."}[language])
    expect(panel(other)).to_contain_text(WORDS[language]["count"].format(3))
    assert opened.editor.inner_text().split() == codes["scores"][1].split()
    for name, solved in {"scores": True, "weights": True, "newest": True, "sizes": False}.items():
        expect(Exercise(other, name, language).mark).to_be_visible(visible=solved)
    other.reload()
    weights = Exercise(other, "weights", language)
    expect(weights.opener).to_have_text(WORDS[language]["go on"])
    assert weights.open().editor.inner_text().split() == codes["weights"][1].split()
    # Exported again, it is the same but for the words of the language.
    with other.expect_download() as downloaded:
        panel(other).get_by_role("button", name=WORDS[language]["export"]).click()
    marks = [re.findall(r"(?m)^# %% exercise: \S+ ?[✓(]?", text) for text in (content.decode(), downloaded.value.path().read_text("utf-8"))]
    assert marks[0] == marks[1]


CELL = "# %% exercise: {}\n\nprint('theirs')\n"


@pytest.mark.parametrize(
    "content, says",
    [
        (b"print(1)", "work.py 里没有练习。请选“导出”存下来的文件，它原来叫 attention_exercises.py。"),
        ("作业".encode("gbk") + CELL.format("scores").encode(), "work.py 里没有练习"),
        (CELL.format("scores").encode() + bytes(1_000_001), "work.py 里没有练习"),
        (CELL.format("scores").encode() * 2, "work.py 里有两份 scores"),
    ],
)
def test_a_file_that_cannot_be_imported_changes_nothing(running, scores, content, says):
    scores.write("print('mine')")
    before = running.evaluate("JSON.stringify(localStorage)")
    expect(choose(running, "zh", content, "work.py")).to_contain_text(says)
    expect(scores.editor).to_have_text("print('mine')")
    assert running.evaluate("JSON.stringify(localStorage)") == before


def test_an_import_replaces_what_was_written_here_only_when_told_to(running, scores):
    scores.write("print('mine')")
    content = CELL.format("scores").encode() + CELL.format("weights").encode()
    asked = []
    running.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    expect(choose(running, "zh", content)).to_have_text("没有导入，这里什么都没有改。")
    assert "scores" in asked[0] and "weights" not in asked[0]
    expect(scores.editor).to_have_text("print('mine')")
    expect(Exercise(running, "weights").opener).to_have_text(scores.word["write"])
    running.once("dialog", lambda dialog: dialog.accept())
    expect(choose(running, "zh", content)).to_have_text("导入了 2 题。")
    expect(scores.editor).to_have_text("print('theirs')")
    scores.editor.press("Control+z")
    expect(scores.editor).to_have_text("print('mine')")


def test_an_import_says_which_exercises_the_page_does_not_have(running, scores):
    content = CELL.format("scores") + CELL.format("later-one")
    expect(choose(running, "zh", content.encode())).to_have_text("导入了 1 题。这一页没有 later-one，跳过了。")
    expect(scores.editor).to_have_text("print('theirs')")


def test_a_run_of_an_ordinary_block_is_no_exercise_and_is_not_forgotten(site, tab):
    page = open_exercises(site, tab())
    page.locator("#checker ~ .highlight[data-run]").first.locator(".attn-run").click()
    first = page.locator(".highlight[data-run]").first
    first.locator(".cm-content").press("Control+a")
    page.keyboard.insert_text("print(1)")
    page.evaluate("localStorage.setItem('attn-exercises', '[\"scores\"]')")
    page.reload()
    page.once("dialog", lambda dialog: dialog.accept())
    panel(page).get_by_role("button", name=WORDS["zh"]["clear"]).click()
    kept = json.loads(page.evaluate("localStorage.getItem('attn-run:zh/chapters/16-exercises/')"))
    assert list(kept.values()) == ["print(1)"]


def test_without_a_script_the_page_is_as_it_was(site, tab):
    page = tab(java_script_enabled=False)
    page.goto(site.url(f"en/{PAGE}"))
    expect(panel(page)).to_have_count(0)
    expect(page.locator(".attn-run")).to_have_count(0)
    exercise = Exercise(page, "scores", "en")
    assert [fold.is_visible() for fold in exercise.folds.all()] == [True, True, True]
    assert "def scores(q, k):" in exercise.root.inner_text()


# Keyboard, screen reader, phone


def test_keyboard_alone(site, tab):
    page = open_exercises(site, tab(), "en")
    exercise = Exercise(page, "scores", "en")
    exercise.opener.focus()
    page.keyboard.press("Enter")
    expect(exercise.editor).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(RIGHT)

    page.keyboard.press("Escape")
    assert focused(page) == exercise.word["check"]
    page.keyboard.press("Enter")
    expect(exercise.status).to_have_text(exercise.word["solved"], timeout=START)
    assert focused(page) == exercise.word["check"]
    page.keyboard.press("Tab")
    assert focused(page) == exercise.word["hint"]
    page.keyboard.press("Enter")
    expect(exercise.folds.nth(0).locator("summary")).to_be_focused()


SCOPE = ".attn-live, .attn-solved-panel, #scores"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_exercise_on_a_phone(site, tab, language):
    """Axe in both schemes, targets of 44 px, nothing wider than the page."""
    page = tab(viewport=PHONE, has_touch=True, color_scheme="light", reduced_motion="reduce")
    open_exercises(site, page, language)
    exercise = Exercise(page, "scores", language)
    code, button = (exercise.root.locator(one).first.bounding_box() for one in ("pre > code > span", ".attn-run"))
    assert code["y"] >= button["y"] + button["height"], "the button lies over the code"
    exercise.open()
    exercise.rerun()
    wrong = exercise.answer.inner_text()
    assert wrong
    exercise.write(RIGHT)
    exercise.rerun()
    expect(exercise.status).to_have_text(exercise.word["solved"])
    targets = page.locator(".attn-live-bar button:visible, .attn-solved-panel button, [data-exercise] .attn-run:visible")
    assert targets.count() > 20
    assert too_small(targets) == 0
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert faults(page, SCOPE) == []
    # That axe would find a fault here.
    panel(page).locator("p").first.evaluate("(line) => (line.style.color = '#777')")
    assert faults(page, SCOPE) != []
