"""Can a server listen on this port, and which one is free instead?"""

import errno
import os
import socket

TRIED = 50  # ports after a taken one


class CannotListen(Exception):
    """Nothing can listen there. The message says why, and what would work."""


def check(host: str, port: int) -> None:
    """Raise `CannotListen` when nothing can listen there, naming the next port that is free."""
    error = _refusal(host, port)
    if error is None:
        return
    if error.errno == errno.EADDRINUSE:
        last = min(port + TRIED, 65535)
        free = next((other for other in range(port + 1, last + 1) if not _refusal(host, other)), None)
        message = "Port {} is in use, perhaps by another `dev.py serve`.".format(port)
        if free:
            message += "\nThe next free one: python3 scripts/dev.py serve --port {}".format(free)
        raise CannotListen(message)
    raise CannotListen(
        "Cannot listen on {} port {}: {}. Ports from 1024 on need no rights, and "
        "--host 127.0.0.1 is this machine.".format(host, port, error.strerror or error)
    )


def _refusal(host: str, port: int):
    """What the system says when asked to listen there; None when it lets."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            if os.name == "posix":
                # As a server does: a port whose last connection just ended is free.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except OSError as error:
        return error
    return None
