// Python with what the course needs: Pyodide, NumPy, the site's own `attn`, and the driver that
// runs blocks. Used by the worker, and by the test that runs every chain of the site in Node.

const HOME = "/home/pyodide";

// loadPyodide: Pyodide's own. indexURL: the folder of its files. wheel: the bytes of attn's wheel,
// or a promise of them. modules: the text of driver.py and of what it imports, by name; see worker.js.
export async function startPython({ loadPyodide, indexURL, wheel, modules }) {
  const [pyodide, bytes] = await Promise.all([
    loadPyodide({ indexURL, packages: ["numpy"] }).then(found("numpy")),
    wheel,
  ]);
  pyodide.unpackArchive(new Uint8Array(bytes), "wheel");
  for (const [name, text] of Object.entries(modules)) pyodide.FS.writeFile(`${HOME}/${name}.py`, text);
  return new Python(pyodide);
}

class Python {
  constructor(pyodide) {
    this.pyodide = pyodide;
    this.driver = pyodide.pyimport("driver");
    this.session = this.driver.Session();
    this.ready = false; // to draw
  }

  // Whether running these blocks needs `prepareFigures` first.
  mustPrepare(blocks) {
    return !this.ready && this.listed(blocks, (list) => this.driver.draws(list));
  }

  async prepareFigures() {
    await this.pyodide.loadPackage("matplotlib", { messageCallback() {}, errorCallback() {} });
    found("matplotlib")(this.pyodide);
    this.session.prepare_figures();
    this.ready = true;
  }

  // What `Session.run` in driver.py returns, as plain objects.
  run(blocks, { language, prefix = "live", onOutput = () => {}, exercise, function: given }) {
    const options = { language, prefix, on_output: onOutput };
    if (exercise) Object.assign(options, { exercise, function: given });
    return this.listed(blocks, (list) => plain(this.session.run.callKwargs(list, options)));
  }

  listed(blocks, use) {
    const list = this.pyodide.toPy(blocks);
    try {
      return use(list);
    } finally {
      list.destroy();
    }
  }
}

function plain(proxy) {
  const value = proxy.toJs({ dict_converter: Object.fromEntries });
  proxy.destroy();
  return value;
}

// Pyodide only warns where a package could not be loaded.
function found(name) {
  return (pyodide) => {
    if (!(name in pyodide.loadedPackages)) throw new Error(`${name} could not be loaded`);
    return pyodide;
  };
}
