"""Whole games of a player that keeps its tree, with every combination of what a search can do besides."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import pytest

from connect4 import Board, Solver
from mcts import UCTPlayer
from mcts.tree import LEAST_MEMORY, MEMORY

pytestmark = pytest.mark.jit  # needs compiled speed

BOARDS = [(5, 4, 4), (4, 4, 3), (6, 5, 4), (7, 6, 4)]  # width, height, run length
OPTIONS = ("keep", "tactics", "solve", "transpositions", "exact")
CHOSEN = [chosen for chosen in itertools.product([False, True], repeat=len(OPTIONS)) if chosen[2] or not chosen[4]]
GAMES = 6


@functools.cache
def solver(*size: int) -> Solver:
    return Solver(*size, book=None)


def play(size: tuple[int, int, int], games: int = GAMES, simulations: int = 60, **options: Any) -> int:
    """Play some games, and compare what is proven with the exact solver where the board is small.

    Returns
    -------
    int
        The searches whose tree was full.
    """
    players = [UCTPlayer(simulations=simulations, seed=seed, **options) for seed in (1, 2)]
    full = 0
    for game in range(games):
        for player in players:
            player.reset(game)
        board = Board(*size)
        while not board.is_finished():
            search = players[board.plies % 2].think(board)
            if search.proven is not None and board.width * board.height <= 20:
                assert search.proven == solver(*size).solve(board).value, str(board)
            move = search.choose()
            assert move in board.legal_moves()
            board.play(move)
            full += search.result().full
    return full


@pytest.mark.sampled(12)
@pytest.mark.parametrize("size", BOARDS, ids=str)
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
def test_every_game_ends_and_no_proof_is_false(size: tuple[int, int, int], chosen: tuple[bool, ...]):
    play(size, **dict(zip(OPTIONS, chosen, strict=True)))


@pytest.mark.parametrize("size", BOARDS[:2], ids=str)
def test_two_workers_that_keep_their_trees_play_whole_games(size: tuple[int, int, int]):
    play(size, workers=2, **dict.fromkeys(OPTIONS, True))


SIZES = [*BOARDS, (8, 7, 4), (8, 8, 4), (9, 8, 4)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_games_end_in_a_tree_that_fills(size: tuple[int, int, int], workers: int):
    """The least memory that is allowed; without proofs, which would end the searches before."""
    options = dict.fromkeys(OPTIONS, True) | {"solve": False, "exact": False}
    full = play(size, 1, 10_000 * workers, workers=workers, memory=workers * LEAST_MEMORY, **options)
    assert full > 0 or size in BOARDS[:2]  # small boards have few positions


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_thousands_of_games_of_every_option_end(size: tuple[int, int, int]):
    """3,840 games: every option, workers, and memory that fills."""
    for workers, memory, chosen in itertools.product((1, 2), (LEAST_MEMORY, MEMORY), CHOSEN):
        options = dict(zip(OPTIONS, chosen, strict=True))
        play(size, 8, workers=workers, memory=workers * memory if memory == LEAST_MEMORY else memory, **options)
