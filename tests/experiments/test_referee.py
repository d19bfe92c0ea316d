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
    def total_of(record):  # counted again, from what the players saw
        return tuple(float(sum(paid)) for paid in record)

    results = set()
    for seed in range(12):
        seen = ([], [])

        def keep(position, seen=seen):
            seen[position.player()].append(position.shown)
            return "keep"

        record = play_position(keep, keep, Dice(), seed=seed)
        assert record.totals == total_of(seen)
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


def test_chance_may_be_sampled():
    games = [play_position(make_player("random"), make_player("random"), Sampled(), seed=seed) for seed in range(9)]
    assert {game.result for game in games} == {1, -1}
    assert all(set(game.moves) == {"roll"} for game in games)


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

    wanted = "result() of FailsLate must return a finite number for each of 2 players; got 'won'"
    refused(played(late), wanted, "(after the moves (0, 1), (0, 1))")
    wanted = f"result() of Endless must end a game within {MOST_STEPS:,} moves and chance draws"
    refused(played(own_games.Endless()), wanted, "after the moves ..., ")
    wanted = "player() of ThirdPlayer must return 0 or 1 or 'chance'; got 2"
    refused(played(own_games.ThirdPlayer()), wanted)
    wanted = "play() fails: ZeroDivisionError", "own_games.py, line", "(after the moves (0, 2))"
    refused(played(own_games.Fails((2,)), own_games.Greedy()), *wanted)


def test_random_play_draws_from_all_moves_by_its_own_stream():
    player = make_player("random", seed=3)
    moves = [player.play(TicTacToe()) for _ in range(100)]
    assert set(moves) == set(TicTacToe().moves())
    player.reset(0)
    assert [player.play(TicTacToe()) for _ in range(100)] == moves


BROKEN = {
    "NoResult": "a position must have the methods moves(), play(move), player(), result(); NoResult has no result()",
    "Endless": "result() of Endless must end a game within 10,000 moves and chance draws",
    "NotANumber": "result() of NotANumber must return a finite number for each player; got (nan, 0)",
    "Unequal": "results and rewards of Unequal must hold a number for each player; they hold 2 and 3 numbers",
    "NoMoves": "moves() of NoMoves must return a move where result() is None; got none",
    "SetOfMoves": "moves() of SetOfMoves must return a sequence of moves; got {",
    "TwiceTheSame": "moves() of TwiceTheSame must return each move once",
    "Lists": "moves() of Lists must return hashable moves",
    "ChangesItself": "of ChangesItself must not change the position itself",
    "ReturnsItself": "play(move) of ReturnsItself must return a new position; got the position itself",
    "ThirdPlayer": "player() of ThirdPlayer must be below the number of players, 2 by its results; got 2",
    "Fails": "play() fails: ZeroDivisionError",
    "Over": "result() of Over must be None in the first position; got (-1, 1)",
    "Loaded": "chance() of Loaded must return probabilities of at least 0 that sum to 1; they sum to 0.9",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_found_by_random_games(name):
    start = getattr(own_games, name)()
    said = refused(lambda: try_out(start), "", BROKEN[name])
    if name != "ChangesItself":  # random games are the same each time
        assert refused(lambda: try_out(start)) == said


def test_a_game_that_keeps_its_promises_says_how_many_play():
    kept = {Nim: 2, TicTacToe: 2, Dice: 2, Sampled: 2, own_games.Alone: 1, own_games.Three: 3}
    assert {cls: try_out(cls()) for cls in kept} == kept


def test_check_game_plays_a_thousand_games_of_a_class(command, attempt):
    said = command(f"{HERE}.Dice", "games=20", module="check_game")
    assert f"{HERE}.Dice: 20 random games of 2 players found no violation." in said.out
    assert "20 random games of 1 player found no" in command(f"{HERE}.Alone", "games=20", module="check_game").out
    attempt(f"{HERE}.Loaded", module="check_game").assert_refused(["chance() of Loaded must return probabilities"])
    attempt(f"{HERE}.NoResult", module="check_game").assert_refused(
        ["a position must have the methods", "NoResult has no result()"]
    )
