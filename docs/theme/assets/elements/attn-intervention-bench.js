// Two paths from one input, through its key and through its value: edit the input for both or for
// each alone, and compare four outcomes.
//
// data: {x, wk, wv, q, scale} of one head, `position` of the input that is edited, `edited`: what
// it is at first, `row`: whose output is looked at. All count from 0.

import {
  AttnElement, attention, choice, choose, decimal, define, fill, flag, html, nothing, numbers, sentences,
  shares, slider, table, tick, vector, whole,
} from "./shared.js";

const [LEAST, MOST] = [-1, 3];
const LARGEST = 99; // a denominator: keys are edited, so weights become finer than in the lesson

const WORDS = {
  zh: ZH && {
    title: "干预台：两条路径，四种结果",
    paths: "改什么",
    together: "x{p}（两条路径）",
    apart: "两条路径分开改",
    input: "x{p}",
    key: "给键用的 x{p}",
    value: "给值用的 x{p}",
    number: "第 {i} 个数",
    row: "看哪个位置的输出",
    equal: "改之前，所有位置的值都相等",
    keyNow: "键 k{p}：原来 {old}，现在 {now}",
    valueNow: "值 v{p}：原来 {old}，现在 {now}",
    weights: "位置 {row} 的权重，只随 K 变",
    oldKey: "原来、只换 V",
    newKey: "只换 K、都换",
    coordinate: "输出的第 {i} 个数",
    output: "输出",
    change: "变化",
    original: "原来",
    k: "只换 K",
    v: "只换 V",
    added: "变化相加",
    both: "都换",
    interaction: "交互",
    left: "“都换”减去“变化相加”，剩下 {product} = {left}：权重的变化，乘以值的变化。",
    none: "剩下 {left}：{what}没变，变化就可以相加。",
    kept: ["权重", "值", "权重和值"],
    unnoticed: "键 k{p} 变了，可 q{row} 给它打的分没变。",
    unmoved: "“只换 K”动了权重，输出却没变：读到的值全都一样，怎么分都是它。",
    third: "位置 {number} 自己还会经过查询 q{p} 觉察到 x{p}。这里查询不动，所以“都换”不等于改了 x{p} 再算一遍。",
    said: "都换 {both}；变化相加 {added}；交互 {left}",
  },
  en: EN && {
    title: "Intervention bench",
    paths: "edit",
    together: "x{p} (both paths)",
    apart: "each path alone",
    input: "x{p}",
    key: "x{p}, for the key",
    value: "x{p}, for the value",
    number: "number {i}",
    row: "look at the output of position",
    equal: "before the edit, all values equal",
    keyNow: "key k{p}: was {old}, now {now}",
    valueNow: "value v{p}: was {old}, now {now}",
    weights: "weights of position {row}: only K can move them",
    oldKey: "original, V only",
    newKey: "K only, both",
    coordinate: "output, number {i}",
    output: "output",
    change: "change",
    original: "original",
    k: "K only",
    v: "V only",
    added: "changes added",
    both: "both",
    interaction: "interaction",
    left: "“Both” minus “changes added” leaves {product} = {left}: change of weight times change of value.",
    none: "Left over: {left}. No change in {what}, so the changes add up.",
    kept: ["weights", "value", "weights or value"],
    unnoticed: "Key k{p} did change; the score that q{row} gives it did not.",
    unmoved: "“K only” moved the weights and not the output: every value read is the same, however it is shared out.",
    third: "Position {number} also notices x{p} through its own query q{p}. Queries stay here, so “both” is not the run with x{p} edited.",
    said: "both {both}; changes added {added}; interaction {left}",
  },
};

const minus = (one, other) => one.map((value, i) => value - other[i]);
const plus = (one, other) => one.map((value, i) => value + other[i]);
const replaced = (rows, position, row) => rows.map((old, i) => (i === position ? row : old));
const sub = (i) => "₁₂₃₄"[i];
const still = (change) => change.every((value) => Math.abs(value) < 1e-12);
const signed = (value) => {
  const text = decimal(value, 2, { trim: false });
  return value > 0 && Number(text) ? `+${text}` : text;
};

class InterventionBench extends AttnElement {
  static words = WORDS;

  fields() {
    const { x, wk, wv, edited, row } = this.data;
    this.k = attention.matmul(x, wk);
    this.v = attention.matmul(x, wv);
    return {
      paths: choice(["together", "apart"]),
      // The input that the new key comes from, and the one that the new value comes from.
      key: numbers(edited, MOST),
      value: numbers(edited, MOST),
      row: whole(0, x.length - 1, row),
      equal: flag(),
    };
  }

  // Of the position that is edited, as in x₂.
  get sub() {
    return sub(this.data.position);
  }

  // The four outcomes: each has its weights and the output of the row that is looked at.
  get ways() {
    const { key, value, row, equal } = this.state;
    const { q, wk, wv, scale, position, x } = this.data;
    const newKey = attention.matmul([key], wk)[0];
    const newValue = attention.matmul([value], wv)[0];
    const v = equal ? this.v.map(() => this.v.at(-1)) : this.v;
    const run = (keys, values) => {
      const { weights, output } = attention.trace([q[row]], keys, values, { scale });
      return { weights: weights[0], output: output[0] };
    };
    const k2 = replaced(this.k, position, newKey);
    const v2 = replaced(v, position, newValue);
    const ways = { original: run(this.k, v), k: run(k2, v), v: run(this.k, v2), both: run(k2, v2) };
    const change = minus(ways.k.output, ways.original.output);
    const added = plus(ways.v.output, change);
    return {
      ...ways,
      added: { output: added },
      left: minus(ways.both.output, added),
      weightChange: ways.both.weights[position] - ways.original.weights[position],
      keys: [this.k[position], newKey],
      values: [v[position], newValue],
    };
  }

  change(changes) {
    this.set(changes);
    const { both, added, left } = this.ways;
    const texts = [both.output, added.output, left].map((row) => vector(row));
    this.say(fill(this.word.said, { both: texts[0], added: texts[1], left: texts[2] }));
  }

  view() {
    const { word, state, data } = this;
    const ways = this.ways;
    const p = this.sub;
    const positions = data.x.map((_, i) => [i, `${i + 1}`]);
    const paths = ["together", "apart"].map((name) => [name, fill(word[name], { p })]);
    return html`
      <div class="attn-columns">
        <div>
          <div class="attn-controls">
            ${choose(this, { name: "paths", legend: word.paths, options: paths, pick: (way) => this.choosePaths(way) })}
          </div>
          ${state.paths === "together"
            ? this.sliders("input", state.key, (next) => ({ key: next, value: next }))
            : html`${this.sliders("key", state.key, (key) => ({ key }))}
                ${this.sliders("value", state.value, (value) => ({ value }))}`}
          <p class="attn-intervention-bench-now">${this.now("keyNow", ways.keys)}<br />${this.now("valueNow", ways.values)}</p>
          <div class="attn-controls">
            ${tick({ label: word.equal, value: state.equal, flip: (equal) => this.change({ equal }) })}
          </div>
        </div>
        <div>
          <div class="attn-controls">
            ${choose(this, { name: "row", legend: word.row, options: positions, pick: (row) => this.change({ row }) })}
          </div>
          ${this.weights(ways)}
          ${data.wv[0].map((_, column) => this.bars(ways, column))}
        </div>
      </div>
      <p class="attn-note">${this.remark(ways)}${state.row === data.position ? html` ${fill(word.third, { p, number: data.position + 1 })}` : nothing}</p>
    `;
  }

  // Together again, the value follows the key.
  choosePaths(paths) {
    this.change(paths === "together" ? { paths, value: this.state.key } : { paths });
  }

  // What is edited is the input of a path; the key or the value that it makes stands below.
  sliders(name, values, changes) {
    return html`<fieldset class="attn-intervention-bench-input">
      <legend class="attn-caption">${fill(this.word[name], { p: this.sub })}</legend>
      ${values.map((value, i) =>
        slider({
          label: fill(this.word.number, { i: i + 1 }), least: LEAST, most: MOST, value, text: decimal(value),
          move: (number) => this.change(changes(replaced(values, i, number))),
        }),
      )}
    </fieldset>`;
  }

  now(name, [old, now]) {
    return fill(this.word[name], { p: this.sub, old: vector(old), now: vector(now) });
  }

  weights(ways) {
    const { word, state, data } = this;
    const rows = [ways.original.weights, ways.k.weights];
    const texts = rows.map((row) => shares(row, { largest: LARGEST }));
    return table(this, {
      name: "weights",
      caption: fill(word.weights, { row: state.row + 1 }),
      rows: [word.oldKey, word.newKey],
      columns: data.x.map((_, j) => `${j + 1}`),
      cell: (i, j) => ({ text: texts[i][j], share: rows[i][j], look: j === data.position ? "chosen" : undefined }),
    });
  }

  // One number of the output, five bars and what is left over.
  bars(ways, column) {
    const { word } = this;
    const [low, high] = this.limits(ways);
    const at = (value) => (value - low) / (high - low);
    const original = ways.original.output[column];
    const bar = (name) => {
      const value = ways[name].output[column];
      const [from, to] = [Math.min(at(0), at(value)), Math.max(at(0), at(value))];
      return html`<tr class="attn-intervention-bench-${name}">
        <th scope="row">${word[name]}</th>
        <td class="attn-intervention-bench-track"><div style="--from: ${from}; --to: ${to}; --was: ${at(original)}"></div></td>
        <td>${decimal(value, 2, { trim: false })}</td>
        <td>${name === "original" ? nothing : signed(value - original)}</td>
      </tr>`;
    };
    const ends = [ways.added, ways.both].map((way) => at(way.output[column]));
    return html`<table class="attn-intervention-bench-bars">
      <caption class="attn-unseen">${fill(word.coordinate, { i: column + 1 })}</caption>
      <thead><tr><th colspan="2" scope="col">${fill(word.coordinate, { i: column + 1 })}</th><th scope="col">${word.output}</th><th scope="col">${word.change}</th></tr></thead>
      <tbody>
        ${["original", "k", "v", "added", "both"].map(bar)}
        <tr class="attn-intervention-bench-left">
          <th scope="row">${word.interaction}</th>
          <td class="attn-intervention-bench-track"><div style="--from: ${Math.min(...ends)}; --to: ${Math.max(...ends)}"></div></td>
          <td></td>
          <td>${signed(ways.left[column])}</td>
        </tr>
      </tbody>
    </table>`;
  }

  // One scale for all bars: whole numbers, so that it seldom changes.
  limits(ways) {
    const outputs = [ways.original, ways.k, ways.v, ways.added, ways.both].flatMap((way) => way.output);
    return [Math.floor(Math.min(0, ...outputs)), Math.ceil(Math.max(1, ...outputs))];
  }

  remark(ways) {
    const { word } = this;
    const left = vector(ways.left);
    const kMoved = !still(minus(ways.k.weights, ways.original.weights));
    if (kMoved && still(minus(ways.k.output, ways.original.output))) return word.unmoved;
    const valueChange = minus(ways.values[1], ways.values[0]);
    const vMoved = !still(valueChange);
    if (!kMoved || !vMoved) {
      const what = word.kept[kMoved ? 1 : vMoved ? 0 : 2];
      const unnoticed = !kMoved && !still(minus(ways.keys[1], ways.keys[0])) && word.unnoticed;
      const texts = [word.none, unnoticed].map((text) => text && fill(text, { left, what, p: this.sub, row: sub(this.state.row) }));
      return sentences(texts, this.language);
    }
    const [was, now] = shares([ways.original, ways.both].map((way) => way.weights[this.data.position]), { largest: LARGEST });
    return fill(word.left, { left, product: `(${now} − ${was}) × (${vector(ways.values[1])} − ${vector(ways.values[0])})` });
  }
}

define("intervention-bench", InterventionBench);
