"""A server as a process: it streams, outlives who leaves, ends at once, and says in a sentence what is wrong."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx2
import pytest

from tests.experiments.commands import until
from tests.experiments.served import EMPTY, ID, SMALL, UNSOLVED
from tests.internals import PHASE
from treebandit.page import work

PAGE, AGENTS = "treebandit.page.serve", "treebandit.agents.agents"


@pytest.fixture
def serve(tmp_path):
    """Start a server; return the process and its address."""
    started = []

    def serve(*words):
        command = [sys.executable, "-m", "treebandit.page", "browser=false", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, cwd=tmp_path, **pipes)
        started.append(process)
        line = process.stdout.readline()
        return process, re.search(r"http://\S+:\d+/", line)[0] if line else process.communicate()[1]

    yield serve
    for process in started:
        process.kill()
        process.communicate()


def opened(address):
    """A page of a real server."""
    token = re.search(r'name="token" content="([^"]+)"', httpx2.get(address, timeout=60).text)[1]
    return httpx2.Client(base_url=address, timeout=60, headers={"X-Token": token})


def raw(address, request):
    """Return the first bytes of the answer to a request, which need not be one."""
    host, port = address[7:-1].split(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(f"{request}\r\n\r\n".encode())
        return line.recv(1_000)


@pytest.mark.long
@pytest.mark.parametrize(
    ("sign", "status", "said"),
    [("SIGINT", 130, "interrupted"), pytest.param("SIGTERM", 143, "terminated", marks=pytest.mark.long)],
)
def test_a_real_server_streams_outlives_who_leaves_and_ends_at_once(serve, sign, status, said):
    process, address = serve()
    for strange in (
        "nonsense",
        f"GET / HTTP/1.1\r\nHost: {address[7:-1]}\r\nConnection: Upgrade\r\nUpgrade: websocket",
    ):
        assert raw(address, strange).startswith(b"HTTP/1.1 ")  # and nothing is logged: see the end
    with opened(address) as client:
        client.post(
            "/api/moves", json={"position": EMPTY, "player": {"name": "uct", "seconds": 30}, "seed": 0, "id": ID}
        )
        with client.stream("GET", f"/api/moves/{ID}/events") as stream:  # a browser that goes, and comes back
            first = next(line for line in stream.iter_lines() if re.search(r'"simulations":[1-9]', line))
        until_end = []

        def watch():
            with (
                contextlib.suppress(httpx2.HTTPError),  # it is cut off in the middle
                httpx2.Client(timeout=60) as other,
                other.stream("GET", f"{address}api/moves/{ID}/events") as again,
            ):
                for line in again.iter_lines():
                    until_end.append(line)

        watcher = threading.Thread(target=watch)
        watcher.start()
        until(lambda: sum("data: " in line for line in until_end) >= 6)
        shown = [json.loads(line[6:])["simulations"] for line in until_end if line.startswith("data: ")]
        assert shown[-1] > json.loads(first[6:])["simulations"], "the same search goes on"
        process.send_signal(getattr(signal, sign))
        assert process.wait(120.0) == status
        watcher.join()
    err = "".join(line for line in process.stderr if not line.startswith(PHASE))
    assert err == f"{said}\n"


@pytest.mark.long
def test_what_nobody_waits_for_any_more_is_stopped(serve):
    _, address = serve()
    with opened(address) as client:
        lines = [f"POST /api/scores HTTP/1.1\r\nHost: {address[7:-1]}", f"X-Token: {client.headers['x-token']}"]
        body = json.dumps(UNSOLVED)
        request = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", body]).encode()
        place = (address[7:-1].split(":")[0], int(address[7:-1].split(":")[1]))
        waiting = [socket.create_connection(place) for _ in range(work.AT_ONCE)]
        for one in waiting:
            one.sendall(request)
        asked = {"position": SMALL, "player": {"name": "random"}, "seed": 0, "id": ID}
        until(lambda: client.post("/api/moves", json={**asked, "id": f"{ID}{time.monotonic_ns()}"}).status_code == 429)
        for one in waiting:
            one.close()
        until(lambda: client.post("/api/moves", json=asked).status_code == 200)  # unwatched, each would take minutes


def test_a_port_that_is_taken_and_other_mistakes_are_one_sentence(attempt, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        attempt("browser=false", f"port={port}", module=PAGE).assert_refused([f"port {port} "])
    attempt("command=./nowhere", "browser=false", module=PAGE).assert_refused(["command", "./nowhere"])
    for host in ("", "no.such.host.invalid", "192.0.2.7", "x" * 300, "a..b", "\udcff", " "):
        attempt(f"host={host}", "browser=false", module=PAGE).assert_refused(["host"])
        attempt(f"host={host}", "database=sqlite:///shop.db", module=AGENTS).assert_refused(["host"])
        assert not Path("shop.db").exists()
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name))
    attempt(module=PAGE).assert_refused(["", "uvicorn", "treebandit[web]"])
