// The Run buttons, and what to say where nothing can run. All else is loaded at the first press.

import { Edits } from "./edits.js";

const WORDS = {
  zh: {
    run: "运行",
    edited: "运行你的改动",
    solve: "在这里写",
    goOn: "接着写",
    local: (address) => [
      "网页是从文件打开的，浏览器不允许这样运行代码。在解压出来的文件夹里执行 ",
      code("python3 -m http.server"),
      "（Windows 上是 ",
      code("py -m http.server"),
      "），再打开 ",
      link(address),
      "。",
    ],
    missing: () => ["编辑框没有下载成功。请检查网络，再按一次“运行”；还不行就刷新页面。"],
  },
  en: {
    run: "Run",
    edited: "Run your edit",
    solve: "Write it here",
    goOn: "Go on writing",
    local: (address) => [
      "This page was opened from a file, and browsers do not run code there. In the unpacked folder, run ",
      code("python3 -m http.server"),
      " (on Windows ",
      code("py -m http.server"),
      "), then open ",
      link(address),
      ".",
    ],
    missing: () => [
      "The editor could not be downloaded. Check the connection and press Run again; if that does not help, reload the page.",
    ],
  },
};

const script = document.currentScript;
const here = new URL(".", script.src);
const site = new URL("../../../", here);
const page = location.href.split(/[?#]/)[0].slice(site.href.length);
const word = WORDS[document.documentElement.lang.startsWith("zh") ? "zh" : "en"];

const blocks = [...document.querySelectorAll(".highlight[data-run]")];
const edits = new Edits(page, blocks);
let attempts = 0;
let styled;

for (const block of blocks) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "attn-run";
  button.addEventListener("click", () => press(button, block));
  const [fresh, edited] = block.dataset.exercise ? [word.solve, word.goOn] : [word.run, word.edited];
  const name = () => (button.textContent = edits.has(block) ? edited : fresh);
  edits.watch(name);
  name();
  block.querySelector("pre").prepend(button);
}

async function press(button, block) {
  if (location.protocol === "file:") {
    say(block, word.local(`http://localhost:8000/${page}`));
    return;
  }
  if (button.getAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  try {
    const open = await load(block.dataset.exercise ? "exercise.js" : "snippet.js");
    block.querySelector(".attn-notice")?.remove();
    open(block, { blocks, edits, addresses: addresses() });
  } catch {
    attempts += 1;
    say(block, word.missing());
  } finally {
    button.removeAttribute("aria-busy");
  }
}

// A module that could not be loaded is not asked for again at the same address.
async function load(name) {
  const [module] = await Promise.all([import(`${here}${name}${attempts ? `?${attempts}` : ""}`), style()]);
  return module.default;
}

// On the page of the exercises, how many are solved stands there from the start.
const exercises = blocks.filter((block) => block.dataset.exercise);
if (exercises.length && location.protocol !== "file:") {
  load("solved.js").then((show) => show(exercises, { edits, addresses: addresses() }), () => {});
}

function style() {
  styled ??= new Promise((done, failed) => {
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = new URL("../css/run.css", here);
    sheet.onload = done;
    sheet.onerror = () => {
      sheet.remove();
      styled = undefined;
      failed();
    };
    document.head.append(sheet);
  });
  return styled;
}

const addresses = () => ({
  worker: new URL("worker.js", here).href,
  python: new URL("pyodide/", site).href,
  wheel: new URL(script.dataset.wheel, site).href,
});

function say(block, parts) {
  block.querySelector(".attn-notice")?.remove();
  const notice = document.createElement("p");
  notice.className = "attn-notice";
  notice.setAttribute("role", "alert");
  block.append(notice);
  notice.append(...parts);
}

function code(text) {
  const element = document.createElement("code");
  element.textContent = text;
  return element;
}

function link(address) {
  const element = document.createElement("a");
  element.href = element.textContent = address;
  return element;
}
