// The reshape trap: a table split into heads, rightly and by a reshape alone. The reader says first
// which position a row of the wrong split comes from, then follows numbers through both.
//
// data: {x, label, splits: [{heads, right, wrong}, …], first}. `right` and `wrong` are (heads, n, d)
// tables of places in memory, counted from 0; `first` is the split to start with.

import { AttnElement, button, choose, decimal, define, fill, html, nothing, sentences, table, whole } from "./shared.js";

const NO_GUESS = -1;

const WORDS = {
  zh: ZH && {
    title: "变形的陷阱",
    heads: "切成几个头",
    head: "头 {n}",
    position: "位置 {n}",
    row: "行",
    right: "✓ 变形后换轴",
    wrong: "✗ 只变形",
    memory: "{label} 在内存里一行接一行。变形不移动数，只把这一条重新切开。",
    ask: "只变形的话，头 {head} 的第 1 行来自哪个位置？",
    guess: "先照着这一条猜，再看下面。",
    yes: "对，来自位置 {p}。",
    no: "不对，来自位置 {p}。",
    leak: "这一行却当作位置 1 来用：位置 1 从自己的行里读到了位置 {p}，因果掩码不遮自己，拦不住。",
    count: "波浪线标的是放错的，{all} 个数里有 {wrong} 个。形状是对的，所以不报错；再变形一次，又得到 {label}，这样也查不出来。",
    how: "点另一个数，看它去了哪里。",
    follow: "{number} 是位置 {p} 的数。",
    there: "{route}：头 {head} 第 {row} 行",
    good: "。",
    taken: "，被当成位置 {row} 的数。",
    cell: "头 {head}，第 {row} 行：{number}",
  },
  en: EN && {
    title: "The reshape trap",
    heads: "heads",
    head: "head {n}",
    position: "position {n}",
    row: "row",
    right: "✓ reshape, swap axes",
    wrong: "✗ reshape alone",
    memory: "In memory {label} lies row after row. A reshape moves nothing; it cuts this strip anew.",
    ask: "Reshape alone: which position is in row 1 of head {head}?",
    guess: "Guess from the strip; then see below.",
    yes: "Yes, position {p}.",
    no: "No, position {p}.",
    leak: "But it is used as the row of position 1: position 1 reads position {p} in its own row, which no causal mask hides.",
    count: "Wavy lines: {wrong} of {all} numbers misplaced. The shape is right: no error. Reshaping back gives {label} again, so that check proves nothing.",
    how: "Press another number to follow it.",
    follow: "{number} belongs to position {p}.",
    there: "{route}: head {head}, row {row}",
    good: ".",
    taken: ", taken for a number of position {row}.",
    cell: "head {head}, row {row}: {number}",
  },
};

class ReshapeTrap extends AttnElement {
  static words = WORDS;

  fields() {
    const { x, splits, first } = this.data;
    return {
      split: whole(0, splits.length - 1, first),
      guess: whole(NO_GUESS, x.length - 1, NO_GUESS),
      number: whole(0, x.flat().length - 1, splits[first].right.at(-1)[0][0]),
    };
  }

  get split() {
    return this.data.splits[this.state.split];
  }

  get answered() {
    return this.state.guess !== NO_GUESS;
  }

  positionOf(place) {
    return Math.floor(place / this.data.x[0].length);
  }

  // Where each place in memory goes: {head, row}.
  goal(route) {
    const goals = [];
    this.split[route].forEach((rows, head) => rows.forEach((row, i) => row.forEach((place) => (goals[place] = { head, row: i }))));
    return goals;
  }

  view() {
    const { word, data, state } = this;
    return html`
      ${data.splits.length > 1
        ? html`<div class="attn-controls">
            ${choose(this, {
              name: "split", legend: word.heads, options: data.splits.map(({ heads }, i) => [i, heads]),
              pick: (split) => this.set({ split, guess: NO_GUESS }),
            })}
          </div>`
        : nothing}
      ${this.memory()} ${this.question()}
      <div class="attn-columns">
        <div>${this.heads("right", `.reshape(${this.shape("right")}).swapaxes(0, 1)`)}</div>
        <div>${this.heads("wrong", `.reshape(${this.shape("wrong")})`)}</div>
      </div>
      <p class="attn-note">${this.followed(state.number)}</p>
      <p class="attn-note">${this.answered ? this.counted : word.how}</p>
    `;
  }

  shape(route) {
    const { right } = this.split;
    const [heads, n, d] = [right.length, right[0].length, right[0][0].length];
    return (route === "right" ? [n, heads, d] : [heads, n, d]).join(", ");
  }

  text(place) {
    return decimal(this.data.x.flat()[place]);
  }

  // A number in the look of its position.
  number(place, look, label) {
    const chosen = place === this.state.number;
    return {
      text: this.text(place),
      look: `${chosen ? "chosen" : "plain"} attn-reshape-trap-${this.positionOf(place)} ${look}`,
      label,
      pressed: chosen,
    };
  }

  follow(number) {
    this.set({ number }, this.followed(number));
  }

  // The heads of one split, side by side.
  heads(route, code) {
    const { word, split } = this;
    const hidden = route === "wrong" && !this.answered;
    const d = split[route][0][0].length;
    const right = split.right.flat(2);
    const at = (i, j) => split[route][Math.floor(j / d)][i][j % d];
    const order = split[route].flat(2);
    const cell = (i, j) => {
      const head = Math.floor(j / d);
      const place = at(i, j);
      const gap = j % d === 0 && j ? "attn-reshape-trap-next" : "";
      if (hidden) return { text: "?", look: `quiet ${gap}` };
      const off = right[order.indexOf(place)] === place ? "" : "attn-reshape-trap-off";
      const label = fill(word.cell, { head: head + 1, row: i + 1, number: this.text(place) });
      return this.number(place, `${gap} ${off}`, label);
    };
    return table(this, {
      name: route,
      caption: html`${word[route]}<br /><code>${code}</code>`,
      corner: word.row,
      rows: split[route][0].map((_, i) => `${i + 1}`),
      columns: right.slice(0, d * split.heads).map((_, j) => fill(word.head, { n: Math.floor(j / d) + 1 })),
      cell,
      press: hidden ? undefined : (i, j) => this.follow(at(i, j)),
    });
  }

  // The numbers as they lie, and the head that each piece goes to.
  memory() {
    const { word, data } = this;
    const d = this.split.right[0][0].length;
    const pieces = (route) => this.goal(route).filter((_, place) => place % d === 0);
    const goals = (route, mark) => html`<tr>
      <th scope="row">${mark} ${fill(word.head, { n: "" })}</th>
      ${pieces(route).map(({ head }) => html`<td colspan=${d}>${route === "wrong" && !this.answered ? "?" : head + 1}</td>`)}
    </tr>`;
    return html`
      <p class="attn-caption" id="${this.key}-memory">${fill(word.memory, { label: data.label })}</p>
      <table class="attn-reshape-trap-memory" aria-labelledby="${this.key}-memory">
        <tr>
          <td></td>
          ${data.x.map((row, i) => html`<td colspan=${row.length}>${fill(word.position, { n: i + 1 })}</td>`)}
        </tr>
        <tr>
          <th scope="row">${data.label}</th>
          ${data.x.flat().map(
            (_, place) => html`<td class="attn-reshape-trap-${this.positionOf(place)} ${place === this.state.number ? "attn-cell-chosen" : ""}">
              ${this.text(place)}
            </td>`,
          )}
        </tr>
        ${goals("right", "✓")} ${goals("wrong", "✗")}
      </table>
    `;
  }

  question() {
    const { word, data } = this;
    return html`
      <div role="group" aria-labelledby="${this.key}-ask">
        <p id="${this.key}-ask">${fill(word.ask, { head: this.split.heads })}</p>
        <div class="attn-controls">
          ${data.x.map((_, guess) =>
            button(fill(word.position, { n: guess + 1 }), () => this.set({ guess }, this.verdict(guess)), {
              pressed: guess === this.state.guess,
            }),
          )}
        </div>
        <p class="attn-note">${this.answered ? this.verdict(this.state.guess) : word.guess}</p>
      </div>
    `;
  }

  // What is in row 1 of the last head is always a later position.
  verdict(guess) {
    const { word, language } = this;
    const position = this.positionOf(this.split.wrong.at(-1)[0][0]);
    const told = { p: position + 1 };
    return sentences([fill(guess === position ? word.yes : word.no, told), fill(word.leak, told)], language);
  }

  get counted() {
    const [right, wrong] = [this.split.right.flat(2), this.split.wrong.flat(2)];
    const misplaced = right.filter((place, i) => place !== wrong[i]).length;
    return fill(this.word.count, { wrong: misplaced, all: right.length, label: this.data.label });
  }

  // One number through both routes.
  followed(number) {
    const { word, language } = this;
    const position = this.positionOf(number);
    const routes = this.answered ? ["right", "wrong"] : ["right"];
    const ends = routes.map((route) => {
      const { head, row } = this.goal(route)[number];
      const end = row === position ? word.good : fill(word.taken, { row: row + 1 });
      return fill(word.there, { route: word[route], head: head + 1, row: row + 1 }) + end;
    });
    return sentences([fill(word.follow, { number: this.text(number), p: position + 1 }), ...ends], language);
  }
}

define("reshape-trap", ReshapeTrap);
