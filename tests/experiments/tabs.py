"""The page in a tab: a server of this process on the network, links that are opened, and what is waited for."""

from __future__ import annotations

import asyncio
import re
import threading
from urllib.parse import parse_qs, urlsplit

import pytest

from connect4 import Board
from experiments.players import make_player
from tests.browser import quiet


class Served:
    """The server in a thread of this process; stopping it breaks every connection, as the end of a process does."""

    def __init__(self, port=0, **options):
        import uvicorn

        from tests.internals import listen
        from treebandit.page.app import make_app

        self.socket = listen("127.0.0.1", port)
        self.port = self.socket.getsockname()[1]
        self.app = make_app("127.0.0.1", self.port, **options)
        quietly = {"lifespan": "off", "ws": "none", "http": "h11", "loop": "asyncio", "log_config": None}
        self.server = uvicorn.Server(uvicorn.Config(self.app, **quietly))
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        self.loop = asyncio.new_event_loop()
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(self.server.serve(sockets=[self.socket]))

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def works(self):
        return self.app.state.works

    def break_connections(self):
        def abort():
            for one in list(self.server.server_state.connections):
                one.transport.abort()

        self.loop.call_soon_threadsafe(abort)

    def stop(self):
        self.server.should_exit = self.server.force_exit = True
        self.break_connections()
        self.thread.join()
        self.socket.close()


@pytest.fixture(scope="module")
def served():
    make_player("uct", simulations=10).play(Board())  # compiled before any test looks at a clock
    one = Served()
    yield one
    one.stop()


@pytest.fixture
def opened(page, served):
    """Open a tab with a link's settings; at the end the page must have been quiet."""
    faults = quiet(page)

    def opened(link):
        page.goto(f"{served.address}#{link}")
        page.locator(f"#{link.split('&')[0]}[data-ready]").wait_for()
        return page

    yield opened
    assert faults == []


def turn(page):
    return page.locator(".turn").inner_text()


def link_of(page):
    """Return the settings in the page's address: the moves, and others by their names."""
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).fragment).items()}


def moves_of(page):
    return link_of(page).get("moves", "")


def wait_for(page, place, words):
    """Wait until an element's text has some words, or a pattern."""
    from playwright.sync_api import expect

    expect(page.locator(place)).to_contain_text(
        words, timeout=60_000
    )  # of which compiling takes most, where it comes first


def wait_for_turn(page):
    wait_for(page, ".turn", "Your move")


def wait_for_end_of_thought(page):
    wait_for(page, ".turn", re.compile("Your move|wins|draw"))


def game_is_told(page, board):
    winner = {1: "X wins", -1: "O wins", 0: "A draw"}[board.winner()]
    assert turn(page).startswith(winner)


def ready(page, tab):
    """Wait until a recording is shown; return its place."""
    place = page.locator(f"#{tab} .recording[data-ready]")
    place.wait_for(timeout=60_000)  # kernels may have to be compiled
    return place
