// Runs blocks in a worker, one chain at a time; starts it when first needed, ends it to stop.

export class Runner {
  // Addresses: of the worker's script, of the folder of Pyodide's files, of attn's wheel.
  constructor({ worker, python, wheel }) {
    this.addresses = { worker, python, wheel };
    this.worker = null;
    this.started = false; // Python runs in the worker
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
  //   {failed: {file, message}}  Python did not start; `file` is what could not be downloaded
  run(blocks, { language, onOutput = () => {}, onProgress = () => {} }) {
    const run = { blocks, language, onOutput, onProgress, stopped: false };
    if (this.current) onProgress({ phase: "wait" });
    const answer = this.last
      .then(() => (run.stopped ? { stopped: true } : this.begin(run)))
      .catch((problem) => this.refused(problem)); // a browser without such workers
    this.last = answer;
    answer.stop = () => this.stop(run);
    return answer;
  }

  begin(run) {
    this.current = run;
    run.onProgress({ phase: this.started ? "run" : "python" });
    this.worker ??= this.start();
    return new Promise((settle) => {
      run.settle = (answer) => {
        this.current = null;
        settle(answer);
      };
      const prefix = `live${++this.count}`;
      this.worker.postMessage({ run: { blocks: run.blocks, language: run.language, prefix } });
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
    if (phase) run.onProgress({ phase });
    if (output) run.onOutput(output);
    if (results) run.settle({ results });
    if (failed) run.settle({ failed });
  }

  // Python cannot be interrupted from outside where the page may not share memory with its
  // worker, so the worker is ended. A new one is started at once, from what was downloaded;
  // but not where the download itself was stopped.
  stop(run) {
    run.stopped = true;
    if (run !== this.current) return;
    const { started } = this;
    this.end();
    run.settle({ stopped: true });
    if (started) this.worker = this.start();
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
    this.started = false;
  }
}
