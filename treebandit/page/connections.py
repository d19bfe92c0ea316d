"""Connections to a server: how many, and how long each may take to send a request.

A client that is slow, or says nothing, would else keep a descriptor of the process for as long as it likes.
"""

from __future__ import annotations

import asyncio
import json
import sys

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

ARRIVES = 10.0  # seconds within which a whole request arrives
IDLE = 5  # seconds that a connection may wait for its next request
_MOST = 1_000


def most_connections() -> int:
    """Return how many connections may be open: half the files that this process may open, at most 1,000."""
    if sys.platform == "win32":
        return _MOST
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if limit == resource.RLIM_INFINITY else min(_MOST, limit // 2)


def limited(key: str, arrives: float = ARRIVES, most: int | None = None) -> type[H11Protocol]:
    """Return the protocol of a server that closes slow connections, and those that are too many.

    Parameters
    ----------
    key : str
        Of the sentence in an answer.
    arrives : float
        Seconds for a whole request, from the connection or the answer before it.
    most : int, optional
        How many connections may be open; `most_connections` if left out.
    """
    allowed = most_connections() if most is None else most

    class Limited(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > allowed:
                self._leave(503, "Service Unavailable", f"connections must be at most {allowed:,}; try again later")
            else:
                self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._unwatch()
            super().connection_lost(exc)

        def handle_events(self) -> None:
            super().handle_events()
            if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
                self._watch()
            else:
                self._unwatch()

        def _watch(self) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(arrives, self._is_late)

        def _unwatch(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _is_late(self) -> None:
            if self.cycle is None or not self.cycle.response_started:
                self._leave(408, "Request Timeout", f"the request must arrive within {arrives:g} s")
            self.transport.close()

        def _leave(self, status: int, phrase: str, sentence: str) -> None:
            body = json.dumps({key: sentence})
            head = f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            self.transport.write(f"{head}Connection: close\r\n\r\n{body}".encode())
            self.transport.close()

    return Limited
