"""Players that know all scores, in Connect 4, in games that are solved and in a class with scores(); their rules."""

from __future__ import annotations

import functools
import io
import pickle
import random
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from connect4 import Board
from experiments.engine.experiment import build
from experiments.players import make_player, perfect
from experiments.players.perfect import exact_scores, of_lower_score
from mcts import Search
from mcts.streams import STREAMS
from tests.connect4 import naive_search
from tests.connect4.positions import undecided
from tests.experiments.own_games import Nim, Scored
from tests.experiments.test_bad_input import configuration, lines_of
from tests.internals import GAMES, Breakthrough, DotsAndBoxes, Hex, PositionRules
from tests.refusals import refused

HERE = __name__
SHAPE = (4, 3, 3)


class OneScore(Nim):
    """Scores that are too few."""

    def scores(self):
        return [1]


class Halves(Nim):
    """Scores that are no whole numbers."""

    def scores(self):
        return [0.5] * len(self.moves())


class Unknown(Nim):
    """Positions whose scores the class does not know."""

    def scores(self):
        raise ValueError("heaps must be smaller to be solved; got 1 and 2")


STARTS = [Board(*SHAPE), Hex(3), DotsAndBoxes(2, 2), Breakthrough(6, 2), Scored((3, 4, 2))]
of_every_game = pytest.mark.parametrize("start", STARTS, ids=lambda start: type(start).__name__)


def positions_of(start: Any, count: int) -> list[Any]:
    """Unfinished positions of random games."""
    if isinstance(start, Board):
        return undecided(count, [SHAPE], seed=4)
    found, draw = [], random.Random(4)
    while len(found) < count:
        position = start
        for _ in range(draw.randrange(8)):
            if position.result() is None:
                position = position.play(draw.choice(position.moves()))
        if position.result() is None:
            found.append(position)
    return found


def scores_of(position: Any) -> dict[Any, int]:
    """The score of every move, in Connect 4 by a search of the whole game."""
    if isinstance(position, Board):
        return naive_search.exact_scores(position)
    return dict(zip(position.moves(), position.scores(), strict=True))


@of_every_game
def test_perfect_plays_a_best_move_and_graded_at_rate_1_a_worse_one_where_there_is_one(start: Any):
    best_one = make_player("perfect", simulations=5)
    never, worst = (make_player("graded", simulations=5, rate=rate) for rate in (0, 1))
    lower, values = 0, set()
    for number, position in enumerate(positions_of(start, 40)):
        scores = scores_of(position)
        best = max(scores.values())
        for player in (best_one, never, worst):
            player.check_board(position)
            player.reset(number)
        move = best_one.play(position)
        assert scores[move] == best
        assert best_one.value == 0.5 + 0.5 * np.sign(best)
        assert never.play(position) == move
        can_err = min(scores.values()) < best
        assert (scores[worst.play(position)] < best) == can_err
        lower += can_err
        values.add(best_one.value)
    assert 5 < lower < 40
    assert {0.0, 1.0} <= values


@pytest.mark.parametrize("start", STARTS[:3], ids=lambda start: type(start).__name__)
def test_equal_moves_are_told_apart_by_the_visits_of_a_search(start: Any):
    told = 0
    for number, position in enumerate(positions_of(start, 30 if isinstance(start, Board) else 10)):
        scores = scores_of(position)
        player = make_player("perfect", simulations=60, seed=3)
        player.reset(number)
        before = player.rng.copy()
        move = player.play(position)
        best = [one for one, score in scores.items() if score == max(scores.values())]
        if len(best) == 1:
            assert np.array_equal(player.rng, before)
            continue
        search = Search(position, simulations=60, rng=before[:STREAMS])
        search.run(60)
        result = search.result()
        visits = dict(zip(result.moves, result.visits.tolist(), strict=True))
        assert visits[move] == max(visits[one] for one in best)
        told += len({visits[one] for one in best}) > 1
    assert told > 2


def test_graded_errs_at_its_rate_and_where_it_errs_at_a_lower_one():
    boards, worse = positions_of(STARTS[0], 150), {}
    lower = [of_lower_score(exact_scores(board)) for board in boards]
    for rate in (0.25, 0.6):
        player, worse[rate] = make_player("graded", simulations=5, rate=rate, seed=7), np.zeros(150, bool)
        for number, board in enumerate(boards):
            player.reset(number)
            worse[rate][number] = player.play(board) in lower[number]
    able = np.array([bool(own) for own in lower])
    assert not (worse[0.25] & ~worse[0.6]).any()
    for rate in (0.25, 0.6):
        assert abs(worse[rate][able].mean() - rate) < 4.0 * 0.5 / np.sqrt(able.sum())


def test_each_worse_move_is_equally_likely():
    board = next(board for board in positions_of(STARTS[0], 60) if len(of_lower_score(exact_scores(board))) == 3)
    player, played = make_player("graded", simulations=5, rate=0.5), []
    for number in range(500):
        player.reset(number)
        played.append(player.play(board))
    columns, counts = np.unique(
        [one for one in played if one in of_lower_score(exact_scores(board))], return_counts=True
    )
    assert columns.tolist() == of_lower_score(exact_scores(board))
    assert (abs(counts / counts.sum() - 1 / 3) < 4.0 * np.sqrt(2 / 9 / counts.sum())).all()


def test_one_solver_of_a_size_serves_all_players_in_turn_and_its_table_changes_no_move(monkeypatch):
    boards, alone = positions_of(STARTS[0], 20), []
    for board in boards:  # a new table for each
        monkeypatch.setattr(perfect, "_idle_solvers", functools.cache(lambda *size: []))
        alone.append(make_player("perfect", simulations=20).play(board))
    asked = functools.cache(lambda *size: [])
    monkeypatch.setattr(perfect, "_idle_solvers", asked)
    assert [make_player("perfect", simulations=20).play(board) for board in boards] == alone
    assert len(asked(*SHAPE)) == 1
    with perfect.solver_of(STARTS[0]) as one, perfect.solver_of(STARTS[0]) as two:
        assert one is not two  # one that is in use is given to nobody else
    with perfect.solver_of(STARTS[0]) as again:
        assert again in (one, two)


def rules(text: str) -> PositionRules:
    made = GAMES.of(text)
    assert isinstance(made, PositionRules)
    return made


def test_a_game_is_given_by_its_name_and_the_size_of_its_board():
    assert rules("hex").start == Hex(4)
    assert rules("dots_and_boxes rows=2").start == DotsAndBoxes(2, 3)
    assert rules("breakthrough rows=6 columns=3 ranks=1").start == Breakthrough(6, 3, 1)
    again = pickle.loads(pickle.dumps(rules("hex size=3")))
    assert again.start == Hex(3)


def test_a_match_is_won_wherever_best_play_wins(command):
    said = command("experiment=match", "game=hex", "game.size=3", "player1=perfect", "openings=first_moves", "games=18")
    games = pd.read_parquet(said.folder / "games.parquet")
    assert set(games["ending"]) == {"result"}
    won_first = dict(enumerate(Hex(3).scores()))
    for game in games.to_dict("records"):
        is_lost = won_first[int(game["opening"])] > 0  # for the player who answers
        if is_lost == (game["first_player"] == 1):
            assert game["result"] == 1
    told = command(str(said.folder), "game=0", module="replay").out
    assert "perfect wins after" in told


def test_a_grade_is_of_a_solved_game_too(command):
    words = "experiment=grade player=random rates=[0,1] rounds=0 simulations=5 game=custom +game.heaps=[2,3] games=4"
    said = command(*words.split(), "game.cls=tests.experiments.own_games.Scored", "openings=first_moves")
    assert set(pd.read_parquet(said.folder / "games.parquet")["ending"]) == {"result"}
    rates = pd.read_csv(said.folder / "rates.csv")  # 2 and 3 is won by the first player alone, by taking 1 of 3
    assert rates["score"].iloc[0] > rates["score"].iloc[1]


def test_a_person_sees_the_board_and_the_moves(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("4\nq\n"))
    told = command("game=hex", "game.size=3", "player=perfect", module="play").out
    assert "moves: 0, 1, 2, 3, 4" in told
    assert " . x ." in told


MISTAKES = rf"""
player1=perfect board=10x10 | board | 40 | 64
player2=graded board=8x8 | board | 40 | 64
experiment=grade player=random board=10x10 openings=none games=2 | board | 40 | 64
game=dots_and_boxes game.rows=6 game.columns=5 | game.rows | 63
game=hex board=5x5 | board | 5x5
game=hex player1=uct_best | uct_best | tactics
game=hex player1=uct player1.keep=true | uct keep=true | keep
game=hex game.size=6 player1=perfect | perfect | 31
game=dots_and_boxes game.rows=4 player2=graded | graded | 24
experiment=grade game=hex game.size=8 openings=none | graded rate=0 | hex size=8
game=custom game.cls={HERE}.OneScore player1=perfect | perfect | OneScore | [1]
game=custom game.cls={HERE}.Halves player1=perfect | perfect | [0.5
game=custom game.cls={HERE}.Unknown player1=perfect | perfect | heaps
"""


@pytest.mark.parametrize(("words", "parts"), lines_of(MISTAKES))
def test_what_a_player_cannot_play_is_refused_before_any_work(words, parts):
    kind = [] if "experiment=" in words[0] else ["experiment=match"]
    refused(lambda: build(configuration([*kind, *words])), *parts)


def test_the_command_refuses_a_board_too_large_to_be_solved(attempt, tmp_path):
    attempt("player=perfect", "board=10x10", module="play").assert_refused(["board", "40", "64"], tmp_path)


def test_a_class_with_results_of_another_kind_is_refused_by_perfect():
    class Rewarding(Scored):
        def result(self):
            result = super().result()
            return None if result is None else (3.0 * result[0], 3.0 * result[1])

    refused(lambda: make_player("perfect").check_board(Rewarding()), "board")
