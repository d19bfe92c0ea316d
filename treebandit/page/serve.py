"""`python -m treebandit.page`: a page to play against every player, to compare two rules, and to replay games.

It opens a browser on a free port of this machine, which nobody else reaches, and goes on until Ctrl-C. With
command="python my_engine.py" the page plays against that program too; no link and no request names another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib.util
import logging
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from experiments.engine.errors import INTERRUPTED, TERMINATED, leave, say
from numerics.commands import Command
from numerics.output.progress import show_doing
from numerics.parameters import parameter

if TYPE_CHECKING:
    from connect4.players.program import ProgramPlayer

_EXTRA = ("starlette", "uvicorn")
_MOST_PORT = 65_535
_ENDS = {signal.SIGINT: ("interrupted", INTERRUPTED), signal.SIGTERM: ("terminated", TERMINATED)}


class Serve(Command, module="treebandit.page"):
    """Where the page is."""

    browser: bool = parameter(True, help="open a browser; false only prints the address")
    port: int = parameter(0, low=0, high=_MOST_PORT, help="of the address; 0 takes a free one")
    host: str = parameter("127.0.0.1", help="where to listen; 127.0.0.1 only this machine reaches")
    results: str = parameter("results", help="the folder of the runs whose games are shown")
    command: str | None = parameter(None, help='a program to play against, as "python my_engine.py"')
    limit: float = parameter(10.0, low=0.0, above=True, high=60.0, help="seconds within which that program must answer")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, open the page and serve it."""
    given = Serve.read(words)
    if missing := [name for name in _EXTRA if importlib.util.find_spec(name) is None]:
        raise ValueError(f"the page needs {' and '.join(missing)}: make play, or pip install 'treebandit[web]'")
    program = None if given.command is None else program_of(given.command, given.limit)
    with listen(given.host, given.port) as listener:
        serve(listener, given.host, Path(given.results), program, browser=given.browser)


def program_of(command: str, limit: float) -> ProgramPlayer:
    """Return a program as a player that has given a legal move.

    Raises
    ------
    ValueError
        It gives none, as one that cannot be started.
    """
    from connect4 import Board
    from connect4.players.program import ProgramPlayer
    from experiments.games.trial import first_positions, try_out

    player, empty = ProgramPlayer(command=command, limit=limit), Board()
    try_out(player, first_positions(empty.width, empty.height, empty.connect), "command")
    return player


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    ValueError
        A port that is taken, or no such place.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is taken; give another one, or none for one that is free") from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise ValueError(f"port {port} is not allowed here; give one from 1024 on, or none") from None
        # Windows numbers the errors of addresses beyond those that it has texts for.
        reason = os.strerror(error.errno) if error.errno and 0 < error.errno < 10_000 else str(error)
        raise ValueError(
            f"host must be an address of this machine, such as 127.0.0.1; got {host!r} ({reason})"
        ) from None


def open_browser(address: str) -> None:
    """Open the page; where there is only a browser for terminals, or none, the printed address must do."""
    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # which would take the terminal
            browser.open(address)


def serve(
    listener: socket.socket, host: str, results: Path, program: ProgramPlayer | None = None, *, browser: bool = False
) -> None:
    """Print the address once the page is loaded, perhaps open a browser, and answer until interrupted."""
    port = listener.getsockname()[1]
    with show_doing("loading the page"):
        import uvicorn

        from treebandit.page.app import make_app
        from treebandit.page.safety import is_loopback

        app = make_app(host, port, results, program=program)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"Watch it think: {address}   (Ctrl-C ends it)", flush=True)
    if browser:
        threading.Thread(target=open_browser, args=(address,), daemon=True).start()
    if not is_loopback(host):
        say("whoever reaches this machine by its network can open the page and have it search")

    class Server(uvicorn.Server):
        """A server that a signal ends at once, whatever it is doing.

        In a callback of the loop: an exception that a signal raises amid other code can be swallowed there.
        """

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            loop = asyncio.get_running_loop()
            with contextlib.suppress(NotImplementedError):  # Windows, where `guarded` ends it
                for number, (word, status) in _ENDS.items():
                    loop.add_signal_handler(number, _end, word, status)
            yield

    options: dict[str, Any] = {"lifespan": "off", "ws": "none", "http": "h11", "loop": "asyncio"}
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "proxy_headers": False}
    logging.getLogger("uvicorn.error").addFilter(_is_a_bug)
    server = Server(uvicorn.Config(app, **options, **quiet))
    threading.Thread(target=warm_up, daemon=True).start()
    asyncio.run(server.serve(sockets=[listener]))


def _end(word: str, status: int) -> NoReturn:
    say(word)
    leave(status)


def _is_a_bug(record: logging.LogRecord) -> bool:
    """Leave out warnings of requests that are none, and the report of streams that the end of the server cuts off."""
    cut_off = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return record.levelno >= logging.ERROR and not cut_off


def warm_up() -> None:
    """Load the kernels of a search, so that the first move does not wait for them."""
    from connect4 import Board
    from mcts import search

    search(Board(), simulations=1)
