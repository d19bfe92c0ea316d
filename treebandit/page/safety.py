"""Who may ask: only pages of this server, under its own name, with its token; any page can reach a loopback address.

Another site's page that the user visits can send requests to 127.0.0.1. It cannot read an answer, for nothing
here allows other origins (CORS), and is stopped at the door by `Origin` and `Sec-Fetch-Site`. One whose name resolves
to 127.0.0.1 (DNS rebinding) counts as the same origin, but carries its own name in `Host`. What changes anything needs
the token as well, which only the page knows.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import secrets
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treebandit.page.answers import error_answer

PAGE = "/"
STATIC = "/static/"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
_READING = ("GET", "HEAD")
_HTTP = 80  # the port that browsers leave out


def new_secret() -> str:
    """Return a secret text of characters that may stand anywhere in HTML."""
    return secrets.token_urlsafe(24)


def policy_of_page(nonce: str) -> str:
    """Return the page's content security policy: all from this server, and the one inline script with the nonce."""
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Names:
    """The names under which a server is asked: addresses in figures, localhost, and the one that it was started with.

    One that other machines reach also has this machine's name.

    Parameters
    ----------
    host : str
        Where it listens.
    port : int
        The port, which is part of a name.

    Examples
    --------
    >>> names = Names("127.0.0.1", 8000)
    >>> [name in names for name in ("127.0.0.1:8000", "localhost:8000", "127.0.0.1:80", "evil.example:8000")]
    [True, True, False, False]
    >>> "127.0.0.1" in Names("127.0.0.1", 80)
    True
    """

    def __init__(self, host: str, port: int):
        self.host: str = host
        self.port: int = port
        machine = socket.gethostname().lower()
        others = () if is_loopback(host) else (machine, f"{machine}.local")
        self._known = {"localhost", host.lower(), *others}

    def __contains__(self, address: str) -> bool:
        parts = re.fullmatch(r"\[([^]]*)\](?::(\d+))?|([^:]*)(?::(\d+))?", address)
        if parts is None or (parts[2] or parts[4] or str(_HTTP)) != str(self.port):
            return False
        name = (parts[1] or parts[3] or "").lower()
        if name in self._known:
            return True
        with contextlib.suppress(ValueError):  # not an address; rebinding needs a name, so that other names are refused
            return ipaddress.ip_address(name).is_loopback or not is_loopback(self.host)
        return False


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a server that listens there.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Refuses forbidden requests, and adds the headers of `HEADERS` to every answer that does not set them."""

    def __init__(self, app: ASGIApp, names: Names, token: str):
        self.app: ASGIApp = app
        self.names: Names = names
        self.token: str = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the application do so."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        why = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        answer = self.app if why is None else error_answer(why, 403)
        await answer(scope, receive, guarded)

    def _refusal(self, method: str, path: str, headers: Headers) -> str | None:
        """Return the reason for refusing a request, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.names:
            return f"Host must be the address that this server printed, on port {self.names.port}; got {host!r}"
        if origin is not None and origin != f"http://{host}":
            return f"Origin must be this server's own page, http://{host}; got {origin!r}"
        site = headers.get("sec-fetch-site", "none")
        if path != PAGE and site not in ("same-origin", "none"):
            return f"only this server's own page may send requests; this one is {site}"
        token = headers.get("x-token", "")
        if method not in _READING and not secrets.compare_digest(token.encode(), self.token.encode()):
            return "X-Token must be the token of this page; reload the page (the server was restarted)"
        return None
