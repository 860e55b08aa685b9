// Numbers as the still figures write them (attn/figures/numbers.py): fractions where they are
// exact, a true minus sign.

const MINUS = "−";
const LARGEST_DENOMINATOR = 12;
// Two roundings of arithmetic away from a fraction is that fraction.
const TOLERANCE = 1e-12;

// "2/3", "2", "−1/2", or null where no small fraction is meant.
export function fraction(value, largest = LARGEST_DENOMINATOR) {
  for (let below = 1; below <= largest; below += 1) {
    const above = Math.round(value * below);
    if (Math.abs(above / below - value) <= TOLERANCE) {
      const size = below === 1 ? `${Math.abs(above)}` : `${Math.abs(above)}/${below}`;
      return above < 0 ? MINUS + size : size;
    }
  }
  return null;
}

// "1.5"; with trim: false "1.50". ∞ for infinity.
export function decimal(value, places = 2, { trim = true } = {}) {
  if (Math.abs(value) === Infinity) return value > 0 ? "∞" : `${MINUS}∞`;
  let text = rounded(Math.abs(value), places);
  if (trim && text.includes(".")) text = text.replace(/\.?0+$/, "");
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

// toFixed rounds a tie up, Python to even; only halves of a power of two can be ties.
function rounded(size, places) {
  const halves = size * 2 ** (places + 1);
  if (Number.isInteger(halves) && halves % 2) {
    const below = Math.floor(size * 10 ** places);
    return ((below + (below % 2)) / 10 ** places).toFixed(places);
  }
  return size.toFixed(places);
}

// A number that may be exact: a fraction, else a decimal.
export const number = (value, places = 2) => fraction(value) ?? decimal(value, places);

// Weights: all fractions if every one is exact, else all decimals, with their zeros.
export function shares(values, { exact = true, places = 2, largest = LARGEST_DENOMINATOR } = {}) {
  const fractions = exact ? values.map((value) => fraction(value, largest)) : [null];
  if (fractions.every((text) => text !== null)) return fractions;
  return values.map((value) => decimal(value, places, { trim: false }));
}

// "52.4%"
export const percent = (value, places = 1) => `${decimal(100 * value, places, { trim: false })}%`;

// "[1.5, 0.75]"
export const vector = (values, places = 2) =>
  `[${values.map((value) => decimal(value, places)).join(", ")}]`;

// "a, b, c" or "a、b、c"
export const listing = (items, language) => items.join(language === "zh" ? "、" : ", ");

// One sentence after another; Chinese sets no space between them.
export const sentences = (parts, language) => parts.filter(Boolean).join(language === "zh" ? "" : " ");

// The template with its {names} filled in.
export const fill = (template, values) =>
  template.replace(/\{(\w+)\}/g, (mark, name) => values[name] ?? mark);
