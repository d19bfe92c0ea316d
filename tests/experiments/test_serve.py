"""The page's server: what it answers, to whom, how it stops searching, and that no request makes it fail."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import itertools
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from connect4 import Board, Solver
from experiments.page import FOLDER
from experiments.players import PLAYERS, make_player
from experiments.server import runs, work
from experiments.server.app import make_app
from experiments.server.given import OFFERED

HOST, PORT = "127.0.0.1", 8765
ADDRESS = f"http://{HOST}:{PORT}"
EMPTY = {"moves": "", "width": 7, "height": 6, "connect": 4}
SMALL = {"moves": "2", "width": 4, "height": 3, "connect": 3}
LARGE = {**EMPTY, "width": 10}  # too large to be solved
UNSOLVED = {"moves": "", "width": 8, "height": 7, "connect": 4}  # no book, and hours of solving
ENDLESS = {"name": "uct", "seconds": 60.0}
ID = "some-id-1"


@pytest.fixture
def page(tmp_path):
    """A browser's page that knows the token."""
    app = make_app(HOST, PORT, tmp_path / "results")
    with TestClient(app, base_url=ADDRESS, headers={"X-Token": app.state.token}) as client:
        yield client
        for one in app.state.works.running:
            one.stop()


def ask(page, **values):
    """Have a player think."""
    return page.post("/api/moves", json={"position": EMPTY, "player": {"name": "uct"}, "seed": 0, "id": ID, **values})


def begin(page, **values):
    """Have a player think; return its work."""
    answer = ask(page, **values)
    assert (answer.status_code, answer.json()) == (200, {"id": values.get("id", ID)})
    return page.app.state.works.of(values.get("id", ID))


def events_in(text):
    """Return the kinds and values of events."""
    lines = text.splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    return list(zip(kinds, (json.loads(line[6:]) for line in lines if line.startswith("data: ")), strict=True))


def events(page, name=ID):
    """Return what a watcher sees until the end."""
    answer = page.get(f"/api/moves/{name}/events")
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


def until(true, seconds=20.0):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.002)


# --- moves ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [1, 2])
def test_a_move_is_the_one_that_the_player_makes_first_in_a_match_of_that_seed(page, place):
    moves = [3] * (place - 1)
    player = make_player("uct", simulations=3_000, c=0.5, seed=11)
    player.reset(place)
    expected = player.think(Board.from_moves(moves)).result()
    position = {**EMPTY, "moves": "4" * (place - 1)}
    begin(page, position=position, player={"name": "uct", "simulations": 3_000, "c": 0.5}, seed=11)
    *before, (kind, found) = events(page)
    assert kind == "moved"
    assert found["column"] == expected.best_move
    assert (found["moves"], found["visits"]) == (expected.moves.tolist(), expected.visits.tolist())
    assert found["means"] == pytest.approx(expected.values, abs=1e-6)
    assert found["scores"] == pytest.approx(expected.scores, abs=1e-6)
    assert (found["simulations"], found["of"], found["index"]) == (3_000, 3_000, "bonus")
    assert found["line"] == expected.principal_variation[:12]
    assert {kind for kind, _ in before} <= {"thinking"}


@pytest.mark.parametrize("name", OFFERED)
def test_every_player_but_those_of_a_file_or_a_terminal_moves_as_it_does_elsewhere(page, name):
    assert set(PLAYERS) - set(OFFERED) == {"custom", "human"}
    player = make_player(name, seed=4)
    player.reset(2)
    begin(page, position=SMALL, player={"name": name}, seed=4)
    kind, found = events(page)[-1]
    assert kind == "moved", found
    assert found["column"] == player.play(Board.from_moves("2", 4, 3, 3))
    assert found["exact"] == (Solver(4, 3, 3).scores(Board.from_moves("2", 4, 3, 3)) if found["exact"] else None)
    assert (found["exact"] is not None) == (name in ("perfect", "graded"))


def test_an_illegal_move_is_a_failure_in_a_sentence(page):
    position = {"moves": "12121", "width": 2, "height": 5, "connect": 5}
    for seed in range(20):  # level_0 takes any column; one of the two is full two moves later
        name = f"illegal-{seed}"
        begin(page, position={**position, "moves": "1111122"}, player={"name": "level_0"}, seed=seed, id=name)
        kind, found = events(page, name)[-1]
        if kind == "failed":
            assert found == {"error": "level_0 loses by an illegal move: column 1 cannot be played: it is full; "
                             "open columns are [2]"}  # fmt: skip
            return
        assert found["column"] == 1
    pytest.fail("level_0 has never chosen the full column")


def test_an_id_that_is_known_begins_nothing_and_is_watched_as_often_as_one_likes(page):
    first = begin(page, player={"name": "uct", "simulations": 500})
    again = begin(page, player={"name": "uct", "simulations": 9}, position=SMALL, seed=3)
    assert again is first
    once, twice = events(page)[-1], events(page)[-1]
    assert once == twice
    assert once[1]["simulations"] == 500


def test_a_search_is_stopped_within_50_ms(page):
    times = []
    for number in range(8):
        thinking = begin(page, player=ENDLESS, id=f"stopped-{number}")
        until(lambda thinking=thinking: (thinking.seen or {}).get("simulations"))
        begun = time.perf_counter()
        assert page.delete(f"/api/moves/stopped-{number}").status_code == 200
        assert thinking.wait(5.0)
        times.append(time.perf_counter() - begun)
        assert events(page, f"stopped-{number}") == [("cancelled", {})]
    assert min(times) < 0.05, times  # the least: other processes take their share of the machine


@pytest.mark.parametrize("player", [{"name": "perfect"}, {"name": "graded", "rate": 0.5}])
def test_a_player_that_solves_is_stopped_too(page, player):
    solving = begin(page, position=UNSOLVED, player=player)
    time.sleep(0.3)
    assert not solving.has_ended
    page.delete(f"/api/moves/{ID}")
    assert solving.wait(2.0)
    assert events(page) == [("cancelled", {})]


def test_a_search_that_nobody_watches_is_stopped(page, monkeypatch):
    monkeypatch.setattr(work, "PATIENCE", 0.2)
    thinking = begin(page, player=ENDLESS)
    assert thinking.wait(5.0)
    assert isinstance(thinking.error, work.Stopped)


def test_only_so_many_searches_run_at_once(page, monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 2)
    for name in ("first-id", "second-id"):
        begin(page, player=ENDLESS, id=name)
    refused(ask(page), "2 searches run already", status=429)
    assert ask(page, id="first-id").status_code == 200
    page.delete("/api/moves/first-id")
    until(lambda: len(page.app.state.works.running) < 2)
    begin(page, player={"name": "random"})


def test_what_has_ended_is_forgotten_in_turn(page, monkeypatch):
    monkeypatch.setattr(work, "KEPT", 3)
    for number in range(6):
        begin(page, player={"name": "random"}, id=f"forgotten-{number}").wait(5.0)
    for number in range(3):
        refused(page.get(f"/api/moves/forgotten-{number}/events"), "id must be one", status=404)
    assert events(page, "forgotten-3")[-1][0] == "moved"


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "short"}, "id must be 8 to 64 letters"),
        ({"id": None}, "id must be"),
        ({"id": "../../etc/passwd"}, "id must be"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": 2**60}, "seed must be"),
        ({"more": 1}, "the request takes position, player, seed, id; got 'more'"),
        ({"position": {**EMPTY, "moves": "8"}}, "position.moves must be columns from 1 to 7"),
        ({"position": {**EMPTY, "moves": "4" * 7}}, "position.moves must be playable"),
        ({"position": {**EMPTY, "moves": "1212121"}}, "after 7 stones it is over"),
        ({"position": {**EMPTY, "moves": "1" * 20_001}}, "position.moves must be a text of at most"),
        ({"position": {**EMPTY, "width": 65}}, "position.width must be a whole number from 1 to 64; got 65"),
        ({"position": {**EMPTY, "depth": 1}}, "position takes moves, width, height, connect; got 'depth'"),
        ({"position": [1]}, "position must be a mapping"),
        (
            {"player": {"name": "uct", "simulations": 1_000_001}},
            "player.simulations must be at most 1,000,000 here; got",
        ),
        ({"player": {"name": "uct", "seconds": 61.0}}, "player.seconds must be at most 60 here; got 61"),
        ({"player": {"name": "uct", "playouts_per_leaf": 101}}, "player.playouts_per_leaf must be at most 100 here"),
        ({"player": {"name": "uct", "workers": 2}}, "player.workers cannot be chosen here"),
        ({"player": {"name": "uct", "memory": 10**12}}, "player.memory cannot be chosen here"),
        ({"player": {"name": "uct", "c": -1}}, "player.c must be a finite number of at least 0"),
        ({"player": {"name": "uct", "cc": 1}}, "player.cc is no parameter of uct"),
        ({"player": {"name": "uct", "playouts": "none"}}, "player.playouts must be one of uniform, biased"),
        ({"player": {"name": "minimax", "depth": 12}}, "player.depth must be at most 11 here; got 12"),
        ({"player": {"name": "lookahead", "ply": 12}}, "player.ply must be at most 11 here; got 12"),
        ({"player": {"name": "monte_carlo", "simulations": 10**6}}, "player.simulations must be at most 238,095 here"),
        (
            {"player": {"name": "biased_monte_carlo", "playouts_per_move": 10**5}},
            "must be at most 3,401 here",
        ),
        ({"player": {"name": "perfect", "simulations": 10**6}}, "player.simulations must be at most 100,000 here"),
        ({"player": {"name": "perfect"}, "position": LARGE}, "board must have (height + 1) * width of"),
        ({"player": {"name": "human"}}, "player.name must be one of"),
        ({"player": {"name": "custom", "path": "os.getcwd"}}, "player.name must be one of"),
        ({"player": {"name": "minimax", "heuristic": "os.getcwd"}}, "player.heuristic must be a name of letters"),
        ({"player": {"name": "uct", "policy": "custom"}}, "player.policy must be a name"),
        (
            {"player": {"name": "uct", "policy": {"name": "custom", "rule": "os.x"}}},
            "player.policy.name must be one of",
        ),
        ({"player": {"name": "uct", "policy": {"name": "ucb", "c": {"name": "custom"}}}}, "player.policy.c.name must"),
    ],
)
def test_a_move_that_cannot_be_asked_for_is_one_sentence(page, change, said):
    assert said in refused(ask(page, **change))
    assert page.app.state.works.running == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "must be JSON"),
        (b"{", "must be JSON"),
        (b"\xff", "must be JSON"),
        (b"[" * 50_000, "must be JSON"),
        (b"[]", "must be a mapping"),
        (b'{"seed": NaN}', "numbers must be finite; got NaN"),
        (b'{"id": "\\ud800 123456"}', "id must be"),
        (b'{"id": "' + b"x" * 10_000 + b'"}', " ... "),
    ],
)
def test_what_is_no_request_is_one_sentence(page, body, said):
    assert len(refused(page.post("/api/moves", content=body), said)) < 400


def test_a_request_is_no_larger_than_needed(page):
    refused(page.post("/api/moves", content=b" " * 70_000), "at most 65,536 bytes", status=413)


# --- who may ask ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Host": "evil.example:8765"}, "Host must be"),
        ({"Host": "127.0.0.1"}, "Host must be"),
        ({"Host": "127.0.0.1:80"}, "Host must be"),
        ({"Host": "10.0.0.1:8765"}, "Host must be"),
        ({"Origin": "http://evil.example"}, "Origin must be"),
        ({"Origin": "null"}, "Origin must be"),
        ({"Origin": "http://127.0.0.1:81"}, "Origin must be"),
        ({"Sec-Fetch-Site": "cross-site"}, "one that is cross-site"),
        ({"Sec-Fetch-Site": "same-site"}, "one that is same-site"),
    ],
)
@pytest.mark.parametrize("place", ["/api/catalogue", "/static/app.js"])
def test_only_the_servers_own_pages_may_ask(page, headers, said, place):
    refused(page.get(place, headers=headers), said, status=403)


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_what_changes_anything_needs_the_token(page, token):
    headers = {"X-Token": token.encode()}
    values = {"position": SMALL, "player": {"name": "random"}, "id": ID}
    refused(page.post("/api/moves", json=values, headers=headers), "X-Token", status=403)
    refused(page.delete(f"/api/moves/{ID}", headers=headers), "X-Token", status=403)
    refused(page.get(f"/api/moves/{ID}/events", headers=headers), "id must be one that was begun", status=404)


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
def test_this_machine_has_several_names(page, host):
    headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    assert page.get("/api/catalogue", headers=headers).status_code == 200


def test_a_server_for_others_is_asked_by_its_address_and_by_no_name_but_its_own(tmp_path):
    client = TestClient(make_app("0.0.0.0", PORT, tmp_path), base_url=ADDRESS)
    assert client.get("/", headers={"Host": "192.168.1.7:8765"}).status_code == 200
    refused(client.get("/", headers={"Host": "evil.example:8765"}), "Host must be", status=403)


def test_a_link_to_the_page_may_stand_anywhere(page):
    assert page.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_the_page_knows_the_token_and_runs_no_script_but_the_servers(page):
    answers = [page.get("/") for _ in range(2)]
    policies = [one.headers["content-security-policy"] for one in answers]
    assert policies[0] != policies[1], "a nonce is used once"
    for answer, policy in zip(answers, policies, strict=True):
        (nonce,) = re.findall(r"script-src 'self' 'nonce-([\w-]+)';", policy)
        assert f'<script type="importmap" nonce="{nonce}">' in answer.text
        assert f'<meta name="token" content="{page.app.state.token}">' in answer.text
        assert "$" not in answer.text
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    modules = json.loads(re.search(r'importmap" nonce="[^"]+">(.*?)</script>', answers[0].text)[1])["imports"]
    assert modules["lab/board"] == "/static/board.js"
    assert {f"/static/{file.name}" for file in FOLDER.glob("*.js")} == set(modules.values())
    for place in re.findall(r'(?:src|href)="(/static/[^"]+)"', answers[0].text):
        assert page.get(place).status_code == 200, place
        assert page.get(place).text == page.get(place, headers={"Accept-Encoding": "identity"}).text


@pytest.mark.parametrize("place", ["/", "/static/board.js", "/api/catalogue", "/nowhere", "/static/__init__.py"])
def test_every_answer_has_the_headers_of_safety_and_none_for_other_origins(page, place):
    headers = page.get(place, headers={"Origin": ADDRESS}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == ("no-cache" if place == "/static/board.js" else "no-store")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control")]


def test_all_of_the_page_is_less_than_150_kb_to_load(page):
    places = ["/", *(f"/static/{file.name}" for file in FOLDER.iterdir() if file.suffix in (".js", ".css"))]
    assert sum(int(page.get(place).headers["content-length"]) for place in places) < 150_000


def test_only_files_of_the_page_are_given(page):
    assert page.get("/static/board.js").headers["content-type"].startswith("text/javascript")
    assert page.get("/static/style.css").headers["content-type"].startswith("text/css")
    for name in ("__init__.py", "index.html", "..%2f__init__.py", "%2e%2e/serve.py", "nothing.js", "a%00b.js"):
        refused(page.get(f"/static/{name}"), status=404)
    refused(page.post("/"), "POST is not how this address is asked", status=405)


# --- positions, recordings, games -------------------------------------------------------------------------------------


def test_the_catalogue_has_every_name_with_what_it_may_be(page):
    found = page.get("/api/catalogue").json()
    assert [one["name"] for one in found["players"]] == OFFERED
    uct = next(one for one in found["players"] if one["name"] == "uct")
    known = {one["name"]: one for one in uct["parameters"]}
    assert known["final"]["choices"] == ["visits", "value", "index"]
    assert (known["seconds"]["type"], known["seconds"]["optional"], known["seconds"]["above"]) == ("number", True, True)
    assert (known["simulations"]["low"], known["simulations"]["high"]) == (1, 1_000_000)
    assert known["policy"]["type"] == "rule"
    assert {"seed", "memory", "workers", "keep"}.isdisjoint(known)
    rules = {one["name"]: one for one in found["rules"]}
    assert rules["ucb"]["formula"] == "m + sqrt(2) sqrt(ln t / n)"
    assert rules["ucb"]["tree"]
    assert not rules["epsilon_greedy"]["tree"]
    assert "custom" not in rules


def test_scores_are_exact_or_say_why_there_are_none(page, monkeypatch):
    monkeypatch.setattr("experiments.server.positions._SCORES", 0.2)
    found = page.post("/api/scores", json={**EMPTY, "moves": "4453"}).json()
    assert found["scores"] == Solver().scores(Board.from_moves("4453"))
    assert found["why"] is None
    assert page.post("/api/scores", json={**EMPTY, "moves": "444444"}).json()["scores"][3] is None
    large = page.post("/api/scores", json=LARGE).json()
    assert large["scores"] is None
    assert "at most 64" in large["why"]
    slow = page.post("/api/scores", json=UNSOLVED).json()
    assert (slow["scores"], slow["why"]) == (None, "the exact scores of this position are not found in 0.2 s")


def test_a_hint_is_exact_where_it_can_be(page):
    found = page.post("/api/hint", json={**SMALL, "moves": "21"}).json()
    assert found == {"column": 1, "sentence": "hint: column 2, 3 or 4, exactly a win, score +2"}
    found = page.post("/api/hint", json=LARGE).json()
    assert found["sentence"].startswith(f"hint: column {found['column'] + 1}, ")
    assert found["sentence"].endswith("expected by 20,000 simulations")


def test_a_search_is_recorded_as_data_and_as_a_file(page):
    asked = {"position": SMALL, "rules": [{"name": "ucb"}, {"name": "thompson"}], "simulations": 50, "exact": True}
    found = page.post("/api/recordings", json=asked).json()
    assert found["exact"] == Solver(4, 3, 3).scores(Board.from_moves("2", 4, 3, 3))
    assert [one["label"] for one in found["searches"]] == ["ucb c=1", "thompson"]
    answer = page.post("/api/recordings?file", json=asked)
    assert answer.headers["content-disposition"] == 'attachment; filename="search.html"'
    assert found["title"] in answer.text
    refused(page.post("/api/recordings", json={**asked, "rules": [{"name": "epsilon_greedy"}]}), "index policy")
    refused(page.post("/api/recordings", json={**asked, "simulations": 10**6}), "simulations must be at most")
    refused(page.post("/api/recordings", json={**asked, "rules": [{"name": "ucb"}] * 3}), "one or two rules")
    refused(page.post("/api/recordings", json={**asked, "rules": [{"name": "ucb", "c": "x"}]}), "rules[0].c must be")
    refused(page.post("/api/recordings", json={**asked, "position": LARGE}), "exact must be false here")


def test_a_bandit_is_recorded(page):
    asked = {"means": [0.3, 0.7], "rules": [{"name": "ucb"}], "horizon": 40, "seed": 5}
    found = page.post("/api/bandits", json=asked).json()
    assert (found["kind"], found["horizon"], found["seed"]) == ("bandit", 40, 5)
    assert found["title"] in page.post("/api/bandits?file", json=asked).text
    refused(page.post("/api/bandits", json={**asked, "means": [0.3]}), "means must be a list of 2 to 100")
    refused(page.post("/api/bandits", json={**asked, "means": [0.3, 7]}), "means")
    refused(page.post("/api/bandits", json={**asked, "horizon": 10**9}), "horizon must be at most")


def test_games_of_a_run_have_their_blunders_and_the_deciding_one(page, finished, tmp_path):
    match = ("experiment=match", "player1=level_2", "player2=random", "board=4x4", "games=6", "figures=false")
    finished(*match, f"hydra.run.dir={tmp_path}/results/match/one")
    (tmp_path / "secret").mkdir()
    (run,) = page.get("/api/runs").json()
    assert run == {"folder": "match/one", "label": "match on 4x4: level_2, random", "games": 6}
    found = [page.get(f"/api/runs/match/one/games/{number}").json() for number in range(6)]
    assert {tuple(one["players"]) for one in found} == {("level_2", "random"), ("random", "level_2")}
    told = [one for one in found if one["blunders"]]
    assert told, "random players blunder"
    solver = Solver(4, 4, 4)
    for one in told:
        game = Board.from_moves(one["position"]["moves"], 4, 4, 4)
        assert one["result"] == game.winner()
        for blunder in one["blunders"]:
            before = Board.from_moves(game.moves[: blunder["ply"]], 4, 4, 4)
            scores = solver.scores(before)
            assert scores[blunder["best"]] == max(score for score in scores if score is not None)
            assert blunder["loss"] == scores[blunder["best"]] - scores[blunder["played"]]
            assert game.moves[blunder["ply"]] == blunder["played"]
        assert one["deciding"] == one["blunders"][-1]["ply"]
    for folder in (
        "match/two",
        "../secret",
        "match/%2e%2e/match/one/",
        "match%2f..%2f..%2fsecret",
        "/etc",
        "match/one%00",
    ):
        assert page.get(f"/api/runs/{folder}/games/0").status_code == 404
    for number in ("-1", "one", "9" * 30, "6"):
        refused(page.get(f"/api/runs/match/one/games/{number}"), "game must be")


def test_a_game_on_a_board_that_cannot_be_solved_is_shown_without_blunders(page, finished, tmp_path):
    match = ("experiment=match", "player1=level_2", "player2=random", "board=9x9", "games=2", "figures=false")
    finished(*match, f"hydra.run.dir={tmp_path}/results/match/large")
    found = page.get("/api/runs/match/large/games/1").json()
    assert (found["blunders"], found["deciding"]) == ([], None)
    assert "at most 64" in found["why"]
    assert len(found["position"]["moves"]) >= 7


def test_a_game_that_takes_too_long_is_told_as_far_as_it_is_known(monkeypatch):
    row = {"game": 0, "moves": "444444", "opening": ""}
    asked = []

    def judged(game, empty, seconds, before_each):
        asked.append(seconds)
        before_each()
        return [{"keeps_value": None}], {"ply": None}

    monkeypatch.setattr(runs, "judged", judged)
    monkeypatch.setattr(runs, "_LONGEST", -1.0)
    assert runs._judged(row, Board(), work.Work(lambda own: None))[2] == asked[0] < asked[1]


# --- a real server ----------------------------------------------------------------------------------------------------


@pytest.fixture
def serve(tmp_path):
    """Start a server; return the process and its address."""
    started = []

    def serve(*words):
        command = [sys.executable, "-m", "experiments.serve", "--no-browser", *words]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, cwd=tmp_path, **pipes)
        started.append(process)
        line = process.stdout.readline()
        return process, re.search(r"http://\S+:\d+/", line)[0] if line else process.communicate()[1]

    yield serve
    for process in started:
        process.kill()
        process.communicate()


def opened(address):
    """A page of a real server."""
    token = re.search(r'name="token" content="([^"]+)"', httpx2.get(address).text)[1]
    return httpx2.Client(base_url=address, timeout=60, headers={"X-Token": token})


@pytest.mark.parametrize(("sign", "status", "said"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")])
def test_a_real_server_streams_outlives_who_leaves_and_ends_at_once(serve, sign, status, said):
    process, address = serve()
    with opened(address) as page:
        page.post("/api/moves", json={"position": EMPTY, "player": {"name": "uct", "seconds": 30}, "seed": 0, "id": ID})
        with page.stream("GET", f"/api/moves/{ID}/events") as stream:  # a browser that goes, and comes back
            first = next(line for line in stream.iter_lines() if re.search(r'"simulations":[1-9]', line))
        until_end = []

        def watch():
            with (
                contextlib.suppress(httpx2.HTTPError),  # it is cut off in the middle
                httpx2.Client(timeout=60) as other,
                other.stream("GET", f"{address}api/moves/{ID}/events") as again,
            ):
                for line in again.iter_lines():
                    until_end.append((time.monotonic(), line))

        watcher = threading.Thread(target=watch)
        watcher.start()
        until(lambda: sum("data: " in line for _, line in until_end) >= 6)
        shown = [(at, json.loads(line[6:])["simulations"]) for at, line in until_end if line.startswith("data: ")]
        assert shown[-1][1] > json.loads(first[6:])["simulations"], "the same search goes on"
        gaps = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(shown)]
        assert 0.08 < sorted(gaps)[len(gaps) // 2] < 0.5
        begun = time.perf_counter()
        process.send_signal(getattr(signal, sign))
        assert process.wait(5.0) == status
        assert time.perf_counter() - begun < 3.0
        watcher.join()
    err = process.stderr.read().replace("compiling kernels, once: the next command finds them compiled\n", "")
    assert err == f"{said}\n"


def test_what_nobody_waits_for_any_more_is_stopped(serve):
    _, address = serve()
    with opened(address) as page:
        lines = [f"POST /api/scores HTTP/1.1\r\nHost: {address[7:-1]}", f"X-Token: {page.headers['x-token']}"]
        body = json.dumps(UNSOLVED)
        request = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", body]).encode()
        place = (address[7:-1].split(":")[0], int(address[7:-1].split(":")[1]))
        waiting = [socket.create_connection(place) for _ in range(work.AT_ONCE)]
        for one in waiting:
            one.sendall(request)
        asked = {"position": SMALL, "player": {"name": "random"}, "seed": 0, "id": ID}
        until(lambda: page.post("/api/moves", json={**asked, "id": f"{ID}{time.monotonic_ns()}"}).status_code == 429)
        for one in waiting:
            one.close()
        until(lambda: page.post("/api/moves", json=asked).status_code == 200, 5.0)


def test_a_port_that_is_taken_and_other_mistakes_are_one_sentence(command, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = command("--no-browser", "--port", str(port), module="serve")
        said.assert_refused([f"--port {port} is taken; give another one"])
    command("--port", "many", module="serve").assert_refused(["--port must be a whole number from 0 to 65535"])
    command("--port", "65536", module="serve").assert_refused(["--port must be", "got '65536'"])
    command("--host", "no.such.host.invalid", module="serve").assert_refused(["--host must be an address of this"])
    command("--host", "192.0.2.7", module="serve").assert_refused(["--host must be an address of this"])
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name))
    command(module="serve").assert_refused(["the page needs uvicorn: make play, or pip install -e '.[web]'"])


# --- whatever is sent -------------------------------------------------------------------------------------------------

TEXTS = st.text(max_size=12) | st.sampled_from(
    ["ucb", "uct", "perfect", "minimax", "custom", "os.system", "1", "4453", ""]
)
NUMBERS = st.integers(-3, 70) | st.integers() | st.floats() | st.sampled_from([2**31, 2**63, 2**64, 1e308, -0.0])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
MOVE = {"position": SMALL, "player": {"name": "uct", "simulations": 20, "policy": {"name": "ucb", "c": 1}}, "seed": 1}
PLAYED = [{**MOVE, "id": "fuzzed-id", "player": {"name": name}} for name in OFFERED]
RECORDED = {"position": SMALL, "rules": [{"name": "ucb", "c": 1}, {"name": "kl_ucb"}], "simulations": 9, "exact": False}
BANDIT = {"means": [0.2, 0.5], "rules": [{"name": "thompson", "alpha": 1}], "horizon": 9, "seed": 1}
REQUESTS = {
    "/api/moves": [{**MOVE, "id": "fuzzed-id"}, *PLAYED], "/api/scores": [SMALL], "/api/hint": [SMALL],
    "/api/recordings": [RECORDED], "/api/recordings?file": [RECORDED], "/api/bandits": [BANDIT],
}  # fmt: skip


def places_in(value, way=()):
    """Yield the ways to every value in a JSON value."""
    yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, own in inner:
        yield from places_in(own, (*way, key))


@st.composite
def nearly_right(draw, requests):
    """Return a request of which one or two values are others, or gone."""
    found = copy.deepcopy(draw(st.sampled_from(requests)))
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from([way for way in places_in(found) if way]))
        inner = found
        for key in way:
            inner = inner[key]
        what = draw(st.sampled_from(["other", "other", "gone", "more"]))
        if what == "other":
            inner[last] = draw(VALUES)
        elif what == "gone":
            del inner[last]
        elif isinstance(inner, dict):
            inner[draw(TEXTS)] = draw(VALUES)
        if not found:
            break
    return found


def survives(page, place, value):
    """Assert that an answer is data or a sentence, and that nothing goes on afterwards."""
    answer = page.post(place, content=json.dumps(value).encode())
    assert answer.status_code in (200, 400, 403, 404, 405, 413, 429), (answer.status_code, answer.text)
    if answer.status_code != 200:
        refused(answer, status=answer.status_code)
    works = page.app.state.works
    for one in works.running:
        one.stop()
    until(lambda: not works.running)
    errors = [one.error for one in works._works.values() if one.error is not None]
    assert [error for error in errors if not isinstance(error, ValueError | work.Stopped)] == []
    works._works.clear()


def fuzz(page, place, examples):
    """Send many requests to an address."""
    few = settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))

    @few
    @given(value=st.one_of(nearly_right(REQUESTS[place]), nearly_right(REQUESTS[place]), VALUES))
    def sent(value):
        survives(page, place, value)

    sent()


@pytest.fixture
def impatient(page, monkeypatch):
    """A page whose server gives up soon what takes long."""
    for name in ("_SCORES", "_HINT"):
        monkeypatch.setattr(f"experiments.server.positions.{name}", 0.05)
    return page


@pytest.mark.parametrize("place", REQUESTS)
def test_no_request_makes_the_server_fail_or_leaves_a_search_behind(impatient, place):
    fuzz(impatient, place, 60)


@pytest.mark.long
@pytest.mark.parametrize("place", REQUESTS)
def test_none_of_many_requests_makes_the_server_fail(impatient, place):
    fuzz(impatient, place, 3_000)


WAYS = st.sampled_from(["", "static/", "api/", "api/moves/", "api/runs/", "api/runs/x/games/"])


@settings(max_examples=60, deadline=None, database=None)
@given(under=WAYS, way=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_no_address_makes_the_server_fail(under, way):
    client = TestClient(make_app(HOST, PORT), base_url=ADDRESS)
    answer = client.get(f"/{under}{urllib.parse.quote(way, safe='/?&=')}")
    assert answer.status_code in (200, 400, 404, 405), answer.text
