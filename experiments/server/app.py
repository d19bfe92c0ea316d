"""The addresses: the page, its files, and what it asks for."""

from __future__ import annotations

import asyncio
import string
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from experiments import page
from experiments.server import given, safety
from experiments.server.answers import Refused, answered, said, text_of
from experiments.server.catalogue import catalogue
from experiments.server.moves import move_of
from experiments.server.work import Stopped, Work, Works

_BODY = 64 * 1024  # bytes of a request
_LOOK = 0.02  # seconds between two looks at a work
_EVENTS = 0.1  # seconds between two events
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(host: str, port: int, token: str | None = None) -> Starlette:
    """Return the application of a server that listens on a host and port.

    Attributes of its `state`: `token`, and `works`, what its threads do.
    """
    token = token or safety.new_secret()
    app = Starlette(
        routes=[
            Route("/", page_of_all),
            Route("/static/{name}", static),
            Route("/api/catalogue", tell_catalogue),
            Route("/api/moves", begin_move, methods=["POST"]),
            Route("/api/moves/{id}", stop_move, methods=["DELETE"]),
            Route("/api/moves/{id}/events", watch_move),
        ],
        middleware=[Middleware(safety.Guard, names=safety.Names(host, port), token=token)],
        exception_handlers={
            ValueError: lambda request, error: said(error, 400),
            Refused: lambda request, error: said(error, error.status),
            HTTPException: _of_starlette,
        },
    )
    app.state.token, app.state.works = token, Works()
    return app


async def page_of_all(request: Request) -> Response:
    """Give the page: it knows the token, and where its modules are."""
    nonce = safety.new_secret()
    modules = {f"{page.PREFIX}{file.stem}": f"{safety.STATIC}{file.name}" for file in sorted(page.FOLDER.glob("*.js"))}
    text = string.Template(page.text_of("index.html")).substitute(
        token=request.app.state.token, nonce=nonce, imports=text_of({"imports": modules})
    )
    return HTMLResponse(text, headers={"Content-Security-Policy": safety.policy_of_page(nonce)})


async def static(request: Request) -> Response:
    """Give a module or a style sheet."""
    name = request.path_params["name"]
    files = {file.name: file for file in page.FOLDER.iterdir() if file.suffix in _TYPES}
    if name not in files:
        raise Refused(f"no file {name!r} here", 404)
    file = files[name]
    return Response(file.read_bytes(), media_type=_TYPES[file.suffix], headers={"Cache-Control": "no-cache"})


async def tell_catalogue(request: Request) -> Response:
    """Give the names of players and rules, with their parameters."""
    return answered(catalogue())


async def begin_move(request: Request) -> Response:
    """Have a player think; with an id that is known nothing changes."""
    values = given.mapping("the request", await asked(request), ("position", "player", "seed", "id"))
    name = given.id_of(values.get("id"))
    board = given.board_of(values.get("position"))
    player = given.player_of(values.get("player"), given.seed_of(values.get("seed", 0)), board)
    works(request).begin(name, lambda work: move_of(player, board, work))
    return answered({"id": name})


async def stop_move(request: Request) -> Response:
    """Stop a player that thinks."""
    name = request.path_params["id"]
    works(request).of(name).stop()
    return answered({"id": name})


async def watch_move(request: Request) -> Response:
    """Give what a player sees, ten times a second, until it has moved."""
    work = works(request).of(request.path_params["id"])
    return StreamingResponse(_events(work), media_type="text/event-stream")


async def _events(work: Work) -> AsyncIterator[str]:
    last = 0.0
    while not work.has_ended:
        work.watch()
        if work.seen is not None and time.monotonic() - last >= _EVENTS:
            last = time.monotonic()
            yield _event("thinking", work.seen)
        await asyncio.sleep(_LOOK)
    if work.error is None:
        yield _event("moved", work.outcome)
    elif isinstance(work.error, Stopped):
        yield _event("cancelled", {})
    else:
        yield _event("failed", {"error": str(work.error)})
        if not isinstance(work.error, ValueError):
            raise work.error


def _event(kind: str, value: Any) -> str:
    return f"event: {kind}\ndata: {text_of(value)}\n\n"


async def asked(request: Request) -> dict[str, Any]:
    """Return what a request holds.

    Raises
    ------
    ValueError
        No JSON.
    Refused
        Too much.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > _BODY:
                raise Refused(f"the request must be at most {_BODY:,} bytes", 413)
    except ClientDisconnect:
        raise Refused("the request must be whole", 400) from None
    return given.json_of(bytes(body))


def works(request: Request) -> Works:
    """Return what the server's threads do."""
    found: Works = request.app.state.works
    return found


async def _of_starlette(request: Request, error: Exception) -> Response:
    """Say in a sentence what Starlette does not answer: other addresses, other methods."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    sentences = {404: "no such address here", 405: f"{request.method} is not how this address is asked"}
    return said(sentences.get(status, "the request cannot be read"), status)
