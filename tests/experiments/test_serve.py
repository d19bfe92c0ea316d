"""What the page's server answers: moves, exact scores, recordings, games of runs; what becomes of its works."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
import time
import weakref

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from connect4 import Board, Solver
from connect4.players import ProgramPlayer, program
from experiments.players import PLAYERS, make_player
from experiments.recordings import game
from mcts import search
from tests.experiments.commands import until
from tests.experiments.own_games import Nim
from tests.experiments.served import (
    ADDRESS,
    EMPTY,
    ENDLESS,
    HOST,
    ID,
    LARGE,
    PORT,
    SMALL,
    UNSOLVED,
    ask,
    begin,
    events,
    refused,
)
from tests.internals import OFFERED, move_of, words_of
from treebandit.page import requests, server, work
from treebandit.page.app import make_app
from treebandit.page.work import Work, Works


@pytest.fixture
def owned(tmp_path):
    """A client of a server that was started with a game of the user's."""
    app = make_app(HOST, PORT, tmp_path / "results", game=server.game_of("tests.experiments.own_games.Nim heaps=[2,3]"))
    with TestClient(app, base_url=ADDRESS, headers={"X-Token": app.state.token}) as found:
        yield found


# --- moves ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [1, 2])
def test_a_move_is_the_one_that_the_player_makes_first_in_a_match_of_that_seed(client, place):
    moves = [3] * (place - 1)
    player = make_player("uct", simulations=3_000, c=0.5, seed=11)
    player.reset(place)
    expected = player.think(Board.from_moves(moves)).result()
    position = {**EMPTY, "moves": "4" * (place - 1)}
    begin(client, position=position, player={"name": "uct", "simulations": 3_000, "c": 0.5}, seed=11)
    *before, (kind, found) = events(client)
    assert kind == "moved"
    assert found["column"] == expected.best_move
    assert (found["moves"], found["visits"]) == (expected.moves.tolist(), expected.visits.tolist())
    assert found["means"] == pytest.approx(expected.values, abs=1e-6)
    assert found["scores"] == pytest.approx(expected.scores, abs=1e-6)
    assert (found["simulations"], found["of"], found["index"]) == (3_000, 3_000, "bonus")
    assert found["line"] == expected.principal_variation[:12]
    assert {kind for kind, _ in before} <= {"thinking"}


@pytest.mark.parametrize("name", OFFERED)
def test_every_player_but_those_of_a_file_or_a_terminal_moves_as_it_does_elsewhere(client, name):
    assert set(PLAYERS.members) - set(OFFERED) == {"custom", "human", "kaggle", "open_spiel", "pettingzoo", "program"}
    player = make_player(name, seed=4)
    player.reset(2)
    begin(client, position=SMALL, player={"name": name}, seed=4)
    kind, found = events(client)[-1]
    assert kind == "moved", found
    assert found["column"] == player.play(Board.from_moves("2", 4, 3, 3))
    assert found["exact"] == (Solver(4, 3, 3).scores(Board.from_moves("2", 4, 3, 3)) if found["exact"] else None)
    assert (found["exact"] is not None) == (name in ("perfect", "graded"))


def test_an_illegal_move_is_a_failure_in_a_sentence(client):
    position = {"moves": "12121", "width": 2, "height": 5, "connect": 5}
    for seed in range(20):  # level_0 takes any column; one of the two is full two moves later
        name = f"illegal-{seed}"
        begin(client, position={**position, "moves": "1111122"}, player={"name": "level_0"}, seed=seed, id=name)
        kind, found = events(client, name)[-1]
        if kind == "failed":
            assert found["error"].startswith("level_0 loses")
            return
        assert found["column"] == 1
    pytest.fail("level_0 has never chosen the full column")


def test_an_id_that_is_known_begins_nothing_and_is_watched_as_often_as_one_likes(client):
    first = begin(client, player={"name": "uct", "simulations": 500})
    again = begin(client, player={"name": "uct", "simulations": 9}, position=SMALL, seed=3)
    assert again is first
    once, twice = events(client)[-1], events(client)[-1]
    assert once == twice
    assert once[1]["simulations"] == 500


@pytest.mark.parametrize("player", [ENDLESS, {"name": "graded", "rate": 0.5}], ids=["searches", "solves"])
def test_a_player_is_stopped_in_its_thought(client, player):
    short = {"simulations": 9} if player is not ENDLESS else {"seconds": 0.01}
    assert begin(client, position=SMALL, player={**player, **short}, id="compiled").wait(120.0)
    thinking = begin(client, position=UNSOLVED, player=player)
    time.sleep(0.3)
    assert not thinking.has_ended
    assert client.delete(f"/api/moves/{ID}").status_code == 200
    assert thinking.wait(60.0)
    assert events(client) == [("cancelled", {})]


def test_a_program_is_stopped_in_its_thought(client):
    sleeper = ProgramPlayer(command=f"{sys.executable} -S -E -c 'import time; time.sleep(60)'", limit=60.0)
    client.app.state.program = sleeper
    thinking = begin(client, player={"name": "program"})
    assert not thinking.wait(0.2)
    client.delete(f"/api/moves/{ID}")
    assert thinking.wait(60.0)
    assert isinstance(thinking.error, work.Stopped)
    assert events(client) == [("cancelled", {})]
    assert not any(idle for key, idle in program._idle.items() if key[0] == sleeper.command)  # it was killed


def test_who_stops_a_player_that_looks_seldom_is_told_at_once(client, monkeypatch):
    wait = threading.Event()
    monkeypatch.setattr(PLAYERS.members["minimax"], "play", lambda self, board: wait.wait(20.0) and 0)
    thinking = begin(client, player={"name": "minimax"})
    client.delete(f"/api/moves/{ID}")
    assert events(client) == [("cancelled", {})]
    assert not thinking.has_ended
    wait.set()
    assert thinking.wait(60.0)


def test_a_search_that_nobody_watches_is_stopped(client, monkeypatch):
    monkeypatch.setattr(work, "PATIENCE", 0.2)
    thinking = begin(client, player=ENDLESS)
    assert thinking.wait(60.0)
    assert isinstance(thinking.error, work.Stopped)


def test_a_paused_search_rests_keeps_its_numbers_and_ends_as_if_it_had_not_been_paused(client, monkeypatch):
    monkeypatch.setattr(work, "_QUIET", 60.0)  # so that nobody need watch
    many = 300_000  # more than a fast processor has done before it is asked to rest
    thinking = begin(client, player={"name": "uct", "simulations": many}, seed=5)
    until(lambda: (thinking.seen or {}).get("simulations"))
    assert client.patch(f"/api/moves/{ID}", json={"paused": True}).json() == {"id": ID, "found": True}
    until(lambda: thinking.rests)
    seen = thinking.seen
    time.sleep(0.5)
    assert thinking.seen is seen
    assert 0 < seen["simulations"] < many
    assert client.app.state.works.running == []
    client.patch(f"/api/moves/{ID}", json={"paused": False})
    assert thinking.wait(60.0)
    player = make_player("uct", simulations=many, seed=5)
    player.reset(1)
    assert thinking.outcome["visits"] == player.think(Board()).result().visits.tolist()


@pytest.mark.long
def test_a_clock_stands_while_a_search_is_paused(client, monkeypatch):
    monkeypatch.setattr(work, "_QUIET", 60.0)
    thinking = begin(client, player={"name": "uct", "seconds": 2.0})
    until(lambda: (thinking.seen or {}).get("simulations"))
    client.patch(f"/api/moves/{ID}", json={"paused": True})
    until(lambda: thinking.rests)
    before = thinking.seen["simulations"]
    time.sleep(2.1)
    client.patch(f"/api/moves/{ID}", json={"paused": False})
    assert thinking.wait(60.0)
    assert thinking.outcome["simulations"] > 1.25 * before


def test_a_search_that_nobody_watches_rests_for_a_while_and_goes_on_for_who_comes_back(client, monkeypatch):
    thinking = begin(client, player=ENDLESS)
    until(lambda: thinking.rests)
    with client.stream("GET", f"/api/moves/{ID}/events"):
        until(lambda: not thinking.rests)
        client.delete(f"/api/moves/{ID}")
    assert thinking.wait(60.0)
    assert client.patch(f"/api/moves/{ID}", json={"paused": False}).json() == {"id": ID, "found": False}


def test_only_so_many_searches_run_at_once(client, monkeypatch):
    monkeypatch.setattr(work, "AT_ONCE", 2)
    for name in ("first-id", "second-id"):
        begin(client, player=ENDLESS, id=name)
    refused(ask(client), status=429)
    assert ask(client, id="first-id").status_code == 200
    client.delete("/api/moves/first-id")
    until(lambda: len(client.app.state.works.running) < 2)
    begin(client, player={"name": "random"})


def test_what_has_ended_is_forgotten_in_turn(client, monkeypatch):
    monkeypatch.setattr(work, "KEPT", 3)
    for number in range(6):
        begin(client, player={"name": "random"}, id=f"forgotten-{number}").wait(60.0)
    for number in range(3):
        refused(client.get(f"/api/moves/forgotten-{number}/events"), "id", status=404)
    assert events(client, "forgotten-3")[-1][0] == "moved"


# --- positions, recordings, games -------------------------------------------------------------------------------------


def test_the_catalogue_has_every_name_with_what_it_may_be(client):
    found = client.get("/api/catalogue").json()
    assert [one["name"] for one in found["players"]] == OFFERED
    (uct,) = [one for one in found["players"] if one["name"] == "uct"]
    known = {one["name"]: one for one in uct["parameters"]}
    assert (known["simulations"]["low"], known["simulations"]["high"]) == (1, 1_000_000)
    assert known["policy"]["type"] == "rule"
    assert {"seed", "memory", "workers", "keep"}.isdisjoint(known)
    rules = {one["name"]: one for one in found["rules"]}
    assert (rules["ucb"]["tree"], rules["epsilon_greedy"]["tree"]) == (True, False)
    assert "custom" not in rules


def test_scores_are_exact_or_say_why_there_are_none(client, monkeypatch):
    monkeypatch.setattr("treebandit.page.given.SCORES", 0.2)
    found = client.post("/api/scores", json={**EMPTY, "moves": "4453"}).json()
    assert found["scores"] == Solver().scores(Board.from_moves("4453"))
    assert found["why"] is None
    assert client.post("/api/scores", json={**EMPTY, "moves": "444444"}).json()["scores"][3] is None
    large = client.post("/api/scores", json=LARGE).json()
    assert large["scores"] is None
    assert "40" in large["why"]
    slow = client.post("/api/scores", json=UNSOLVED).json()
    assert slow["scores"] is None
    assert "0.2 s" in slow["why"]


def test_a_hint_is_exact_where_it_can_be(client):
    found = client.post("/api/hint", json={**SMALL, "moves": "21"}).json()
    assert found["column"] == 1
    assert all(part in found["sentence"] for part in ("column 2, 3 or 4", "exactly", "+2"))
    found = client.post("/api/hint", json=LARGE).json()
    assert found["sentence"].startswith(f"hint: column {found['column'] + 1}, ")
    assert "20,000" in found["sentence"]


def test_a_search_is_recorded_as_data_and_as_a_file(client):
    asked = {"position": SMALL, "rules": [{"name": "ucb"}, {"name": "thompson"}], "simulations": 50, "exact": True}
    found = client.post("/api/recordings", json=asked).json()
    assert found["exact"] == Solver(4, 3, 3).scores(Board.from_moves("2", 4, 3, 3))
    assert [one["label"] for one in found["searches"]] == ["ucb c=1", "thompson"]
    answer = client.post("/api/recordings?file", json=asked)
    assert answer.headers["content-disposition"] == 'attachment; filename="search.html"'
    assert found["title"] in answer.text
    for change, part in (
        ({"rules": [{"name": "epsilon_greedy"}]}, "epsilon_greedy"),
        ({"rules": [{"name": "ucb"}] * 3}, "rules"),
        ({"position": LARGE}, "exact"),
    ):
        refused(client.post("/api/recordings", json={**asked, **change}), part)


def test_a_game_of_the_user_is_recorded_if_the_server_was_started_with_it(client, owned):
    asked = {"game": {"moves": ""}, "rules": [{"name": "ucb"}], "simulations": 50, "seed": 2}
    refused(client.post("/api/recordings", json=asked), "game")
    assert client.get("/api/catalogue").json()["game"] is None
    title = "tests.experiments.own_games.Nim heaps=[2, 3]"
    assert owned.get("/api/catalogue").json()["game"]["title"] == title
    found = owned.post("/api/recordings", json=asked).json()
    told = search(Nim((2, 3)), "ucb", 50, seed=2)
    assert title in found["title"]
    assert [found["position"]["moves"][move] for move in found["searches"][0]["moves"]] == words_of(told.moves)
    later = owned.post("/api/recordings", json={**asked, "game": {"moves": "(0,1) (1,1)"}}).json()
    assert later["position"]["texts"][0] == "1 2"
    file = owned.post("/api/recordings?file", json=asked)
    assert "attachment" in file.headers["content-disposition"]
    for change, part in (
        ({"game": {"cls": "os.system"}}, "game"),
        ({"game": {"moves": "(9,9)"}}, "(9,9)"),
        ({"exact": True}, "exact"),
        ({"simulations": 10**6}, "simulations"),
    ):
        refused(owned.post("/api/recordings", json={**asked, **change}), part)
    for other in ("tests.experiments.own_games.Dice", "connect4"):
        with pytest.raises(ValueError, match=r"^game "):
            server.game_of(other)


def test_games_of_a_user_are_shown_by_a_server_that_was_started_with_that_game(client, owned, finished, tmp_path):
    game = ("game=custom", "game.cls=tests.experiments.own_games.Nim", "+game.heaps=[2,3]")
    match = ("experiment=match", *game, "player1=random", "player2=random", "games=2", "figures=false")
    finished(*match, f"hydra.run.dir={tmp_path}/results/match/own")
    found = owned.get("/api/runs/match/own/games/1").json()
    assert found["position"]["texts"][found["shown"][0]] == "2 3"
    assert len(found["shown"]) == len(found["moves"]) + 1
    assert "game.html" in owned.get("/api/runs/match/own/games/1?file").headers["content-disposition"]
    refused(client.get("/api/runs/match/own/games/1"), "game=", "heaps=[2, 3]")


def test_a_bandit_is_recorded(client):
    asked = {"means": [0.3, 0.7], "rules": [{"name": "ucb"}], "horizon": 40, "seed": 5}
    found = client.post("/api/bandits", json=asked).json()
    assert (found["kind"], found["horizon"], found["seed"]) == ("bandit", 40, 5)
    assert found["title"] in client.post("/api/bandits?file", json=asked).text
    for change, part in (
        ({"horizon": 10**9}, "horizon"),
        ({"jump": 20, "later": [[], 0.1]}, "later[0]"),
        ({"jump": 40}, "jump"),
    ):
        refused(client.post("/api/bandits", json={**asked, **change}), part)


def test_games_of_a_run_have_their_blunders_and_the_deciding_one(client, finished, tmp_path):
    match = ("experiment=match", "player1=level_2", "player2=random", "board=4x4", "games=6", "figures=false")
    finished(*match, f"hydra.run.dir={tmp_path}/results/match/one")
    (tmp_path / "secret").mkdir()
    (run,) = client.get("/api/runs").json()
    assert run == {"folder": "match/one", "label": "match on 4x4: level_2, random", "games": 6}
    found = [client.get(f"/api/runs/match/one/games/{number}").json() for number in range(6)]
    assert {tuple(one["players"]) for one in found} == {("level_2", "random"), ("random", "level_2")}
    one = next(one for one in found if one["blunders"])
    game, blunder = Board.from_moves(one["position"]["moves"], 4, 4, 4), one["blunders"][-1]
    scores = Solver(4, 4, 4).scores(Board.from_moves(game.moves[: blunder["ply"]], 4, 4, 4))
    assert scores[blunder["best"]] == max(score for score in scores if score is not None)
    assert blunder["loss"] == scores[blunder["best"]] - scores[blunder["played"]]
    assert game.moves[blunder["ply"]] == blunder["played"]
    assert (one["result"], one["deciding"]) == (game.winner(), blunder["ply"])
    for folder in ("match/two", "../secret", "match%2f..%2f..%2fsecret", "/etc", "match/one%00"):
        assert client.get(f"/api/runs/{folder}/games/0").status_code == 404
    for number in ("-1", "one", "9" * 30, "6"):
        refused(client.get(f"/api/runs/match/one/games/{number}"), "game")


def test_a_damaged_run_and_one_of_another_game_hide_no_other(client, finished, tmp_path):
    match = ("experiment=match", "player1=level_2", "player2=random", "board=9x9", "games=2", "figures=false")
    finished(*match, f"hydra.run.dir={tmp_path}/results/match/large")
    damaged = tmp_path / "results" / "match" / "damaged"
    damaged.mkdir()
    for name in ("config.yaml", "manifest.json"):
        (damaged / name).write_text((tmp_path / "results" / "match" / "large" / name).read_text())
    (damaged / "games.parquet").write_bytes(b"PAR1 cut off")
    nim = ("experiment=match", "game=custom", "game.cls=tests.experiments.own_games.Nim", "games=2", "figures=false")
    finished(*nim, f"hydra.run.dir={tmp_path}/results/match/nim")  # which the page cannot show
    assert [one["folder"] for one in client.get("/api/runs").json()] == ["match/large"]
    refused(client.get("/api/runs/match/damaged/games/0"))
    refused(client.get("/api/runs/match/nim/games/0"), "game=")
    found = client.get("/api/runs/match/large/games/1").json()  # on a board that cannot be solved
    assert (found["blunders"], found["deciding"]) == ([], None)
    assert "40" in found["why"]
    assert len(found["position"]["moves"]) >= 7


def test_a_game_that_takes_too_long_is_told_as_far_as_it_is_known(monkeypatch):
    row = {"game": 0, "moves": "444444", "opening": ""}
    asked = []

    def judged(one, empty, seconds, before_each):
        asked.append(seconds)
        before_each()
        return [{"keeps_value": None}], {"ply": None}

    monkeypatch.setattr(game, "judge_game", judged)
    monkeypatch.setattr(game, "_LONGEST", -1.0)
    assert game.judged_patiently(row, Board(), lambda: None)[2] == asked[0] < asked[1]


def test_a_game_of_the_page_is_a_file_with_its_blunders_or_a_sentence(client):
    asked = {"position": {**SMALL, "moves": "141424"}, "players": ["you", "</script>"]}
    answer = client.post("/api/games", json=asked)
    assert answer.status_code == 200, answer.text
    held = json.loads(answer.text.partition('id="recording">')[2].partition("</script>")[0])
    assert (held["kind"], held["players"]) == ("game", ["you", "</script>"])
    assert held["blunders"][-1]["ply"] == held["deciding"]
    for players in (["you"], ["", "x"], ["x" * 201, "y"], "you"):
        refused(client.post("/api/games", json={**asked, "players": players}), "players")
    refused(client.post("/api/games", json={**asked, "position": {**SMALL, "moves": "9"}}), "position.moves")


class Watched(Work):
    """A work that somebody watches all the time."""

    def rest(self):
        return 0.0


class Tree:
    """Something large that a task holds."""


def succeeds(tree, work):
    return "moved"


def fails(tree, work):
    """Fail with a tree in the functions of the error and of its cause."""
    try:
        raise OSError("no memory")
    except OSError as cause:
        inner = tree
        raise ValueError(f"no move from {type(inner).__name__}") from cause


@pytest.mark.parametrize("does", [succeeds, fails])
def test_an_ended_work_keeps_its_outcome_and_not_what_it_used(does):
    tree = Tree()
    seen = weakref.ref(tree)
    work = Work(lambda work, tree=tree: does(tree, work))
    del tree
    assert seen() is not None
    work.run()
    gc.collect()
    assert seen() is None
    assert work.has_ended
    assert work.outcome == "moved" or str(work.error) == "no move from Tree"
    bug = Work(lambda work: {}["absent"])
    bug.run()
    assert "in <lambda>" in bug.error.__notes__[0]


@pytest.mark.kernels
def test_the_player_and_the_tree_of_a_move_go_when_it_is_made():
    player = make_player("uct", simulations=50)
    seen = weakref.ref(player)

    def task(work, player=player):
        return move_of(player, Board(4, 4, 3), work)

    work = Watched(task)
    del task, player
    work.run()
    assert work.outcome["simulations"] == 50
    gc.collect()
    assert seen() is None


def test_a_recording_that_was_answered_is_dropped():
    class App:
        class state:
            works = Works()

    async def receive():
        await asyncio.sleep(60.0)

    request = Request({"type": "http", "method": "POST", "headers": [], "app": App}, receive)
    assert asyncio.run(requests.done(request, lambda work: "a recording")) == "a recording"
    assert App.state.works._works == {}
