"""The tables of a journal, their version, and migrations from older versions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

VERSION = 1
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
    """Create missing tables, or migrate an older journal to this version.

    Raises
    ------
    ValueError
        A newer journal, a database with other tables of these names, or one without a journal where none may be made.
    """
    from sqlalchemy import inspect, select
    from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

    metadata, form, agents, events, _ = tables()
    there = inspect(connection).get_table_names()
    if form.name not in there:
        if not create:
            raise ValueError("url must name a journal; this database has no journal")
        if {agents.name, events.name} & set(there):
            raise ValueError("url must name a journal or an empty database; this one has other tables with these names")
        try:
            metadata.create_all(connection)
        except (OperationalError, ProgrammingError, IntegrityError):  # another process makes them at the same time
            metadata.create_all(connection)
        if connection.scalar(select(form.c.version)) is None:
            connection.execute(form.insert().values(version=VERSION))
    version = connection.scalar(select(form.c.version).order_by(form.c.version.desc()).limit(1)) or VERSION
    if version > VERSION:
        raise ValueError(
            f"url must name a journal of format {VERSION} or older; it has format {version}: update treebandit"
        )
    for older in range(version, VERSION):
        MIGRATIONS[older](connection)
        connection.execute(form.update().values(version=older + 1))
