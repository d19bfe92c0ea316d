"""The running page: a server of this machine, and the browser that shows it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import uvicorn

from connect4.board import Board
from connect4.players.program import ProgramPlayer
from experiments.engine.errors import INTERRUPTED, TERMINATED, leave, say
from experiments.games.positions import PositionRules
from experiments.games.rules import GAMES, try_rules
from experiments.games.trial import first_positions, try_out
from experiments.recordings.positions import check_recorded
from mcts.parallel import search
from treebandit.page.app import make_app
from treebandit.page.connections import IDLE, limited
from treebandit.page.safety import is_loopback

_ENDS = {signal.SIGINT: ("interrupted", INTERRUPTED), signal.SIGTERM: ("terminated", TERMINATED)}


def program_of(command: str, limit: float) -> ProgramPlayer:
    """Return a program as a player that has given a legal move.

    Raises
    ------
    ValueError
        It gives none, as one that cannot be started.
    """
    player, empty = ProgramPlayer(command=command, limit=limit), Board()
    try_out(player, first_positions(empty.width, empty.height, empty.connect), "command")
    return player


def game_of(text: str) -> PositionRules:
    """Return a game of the user's class, or of OpenSpiel, whose searches can be recorded.

    Raises
    ------
    ValueError
        No such game; or it has chance, or other results than a win, a draw and a loss.
    """
    rules = try_rules(GAMES.of(text, "game"), "game")
    if not isinstance(rules, PositionRules):
        raise ValueError(f"game must not be Connect 4, which the page always offers; got {text!r}")
    check_recorded(rules.start, rules.title.removeprefix("at "))
    return rules


def serve(
    listener: socket.socket,
    host: str,
    results: Path,
    program: ProgramPlayer | None = None,
    game: PositionRules | None = None,
    *,
    browser: bool = False,
) -> None:
    """Print the address once the page is loaded, perhaps open a browser, and answer until interrupted."""
    port = listener.getsockname()[1]
    app = make_app(host, port, results, program=program, game=game)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"Watch it think: {address}   (Ctrl-C ends it)", flush=True)
    if browser:
        threading.Thread(target=open_browser, args=(address,), daemon=True).start()
    if not is_loopback(host):
        say("everyone in the network of this machine can open the page and start searches")

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

    options: dict[str, Any] = {"lifespan": "off", "ws": "none", "http": limited("error"), "loop": "asyncio"}
    options["timeout_keep_alive"] = IDLE
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
    search(Board(), simulations=1)


def open_browser(address: str) -> None:
    """Open the page; where there is only a browser for terminals, or none, the printed address must do."""
    with contextlib.suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # which would take the terminal
            browser.open(address)
