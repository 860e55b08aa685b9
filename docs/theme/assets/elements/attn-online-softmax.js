// Online softmax: one block of keys after another, with a maximum and two sums as all that is
// remembered; the old sums shrink when a larger score comes.
//
// data: {powers, v, block}: scores as multiples of ln 2, so that every sum is a fraction.

import {
  AttnElement, attention, button, choose, decimal, define, digits, fill, flag, fraction, html, keyed, listing, nothing,
  sentences, shares, table, tick, whole,
} from "./shared.js";

const MOST = 3; // ln 2, for a score
const DENOMINATOR = 64; // of a sum of eight exponentials of at most 8

const WORDS = {
  zh: ZH && {
    title: "一块一块读：在线 softmax",
    block: "一块几个键",
    reversed: "从最后一个键读起",
    scores: "缩放后的得分 s。点一下加一个 ln 2，过了 3 ln 2 回到 0。框住的是这一步读的。",
    cell: "{key}：{score}，{when}",
    when: ["读过了", "这一步读", "还没读"],
    back: "退一步",
    next: "读下一块",
    kept: "要记的只有这三行，键再多也一样。",
    maximum: "最大值 m",
    total: "和",
    weighted: "加权和",
    columns: ["原来", "缩小后", "这一块", "现在"],
    before: "原来的和",
    after: "现在的和",
    ask: "先猜再读：下一块是 {keys}，得分 {scores}。两个旧的和要乘以几？",
    larger: "来了更大的得分，e 的 ({old} − {new}) 次方。",
    smaller: "没有更大的得分，旧的和不动。",
    right: "对，是 {factor}：",
    wrong: "不对，是 {factor}：",
    first: "第一块，前面什么也没有。",
    grew: "最大值从 {old} 变成 {new}：两个旧的和都乘以 {factor}。",
    stayed: "最大值还是 {new}：旧的和不用缩小。",
    soFar: "至此的输出：{weighted} ÷ {total} = {output}，键还没读完。",
    end: "输出：{weighted} ÷ {total} = {output}。",
    plain: "把 {n} 个得分全摆出来，直接做 softmax：权重 {weights}，输出 {output}。",
    same: "一样，一点不差。",
    differ: "不一样！",
    wait: "读完再比。",
    done: "键读完了。换一种块、改得分或者换个方向，再读一遍：缩小的次数会变，终点变不变？",
  },
  en: EN && {
    title: "Online softmax, block by block",
    block: "keys in a block",
    reversed: "last key first",
    scores: "Scaled scores s. Press one to add ln 2; after 3 ln 2 comes 0. Framed is what this step reads.",
    cell: "{key}: {score}, {when}",
    when: ["read before", "read now", "not read yet"],
    back: "Back",
    next: "Next block",
    kept: "all that is remembered: three rows, however many keys",
    maximum: "maximum m",
    total: "sum",
    weighted: "weighted sum",
    columns: ["old", "rescaled", "this block", "now"],
    before: "old sum",
    after: "sum now",
    ask: "Guess, then read. Next: {keys} with {scores}. By what are both old sums multiplied?",
    larger: "a larger score comes, e to the power ({old} − {new}).",
    smaller: "no larger score comes, the old sums stay.",
    right: "Right, {factor}:",
    wrong: "No, {factor}:",
    first: "The first block: nothing was there before.",
    grew: "The maximum goes from {old} to {new}: both old sums are multiplied by {factor}.",
    stayed: "The maximum is still {new}: the old sums stay as they are.",
    soFar: "Output so far: {weighted} ÷ {total} = {output}, with keys still to come.",
    end: "Output: {weighted} ÷ {total} = {output}.",
    plain: "Plain softmax, all {n} scores at once: weights {weights}, output {output}.",
    same: "The same, exactly.",
    differ: "Not the same!",
    wait: "Compare at the end.",
    done: "All keys are read. Take other blocks, scores, or the other direction: the rescaling changes. Does the end?",
  },
};

const exact = (value) => fraction(value, DENOMINATOR) ?? decimal(value);
const row = (values) => `[${values.map(exact).join(", ")}]`;
const times = (power) => (power ? `${power === 1 ? "" : `${power} `}ln 2` : "0");
const logs = (score) => times(Math.round(score / Math.LN2));
const key = (index) => `k${[..."₁₂₃₄₅₆₇₈"][index]}`;

class OnlineSoftmax extends AttnElement {
  static words = WORDS;
  wait = 2800; // ms for a block

  fields() {
    const { powers, block } = this.data;
    return {
      block: whole(1, powers.length, block),
      at: whole(1, powers.length, 1),
      reversed: flag(),
      powers: digits(powers, MOST),
      guess: whole(-1, MOST, -1),
    };
  }

  // The keys in the order in which they are read, every step, and the plain softmax.
  get now() {
    const { block, at, reversed, powers } = this.state;
    const order = powers.map((_, i) => (reversed ? powers.length - 1 - i : i));
    const scores = order.map((i) => powers[i] * Math.LN2);
    const v = order.map((i) => this.data.v[i]);
    const steps = attention.streamingSteps(scores, v, block);
    const number = Math.min(at, steps.length);
    const weights = attention.softmax(scores);
    return {
      order, scores, v, steps, number, weights, step: steps[number - 1], old: steps[number - 2], next: steps[number],
      plain: attention.matmul([weights], v)[0],
    };
  }

  view() {
    const now = this.now;
    const { word, state } = this;
    return html`
      <div class="attn-controls">
        ${choose(this, {
          name: "block", legend: word.block, options: state.powers.map((_, i) => [i + 1, i + 1]),
          pick: (block) => this.again({ block, at: 1 }),
        })}
        ${tick({ label: word.reversed, value: state.reversed, flip: (reversed) => this.again({ reversed, at: 1 }) })}
      </div>
      ${this.scores(now)}
      <div class="attn-online-softmax-quiz">${this.quiz(now)}</div>
      <div class="attn-controls">
        ${button(word.back, () => this.go(now.number - 1), { disabled: now.number === 1 })}
        ${this.player()}
        ${button(word.next, () => this.go(now.number + 1), { primary: !!now.next, disabled: !now.next })}
      </div>
      <p class="attn-note">${this.said(now)}</p>
      ${this.bars(now)} ${this.ledger(now)}
      <p class="attn-note">${this.outcome(now)}</p>
    `;
  }

  scores({ order, scores, step }) {
    const { word } = this;
    const columns = order.map(
      (i) => html`${key(i)}<br /><span class="attn-soft">${key(i).replace("k", "v")} = ${row(this.data.v[i])}</span>`,
    );
    const cell = (_, j) => {
      const when = j < step.start ? 0 : j < step.end ? 1 : 2;
      const text = logs(scores[j]);
      return {
        text, look: ["hidden", "chosen", "plain"][when],
        label: fill(word.cell, { key: key(order[j]), score: text, when: word.when[when] }),
      };
    };
    return table(this, {
      name: "scores", caption: word.scores, rows: ["s"], columns, cell, press: (_, j) => this.raise(order[j]),
    });
  }

  raise(index) {
    const powers = [...this.state.powers];
    powers[index] = (powers[index] + 1) % (MOST + 1);
    this.again({ powers });
  }

  // By how many ln 2 the maximum grows.
  growth = (old, step) => Math.round((step.maximum - old.maximum) / Math.LN2);

  quiz({ order, scores, step, next }) {
    const { word, state } = this;
    if (!next) return html`<p>${word.done}</p>`;
    const places = order.slice(next.start, next.end);
    const asked = fill(word.ask, {
      keys: listing(places.map(key), this.language),
      scores: listing(scores.slice(next.start, next.end).map(logs), this.language),
    });
    return html`
      <p id="${this.key}-ask">${asked}</p>
      <div class="attn-controls" role="group" aria-labelledby="${this.key}-ask">
        ${Array.from({ length: MOST + 1 }, (_, power) =>
          button(exact(2 ** -power), () => this.guess(power), { pressed: state.guess === power }),
        )}
      </div>
      <p>${this.verdict(step, next)}</p>
    `;
  }

  verdict(step, next) {
    const { word, state, language } = this;
    if (state.guess < 0) return "";
    const growth = this.growth(step, next);
    const texts = [state.guess === growth ? word.right : word.wrong, growth ? word.larger : word.smaller];
    const values = { factor: exact(next.shrink), old: logs(step.maximum), new: logs(next.maximum) };
    return fill(sentences(texts, language), values);
  }

  said({ step, old }) {
    const { word } = this;
    if (!old) return word.first;
    const values = { old: logs(old.maximum), new: logs(step.maximum), factor: exact(step.shrink) };
    return fill(this.growth(old, step) ? word.grew : word.stayed, values);
  }

  // The sum: as it was, and what has become of it, with this block's terms behind.
  bars({ steps, step, old, number }) {
    const { word, state } = this;
    const longest = Math.max(...steps.map((one) => one.total));
    const part = (value, look) => html`<i
      class="attn-online-softmax-${look}"
      style="--share: ${value / longest}; --before: ${(old?.total ?? 0) / longest}"
    >${value / longest > 0.12 ? exact(value) : nothing}</i>`;
    return html`<div class="attn-online-softmax" aria-hidden="true">
      <span>${word.before}</span>
      <div>${old ? part(old.total, "before") : nothing}</div>
      <span>${word.after}</span>
      ${keyed(
        `${number} ${state.block} ${state.reversed} ${state.powers}`,
        html`<div>
          ${old ? part(old.total * step.shrink, "old") : nothing} ${step.exponentials.map((term) => part(term, "new"))}
        </div>`,
      )}
    </div>`;
  }

  ledger({ scores, v, step, old }) {
    const { word } = this;
    const block = scores.slice(step.start, step.end);
    const read = attention.matmul([step.exponentials], v.slice(step.start, step.end))[0];
    const shrunk = (value) => exact(value * step.shrink);
    const cells = [
      [old && logs(old.maximum), "", logs(Math.max(...block)), logs(step.maximum)],
      [old && exact(old.total), old && shrunk(old.total), exact(attention.sum(step.exponentials)), exact(step.total)],
      [old && row(old.weighted), old && `[${old.weighted.map(shrunk).join(", ")}]`, row(read), row(step.weighted)],
    ];
    const cell = (i, j) => ({ text: cells[i][j] ?? "–", look: j === 3 ? "chosen" : "plain" });
    const rows = [word.maximum, word.total, word.weighted];
    return table(this, { name: "kept", caption: word.kept, rows, columns: word.columns, cell });
  }

  outcome({ step, next, weights, plain }) {
    const { word, language } = this;
    const output = row(step.output);
    const ours = fill(next ? word.soFar : word.end, { weighted: row(step.weighted), total: exact(step.total), output });
    const values = { n: weights.length, weights: listing(shares(weights, { largest: DENOMINATOR }), language), output: row(plain) };
    const same = step.output.every((value, c) => Math.abs(value - plain[c]) < 1e-12);
    const compared = next ? word.wait : same ? word.same : word.differ;
    return sentences([ours, fill(word.plain, values), compared], language);
  }

  guess(power) {
    this.pause();
    this.set({ guess: power });
    const { step, next } = this.now;
    this.say(this.verdict(step, next));
  }

  go(at) {
    this.again({ at });
  }

  // A choice of the reader's own: that ends a show.
  again(changes) {
    this.pause();
    this.set({ ...changes, guess: -1 });
    this.say(sentences([this.said(this.now), this.outcome(this.now)], this.language));
  }

  play() {
    if (!this.now.next) this.step(1);
    super.play();
  }

  tick() {
    this.step(this.now.number + 1);
    return this.now.next;
  }

  step(at) {
    this.set({ at, guess: -1 });
  }
}

define("online-softmax", OnlineSoftmax);
