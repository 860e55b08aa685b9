// The experiments of the √d laboratory: random queries and keys, or random inputs and W, and what
// comes of them raw, divided by √d and divided by d. The same seed gives the same sample.

import { backward, dot, jacobianNorm, length, matmul, normals, softmax, sum, trace, transpose } from "./attention.js";

export const SCALES = { raw: () => 1, root: (d) => 1 / Math.sqrt(d), full: (d) => 1 / d };

const POSITIONS = 6;

// Random queries and keys, each number with mean 0 and variance 1, as in chapter 04.
export function drawScores(d, seed, tables = 100) {
  const next = normals(seed);
  const draw = () => table(POSITIONS, d, next);
  return Array.from({ length: tables }, () => {
    const [q, k] = [draw(), draw()];
    return q.map((query) => k.map((key) => dot(query, key)));
  });
}

// What the scales make of them: {spread, expected, largest, sharp, row}. `expected` is the spread
// that theory gives, `sharp` the share of rows with a weight above `limit`, `row` one row of weights.
export function measureWeights(d, seed, limit) {
  const tables = drawScores(d, seed);
  return eachScale(d, (scale) => {
    const scores = tables.flat().map((row) => row.map((score) => score * scale));
    const weights = scores.map((row) => softmax(row));
    const largest = weights.map((row) => Math.max(...row));
    return {
      spread: spread(scores.flat()),
      expected: Math.sqrt(d) * scale,
      largest: mean(largest),
      sharp: mean(largest.map((weight) => (weight > limit ? 1 : 0))),
      row: weights[0],
    };
  });
}

// Random inputs and parameters. X has mean 0 and variance 1; W has variance 1/width, so that q, k
// and v have variance 1 too. `back` is the gradient that reaches the outputs.
export function drawLayer(d, seed, tables = 50, width = 32) {
  const next = normals(seed);
  const draw = (rows, columns) => Array.from({ length: tables }, () => table(rows, columns, next));
  const parameters = () => table(width, d, () => next() / Math.sqrt(width));
  return {
    x: draw(POSITIONS, width), wQ: parameters(), wK: parameters(), wV: parameters(), back: draw(POSITIONS, d),
  };
}

// {largest, row, faded, median, loudest, wQ, wV}: `faded` is the share of rows of weights whose
// Jacobian has a norm below `limit`; `median` is that of the lengths of the queries' gradients, and
// `loudest` what the longest tenth of them have of the sum of all; wQ and wV are the norms of the
// gradients of these parameters.
export function measureGradients(d, seed, limit) {
  const { x, wQ, wK, wV, back } = drawLayer(d, seed);
  const [q, k, v] = [wQ, wK, wV].map((w) => x.map((one) => matmul(one, w)));
  return eachScale(d, (scale) => {
    const traces = x.map((_, i) => trace(q[i], k[i], v[i], { scale }));
    const gradients = traces.map((steps, i) => backward(back[i], steps));
    const weights = traces.flatMap((steps) => steps.weights);
    const queries = gradients.flatMap((gradient) => gradient.q.map(length)).sort((one, other) => other - one);
    const forParameters = (name) => length(matmul(transpose(x.flat()), gradients.flatMap((one) => one[name])).flat());
    return {
      largest: mean(weights.map((row) => Math.max(...row))),
      row: weights[0],
      faded: mean(weights.map((row) => (jacobianNorm(row) < limit ? 1 : 0))),
      median: (queries[queries.length / 2 - 1] + queries[queries.length / 2]) / 2,
      loudest: sum(queries.slice(0, queries.length / 10)) / sum(queries),
      wQ: forParameters("q"),
      wV: forParameters("v"),
    };
  });
}

const table = (rows, columns, next) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, next));

const eachScale = (d, measure) =>
  Object.fromEntries(Object.entries(SCALES).map(([name, scale]) => [name, measure(scale(d))]));

const mean = (numbers) => sum(numbers) / numbers.length;

const spread = (numbers) => {
  const middle = mean(numbers);
  return Math.sqrt(mean(numbers.map((number) => (number - middle) ** 2)));
};
