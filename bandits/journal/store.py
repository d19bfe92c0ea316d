"""The journal of agents in a database: events are appended one by one, and only a repair changes them.

Nothing is locked while a process computes its next event. `append` writes event n + 1, unless another process has
already written an event with that number. Then it says so, and the process reads the new events. The primary key
decides.
"""

from __future__ import annotations

import contextlib
import functools
import json
import random
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bandits.journal import connections, schema
from bandits.journal.connections import ConflictError
from bandits.journal.connections import JournalError as JournalError
from bandits.journal.urls import place_of
from numerics.checks import show

DURABLE = ("process", "power")
_KEPT_SNAPSHOTS = 2
_TRIES, _PAUSE = 100, 0.01  # of a statement that another transaction has overtaken; seconds between them, at most
_COUNTED = {"preserve_rowcount": True}
SET_ASIDE = "set_aside"  # the kind of an event that a repair took out of the fold
CHANGED = "another version wrote the journal, or it was changed"
_pauses = random.SystemRandom()  # which a fork does not copy


class SetBackError(JournalError):
    """The last event that a process knows is not in the database any more."""


class Event(NamedTuple):
    """What happened to an agent; what does not belong to its kind is None."""

    kind: str  # choice, reward, forgotten, arm_added, arm_retired, set_aside
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
        self._place = place_of(url)
        if self._place.path is not None and not (path := Path(self._place.path)).is_file():
            if not create:
                raise ValueError(f"url must name a journal that exists; there is no file {self._place.url.database!r}")
            with contextlib.suppress(OSError):  # which the first statement tells
                path.touch()
        self._agent = 0
        self._clean = 0  # no event up to this one has anything to delete
        self._database = connections.database_of(self._place, durable)
        self._opened = weakref.finalize(self, connections.release, self._database)
        try:
            with self._connected() as connection:
                schema.prepare(connection, create)
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Journal({str(self._place)!r})"

    def close(self) -> None:
        """Let go of the database."""
        self._opened()

    # ------------------------------------------------------------ agents

    def agents(self) -> list[str]:
        """Return the names of all agents."""
        table = self._tables.agents
        return [str(row[0]) for row in self._rows(self._sql.select(table.c.name).order_by(table.c.id))]

    def use(self, name: str) -> dict[str, Any] | None:
        """Select the agent with this name and return its description; None if there is none.

        Raises
        ------
        JournalError
            A description that is not JSON of an object, or as for any call.
        """
        table = self._tables.agents
        rows = self._rows(self._sql.select(table.c.id, table.c.description).where(table.c.name == name))
        if not rows:
            return None
        self._agent = rows[0][0]
        with contextlib.suppress(TypeError, ValueError):
            if isinstance(described := json.loads(rows[0][1]), dict):
                return described
        raise JournalError(f"the description of {name!r} cannot be read; {CHANGED}")

    def create(self, name: str, description: Mapping[str, Any]) -> dict[str, Any]:
        """Create an agent, unless another process has done so, and return its description."""
        insert = _insert_of(self._place.path is not None)(self._tables.agents).on_conflict_do_nothing()
        self._run(insert.values(name=name, description=json.dumps(description), created=time.time()))
        described = self.use(name)
        assert described is not None
        return described

    def describe(self, description: Mapping[str, Any]) -> None:
        """Change the description of the agent, such as the revision of its policy."""
        table = self._tables.agents
        self._run(table.update().where(table.c.id == self._agent).values(description=json.dumps(description)))

    # ------------------------------------------------------------ events

    def append(self, after: int, event: Event, since: float | None = None) -> bool:
        """Write an event as number after + 1; return False if another event has this number.

        Event `after` must be there, with the time `since` if that is given: else False too.

        Raises
        ------
        JournalError
            The database did not answer; the event may be there or not.
        """
        given = {"agent": self._agent, "seq": after + 1, "after": after, "since": since, **event._asdict()}
        statement = _append(self._place.path is not None, after > 0, since is not None)
        return self._run(statement, given) == 1

    def read(self, after: int, most: int = 100_000, since: float | None = None) -> list[tuple[int, Event]]:
        """Return the events after number `after`, at most so many, with their numbers.

        Raises
        ------
        SetBackError
            Event `after` is not there, or has another time than `since`, where that is given.
        """
        # a gap behind it is found by the next event's reader
        rows = self.listed(after if since is None else after - 1, most + 1)
        if since is not None:
            if not rows or (rows[0][0], rows[0][1].time) != (after, since):
                raise SetBackError(f"the journal {self._place} was set back: event {after} is missing or another one")
            del rows[0]
        for number, (seq, _) in enumerate(rows, after + 1):
            if seq != number:
                raise JournalError(f"the journal {self._place} has a gap: event {number} is missing")
        return rows[:most]

    def listed(self, after: int, most: int = 100_000) -> list[tuple[int, Event]]:
        """Return the events after a number, at most so many, with their numbers, which may have gaps."""
        table = self._tables.events
        columns = [table.c.seq, *(table.c[name] for name in Event._fields)]
        chosen = self._sql.select(*columns).where(table.c.agent == self._agent, table.c.seq > after)
        return [(row[0], Event(*row[1:])) for row in self._rows(chosen.order_by(table.c.seq).limit(most))]

    def of_choice(self, choice: int) -> dict[str, Event]:
        """Return the events of a choice by their kinds; empty if there is no such choice."""
        table = self._tables.events
        chosen = self._sql.select(*(table.c[name] for name in Event._fields))
        mine = table.c.choice.between(choice, choice)  # SQLite takes the index of choices for ranges alone
        return {row[0]: Event(*row) for row in self._rows(chosen.where(table.c.agent == self._agent, mine))}

    def by_key(self, key: str) -> Event | None:
        """Return the choice made for a key."""
        table = self._tables.events
        chosen = self._sql.select(*(table.c[name] for name in Event._fields))
        rows = self._rows(chosen.where(table.c.agent == self._agent, table.c.key == key))
        return Event(*rows[0]) if rows else None

    def pending(self) -> list[Event]:
        """Return the choices that have neither a reward nor been forgotten, in their order."""
        table, open_ones = self._tables.events, self._open_choices()
        chosen = self._sql.select(*(table.c[name] for name in Event._fields)).join(open_ones, self._is_of(open_ones))
        return [Event(*row) for row in self._rows(chosen.order_by(table.c.seq))]

    def waiting(self, below: int) -> list[tuple[int, int]]:
        """Return how many choices of each arm are pending, of those with a number below one: (arm, count)."""
        table, open_ones = self._tables.events, self._open_choices()
        counts = self._sql.select(table.c.arm, self._sql.func.count()).join(open_ones, self._is_of(open_ones))
        return [(row[0], row[1]) for row in self._rows(counts.where(table.c.choice < below).group_by(table.c.arm))]

    def _open_choices(self) -> Any:
        """Return the numbers of choices that have one event: one scan of an index, in its order."""
        table = self._tables.events.alias()
        mine = self._sql.select(table.c.choice).where(table.c.agent == self._agent, table.c.choice >= 0)
        return mine.group_by(table.c.choice).having(self._sql.func.count() == 1).subquery()

    def _is_of(self, choices: Any) -> Any:
        table = self._tables.events
        return (table.c.agent == self._agent) & (table.c.choice == choices.c.choice) & (table.c.kind == "choice")

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

    def snapshot(self, base: bool = False) -> tuple[int, float, dict[str, Any]] | None:
        """Return the latest snapshot, or the one at which the fold must begin: its number, its event's time, and it."""
        with self._connected() as connection:
            return self._snapshot(connection, base)

    def _snapshot(self, connection: Any, base: bool = False) -> tuple[int, float, dict[str, Any]] | None:
        table, agents, events = self._tables.snapshots, self._tables.agents, self._tables.events
        same = (events.c.agent == table.c.agent) & (events.c.seq == table.c.seq)
        chosen = self._sql.select(table.c.seq, events.c.time, table.c.state).join(events, same)
        chosen = chosen.where(table.c.agent == self._agent)
        if base:
            begins = self._sql.select(agents.c.base).where(agents.c.id == self._agent).scalar_subquery()
            chosen = chosen.where(table.c.seq == begins)
        for seq, event_time, text in connection.execute(chosen.order_by(table.c.seq.desc())).all():
            state: dict[str, Any] = json.loads(text)
            if state.get("time", event_time) == event_time:  # else the journal was set back since
                return int(seq), float(event_time), state
        return None

    def write_snapshot(self, seq: int, since: float, state: Mapping[str, Any]) -> None:
        """Store the state after an event of a time, and delete older ones that are not needed."""
        table, agents = self._tables.snapshots, self._tables.agents
        text = json.dumps({**state, "time": since}, allow_nan=False)
        insert = _insert_of(self._place.path is not None)(table).values(agent=self._agent, seq=seq, state=text)
        insert = insert.on_conflict_do_update(index_elements=["agent", "seq"], set_={"state": text})
        mine = table.c.agent == self._agent
        recent = self._sql.select(table.c.seq).where(mine).order_by(table.c.seq.desc()).limit(_KEPT_SNAPSHOTS)
        begins = self._sql.select(agents.c.base).where(agents.c.id == self._agent).scalar_subquery()
        with self._connected() as connection, connections.transaction(connection):
            connection.execute(insert)
            kept = [row[0] for row in connection.execute(recent)]
            connection.execute(table.delete().where(mine, table.c.seq.not_in(kept), table.c.seq != begins))

    def holds_older(self, before: float) -> bool:
        """Return whether the first event with features or a key is older than a time."""
        table, last = self._tables.events, self.last()
        holds = table.c.features.is_not(None) | table.c.kept.is_not(None) | table.c.key.is_not(None)
        holds |= (table.c.kind == SET_ASIDE) & table.c.name.is_not(None)
        chosen = self._sql.select(table.c.seq, table.c.time)
        chosen = chosen.where(table.c.agent == self._agent, table.c.seq > self._clean, holds)
        oldest = self._rows(chosen.order_by(table.c.seq).limit(1))
        self._clean = oldest[0][0] - 1 if oldest else last
        return bool(oldest) and oldest[0][1] < before

    def forget_before(self, before: float) -> None:
        """Delete what events before a time hold of people: keys, and features up to the last snapshot."""
        table, agents = self._tables.events, self._tables.agents
        has_features = table.c.features.is_not(None) | table.c.kept.is_not(None)
        old = (table.c.agent == self._agent, table.c.seq > self._clean, table.c.time < before)
        with self._connected() as connection, connections.transaction(connection):
            found = self._snapshot(connection)
            connection.execute(table.update().where(*old, table.c.key.is_not(None)).values(key=None))
            connection.execute(table.update().where(*old, table.c.kind == SET_ASIDE).values(name=None))
            if found is None:
                return
            upto = table.update().where(*old, table.c.seq <= found[0], has_features).values(features=None, kept=None)
            if connection.execute(upto, execution_options={"preserve_rowcount": True}).rowcount:
                connection.execute(agents.update().where(agents.c.id == self._agent).values(base=found[0]))

    def set_aside(self, events: Mapping[int, Event], last: int, state: Mapping[str, Any]) -> None:
        """Empty events, and have the fold begin at a state after event `last`, in one transaction.

        Their content stays as JSON in their names. A new last event makes running processes read the state.

        Raises
        ------
        JournalError
            Another process has written an event since, or the database did not answer.
        """
        table, agents, snapshots = self._tables.events, self._tables.agents, self._tables.snapshots
        mark = Event(SET_ASIDE, time.time())
        given = {"agent": self._agent, "seq": last + 1, "after": last, **mark._asdict()}
        text = json.dumps({**state, "time": mark.time}, allow_nan=False)
        with self._connected() as connection, connections.transaction(connection):
            statement = _append(self._place.path is not None, True, False)
            if connection.execute(statement, given, execution_options=_COUNTED).rowcount != 1:
                raise JournalError(f"the journal {self._place} has a new event {last + 1}; repeat the repair")
            for seq, event in events.items():
                when = min(mark.time, event.time) if isinstance(event.time, int | float) else mark.time
                empty = Event(SET_ASIDE, when, name=_text_of(event))._asdict()
                connection.execute(table.update().where(table.c.agent == self._agent, table.c.seq == seq).values(empty))
            connection.execute(snapshots.delete().where(snapshots.c.agent == self._agent))
            connection.execute(snapshots.insert().values(agent=self._agent, seq=last + 1, state=text))
            connection.execute(agents.update().where(agents.c.id == self._agent).values(base=last + 1))

    def base(self) -> int:
        """Return the number of the event whose snapshot starts the fold; 0 for the first event."""
        table = self._tables.agents
        return int(self._rows(self._sql.select(table.c.base).where(table.c.id == self._agent))[0][0])

    # ------------------------------------------------------------ the connection

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Any]:
        """Give a connection of the database."""
        if not self._opened.alive:
            raise ValueError(f"the journal {self._place} is closed; open it again")
        with self._database.connected() as connection:
            yield connection

    def _run(self, statement: Any, given: Mapping[str, Any] | None = None) -> int:
        """Carry out a statement in a transaction of its own, and return how many rows it changed."""
        return int(self._carried_out(statement, given, lambda done: done.rowcount))

    def _rows(self, statement: Any) -> list[Any]:
        return list(self._carried_out(statement, None, lambda done: done.all()))

    def _carried_out(self, statement: Any, given: Mapping[str, Any] | None, take: Callable[[Any], Any]) -> Any:
        """Carry out a statement, again where another transaction was first, and return what is taken of it."""
        for _ in range(_TRIES):
            with contextlib.suppress(ConflictError), self._connected() as connection:
                return take(connection.execute(statement, given, execution_options=_COUNTED))
            time.sleep(_pauses.uniform(0.0, _PAUSE))
        raise JournalError(f"the journal {self._place} refused {_TRIES} times: other transactions were first")


def _text_of(event: Event) -> str:
    """Return what an event has as JSON, also where that is of a wrong type."""
    return json.dumps({name: value for name, value in event._asdict().items() if value is not None}, default=repr)


@functools.cache
def _append(is_file: bool, follows: bool, timed: bool) -> Any:
    """Return the statement that writes an event, if the one before it is there, and has its time."""
    import sqlalchemy as sql

    table = schema.tables().events
    row = {column.name: sql.cast(sql.bindparam(column.name), column.type) for column in table.columns}
    before, chosen = table.alias(), sql.select(*row.values())
    known = [before.c.agent == sql.bindparam("agent"), before.c.seq == sql.bindparam("after")]
    known += [before.c.time == sql.bindparam("since")] if timed else []
    there = sql.select(before.c.seq).where(*known).exists() if follows else sql.literal(1) == 1
    return _insert_of(is_file)(table).from_select(list(row), chosen.where(there)).on_conflict_do_nothing()


def _insert_of(is_file: bool) -> Any:
    """Return the insert of a database that has ON CONFLICT."""
    from sqlalchemy.dialects import postgresql, sqlite

    return sqlite.insert if is_file else postgresql.insert
