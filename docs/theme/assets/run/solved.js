// Which exercises are solved: kept in this browser (and only there), by name, so that both
// languages have the same. And the line on their page that says how many, with Export, Import and
// Reset.

import { exercisesIn, written } from "./exercise-file.js";
import { WORDS } from "./exercise-words.js";

const KEY = "attn-exercises";
const FILE = "attention_exercises.py";
const LARGEST = 1e6; // bytes; a file of 25 exercises has some 20 kB
const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const word = WORDS[language];
let solved = read(); // the code that solved it, by name; null, or "", where it is not known
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
  const news = make("p");
  news.setAttribute("role", "status");
  news.className = "attn-solved-news";
  const chooser = make("input");
  chooser.type = "file"; // of any name: phones do not know .py
  chooser.hidden = true;
  chooser.addEventListener("change", async () => {
    const [file] = chooser.files;
    news.textContent = "";
    if (file) news.textContent = await take(file, blocks, edits);
    chooser.value = ""; // so that the same file can be chosen again
  });
  const importing = button(word.import, () => chooser.click());
  const resetting = button(word.reset, () => confirm(word.sure) && reset(blocks, edits));
  const panel = make("section", line, meter, exporting, importing, resetting, chooser, news, make("small", word.kept));
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

// All that the reader wrote, and what was solved, as one program.
function download(blocks, edits, wheel) {
  const done = blocks.filter((block) => solved.has(block.dataset.exercise)).length;
  const exercises = blocks
    .map((block) => exported(block.dataset.exercise, edits.get(block)))
    .filter(({ code, solved }) => code || solved);
  const program = written(word.fileHead(document.title, done, blocks.length, wheel), exercises, word);
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([program], { type: "text/x-python" }));
  link.download = FILE;
  link.click();
  URL.revokeObjectURL(link.href);
}

function exported(name, edit) {
  if (!solved.has(name)) return { name, code: edit ?? "", solved: "" };
  const right = solved.get(name);
  return { name, code: edit ?? right ?? "", solved: [undefined, right].includes(edit) || right === null ? "this" : "other" };
}

// Brings back what such a file holds, and answers with what to say. All of it or nothing; what
// the reader wrote here and the file has otherwise is replaced only where the reader says so.
async function take(file, blocks, edits) {
  const found = await contents(file);
  if (!found.length) return word.otherFile(file.name, FILE);
  const names = found.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) < place);
  if (twice) return word.twice(file.name, twice);
  const places = new Map(blocks.map((block) => [block.dataset.exercise, block]));
  const unknown = names.filter((name) => !places.has(name));
  const known = found.filter(({ name }) => places.has(name));
  const others = known.filter(({ name, code }) => code && ![undefined, code].includes(edits.get(places.get(name))?.trim()));
  if (others.length && !confirm(word.replace(others.map(({ name }) => name)))) return word.notImported;

  let kept = true;
  for (const { name, code, solved: state } of known) {
    const start = places.get(name).querySelector("pre > code").textContent.trim();
    if (code) kept = edits.set(places.get(name), code === start ? undefined : code) && kept;
    if (state === "this") solved.set(name, code || null);
    if (state === "other" && !solved.has(name)) solved.set(name, "");
  }
  document.dispatchEvent(new Event("attn-exercises-imported"));
  keep();
  return word.imported(known.length, unknown) + (kept ? "" : word.notKept);
}

async function contents(file) {
  if (file.size > LARGEST) return [];
  try {
    return exercisesIn(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
  } catch {
    return []; // no text, or the file is gone
  }
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
