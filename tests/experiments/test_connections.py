"""Slow, silent and too many clients of the service and of the page: each is closed, and others are answered."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvicorn

pytest.importorskip("fastapi", reason="FastAPI is not installed (extra live)")
pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra live)")

from tests.experiments.commands import until
from tests.internals import Names, OpenAgents, make_app, server_of
from treebandit.page import app as page
from treebandit.page.connections import limited, most_connections

WAIT = 60.0  # seconds for what takes a fraction of one
TOKEN = "secret"


class Place(NamedTuple):
    """Where a server listens, and where it reads a body."""

    port: int
    path: str


Start = Callable[..., Place]


@contextlib.contextmanager
def running(server: uvicorn.Server, listener: socket.socket) -> Iterator[None]:
    """A server in a thread, until the end of the block."""
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    try:
        until(lambda: server.started)
        yield
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


@pytest.fixture(params=["service", "page"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Start the server of the agents, or of the page; the place is returned."""
    with contextlib.ExitStack() as stack:

        def start(**limits: Any) -> Place:
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            port = listener.getsockname()[1]
            if request.param == "service":
                agents = OpenAgents(f"sqlite:///{tmp_path / 'shop.db'}")
                stack.callback(agents.close)
                server = server_of(make_app(agents, Names("127.0.0.1", port)), **limits)
            else:
                app, quiet = page.make_app("127.0.0.1", port, tmp_path, TOKEN), {"log_config": None, "lifespan": "off"}
                server = uvicorn.Server(uvicorn.Config(app, http=limited("error", **limits), **quiet))  # type: ignore[arg-type]
            stack.enter_context(running(server, listener))
            return Place(port, "/agents" if request.param == "service" else "/api/moves")

        yield start


def connected(place: Place, sent: str = "") -> socket.socket:
    line = socket.create_connection(("127.0.0.1", place.port), timeout=WAIT)
    line.sendall(sent.replace("HOST", f"127.0.0.1:{place.port}").replace("PATH", place.path).encode())
    return line


def rest(line: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError), line:
        while part := line.recv(65_536):
            parts.append(part)
    return b"".join(parts)


HEAD = "Host: HOST\r\nContent-Type: application/json\r\nX-Token: secret\r\n"
SLOW = {
    "a silent connection": "",
    "an empty line": "\r\n",
    "half a line": "GET / HT",
    "half headers": "GET / HTTP/1.1\r\nHost: HOST\r\n",
    "no body": f"POST PATH HTTP/1.1\r\n{HEAD}Content-Length: 9\r\n\r\n",
    "half a body": f"POST PATH HTTP/1.1\r\n{HEAD}Content-Length: 9\r\n\r\n{{",
    "a chunk without an end": f"POST PATH HTTP/1.1\r\n{HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n",
    "half of a refused body": "POST PATH HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n{",
    "an idle connection": "HEAD / HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "half a second request": "HEAD / HTTP/1.1\r\nHost: HOST\r\n\r\nGET / HTTP/1.1\r\nHost",
}


def test_a_client_that_sends_no_whole_request_or_a_byte_now_and_then_is_closed(start):
    place = start(arrives=0.1)
    silent = {name: connected(place, sent) for name, sent in SLOW.items()}
    dripping = connected(place, "GET / HTTP/1.1\r\n")

    def drip() -> None:
        with contextlib.suppress(OSError):
            while True:
                dripping.sendall(b"x")
                threading.Event().wait(0.01)

    threading.Thread(target=drip, daemon=True).start()
    for name, line in silent.items():
        said = rest(line)
        if SLOW[name].strip() and "HEAD" not in SLOW[name] and "evil" not in SLOW[name]:
            assert said.startswith(b"HTTP/1.1 408 "), name
            assert b"0.1 s" in said, name
    rest(dripping)


def test_too_many_connections_are_refused_and_others_answered(start):
    place = start(most=3)
    kept = [connected(place, "GET / HTTP/1.1\r\n") for _ in range(3)]
    said = rest(connected(place, "GET / HTTP/1.1\r\nHost: HOST\r\n\r\n"))
    assert said.startswith(b"HTTP/1.1 503 ") or said == b""  # reset before it was read
    for line in kept:
        line.close()
    asked = "GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
    until(lambda: rest(connected(place, asked)).startswith(b"HTTP/1.1 200 "))


def test_who_is_in_time_is_answered_again_and_again(start):
    line = connected(start(arrives=WAIT))
    for _ in range(3):
        host = f"Host: 127.0.0.1:{line.getpeername()[1]}"
        for part in ("HEAD / HT", "TP/1.1\r\n", f"{host}\r\n", "\r\n"):
            line.sendall(part.encode())
        assert line.recv(65_536).startswith(b"HTTP/1.1 200 ")
    line.close()


def test_connections_leave_descriptors_for_the_rest(monkeypatch):
    resource = pytest.importorskip("resource")
    for limit, most in ((64, 32), (256, 128), (1024, 512), (10**6, 1000), (resource.RLIM_INFINITY, 1000)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        assert most_connections() == most


def test_a_request_that_takes_too_long_at_the_end_gets_a_sentence(tmp_path, capfd):
    agents, entered, free = OpenAgents(f"sqlite:///{tmp_path / 'shop.db'}"), threading.Event(), threading.Event()

    def slow() -> list[str]:
        entered.set()
        free.wait(WAIT)
        return []

    agents.names = slow  # type: ignore[method-assign]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = server_of(make_app(agents, Names("127.0.0.1", port)), grace=0)
        with running(server, listener):
            line = connected(Place(port, "/agents"), "GET /agents HTTP/1.1\r\nHost: HOST\r\n\r\n")
            entered.wait(WAIT)
            server.should_exit = True
            said = rest(line)
            free.set()
    assert said.startswith(b"HTTP/1.1 503 ")
    assert "Traceback" not in capfd.readouterr().err
    agents.close()
