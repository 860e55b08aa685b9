// Decoding with a KV cache: append a position; see what is computed, what is read, what it costs,
// and that its row is the one a full run gives.
//
// data: {x, wq, wk, wv, scale} of one head. A row of x is what can be appended.

import {
  AttnElement, attention, button, decimal, define, digits, fill, fraction, html, listing, sentences, shares,
  table, vector, whole,
} from "./shared.js";

const MOST = 5; // positions that are shown
const DENOMINATOR = 20; // five exponentials of at most 4
const SAME = 1e-12; // chapter 12: as close as its cache and the full run have to be

const WORDS = {
  zh: ZH && {
    title: "一步一步解码",
    append: "接上位置 {n}：",
    all: "{n} 个位置都有了：",
    appendThis: "接上 {x}",
    back: "退一步",
    held: "粗框是这一步算的，斜线是从缓存里读的；旧的 q 没有留。",
    weights: "权重。只算最后一行；上面几行早已算完，不再需要。",
    cost: "这一步的结果和代价",
    cached: "有缓存",
    again: "没有缓存",
    output: "位置 {n} 的输出",
    count: "乘法",
    total: "至此共",
    same: "有没有缓存，输出都一样。",
    differ: "有缓存和没有缓存，输出不一样！",
    said: "新算 q{n}、k{n}、v{n} 和一行 {count} 个得分；从缓存里读：{held}。",
    nothing: "没有，这是第一个",
    counted: "有缓存：1 行 × {row} + {n} 对 × {pair} = {cached}。没有：{n} 行 × {row} + {pairs} 对 × {pair} = {again}，旧行要从头重算。",
    askAnew: "先猜：位置 {n} 来了，有缓存，要算几个键？",
    askRead: "它的查询要给几个键打分？",
    anew: "{count} 个：只有 k{n} 是新的，别的都存着。",
    read: "{count} 个：每个键都要，连自己的也算，所以一步比一步贵一点。",
    right: "对，",
    wrong: "不对，",
    full: "图到此为止，模型还会接着写。有缓存的各步加起来，正好是从头全算一遍的代价：{again}。",
  },
  en: EN && {
    title: "Decoding, a step at a time",
    append: "Append position {n}:",
    all: "All {n} positions are here:",
    appendThis: "append {x}",
    back: "Step back",
    held: "Framed is computed in this step, hatched is read from the cache. Old q are not kept.",
    weights: "weights: only the last row is computed; those above were done before, and are not needed again",
    cost: "what this step gives, and what it costs",
    cached: "with cache",
    again: "without",
    output: "output {n}",
    count: "multiplications",
    total: "so far",
    same: "With and without the cache the output is the same.",
    differ: "The outputs differ!",
    said: "New: q{n}, k{n}, v{n} and one row of scores, {count} long. Read from the cache: {held}.",
    nothing: "nothing, this is the first",
    counted: "With the cache: rows 1 × {row} + pairs {n} × {pair} = {cached}. Without: rows {n} × {row} + pairs {pairs} × {pair} = {again}; old rows are done again.",
    askAnew: "Guess: position {n} comes. Keys to compute, with the cache?",
    askRead: "How many keys does its query score?",
    anew: "{count}: only k{n} is new, all older ones are held.",
    read: "{count}: every key, its own too. So each step costs a little more.",
    right: "Right, ",
    wrong: "No, ",
    full: "The figure ends here, a model goes on. All steps with the cache together cost what one full run does: {again}.",
  },
};

const below = (n) => [...`${n}`].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

class DecodeStepper extends AttnElement {
  static words = WORDS;
  wait = 2400; // ms for a position

  fields() {
    const { x } = this.data;
    const start = x.slice(0, -1).map((_, i) => i); // the last one is the reader's to append
    return {
      tokens: digits(start.length ? start : [0], x.length - 1, [1, MOST]),
      anew: whole(-1, MOST, -1),
      read: whole(-1, MOST, -1),
    };
  }

  // What a run over the tokens gives: row by row with a cache, and all rows at once.
  get now() {
    const { x, wq, wk, wv, scale } = this.data;
    const rows = this.state.tokens.map((token) => x[token]);
    const [q, k, v] = [wq, wk, wv].map((matrix) => attention.matmul(rows, matrix));
    const n = rows.length;
    const cached = attention.trace(q.slice(-1), k, v, { scale });
    const all = attention.trace(q, k, v, { scale, visible: attention.causalMask(n) });
    const widths = { input: x[0].length, key: k[0].length, value: v[0].length };
    const cost = (done, pairs) => attention.multiplications(done, pairs, widths);
    const pairs = (length) => (length * (length + 1)) / 2;
    const lengths = rows.map((_, i) => i + 1);
    return {
      rows, q, k, v, n, cached, all, pairs: pairs(n), row: cost(1, 0), pair: cost(0, 1),
      costs: {
        cached: lengths.map((length) => cost(1, length)),
        again: lengths.map((length) => cost(length, pairs(length))),
      },
    };
  }

  view() {
    const now = this.now;
    return html`
      <div class="attn-decode-stepper-quiz">${this.quiz(now)}</div>
      ${this.next(now)}
      <div class="attn-columns attn-decode-stepper-tables">
        <div>${this.held(now)}</div>
        <div>${this.weights(now)}</div>
      </div>
      <p class="attn-note">${this.said(now)}</p>
      ${this.result(now)}
      <p class="attn-note">${this.counted(now)}</p>
    `;
  }

  next({ n }) {
    const { word, data, state } = this;
    const full = n === MOST;
    const next = n % data.x.length;
    return html`
      <div class="attn-controls">
        <span class="attn-decode-stepper-append">${full ? fill(word.all, { n }) : fill(word.append, { n: n + 1 })}</span>
        ${data.x.map((row, token) =>
          button(vector(row), () => this.go([...state.tokens, token]), {
            label: fill(word.appendThis, { x: vector(row) }), primary: token === next && !full, disabled: full,
          }),
        )}
        ${button(word.back, () => this.go(state.tokens.slice(0, -1)), { disabled: n === 1 })}
        ${this.player()}
      </div>
    `;
  }

  held({ rows, q, k, v, n }) {
    const cell = (i, j) => {
      const name = "qkv"[j];
      const fresh = i === n - 1;
      if (name === "q" && !fresh) return { text: "–", look: "quiet" };
      const look = `${fresh ? "new" : "held"} attn-cell-${name}`;
      return { text: vector({ q, k, v }[name][i]), look };
    };
    const names = rows.map((row, i) => `x${below(i + 1)} = ${vector(row)}`);
    return table(this, { name: "held", caption: this.word.held, rows: names, columns: ["q", "k", "v"], cell });
  }

  weights({ rows, all, cached, n }) {
    const names = (letter) => rows.map((_, i) => letter + below(i + 1));
    const cell = (i, j) => {
      if (j > i) return { text: "", look: "empty" };
      const fresh = i === n - 1;
      const row = fresh ? cached.weights[0] : all.weights[i].slice(0, i + 1);
      return { text: shares(row, { largest: DENOMINATOR })[j], share: fresh ? row[j] : 0, look: fresh ? "new" : "quiet" };
    };
    return table(this, { name: "weights", caption: this.word.weights, rows: names("q"), columns: names("k"), cell });
  }

  result({ n, cached, all, costs }) {
    const { word } = this;
    const exact = (row) => `[${row.map((value) => fraction(value, DENOMINATOR) ?? decimal(value)).join(", ")}]`;
    const outputs = [cached.output[0], all.output[n - 1]].map(exact);
    const columns = [fill(word.output, { n }), word.count, word.total];
    const cell = (i, j) => {
      const own = costs[i ? "again" : "cached"];
      return { text: [outputs[i], own[n - 1], attention.sum(own)][j], look: "plain" };
    };
    return table(this, { name: "cost", caption: word.cost, rows: [word.cached, word.again], columns, cell });
  }

  said({ n, cached, all }) {
    const { word, language } = this;
    const old = Array.from({ length: n - 1 }, (_, i) => below(i + 1));
    const held = [...old.map((i) => `k${i}`), ...old.map((i) => `v${i}`)];
    const same = cached.output[0].every((value, c) => Math.abs(value - all.output[n - 1][c]) <= SAME);
    return sentences(
      [
        fill(word.said, { n: below(n), count: n, held: listing(held, language) || word.nothing }),
        same ? word.same : word.differ,
      ],
      language,
    );
  }

  counted({ n, row, pair, pairs, costs }) {
    return fill(this.word.counted, { n, row, pair, pairs, cached: costs.cached[n - 1], again: costs.again[n - 1] });
  }

  quiz({ n, costs }) {
    const { word } = this;
    if (n === MOST) return html`<p>${fill(word.full, { again: costs.again[n - 1] })}</p>`;
    const next = n + 1;
    const ask = (name, question) => html`
      <div class="attn-controls" role="group" aria-labelledby="${this.key}-${name}">
        <span id="${this.key}-${name}">${fill(question, { n: next })}</span>
        <span class="attn-decode-stepper-answers">
          ${[...new Set([0, 1, n, next])].map((count) =>
            button(`${count}`, () => this.guess(name, count), { pressed: this.state[name] === count }),
          )}
        </span>
      </div>
    `;
    return html`
      ${ask("anew", word.askAnew)} ${ask("read", word.askRead)}
      <p class="attn-note">${sentences(["anew", "read"].map((name) => this.verdict(name, next)), this.language)}</p>
    `;
  }

  verdict(name, next) {
    const { word, state } = this;
    if (state[name] < 0) return "";
    const answer = name === "anew" ? 1 : next;
    const right = state[name] === answer;
    return (right ? word.right : word.wrong) + fill(word[name], { n: below(next), count: answer });
  }

  guess(name, count) {
    this.pause();
    this.set({ [name]: count });
    this.say(this.verdict(name, this.state.tokens.length + 1));
  }

  // A step of the reader's own: that ends a show.
  go(tokens) {
    this.pause();
    this.step(tokens);
    this.say(sentences([this.said(this.now), this.counted(this.now)], this.language));
  }

  step(tokens) {
    this.set({ tokens, anew: -1, read: -1 });
  }

  play() {
    if (this.state.tokens.length === MOST) this.step([0]);
    super.play();
  }

  tick() {
    const { tokens } = this.state;
    this.step([...tokens, tokens.length % this.data.x.length]);
    return tokens.length + 1 < MOST;
  }
}

define("decode-stepper", DecodeStepper);
