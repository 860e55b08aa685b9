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
    reset: "清空",
    sure: "清空所有练习的进度和你写的代码？清空后找不回来，可以先导出。",
    kept: "“在这里写”打开编辑框，“检查”告诉你对不对。进度和代码只存在这个浏览器里。",
    mark: "已做对",
    changed: "做对过，但不是下面这份代码",
    fileHead: (done, total, wheel) =>
      `# 《亲手算注意力》的练习：做对 ${done} 题，共 ${total} 题。\n# 要用到 attn：pip install ${wheel}\n`,
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
    reset: "Reset",
    sure: "Forget which exercises are solved, and all the code you wrote for them? It cannot be brought back; you can export it first.",
    kept: "“Write it here” opens an editor; “Check” says whether it is right. Progress and code stay in this browser.",
    mark: "solved",
    changed: "solved before, with other code than this",
    fileHead: (done, total, wheel) =>
      `# Exercises of Attention by Hand: ${done} of ${total} solved.\n# They need attn: pip install ${wheel}\n`,
  },
};
