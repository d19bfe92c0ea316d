"""Databases of the tests: a file of SQLite, and a server of PostgreSQL where Debian's programs are there."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_numbers = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[object]:
    """A server of PostgreSQL, which tests share."""
    if sys.platform == "win32":
        pytest.skip("no PostgreSQL of Debian's")
    from tests import postgres as servers

    if servers.programs() is None:
        pytest.skip("no PostgreSQL in /usr/lib/postgresql or on PATH")
    with servers.server() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.program)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database; one of SQLite is empty, agents of one of PostgreSQL have other names in other tests."""
    pytest.importorskip("sqlalchemy")
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'shop.db'}"
    pytest.importorskip("psycopg")
    return str(request.getfixturevalue("postgres").url)


@pytest.fixture
def name() -> str:
    """The name of an agent that no other test has."""
    return f"banner {next(_numbers)}"
