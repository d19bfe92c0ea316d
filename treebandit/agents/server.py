"""The running service: it answers until it is interrupted, and then finishes what it has begun."""

from __future__ import annotations

import logging
import socket
from typing import Any, NoReturn

import uvicorn
from starlette.types import ASGIApp

from experiments.engine.errors import say
from treebandit.agents.app import make_app
from treebandit.agents.open_agents import OpenAgents
from treebandit.page.connections import ARRIVES, IDLE, limited
from treebandit.page.safety import Names, is_loopback

_GRACE = 10  # seconds


def serve(listener: socket.socket, host: str, agents: OpenAgents, token: str | None) -> NoReturn:
    """Print the address, and answer until interrupted, which ends in KeyboardInterrupt."""
    port = listener.getsockname()[1]
    app = make_app(agents, Names(host, port), token)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"Agents: {address}   (Ctrl-C ends it)", flush=True)
    if not is_loopback(host) and token is None:
        say("everyone in the network of this machine can use the agents; set a token by TREEBANDIT_TOKEN")
    server_of(app).run(sockets=[listener])
    raise KeyboardInterrupt  # only a signal ends the server, and code that the signal meets may swallow its exception


def server_of(app: ASGIApp, arrives: float = ARRIVES, most: int | None = None, grace: int = _GRACE) -> uvicorn.Server:
    """Return the server of an application.

    Parameters
    ----------
    app
    arrives, most
        As for `limited`.
    grace : int
        Seconds for the requests that are being answered when it ends.
    """
    options: dict[str, Any] = {"lifespan": "off", "ws": "none", "timeout_graceful_shutdown": grace}
    options |= {"http": limited("detail", arrives, most), "timeout_keep_alive": IDLE}
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "proxy_headers": False}
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    return uvicorn.Server(uvicorn.Config(app, **options, **quiet))
