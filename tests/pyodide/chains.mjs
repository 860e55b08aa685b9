// Runs chains as a page does, in one Pyodide for all of them, as Session.run in driver.py keeps
// them apart. One line of JSON on stdin: what to load, and the chains; one out for each chain.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

// Before Pyodide starts, which makes stdin its own.
const { run, pyodide, wheel, modules, chains } = JSON.parse(readFileSync(0, "utf8"));
const { startPython } = await import(pathToFileURL(`${run}/python.js`));
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));

const python = await startPython({
  loadPyodide,
  indexURL: `${pyodide}/`,
  wheel: readFileSync(wheel),
  modules,
});
for (const { blocks, language } of chains) {
  if (python.mustPrepare(blocks)) await python.prepareFigures();
  console.log(JSON.stringify(python.run(blocks, { language, prefix: "live" })));
}
