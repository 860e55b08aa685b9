// Runs blocks in a worker, one chain at a time; starts it when first needed, ends it to stop.

export class Runner {
  // Addresses: of the worker's script, of the folder of Pyodide's files, of attn's wheel.
  constructor({ worker, python, wheel }) {
    this.addresses = { worker, python, wheel };
    this.worker = null;
    this.started = false; // Python runs in the worker
    this.stale = false; // the next run wants a new one
    this.current = null; // the run that has the worker
    this.last = Promise.resolve();
    this.count = 0;
  }

  // blocks: the code of each block of a chain. onOutput: given what the last one prints, as it
  // prints it. onProgress: given {phase, loaded, total}: phase "wait" while another run has the
  // worker, "python" while Python is loaded, "figures" while matplotlib is, then "run"; bytes.
  //
  // Answers with one of
  //   {results}  for each block that ran: {stdout, stderr, figures, error}; see driver.py
  //   {stopped: true}
  //   {failed: {file, message, crashed}}  no Python; `file` is what could not be downloaded;
  //              crashed: it ran, and the code ended it
  //
  // exercise, function: what the code is handed to the checker for; see driver.py.
  run(blocks, { onOutput = () => {}, onProgress = () => {}, ...options }) {
    const run = { blocks, options, onOutput, onProgress, stopped: false };
    if (this.current) onProgress({ phase: "wait" });
    const turn = this.last
      .then(() => (run.stopped ? { stopped: true } : this.begin(run)))
      .catch((problem) => this.refused(problem)); // a browser without such workers
    this.last = turn;
    // One that waits can be stopped before its turn.
    const cancelled = new Promise((settle) => (run.cancel = () => settle({ stopped: true })));
    const answer = Promise.race([turn, cancelled]);
    answer.stop = () => this.stop(run);
    return answer;
  }

  begin(run) {
    this.current = run;
    if (this.stale) this.end();
    run.onProgress({ phase: this.started ? "run" : "python" });
    this.worker ??= this.start();
    return new Promise((settle) => {
      run.settle = (answer) => {
        this.current = null;
        settle(answer);
      };
      const prefix = `live${++this.count}`;
      this.worker.postMessage({ run: { blocks: run.blocks, prefix, ...run.options } });
    });
  }

  refused(problem) {
    this.current = null;
    return { failed: { file: null, message: problem.message } };
  }

  start() {
    const { worker: script, python, wheel } = this.addresses;
    const worker = new Worker(script, { type: "module" });
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.hear({ failed: { file: event.message ? null : script.split("/").pop(), message: event.message } });
    };
    worker.postMessage({ start: { python, wheel } });
    return worker;
  }

  hear({ progress, phase, output, results, failed }) {
    const run = this.current;
    if (failed) this.end(); // so that the next run starts from nothing
    if (!run) return;
    if (phase === "run") this.started = true;
    if (progress) run.onProgress(progress);
    if (phase) {
      run.phase = phase;
      run.onProgress({ phase });
    }
    if (output) run.onOutput(output);
    if (results) run.settle({ results });
    if (failed) run.settle({ failed: { ...failed, crashed: run.phase === "run" } });
  }

  // Python cannot be interrupted from outside where the page may not share memory with its
  // worker, so the worker is ended. A new one is started at once, from what was downloaded;
  // but not where the download itself was stopped.
  stop(run) {
    run.stopped = true;
    if (run !== this.current) {
      run.cancel();
      return;
    }
    const { started } = this;
    this.end();
    run.settle({ stopped: true });
    if (started) this.worker = this.start();
  }

  // The next run finds a new Python; one that has the worker now keeps the old.
  renew() {
    if (this.current) {
      this.stale = true;
    } else if (this.started) {
      this.end();
      this.worker = this.start();
    }
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
    this.started = false;
    this.stale = false;
  }
}
