// What a reader has chosen in a figure, and how it stands in the address: `?fig-3=row.2_kind.causal`.
// Only what differs from the start is written, and no character of it needs escaping.

// A field has the value it starts with, and turns values into text and back; a text that does
// not fit gives undefined.

export const whole = (least, most, first) => ({
  first,
  write: String,
  read: (text) =>
    /^-?\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined,
});

export const choice = (values, first = values[0]) => ({
  first,
  write: String,
  read: (text) => (values.includes(text) ? text : undefined),
});

export const flag = (first = false) => ({
  first,
  write: (value) => (value ? "1" : "0"),
  read: (text) => ({ 0: false, 1: true })[text],
});

// A row of booleans, as many as at first.
export const flags = (first) => ({
  first,
  write: (values) => values.map((value) => (value ? "1" : "0")).join(""),
  read: (text) =>
    new RegExp(`^[01]{${first.length}}$`).test(text) ? [...text].map((bit) => bit === "1") : undefined,
});

// A row of numbers from -limit to limit, as many as at first.
export const numbers = (first, limit) => ({
  first,
  write: (values) => values.join("*"),
  read: (text) => {
    const values = text.split("*");
    const fit = values.every((value) => /^-?\d+(\.\d+)?$/.test(value) && Math.abs(value) <= limit);
    return fit && values.length === first.length ? values.map(Number) : undefined;
  },
});

// A row of whole numbers, each a digit from 0 to `most`; as many as at first, or as many as given.
export const digits = (first, most, [fewest, longest] = [first.length, first.length]) => ({
  first,
  write: (values) => values.join(""),
  read: (text) =>
    new RegExp(`^[0-${most}]{${fewest},${longest}}$`).test(text) ? [...text].map(Number) : undefined,
});

// A row of whole numbers from 0, each once: an order.
export const order = (count) => ({
  first: Array.from({ length: count }, (_, i) => i),
  write: (values) => values.join("-"),
  read: (text) => {
    const values = text.split("-").map(Number);
    const fit = values.length === count && new Set(values).size === count;
    return fit && values.every((value) => Number.isInteger(value) && value >= 0 && value < count)
      ? values
      : undefined;
  },
});

export function initial(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.first]));
}

export function readState(fields, key) {
  const state = initial(fields);
  const text = new URLSearchParams(location.search).get(key) ?? "";
  for (const part of text.split("_")) {
    const [name, ...rest] = part.split(".");
    const value = fields[name]?.read?.(rest.join("."));
    if (value !== undefined) state[name] = value;
  }
  return state;
}

export function writeState(fields, key, state) {
  const parts = Object.entries(fields)
    .map(([name, field]) => [name, field.write(state[name]), field.write(field.first)])
    .filter(([, now, first]) => now !== first)
    .map(([name, now]) => `${name}.${now}`);
  const address = new URL(location.href);
  if (parts.length) address.searchParams.set(key, parts.join("_"));
  else address.searchParams.delete(key);
  try {
    history.replaceState(history.state, "", address);
  } catch {
    // A browser may refuse for a file that was opened from a disk. The figure works all the same.
  }
}
