// Who may read whom: put masks together or paint one, see the weights, and what a wrong order of
// masking and softmax does to a row.
//
// data: {visible, scaled, queries, keys}, a table with its scaled scores and the names of its
// positions; or {masks}, a table of booleans for each of causal, padding, window, cross, end, start.

import {
  AttnElement, attention, button, choice, choose, define, fill, flag, flags, html, listing, nothing, sentences,
  shares, slider, table, tick, whole,
} from "./shared.js";

const LARGEST = 99; // a denominator; raised scores bring larger ones than the lesson has
const MOST_BUMPS = 4;
const NO_GUESS = -1;

const WORDS = {
  zh: ZH && {
    title: "动手搭一个掩码",
    start: "从哪一种开始",
    combine: "叠加",
    kinds: { causal: "因果", padding: "填充", window: "窗口", cross: "交叉", end: "末端对齐", start: "起点对齐" },
    causal: "因果",
    padding: "填充",
    window: "窗口",
    queries: "查询数",
    real: "真实位置数",
    front: "填充放在前面",
    reach: "最远读到",
    align: "查询比键少时",
    aligned: { end: "末端对齐", start: "起点对齐" },
    caption: "行是查询，列是被读的位置。点格子，遮住或放开。",
    hidden: "查询 {row}，位置 {column}：不可见",
    visible: "查询 {row}，位置 {column}：可见",
    weight: "查询 {row}，位置 {column}：可见，权重 {weight}",
    count: "{all} 对里有 {seen} 对可见。",
    several: "几种掩码同时用：每一种都放行，才可见。",
    hints: {
      cross: "查询来自另一段文字，要遮住的只有被读那段里的填充。",
      end: "最后一个查询是最新的位置。",
      start: "查询 1 和键 1 是同一个位置。",
    },
    empty: "查询 {rows} 什么也读不到。",
    zeros: "没有可分的，这里给全 0；别的写法会得到 NaN（第 09 章），或者把遮住的又读回来。",
    unweighted: "没有可分的，下文说怎么办。",
    said: "查询 {row}：权重 {weights}",
    saidSeen: "查询 {row} 读 {seen} 个位置",
    race: "先遮住，还是先 softmax？",
    pick: "看哪一行",
    ask: "先 softmax，再删除遮住的权重。查询 {row} 这一行加起来是多少？",
    right: "对，是 {sum}。",
    wrong: "不是 {guess}，是 {sum}。",
    gone: "删掉的那份没有分给别人。",
    bump: "把遮住的得分调大",
    leak: "遮住的得分一变大，第二条里可见的权重就变小：权重是 0，它的得分还是漏进来了。",
    same: "这一行没有遮住什么，先后都一样。",
    before: "先遮住，再 softmax",
    after: "先 softmax，再删除",
    renormalised: "删除，再重新归一化",
    sum: "总和 {sum}",
    nothing: "0/0，没有可分的",
  },
  en: EN && {
    title: "Compose a mask",
    start: "start from",
    combine: "combine",
    kinds: { causal: "causal", padding: "padding", window: "window", cross: "cross", end: "end-aligned", start: "start-aligned" },
    causal: "causal",
    padding: "padding",
    window: "window",
    queries: "queries",
    real: "real positions",
    front: "filler in front",
    reach: "reaches",
    align: "with fewer queries than keys",
    aligned: { end: "align the ends", start: "align the starts" },
    caption: "Rows are queries, columns the positions read. Press a cell to hide it or show it.",
    hidden: "query {row}, position {column}: hidden",
    visible: "query {row}, position {column}: visible",
    weight: "query {row}, position {column}: visible, weight {weight}",
    count: "{seen} of {all} pairs are visible.",
    several: "Several masks at once: a position must pass them all.",
    hints: {
      cross: "The queries are another text's; hidden is only the filler of the text that is read.",
      end: "The last query is the newest position.",
      start: "Query 1 and key 1 are the same position.",
    },
    empty: "Query {rows} may read nothing.",
    empties: "Queries {rows} may read nothing.",
    zeros: "There is nothing to share out: zeros here. Written otherwise it gives NaN (chapter 09), or reads what was hidden.",
    unweighted: "There is nothing to share out; the text below says what then.",
    said: "query {row}: weights {weights}",
    saidSeen: "query {row} reads {seen} positions",
    race: "Hide first, or softmax first?",
    pick: "row",
    ask: "Softmax first, then delete the hidden weights. What does the row of query {row} add up to?",
    right: "Yes, {sum}.",
    wrong: "Not {guess} but {sum}.",
    gone: "The deleted share went to nobody.",
    bump: "raise the hidden scores",
    leak: "As the hidden scores rise, the visible weights in the second line shrink: the weights are 0, but the scores leak in.",
    same: "Nothing is hidden in this row, so the order does not matter.",
    before: "hide, then softmax",
    after: "softmax, then delete",
    renormalised: "delete, then renormalise",
    sum: "sum {sum}",
    nothing: "0/0: nothing to share out",
  },
};

// What is ticked in each mask to start from.
const TICKED = {
  causal: ["causal"], padding: ["padding"], window: ["causal", "window"], cross: ["padding"], end: ["causal"], start: ["causal"],
};
const KINDS = ["causal", "padding", "window"];

const none = (count) => Array.from({ length: count }, () => false);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const seenBy = (row) => row.filter(Boolean).length;

class MaskComposer extends AttnElement {
  static words = WORDS;

  fields() {
    const { masks, scaled, visible } = this.data;
    const keys = masks ? masks.causal.length : scaled[0].length;
    const queries = masks ? keys : scaled.length;
    const starts = masks ? masks.causal : visible;
    const causal = same(starts, attention.causalMask(queries, keys));
    const painted = causal ? none(queries * keys) : starts.flat().map((seen) => !seen);
    this.size = { queries, keys };
    return {
      causal: flag(causal),
      padding: flag(),
      window: flag(),
      queries: whole(1, queries, queries),
      real: whole(0, keys, masks ? seenBy(masks.padding[0]) : keys - 1),
      front: flag(),
      reach: whole(0, keys - 1, masks ? seenBy(masks.window.at(-1)) - 1 : 1),
      align: choice(["end", "start"]),
      painted: flags(painted),
      row: whole(0, queries - 1, Math.min(1, queries - 1)),
      guess: whole(NO_GUESS, 2, NO_GUESS),
      bump: whole(0, MOST_BUMPS, 0),
    };
  }

  // The mask as it is now.
  get mask() {
    const { causal, padding, window, queries, real, front, reach, align, painted } = this.state;
    const { keys } = this.size;
    const masks = [attention.paddingMask(keys, queries, keys)];
    if (causal) masks.push(attention.causalMask(queries, keys, align));
    if (window) masks.push(attention.windowMask(queries, keys, { left: reach, right: reach, align }));
    if (padding) masks.push(attention.paddingMask(real, queries, keys, front));
    const composed = masks.reduce(attention.both);
    return composed.map((row, i) => row.map((seen, j) => seen !== painted[i * keys + j]));
  }

  view() {
    const mask = this.mask;
    const { note } = this;
    return html`<div class="attn-columns">
      ${this.data.scaled
        ? html`<div>${this.controls(mask)} ${this.grid(mask)} ${note}</div>
            <div>${this.race(mask[this.state.row])}</div>`
        : html`<div>${this.controls(mask)} ${note}</div>
            <div>${this.grid(mask)}</div>`}
    </div>`;
  }

  // Queries aligned at the end are the newest positions, and are numbered as such.
  get queryNames() {
    const { causal, window, queries, align } = this.state;
    const first = (causal || window) && align === "end" ? this.size.keys - queries : 0;
    return this.data.queries ?? Array.from({ length: queries }, (_, i) => `${first + i + 1}`);
  }

  // Any change of the mask asks the question of the race anew.
  change(changes) {
    this.set({ guess: NO_GUESS, bump: 0, ...changes });
    this.say(sentences(this.said, this.language));
  }

  controls(mask) {
    const { word, state, size } = this;
    return html`
      ${this.data.masks ? this.starts(mask) : nothing}
      <div class="attn-controls">
        ${this.data.masks ? html`<span class="attn-soft attn-mask-composer-combine">${word.combine}</span>` : nothing}
        ${KINDS.map((kind) =>
          tick({ label: word[kind], value: state[kind], flip: (on) => this.change({ [kind]: on }) }),
        )}
      </div>
      <div class="attn-controls attn-mask-composer-more">
        ${this.data.masks
          ? slider({
              label: word.queries, least: 1, most: size.queries, value: state.queries,
              move: (queries) => this.change({ queries }),
            })
          : nothing}
        ${state.padding
          ? html`${slider({
              label: word.real, least: 0, most: size.keys, value: state.real,
              move: (real) => this.change({ real }),
            })}
            ${tick({ label: word.front, value: state.front, flip: (front) => this.change({ front }) })}`
          : nothing}
        ${state.window
          ? slider({
              label: word.reach, least: 0, most: size.keys - 1, value: state.reach, text: `±${state.reach}`,
              move: (reach) => this.change({ reach }),
            })
          : nothing}
        ${state.queries < size.keys && (state.causal || state.window)
          ? choose(this, {
              name: "align", legend: word.align, options: Object.entries(word.aligned),
              pick: (align) => this.change({ align }),
            })
          : nothing}
      </div>
    `;
  }

  // The masks of the still figure.
  starts(mask) {
    const options = Object.entries(this.word.kinds);
    const value = this.startOf(mask);
    return html`<div class="attn-controls">
      ${choose(this, { name: "start", legend: this.word.start, options, value, pick: (name) => this.startFrom(name) })}
    </div>`;
  }

  // The same table can come from other ticks, and then means something else.
  startOf(mask) {
    const ticked = KINDS.filter((kind) => this.state[kind]);
    return Object.keys(TICKED).find((name) => same(TICKED[name], ticked) && same(this.data.masks?.[name], mask));
  }

  startFrom(name) {
    const first = Object.fromEntries(Object.entries(this.choices).map(([field, { first }]) => [field, first]));
    this.change({
      ...first,
      ...Object.fromEntries(KINDS.map((kind) => [kind, TICKED[name].includes(kind)])),
      queries: this.data.masks[name].length,
      align: name === "start" ? "start" : "end",
    });
  }

  grid(mask) {
    const { word, size } = this;
    const keys = this.data.keys ?? mask[0].map((_, j) => `${j + 1}`);
    const queries = this.queryNames;
    const weights = this.data.scaled?.map((scores, i) => attention.softmax(scores, mask[i]));
    const texts = weights?.map((row) => shares(row, { largest: LARGEST }));
    const cell = (i, j) => {
      const names = { row: queries[i], column: keys[j], weight: texts?.[i][j] };
      if (!mask[i][j]) return { text: "×", look: "hidden", pressed: false, label: fill(word.hidden, names) };
      if (!weights) return { text: "", share: 0.45, pressed: true, label: fill(word.visible, names) };
      return { text: texts[i][j], share: weights[i][j], pressed: true, label: fill(word.weight, names) };
    };
    const press = (i, j) => {
      const painted = [...this.state.painted];
      painted[i * size.keys + j] = !painted[i * size.keys + j];
      this.change({ painted });
      this.say(this.rowInWords(i, queries[i]));
    };
    return table(this, { name: "mask", caption: word.caption, rows: queries, columns: keys, cell, press });
  }

  rowInWords(i, row) {
    const seen = this.mask[i];
    if (!this.data.scaled) return fill(this.word.saidSeen, { row, seen: seenBy(seen) });
    const weights = shares(attention.softmax(this.data.scaled[i], seen), { largest: LARGEST });
    return fill(this.word.said, { row, weights: listing(weights, this.language) });
  }

  // The first sentence is a warning if a query has nothing to read.
  get said() {
    const { word, state, mask } = this;
    const empty = this.queryNames.filter((_, i) => !seenBy(mask[i]));
    if (empty.length) {
      const chinese = this.language === "zh";
      const rows = chinese ? listing(empty, "zh") : new Intl.ListFormat("en-GB").format(empty);
      const warning = fill(empty.length > 1 && !chinese ? word.empties : word.empty, { rows });
      return [warning, this.data.scaled ? word.zeros : word.unweighted];
    }
    const counted = fill(word.count, { seen: seenBy(mask.flat()), all: mask.flat().length });
    const several = KINDS.filter((kind) => state[kind]).length > 1;
    return [counted, word.hints[this.startOf(mask)] ?? (several && word.several)];
  }

  get note() {
    const [first, second] = this.said;
    const warns = !this.mask.every(seenBy);
    const rest = second ? (this.language === "zh" ? second : ` ${second}`) : nothing;
    return html`<p class="attn-note"><span class=${warns ? "attn-warn" : ""}>${first}</span>${rest}</p>`;
  }

  // One row, three orders. The sum is asked for before it is shown.
  race(seen) {
    const { word, state, data } = this;
    const names = data.queries;
    const options = names.map((name, i) => [i, name]);
    return html`
      <p class="attn-title">${word.race}</p>
      <div class="attn-controls">
        ${choose(this, { name: "row", legend: word.pick, options, pick: (row) => this.look(row) })}
      </div>
      <div class="attn-mask-composer-ask">
        ${seen.every(Boolean) ? html`<p class="attn-note">${this.asked}</p>` : this.question(seen)}
      </div>
      ${this.answer(seen)}
    `;
  }

  look(row) {
    this.set({ row, guess: NO_GUESS, bump: 0 });
    this.say(this.asked);
  }

  get asked() {
    const { word, state, data, mask } = this;
    return mask[state.row].every(Boolean) ? word.same : fill(word.ask, { row: data.queries[state.row] });
  }

  question(seen) {
    const pick = (guess) => this.set({ guess }, this.verdict(seen, guess));
    return html`
      <div role="group" aria-labelledby="${this.key}-ask">
        <p id="${this.key}-ask">${this.asked}</p>
        <div class="attn-controls">
          ${this.sums(seen).map((sum, i) => button(sum, () => pick(i), { pressed: i === this.state.guess }))}
        </div>
      </div>
    `;
  }

  // What might be the sum: what is kept, what is deleted, and the whole; the smallest first.
  sums(seen) {
    const kept = attention.sum(this.ways(seen, 0).after);
    const values = [...new Set([kept, 1 - kept, 1].map((sum) => sum.toFixed(9)))].map(Number);
    return shares(values.sort((one, other) => one - other), { largest: LARGEST });
  }

  verdict(seen, guess) {
    const sum = this.inShares([attention.sum(this.ways(seen, 0).after)])[0];
    const said = this.sums(seen)[guess];
    return fill(said === sum ? this.word.right : this.word.wrong, { guess: said, sum });
  }

  ways(seen, bump) {
    const scores = this.data.scaled[this.state.row].map((score, j) => score + (seen[j] ? 0 : bump * Math.LN2));
    const after = attention.deleted(attention.softmax(scores), seen);
    return { before: attention.softmax(scores, seen), after, renormalised: attention.renormalised(after) };
  }

  // All of it has its place from the start, so that an answer does not move the page.
  answer(seen) {
    const { word, state } = this;
    const answered = state.guess !== NO_GUESS;
    const known = answered || seen.every(Boolean);
    const later = answered ? "" : "attn-later";
    const ways = this.ways(seen, state.bump);
    const verdict = answered && sentences([this.verdict(seen, state.guess), word.gone], this.language);
    return html`
      <p class="attn-note ${later}">${state.bump ? word.leak : verdict || nothing}</p>
      ${Object.entries(ways).map(([name, weights]) => this.bar(word[name], known ? weights : null))}
      <div class="attn-controls ${later}">
        ${slider({
          label: word.bump, least: 0, most: MOST_BUMPS, value: state.bump, text: `+${state.bump} ln 2`,
          move: (bump) => this.set({ bump }, bump && word.leak),
        })}
      </div>
    `;
  }

  // weights: null while they are asked for.
  bar(name, weights) {
    if (!weights) {
      return html`
        <p class="attn-mask-composer-name"><span>${name}</span><span>?</span></p>
        <div class="attn-mask-composer-bar" aria-hidden="true"></div>
      `;
    }
    const total = attention.sum(weights);
    const texts = this.inShares(weights);
    const sum = total ? fill(this.word.sum, { sum: this.inShares([total])[0] }) : this.word.nothing;
    return html`
      <p class="attn-mask-composer-name"><span>${name}</span><span>${texts.join("  ")}</span><span>${sum}</span></p>
      <div class="attn-mask-composer-bar" aria-hidden="true">
        ${weights.map((weight) => html`<span style="--share: ${weight}"></span>`)}<span></span>
      </div>
    `;
  }

  inShares(values) {
    return shares(values, { largest: LARGEST });
  }
}

define("mask-composer", MaskComposer);
