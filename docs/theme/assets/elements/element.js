// What every interactive figure is: an element that takes over from a still figure.

import { html, nothing, render } from "lit-html";
import { button } from "./controls.js";
import { initial, readState, writeState } from "./state.js";

const ADDRESS_PAUSE = 250; // ms; browsers limit how often an address may change
const SPEECH_PAUSE = 400; // ms; of many changes in a row only the last is announced

const WORDS = {
  zh: { reset: "重置", scroll: "表格，可左右滚动", play: "播放", pause: "暂停" },
  en: { reset: "Reset", scroll: "Table, scrolls sideways", play: "Play", pause: "Pause" },
};

// A subclass gives (its own properties must not take the names used here, such as key, state, keep)
//   static words = {zh: ZH && {…}, en: EN && {…}}: each with `title` and whatever its view says;
//     esbuild is told which of ZH and EN holds, and leaves out the other language's words;
//   fields(): what a reader can choose, by name (see state.js); this.data is there already;
//   static beside = true, if the still figure stays and the element opens below it;
//   view(): a template of lit-html, from this.state, this.data, this.word; with this.player() in
//     it the element can go on by itself: tick() shows what comes next and answers whether there
//     is more, `wait` is the time between.
// and calls this.set({name: value}, "what to announce") when a reader chooses.
export class AttnElement extends HTMLElement {
  static beside = false;

  connectedCallback() {
    if (this.stage) return; // was moved within the page
    const still = this.querySelector("figure");
    this.data = JSON.parse(this.querySelector("script").textContent);
    this.language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
    this.word = { ...WORDS[this.language], ...this.constructor.words[this.language] };
    this.key = still.id;
    this.choices = this.fields();
    this.state = readState(this.choices, this.key);
    this.cursors = {}; // of the tables, by name: see table.js

    this.stage = document.createElement("div");
    this.stage.className = "attn-stage";
    this.stage.setAttribute("role", "group");
    this.stage.setAttribute("aria-label", this.word.title);
    this.status = document.createElement("p");
    this.status.className = "attn-status";
    this.status.setAttribute("role", "status");
    this.update();

    // The still figure stays for paper; whoever links to it finds the element in its place.
    still.removeAttribute("id");
    this.id = this.key;
    still.hidden = !this.constructor.beside;
    this.append(this.constructor.beside ? this.folded() : this.stage, this.status);
    this.watcher = new ResizeObserver(() => this.markScrollBoxes());
    this.watcher.observe(this.stage);
  }

  // The stage under a fold; open where the address holds what was chosen in it.
  folded() {
    const fold = document.createElement("details");
    fold.className = "attn-beside";
    fold.open = new URLSearchParams(location.search).has(this.key);
    const summary = document.createElement("summary");
    summary.textContent = this.word.title;
    fold.append(summary, this.stage);
    return fold;
  }

  disconnectedCallback() {
    this.pause();
  }

  update() {
    render(this.frame(), this.stage);
    this.markScrollBoxes(); // a stage that keeps its size tells the watcher nothing
  }

  frame() {
    return html`
      <div class="attn-head">
        <p class="attn-title">${this.word.title}</p>
        <button type="button" class="attn-button attn-reset" @click=${() => this.reset()}>
          ${this.word.reset}
        </button>
      </div>
      ${this.view()}
    `;
  }

  set(changes, announcement) {
    Object.assign(this.state, changes);
    this.update();
    this.keep();
    if (announcement) this.say(announcement);
  }

  // Back to the lesson.
  reset() {
    this.pause();
    this.set(initial(this.choices), this.word.reset);
  }

  // Going on by itself; a choice of the reader's own should pause it. Nothing of it is announced.

  player(look) {
    if (this.calm) return nothing;
    const toggle = () => {
      if (this.playing) this.pause();
      else {
        this.play();
        this.say(""); // what was said of a choice no longer holds
      }
      this.update();
    };
    return button(this.playing ? this.word.pause : this.word.play, toggle, look);
  }

  play() {
    this.playing = setTimeout(() => {
      if (this.tick()) this.play();
      else this.pause();
      this.update();
    }, this.wait);
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = undefined;
  }

  // Announce to a screen reader what changed away from the control that was used.
  say(text) {
    clearTimeout(this.speech);
    this.speech = setTimeout(() => (this.status.textContent = text), SPEECH_PAUSE);
  }

  // Into the address: at once, or a moment after the last time.
  keep() {
    clearTimeout(this.keeping);
    const wait = Math.max(0, (this.kept ?? 0) + ADDRESS_PAUSE - performance.now());
    const write = () => {
      this.kept = performance.now();
      writeState(this.choices, this.key, this.state);
    };
    if (wait) this.keeping = setTimeout(write, wait);
    else write();
  }

  // As attn.js does for the rest of the page: a box that scrolls can be reached, and has a name.
  markScrollBoxes() {
    for (const box of this.stage.querySelectorAll(".attn-scroll")) {
      const scrolls = box.scrollWidth > box.clientWidth;
      const attributes = { tabindex: "0", role: "group", "aria-label": this.word.scroll };
      for (const [attribute, value] of Object.entries(attributes)) {
        if (scrolls) box.setAttribute(attribute, value);
        else box.removeAttribute(attribute);
      }
    }
  }

  // Whether the reader asked for no motion.
  get calm() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }
}

export function define(name, element) {
  customElements.define(`attn-${name}`, element);
}
