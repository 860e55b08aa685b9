// Which exercises are solved: kept in this browser (and only there), by name, so that both
// languages have the same. And the line on their page that says how many, with Export and Reset.

import { WORDS } from "./exercise-words.js";

const KEY = "attn-exercises";
const FILE = "attention_exercises.py";
const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const word = WORDS[language];
let solved = read(); // the code that solved it, by name; null where it is not known
let shown = () => {};

export function markSolved(name, code) {
  solved.set(name, code);
  keep();
}

// A browser may refuse to store anything: then it lasts as long as the page.
function read() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY)) ?? {};
    return new Map(Array.isArray(saved) ? saved.map((name) => [name, null]) : Object.entries(saved));
  } catch {
    return new Map();
  }
}

function keep() {
  try {
    if (solved.size) localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(solved)));
    else localStorage.removeItem(KEY);
  } catch {
    // see `read`
  }
  shown();
}

// blocks: what each exercise starts from. edits: see edits.js.
export default function show(blocks, { edits, addresses }) {
  const line = make("p");
  line.setAttribute("role", "status");
  const meter = make("progress");
  meter.max = blocks.length;
  meter.setAttribute("aria-label", word.solvedSoFar);
  const exporting = button(word.export, () => download(blocks, edits, addresses.wheel));
  const resetting = button(word.reset, () => confirm(word.sure) && reset(blocks, edits));
  const panel = make("section", line, meter, exporting, resetting, make("small", word.kept));
  panel.className = "attn-solved-panel";
  panel.setAttribute("aria-label", word.progress);
  // Above the first exercise: at the top it would move what is being read already.
  above(blocks[0], "H2").before(panel);

  const marks = blocks.map((block) => [block.dataset.exercise, mark(block)]);
  shown = () => {
    for (const [name, span] of marks) span.hidden = !solved.has(name);
    meter.value = marks.filter(([name]) => solved.has(name)).length;
    line.textContent = word.count(meter.value, blocks.length);
    const nothing = !solved.size && !blocks.some((block) => edits.has(block));
    exporting.disabled = resetting.disabled = nothing;
  };
  edits.watch(shown);
  addEventListener("storage", ({ key }) => {
    if (key !== KEY && key !== null) return; // null: everything was cleared
    solved = read();
    shown();
  });
  shown();
}

// In the heading of the exercise.
function mark(block) {
  const span = make("span", `✓ ${word.mark}`);
  span.className = "attn-solved-mark";
  above(block, "H3").append(span);
  return span;
}

function above(block, tag) {
  let element = block;
  while (element.tagName !== tag) element = element.previousElementSibling;
  return element;
}

function reset(blocks, edits) {
  solved = new Map();
  for (const block of blocks) edits.set(block, undefined);
  document.dispatchEvent(new Event("attn-exercises-reset"));
  keep();
}

// The reader's code of all exercises as one program, which checks each of them again.
function download(blocks, edits, wheel) {
  const done = blocks.filter((block) => solved.has(block.dataset.exercise)).length;
  const parts = [word.fileHead(done, blocks.length, wheel)];
  for (const block of blocks) {
    if (!edits.has(block)) continue;
    const name = block.dataset.exercise;
    parts.push(`# ${name}${state(name, edits.get(block))}\n\n${edits.get(block).trim()}\n`);
  }
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([parts.join("\n\n")], { type: "text/x-python" }));
  link.download = FILE;
  link.click();
  URL.revokeObjectURL(link.href);
}

function state(name, code) {
  if (!solved.has(name)) return "";
  const same = [null, code].includes(solved.get(name));
  return same ? ` ✓ ${word.mark}` : ` (${word.changed})`;
}

function make(name, ...children) {
  const element = document.createElement(name);
  element.append(...children);
  return element;
}

function button(text, press) {
  const element = make("button", text);
  element.type = "button";
  element.className = "attn-live-button";
  element.addEventListener("click", press);
  return element;
}
