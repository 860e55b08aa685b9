// How large the KV cache gets: for published models, and for numbers of the reader's own.
//
// data: {models: [{name, layers, kvHeads, headDim}], tokens, bytes}; shapes from attn.models.

import {
  AttnElement, attention, choose, decimal, define, fill, html, listing, live, slider, whole,
} from "./shared.js";

const MOST = { layers: 200, kvHeads: 200, headDim: 1024 };
const BYTES = [1, 2, 4];
const MOST_DOUBLINGS = 20; // of a context of one token
const UNITS = ["KiB", "MiB", "GiB", "TiB"];

const WORDS = {
  zh: ZH && {
    title: "KV 缓存计算器",
    model: "从哪个模型开始",
    layers: "层数",
    kvHeads: "K/V 头数",
    headDim: "每头维度",
    bytes: "每个数占的字节",
    tokens: "上下文长度（词元）",
    factors: ["键和值", "层", "K/V 头", "每头维度", "字节"],
    rate: "字节 / 词元",
    token: "词元",
    total: "字节",
    table: "各占多少",
    yours: "上面的数",
    equal: "{name} 的 1 倍",
    ratio: "{name} 的 {ratio} 倍",
    ratios: "上面的数是 {ratios}。",
    hint: "只算一条序列，所有层，不含参数。乘积里没有模型宽度，也没有查询头数。先猜再试：层数翻倍，K/V 头数减半，会怎样？",
    unit: "（1 {unit} = 1024{power} 字节）",
    said: "{total} 字节，{size}",
  },
  en: EN && {
    title: "KV cache calculator",
    model: "start from",
    layers: "layers",
    kvHeads: "K/V heads",
    headDim: "head dimension",
    bytes: "bytes a number",
    tokens: "context (tokens)",
    factors: ["K and V", "layers", "K/V heads", "head dim.", "bytes"],
    rate: "bytes a token",
    token: "tokens",
    total: "bytes",
    table: "How much each takes",
    yours: "the numbers above",
    equal: "as much as {name}",
    ratio: "{ratio} × as much as {name}",
    ratios: "The numbers above take {ratios}.",
    hint: "One sequence, all layers, without the parameters. The model's width and its query heads are not in the product. Guess, then try: twice the layers, half the K/V heads.",
    unit: "(1 {unit} = 1024{power} bytes)",
    said: "{total} bytes, {size}",
  },
};

const grouped = (number) => number.toLocaleString("en");

// The largest unit that is not larger than the number, as a power of 1024; bytes are 0.
const powerOf = (bytes) => UNITS.filter((_, i) => bytes >= 1024 ** (i + 1)).length;

class CacheSize extends AttnElement {
  static words = WORDS;

  fields() {
    const { models, tokens, bytes } = this.data;
    const field = (name) => whole(1, MOST[name], models[0][name]);
    return {
      layers: field("layers"),
      kvHeads: field("kvHeads"),
      headDim: field("headDim"),
      bytes: whole(1, BYTES.at(-1), bytes),
      doublings: whole(0, MOST_DOUBLINGS, Math.log2(tokens)),
    };
  }

  get tokens() {
    return 2 ** this.state.doublings;
  }

  // Of a model, or of the numbers above.
  rate(shape = this.state) {
    return attention.cacheBytesPerToken({ ...shape, bytes: this.state.bytes });
  }

  size(rate) {
    const bytes = rate * this.tokens;
    const power = powerOf(bytes);
    return power ? `${decimal(bytes / 1024 ** power)} ${UNITS[power - 1]}` : `${bytes} ${this.word.total}`;
  }

  change(changes) {
    this.set(changes);
    const rate = this.rate();
    this.say(fill(this.word.said, { total: grouped(rate * this.tokens), size: this.size(rate) }));
  }

  view() {
    const { word, state, data } = this;
    const shaped = Object.keys(MOST);
    const chosen = data.models.findIndex((model) => shaped.every((name) => model[name] === state[name]));
    const start = (i) => this.change(Object.fromEntries(shaped.map((name) => [name, data.models[i][name]])));
    return html`
      <div class="attn-controls">
        ${choose(this, {
          name: "model", legend: word.model, options: data.models.map(({ name }, i) => [i, name]), value: chosen, pick: start,
        })}
        ${choose(this, {
          name: "bytes", legend: word.bytes, options: BYTES.map((count) => [count, count]),
          pick: (bytes) => this.change({ bytes }),
        })}
      </div>
      <div class="attn-controls">
        ${shaped.map((name) => this.field(name))}
        ${slider({
          label: word.tokens, least: 0, most: MOST_DOUBLINGS, value: state.doublings, text: grouped(this.tokens),
          move: (doublings) => this.change({ doublings }),
        })}
      </div>
      ${this.products()} ${this.bars(chosen)}
      <p class="attn-note">${word.hint}</p>
    `;
  }

  // What does not fit is not taken; on leaving, the field shows what holds.
  field(name) {
    const typed = ({ target }) => {
      const fits = target.value !== "" && target.checkValidity();
      target.setAttribute("aria-invalid", !fits);
      if (fits) this.change({ [name]: Number(target.value) });
      else if (target.value !== "") target.reportValidity();
    };
    const left = ({ target }) => {
      target.setAttribute("aria-invalid", false);
      this.update();
    };
    return html`<label class="attn-cache-size-field">
      <span>${this.word[name]}</span>
      <input type="number" min="1" max=${MOST[name]} .value=${live(`${this.state[name]}`)} @input=${typed} @change=${left} />
    </label>`;
  }

  products() {
    const { word, state, tokens } = this;
    const { layers, kvHeads, headDim, bytes } = state;
    const rate = this.rate();
    const total = rate * tokens;
    const power = powerOf(total);
    const rounded = !Number.isInteger((100 * total) / 1024 ** power);
    const named = (number, name) => html`<span><b>${grouped(number)}</b> <small>${name}</small></span>`;
    const product = (factors, result) =>
      html`<p class="attn-cache-size-product">${factors.map((factor, i) => [i ? " × " : "", factor])} = ${result}</p>`;
    const factors = [2, layers, kvHeads, headDim, bytes].map((number, i) => named(number, word.factors[i]));
    const unit = power ? fill(word.unit, { unit: UNITS[power - 1], power: power > 1 ? "²³⁴"[power - 2] : "" }) : "";
    return html`
      ${product(factors, named(rate, word.rate))}
      ${product([named(rate, word.rate), named(tokens, word.token)], html`${named(total, word.total)}${power
        ? html` ${rounded ? "≈" : "="} <span><b>${this.size(rate)}</b> <small>${unit}</small></span>`
        : ""}`)}
    `;
  }

  bars(chosen) {
    const { word, data } = this;
    const own = this.rate();
    const rows = [...data.models.map((model) => [model.name, this.rate(model)]), [word.yours, own]];
    const largest = Math.max(...rows.map(([, rate]) => rate));
    const ratios = data.models
      .filter((_, i) => i !== chosen)
      .map(({ name, ...shape }) => {
        const ratio = Number((own / this.rate(shape)).toPrecision(3));
        return fill(ratio === 1 ? word.equal : word.ratio, { name, ratio });
      });
    return html`
      <table class="attn-cache-size-bars">
        <caption class="attn-unseen">${word.table}</caption>
        ${rows.map(
          ([name, rate]) => html`<tr>
            <th scope="row">${name}</th>
            <td><div style="--share: ${rate / largest}"></div></td>
            <td>${this.size(rate)}</td>
          </tr>`,
        )}
      </table>
      <p>${fill(word.ratios, { ratios: listing(ratios, this.language) })}</p>
    `;
  }
}

define("cache-size", CacheSize);
