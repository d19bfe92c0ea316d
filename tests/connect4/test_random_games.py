"""Records of random games: every one a real game, the same from every kernel, with the lengths that random play has."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from connect4 import Board
from numerics.random import Purpose, streams
from tests import data
from tests.internals import game_of, random_games
from tests.naive import Xoshiro, stream

pytestmark = pytest.mark.kernels

FACTS = data.read("connect4_counts")
BOARDS = [(7, 6, 4), (4, 4, 4), (5, 5, 3), (2, 2, 2), (1, 5, 4), (8, 7, 4), (8, 8, 4), (12, 3, 4), (3, 40, 5)]


@pytest.mark.parametrize("size", BOARDS)
def test_every_record_is_a_game_to_its_end(size: tuple[int, int, int]):
    record = random_games(*size, games=8, seed=3)
    for moves, length, result in zip(record.moves, record.lengths, record.results, strict=True):
        board = Board(*size)
        for column in moves[:length].tolist():
            assert not board.is_finished()
            board.play(column)
        assert board.is_finished()
        assert board.winner() == result
        assert (moves[length:] == -1).all()


@pytest.mark.parametrize("size", [(7, 6, 4), (4, 4, 3), (5, 3, 6)])
def test_bitboards_of_one_word_and_of_two_play_the_same_games(size: tuple[int, int, int]):
    narrow, wide = (random_games(*size, games=10, seed=8, wide=wide) for wide in (False, True))
    assert (narrow.moves == wide.moves).all()
    assert (narrow.lengths == wide.lengths).all()
    assert (narrow.results == wide.results).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("wide", [False, True])
def test_a_playout_on_the_same_stream_ends_with_the_same_result(wide: bool):
    record = random_games(7, 6, 4, games=20, seed=5, first=100)
    game = game_of(Board(), wide=wide)
    rng = streams(5, (Purpose.RANDOM_GAME,), 100, 20)
    values = [game.playouts["uniform"](game.state.copy(), rng, number) for number in range(20)]
    assert [2.0 * value - 1.0 for value in values] == record.results.tolist()


def test_moves_are_those_of_a_naive_player():
    record = random_games(5, 4, 4, games=12, seed=2)
    for number in range(12):
        rng, board = Xoshiro(stream(2, (Purpose.RANDOM_GAME,), number)), Board(5, 4)
        while not board.is_finished():
            column = ((rng.word() >> 32) * 5) >> 32
            if column in board.legal_moves():
                board.play(column)
        assert board.moves == tuple(record.moves[number, : record.lengths[number]].tolist())


def test_a_game_is_the_same_whichever_others_are_played():
    whole, part = random_games(7, 6, 4, games=30, seed=1), random_games(7, 6, 4, games=7, seed=1, first=11)
    assert (whole.moves[11:18] == part.moves).all()
    assert not (whole.moves == random_games(7, 6, 4, games=30, seed=2).moves).all()


@pytest.mark.jit
def test_rates_and_lengths_are_those_of_300_million_games_of_another_program():
    truth = FACTS["random_play_7x6"]
    games = 1_000_000
    record = random_games(7, 6, 4, games=games, seed=17)
    plies = [int(length) for length in truth["wins_by_length"]]
    found = [int(((record.lengths == length) & (record.results != 0)).sum()) for length in plies]
    found.append(int((record.results == 0).sum()))
    wanted = np.array([*truth["wins_by_length"].values(), truth["draws"]], dtype=float)
    wanted *= games / truth["games"]
    # The truth is itself a sample, 300 times as large, so that the statistic is 0.3 % larger than chi-square.
    assert sum(found) == games
    assert stats.chisquare(found, wanted).pvalue > 1e-4
    for result, name in ((1, "first"), (-1, "second"), (0, "draws")):
        rate = truth[name] / truth["games"]
        assert (record.results == result).mean() == pytest.approx(rate, abs=5.0 * (rate / games) ** 0.5)


@pytest.mark.jit
@pytest.mark.parametrize("size", ["4x4", "5x4", "5x5"])
def test_lengths_have_their_exact_probabilities(size: str):
    width, height = map(int, size.split("x"))
    record = random_games(width, height, 4, games=200_000, seed=4)
    rows = FACTS["boards"][size]["plies"]
    chances = [row[6] for row in rows if row[6] > 0.0]
    found = [int(((record.lengths == row[0]) & (record.results != 0)).sum()) for row in rows if row[6] > 0.0]
    expected = 200_000 * np.array([*chances, 1.0 - sum(chances)])
    assert stats.chisquare([*found, int((record.results == 0).sum())], expected).pvalue > 1e-4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"width": 65}, "width must be"),
        ({"connect": 1}, "connect must be"),
        ({"games": 0}, "games must be"),
        ({"games": 10**9}, "games must be a whole number of at most"),
        ({"seed": -1}, "seed must be"),
        ({"first": -1}, "first must be"),
        ({"games": 1.5}, "games must be"),
    ],
)
def test_a_wrong_number_is_one_sentence(arguments: dict[str, int], words: str):
    with pytest.raises(ValueError, match=words):
        random_games(**{"width": 7, "height": 6, "connect": 4, "games": 1, "seed": 0, **arguments})
