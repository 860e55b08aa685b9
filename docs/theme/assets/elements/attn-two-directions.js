// Similarity has no direction, scores have one: the same pair of positions in both tables. And what
// another sentence leaves as it was.
//
// data: {sentences: [{labels, similarity, scores}, …], pair, form?}: one sentence, or two that share
// words. The form "similarity" has no scores.

import { AttnElement, choose, decimal, define, fill, flag, html, nothing, sentences, table, tick, whole } from "./shared.js";

const SAME = 1e-9; // the same number, computed among other rows

const WORDS = {
  zh: ZH && {
    title: "一个方向，还是两个",
    sentence: "句子",
    mark: "给两句里相同的格子画下划线",
    similarity: "相似度 XXᵀ",
    scores: "得分 QKᵀ：一行是一个位置在问",
    how: "点一格，看它和反方向的那一格。",
    both: "“{i}”与“{j}”：两个方向都是 {one}",
    asks: "“{i}”问“{j}”：{one}",
    self: "“{i}”与自己：{one}",
    selfAsks: "“{i}”问自己：{one}",
    from: "“{i}”的查询，“{j}”的键",
    there: "另一句里的“{i}”与“{j}”：",
    same: "{one}，没变",
    moved: "{one}，变了",
    count: "两句里相同的：相似度 {similarity} 格，得分 {scores} 格，一共都是 {all} 格。",
    row: "常有人说“{i}”这一行换了句子也不变。其实 {all} 格里只有 {kept} 格没变：两句共有的字所在的列。",
    alike: "相似度如此，得分也如此。",
    rowGone: "“{i}”只在这一句里有，它那一行没有一格留下。",
    swap: "先猜一猜：换一个句子，哪些格子会变？再换过去看。",
    said: "相似度：{similarity}。得分：{scores}",
    alone: {
      title: "换一句，哪些会变",
      count: "两句里相同的：{all} 格里的 {similarity} 格。",
      said: "{similarity}",
    },
  },
  en: EN && {
    title: "One direction or two",
    sentence: "sentence",
    mark: "underline what both share",
    similarity: "similarity XXᵀ",
    scores: "scores QKᵀ: each row is one position asking",
    how: "Press a cell to see it beside the one of the opposite direction.",
    both: "{i} and {j}: {one} in both directions",
    asks: "{i} asks {j}: {one}",
    self: "{i} and itself: {one}",
    selfAsks: "{i} asks itself: {one}",
    from: "query of {i}, key of {j}",
    there: "other sentence: {i}, {j} ",
    same: "{one}, the same",
    moved: "{one}, changed",
    count: "The same in both sentences: {similarity} similarities and {scores} scores, of {all} each.",
    row: "One often reads that the row of “{i}” stays as it is. Only {kept} of its {all} cells do: those of the words in both sentences.",
    alike: "So it is for similarities, and so for scores.",
    rowGone: "“{i}” is in this sentence only: no cell of its row stays.",
    swap: "Guess first: in another sentence, which cells will change? Then swap it.",
    said: "similarity: {similarity}. scores: {scores}",
    alone: {
      title: "What another sentence leaves",
      count: "The same in both sentences: {similarity} cells of {all}.",
      said: "{similarity}",
    },
  },
};

class TwoDirections extends AttnElement {
  static words = WORDS;

  fields() {
    const { sentences, pair, form } = this.data;
    if (form) Object.assign(this.word, this.word.alone);
    const last = sentences[0].labels.length - 1;
    return {
      sentence: whole(0, sentences.length - 1, 0),
      row: whole(0, last, pair[0]),
      column: whole(0, last, pair[1]),
      mark: flag(),
    };
  }

  get here() {
    return this.data.sentences[this.state.sentence];
  }

  get there() {
    return this.data.sentences[1 - this.state.sentence];
  }

  get tables() {
    return this.data.form ? ["similarity"] : ["similarity", "scores"];
  }

  // {similarity: of(…), scores: of(…)}, for the tables there are.
  each(of) {
    return Object.fromEntries(this.tables.map((name) => [name, of(name)]));
  }

  // Whether a cell is the same in the other sentence.
  stays(name, i, j) {
    return Math.abs(this.here[name][i][j] - this.there[name][i][j]) < SAME;
  }

  countKept(name) {
    return this.here[name].flatMap((row, i) => row.filter((_, j) => this.stays(name, i, j))).length;
  }

  view() {
    const { word, data } = this;
    const remark = this.there ? html`<p class="attn-note">${this.remark()}</p>` : nothing;
    const options = data.sentences.map(({ labels }, i) => [i, labels.join(this.language === "zh" ? "" : " ")]);
    return html`
      ${this.there
        ? html`<div class="attn-controls">
            ${choose(this, { name: "sentence", legend: word.sentence, options, pick: (sentence) => this.swap(sentence) })}
            ${tick({ label: word.mark, value: this.state.mark, flip: (mark) => this.mark(mark) })}
          </div>`
        : nothing}
      <p class="attn-soft">${word.how}</p>
      ${data.form
        ? html`<div class="attn-columns">
            <div>${this.grid("similarity")}</div>
            <div>${this.lines("similarity")} ${remark}</div>
          </div>`
        : html`<div class="attn-columns">
              ${this.tables.map((name) => html`<div>${this.grid(name)} ${this.lines(name)}</div>`)}
            </div>
            ${remark}`}
    `;
  }

  swap(sentence) {
    this.set({ sentence, mark: true });
    this.say(this.counted);
  }

  mark(mark) {
    this.set({ mark });
    this.say(this.remark());
  }

  pick(row, column) {
    this.set({ row, column });
    this.say(fill(this.word.said, this.each((name) => this.said(name).join(this.language === "zh" ? "；" : "; "))));
  }

  grid(name) {
    const { word, state } = this;
    const { labels } = this.here;
    const values = this.here[name];
    const largest = Math.max(...values.flat().map(Math.abs));
    const cell = (i, j) => {
      const value = values[i][j];
      const looks = [
        (i === state.row && j === state.column) || (i === state.column && j === state.row) ? "chosen" : "plain",
        value < 0 ? "attn-cell-below" : "",
        state.mark && this.there && this.stays(name, i, j) ? "attn-two-directions-kept" : "",
      ];
      return {
        text: decimal(value, 2, { trim: false }),
        share: Math.abs(value) / largest,
        look: looks.filter(Boolean).join(" "),
        label: this.inWords(name, i, j) + (state.mark && this.there ? ` (${this.fate(name, i, j)})` : ""),
        pressed: i === state.row && j === state.column,
      };
    };
    return table(this, {
      name, caption: word[name], rows: labels, columns: labels, cell,
      press: (i, j) => this.pick(i, j),
    });
  }

  fate(name, i, j) {
    const one = decimal(this.there[name][i][j], 2, { trim: false });
    return fill(this.stays(name, i, j) ? this.word.same : this.word.moved, { one });
  }

  inWords(name, i, j) {
    const { labels } = this.here;
    const kind = name === "scores" ? (i === j ? "selfAsks" : "asks") : i === j ? "self" : "both";
    const one = decimal(this.here[name][i][j], 2, { trim: false });
    return fill(this.word[kind], { i: labels[i], j: labels[j], one });
  }

  // The pair as the table has it, in words: one line where there is one number, else two.
  said(name) {
    const { row, column } = this.state;
    const one = this.inWords(name, row, column);
    return name === "similarity" || row === column ? [one] : [one, this.inWords(name, column, row)];
  }

  lines(name) {
    const { word, state } = this;
    const pairs = [[state.row, state.column], [state.column, state.row]];
    const { labels } = this.there ?? {};
    return html`<div class="attn-two-directions-${name}">
      ${this.said(name).map((text, n) => {
        const [i, j] = pairs[n];
        const from = name === "scores" ? fill(word.from, { i: this.here.labels[i], j: this.here.labels[j] }) : nothing;
        return html`<p><strong>${text}</strong> <span class="attn-soft">${from}</span></p>
          ${state.mark && this.there
            ? html`<p class="attn-soft">${fill(word.there, { i: labels[i], j: labels[j] })}${this.fate(name, i, j)}</p>`
            : nothing}`;
      })}
    </div>`;
  }

  get counted() {
    return fill(this.word.count, { ...this.each((name) => this.countKept(name)), all: this.here.labels.length ** 2 });
  }

  remark() {
    const { word, state } = this;
    if (!state.mark && state.sentence === this.choices.sentence.first) return word.swap;
    const { labels } = this.here;
    const kept = labels.filter((_, j) => this.stays("similarity", state.row, j)).length;
    const row = fill(kept ? word.row : word.rowGone, { i: labels[state.row], kept, all: labels.length });
    return sentences([this.counted, row, kept && !this.data.form && word.alike], this.language);
  }
}

define("two-directions", TwoDirections);
