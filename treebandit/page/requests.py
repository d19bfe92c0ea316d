"""Shared by all addresses: read a request, and wait for its work as long as the client does."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

from starlette.requests import ClientDisconnect, Request

from treebandit.page import given
from treebandit.page.answers import Refused
from treebandit.page.work import Stopped, Work, Works

LOOK = 0.02  # seconds between two looks at a work
_BODY = 64 * 1024  # bytes of a request


async def asked(request: Request) -> dict[str, Any]:
    """Return what a request holds.

    Raises
    ------
    ValueError
        No JSON.
    Refused
        Too much, or cut off.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > _BODY:
                raise Refused(f"the request must be at most {_BODY:,} bytes", 413)
    except ClientDisconnect:
        raise Refused("the request must be complete", 400) from None
    return given.json_of(bytes(body))


def works_of(request: Request) -> Works:
    """Return the works of the server's threads."""
    works: Works = request.app.state.works
    return works


async def done(request: Request, task: Callable[[Work], Any]) -> Any:
    """Carry a work out in a thread, and return its outcome; stop it when the client has gone.

    Raises
    ------
    Refused
        It was stopped.
    """
    name = secrets.token_hex(8)
    work = works_of(request).begin(name, task)
    while not work.has_ended:
        work.watch()
        if await request.is_disconnected():
            work.stop()
        await asyncio.sleep(LOOK)
    works_of(request).drop(name)  # nobody else knows the name
    if isinstance(work.error, Stopped):
        raise Refused("stopped, because the client has disconnected", 409)
    if work.error is not None:
        raise work.error
    return work.outcome
