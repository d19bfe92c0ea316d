"""The tables of a journal, their version, and migrations from older versions."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from bandits.journal.connections import transaction
from bandits.journal.urls import PATIENCE
from numerics.checks import show

VERSION = 1
_TRIES = 500  # to let readers of a file of SQLite go on
MIGRATIONS: dict[int, Callable[[Any], None]] = {}
"""What makes a journal of each older version one of the next, given a connection."""


class Tables(NamedTuple):
    """The tables, as SQLAlchemy knows them."""

    metadata: Any
    form: Any
    agents: Any
    events: Any
    snapshots: Any


@functools.cache
def tables() -> Tables:
    """Return the tables; SQLAlchemy is imported at the first call."""
    from sqlalchemy import Column, Double, Integer, MetaData, String, Table, Text, UniqueConstraint

    metadata = MetaData()
    form = Table("treebandit_form", metadata, Column("version", Integer, nullable=False))

    agents = Table(
        "treebandit_agents",
        metadata,
        Column("id", Integer, primary_key=True),
        Column("name", String(200), nullable=False, unique=True),
        Column("description", Text, nullable=False),  # JSON
        Column("created", Double, nullable=False),  # seconds since 1970, UTC
        Column("base", Integer, nullable=False, default=0),  # event at whose snapshot the fold begins
    )

    events = Table(
        "treebandit_events",
        metadata,
        Column("agent", Integer, primary_key=True, autoincrement=False),
        Column("seq", Integer, primary_key=True, autoincrement=False),  # from 1 on, without a gap
        Column("kind", String(12), nullable=False),
        Column("time", Double, nullable=False),  # seconds since 1970, UTC
        Column("choice", Integer),  # the number of the choice, from 0 on, or that of which the event tells
        Column("arm", Integer),  # its index
        Column("propensity", Double),
        Column("error", Double),  # of an estimated propensity
        Column("reward", Double),
        Column("features", Text),  # JSON
        Column("kept", Text),  # what the policy needs to learn the reward
        Column("key", String(200)),  # of a request
        Column("name", Text),  # JSON, of an arm that comes or goes
        UniqueConstraint("agent", "choice", "kind"),  # no reward counts twice
        UniqueConstraint("agent", "key"),
        sqlite_with_rowid=False,
    )

    snapshots = Table(
        "treebandit_snapshots",
        metadata,
        Column("agent", Integer, primary_key=True, autoincrement=False),
        Column("seq", Integer, primary_key=True, autoincrement=False),
        Column("state", Text, nullable=False),  # JSON
    )
    return Tables(metadata, form, agents, events, snapshots)


def prepare(connection: Any, create: bool = True) -> None:
    """Create missing tables, or migrate an older journal to this version, in one transaction.

    Raises
    ------
    ValueError
        A newer journal, a database with other tables of these names, or one without a journal where none may be made.
    """
    version = _version(connection)
    if version == VERSION:
        return
    if version is None and not create:
        raise ValueError("url must name a journal; this database has no journal")
    if connection.dialect.name == "sqlite" and create:
        write_ahead(connection)
    with transaction(connection):
        version = _version(connection)  # as another process may have made it
        if version is None:
            _make(connection)
        else:
            for older in range(version, VERSION):
                MIGRATIONS[older](connection)
                connection.execute(tables().form.update().values(version=older + 1))


def write_ahead(connection: Any) -> None:
    """Let readers of a file of SQLite go on while another process writes; the file remembers it."""
    for tried in itertools.count(1):
        try:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        except _sql().exc.OperationalError:  # SQLite does not wait here for another process
            if tried == _TRIES:
                raise
            time.sleep(PATIENCE / _TRIES)
        else:
            return


def _version(connection: Any) -> int | None:
    """Return the version of a journal; None where there is none, or none that is complete."""
    metadata, form, *others = tables()
    there = set(_sql().inspect(connection).get_table_names())
    if form.name not in there:
        if {table.name for table in others} & there:
            raise ValueError("url must name a journal or an empty database; this one has other tables with these names")
        return None
    version = connection.scalar(_sql().select(form.c.version).order_by(form.c.version.desc()).limit(1))
    if version is None or not set(metadata.tables) <= there:  # an older treebandit was killed while it made them
        return None
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"url must name a journal; the format of this one is unknown: {show(version)}")
    if version > VERSION:
        raise ValueError(
            f"url must name a journal of format {VERSION} or older; it has format {version}: update treebandit"
        )
    return version


def _make(connection: Any) -> None:
    """Create the tables that are missing, and their version."""
    metadata, form, *_ = tables()
    metadata.create_all(connection)
    if connection.scalar(_sql().select(form.c.version)) is None:
        connection.execute(form.insert().values(version=VERSION))


def _sql() -> Any:
    import sqlalchemy

    return sqlalchemy
