// The worker in which Python runs: it can be ended at any moment, and the page stays alive.
//
// In:  {start: {python, wheel}}   addresses of the folder of Pyodide's files and of attn's wheel
//      {run: {blocks, language, prefix, exercise, function}}
// Out: {progress: {phase, loaded, total}}   bytes; total is 0 where it is not known
//      {phase}                              "start", "figures" or "run" begins
//      {output}                             what the last block printed since the last one
//      {results}                            what `Session.run` in driver.py returns
//      {failed: {file, message}}            no Python; file is what could not be downloaded

import capture_backend from "../../../../scripts/capture_backend.py";
import chain from "../../../../scripts/chain.py";
import driver from "./driver.py";
import { startPython } from "./python.js";

const PAUSE = 50; // ms between two messages of one kind
const SIZES = "sizes.json"; // bytes by file, written by the build
// What is fetched to start Python; all other wheels are for drawing.
const FIRST = /\.wasm$|\.zip$|^pyodide-lock\.json$|^(numpy|attention_by_hand)-.*\.whl$/;

let python;
let missing = null; // the file that could not be downloaded
const download = { phase: "python", loaded: 0, total: 0, sizes: {} };

self.onmessage = ({ data }) => (data.start ? start(data.start) : run(data.run));

async function start({ python: folder, wheel }) {
  self.fetch = counting(self.fetch.bind(self));
  python = begin(folder, wheel);
  python.catch(() => {}); // `run` reports it
}

async function begin(folder, wheel) {
  const sizes = self.fetch(`${folder}${SIZES}`).then((answer) => answer.json());
  const bytes = self.fetch(wheel).then((answer) => answer.arrayBuffer());
  const { loadPyodide } = await importing(`${folder}pyodide.mjs`);
  download.sizes = await sizes;
  expect((name) => FIRST.test(name));
  const modules = { driver, chain, capture_backend };
  return startPython({ loadPyodide, indexURL: folder, wheel: bytes, modules });
}

async function run({ blocks, ...options }) {
  try {
    const ready = await python;
    if (ready.mustPrepare(blocks)) {
      download.phase = "figures";
      download.loaded = 0;
      expect((name) => name.endsWith(".whl") && !FIRST.test(name));
      await ready.prepareFigures();
    }
    self.postMessage({ phase: "run" });
    const output = gathered();
    const results = ready.run(blocks, { ...options, onOutput: output.add });
    output.send();
    self.postMessage({ results });
  } catch (problem) {
    self.postMessage({ failed: { file: missing, message: String(problem?.message ?? problem) } });
  }
}

async function importing(address) {
  try {
    return await import(address);
  } catch (problem) {
    missing ??= fileName(address);
    throw problem;
  }
}

// A loop that prints would otherwise send a message for each line.
function gathered() {
  let text = "";
  let last = performance.now();
  const send = () => {
    if (text) self.postMessage({ output: text });
    text = "";
    last = performance.now();
  };
  return {
    send,
    add: (more) => {
      text += more;
      if (performance.now() - last > PAUSE) send();
    },
  };
}

const fileName = (address) => new URL(address, self.location).pathname.split("/").pop();

function expect(wanted) {
  download.total = Object.entries(download.sizes)
    .filter(([name]) => wanted(name))
    .reduce((sum, [, size]) => sum + size, 0);
}

// `fetch` that counts bytes. The response itself is passed on untouched, so that the browser can
// keep the compiled program with it.
function counting(fetch) {
  return async (address, options) => {
    const name = fileName(address.url ?? address);
    let response;
    try {
      response = await fetch(address, options);
      if (!response.ok) throw new Error(`${name}: HTTP ${response.status}`);
    } catch (problem) {
      missing ??= name;
      throw problem;
    }
    if (name !== SIZES) count(response.clone().body.getReader(), name);
    return response;
  };
}

let told = 0;

async function count(reader, name) {
  try {
    for (let part; !(part = await reader.read()).done; ) {
      download.loaded += part.value.length;
      if (performance.now() - told > PAUSE) tell();
    }
    tell();
  } catch {
    missing ??= name; // the connection broke; who uses the response sees it too
  }
}

function tell() {
  told = performance.now();
  const { phase, loaded, total } = download;
  self.postMessage({ progress: { phase, loaded, total } });
}
