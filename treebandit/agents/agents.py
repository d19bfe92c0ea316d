"""`python -m treebandit.agents`: live agents for programs in any language, by HTTP, with a page that shows them.

Agents live in a database, which other processes may share. It listens on this machine alone, unless host= says
otherwise. If the environment variable TREEBANDIT_TOKEN is set, every request must carry that token. A connection is
closed if its request does not arrive within 10 s, or after 5 s without a new one. At most 1,000 connections are open.
Ctrl-C ends the service after the requests that are being answered, for which it waits at most 10 s.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Mapping, Sequence

from numerics.commands import Command
from numerics.parameters import parameter
from treebandit.page.serve import listen

TOKEN = "TREEBANDIT_TOKEN"
_EXTRA = ("fastapi", "sqlalchemy", "uvicorn")
_MOST_PORT = 65_535


class Agents(Command, module="treebandit.agents"):
    """Where the agents are, and where they are asked."""

    database: str = parameter(help="such as sqlite:///shop.db, or postgresql://user@host/database")
    port: int = parameter(8080, low=0, high=_MOST_PORT, help="port of the address; 0 selects a free port")
    host: str = parameter("127.0.0.1", help="address to listen on; 127.0.0.1 is reachable from this machine only")
    rules: list[str] = parameter([], help="your own policies for agents, such as [my_rules.careful]")
    durable: str = parameter(
        "process", help="process: no data loss if the process is killed; power: also none at a power failure"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, and answer until interrupted."""
    given = Agents.read(words)
    if missing := [name for name in _EXTRA if importlib.util.find_spec(name) is None]:
        raise ValueError(f"the service needs {' and '.join(missing)}: pip install 'treebandit[live]'")
    from treebandit.agents.open_agents import OpenAgents
    from treebandit.agents.server import serve

    token = token_of(os.environ)
    with listen(given.host, given.port) as listener:
        store = OpenAgents(given.database, given.rules, given.durable)
        try:
            serve(listener, given.host, store, token)
        finally:
            store.close()


def token_of(environment: Mapping[str, str]) -> str | None:
    """Return the token of the service; None where none is set.

    Raises
    ------
    ValueError
        A token that no request could carry. It is a secret, so the sentence does not show it.
    """
    token = environment.get(TOKEN)
    if token is not None and not re.fullmatch("[!-~]+", token):
        what = "other characters" if token else "nothing"
        raise ValueError(f"{TOKEN} must be ASCII letters, digits and signs without spaces, or not set; got {what}")
    return token
