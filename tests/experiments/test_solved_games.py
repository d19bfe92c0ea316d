"""Games that are solved, and a class with scores(), in experiments: their rules, and players that know all scores."""

from __future__ import annotations

import io
import pickle
import random
import sys
from typing import Any

import pandas as pd
import pytest

from experiments.players import make_player
from mcts import Search
from mcts.streams import STREAMS
from tests.experiments.own_games import Nim, Scored
from tests.internals import GAMES, Breakthrough, DotsAndBoxes, Hex, PositionRules
from tests.refusals import refused

HERE = __name__


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


STARTS = [Hex(3), DotsAndBoxes(2, 2), Breakthrough(6, 2), Scored((3, 4, 2))]


def positions_of(start: Any, count: int) -> list[Any]:
    """Unfinished positions of random games."""
    found, draw = [], random.Random(4)
    while len(found) < count:
        position = start
        for _ in range(draw.randrange(8)):
            if position.result() is None:
                position = position.play(draw.choice(position.moves()))
        if position.result() is None:
            found.append(position)
    return found


@pytest.mark.parametrize("start", STARTS, ids=lambda start: type(start).__name__)
def test_perfect_plays_a_best_move_and_graded_at_rate_1_a_worse_one_where_there_is_one(start: Any):
    perfect = make_player("perfect", simulations=5)
    never, worst = (make_player("graded", simulations=5, rate=rate) for rate in (0, 1))
    lower, values = 0, set()
    for number, position in enumerate(positions_of(start, 40)):
        scores = dict(zip(position.moves(), position.scores(), strict=True))
        best = max(scores.values())
        for player in (perfect, never, worst):
            player.check_board(position)
            player.reset(number)
        move = perfect.play(position)
        assert scores[move] == best
        assert perfect.value == (1.0 if best > 0 else 0.5 if best == 0 else 0.0)
        assert never.play(position) == move
        can_err = min(scores.values()) < best
        assert (scores[worst.play(position)] < best) == can_err
        lower += can_err
        values.add(perfect.value)
    assert 5 < lower < 40
    assert {0.0, 1.0} <= values


@pytest.mark.parametrize("start", STARTS[:2], ids=lambda start: type(start).__name__)
def test_equal_moves_are_told_apart_by_the_visits_of_a_search(start: Any):
    told = 0
    for number, position in enumerate(positions_of(start, 10)):
        scores = dict(zip(position.moves(), position.scores(), strict=True))
        player = make_player("perfect", simulations=60, seed=3)
        player.reset(number)
        search = Search(position, simulations=60, rng=player.rng[:STREAMS].copy())
        search.run(60)
        result = search.result()
        visits = dict(zip(result.moves, result.visits.tolist(), strict=True))
        best = [visits[move] for move, score in scores.items() if score == max(scores.values())]
        assert visits[player.play(position)] == max(best)
        told += len(set(best)) > 1
    assert told > 2


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


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["game=dots_and_boxes", "game.rows=6", "game.columns=5"], ["game.rows", "63"]),
        (["game=breakthrough", "game.ranks=3"], ["game.ranks", "3"]),
        (["game=hex", "board=5x5"], ["board", "5x5"]),
        (["game=hex", "player1=uct_best"], ["uct_best", "tactics"]),
        (["game=hex", "player1=uct", "player1.keep=true"], ["uct keep=true", "keep"]),
        (["game=hex", "game.size=6", "player1=perfect"], ["perfect", "31"]),
        (["game=dots_and_boxes", "game.rows=4", "player2=graded"], ["graded", "24"]),
        (["experiment=grade", "game=hex", "game.size=8", "openings=none"], ["graded rate=0", "hex size=8"]),
        (["game=custom", f"game.cls={HERE}.OneScore", "player1=perfect"], ["perfect", "OneScore", "[1]"]),
        (["game=custom", f"game.cls={HERE}.Halves", "player1=perfect"], ["perfect", "[0.5"]),
        (["game=custom", f"game.cls={HERE}.Unknown", "player1=perfect"], ["perfect", "heaps"]),
    ],
    ids=lambda one: one[-1][:60],
)
def test_a_mistake_is_one_sentence_before_any_work(attempt, tmp_path, words, parts):
    attempt("experiment=match", *words).assert_refused(parts, tmp_path)


def test_a_class_with_results_of_another_kind_is_refused_by_perfect():
    class Rewarding(Scored):
        def result(self):
            result = super().result()
            return None if result is None else (3.0 * result[0], 3.0 * result[1])

    refused(lambda: make_player("perfect").check_board(Rewarding()), "board")
