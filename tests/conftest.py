"""What tests of several files use."""

import signal

import pytest


@pytest.fixture
def heedful():
    """What a test starts heeds Ctrl-C and a closed terminal.

    With `nohup`, or in the background of a script, all that is started has learned to ignore them.
    """
    heed = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    before = {
        number: signal.signal(number, handler)
        for name, handler in heed.items()
        if (number := getattr(signal, name, None))
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
