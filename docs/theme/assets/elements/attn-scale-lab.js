// The √d laboratory: a width, a random sample, and what three scales make of it.
//
// data: {d, faded?}: the width to start with; with `faded`, the way back is measured too, and
// `faded` is the norm of a Jacobian below which a row counts as faded.

import { AttnElement, button, decimal, define, fill, html, nothing, percent, sentences, slider, table, whole } from "./shared.js";
import { measureGradients, measureWeights, SCALES } from "./lab.js";

const MOST_DOUBLINGS = 9; // d = 512
const MOST_SEEDS = 999;
const FEW = 0.05; // of the rows
const UNEVEN = 2; // times the share that the loudest have under ÷√d
const NARROW = 2; // up to this d gradients are uneven under every scale
const NO_GUESS = -1;
const ALIKE = 0.2; // a change that counts as none
const PAUSE = 120; // ms without a change before a sample is drawn: at d = 512 that takes a while

const WORDS = {
  zh: ZH && {
    title: "√d 实验室",
    again: "换一组随机数",
    sample: "第 {seed} 组",
    scales: { raw: "不缩放", root: "÷√d", full: "÷d" },
    row: "同一行得分，三种权重；顶线是 100%",
    spread: "得分的离散程度，实测",
    expected: "按理应当是 √d、1、1/√d",
    largest: "最大的权重，平均",
    sharp: "最大的权重超过 {sharp} 的行",
    faded: "J 的范数小于 {limit} 的行",
    median: "查询的梯度，中位数",
    loudest: "收到最多的一成查询占",
    wQ: "W_Q 的梯度，总共",
    wV: "W_V 的梯度，总共",
    weightsTable: "{rows} 行，每行 6 个得分；查询和键的每个数独立，均值 0，方差 1。只是抽样，所以接近理论，并不相等。",
    gradientsTable: "50 份随机输入，各 6 个位置，经过随机的 W_Q、W_K、W_V（正文直接随机取 Q、K，数字因此略有不同）；每个输出收到随机的梯度。梯度的大小都指范数。",
    weightsSaid: "d = {d}，√d = {root}：不缩放时，一行里最大的权重平均占 {raw}；÷√d 后 {scaled}，÷d 后 {full}（平分是 16.7%）。",
    askWeights: "先猜：d 从 {from} 调到 {most}，÷√d 之后最大的权重，平均会怎样？",
    askGradients: "先猜：d 从 {from} 调到 {most}，不缩放，W_Q 的梯度总共会怎样？",
    answers: ["变小", "差不多", "变大"],
    yes: "对，从 {before} 到 {after}。",
    no: "不对，从 {before} 到 {after}。",
    alive: "d = {d}：不缩放也只有 {faded} 的行几乎不传梯度。把 d 调大看看。",
    narrow: "d 这么小，不管怎样缩放，查询的梯度都不均匀。",
    fading: "d = {d}：不缩放时，{faded} 的行几乎不传梯度；查询的梯度，中位数是 {median}，÷√d 后是 {medianRoot}。",
    few: "W_Q 的梯度却没有消失，只是来自少数查询：一成查询占去 {loudest}，÷√d 后是 {loudestRoot}。原因下一节说。",
    many: "收到最多的一成占 {loudest}，÷√d 后是 {loudestRoot}。",
  },
  en: EN && {
    title: "The √d laboratory",
    again: "Another sample",
    sample: "sample {seed}",
    scales: { raw: "raw", root: "÷√d", full: "÷d" },
    row: "one row of scores, three rows of weights; the top line is 100%",
    spread: "spread of the scores, measured",
    expected: "in theory √d, 1, 1/√d",
    largest: "largest weight, mean",
    sharp: "rows with a weight above {sharp}",
    faded: "rows with a J of norm below {limit}",
    median: "gradient of a query, median",
    loudest: "the tenth of queries that get most have",
    wQ: "gradient of W_Q, in all",
    wV: "gradient of W_V, in all",
    weightsTable: "{rows} rows of 6 scores; the numbers of queries and keys are independent, with mean 0 and variance 1. A sample comes near the theory, no more.",
    gradientsTable: "50 random inputs of 6 positions, through random W_Q, W_K, W_V (the text draws Q and K directly, so its numbers differ a little); each output gets a random gradient. The size of a gradient is its norm.",
    weightsSaid: "d = {d}, √d = {root}. Raw, the largest weight of a row is {raw} on average; with ÷√d {scaled}, with ÷d {full} (equal shares are 16.7%).",
    askWeights: "Guess: d goes from {from} to {most}. The largest weight with ÷√d, on average, is then",
    askGradients: "Guess: d goes from {from} to {most}. The raw gradient of W_Q, in all, is then",
    answers: ["smaller", "about the same", "larger"],
    yes: "Yes: {before} became {after}.",
    no: "No: {before} became {after}.",
    alive: "d = {d}. Even raw, only {faded} of the rows hardly pass anything on. Make d larger.",
    narrow: "With so small a d, the gradients of the queries are uneven under every scale.",
    fading: "d = {d}. Raw, {faded} of the rows hardly pass anything on; the median gradient of a query is {median}, with ÷√d {medianRoot}.",
    few: "Yet the gradient of W_Q is not gone. It comes from few queries: a tenth have {loudest}, with ÷√d {loudestRoot}. The next section says why.",
    many: "The tenth that get most have {loudest}, with ÷√d {loudestRoot}.",
  },
};

const SHARP = 0.9; // a weight that leaves little for the others
const WEIGHTS = ["spread", "expected", "largest", "sharp"];
const GRADIENTS = ["largest", "faded", "median", "loudest", "wQ", "wV"];

class ScaleLab extends AttnElement {
  static words = WORDS;

  fields() {
    return {
      doublings: whole(0, MOST_DOUBLINGS, Math.log2(this.data.d)),
      seed: whole(1, MOST_SEEDS, 1),
      guess: whole(NO_GUESS, 2, NO_GUESS), // how the number asked for changes from here to the largest d
    };
  }

  disconnectedCallback() {
    clearTimeout(this.waiting);
  }

  get d() {
    return 2 ** this.state.doublings;
  }

  sample(d) {
    const { state, data } = this;
    return data.faded ? measureGradients(d, state.seed, data.faded) : measureWeights(d, state.seed, SHARP);
  }

  // Draw what the state asks for, a moment later; until then the last sample stays.
  measure() {
    const { seed, guess } = this.state;
    const asked = `${this.d} ${seed} ${guess !== NO_GUESS}`;
    if (asked === this.asked) return;
    const first = this.asked === undefined;
    this.asked = asked;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(
      () => {
        this.results = this.sample(this.d);
        if (this.state.guess !== NO_GUESS) this.before = this.sample(this.data.d);
        this.measured = asked;
        this.update();
        if (!first) this.say(this.said);
      },
      first ? 0 : PAUSE,
    );
  }

  view() {
    this.measure();
    const { word, state } = this;
    return html`
      <div class="attn-controls">
        ${slider({
          label: "d =", least: 0, most: MOST_DOUBLINGS, value: state.doublings, text: `${this.d}`,
          move: (doublings) => this.set({ doublings, guess: NO_GUESS }),
        })}
        ${button(word.again, () => this.set({ seed: (state.seed % MOST_SEEDS) + 1, guess: NO_GUESS }))}
        <span class="attn-soft">${fill(word.sample, { seed: state.seed })}</span>
      </div>
      <div aria-busy=${this.measured !== this.asked}>${this.charts()} ${this.numbers()}</div>
      ${this.data.d < 2 ** MOST_DOUBLINGS ? this.question() : nothing}
      <p class="attn-note">${this.said}</p>
    `;
  }

  question() {
    const { word, state, data } = this;
    const ask = fill(data.faded ? word.askGradients : word.askWeights, { from: data.d, most: 2 ** MOST_DOUBLINGS });
    return html`<div role="group" aria-labelledby="${this.key}-ask">
      <p id="${this.key}-ask">${ask}</p>
      <div class="attn-controls">
        ${word.answers.map((text, guess) =>
          button(text, () => this.set({ guess, doublings: MOST_DOUBLINGS }), { pressed: guess === state.guess }),
        )}
      </div>
    </div>`;
  }

  // Whether the guess was right, by what was measured.
  get verdict() {
    const { word, state, data, before, results } = this;
    if (state.guess === NO_GUESS || state.doublings !== MOST_DOUBLINGS || this.measured !== this.asked) return "";
    const read = ({ root, raw }) => (data.faded ? raw.wQ : root.largest);
    const text = (measured) => (data.faded ? rough(read(measured)) : percent(read(measured), 0));
    const growth = read(results) / read(before) - 1;
    const change = Math.abs(growth) < ALIKE ? 0 : Math.sign(growth);
    const told = { before: text(before), after: text(results) };
    return fill(state.guess - 1 === change ? word.yes : word.no, told);
  }

  // One row of weights under each scale.
  charts() {
    const { word, results } = this;
    return html`
      <p class="attn-caption">${word.row}</p>
      <div class="attn-scale-lab ${this.data.faded ? "" : "attn-scale-lab-high"}" aria-hidden="true">
        ${Object.entries(word.scales).map(
          ([name, text]) => html`
            <span>${text}</span>
            <div class="attn-scale-lab-${name}">
              ${(results?.[name].row ?? []).map((weight) => html`<i style="--share: ${weight}"></i>`)}
            </div>
          `,
        )}
      </div>
    `;
  }

  numbers() {
    const { word, results, data } = this;
    const rows = data.faded ? GRADIENTS : WEIGHTS;
    const scales = Object.keys(SCALES);
    const write = (name, value) => (["largest", "faded", "loudest", "sharp"].includes(name) ? percent(value, 0) : rough(value));
    return table(this, {
      name: "measured",
      caption: data.faded ? word.gradientsTable : fill(word.weightsTable, { rows: 600 }),
      rows: rows.map((name) => fill(word[name], { limit: data.faded, sharp: percent(SHARP, 0) })),
      columns: scales.map((name) => word.scales[name]),
      cell: (i, j) => ({ text: results ? write(rows[i], results[scales[j]][rows[i]]) : "…" }),
    });
  }

  get said() {
    return this.results ? sentences([this.verdict, this.described], this.language) : nothing;
  }

  get described() {
    const { word, results, d, data } = this;
    const { raw, root, full } = results;
    if (!data.faded) {
      const shares = { raw: percent(raw.largest, 0), scaled: percent(root.largest, 0), full: percent(full.largest, 0) };
      return fill(word.weightsSaid, { d, root: decimal(Math.sqrt(d)), ...shares });
    }
    const parts =
      raw.faded < FEW
        ? [word.alive, d <= NARROW && word.narrow]
        : [word.fading, raw.loudest > UNEVEN * root.loudest ? word.few : word.many];
    return fill(sentences(parts, this.language), {
      d, faded: percent(raw.faded, 0), median: rough(raw.median), medianRoot: rough(root.median),
      loudest: percent(raw.loudest, 0), loudestRoot: percent(root.loudest, 0),
    });
  }
}

// Three figures or so; two of a small number, which must not look like none.
function rough(value) {
  if (value > 0 && value < 0.1) return decimal(value, 1 - Math.floor(Math.log10(value)));
  return decimal(value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

define("scale-lab", ScaleLab);
