"""The journal of agents in a database: events are appended one by one, and never changed.

Nothing is locked while a process computes its next event. `append` writes event n + 1, unless another process has
already written an event with that number. Then it says so, and the process reads the new events. The primary key
decides.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bandits.journal import schema
from numerics.checks import show

_DIALECTS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
DURABLE = ("process", "power")
_PATIENCE = 10.0  # seconds that a locked SQLite file is waited for
_KEPT_SNAPSHOTS = 2


class JournalError(OSError):
    """The database did not answer; nothing is half-written, and the next call tries again."""


class Event(NamedTuple):
    """What happened to an agent; what does not belong to its kind is None."""

    kind: str  # choice, reward, forgotten, arm_added, arm_retired
    time: float = 0.0
    choice: int | None = None
    arm: int | None = None
    propensity: float | None = None
    error: float | None = None
    reward: float | None = None
    features: str | None = None
    kept: str | None = None
    key: str | None = None
    name: str | None = None


class Journal:
    """A database of journals; `use` selects an agent.

    Parameters
    ----------
    url : str
        ``sqlite:///PATH``, or ``postgresql://USER@HOST/DATABASE``, whose password comes from PGPASSWORD or a pgpass
        file.
    durable : str, default "process"
        A killed process, or database server, loses nothing; with "power" a machine without power does not either.
    create : bool, default True
        Whether a journal is made where there is none. If not, the journal is only read.

    Raises
    ------
    ValueError
        A url of another form, packages that are missing, or no journal where none may be made.
    JournalError
        The database cannot be opened.
    """

    def __init__(self, url: str, durable: str = "process", create: bool = True):
        try:
            import sqlalchemy
        except ImportError:
            raise ValueError("a journal needs SQLAlchemy: pip install 'treebandit[live]'") from None
        if durable not in DURABLE:
            raise ValueError(f"durable must be one of {', '.join(DURABLE)}; got {show(durable)}")
        self._sql, self._tables = sqlalchemy, schema.tables()
        self._url = _url_of(url)
        self._durable = durable
        is_file = self._url.drivername == "sqlite"
        if is_file and not create and not Path(self._url.database).is_file():
            raise ValueError(f"url must name a journal that exists; there is no file {self._url.database!r}")
        given = {"timeout": _PATIENCE, "check_same_thread": False} if is_file else {"connect_timeout": 10}
        try:
            self._engine = sqlalchemy.create_engine(self._url, isolation_level="AUTOCOMMIT", connect_args=given)
        except ImportError:
            raise ValueError("a journal in PostgreSQL needs psycopg: pip install 'treebandit[live]'") from None
        if is_file and create:
            sqlalchemy.event.listen(self._engine, "connect", self._set_up)
        self._connection: Any = None
        self._agent = 0
        with self._answers():
            schema.prepare(self._connected(), create)
        events = self._tables.events
        insert = _insert_of(self._url)(events).on_conflict_do_nothing()
        self._insert = insert.values(agent=sqlalchemy.bindparam("agent"), seq=sqlalchemy.bindparam("seq"))

    def __repr__(self) -> str:
        return f"Journal({self._url.render_as_string(hide_password=True)!r})"

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._engine.dispose()

    def reopened(self) -> Journal:
        """Return the journal of the same agent with a connection of its own."""
        other = Journal(self._url.render_as_string(hide_password=False), self._durable, create=False)
        other._agent = self._agent
        return other

    # ------------------------------------------------------------ agents

    def agents(self) -> list[str]:
        """Return the names of all agents."""
        table = self._tables.agents
        return [str(row[0]) for row in self._rows(self._sql.select(table.c.name).order_by(table.c.id))]

    def use(self, name: str) -> dict[str, Any] | None:
        """Select the agent with this name and return its description; None if there is none."""
        table = self._tables.agents
        rows = self._rows(self._sql.select(table.c.id, table.c.description).where(table.c.name == name))
        if not rows:
            return None
        self._agent = rows[0][0]
        described: dict[str, Any] = json.loads(rows[0][1])
        return described

    def create(self, name: str, description: Mapping[str, Any]) -> dict[str, Any]:
        """Create an agent, unless another process has done so, and return its description."""
        insert = _insert_of(self._url)(self._tables.agents).on_conflict_do_nothing()
        self._run(insert.values(name=name, description=json.dumps(description), created=time.time()))
        described = self.use(name)
        assert described is not None
        return described

    def describe(self, description: Mapping[str, Any]) -> None:
        """Change the description of the agent, such as the revision of its policy."""
        table = self._tables.agents
        self._run(table.update().where(table.c.id == self._agent).values(description=json.dumps(description)))

    # ------------------------------------------------------------ events

    def append(self, after: int, event: Event) -> bool:
        """Write an event as number after + 1; return False if another event has this number.

        Raises
        ------
        JournalError
            The database did not answer; the event may be there or not.
        """
        written = self._run(self._insert, {"agent": self._agent, "seq": after + 1, **event._asdict()})
        return bool(written == 1)

    def read(self, after: int, most: int = 100_000) -> list[tuple[int, Event]]:
        """Return the events after number `after`, at most so many, with their numbers."""
        table = self._tables.events
        columns = [table.c.seq, *(table.c[name] for name in Event._fields)]
        chosen = self._sql.select(*columns).where(table.c.agent == self._agent, table.c.seq > after)
        return [(row[0], Event(*row[1:])) for row in self._rows(chosen.order_by(table.c.seq).limit(most))]

    def of_choice(self, choice: int) -> dict[str, Event]:
        """Return the events of a choice by their kinds; empty if there is no such choice."""
        table = self._tables.events
        chosen = self._sql.select(*(table.c[name] for name in Event._fields))
        rows = self._rows(chosen.where(table.c.agent == self._agent, table.c.choice == choice))
        return {row[0]: Event(*row) for row in rows}

    def by_key(self, key: str) -> Event | None:
        """Return the choice made for a key."""
        table = self._tables.events
        chosen = self._sql.select(*(table.c[name] for name in Event._fields))
        rows = self._rows(chosen.where(table.c.agent == self._agent, table.c.key == key))
        return Event(*rows[0]) if rows else None

    def pending(self) -> list[Event]:
        """Return the choices that have neither a reward nor been forgotten, in their order."""
        table = self._tables.events
        other = table.alias()
        ended = self._sql.select(other.c.seq).where(
            other.c.agent == table.c.agent, other.c.choice == table.c.choice, other.c.kind != "choice"
        )
        chosen = self._sql.select(*(table.c[name] for name in Event._fields))
        mine = chosen.where(table.c.agent == self._agent, table.c.kind == "choice", ~ended.exists())
        return [Event(*row) for row in self._rows(mine.order_by(table.c.seq))]

    def columns(self, kind: str, names: tuple[str, ...], up_to: int | None = None) -> list[Any]:
        """Return columns of all events of a kind, up to a number, in their order."""
        table = self._tables.events
        chosen = self._sql.select(*(table.c[name] for name in names))
        chosen = chosen.where(table.c.agent == self._agent, table.c.kind == kind)
        if up_to is not None:
            chosen = chosen.where(table.c.seq <= up_to)
        return self._rows(chosen.order_by(table.c.seq))

    def last(self) -> int:
        """Return the number of the last event; 0 if there is none."""
        table = self._tables.events
        rows = self._rows(self._sql.select(self._sql.func.max(table.c.seq)).where(table.c.agent == self._agent))
        return int(rows[0][0] or 0)

    def stamp(self) -> tuple[float, int]:
        """Return a stamp that changes if an agent is created again or features are deleted, not with new events."""
        table = self._tables.agents
        ((created, base),) = self._rows(
            self._sql.select(table.c.created, table.c.base).where(table.c.id == self._agent)
        )
        return float(created), int(base)

    # ------------------------------------------------------------ snapshots

    def snapshot(self, base: bool = False) -> tuple[int, dict[str, Any]] | None:
        """Return the latest snapshot, or the one at which the fold must begin: its number and state."""
        table, agents = self._tables.snapshots, self._tables.agents
        chosen = self._sql.select(table.c.seq, table.c.state).where(table.c.agent == self._agent)
        if base:
            begins = self._sql.select(agents.c.base).where(agents.c.id == self._agent).scalar_subquery()
            chosen = chosen.where(table.c.seq == begins)
        rows = self._rows(chosen.order_by(table.c.seq.desc()).limit(1))
        return (int(rows[0][0]), json.loads(rows[0][1])) if rows else None

    def write_snapshot(self, seq: int, state: Mapping[str, Any]) -> None:
        """Store the state after an event, and delete older ones that are not needed."""
        table, agents = self._tables.snapshots, self._tables.agents
        text = json.dumps(state, allow_nan=False)
        insert = _insert_of(self._url)(table).on_conflict_do_nothing()
        self._run(insert.values(agent=self._agent, seq=seq, state=text))
        recent = (
            self._sql.select(table.c.seq)
            .where(table.c.agent == self._agent)
            .order_by(table.c.seq.desc())
            .limit(_KEPT_SNAPSHOTS)
        )
        begins = self._sql.select(agents.c.base).where(agents.c.id == self._agent).scalar_subquery()
        kept = [row[0] for row in self._rows(recent)]
        self._run(table.delete().where(table.c.agent == self._agent, table.c.seq.not_in(kept), table.c.seq != begins))

    def forget_features(self, before: float) -> int:
        """Delete the features of choices before a time, up to the last snapshot; return how far that is."""
        table, agents = self._tables.events, self._tables.agents
        found = self.snapshot()
        if found is None:
            return 0
        latest = found[0]
        old = (table.c.agent == self._agent, table.c.seq <= latest, table.c.time < before)
        with_features = table.c.features.is_not(None) | table.c.kept.is_not(None)
        if self._run(table.update().where(*old, with_features).values(features=None, kept=None)):
            self._run(agents.update().where(agents.c.id == self._agent).values(base=latest))
        return self.base()

    def base(self) -> int:
        """Return the number of the event whose snapshot starts the fold; 0 for the first event."""
        table = self._tables.agents
        return int(self._rows(self._sql.select(table.c.base).where(table.c.id == self._agent))[0][0])

    # ------------------------------------------------------------ the connection

    def _set_up(self, connection: Any, _record: Any) -> None:
        """Make each commit of SQLite durable, and let readers go on while another process writes."""
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'NORMAL' if self._durable == 'process' else 'FULL'}")

    def _connected(self) -> Any:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _run(self, statement: Any, given: Mapping[str, Any] | None = None) -> int:
        """Carry out a statement in a transaction of its own, and return how many rows it changed."""
        with self._answers():
            options = {"preserve_rowcount": True}
            done = self._connected().execute(statement, given, execution_options=options)
            return int(done.rowcount)

    def _rows(self, statement: Any) -> list[Any]:
        with self._answers():
            return list(self._connected().execute(statement))

    @contextlib.contextmanager
    def _answers(self) -> Iterator[None]:
        """Make one sentence of what a database says that does not answer, and take a new connection afterwards."""
        try:
            yield
        except self._sql.exc.SQLAlchemyError as error:
            with contextlib.suppress(Exception):
                if self._connection is not None:
                    self._connection.invalidate()
                    self._connection.close()
            self._connection = None
            said = str(getattr(error, "orig", None) or error).strip().splitlines()
            where = self._url.render_as_string(hide_password=True)
            raise JournalError(
                f"the journal {where} did not answer: {said[0] if said else type(error).__name__}"
            ) from None


def _url_of(url: Any) -> Any:
    """Return the URL of a journal."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    allowed = "sqlite:///PATH or postgresql://USER@HOST/DATABASE"
    if not isinstance(url, str):
        raise ValueError(f"url must be {allowed}; got {show(url)}")
    try:
        made = make_url(url)
    except (ArgumentError, ValueError):
        raise ValueError(f"url must be {allowed}; it cannot be parsed") from None
    dialect = made.drivername.split("+", 1)[0]
    if dialect not in _DIALECTS:
        raise ValueError(f"url must be {allowed}; got {made.drivername}://")
    if dialect == "sqlite" and made.database in (None, "", ":memory:"):
        raise ValueError(f"url must name a file, as in sqlite:///PATH; got {url}")
    return made.set(drivername=_DIALECTS[dialect])


def _insert_of(url: Any) -> Any:
    """Return the insert of a database that has ON CONFLICT."""
    from sqlalchemy.dialects import postgresql, sqlite

    return sqlite.insert if url.drivername == "sqlite" else postgresql.insert
