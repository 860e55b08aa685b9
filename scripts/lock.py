"""One process at a time: a second one waits until the first has done."""

import contextlib
from pathlib import Path


@contextlib.contextmanager
def held(path: Path, waiting: str):
    """Hold the lock of this name for the length of a `with` block.

    Ends with the process, however that ends. Where the system has no such locks (Windows),
    nothing is held.

    Parameters
    ----------
    path : Path
        The file that stands for the lock; made with its folder when needed.
    waiting : str
        What is printed when another process holds it.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    path.parent.mkdir(exist_ok=True)
    with open(str(path), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(waiting, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
