"""Games of a user's class under the referee, and the promises that random games try."""

from __future__ import annotations

import dataclasses
import math

import pytest

from experiments.players import make_player
from numerics.positions import MOST_STEPS, try_out
from tests.experiments import own_games
from tests.experiments.own_games import Dice, Nim, Sampled, SecondBegins, TicTacToe
from tests.internals import play_position
from tests.refusals import refused

HERE = "tests.experiments.own_games"


def player(name):
    return make_player("custom", path=f"{HERE}.{name}")


def test_the_perfect_player_of_nim_wins_from_either_seat_and_from_no_other_position():
    for heaps in ((1, 2), (3, 4, 5), (1, 1)):
        won_by_first = heaps != (1, 1)  # whose sum without carrying is 0
        for opponent in (own_games.first, own_games.one_by_one, own_games.Greedy()):
            assert play_position(own_games.Perfect(), opponent, Nim(heaps)).result == (1 if won_by_first else -1)
    record = play_position(own_games.Greedy(), own_games.Perfect(), Nim((1, 2)))
    assert record.moves == ((1, 2), (0, 1))
    assert (record.movers, record.totals, record.ending) == ((0, 1), (-1.0, 1.0), "result")


def test_the_first_player_is_the_one_who_moves_first():
    seen = []
    record = play_position(lambda nim: seen.append(nim.player()) or nim.moves()[0], own_games.first, SecondBegins())
    assert set(seen) == {1}
    assert record.movers == (0, 1, 0)
    assert record.result == 1
    assert record.totals == (1.0, -1.0)


def test_totals_are_rewards_and_results_and_the_seed_decides_the_dice():
    results = set()
    for seed in range(12):
        seen = ([], [])

        def keep(position, seen=seen):
            seen[position.player()].append(position.shown)
            return "keep"

        record = play_position(keep, keep, Dice(), seed=seed)
        assert record.totals == tuple(float(sum(paid)) for paid in seen)
        assert record.result == (record.totals[0] > record.totals[1]) - (record.totals[0] < record.totals[1])
        again = play_position(lambda position: "keep", lambda position: "keep", Dice(), seed=seed)
        assert dataclasses.replace(again, seconds=record.seconds) == record
        results.add(record.totals)
    assert len(results) > 4
    passing = play_position(lambda position: "pass", lambda position: "pass", Dice())
    assert (passing.totals, passing.result, passing.moves) == ((4.0, 4.0), 0, ("pass",) * 4)


def test_chance_has_its_probabilities():
    games = [play_position(lambda position: "keep", lambda position: "pass", Dice(), seed=seed) for seed in range(400)]
    mean = sum(game.totals[0] for game in games) / len(games)
    assert mean == pytest.approx(5.0, abs=4 * math.sqrt(2 * 2.25 / len(games)))


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("illegal", "illegal move: returned 'everything'"),
        ("true", "illegal move: returned True"),
        ("failing", "RuntimeError: out of ideas ("),
    ],
)
def test_a_player_that_misbehaves_loses(name, ending):
    for players, result in (((player(name), player("first")), -1), ((player("first"), player(name)), 1)):
        record = play_position(*players, Nim((2, 2)))
        assert record.result == result
        assert record.ending.startswith(ending)
        assert all(map(math.isnan, record.totals))


def test_a_fault_of_the_game_is_nobodys_loss_and_names_the_method_and_the_moves():
    late = own_games.FailsLate((52,))

    def played(start, choose=own_games.first):
        return lambda: play_position(choose, choose, start)

    refused(played(late), "result() of FailsLate", "'won'", "(0, 1), (0, 1)")
    refused(played(own_games.Endless()), "result() of Endless", f"{MOST_STEPS:,}", "..., ")
    refused(played(own_games.ThirdPlayer()), "player() of ThirdPlayer", "got 2")
    wanted = "play() fails: ZeroDivisionError", "own_games.py, line", "(0, 2)"
    refused(played(own_games.Fails((2,)), own_games.Greedy()), *wanted)


BROKEN = {
    "NoResult": ["result()"],
    "Endless": ["result() of Endless", "10,000"],
    "NoMoves": ["moves() of NoMoves", "none"],
    "SetOfMoves": ["moves() of SetOfMoves", "got {"],
    "TwiceTheSame": ["moves() of TwiceTheSame", "once"],
    "Lists": ["moves() of Lists", "hashable"],
    "ReturnsItself": ["play(move) of ReturnsItself", "itself"],
    "Fails": ["play()", "ZeroDivisionError"],
    "Over": ["result() of Over", "(-1, 1)"],
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_found_by_random_games(name):  # more of them: tests/numerics/test_positions.py
    start = getattr(own_games, name)()
    refused(lambda: try_out(start), "", *BROKEN[name])


def test_a_game_that_keeps_its_promises_says_how_many_play():
    kept = {Nim: 2, TicTacToe: 2, Dice: 2, Sampled: 2, own_games.Alone: 1, own_games.Three: 3}
    assert {cls: try_out(cls()) for cls in kept} == kept
