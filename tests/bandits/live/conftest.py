"""Databases of the tests: a file of SQLite, and servers of PostgreSQL where Debian's programs are there."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_numbers = itertools.count()
_FOLDERS = "/usr/lib/postgresql"
_PATIENCE = 30.0  # seconds


def programs() -> Path | None:
    """The folder of the newest server's programs; None where there is none."""
    path = shutil.which("initdb")
    debians = sorted(Path(_FOLDERS).glob("*/bin"), key=lambda at: int(at.parent.name))
    found = [*([Path(path).parent] if path else []), *debians]
    return next((folder for folder in reversed(found) if (folder / "postgres").exists()), None)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Server:
    """A server in a folder, which can be killed and started again."""

    def __init__(self, folder: Path, port: int):
        found = programs()
        assert found is not None
        self.programs, self.data, self.port = found, folder / "data", port
        self.url = f"postgresql://shop@127.0.0.1:{port}/postgres"
        self.user: dict[str, Any] = {}
        if os.geteuid() == 0:
            import pwd

            users = {user.pw_name: user for user in pwd.getpwall()}
            user = next(users[name] for name in ("postgres", "nobody") if name in users)
            self.user = {"user": user.pw_name, "group": user.pw_gid, "extra_groups": []}
            os.chown(folder, user.pw_uid, -1)
        self.process: subprocess.Popen[bytes] | None = None
        words = [self.programs / "initdb", "-D", self.data, "-A", "trust", "-U", "shop", "--no-sync"]
        subprocess.run(words, check=True, capture_output=True, cwd="/", **self.user)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        import psycopg

        options = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "on"}
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        self.process = subprocess.Popen(
            [str(self.programs / "postgres"), "-D", str(self.data), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            **self.user,
        )
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url, connect_timeout=2).close()
                return
            time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        """Kill it as a lack of memory would: the server first, then what it has started."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="utf-8")
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for child in children.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """End it, in the middle of what it does."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()


@contextlib.contextmanager
def _server() -> Iterator[Server]:
    """A server that runs, in a folder that its own user can come to, as it cannot to pytest's."""
    pytest.importorskip("psycopg")
    if sys.platform == "win32" or programs() is None:
        pytest.skip("no PostgreSQL in /usr/lib/postgresql or on PATH")
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    folder.chmod(0o755)
    made = Server(folder, free_port())
    made.start()
    try:
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server of PostgreSQL, which tests share."""
    with _server() as server:
        yield server


@pytest.fixture
def own_postgres() -> Iterator[Server]:
    """A server of a test's own, which it may kill."""
    with _server() as server:
        yield server


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The URL of an empty file of SQLite."""
    pytest.importorskip("sqlalchemy")
    return f"sqlite:///{tmp_path / 'shop.db'}"


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.program)])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of a database; one of SQLite is empty, agents of one of PostgreSQL have other names in other tests."""
    found = request.getfixturevalue(request.param)
    return str(getattr(found, "url", found))


@pytest.fixture
def name() -> str:
    """The name of an agent that no other test has."""
    return f"banner {next(_numbers)}"
