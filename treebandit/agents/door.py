"""Who may ask the service: programs and its own page, under its own name, with the token if there is one.

`treebandit.page.safety` says what another site's page could do. A body that is too large is not read to its end.
"""

from __future__ import annotations

import asyncio
import logging
import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bandits.journal.store import JournalError
from numerics.exits import say
from treebandit.page.safety import HEADERS, Names

MOST = 256 * 1024  # bytes of a body


class Door:
    """Refuses forbidden requests, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, names: Names, token: str | None):
        self.app: ASGIApp = app
        self.names: Names = names
        self.token: str | None = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application do so."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read, begun = 0, False

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MOST:
                raise HTTPException(413, f"body must be at most {MOST:,} bytes")
            return message

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["method"] == "HEAD":  # whose answer the server sends without its body
            scope = {**scope, "method": "GET"}
        status, why = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if not why:
            try:
                await self.app(scope, limited, guarded)
                return
            except (Exception, asyncio.CancelledError) as error:
                status, why = _failed(error)
        if not begun:
            challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else None
            await JSONResponse({"detail": why}, status, headers=challenge)(scope, receive, guarded)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str]:
        """Return a status and the reason for refusing a request; no reason for one that may pass."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.names:
            return 403, f"Host must be the address that this service printed, on port {self.names.port}; got {host!r}"
        if origin is not None and origin != f"http://{host}":
            return 403, f"Origin must be this service's own page, http://{host}; got {origin!r}"
        site = headers.get("sec-fetch-site", "none")
        if path != "/" and site not in ("same-origin", "none"):
            return 403, f"only this service's own page may send requests; this one is {site}"
        if self.token is not None and path != "/" and not path.startswith("/static/"):
            scheme, _, given = headers.get("authorization", "").partition(" ")
            is_token = secrets.compare_digest(given.strip().encode(), self.token.encode())
            if scheme.lower() != "bearer" or not is_token:
                return 401, "Authorization must be 'Bearer TOKEN', with the token of this service"
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MOST:
            return 413, f"body must be at most {MOST:,} bytes; got {length[:20]}"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method == "POST" and not kind.endswith(("/json", "+json")):
            return 415, f"Content-Type must be application/json; got {kind!r}"
        return 200, ""


def _failed(error: BaseException) -> tuple[int, str]:
    """Return the status and the sentence of a request that the service fails at; the log says why."""
    if isinstance(error, asyncio.CancelledError):
        return 503, "the service ended before the answer; the request may have been done or not"
    number = secrets.token_hex(4)
    if isinstance(error, JournalError):  # whose sentence names the database
        say(f"request {number}: {error}")
        return (
            503,
            f"the database did not answer; the request may have been done or not (see {number} in the log)",
        )
    logging.getLogger("treebandit.agents").error("request %s failed", number, exc_info=error)
    return 500, f"the service failed (see {number} in its log)"


def page_headers() -> dict[str, str]:
    """Return the headers of the page: all comes from this service."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {"Content-Security-Policy": policy}
