// One whole run of attention, a table at a time. Edit one number of the input, and see which
// numbers change on the way and which do not.
//
// data: {labels, x, wq, wk, wv, scale} of one head that reads its own positions; `row`: the query
// that is looked at first.

import {
  AttnElement, attention, button, choose, decimal, define, fill, html, slider, table, whole,
} from "./shared.js";

const STEPS = ["x", "scores", "scaled", "weights", "output"];
const MIDDLE = 20; // of the slider: the number as it is in the lesson; a step is a tenth
const SAME = 1e-9;

const WORDS = {
  zh: ZH && {
    title: "一步一步走完一次注意力",
    step: "哪一张表",
    x: "0 输入",
    scores: "1 得分",
    scaled: "2 缩放",
    weights: "3 权重",
    output: "4 输出",
    next: "下一步",
    again: "从头再来",
    xCaption: "输入 X。点一格，再用下面的滑块改它。",
    scoresCaption: "得分 QKᵀ。行是查询，列是键；点一格，看它怎么来。",
    scaledCaption: "缩放后的得分 QKᵀ ÷ √d",
    weightsCaption: "权重（%），每一行加起来是 100",
    outputCaption: "输出：权重 × V",
    xSaid: "“{i}”的第 {j} 个数是 {value}。三个矩阵从这一行算出“{i}”的查询、键和值。",
    scoresSaid: "“{i}”问“{j}”：q = {q}，k = {k}，对应相乘再相加，约 {value}。",
    scaledSaid: "“{i}”问“{j}”：{score} ÷ √{d} ≈ {value}。",
    weightsSaid: "“{i}”读“{j}”：e 的 {scaled} 次方约 {power}，这一行加起来约 {total}，{power} ÷ {total} ≈ {value}%。",
    outputSaid: "“{i}”输出的第 {j} 个数：{terms} ≈ {value}。",
    edit: "改“{i}”的第 {j} 个数",
    number: "它的值",
    was: "原来是 {was}",
    changed: "改了以后，变了多少个数（格角有黑三角，有的变得太少，显示不出）：",
    untouched: "还没有改。先猜一猜：改动输入的一个数，{count} 个得分里会变几个？权重呢？",
    why: "输入变了，Q、K、V 里只有“{i}”那一行会变，所以得分只变它的一行和一列。可 softmax 一行一除，每一行的权重都跟着变。矩阵 W 一个数也没变。",
    marked: "变了",
    said: "{step}：{text}",
  },
  en: EN && {
    title: "One run, a step at a time",
    step: "which table",
    x: "0 input",
    scores: "1 scores",
    scaled: "2 scaled",
    weights: "3 weights",
    output: "4 output",
    next: "next step",
    again: "start again",
    xCaption: "input X: press a cell, then move it with the slider below",
    scoresCaption: "scores QKᵀ: rows are queries, columns keys; press a cell to see where it comes from",
    scaledCaption: "scaled scores QKᵀ ÷ √d",
    weightsCaption: "weights in per cent; each row adds up to 100",
    outputCaption: "output: weights × V",
    xSaid: "Number {j} of {i} is {value}. Out of this row the three matrices make the query, the key and the value of {i}.",
    scoresSaid: "{i} asks {j}: q = {q}, k = {k}; multiplied one by one and added up, about {value}.",
    scaledSaid: "{i} asks {j}: {score} ÷ √{d} ≈ {value}.",
    weightsSaid: "{i} reads {j}: e to the power {scaled} is about {power}, the row adds up to about {total}, {power} ÷ {total} ≈ {value}%.",
    outputSaid: "output of {i}, number {j}: {terms} ≈ {value}.",
    edit: "edit number {j} of {i}",
    number: "its value",
    was: "was {was}",
    changed: "How many numbers changed (black corner; some by less than is shown):",
    untouched: "Nothing is edited yet. Guess first: if one number of the input changes, how many of the {count} scores do? How many weights?",
    why: "Of Q, K and V only the row of {i} changes, so only its row and its column of scores do. But softmax divides by a whole row, so every row of weights moves. The matrices W stay as they are.",
    marked: "changed",
    said: "{step}: {text}",
  },
};

class Machine extends AttnElement {
  static words = WORDS;

  fields() {
    const { x, labels, row } = this.data;
    this.width = x[0].length;
    this.lesson = this.run(x);
    const most = this.lesson.weights[row].indexOf(Math.max(...this.lesson.weights[row]));
    const widest = Math.max(labels.length, this.width, this.lesson.output[0].length);
    return {
      step: whole(0, STEPS.length - 1, 1),
      row: whole(0, labels.length - 1, row),
      column: whole(0, widest - 1, most),
      at: whole(0, labels.length * this.width - 1, most * this.width),
      slide: whole(0, 2 * MIDDLE, MIDDLE),
    };
  }

  run(x) {
    const { wq, wk, wv, scale } = this.data;
    const [q, k, v] = [wq, wk, wv].map((matrix) => attention.matmul(x, matrix));
    return { x, ...attention.trace(q, k, v, { scale }) };
  }

  // Which number of the input is edited.
  get edited() {
    return [Math.floor(this.state.at / this.width), this.state.at % this.width];
  }

  get now() {
    const [i, j] = this.edited;
    const x = this.data.x.map((row) => [...row]);
    x[i][j] += (this.state.slide - MIDDLE) / 10;
    return this.run(x);
  }

  view() {
    const { word, state } = this;
    const now = this.now;
    const name = STEPS[state.step];
    const options = STEPS.map((step, i) => [i, word[step]]);
    const last = state.step === STEPS.length - 1;
    return html`
      <div class="attn-controls">
        ${choose(this, { name: "step", legend: word.step, options, pick: (step) => this.go(step) })}
        ${button(last ? word.again : word.next, () => this.go(last ? 0 : state.step + 1), { primary: true })}
      </div>
      ${this.grid(name, now)}
      <p class="attn-note attn-machine-said">${this.explain(name, now)}</p>
      ${this.editor(now)}
      <div class="attn-note attn-machine-count">${this.count(now)}</div>
    `;
  }

  go(step) {
    this.set({ step });
    this.tell();
  }

  tell() {
    const name = STEPS[this.state.step];
    this.say(fill(this.word.said, { step: this.word[name], text: this.explain(name, this.now) }));
  }

  // The cell that is looked at: in the input, the one that is edited.
  cellOf(name, now) {
    if (name === "x") return this.edited;
    return [this.state.row, Math.min(this.state.column, now[name][0].length - 1)];
  }

  press(name, row, column) {
    this.set(name === "x" ? { at: row * this.width + column, slide: MIDDLE } : { row, column });
    this.tell();
  }

  grid(name, now) {
    const { word, state, data } = this;
    const values = now[name];
    const largest = name === "weights" ? 1 : Math.max(...values.flat().map(Math.abs));
    const [row, column] = this.cellOf(name, now);
    const byPosition = values[0].length === data.labels.length && !["x", "output"].includes(name);
    const columns = byPosition ? data.labels : values[0].map((_, j) => `${j + 1}`);
    const cell = (i, j) => {
      const text = this.text(name, values[i][j]);
      const changed = this.isChanged(name, now, i, j);
      const looks = [
        i === row && j === column ? "chosen" : "plain",
        values[i][j] < 0 ? "attn-cell-below" : "",
        i === state.row && name !== "x" ? "attn-machine-row" : "",
        changed ? "attn-machine-changed" : "",
      ];
      return {
        text,
        share: Math.abs(values[i][j]) / largest,
        look: looks.filter(Boolean).join(" "),
        label: `${data.labels[i]}, ${columns[j]}: ${text}${changed ? `, ${word.marked}` : ""}`,
        pressed: i === row && j === column,
      };
    };
    return html`<div class="attn-machine-table">
      ${table(this, {
        name: "step", caption: word[`${name}Caption`], rows: data.labels, columns, cell,
        press: (i, j) => this.press(name, i, j),
      })}
    </div>`;
  }

  text(name, value) {
    return name === "weights" ? decimal(100 * value, 1, { trim: false }) : decimal(value, 2, { trim: false });
  }

  isChanged(name, now, i, j) {
    return Math.abs(now[name][i][j] - this.lesson[name][i][j]) > SAME;
  }

  // Where the cell that is looked at comes from.
  explain(name, now) {
    const { labels } = this.data;
    const [i, j] = this.cellOf(name, now);
    const two = (value) => decimal(value, 2, { trim: false });
    const bracketed = (value) => (value < 0 ? `(${two(value)})` : two(value));
    const list = (values) => `[${values.map(two).join(", ")}]`;
    const powers = now.scaled[i].map(Math.exp);
    const byNumber = name === "x" || name === "output";
    return fill(this.word[`${name}Said`], {
      i: labels[i],
      j: byNumber ? j + 1 : labels[j],
      value: this.text(name, now[name][i][j]),
      d: now.q[0].length,
      ...(byNumber ? {} : { q: list(now.q[i]), k: list(now.k[j]), score: two(now.scores[i][j]) }),
      ...(byNumber ? {} : { scaled: decimal(now.scaled[i][j], 3), power: two(powers[j]) }),
      total: two(attention.sum(powers)),
      terms: name === "output"
        ? now.weights[i].map((weight, p) => `${this.text("weights", weight)}% × ${bracketed(now.v[p][j])}`).join(" + ")
        : "",
    });
  }

  editor(now) {
    const { word, state, data } = this;
    const [i, j] = this.edited;
    const value = this.text("x", now.x[i][j]);
    const positions = data.labels.map((label, p) => [p, label]);
    return html`
      <div class="attn-controls">
        ${choose(this, {
          name: "word", legend: fill(word.edit, { i: data.labels[i], j: j + 1 }), options: positions, value: i,
          pick: (p) => this.set({ at: p * this.width + j, slide: MIDDLE }),
        })}
        ${slider({
          label: word.number, least: 0, most: 2 * MIDDLE, value: state.slide,
          text: state.slide === MIDDLE ? value : `${value} (${fill(word.was, { was: this.text("x", data.x[i][j]) })})`,
          move: (slide) => this.move(slide),
        })}
      </div>
    `;
  }

  move(slide) {
    this.set({ slide });
    this.say(slide !== MIDDLE ? `${this.word.changed} ${this.counts(this.now).join(", ")}` : this.untouched());
  }

  untouched() {
    return fill(this.word.untouched, { count: this.data.x.length ** 2 });
  }

  counts(now) {
    const { word } = this;
    const of = (name) => {
      const all = now[name].flatMap((row, i) => row.map((_, j) => this.isChanged(name, now, i, j)));
      return `${all.filter(Boolean).length}/${all.length}`;
    };
    const matrices = ["wq", "wk", "wv"].map((name) => this.data[name].flat().length);
    return [
      `X ${of("x")}`, `Q ${of("q")}`, `K ${of("k")}`, `V ${of("v")}`,
      ...STEPS.slice(1).map((name) => `${word[name].slice(2)} ${of(name)}`),
      `W 0/${attention.sum(matrices)}`,
    ];
  }

  count(now) {
    const { word, state, data } = this;
    const why = fill(word.why, { i: data.labels[this.edited[0]] });
    return html`<p>${word.changed} ${this.counts(now).map((text) => html`<span>${text}</span> `)}</p>
      <p>${state.slide === MIDDLE ? this.untouched() : why}</p>`;
  }
}

define("machine", Machine);
