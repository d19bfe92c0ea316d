"""The page's server without a network: a client that knows the token, and what its tests ask again and again."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from treebandit.page.app import make_app

HOST, PORT = "127.0.0.1", 8765
ADDRESS = f"http://{HOST}:{PORT}"
EMPTY = {"moves": "", "width": 7, "height": 6, "connect": 4}
SMALL = {"moves": "2", "width": 4, "height": 3, "connect": 3}
LARGE = {**EMPTY, "width": 10}  # too many empty cells to be solved
UNSOLVED = {"moves": "", "width": 8, "height": 7, "connect": 4}  # no book, and hours of solving
ENDLESS = {"name": "uct", "seconds": 60.0}
ID = "some-id-1"


@pytest.fixture
def client(tmp_path):
    """A browser's page that knows the token."""
    app = make_app(HOST, PORT, tmp_path / "results")
    with TestClient(app, base_url=ADDRESS, headers={"X-Token": app.state.token}) as found:
        yield found
        app.state.works.stop()


def ask(client, **values):
    """Have a player think."""
    return client.post("/api/moves", json={"position": EMPTY, "player": {"name": "uct"}, "seed": 0, "id": ID, **values})


def begin(client, **values):
    """Have a player think; return its work."""
    answer = ask(client, **values)
    assert (answer.status_code, answer.json()) == (200, {"id": values.get("id", ID)})
    return client.app.state.works.of(values.get("id", ID))


def events_in(text):
    """Return the kinds and values of events."""
    lines = text.splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    return list(zip(kinds, (json.loads(line[6:]) for line in lines if line.startswith("data: ")), strict=True))


def events(client, name=ID):
    """Return what a watcher sees until the end."""
    answer = client.get(f"/api/moves/{name}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events_in(answer.text)


def refused(answer, *parts, status=400):
    """Assert that an answer is one sentence with these parts."""
    assert answer.status_code == status, answer.text
    (said,) = answer.json().values()
    assert answer.json() == {"error": said}
    assert "\n" not in said
    for part in parts:
        assert part in said
    return said
