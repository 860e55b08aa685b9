"""Functions of the interactive figures' modules, run by Node."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ELEMENTS = ROOT / "docs/theme/assets/elements"
NODE = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

# JSON has no infinity and no NaN.
SCRIPT = """
const [file, calls, times] = JSON.parse(require("fs").readFileSync(0, "utf8"), (_, value) =>
  value === "inf" ? Infinity : value === "-inf" ? -Infinity : value === "nan" ? NaN : value);
import(file).then((module) => {
  const results = calls.map(([name, ...args]) => {
    const result = module[name](...args);
    return times ? Array.from({ length: times }, result) : result;
  });
  console.log(JSON.stringify(results, (_, value) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
});
"""


def node(module: str, calls: list, times: int = 0) -> list:
    """What the functions of a module return, for each of `calls`: [name, *arguments].

    `times`: the functions return functions; call each so often.
    """
    file = (ELEMENTS / module).as_uri()
    given = json.dumps([file, _plain(calls), times], allow_nan=False)
    done = subprocess.run([NODE, "-e", SCRIPT], input=given, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _plain(value):
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value
