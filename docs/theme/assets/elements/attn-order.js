// Let rows change places, by dragging or step by step, and see which outputs go along.
//
// data: {x, wk, wv, scale} of one head, `wqs`: its W_Q in the plain and in the directed version,
// `version`: which of the two the page's numbers are from, and `p`, which can be added to the inputs.
// A row is what moves (x₂), a position is where it stands (2).

import {
  AttnElement, attention, button, choice, choose, define, fill, flag, html, listing, nothing, order, sentences, shares,
  table, tick, vector, whole,
} from "./shared.js";

const SAME = 1e-9;
const MOVE = 250; // ms

const WORDS = {
  zh: ZH && {
    title: "换次序",
    move: "移动什么",
    whats: { x: "X 的行", kv: "K 和 V", k: "只有 K" },
    version: "版本",
    versions: ["朴素", "有方向"],
    add: "加上 p₁（后面讲）",
    causal: "因果掩码",
    position: "位置 {i}",
    earlier: "{name} 往前移",
    later: "{name} 往后移",
    output: "{name} 的输出",
    first: "按 1、2、3 排：",
    same: "一样",
    weights: "权重：一行是一个查询，列按现在的次序",
    guess: "先猜：换了次序，哪些输出会变，各在哪个位置？再拖动，或用箭头。",
    moved: "每一行都带着自己的输出走，数一个没变：看输出，看不出次序。",
    kv: "每个键还配着自己的值：还是那几个乘积，求和不看先后。",
    k: "键和值配错了对。",
    alike: "{names} 没变：换了地方的那些键，它给的权重相等。",
    added: "p₁ 留在位置 1，不跟着行走。",
    unseen: "p₁ 只说得出谁在位置 1；另外两行对调，还是看不出来。",
    masked: "有因果掩码，能读到的行变了，输出才变。",
    changed: "变了：{names}。",
    said: "次序：{names}。",
  },
  en: EN && {
    title: "Another order",
    move: "move",
    whats: { x: "rows of X", kv: "K and V", k: "K alone" },
    version: "version",
    versions: ["plain", "directed"],
    add: "add p₁ (see below)",
    causal: "causal mask",
    position: "position {i}",
    earlier: "move {name} earlier",
    later: "move {name} later",
    output: "output of {name}",
    first: "in order 1, 2, 3:",
    same: "the same",
    weights: "weights: each row is a query; columns in their order now",
    guess: "Guess first: in another order, which outputs will change, and at which position will each be? Then drag, or use the arrows.",
    moved: "Every row takes its output along, and no number changes: the outputs do not tell the order.",
    kv: "Each key kept its value: the same products, and a sum does not mind their order.",
    k: "Keys and values are wrongly paired.",
    alike: "Not {names}: the keys that moved had equal weights there.",
    added: "p₁ stays at position 1, whichever row stands there.",
    unseen: "p₁ only tells who stands at position 1. That the other two changed places still goes unnoticed.",
    masked: "Under a causal mask an output changes where other rows are read.",
    changed: "Changed: {names}.",
    said: "order: {names}.",
  },
};

const sub = (i) => "₁₂₃₄"[i];
const near = (one, other) => one.every((value, c) => Math.abs(value - other[c]) < SAME);

class Order extends AttnElement {
  static words = WORDS;

  fields() {
    const { x, wqs, version } = this.data;
    return {
      what: choice(["x", "kv", "k"]),
      version: whole(0, wqs.length - 1, version),
      order: order(x.length),
      add: flag(),
      causal: flag(),
    };
  }

  // Whether inputs move, and with them queries; only then can positions tell anything.
  get inputs() {
    return this.state.what === "x";
  }

  // The steps with the rows in an order; tables are by position.
  run(places) {
    const { x, wqs, wk, wv, scale, p } = this.data;
    const { what, version, add, causal } = this.state;
    const placed = this.inputs ? places.map((row) => x[row]) : x;
    const rows = this.inputs && add ? attention.plus(placed, p) : placed;
    const [q, k, v] = [wqs[version], wk, wv].map((matrix) => attention.matmul(rows, matrix));
    const moved = (table, kinds) => (kinds.includes(what) ? places.map((row) => table[row]) : table);
    const visible = this.inputs && causal ? attention.causalMask(q.length) : undefined;
    return { rows, ...attention.trace(q, moved(k, ["kv", "k"]), moved(v, ["kv"]), { scale, visible }) };
  }

  // For each position: whose output stands there, and what it was in the first order.
  get outputs() {
    const { order: places } = this.state;
    const before = this.run(this.choices.order.first);
    const now = this.run(places);
    return now.output.map((output, place) => {
      const reader = this.inputs ? places[place] : place;
      const old = before.output[reader];
      return {
        name: (this.inputs ? "x" : "q") + sub(reader), reader, output, old, same: near(output, old),
        alike: near(now.weights[place], before.weights[reader]),
      };
    });
  }

  name(row) {
    return this.state.what[0] + sub(row);
  }

  view() {
    const { word, state } = this;
    const now = this.run(state.order);
    const outputs = this.outputs;
    const option = (name) =>
      tick({ label: word[name], value: state[name], flip: (on) => this.change({ [name]: on }) });
    return html`
      <div class="attn-controls">
        ${choose(this, {
          name: "what", legend: word.move, options: Object.entries(word.whats), pick: (what) => this.change({ what }),
        })}
        ${choose(this, {
          name: "version", legend: word.version, options: word.versions.map((text, i) => [i, text]),
          pick: (version) => this.change({ version }),
        })}
        ${this.inputs ? ["add", "causal"].map(option) : nothing}
      </div>
      <div class="attn-columns">
        <div
          class="attn-order"
          style="--count: ${outputs.length}"
          @pointerdown=${(event) => this.take(event)}
          @pointermove=${(event) => this.drag(event)}
          @pointerup=${() => this.drop()}
          @pointercancel=${() => this.drop()}
        >
          ${outputs.map((output, place) => this.place(place, output, now.rows[place]))}
        </div>
        <div>
          ${table(this, {
            name: "weights",
            caption: word.weights,
            rows: outputs.map(({ name }) => name),
            columns: state.order.map((row) => this.name(row)),
            cell: (i, j) =>
              now.masked[i][j] === -Infinity
                ? { text: "×", look: "hidden" }
                : { text: shares(now.weights[i])[j], share: now.weights[i][j] },
          })}
        </div>
      </div>
      <p class="attn-note">${this.remark}</p>
    `;
  }

  place(place, { name: reader, output, old, same }, sum) {
    const { word, state, data } = this;
    const row = state.order[place];
    const name = this.name(row);
    const step = (by, arrow, text) =>
      button(arrow, () => this.step(place, by), {
        label: fill(text, { name }), disabled: !(place + by in state.order),
      });
    const title = fill(word.position, { i: place + 1 });
    return html`<div role="group" aria-label=${title}>
      <p class="attn-soft">${title}</p>
      <div class="attn-order-row" data-moves=${row}>
        ${name} ${{ x: vector(data.x[row]), kv: `v${sub(row)}` }[state.what]}
      </div>
      <div class="attn-order-steps">${step(-1, "←", word.earlier)}${step(1, "→", word.later)}</div>
      ${state.what === "k" ? html`<p>v${sub(place)}</p>` : nothing}
      ${this.inputs && state.add ? html`<p>+ p${sub(place)} ${vector(data.p[place])}<br />= ${vector(sum)}</p>` : nothing}
      <div class="attn-order-output ${same ? "" : "attn-order-changed"}" data-moves=${reader}>
        ${fill(word.output, { name: reader })}<br />
        <b>${vector(output)}</b><br />
        <small style=${this.moved ? "" : "visibility: hidden"}>${word.first}<br />${same ? word.same : vector(old)}</small>
      </div>
    </div>`;
  }

  get moved() {
    return !near(this.state.order, this.choices.order.first);
  }

  get remark() {
    const { word, state, inputs, outputs } = this;
    if (!this.moved) return word.guess;
    const those = (kind) => outputs.filter(kind).map(({ name }) => name).sort();
    const changed = those(({ same }) => !same);
    const alike = state.what === "k" ? those((one) => one.alike) : [];
    const why = inputs
      ? [state.add && changed.length && word.added, state.causal && word.masked]
      : [word[state.what]];
    const whole = inputs && !changed.length && (state.add ? word.unseen : word.moved);
    const named = (text, names) => names.length && fill(text, { names: listing(names, this.language) });
    return sentences([...why, named(word.changed, changed), named(word.alike, alike), whole], this.language);
  }

  // Rows change places: by the buttons, where the focus goes along, or by dragging.

  step(place, by) {
    this.move(place, place + by);
    const buttons = this.stage.querySelectorAll(".attn-order-steps")[place + by].children;
    buttons[by < 0 ? 0 : 1].focus();
  }

  move(from, to) {
    const places = [...this.state.order];
    places.splice(to, 0, ...places.splice(from, 1));
    this.change({ order: places });
  }

  change(changes) {
    const lefts = new Map(this.moving().map((part) => [part.dataset.moves, part.getBoundingClientRect().left]));
    this.set(changes);
    const names = listing(this.state.order.map((row) => this.name(row)), this.language);
    this.say(sentences([fill(this.word.said, { names }), this.remark], this.language));
    if (this.calm) return;
    for (const part of this.moving()) {
      const by = lefts.get(part.dataset.moves) - part.getBoundingClientRect().left;
      if (by) part.animate([{ transform: `translateX(${by}px)` }, {}], { duration: MOVE, easing: "ease-out" });
    }
  }

  moving() {
    return [...this.stage.querySelectorAll("[data-moves]")];
  }

  take(event) {
    const row = event.target.closest(".attn-order-row");
    if (!row || event.button) return;
    event.preventDefault(); // no text is selected
    event.currentTarget.setPointerCapture(event.pointerId);
    this.held = Number(row.dataset.moves);
  }

  drag(event) {
    if (this.held === undefined) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const count = this.state.order.length;
    const to = Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - left) / width) * count)));
    const from = this.state.order.indexOf(this.held);
    if (to !== from) this.move(from, to);
  }

  drop() {
    this.held = undefined;
  }
}

define("order", Order);
