// The only arithmetic of the interactive figures. It follows attn (core.py, masks.py,
// streaming.py, gradients.py) and is tested against it. A table is an array of rows; a
// position is a row; `visible` is a table of booleans, true = may be read.

export const transpose = (table) => table[0].map((_, j) => table.map((row) => row[j]));

export function dot(one, other) {
  let total = 0;
  for (let i = 0; i < one.length; i += 1) total += one[i] * other[i];
  return total;
}

export function matmul(left, right) {
  const columns = transpose(right);
  return left.map((row) => columns.map((column) => dot(row, column)));
}

// Shares of one row of scores. Where nothing is visible they are all 0.
export function softmax(scores, visible) {
  const masked = visible ? scores.map((score, j) => (visible[j] ? score : -Infinity)) : scores;
  const largest = Math.max(...masked);
  const exponentials = masked.map((score) =>
    // -∞ - (-∞) is NaN.
    largest === -Infinity ? 0 : Math.exp(score - largest),
  );
  const total = sum(exponentials);
  return exponentials.map((exponential) => exponential / (total === 0 ? 1 : total));
}

export const plus = (one, other) => one.map((row, i) => row.map((value, j) => value + other[i][j]));

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// Every step of one head: {q, k, v, scores, scaled, masked, weights, output, scale}.
export function trace(q, k, v, { visible, bias, scale = 1 / Math.sqrt(q[0].length) } = {}) {
  const scores = q.map((query) => k.map((key) => dot(query, key)));
  const scaled = q.map((query, i) => {
    const small = query.map((value) => value * scale);
    return k.map((key, j) => dot(small, key) + (bias ? bias[i][j] : 0));
  });
  const masked = scaled.map((row, i) =>
    row.map((score, j) => (!visible || visible[i][j] ? score : -Infinity)),
  );
  const weights = masked.map((row) => softmax(row));
  return { q, k, v, scores, scaled, masked, weights, output: matmul(weights, v), scale };
}

// The K/V head that each query head reads: neighbours share one.
export const repeated = (heads, kvHeads) =>
  Array.from({ length: heads }, (_, head) => Math.floor(head / (heads / kvHeads)));

// The common mistake: query heads take turns.
export const tiled = (heads, kvHeads) => Array.from({ length: heads }, (_, head) => head % kvHeads);

// One trace for each query head.
export function traceHeads(q, k, v, options) {
  const reads = repeated(q.length, k.length);
  return q.map((head, h) => trace(head, k[reads[h]], v[reads[h]], options));
}

// Bytes that the KV cache grows by with each token: keys and values of every layer.
export const cacheBytesPerToken = ({ layers, kvHeads, headDim, bytes }) => 2 * layers * kvHeads * headDim * bytes;

// Masks. `align`: "end", the last query is the newest position; "start", query i and key i
// are the same position.

const offsetOf = (queries, keys, align) => (align === "end" ? keys - queries : 0);

const maskOf = (queries, keys, mayRead) =>
  Array.from({ length: queries }, (_, i) => Array.from({ length: keys }, (_, j) => mayRead(i, j)));

export function causalMask(queries, keys = queries, align = "end") {
  const offset = offsetOf(queries, keys, align);
  return maskOf(queries, keys, (i, j) => j <= i + offset);
}

export function windowMask(queries, keys, { left, right, align = "end" }) {
  const offset = offsetOf(queries, keys, align);
  return maskOf(queries, keys, (i, j) => j - (i + offset) >= -left && j - (i + offset) <= right);
}

// `front`: the filler stands before the sequence, not behind it.
export const paddingMask = (length, queries, keys, front = false) =>
  maskOf(queries, keys, (_, j) => (front ? j >= keys - length : j < length));

// A key must pass both.
export const both = (one, other) => one.map((row, i) => row.map((seen, j) => seen && other[i][j]));

// Deleting weights after softmax instead of hiding scores before it.
export const deleted = (weights, visible) => weights.map((weight, j) => (visible[j] ? weight : 0));

export function renormalised(weights) {
  const total = sum(weights);
  return weights.map((weight) => weight / (total === 0 ? 1 : total));
}

// Online softmax for one query: what is remembered after each block of keys. `shrink` is what
// the sums so far were multiplied by.
export function streamingSteps(scores, v, block = 1) {
  const steps = [];
  let maximum = -Infinity;
  let total = 0;
  let weighted = v[0].map(() => 0);
  for (let start = 0; start < scores.length; start += block) {
    const end = Math.min(start + block, scores.length);
    const larger = Math.max(maximum, ...scores.slice(start, end));
    const subtract = larger === -Infinity ? 0 : larger; // as in softmax
    const shrink = Math.exp(maximum - subtract);
    const exponentials = scores.slice(start, end).map((score) => Math.exp(score - subtract));
    const read = matmul([exponentials], v.slice(start, end))[0];
    total = shrink * total + sum(exponentials);
    weighted = weighted.map((value, c) => shrink * value + read[c]);
    maximum = larger;
    const output = weighted.map((value) => value / (total === 0 ? 1 : total));
    steps.push({ start, end, maximum, shrink, exponentials, total, weighted, output });
  }
  return steps;
}

// Multiplications in the matrix products of one head: of the rows that are projected to q, k and
// v, and of the pairs that are scored and read. `input`, `key`, `value`: how wide each is.
export const multiplications = (rows, pairs, { input, key, value }) =>
  rows * input * (2 * key + value) + pairs * (key + value);

// The way back.

export const jacobian = (weights) =>
  weights.map((one, i) => weights.map((other, j) => one * ((i === j ? 1 : 0) - other)));

export const length = (numbers) => Math.hypot(...numbers);

export const jacobianNorm = (weights) => length(jacobian(weights).flat());

// From the gradient of the output to those of {v, weights, scaled, q, k}.
export function backward(outputGradient, { q, k, v, weights, scale }) {
  const weightGradient = matmul(outputGradient, transpose(v));
  const scaled = weights.map((row, i) => {
    const mean = dot(row, weightGradient[i]);
    return row.map((weight, j) => weight * (weightGradient[i][j] - mean));
  });
  const times = (table) => table.map((row) => row.map((value) => scale * value));
  return {
    v: matmul(transpose(weights), outputGradient),
    weights: weightGradient,
    scaled,
    q: times(matmul(scaled, k)),
    k: times(matmul(transpose(scaled), q)),
  };
}

// Numbers with mean 0 and variance 1, the same for the same seed: mulberry32 by Tommy Ettinger
// (https://gist.github.com/tommyettinger/46a874533244883189143505d203312c) makes uniform ones,
// and the method of Box and Muller (1958) normal ones.
export function normals(seed) {
  let state = seed >>> 0;
  let spare = null;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => {
    if (spare !== null) {
      const second = spare;
      spare = null;
      return second;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}
