"""The page's server: what it answers, to whom, how it stops searching, and that no request makes it fail."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from connect4 import Board
from experiments.players import make_player
from experiments.server.app import make_app

HOST, PORT = "127.0.0.1", 8765
EMPTY = {"moves": "", "width": 7, "height": 6, "connect": 4}


@pytest.fixture
def page():
    """A browser's page that knows the token."""
    app = make_app(HOST, PORT)
    with TestClient(app, base_url=f"http://{HOST}:{PORT}", headers={"X-Token": app.state.token}) as client:
        yield client


def ask(page, **values):
    """Have a player think; return the id."""
    given = {"position": EMPTY, "player": {"name": "uct"}, "seed": 0, "id": "some-id-1", **values}
    answer = page.post("/api/moves", json=given)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def events(page, name="some-id-1"):
    """Return what a watcher sees until the end: kinds with their values."""
    answer = page.get(f"/api/moves/{name}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    lines = answer.text.splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    return list(zip(kinds, (json.loads(line[6:]) for line in lines if line.startswith("data: ")), strict=True))


@pytest.mark.jit
@pytest.mark.parametrize("place", [1, 2])
def test_a_move_is_the_one_that_the_player_makes_first_in_a_match_of_that_seed(page, place):
    moves = [3] * (place - 1)
    player = make_player("uct", simulations=3_000, c=0.5, seed=11)
    player.reset(place)
    expected = player.think(Board.from_moves(moves)).result()
    position = {**EMPTY, "moves": "4" * (place - 1)}
    ask(page, position=position, player={"name": "uct", "simulations": 3_000, "c": 0.5}, seed=11)
    *before, (kind, found) = events(page)
    assert kind == "moved"
    assert found["column"] == expected.best_move
    assert found["visits"] == expected.visits.tolist()
    assert found["simulations"] == found["of"] == 3_000
    assert {kind for kind, _ in before} <= {"thinking"}
