// A block of the page as an editor in its place, with what it prints and draws below.

import { openEditor } from "./editor.js";
import { hintFor } from "./hints.js";
import { Runner } from "./runner.js";
import { WORDS } from "./words.js";

export const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const word = WORDS[language];
const snippets = new Map(); // by block; those that are open
let runner;
let count = 0;
let warned = false; // that edits are not kept

// Opens the block (where it is not open yet) and runs it. blocks: all of the page, in order.
// edits: see edits.js. addresses: what Runner wants.
export default function openSnippet(block, page) {
  const snippet = open(block, page, Snippet);
  snippet.run();
  // On a phone, the keyboard would cover what the run prints.
  if (matchMedia("(pointer: coarse)").matches) snippet.leave();
  else snippet.editor.focus();
}

// The same, without a run. Kind: Snippet, or a class made from it.
export function open(block, { blocks, edits, addresses }, Kind) {
  if (!runner) {
    runner = new Runner(addresses);
    edits.watch(() => snippets.forEach((snippet) => snippet.explain()));
  }
  const snippet = snippets.get(block) ?? new Kind(block, chain(block, blocks), edits);
  snippets.set(block, snippet);
  return snippet;
}

// The block and all that it continues, as the build runs them.
function chain(block, blocks) {
  const end = blocks.indexOf(block);
  let start = end;
  while (start > 0 && blocks[start].classList.contains("attn-cont")) start -= 1;
  return blocks.slice(start, end + 1);
}

export const original = (block) => block.querySelector("pre > code").textContent;

export class Snippet {
  constructor(block, chain, edits) {
    this.block = block;
    this.chain = chain;
    this.edits = edits;
    this.running = null;
    this.build();
    this.block.querySelector("pre").classList.add("attn-away");
    this.block.append(this.panel);
    this.editor = openEditor(this.place, {
      code: this.code(block).trimEnd(),
      label: word.editor,
      describedBy: this.hint.id,
      onRun: () => this.run(),
      onLeave: () => this.leave(),
      onChange: (code) => this.keep(code),
    });
  }

  // What the button that runs says.
  get verb() {
    return word.run;
  }

  get help() {
    const above = this.chain.slice(0, -1);
    const edited = above.some((block) => this.edits.has(block));
    return (above.length ? [word.hintAfter(above.length, edited), word.hint] : [word.hint]).join(language === "zh" ? "" : " ");
  }

  explain() {
    if (this.hint.textContent !== this.help) this.hint.textContent = this.help;
  }

  build() {
    this.place = make("div", "attn-live-editor");
    this.runButton = button(this.verb, () => this.run(), "attn-live-primary");
    this.stopButton = button(word.stop, () => this.running?.stop(), "attn-live-primary");
    this.stopButton.hidden = true;
    this.bar = make("div", "attn-live-bar", [
      this.runButton,
      this.stopButton,
      button(word.reset, () => this.reset()),
      button(word.copy, () => this.copy()),
      button(word.close, () => this.close()),
    ]);
    this.hint = make("p", "attn-live-hint", [this.help]);
    this.hint.id = `attn-live-${++count}`;
    this.status = make("p", "attn-live-status");
    this.status.setAttribute("role", "status");
    this.meter = make("progress");
    this.meter.setAttribute("aria-label", word.download);
    this.bytes = make("span");
    this.progress = make("p", "attn-live-progress", [this.meter, this.bytes]);
    this.progress.hidden = true;
    this.result = make("div", "attn-live-result");
    this.panel = make("div", "attn-live", [
      this.place,
      this.bar,
      this.status,
      this.progress,
      this.hint,
      this.result,
    ]);
  }

  // What stands in the block now, changed by the reader or not.
  code(block) {
    return snippets.get(block)?.editor.code ?? this.edits.get(block) ?? original(block);
  }

  codes() {
    return this.chain.map((block) => (block === this.block ? this.editor.code : this.code(block)));
  }

  // For the runner, besides the code.
  get options() {
    return {};
  }

  keep(code) {
    const kept = this.edits.set(this.block, code === original(this.block).trimEnd() ? undefined : code);
    if (kept || warned) return;
    warned = true;
    this.status.textContent = word.notKept;
  }

  leave() {
    (this.running ? this.stopButton : this.runButton).focus();
  }

  async run() {
    if (this.running) return;
    this.forget();
    let began = 0;
    this.ran = this.codes(); // they may be changed while they run
    this.running = runner.run(this.ran, {
      language,
      ...this.options,
      onOutput: (text) => this.hear(text),
      onProgress: (progress) => {
        if (progress.phase === "run") began = performance.now();
        this.tell(progress);
      },
    });
    this.show(true);
    const answer = await this.running;
    this.running = null;
    this.show(false);
    this.progress.hidden = true;
    this.finish(answer, (performance.now() - began) / 1000);
  }

  show(running) {
    const focused = [this.runButton, this.stopButton].includes(document.activeElement);
    this.runButton.textContent = this.verb;
    this.runButton.hidden = running;
    this.stopButton.hidden = !running;
    if (focused) this.leave(); // what is hidden loses the focus
  }

  // The words change with the phase only: a screen reader says each once.
  tell({ phase, loaded = 0, total = 0 }) {
    const complete = total > 0 && loaded >= total;
    const text = complete ? word.start : { ...word, run: word.running }[phase];
    if (this.status.textContent !== text) this.status.textContent = text;
    this.progress.hidden = !loaded || complete;
    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
    this.bytes.textContent = word.bytes(megabytes(loaded), total && megabytes(total));
    if (total) this.meter.max = total;
    if (total) this.meter.value = loaded;
    else this.meter.removeAttribute("value");
  }

  finish({ results, stopped, failed }, seconds) {
    if (stopped) {
      this.status.textContent = word.stopped;
    } else if (failed) {
      this.status.textContent = failureOf(failed);
      if (!failed.crashed) this.runButton.textContent = word.retry;
    } else {
      this.showResults(results, seconds);
    }
  }

  showResults(results, seconds) {
    const last = results.at(-1);
    const above = results.length < this.chain.length ? results.length : 0;
    this.takePlace();
    if (!above && last.stdout) this.print(null, last.stdout);
    const warnings = results.map((result) => result.stderr).join("");
    if (warnings) this.result.append(output(word.warnings, warnings));
    for (const figure of (!above && last.figures) || []) this.result.append(drawn(figure, this.result));
    if (last.error) {
      this.fail(last.error, above);
    } else {
      const silent = !last.stdout && !last.figures.length;
      this.status.textContent = silent ? word.silent : word.done(seconds.toFixed(2));
    }
  }

  // above: the number of the block of the chain that failed, 0 for this one.
  fail(error, above) {
    const { kind, message, line, drawing } = error;
    let where = drawing ? word.notDrawn : line ? word.error(line) : word.someError;
    if (above) where = line ? word.errorAbove(above, line) : word.above(above, where);
    const what = message ? `${kind}: ${message}` : kind;
    this.status.replaceChildren(above ? to(this.chain[above - 1], where) : where, `${word.colon}${what}`);
    const hint = hintFor(error, this.ran[above ? above - 1 : this.ran.length - 1], word);
    if (hint) this.status.append(" ", make("span", "attn-live-help", [hint]));
    this.status.classList.add("attn-live-error");
    const trace = make("pre", "", [error.trace]);
    this.result.append(make("details", "attn-live-trace", [make("summary", "", [word.trace]), trace]));
    if (!above && line) this.editor.markLine(line);
  }

  hear(text) {
    this.print(text);
  }

  // `text` goes on; `whole`, where it is all there, replaces it.
  print(text, whole) {
    this.takePlace();
    this.printed ??= this.result.appendChild(output(word.output, ""));
    const pre = this.printed.querySelector("code");
    pre.textContent = whole ?? pre.textContent + text;
  }

  forget() {
    this.printed = null;
    this.status.classList.remove("attn-live-error");
    this.result.replaceChildren();
    this.editor.unmark();
  }

  // The output and the figures that the page recorded give way to the reader's own.
  recorded() {
    const found = [];
    for (let next = this.block.nextElementSibling; next; next = next.nextElementSibling) {
      if (!next.matches(".attn-output, .attn-figure") && !next.localName.startsWith("attn-")) break;
      found.push(next);
    }
    return found;
  }

  takePlace() {
    for (const element of this.recorded()) element.classList.add("attn-away");
  }

  giveBack() {
    for (const element of this.recorded()) element.classList.remove("attn-away");
  }

  async reset() {
    this.running?.stop();
    await this.running; // its last words come first
    runner.renew(); // what the code changed inside Python goes too
    const mine = this.editor.code;
    this.editor.code = original(this.block).trimEnd();
    this.forget();
    this.giveBack();
    this.status.textContent = word.restored;
    // A phone has no Ctrl-Z, and Reset stands beside Run.
    if (mine !== this.editor.code) this.status.append(" ", button(word.undo, () => this.undo(mine)));
  }

  undo(mine) {
    this.editor.code = mine;
    this.status.textContent = "";
    this.leave();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(`${this.codes().map((code) => code.trimEnd()).join("\n")}\n`);
      this.status.textContent = word.copied;
    } catch {
      this.status.textContent = word.notCopied;
    }
  }

  close() {
    this.running?.stop();
    this.editor.close();
    this.panel.remove();
    this.giveBack();
    snippets.delete(this.block);
    this.block.querySelector("pre").classList.remove("attn-away");
    this.block.querySelector(".attn-run").focus();
  }
}

function failureOf({ file, message, crashed }) {
  if (file) return word.missing(file);
  return crashed ? word.crashed : word.failed(message);
}

// A link to a block.
function to(block, text) {
  block.id ||= `attn-block-${++count}`;
  const link = make("a", "", [text]);
  link.href = `#${block.id}`;
  return link;
}

export function make(name, className = "", children = []) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

export function button(text, press, className = "") {
  const element = make("button", `attn-live-button ${className}`.trim(), [text]);
  element.type = "button";
  element.addEventListener("click", press);
  return element;
}

export function output(label, text) {
  const pre = make("pre", "", [make("code", "", [text])]);
  return make("div", "highlight attn-live-output", [make("p", "attn-live-label", [label]), pre]);
}

// As the page shows figures: inside its interactive element, where the page has that one.
export function drawn({ svg, element, data }) {
  const still = make("figure", "attn-figure");
  still.innerHTML = svg;
  still.id = still.firstElementChild.id || `attn-live-${++count}`;
  if (!element || !customElements.get(`attn-${element}`)) return still;
  const script = make("script", "", [data]);
  script.type = "application/json";
  return make(`attn-${element}`, "", [still, script]);
}
