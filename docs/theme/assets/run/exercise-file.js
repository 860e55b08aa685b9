// The file that Export writes and Import reads: a program that checks each exercise again, with a
// cell for each, as editors know cells (`# %%`). A reader may go on in such an editor and come back.

const CELL = /^# %% exercise: (?<name>[\w-]+)(?: (?<mark>✓|\().*)?$/;

// exercises: {name, code, solved} each; code "" where there is none; solved: "this" code is right,
// "other" code was, or "" for not solved. words: {mark, changed}, what stands for these two.
export function written(head, exercises, { mark, changed }) {
  const state = { this: ` ✓ ${mark}`, other: ` (${changed})`, "": "" };
  const cells = exercises.map(({ name, code, solved }) => `# %% exercise: ${name}${state[solved]}\n\n${code.trim()}`);
  return `${[head, ...cells].map((part) => part.trimEnd()).join("\n\n\n")}\n`;
}

// The exercises in such a text, as `written` took them; none if it is another file.
export function exercisesIn(text) {
  const found = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const cell = CELL.exec(line.trimEnd())?.groups;
    if (cell) found.push({ name: cell.name, lines: [], solved: { "✓": "this", "(": "other" }[cell.mark] ?? "" });
    else found.at(-1)?.lines.push(line);
  }
  return found.map(({ lines, ...rest }) => ({ ...rest, code: lines.join("\n").replace(/^\s*\n|\s+$/g, "") }));
}
