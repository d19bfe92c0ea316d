"""The URL of a journal, and its options in their types."""

from __future__ import annotations

import contextlib
import os
from typing import Any, NamedTuple

from numerics.checks import show

_DIALECTS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
_ALLOWED = "sqlite:///PATH or postgresql://USER@HOST/DATABASE"
PATIENCE = 10.0  # seconds that a locked file of SQLite, or a connection to PostgreSQL, is waited for


class Place(NamedTuple):
    """Where a journal is."""

    url: Any  # SQLAlchemy's, as it was given
    path: str | None  # of a file of SQLite
    engine_url: Any  # for SQLAlchemy's engine ...
    options: dict[str, Any]  # ... and its driver

    def __str__(self) -> str:
        """Return the URL without its password."""
        return str(self.url.render_as_string(hide_password=True))


def place_of(url: Any) -> Place:
    """Return the place of a journal.

    Raises
    ------
    ValueError
        A URL of another form, or with an option that is unknown or of another type.
    """
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    if not isinstance(url, str):
        raise ValueError(f"url must be {_ALLOWED}; got {show(url)}")
    try:
        made = make_url(url)
    except (ArgumentError, ValueError):
        raise ValueError(f"url must be {_ALLOWED}; it cannot be parsed") from None
    dialect = made.drivername.split("+", 1)[0]
    if dialect not in _DIALECTS:
        raise ValueError(f"url must be {_ALLOWED}; got {made.drivername}://")
    shown, made = made, made.set(drivername=_DIALECTS[dialect])
    given = dict(made.query)
    if dialect == "sqlite":
        if made.database in (None, "", ":memory:"):
            raise ValueError(f"url must name a file, as in sqlite:///PATH; got {url}")
        wait = _number("timeout", given.pop("timeout", PATIENCE))
        if given:
            raise ValueError(f"url must have no option but timeout for SQLite; got {show(next(iter(given)))}")
        path = os.path.abspath(made.database)
        return Place(shown, path, made.set(database=path, query={}), {"timeout": wait, "check_same_thread": False})
    threshold = given.pop("prepare_threshold", None)  # statements that a pooler of connections does not know
    options = {
        "connect_timeout": int(_number("connect_timeout", given.pop("connect_timeout", PATIENCE))),
        "prepare_threshold": None if threshold is None else int(_number("prepare_threshold", threshold)),
    }
    _check_options({name: value for name, value in given.items() if isinstance(value, str)})
    return Place(shown, None, made.set(query=given), options)


def _number(name: str, value: Any) -> float:
    """Return the number that an option must be."""
    with contextlib.suppress(TypeError, ValueError):
        if 0.0 <= (number := float(value)) <= 1e6:
            return number
    raise ValueError(f"url must have a number from 0 to 1e6 as {name}; got {show(value)}")


def _check_options(given: dict[str, str]) -> None:
    """Refuse options that PostgreSQL does not know."""
    with contextlib.suppress(ImportError):  # which the engine tells
        import psycopg
        from psycopg.conninfo import make_conninfo

        for name, value in given.items():
            try:
                make_conninfo("", **{name: value})
            except psycopg.ProgrammingError:
                raise ValueError(f"url must have options of PostgreSQL's libpq; got {show(name)}") from None
