// A sentence, and how one of its positions reads all of them: lines as thick as the weights.
//
// data: {sentences: [{labels, weights}], same_query, row, numbers}; all computed by attn. `numbers`:
// whether the shares are shown from the start.

import {
  AttnElement, button, choice, choose, define, fill, flag, html, keyed, nothing, percent, sentences, svg, tick, whole,
} from "./shared.js";

const PITCH = 100; // of the drawing, which is as wide as the row of positions
const FOOT = 150;
const WIDEST = 40; // the line of a weight of 1
const [NO_QUESTION, ASKED] = [-1, -2]; // or the position that was guessed
const PAUSES = { slow: 4000, usual: 2400, fast: 1200 }; // ms for each reader

const WORDS = {
  zh: ZH && {
    title: "谁在读谁",
    sentence: "句子",
    speed: "快慢",
    speeds: { slow: "慢", usual: "中", fast: "快" },
    back: "上一个",
    next: "下一个",
    numbers: "显示数字",
    pick: "点一个位置，让它来读",
    reads: "{name}，正在读；读自己 {share}",
    isRead: "{name}，被读 {share}",
    readsUnsaid: "{name}，正在读",
    isReadUnsaid: "{name}",
    most: "“{reader}”读得最多的是“{most}”，占 {mostShare}；最少的是“{least}”，占 {leastShare}；加起来 100%。",
    reverse: "反过来是另一行：“{most}”读“{reader}”，占 {share}。",
    guess: "“{reader}”读谁最多，读谁最少？先看线猜，再显示数字。",
    quiz: "考考我",
    ask: "“{reader}”读谁最多？",
    pickGuess: "点你猜的位置",
    yes: "猜对了。",
    no: "不是“{guess}”。",
    same: "两句里“{reader}”是同一个词；读法不同，是因为别的位置不同。",
    atOnce: "六个位置其实是同时算的，一个一个放只是为了看清。",
  },
  en: EN && {
    title: "Who reads whom",
    sentence: "sentence",
    speed: "speed",
    speeds: { slow: "slow", usual: "usual", fast: "fast" },
    back: "Back",
    next: "Next",
    numbers: "show numbers",
    pick: "Press a position to let it read.",
    reads: "{name}, is reading; reads itself with {share}",
    isRead: "{name}, is read with {share}",
    readsUnsaid: "{name}, is reading",
    isReadUnsaid: "{name}",
    most: "“{reader}” reads “{most}” most, {mostShare}, and “{least}” least, {leastShare}. Together it is 100%.",
    reverse: "The other way round is another row: “{most}” reads “{reader}” with {share}.",
    quiz: "Ask me",
    ask: "Which does “{reader}” read most?",
    pickGuess: "Press your guess.",
    yes: "Right.",
    no: "Not “{guess}”.",
    guess: "Which does “{reader}” read most, and which least? Guess from the lines, then show the numbers.",
    same: "“{reader}” is the same word in both sentences. It reads differently because the others differ.",
    atOnce: "All six are computed at once; they come one by one only to be seen.",
  },
};

class WhoReadsWhom extends AttnElement {
  static words = WORDS;

  fields() {
    const { sentences: given, row } = this.data;
    return {
      row: whole(0, given[0].labels.length - 1, row),
      sentence: whole(1, given.length, 1),
      numbers: flag(this.data.numbers),
      speed: choice(Object.keys(PAUSES), "usual"),
      guess: whole(ASKED, given[0].labels.length - 1, NO_QUESTION),
    };
  }

  get sentence() {
    return this.data.sentences[this.state.sentence - 1];
  }

  get asks() {
    return this.state.guess === ASKED;
  }

  // An answer shows the numbers, whatever the reader chose before.
  get numbers() {
    return this.state.numbers ? !this.asks : this.state.guess >= 0;
  }

  view() {
    const { labels, weights } = this.sentence;
    const { row, sentence } = this.state;
    return html`
      ${this.whatToShow()}
      <p class="attn-caption" id="${this.key}-pick">${this.asks ? this.word.pickGuess : this.word.pick}</p>
      <div class="attn-who-reads-whom" style="--count: ${labels.length}" role="group" aria-labelledby="${this.key}-pick">
        <svg viewBox="0 0 ${labels.length * PITCH} ${FOOT}" aria-hidden="true">
          ${this.asks
            ? nothing
            : keyed(`${row} ${sentence}`, svg`<g>${weights[row].map((weight, j) => line(row, j, weight, labels.length))}</g>`)}
        </svg>
        ${labels.map((name, j) => this.position(name, j, weights[row][j]))}
      </div>
      <p class="attn-note">${this.said}</p>
      ${this.pace()}
    `;
  }

  position(name, j, weight) {
    const { row, sentence } = this.state;
    const kind = (j === row ? "reads" : "isRead") + (this.numbers ? "" : "Unsaid");
    const press = () => (this.asks ? this.show(row, sentence, j) : this.show(j));
    const label = fill(this.word[kind], { name, share: percent(weight) });
    return html`<div>
      ${button(name, press, { pressed: j === row, label })}
      <span aria-hidden="true">${this.numbers ? percent(weight) : "–"}</span>
    </div>`;
  }

  whatToShow() {
    const { word, state, data } = this;
    const start = ({ labels }) => labels.slice(0, 3).join(this.language === "zh" ? "" : " ");
    return html`
      <div class="attn-controls">
        ${data.sentences.length > 1
          ? choose(this, {
              name: "sentence", legend: word.sentence, pick: (sentence) => this.show(state.row, sentence),
              options: data.sentences.map((sentence, i) => [i + 1, `${start(sentence)} …`]),
            })
          : nothing}
        ${tick({ label: word.numbers, value: state.numbers, flip: (numbers) => this.tell({ numbers }) })}
      </div>
    `;
  }

  pace() {
    const { word, state } = this;
    const count = this.sentence.labels.length;
    const turn = (by) => this.show((state.row + by + count) % count);
    return html`
      <div class="attn-controls">
        ${button(word.back, () => turn(-1))}
        ${this.player({ primary: true })}
        ${button(word.next, () => turn(1))}
        ${button(word.quiz, () => this.show((state.row + 1) % count, state.sentence, ASKED))}
        ${this.calm
          ? nothing
          : choose(this, {
              name: "speed", legend: word.speed, options: Object.entries(word.speeds),
              pick: (speed) => this.set({ speed }),
            })}
      </div>
    `;
  }

  // A reader, chosen by the reader of the page: that ends a show.
  show(row, sentence = this.state.sentence, guess = NO_QUESTION) {
    this.pause();
    this.tell({ row, sentence, guess });
  }

  tell(changes) {
    this.set(changes);
    this.say(this.said);
  }

  get said() {
    const { word, state, data } = this;
    const { labels, weights } = this.sentence;
    const row = weights[state.row];
    const reader = labels[state.row];
    const most = row.indexOf(Math.max(...row));
    const least = row.indexOf(Math.min(...row));
    const shares = { mostShare: percent(row[most]), leastShare: percent(row[least]) };
    if (this.asks) return fill(word.ask, { reader });
    const verdict = state.guess >= 0 && fill(state.guess === most ? word.yes : word.no, { guess: labels[state.guess] });
    const told = fill(this.numbers ? word.most : word.guess, { reader, most: labels[most], least: labels[least], ...shares });
    const reverse =
      this.numbers && most !== state.row &&
      fill(word.reverse, { reader, most: labels[most], share: percent(weights[most][state.row]) });
    const differs = state.sentence > 1 && data.same_query[state.row] && fill(word.same, { reader });
    return sentences([verdict, told, this.playing ? word.atOnce : differs || reverse], this.language);
  }

  get wait() {
    return PAUSES[this.state.speed];
  }

  tick() {
    this.set({ row: (this.state.row + 1) % this.sentence.labels.length, guess: NO_QUESTION });
    return true;
  }
}

// From the reader to what it reads; a loop where it reads itself. As in attn/figures/reading.py.
function line(from, to, weight, count) {
  const [start, end] = [from, to].map((place) => (place + 0.5) * PITCH);
  const top = FOOT - (46 + (84 * Math.abs(from - to)) / (count - 1)) / 0.75;
  const path =
    from === to
      ? `M${start - 14} ${FOOT} C${start - 46} ${FOOT - 76} ${start + 46} ${FOOT - 76} ${start + 14} ${FOOT}`
      : `M${start} ${FOOT} C${start} ${top} ${end} ${top} ${end} ${FOOT}`;
  return svg`<path d=${path} pathLength="1" stroke-width=${WIDEST * weight} />`;
}

define("who-reads-whom", WhoReadsWhom);
