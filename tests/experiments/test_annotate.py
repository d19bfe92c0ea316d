"""Judged games: scores by a plain search, the move that decided, tables that agree, resumption, mistakes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from connect4 import Board, screen
from experiments.players import proven
from tests.connect4.naive_search import exact_scores
from tests.internals import DECISIONS, MOVES, Bounds, Connect4, Task, _mean_of_games, judge_game, sign

SMALL = ("board=4x3", "connect=3")
MATCH = ("experiment=match", *SMALL, "games=40", "player1=level_3", "player2=random")
TABLES = ("moves.parquet", "decisions.parquet", "players.csv", "by_ply.csv")
EMPTY = Board(4, 3, 3)
RULES = Connect4(board="4x3", connect=3)
WORTH = {1: 1.0, 0: 0.5, -1: 0.0}


def row(moves, result, ending="row", opening="", first=1):
    return {
        "game": 5,
        "player1": "a",
        "player2": "b",
        "first_player": first,
        "moves": moves,
        "opening": opening,
        "result": result,
        "ending": ending,
    }


@pytest.fixture
def match(finished, tmp_path):
    """The folder of a match."""
    finished(*MATCH, "hydra.run.dir=match")
    return tmp_path / "match"


@pytest.fixture
def annotated(finished, match):
    """The folder of a match whose moves have been judged."""
    finished("match", module="annotate")
    return match


@pytest.mark.long
def test_every_move_of_a_match_has_the_score_that_a_plain_search_finds(command):
    folder = command(*MATCH, "openings=first_moves").folder
    command(str(folder), module="annotate")
    games = pd.read_parquet(folder / "games.parquet")
    moves = pd.read_parquet(folder / "annotation" / "moves.parquet")
    assert list(moves) == list(MOVES)
    assert len(moves) == games["plies"].sum() - games["opening"].str.len().sum()
    for game in games.to_dict("records"):
        own = moves[moves["game"] == game["game"]].set_index("ply")
        board = EMPTY.copy()
        for ply, move in enumerate(game["moves"]):
            column = int(move) - 1
            if ply >= len(game["opening"]):
                scores, told = exact_scores(board), own.loc[ply]
                before, after = max(scores.values()), scores[column]
                assert (told["column"], told["score_before"], told["score_after"]) == (column, before, after)
                assert told["loss"] == before - after
                assert (told["value_before"], told["value_after"]) == (WORTH[sign(before)], WORTH[sign(after)])
                assert told["keeps_value"] == (sign(before) == sign(after))
                first, second = ("player1", "player2") if game["first_player"] == 1 else ("player2", "player1")
                assert told["player"] == game[(first, second)[ply % 2]]
            board.play(column)


@pytest.mark.long
def test_the_last_move_that_lost_value_decided_each_game(annotated):
    folder = annotated
    moves = pd.read_parquet(folder / "annotation" / "moves.parquet")
    decisions = pd.read_parquet(folder / "annotation" / "decisions.parquet")
    games = pd.read_parquet(folder / "games.parquet").set_index("game")
    assert list(decisions) == list(DECISIONS)
    assert set(decisions["decided_by"]) <= {"move", "start"}
    for one in decisions.itertuples():
        own = moves[moves["game"] == one.game]
        lost = own[~own["keeps_value"].astype(bool)]
        game = games.loc[one.game]
        if one.decided_by == "start":
            assert lost.empty
            continue
        assert (one.ply, one.player) == (lost["ply"].iloc[-1], lost["player"].iloc[-1])
        assert own.loc[own["decided"], "ply"].tolist() == [one.ply]
        result = game["result"] if one.player == game["player1"] else -game["result"]
        assert lost["value_after"].iloc[-1] == WORTH[result]  # what it left its maker is what the maker got
        assert result < 1
    assert (decisions["decided_by"] == "move").sum() > 10


@pytest.mark.long
def test_a_game_is_decided_by_a_forfeit_or_by_where_it_began_or_nobody_knows():
    _, decision = judge_game(row("12", -1, "illegal move: returned 9"), RULES, 1.0)
    assert decision == {"game": 5, "decided_by": "forfeit", "ply": None, "player": ""}
    best = Board.from_moves("", 4, 3, 3)
    while not best.is_finished():
        scores = exact_scores(best)
        best.play(max(scores, key=lambda column: scores[column]))
    rows, decision = judge_game(row(best.notation, best.winner()), RULES, 1.0)
    assert decision["decided_by"] == "start"
    assert [one["loss"] for one in rows] == [0] * best.plies


@pytest.fixture
def hard_below(monkeypatch):
    """Positions of fewer stones than this give no more than the widest bounds."""
    exact = proven.bounds_of

    def hard(stones):
        monkeypatch.setattr(
            proven,
            "bounds_of",
            lambda board, seconds: Bounds(-6, 6) if board.plies < stones else exact(board, seconds),
        )

    return hard


def test_what_is_not_solved_is_left_empty_and_never_guessed(hard_below):
    board = EMPTY.copy()
    for column in (0, 0, 1, 1, 3, 3):
        board.play(column)
    board.play(2)
    full, _ = judge_game(row(board.notation, 1), RULES, 1.0)
    hard_below(4)
    rows, decision = judge_game(row(board.notation, 1), RULES, 1.0)
    assert rows[4:] == full[4:]
    for one in rows[:3]:
        assert one["score_before"] is one["score_after"] is one["loss"] is one["keeps_value"] is None
    assert rows[3]["score_before"] is None
    assert rows[3]["score_after"] == full[3]["score_after"]
    blunders = [one["ply"] for one in full if one["keeps_value"] is False]
    assert decision["decided_by"] == ("move" if blunders[-1:] > [3] else "unknown")
    hard_below(100)
    assert judge_game(row(board.notation, 1), RULES, 1.0)[1]["decided_by"] == "unknown"


def test_bounds_tell_a_value_only_where_they_prove_it():
    assert [Bounds(*ends).value for ends in ((1, 3), (-3, -1), (0, 0), (0, 3), (-3, 0), (-1, 1))] == [
        1.0,
        0.0,
        0.5,
        None,
        None,
        None,
    ]
    assert Bounds(-3, 1).turned() == Bounds(-1, 3)
    assert Bounds(-3, 1).score is None


@pytest.mark.long
def test_the_tables_of_players_and_plies_agree_with_the_moves(command, match):
    folder = match
    said = command(str(folder), "workers=1", module="annotate")
    place = folder / "annotation"
    names = {path.name for path in place.iterdir() if path.name != ".lock"}
    assert names == {*TABLES, "config.yaml", "figures", "manifest.json", "report.html", "source.digest"}
    assert {path.name for path in (place / "figures").iterdir()} == {"loss_by_ply.png"}
    moves = pd.read_parquet(place / "moves.parquet")
    players = pd.read_csv(place / "players.csv").set_index("player")
    plies = pd.read_csv(place / "by_ply.csv")
    for player, own in moves.groupby("player"):
        told = players.loc[player]
        assert (told["moves"], told["known"], told["games"]) == (len(own), len(own), 40)
        assert np.isclose(told["loss"], own["loss"].mean())
        assert told["loss_low"] < told["loss"] < told["loss_high"]
        assert told["blunders"] == (~own["keeps_value"].astype(bool)).sum()
        assert sum(told[f"blunders_{name}"] for name in ("early", "middle", "late")) == told["blunders"]
        assert sum(told[f"moves_{name}"] for name in ("early", "middle", "late")) == told["moves"]
        assert told["decided"] == own["decided"].sum()
        by_ply = plies[plies["player"] == player]
        assert by_ply["moves"].sum() == len(own)
        assert np.isclose((by_ply["loss"] * by_ply["known"]).sum(), own["loss"].sum())
    (other,) = set(players.index) - {"random"}
    assert players.loc[other, "loss"] < players.loc["random", "loss"]
    assert "40 games decided" in said.out


def test_the_interval_of_a_mean_takes_games_and_not_moves_as_independent():
    rng, covered, runs = np.random.default_rng(4), 0, 400
    for _ in range(runs):
        lengths, own = rng.integers(3, 12, 40), rng.exponential(1.0, 40)  # each game has a loss of its own
        table = pd.DataFrame(
            {
                "game": np.repeat(np.arange(40), lengths),
                "loss": np.repeat(np.round(10.0 * own), lengths).astype(np.int64) + rng.integers(0, 2, lengths.sum()),
            }
        )
        found = _mean_of_games(table, 42)
        covered += found["loss_low"] <= 10.5 <= found["loss_high"]
    assert 0.88 < covered / runs < 0.99


def test_the_interval_of_a_mean_reckons_with_losses_that_no_game_shows():
    """Of 30 games of 10 moves, of which one in 200 loses ten points, most samples show three losses at most."""
    rng, covered, runs = np.random.default_rng(8), 0, 200
    for _ in range(runs):
        loss = np.where(rng.random(300) < 0.005, 10, 0)
        found = _mean_of_games(pd.DataFrame({"game": np.repeat(np.arange(30), 10), "loss": loss}), 42)
        covered += found["loss_low"] <= 0.05 <= found["loss_high"]
        assert found["loss_high"] < 42.0
    assert covered / runs > 0.95
    perfect = pd.DataFrame({"game": np.repeat(np.arange(30), 10), "loss": 0})
    found = _mean_of_games(perfect, 42)
    assert (found["loss"], found["loss_low"]) == (0.0, 0.0)
    assert found["loss_high"] == pytest.approx(42.0 * (1.0 - 0.025 ** (1.0 / 300)))  # the rule of three
    assert np.isnan(_mean_of_games(perfect[perfect["game"] == 0], 42)["loss_high"])  # a single game


@pytest.mark.long
def test_a_run_that_was_stopped_goes_on_and_any_workers_leave_the_same_bytes(
    command, attempt, tmp_path, monkeypatch, annotated
):
    folder = annotated
    done, work = [], Task.__call__

    def dying(part):
        if len(done) == 15:
            raise OSError("the power went")
        done.append(part.path.name)
        work(part)

    monkeypatch.setattr(Task, "__call__", dying)
    again = (str(folder), "into=other")
    assert attempt(*again, "workers=1", module="annotate").status == 2
    monkeypatch.setattr(Task, "__call__", work)
    said = command(*again, "workers=3", module="annotate")
    assert "resuming: 15 of 40 tasks are done" in said.out
    for name in TABLES:
        assert (tmp_path / "other" / name).read_bytes() == (folder / "annotation" / name).read_bytes()
    monkeypatch.setattr(Task, "__call__", None)
    told = command(*again, module="annotate")
    assert told.out.splitlines()[-3:] == said.out.splitlines()[-3:]
    before = {path.name: path.read_bytes() for path in (tmp_path / "other" / "figures").iterdir()}
    command("other", module="plot")
    assert {path.name: path.read_bytes() for path in (tmp_path / "other" / "figures").iterdir()} == before
    other = attempt(*again, "seconds=3", module="annotate")
    assert other.status == 2
    assert other.err.startswith("into 'other' holds a run with seconds=10.0, not 3.0")


@pytest.mark.long
def test_one_game_is_shown_move_by_move_with_the_board_before_each_blunder(command, annotated):
    folder = annotated
    decisions = pd.read_parquet(folder / "annotation" / "decisions.parquet")
    moves = pd.read_parquet(folder / "annotation" / "moves.parquet")
    one = decisions[decisions["decided_by"] == "move"].iloc[0]
    own = moves[moves["game"] == one["game"]]
    said = command(str(folder), f"game={one['game']}", module="annotate")
    assert said.out.startswith(f"game {one['game']}: ")
    game = pd.read_parquet(folder / "games.parquet").set_index("game").loc[one["game"]]
    board = Board.from_moves(game["moves"], 4, 3, 3)
    while board.plies > one["ply"]:
        board.undo()
    scores = exact_scores(board)
    told = [f"{scores[column]:+d}" if scores.get(column) else "0" * (column in scores) for column in range(4)]
    assert f"before move {one['ply'] + 1}, {one['player']}" in said.out
    assert "\n".join(screen.lines(board, told)) in said.out
    assert said.out.count("scores of the columns:") == (~own["keeps_value"].astype(bool)).sum()
    assert f"{one['player']} decided the game with move {one['ply'] + 1}" in said.out


@pytest.mark.long
def test_tournaments_and_a_game_without_a_move_are_judged_too(command, tmp_path, monkeypatch):
    (tmp_path / "annotated_players.py").write_text("def illegal(board):\n    return -1\n")
    monkeypatch.syspath_prepend(tmp_path)
    folder = command(
        "experiment=tournament",
        *SMALL,
        "games=4",
        "players=[random,level_3,{name: custom, path: annotated_players.illegal}]",
    ).folder
    said = command(str(folder), module="annotate")
    assert "8 by a forfeit" in said.out
    command(str(folder), "game=4", module="annotate")


@pytest.mark.jit
def test_on_the_full_board_early_positions_without_time_stay_empty_and_late_ones_are_exact(command):
    folder = command("experiment=match", "player1=level_4", "player2=level_3", "games=2").folder
    command(str(folder), "seconds=0.001", "workers=1", module="annotate")
    moves = pd.read_parquet(folder / "annotation" / "moves.parquet")
    assert moves[moves["ply"] > 30]["loss"].notna().all()
    known = moves[moves["loss"].notna()]
    assert ((known["score_before"] - known["score_after"]) == known["loss"]).all()
    assert (known["loss"] >= 0).all()


CASES = [
    (["match", "game=40"], ["game", "from 0 to 39", "40"]),
    (["match", "game=x"], ["game", "'x'", "whole number"]),
    (["match", "seconds=0"], ["seconds", "0", "above 0"]),
    (["match", "seconds=soon"], ["seconds", "'soon'", "number"]),
    (["match", "workers=0"], ["workers", "0"]),
    (["large"], ["folder", "cannot be annotated", "10x10"]),
]


@pytest.mark.parametrize(("arguments", "parts"), CASES, ids=lambda value: " ".join(value))
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(finished, attempt, tmp_path, arguments, parts):
    if "match" in arguments:
        finished(*MATCH, "hydra.run.dir=match")
    if "large" in arguments:
        finished("experiment=match", "board=10x10", "games=2", "hydra.run.dir=large")
    attempt(*arguments, module="annotate").assert_refused(parts)
    assert not list(tmp_path.glob("*/annotation"))
