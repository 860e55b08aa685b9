// An exercise as an editor with its starting code. Check hands the reader's function to
// `attn.exercises.check`; the hints below come one at a time.

import { WORDS } from "./exercise-words.js";
import { markSolved } from "./solved.js";
import { Snippet, button, drawn, language, open, original, output } from "./snippet.js";
import { WORDS as SNIPPET } from "./words.js";

const word = WORDS[language];

export default function openExercise(block, page) {
  open(block, page, Exercise).editor.focus();
}

document.addEventListener("attn-exercises-reset", () => {
  for (const exercise of opened) exercise.reset();
});
document.addEventListener("attn-exercises-imported", () => {
  for (const exercise of opened) exercise.follow();
});
const opened = new Set();

class Exercise extends Snippet {
  get verb() {
    return word.check;
  }

  get help() {
    return word.help;
  }

  build() {
    super.build();
    opened.add(this);
    this.hints = following(this.block, "details.tip");
    this.seen = new Set(this.hints.filter((hint) => hint.open));
    for (const hint of this.hints) hint.addEventListener("toggle", this);
    this.hintButton = button(word.hint, () => this.openHint());
    this.stopButton.after(this.hintButton);
    this.arrange();
  }

  // What is kept of the code has changed.
  follow() {
    const code = this.edits.get(this.block) ?? original(this.block).trimEnd();
    if (code !== this.editor.code) this.editor.code = code;
  }

  // A hint was opened or closed.
  handleEvent({ target }) {
    if (target.open) this.seen.add(target);
    this.arrange();
  }

  // Each hint is there once the one before it has been opened.
  arrange() {
    const next = this.hints.findIndex((hint) => !this.seen.has(hint));
    this.hints.forEach((hint, place) => hint.classList.toggle("attn-away", next >= 0 && place > next));
    this.hintButton.hidden = next < 0;
  }

  openHint() {
    const hint = this.hints.find((hint) => !this.seen.has(hint));
    hint.open = true;
    hint.querySelector("summary").focus();
  }

  get options() {
    const { exercise, function: given } = this.block.dataset;
    return { exercise, function: given };
  }

  hear() {} // what the check prints is for `showResults`

  showResults([own, check]) {
    this.takePlace();
    // The call at the end of the code has printed the same.
    const printed = check && !check.error ? own.stdout.replace(check.stdout, "") : own.stdout;
    if (printed.trim()) this.print(null, printed);
    if (own.stderr) this.result.append(output(SNIPPET[language].warnings, own.stderr));
    for (const figure of own.figures ?? []) this.result.append(drawn(figure));
    const error = own.error ?? check.error;
    if (error) this.fail(error, 0);
    else if (typeof check.solved === "boolean") this.showAnswer(check.solved, check.stdout);
    else this.status.textContent = word.noFunction(this.block.dataset.function);
  }

  showAnswer(solved, text) {
    this.status.textContent = solved ? word.solved : word.notYet;
    const box = output(word.answer, text.trimEnd());
    box.classList.add(solved ? "attn-right" : "attn-wrong");
    this.result.append(box);
    if (solved) markSolved(this.block.dataset.exercise, this.ran.at(-1));
  }

  close() {
    opened.delete(this);
    for (const hint of this.hints) {
      hint.removeEventListener("toggle", this);
      hint.classList.remove("attn-away");
    }
    super.close();
  }
}

// What matches between the block and the next heading.
function following(block, selector) {
  const found = [];
  for (let next = block.nextElementSibling; next && !/^H\d$/.test(next.tagName); next = next.nextElementSibling) {
    if (next.matches(selector)) found.push(next);
  }
  return found;
}
