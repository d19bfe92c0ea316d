"""The connections of this process to its databases: few to each, which all journals share.

A statement takes a connection that no other thread uses. An error or an interrupt within it closes the connection. A
fork waits for the statements that run and closes all connections, so the child inherits none.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

from bandits.journal.urls import PATIENCE, Place

MOST = 10  # connections to a database
_CONFLICTS = ("40001", "40P01")  # PostgreSQL's codes of transactions that another one has overtaken
_SILENT = (5, 6, 10, 14)  # SQLite's codes: busy, locked, an error of the disk, a file that cannot be opened
_HOUSEWORK = 0x7472656562616E64  # the number of PostgreSQL's lock


class JournalError(OSError):
    """The database failed or was set back; nothing is half-written, and the next call tries again."""


class ConflictError(JournalError):
    """Another transaction was first."""


class Slot:
    """A place for a connection, which one thread uses at a time."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # so that a thread may go on whose interrupt kept it from the release
        self.connection: Any = None
        self.file: tuple[int, int] | None = None  # which file of SQLite it has open

    def drop(self) -> None:
        """Close the connection, whatever it is doing."""
        connection, self.connection = self.connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.invalidate()
            with contextlib.suppress(Exception):
                connection.close()


class Database:
    """A database that has open journals.

    Parameters
    ----------
    place : Place
    durable : str
        As for `Journal`.

    Raises
    ------
    ValueError
        Packages that are missing.
    """

    def __init__(self, place: Place, durable: str):
        import sqlalchemy

        self._place, self._durable = place, durable
        self._errors: Any = sqlalchemy.exc.SQLAlchemyError
        self._slots = [Slot() for _ in range(MOST)]
        self._held: list[Slot] = []
        self.journals: int = 0
        pool = sqlalchemy.pool.NullPool
        try:
            self._engine = sqlalchemy.create_engine(
                place.engine_url, poolclass=pool, isolation_level="AUTOCOMMIT", connect_args=place.options
            )
        except ImportError:
            raise ValueError("a journal in PostgreSQL needs psycopg: pip install 'treebandit[live]'") from None
        if place.path is not None:
            sqlalchemy.event.listen(self._engine, "connect", self._set_up)

    @contextlib.contextmanager
    def connected(self) -> Iterator[Any]:
        """Give a connection, in which each statement is a transaction of its own.

        Raises
        ------
        JournalError
            The database does not answer, or refuses a statement.
        """
        slot = self._taken()
        try:
            yield self._opened(slot)
        except self._errors as error:
            slot.drop()
            cause = getattr(error, "orig", None)
            if cause is not None and not isinstance(cause, self._engine.dialect.loaded_dbapi.Error):
                raise cause from None  # SQLAlchemy has wrapped an exception of a signal handler
            raise self._said(error) from None
        except BaseException:
            slot.drop()
            raise
        finally:
            slot.lock.release()

    def _taken(self) -> Slot:
        """Return a slot that no other thread uses, and that none will use until its lock is released."""
        for slot in self._slots:
            if slot.lock.acquire(blocking=False):
                return slot
        slot = self._slots[threading.get_ident() % MOST]
        slot.lock.acquire()
        return slot

    def _opened(self, slot: Slot) -> Any:
        file = self._file()
        if slot.connection is None or slot.file != file:
            slot.drop()
            slot.connection, slot.file = self._engine.connect(), file
        return slot.connection

    def _file(self) -> tuple[int, int] | None:
        """Return which file of SQLite there is now: not one that was removed while it was open."""
        if self._place.path is None:
            return None
        try:
            found = os.stat(self._place.path)
        except OSError:
            raise JournalError(f"the journal {self._place} did not answer: unable to open database file") from None
        return found.st_dev, found.st_ino

    def _set_up(self, connection: Any, _record: Any) -> None:
        connection.execute(f"PRAGMA synchronous={'NORMAL' if self._durable == 'process' else 'FULL'}")

    def _said(self, error: Any) -> JournalError:
        """Return one sentence of what a database says."""
        cause = getattr(error, "orig", None) or error
        lines = str(cause).strip().splitlines()
        said = lines[0] if lines else type(error).__name__
        state = getattr(cause, "sqlstate", None)
        if self._place.path is None:
            told = state is not None and not state.startswith(("08", "57P"))  # connections, and their end
            answered = told or (state is None and ("FATAL:" in said or type(cause).__name__ != "OperationalError"))
        else:
            answered = getattr(cause, "sqlite_errorcode", 0) & 0xFF not in _SILENT
        kind = ConflictError if state in _CONFLICTS else JournalError
        return kind(f"the journal {self._place} {'refused' if answered else 'did not answer'}: {said}")

    def close(self) -> None:
        """Close all connections, each after its statement."""
        for slot in self._slots:
            if slot.lock.acquire(timeout=PATIENCE):
                slot.drop()
                slot.lock.release()

    def hold(self) -> None:
        """Wait for the statements that run, let no other begin, and close all connections."""
        for slot in self._slots:
            if slot.lock.acquire(timeout=PATIENCE):
                self._held.append(slot)
                slot.drop()

    def let_go(self, is_child: bool) -> None:
        """Let statements begin again; a child forgets a connection whose statement did not end."""
        for slot in self._held:
            slot.lock.release()
        if is_child:
            lost = [slot for slot in self._slots if slot not in self._held]
            _lost.extend(lost)
            self._slots = [Slot() if slot in lost else slot for slot in self._slots]
        self._held = []


_databases: dict[tuple[str, str], Database] = {}
_lock = threading.RLock()  # of the databases
_lost: list[Slot] = []  # which nothing may close


def database_of(place: Place, durable: str) -> Database:
    """Return the database of a place, for one more journal, which must `release` it."""
    key = place.url.render_as_string(hide_password=False), durable
    if place.path is not None:
        key = place.engine_url.render_as_string(), f"{durable} {place.options['timeout']}"
    with _lock:
        found = _databases.get(key)
        if found is None:
            found = _databases[key] = Database(place, durable)
        found.journals += 1
        return found


def release(database: Database) -> None:
    """Close the connections to a database when its last journal is closed."""
    with _lock:
        database.journals -= 1
        if database.journals:
            return
    database.close()  # not under the lock, for which a statement may wait
    with _lock:
        for key in [key for key, each in _databases.items() if each is database and not database.journals]:
            del _databases[key]


@contextlib.contextmanager
def transaction(connection: Any) -> Iterator[None]:
    """Make one transaction of several statements; no two processes are in such a one at once.

    An error ends the connection, and so the transaction.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("BEGIN ISOLATION LEVEL READ COMMITTED")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_HOUSEWORK})")
    yield
    connection.exec_driver_sql("COMMIT")


def _before_a_fork() -> None:
    _lock.acquire()
    for database in _databases.values():
        database.hold()


def _after_a_fork(is_child: bool) -> None:
    for database in _databases.values():
        database.let_go(is_child)
    _lock.release()


if sys.platform != "win32":
    os.register_at_fork(
        before=_before_a_fork,
        after_in_parent=lambda: _after_a_fork(False),
        after_in_child=lambda: _after_a_fork(True),
    )
