"""The service of live agents under load: clients that choose and reward over connections which stay open."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.live_peers import ARMS, PAYS
from benchmarks.processes import ROOT
from benchmarks.row import Row

CLIENTS, WANTED, LATEST = 32, 500, 0.050  # clients; pairs a second; seconds, of 99 % of the requests


class Load(NamedTuple):
    """What clients have met."""

    pairs_a_second: float
    latest: float  # seconds within which 99 % of the requests were answered


def service_rows(pairs: int) -> Iterator[Row]:
    """Return a line for how many pairs a second the clients make, and one for how long they wait."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'shop.db'}"
        words = [sys.executable, "-m", "treebandit", "agents", f"database={url}", "port=0"]
        service = subprocess.Popen(words, stdout=subprocess.PIPE, encoding="utf-8", cwd=ROOT)
        try:
            assert service.stdout is not None
            port = int(service.stdout.readline().split(":")[3].split("/")[0])
            load = asyncio.run(_loaded(port, pairs))
        finally:
            service.terminate()
            service.wait()
    what = f"the service, {CLIENTS} clients, thompson in SQLite"
    speed = load.pairs_a_second
    yield Row(
        f"{what}: choose + reward", f"{speed:,.0f} /s", f"limit {WANTED} /s", speed / WANTED, 1.0, speed >= WANTED
    )
    waited, limit = f"{load.latest * 1e3:.0f} ms", f"limit {LATEST * 1e3:.0f} ms"
    yield Row(f"{what}: p99 of a request", waited, limit, LATEST / load.latest, 1.0, load.latest < LATEST)


async def _loaded(port: int, pairs: int) -> Load:
    client = await Client.to(port)
    await client.ask("/agents", {"name": "banner", "policy": "thompson", "arms": ARMS})
    for _ in range(20):
        await client.pair()
    clients = [await Client.to(port) for _ in range(CLIENTS)]
    start = time.perf_counter()
    await asyncio.gather(*(each.pairs(pairs // CLIENTS) for each in clients))
    taken = time.perf_counter() - start
    waited = np.concatenate([each.waited for each in clients])
    return Load(pairs // CLIENTS * CLIENTS / taken, float(np.quantile(waited, 0.99)))


class Client:
    """A connection to the service."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int):
        self._reader, self._writer, self._port = reader, writer, port
        self.waited: list[float] = []

    @classmethod
    async def to(cls, port: int) -> Client:
        """Return a connection."""
        return cls(*await asyncio.open_connection("127.0.0.1", port), port)

    async def pairs(self, count: int) -> None:
        """Choose and reward so often."""
        for _ in range(count):
            await self.pair()

    async def pair(self) -> None:
        """Choose, and reward the choice."""
        choice = await self.ask("/agents/banner/choices", {})
        paid = {"choice": choice["id"], "reward": float(choice["index"] == PAYS)}
        await self.ask("/agents/banner/rewards", paid)

    async def ask(self, path: str, content: object) -> dict[str, int]:
        """Send a request, and return the answer."""
        body = json.dumps(content).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        start = time.perf_counter()
        self._writer.write(head.encode() + body)
        answered = await self._reader.readuntil(b"\r\n\r\n")
        length = int(answered.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        answer: dict[str, int] = json.loads(await self._reader.readexactly(length))
        self.waited.append(time.perf_counter() - start)
        assert answered.split(b" ", 2)[1][:1] == b"2", answer
        return answer
