"""`python -m treebandit.page`: a page to play against every player, to compare two rules, and to replay games.

It opens a browser on a free port of this machine, which nobody else reaches, and goes on until Ctrl-C. With
command="python my_engine.py" the page also plays against that program. With game="my_games.Nim size=5" it shows
searches of two rules in your game. Links and requests cannot name another program or game. A connection is closed if
its request does not arrive within 10 s, or after 5 s without a new one. At most 1,000 connections are open.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import socket
from collections.abc import Sequence
from pathlib import Path

from numerics.checks import show
from numerics.commands import Command
from numerics.output.progress import show_doing
from numerics.parameters import parameter

_EXTRA = ("starlette", "uvicorn")
_MOST_PORT = 65_535


class Serve(Command, module="treebandit.page"):
    """Where the page is."""

    browser: bool = parameter(True, help="open a browser; if false, only print the address")
    port: int = parameter(0, low=0, high=_MOST_PORT, help="port of the address; 0 selects a free port")
    host: str = parameter("127.0.0.1", help="address to listen on; 127.0.0.1 is reachable from this machine only")
    results: str = parameter("results", help="folder of the runs whose games are shown")
    game: str | None = parameter(None, help='your own game, whose searches are shown, such as "my_games.Nim size=5"')
    command: str | None = parameter(None, help='a program to play against, such as "python my_engine.py"')
    limit: float = parameter(
        10.0, low=0.0, above=True, high=60.0, help="time limit of that program per move, in seconds"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, open the page and serve it."""
    given = Serve.read(words)
    if missing := [name for name in _EXTRA if importlib.util.find_spec(name) is None]:
        raise ValueError(f"the page needs {' and '.join(missing)}: make play, or pip install 'treebandit[web]'")
    with listen(given.host, given.port) as listener:
        with show_doing("loading the page"):
            from treebandit.page import server  # not before its libraries are known to be there

        program = None if given.command is None else server.program_of(given.command, given.limit)
        game = None if given.game is None else server.game_of(given.game)
        server.serve(listener, given.host, Path(given.results), program, game, browser=given.browser)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    ValueError
        A port that is taken, or no such place.
    """
    allowed = f"host must be an address of this machine, such as 127.0.0.1; got {show(host)}"
    if not host:  # which the system takes for all its addresses
        raise ValueError(allowed)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, port, family)
        return socket.create_server((host, port), family=family)
    except UnicodeError:  # a text that can name no machine
        raise ValueError(allowed) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is in use; give another one, or leave it out to use a free port") from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise ValueError(
                f"port {port} requires special rights; give one of at least 1024, or leave it out"
            ) from None
        # Windows numbers the errors of addresses beyond those that it has texts for.
        reason = os.strerror(error.errno) if error.errno and 0 < error.errno < 10_000 else str(error)
        raise ValueError(f"{allowed} ({reason})") from None
