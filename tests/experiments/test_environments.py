"""The experiment that plays in PettingZoo's Connect Four and here: equal games, whole tables, and plain statistics."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from connect4 import Board
from experiments.kinds.environments import both_places
from numerics.output import tables
from numerics.statistics import Scores, wilson

PLAYERS = "players=[level_0,level_1,level_3]"


@pytest.mark.long
def test_games_are_the_same_in_both_places_and_those_that_a_tournament_of_the_players_plays(command, tmp_path):
    said = command("experiment=environments", PLAYERS, "games=6", "seed=5", "hydra.run.dir=run")
    assert "all 18 of 18 games are identical" in said.out
    assert "level_1 (X)" in command("run", "game=3", module="replay").out
    folder = tmp_path / "run"
    played, timings = tables.read(folder / "games.parquet"), tables.read(folder / "timings.parquet")
    assert played["game"].tolist() == timings["game"].tolist() == list(range(18))
    assert (played[["player1", "player2"]].value_counts() == 6).all()
    assert (played["first_player"].value_counts() == 9).all()
    for name in ("moves", "plies", "result", "winner", "ending"):
        assert (played[name] == played[f"native_{name}"]).all()
    for row in played.to_dict("records"):
        board = Board.from_moves(row["moves"])
        first = row["result"] if row["first_player"] == 1 else -row["result"]
        if row["ending"] == "row":
            assert board.winner() == first
        elif row["ending"] == "full":
            assert (board.is_finished(), board.winner(), first) == (True, 0, 0)
        else:
            assert row["ending"].startswith("illegal move")
            assert first == -board.to_move
    for place in both_places.PLACES:
        assert (timings[f"{place}_seconds"] >= timings[f"{place}_thinking"]).all()
        assert (timings[f"{place}_thinking"] > 0.0).all()
    command("experiment=tournament", PLAYERS, "games=6", "seed=5", "hydra.run.dir=native")
    assert tables.read(tmp_path / "native" / "games.parquet")["moves"].tolist() == played["native_moves"].tolist()


def test_without_pettingzoo_a_sentence_names_the_extra(attempt, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    for module in [name for name in sys.modules if name.startswith("pettingzoo.")]:
        monkeypatch.delitem(sys.modules, module)
    found = attempt("experiment=environments", f"hydra.run.dir={tmp_path / 'run'}")
    assert found.status == 2
    assert "[interop]" in found.err
    assert not (tmp_path / "run").exists()


def test_a_pair_whose_games_differ_is_told_with_its_interval():
    columns = {"player1": "a", "player2": "b", "moves": "1", "native_moves": "1", "ending": "row"}
    there, here = [1, 1, 0, 1, -1, 1, 1, -1], [1, -1, 0, 1, -1, 0, 1, -1]
    rows = pd.DataFrame({**columns, "result": there, "native_result": here})
    rows = rows.assign(game=range(8), opening="", first_player=[1, 2] * 4)
    rows["native_ending"] = ["row"] * 6 + ["illegal move: column 4 is full", "row"]
    (row,) = both_places.summary_of(rows).to_dict("records")
    assert (row["games"], row["identical"]) == (8, 7)
    assert (row["environment_score"], row["native_score"]) == (5.5 / 8, 4.0 / 8)
    assert (row["environment_illegal"], row["native_illegal"]) == (0, 1)
    test = Scores([np.array([0, 1, 0, 0, 0, 0.5, 0, 0])], limits=(-1, 1))
    assert row["difference"] == pytest.approx(1.5 / 8)
    assert (row["low"], row["high"]) == pytest.approx(test.interval())
    assert row["p_adjusted"] == row["p_value"] == pytest.approx(test.p_value())


def test_neither_no_difference_in_few_games_nor_a_constant_one_is_proof():
    mean, low, high, p_value = both_places.compare_pairs(np.zeros(1))
    assert (mean, p_value) == (0.0, 1.0)
    assert low == pytest.approx(-high)
    assert 0.7 < high < 1.0
    assert both_places.compare_pairs(np.zeros(40))[2] == pytest.approx(wilson(0, 40)[1], rel=1e-3)
    mean, low, high, p_value = both_places.compare_pairs(np.full(4, 0.5))
    assert mean == 0.5
    assert low < 0.5 < high
    assert p_value > 0.01
    assert both_places.compare_pairs(np.full(40, 0.5))[3] < 1e-4
