"""Run a chapter's chains in warm worker processes, and remember the results on disk.

The key of a result covers everything that could change it: the code of the chain, the
source of `attn` and of the worker, and the versions of Python, NumPy and matplotlib.
Failures are not remembered.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from chapter import Chapter, Fence

HERE = Path(__file__).resolve().parent
ATTN = HERE.parent / "attn"
TIME_LIMIT = 30.0  # seconds for one block
WORKERS = min(os.cpu_count() or 1, 4)


@dataclass(frozen=True)
class BlockError:
    kind: str
    message: str
    line: int  # in the Markdown
    trace: str = ""


@dataclass(frozen=True)
class BlockFigure:
    """A figure as it goes into the page. `element` and `data`: see `attn.figures.interactive`."""

    svg: str
    alt: str
    element: str | None = None
    data: str | None = None


@dataclass(frozen=True)
class BlockResult:
    """What one block did. `skipped`: a module it needs is missing here."""

    stdout: str = ""
    figures: tuple[BlockFigure, ...] = ()
    error: BlockError | None = None
    skipped: bool = False

    @staticmethod
    def from_json(data: dict) -> "BlockResult":
        error = data.get("error")
        return BlockResult(
            data.get("stdout", ""),
            tuple(BlockFigure(**figure) for figure in data.get("figures", ())),
            BlockError(**error) if error else None,
            data.get("skipped", False),
        )


class _Stopped(Exception):
    """The worker was ended from outside while its chain ran, or before."""


class _Worker:
    """One worker process, started when first needed and started anew after a kill.

    One thread runs chains in it; any other may `kill` or `close` it meanwhile.
    """

    def __init__(self, time_limit: float):
        self._time_limit = time_limit
        self._lock = threading.Lock()  # over which process there is
        self._process: subprocess.Popen | None = None
        self._closed = False

    def _started(self) -> subprocess.Popen:
        with self._lock:
            if self._closed:
                raise _Stopped
            if self._process is None or self._process.poll() is not None:
                self._end()
                self._start()
            return self._process

    def _start(self) -> None:
        environment = dict(os.environ, MPLBACKEND="module://capture_backend")
        # Matplotlib's and BLAS's threads would only fight over the same few cores.
        environment.setdefault("OPENBLAS_NUM_THREADS", "1")
        environment["PYTHONPATH"] = os.pathsep.join([str(HERE), str(HERE.parent)])
        environment["PYTHONHASHSEED"] = "0"
        environment["PYTHONUTF8"] = "1"
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
            start_new_session=True,  # so that what a block starts can be ended with it
            encoding="utf-8",
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(
            target=self._read, args=(self._process, self._lines), daemon=True
        ).start()

    @staticmethod
    def _read(process: subprocess.Popen, lines: queue.Queue) -> None:
        try:
            for line in process.stdout:
                lines.put(line)
        except ValueError:
            pass  # the worker was killed and its pipe closed
        lines.put(None)

    def run(self, request: dict) -> list[BlockResult]:
        results: list[BlockResult] = []
        process = None
        try:
            process = self._started()
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            while True:
                # A worker that is still importing NumPy has run no block yet.
                answer = self._answer(self._time_limit if results else self._time_limit + 30)
                if "result" in answer:
                    results.append(BlockResult.from_json(answer["result"]))
                if answer.get("done"):
                    return results
        except (queue.Empty, OSError, EOFError, ValueError, _Stopped) as problem:
            block = request["blocks"][len(results)]
            results.append(BlockResult(error=self._lost(problem, process, block["line"])))
            return results

    def _answer(self, time_limit: float) -> dict:
        line = self._lines.get(timeout=time_limit)
        if line is None:
            raise EOFError
        answer = json.loads(line)
        if answer.get("started"):
            line = self._lines.get(timeout=self._time_limit)
            if line is None:
                raise EOFError
            answer = json.loads(line)
        return answer

    def _lost(self, problem: Exception, process, line: int) -> BlockError:
        """Say what happened to the process, and end what is left of it."""
        with self._lock:
            if process is None or self._process is not process:
                return BlockError("Stopped", "the build was stopped while this block ran", line)
            if isinstance(problem, queue.Empty):
                self._end()
                message = f"still running after {self._time_limit:g} s; make it shorter"
                return BlockError("TimeLimit", message, line)
            if not isinstance(problem, (BrokenPipeError, EOFError)):
                self._end()
                raise problem
            code = process.wait()
            self._log.seek(0)
            trace = self._log.read()[-2000:].decode("utf-8", "replace")
            self._end()
            message = f"the block ended its process (status {code})"
            return BlockError("WorkerDied", message, line, trace)

    def kill(self) -> None:
        """End the process; the next chain gets a new one."""
        with self._lock:
            self._end()

    def close(self) -> None:
        """End the process; no chain runs here any more."""
        with self._lock:
            self._closed = True
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, 9)
        except (AttributeError, ProcessLookupError, PermissionError):
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, self._log):
            try:
                stream.close()
            except OSError:
                pass  # what was left to write has no reader any more


class Runner:
    """Runs chains in parallel; use as a context manager, or call `close`.

    Parameters
    ----------
    cache : folder for the results, made when needed; None remembers nothing.
    time_limit : seconds that one block may take.
    """

    def __init__(self, cache: Path | None, *, time_limit: float = TIME_LIMIT, workers=WORKERS):
        self._cache = cache
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._workers = [_Worker(time_limit) for _ in range(workers)]
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(workers)
        self._running: dict[str, Future[list[BlockResult]]] = {}
        self._times, self._fingerprint = _times(), fingerprint()

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *exc) -> None:
        self.close()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def refresh(self) -> None:
        """Notice a change of `attn`: what it computed before is not used any more."""
        self._times, now = _times(), fingerprint()
        if now != self._fingerprint:
            self._fingerprint = now
            for worker in self._workers:
                worker.kill()

    def run(self, chapter: Chapter) -> Future[dict[int, BlockResult]]:
        """Results by the line of each block; a block after a failed one has none."""
        return _gathered([(chain, self._submit(chapter, chain)) for chain in chapter.chains])

    def _submit(self, chapter: Chapter, chain: tuple[Fence, ...]) -> Future[list[BlockResult]]:
        """The chain's results; a chain that is running already is not started again."""
        key = _digest(self._key(chain), chapter.path, str(chain[0].line))
        future = self._running.get(key)
        if future is None:
            future = self._running[key] = self._threads.submit(self._results, chapter, chain)
            future.add_done_callback(lambda _: self._running.pop(key, None))
        return future

    def _results(self, chapter: Chapter, chain: tuple[Fence, ...]) -> list[BlockResult]:
        key = self._key(chain)
        path = self._cache and self._cache / f"{key}.json"
        results = _load(path) if path else None
        if results is None:
            worker = self._idle.get()
            try:
                results = worker.run(_request(chapter, chain))
            finally:
                self._idle.put(worker)
            # A source that is saved meanwhile may be what the worker read, and not what the key stands for.
            same = key == self._key(chain) and _unchanged(self._times)
            if path and same and not any(result.error or result.skipped for result in results):
                _store(path, results)
        return results

    def _key(self, chain: tuple[Fence, ...]) -> str:
        code = [[block.code, block.importorskip] for block in chain]
        return _digest(self._fingerprint, json.dumps(code))


def _gathered(chains: list[tuple[tuple[Fence, ...], Future[list[BlockResult]]]]) -> Future:
    """One future for all chains of a chapter, without a thread that waits."""
    gathered: Future = Future()
    lock, left = threading.Lock(), [len(chains)]

    def done(_):
        with lock:
            left[0] -= 1
            if left[0]:
                return
        try:
            results = [zip(chain, future.result()) for chain, future in chains]
            gathered.set_result({block.line: r for pairs in results for block, r in pairs})
        except BaseException as problem:
            gathered.set_exception(problem)

    if not chains:
        gathered.set_result({})
    for _, future in chains:
        future.add_done_callback(done)
    return gathered


def _request(chapter: Chapter, chain: tuple[Fence, ...]) -> dict:
    blocks = [
        {"code": b.code, "line": b.line + 1, "importorskip": b.importorskip} for b in chain
    ]
    return {"name": chapter.path, "source": chapter.text, "blocks": blocks}


def _load(path: Path) -> list[BlockResult] | None:
    try:
        return [BlockResult.from_json(data) for data in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, TypeError):
        return None  # absent, or cut short by a build that was stopped: run again


def _store(path: Path, results: list[BlockResult]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(result) for result in results], ensure_ascii=False)
    scratch = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def fingerprint() -> str:
    """Changes with everything that what a block does depends on, but for its own code."""
    versions = [sys.version, sys.platform, version("numpy"), version("matplotlib")]
    return _digest(*versions, *(path.read_bytes() for path in _sources()))


def _sources() -> list[Path]:
    sources = [HERE / name for name in ("worker.py", "chain.py", "capture_backend.py")]
    return sources + sorted(path for path in ATTN.rglob("*") if path.suffix in {".py", ".otf", ".ttf"})


def _times() -> dict[Path, int]:
    """When each source was saved; asked sooner than what stands in it."""
    return {path: path.stat().st_mtime_ns for path in _sources()}


def _unchanged(times: dict[Path, int]) -> bool:
    try:
        return all(path.stat().st_mtime_ns == time for path, time in times.items())
    except OSError:  # one is gone
        return False


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:32]
