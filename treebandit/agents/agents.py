"""`python -m treebandit.agents`: live agents for programs in any language, by HTTP, with a page that shows them.

Agents live in a database, which other processes may share. It listens on this machine alone, unless host= says
otherwise. A token that every request must carry is the environment's TREEBANDIT_TOKEN. Ctrl-C ends it after the
requests that are being answered.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence

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
    rules: tuple[str, ...] = parameter((), help="your own policies for agents, such as [my_rules.careful]")
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

    store = OpenAgents(given.database, given.rules, given.durable)
    try:
        with listen(given.host, given.port) as listener:
            serve(listener, given.host, store, os.environ.get(TOKEN) or None)
    finally:
        store.close()
