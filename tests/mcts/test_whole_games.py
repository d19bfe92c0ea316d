"""Whole games of a player that keeps its tree, with every combination of what a search can do besides."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import pytest

from connect4 import Board, Solver
from mcts import UCTPlayer

pytestmark = pytest.mark.jit  # needs compiled speed

BOARDS = [(5, 4, 4), (4, 4, 3), (6, 5, 4), (7, 6, 4)]  # width, height, run length
OPTIONS = ("keep", "tactics", "solve", "transpositions")
CHOSEN = list(itertools.product([False, True], repeat=len(OPTIONS)))
GAMES = 6


@functools.cache
def solver(*size: int) -> Solver:
    return Solver(*size, book=None)


def play(size: tuple[int, int, int], **options: Any) -> None:
    """Play some games, and compare what is proven with the exact solver where the board is small."""
    players = [UCTPlayer(simulations=60, seed=seed, **options) for seed in (1, 2)]
    for game in range(GAMES):
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


@pytest.mark.parametrize("size", BOARDS, ids=str)
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
def test_every_game_ends_and_no_proof_is_false(size: tuple[int, int, int], chosen: tuple[bool, ...]):
    play(size, **dict(zip(OPTIONS, chosen, strict=True)))


@pytest.mark.parametrize("size", BOARDS[:2], ids=str)
def test_two_workers_that_keep_their_trees_play_whole_games(size: tuple[int, int, int]):
    play(size, workers=2, **dict.fromkeys(OPTIONS, True))
