// Regroup query heads over K/V heads, see who reads whom, and say what tiling would have made of it.
//
// data: {n_heads, n_kv_heads}, as in the still figure.

import {
  AttnElement, attention, button, choose, define, fill, html, listing, nothing, sentences, slider, svg, whole,
} from "./shared.js";

const HEADS = [4, 8, 12, 16, 28]; // 28 as in Qwen2.5-7B
const MOST_NUMBERED = 16; // of more heads, a phone has no room for every number
const COLOURS = ["blue", "orange", "green", "purple"];
const NO_GUESS = -1;

const WORDS = {
  zh: ZH && {
    title: "重新分组：哪个头读哪个头",
    heads: "查询头",
    kv: "K/V 头（要能整除）",
    mha: "多头注意力（MHA）",
    gqa: "分组查询注意力（GQA）",
    mqa: "多查询注意力（MQA）",
    group: "{kind}：每个位置有 {heads} 个查询，键和值各 {kv} 个；权重表仍是 {heads} 张。",
    pick: "看查询头",
    repeat: "重复：查询头 {head} 读 K/V 头 {kv}（{head} ÷ {size}，舍去小数）",
    ask: "要是平铺，查询头 {head} 会读哪个 K/V 头？",
    tile: "平铺：先猜，再看连线",
    bad: "（错误）",
    tiled: "平铺{bad}：查询头 {head} 读 K/V 头 {kv}（{head} ÷ {count} 的余数）",
    right: "猜对了，是 {kv}。",
    wrong: "不是 {guess}，是 {kv}。",
    count: "平铺时 {heads} 个查询头里只有 {same} 个接对（没有打 × 的）。形状一样，所以不会报错。",
    same: "这时重复和平铺是一回事，看不出错。",
    queries: "查询头",
    keys: "K/V 头",
    alt: "查询头 0 到 {last} 依次读 K/V 头 {reads}",
  },
  en: EN && {
    title: "Regroup: which head reads which",
    heads: "query heads",
    kv: "K/V heads (divisors only)",
    mha: "Multi-head attention (MHA)",
    gqa: "Grouped-query attention (GQA)",
    mqa: "Multi-query attention (MQA)",
    group: "{kind}: for each position, queries: {heads}, keys: {kv}, values: {kv}. Tables of weights: still {heads}.",
    pick: "look at query head",
    repeat: "Repeat: query head {head} reads K/V head {kv} ({head} ÷ {size}, rounded down)",
    ask: "If the row were tiled, which K/V head would query head {head} read?",
    tile: "Tile: guess first, then see the wiring",
    bad: " (wrong)",
    tiled: "Tile{bad}: query head {head} reads K/V head {kv} (the remainder of {head} ÷ {count})",
    right: "Yes, {kv}.",
    wrong: "Not {guess} but {kv}.",
    count: "Tiled, only {same} of {heads} query heads read the right one (no ×). The shapes are the same, so nothing raises an error.",
    same: "Here repeating and tiling are the same, and the mistake does not show.",
    queries: "query heads",
    keys: "K/V heads",
    alt: "Query heads 0 to {last} read K/V heads {reads}",
  },
};

// The first, the last and the chosen one always have their number, but no two that would touch.
const numbered = (i, count, chosen) =>
  count <= MOST_NUMBERED || i === chosen || ((i === 0 || i === count - 1) && !(Math.abs(i - chosen) === 1));

class HeadSharing extends AttnElement {
  static words = WORDS;

  fields() {
    const { n_heads: heads, n_kv_heads: kv } = this.data;
    const most = Math.max(heads, ...HEADS);
    const reads = attention.repeated(heads, kv);
    const tiled = attention.tiled(heads, kv);
    return {
      heads: whole(2, most, heads),
      kv: whole(1, most, kv),
      head: whole(0, most - 1, reads.findLastIndex((read, head) => read !== tiled[head])),
      guess: whole(NO_GUESS, most - 1, NO_GUESS),
    };
  }

  get divisors() {
    return Array.from({ length: this.state.heads }, (_, i) => i + 1).filter((count) => this.state.heads % count === 0);
  }

  // What is asked for may not divide the number of query heads.
  get kv() {
    return this.divisors.findLast((count) => count <= this.state.kv);
  }

  get head() {
    return Math.min(this.state.head, this.state.heads - 1);
  }

  // Whatever changes, the question is asked anew.
  change(changes, said) {
    this.set({ guess: NO_GUESS, ...changes });
    this.say(said());
  }

  view() {
    const { word, state, kv, head } = this;
    const { heads, guess } = state;
    const reads = attention.repeated(heads, kv);
    const tiled = attention.tiled(heads, kv);
    const matters = kv > 1 && kv < heads;
    const known = guess !== NO_GUESS;
    const options = [...new Set([...HEADS, this.data.n_heads])].sort((one, other) => one - other);
    return html`
      <div class="attn-controls">
        ${choose(this, {
          name: "heads", legend: word.heads, options: options.map((count) => [count, count]),
          pick: (count) => this.change({ heads: count }, () => this.group),
        })}
        ${choose(this, {
          name: "kv", legend: word.kv, value: kv, options: this.divisors.map((count) => [count, count]),
          pick: (count) => this.change({ kv: count }, () => this.group),
        })}
        ${slider({
          label: word.pick, least: 0, most: heads - 1, value: head,
          move: (to) => this.change({ head: to }, () => this.repeat),
        })}
      </div>
      <p class="attn-note">${this.group}</p>
      ${this.wiring(this.repeat, reads, reads)}
      ${matters ? this.question() : html`<p class="attn-note">${word.same}</p>`}
      ${matters && !known
        ? this.wiring(word.tile, null, reads)
        : this.wiring(fill(word.tiled, { head, kv: tiled[head], count: kv, bad: matters ? word.bad : "" }), tiled, reads)}
      <p class="attn-note">${matters && known ? this.verdict : nothing}</p>
    `;
  }

  get group() {
    const { word, kv } = this;
    const { heads } = this.state;
    const kind = word[kv === heads ? "mha" : kv === 1 ? "mqa" : "gqa"];
    return fill(word.group, { kind, heads, kv });
  }

  get repeat() {
    const { head, kv } = this;
    const { heads } = this.state;
    return fill(this.word.repeat, { head, kv: attention.repeated(heads, kv)[head], size: heads / kv });
  }

  question() {
    const { key, word, head, kv } = this;
    const { guess } = this.state;
    const guesses = Array.from({ length: kv }, (_, i) =>
      button(i, () => this.change({ guess: i }, () => this.verdict), { pressed: i === guess }),
    );
    return html`<div class="attn-controls" role="group" aria-labelledby="${key}-ask">
      <p id="${key}-ask">${fill(word.ask, { head })}</p>
      ${guesses}
    </div>`;
  }

  get verdict() {
    const { word, head, kv } = this;
    const { heads, guess } = this.state;
    const reads = attention.repeated(heads, kv);
    const tiled = attention.tiled(heads, kv);
    const answer = fill(word[guess === tiled[head] ? "right" : "wrong"], { guess, kv: tiled[head] });
    const same = reads.filter((read, i) => read === tiled[i]).length;
    return sentences([answer, fill(word.count, { heads, same })], this.language);
  }

  // Query heads above, K/V heads below; `reads`: the K/V head of each, or null where it is not told yet.
  wiring(caption, reads, right) {
    const { word, kv, head } = this;
    const count = right.length;
    const size = count / kv;
    const told = reads ? fill(word.alt, { last: count - 1, reads: listing(reads, this.language) }) : caption;
    const colour = (i) => (i === undefined ? "" : `--attn-colour: var(--attn-${COLOURS[i % COLOURS.length]})`);
    const read = reads?.[head];
    const wrong = (i) => reads && reads[i] !== right[i];
    const wire = (i) => svg`<path
      class="${i === head ? "attn-head-sharing-chosen" : ""} ${wrong(i) ? "attn-head-sharing-wrong" : ""}"
      style=${colour(reads[i])}
      d="M${i + 0.5} 0 L${(reads[i] + 0.5) * size} 1"
    />`;
    const box = (i, look, text, read, span = 1) =>
      html`<span class=${look} style="${colour(read)}; grid-column: span ${span}">${text}</span>`;
    return html`
      <p>${caption}</p>
      <div class="attn-head-sharing" role="img" aria-label=${told} style="--count: ${count}">
        <small>${word.queries}</small>
        ${right.map((_, i) => html`<b>${wrong(i) ? "×" : ""}</b>`)}
        ${right.map((_, i) => box(i, i === head ? "attn-head-sharing-chosen" : "", numbered(i, count, head) ? i : "", reads?.[i]))}
        <svg viewBox="0 0 ${count} 1" preserveAspectRatio="none">${reads ? right.map((_, i) => wire(i)) : nothing}</svg>
        ${Array.from({ length: kv }, (_, i) =>
          box(i, i === read ? "attn-head-sharing-chosen" : "", numbered(i, kv, read) ? i : "", i, size),
        )}
        <small>${word.keys}</small>
      </div>
    `;
  }
}

define("head-sharing", HeadSharing);
