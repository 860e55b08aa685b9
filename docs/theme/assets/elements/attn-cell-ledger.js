// Every table of one head. A cell shows what it is made of: the row and the column light up, and the
// sum of products unfolds.
//
// data: {x, wq, wk, wv, scale} of one head that reads its own positions; `row`: the row of the output
// that is looked at first.

import { AttnElement, attention, choice, decimal, define, fill, html, number, table, whole } from "./shared.js";

const RESULTS = ["q", "k", "v", "scaled", "weights", "output"];

const WORDS = {
  zh: ZH && {
    title: "逐格拆开，看每个数怎么来",
    x: html`输入 <i>X</i>`,
    wq: html`<i>W<sub>Q</sub></i>`,
    wk: html`<i>W<sub>K</sub></i>`,
    wv: html`<i>W<sub>V</sub></i>`,
    q: html`查询 <i>Q</i> = <i>XW<sub>Q</sub></i>`,
    k: html`键 <i>K</i> = <i>XW<sub>K</sub></i>`,
    v: html`值 <i>V</i> = <i>XW<sub>V</sub></i>`,
    scaled: html`缩放后 <i>QK</i>ᵀ ÷ √<i>d</i>`,
    weights: html`权重 = softmax`,
    output: html`输出 = 权重 × <i>V</i>`,
    names: { q: "查询", k: "键", v: "值", output: "输出" },
    vector: "{name} {i} 的第 {j} 个数",
    pair: { scaled: "查询 {i} 对键 {j} 的得分（缩放后）", weights: "位置 {i} 读位置 {j} 的权重" },
    how: "在 Q 到输出的表里点一格，或移到它上面：它用到的那一行、那一列会亮起来。（exp 和 ln：exp(ln 2) = 2，见第 04 章。）",
  },
  en: EN && {
    title: "Take it apart, cell by cell",
    x: html`input <i>X</i>`,
    wq: html`<i>W<sub>Q</sub></i>`,
    wk: html`<i>W<sub>K</sub></i>`,
    wv: html`<i>W<sub>V</sub></i>`,
    q: html`queries <i>Q</i> = <i>XW<sub>Q</sub></i>`,
    k: html`keys <i>K</i> = <i>XW<sub>K</sub></i>`,
    v: html`values <i>V</i> = <i>XW<sub>V</sub></i>`,
    scaled: html`scaled <i>QK</i>ᵀ ÷ √<i>d</i>`,
    weights: html`weights = softmax`,
    output: html`output = weights × <i>V</i>`,
    names: { q: "query", k: "key", v: "value", output: "output" },
    vector: "{name} {i}, number {j}",
    pair: { scaled: "scaled score of query {i} for key {j}", weights: "weight of position {j} in row {i}" },
    how: "Press a cell in any table from Q on, or move onto it: the row and the column that it uses light up. (exp and ln: exp(ln 2) = 2, see chapter 04.)",
  },
};

const bracketed = (value) => (value < 0 ? `(${number(value)})` : number(value));
const products = (one, other) => one.map((value, i) => `${bracketed(value)} × ${bracketed(other[i])}`).join(" + ");
const column = (rows, j) => rows.map((row) => row[j]);

// "3 ln 2" where it is one, else the number.
function logarithm(value) {
  const twos = Math.round(value / Math.LN2);
  if (twos === 0 || Math.abs(twos * Math.LN2 - value) > 1e-12) return number(value);
  return twos === 1 ? "ln 2" : `${number(twos)} ln 2`;
}

class CellLedger extends AttnElement {
  static words = WORDS;
  static beside = true; // the still figure shows how the tables follow from each other

  fields() {
    const { x, wq, wk, wv, scale, row } = this.data;
    const [q, k, v] = [wq, wk, wv].map((matrix) => attention.matmul(x, matrix));
    this.tables = { x, wq, wk, wv, ...attention.trace(q, k, v, { scale }) };
    const most = Math.max(x.length, v[0].length, q[0].length) - 1;
    return { of: choice(RESULTS, "output"), row: whole(0, x.length - 1, row), column: whole(0, most, 0) };
  }

  // The cell with the pointer or the focus, else the one that was pressed.
  get shown() {
    const name = RESULTS.find((result) => this.cursors[result]?.lit);
    if (name) return { of: name, ...this.cursors[name] };
    const { of, row, column: last } = this.state;
    // A row of one table is longer than that of another.
    return { of, row, column: Math.min(last, this.tables[of][0].length - 1) };
  }

  view() {
    const { word } = this;
    const { of, row, column: j } = this.shown;
    return html`
      <p class="attn-soft">${word.how}</p>
      <div class="attn-cell-ledger-tables">
        ${["x", "wq", "wk", "wv"].map((name) => this.grid(name))}
      </div>
      <div class="attn-cell-ledger-tables">${["q", "k", "v"].map((name) => this.grid(name))}</div>
      <div class="attn-cell-ledger-tables">${["scaled", "weights", "output"].map((name) => this.grid(name))}</div>
      <p class="attn-note attn-cell-ledger-sum">${this.unfold(of, row, j)}</p>
    `;
  }

  // Which cells a cell is made of: [table, row, column]; a star stands for every one.
  sources({ of, row, column: j }) {
    const projected = (matrix) => [["x", row, "*"], [matrix, "*", j]];
    return {
      q: projected("wq"),
      k: projected("wk"),
      v: projected("wv"),
      scaled: [["q", row, "*"], ["k", j, "*"]],
      weights: [["scaled", row, "*"]],
      output: [["weights", row, "*"], ["v", "*", j]],
    }[of];
  }

  grid(name) {
    const { word, shown } = this;
    const values = this.tables[name];
    const sources = this.sources(shown).filter(([source]) => source === name);
    const used = (i, j) => sources.some(([, row, at]) => (row === "*" || row === i) && (at === "*" || at === j));
    const isResult = RESULTS.includes(name);
    const cell = (i, j) => {
      const here = name === shown.of && i === shown.row && j === shown.column;
      return {
        text: number(values[i][j]),
        share: name === "weights" ? values[i][j] : 0.2,
        look: here ? "chosen" : used(i, j) ? "plain attn-cell-ledger-used" : undefined,
        label: isResult ? this.unfold(name, i, j) : undefined,
        pressed: isResult ? here : undefined,
      };
    };
    return html`<div class="attn-cell-ledger-${name}">
      ${table(this, {
        name, caption: html`${word[name]} <span>${values.length}×${values[0].length}</span>`,
        rows: values.map((_, i) => `${i + 1}`), columns: values[0].map((_, j) => `${j + 1}`), cell,
        press: isResult ? (i, j) => this.set({ of: name, row: i, column: j }) : undefined,
      })}
    </div>`;
  }

  // "output 3, number 1: 1/4 × 2 + 1/4 × 0 + 1/2 × 2 = 3/2"
  unfold(name, i, j) {
    const { word, tables } = this;
    const template = word.pair[name] ?? word.vector;
    const what = fill(template, { name: word.names[name], i: i + 1, j: j + 1 });
    return `${what}${this.language === "zh" ? "：" : ": "}${this.sum(name, i, j)} = ${this.value(name, tables[name][i][j])}`;
  }

  // "3/2 = 1.5", "4/7 ≈ 0.57", "3 ln 2 ≈ 2.08", "2".
  value(name, value) {
    const exact = name === "scaled" ? logarithm(value) : number(value);
    const rounded = decimal(value);
    if (exact === rounded) return exact;
    return `${exact} ${Math.abs(Math.round(100 * value) / 100 - value) < 1e-12 ? "=" : "≈"} ${rounded}`;
  }

  sum(name, i, j) {
    const { x, wq, wk, wv, q, k, v, scores, scaled, weights } = this.tables;
    const matrix = { q: wq, k: wk, v: wv }[name];
    if (matrix) return products(x[i], column(matrix, j));
    if (name === "output") return products(weights[i], column(v, j));
    if (name === "scaled") return `(${products(q[i], k[j])}) ÷ √${q[0].length} = ${number(scores[i][j])} ÷ ${number(Math.sqrt(q[0].length))}`;
    const powers = scaled[i].map((score) => number(Math.exp(score)));
    const raised = scaled[i].map((score) => `exp(${logarithm(score)})`);
    return `${raised[j]} ÷ (${raised.join(" + ")}) = ${powers[j]} ÷ (${powers.join(" + ")})`;
  }
}

define("cell-ledger", CellLedger);
