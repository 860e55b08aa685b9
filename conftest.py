"""Of every pytest run here: the unit tests, and the blocks of the chapters (`--codeblocks`)."""

import os
import sys

# Before anything imports matplotlib: `plt.show()` is silent, as it is in the build.
os.environ["MPLBACKEND"] = "module://capture_backend"


def pytest_runtest_teardown(item):
    """Close what a block or a test drew: figures left open add up to a warning."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
