// Renders formulas with KaTeX: one JSON object a line in, one a line out, in the same order.
// In: {"tex": "…", "display": true}. Out: {"html": "…"} or {"error": "…"}.

import { createInterface } from "node:readline";
import katex from "katex";

const lines = createInterface({ input: process.stdin, terminal: false });

for await (const line of lines) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
}

function answer({ tex, display }) {
  try {
    const html = katex.renderToString(tex, {
      displayMode: display,
      output: "htmlAndMathml",
      strict: "error",
      throwOnError: true,
    });
    return { html };
  } catch (error) {
    return { error: error.message };
  }
}
