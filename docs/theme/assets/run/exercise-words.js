// What the page says about exercises.

export const WORDS = {
  zh: {
    check: "检查",
    hint: "提示",
    help: "Ctrl-Enter 检查，Esc 离开编辑框。写的代码只存在这个浏览器里。",
    answer: "检查结果",
    solved: "✓ 做对了。",
    notYet: "还不对，原因在检查结果里。",
    noFunction: (name) => `代码里没有函数 ${name}。请保留这个名字。`,
    progress: "练习进度",
    solvedSoFar: "已做对的练习",
    count: (done, total) => `做对了 ${done} 题，共 ${total} 题。`,
    export: "导出",
    import: "导入",
    reset: "清空",
    sure: "清空所有练习的进度和你写的代码？清空后找不回来，可以先导出。",
    kept: "“在这里写”打开编辑框，“检查”告诉你对不对。进度和代码只存在这个浏览器里；要换一台设备，就在这里导出，到那边导入。",
    otherFile: (name, expected) => `${name} 里没有练习。请选“导出”存下来的文件，它原来叫 ${expected}。这里什么都没有改。`,
    twice: (name, exercise) => `${name} 里有两份 ${exercise}，不知道该用哪一份。请在文件里删掉一份再导入。这里什么都没有改。`,
    replace: (names) =>
      `这几题你在这里写的代码和文件里的不一样：${names.join("、")}。换成文件里的吗？换掉后找不回来，可以先导出。`,
    notImported: "没有导入，这里什么都没有改。",
    imported: (count, unknown) =>
      `导入了 ${count} 题。${unknown.length ? `这一页没有 ${unknown.join("、")}，跳过了。` : ""}`,
    notKept: "可是浏览器存不下：离开本页它们就没了。",
    mark: "已做对",
    changed: "做对过，但不是下面这份代码",
    fileHead: (title, done, total, wheel) =>
      `# ${title}：做对 ${done} 题，共 ${total} 题。\n# 要用到 attn：pip install ${wheel}\n`,
  },
  en: {
    check: "Check",
    hint: "Hint",
    help: "Ctrl-Enter checks, Esc leaves the editor. What you write stays in this browser.",
    answer: "Answer of the checker",
    solved: "✓ Solved.",
    notYet: "Not yet; the checker says what it found.",
    noFunction: (name) => `Your code has no function ${name}. Please keep that name.`,
    progress: "Progress with the exercises",
    solvedSoFar: "Exercises solved",
    count: (done, total) => `${done} of ${total} solved.`,
    export: "Export",
    import: "Import",
    reset: "Reset",
    sure: "Forget which exercises are solved, and all the code you wrote for them? It cannot be brought back; you can export it first.",
    kept: "“Write it here” opens an editor; “Check” says whether it is right. Progress and code stay in this browser; to go on with another device, export here and import there.",
    otherFile: (name, expected) =>
      `${name} holds no exercises. Choose the file that Export saved; its name was ${expected}. Nothing was changed here.`,
    twice: (name, exercise) =>
      `${name} holds ${exercise} twice, and it is not clear which to take. Delete one of the two in the file, then import it again. Nothing was changed here.`,
    replace: (names) =>
      `What you wrote here for ${names.join(", ")} is not what the file has. Replace it by what the file has? It cannot be brought back; you can export it first.`,
    notImported: "Not imported; nothing was changed here.",
    imported: (count, unknown) =>
      `Imported ${count} ${count === 1 ? "exercise" : "exercises"}.${unknown.length ? ` This page has no ${unknown.join(", ")}: left out.` : ""}`,
    notKept: " But the browser cannot keep them: they are lost when you leave the page.",
    mark: "solved",
    changed: "solved before, with other code than this",
    fileHead: (title, done, total, wheel) =>
      `# ${title}: ${done} of ${total} solved.\n# They need attn: pip install ${wheel}\n`,
  },
};
