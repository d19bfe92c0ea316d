"""The tactical hooks against exact scores, their playouts against a naive twin, and the player that uses them."""

from __future__ import annotations

import numpy as np
import pytest

from connect4 import Board, Solver
from experiments.players import make_player
from mcts import search
from numerics.games import DRAWN, LOST, UNDECIDED, WON
from numerics.random import streams
from tests import naive
from tests.connect4.positions import undecided
from tests.internals import COMPILED

pytestmark = pytest.mark.kernels

SIZES = [(7, 6, 4), (5, 4, 4), (4, 4, 3), (3, 5, 3), (4, 4, 5), (2, 7, 2)]


def exact(board: Board, solver: Solver) -> dict[int, int]:
    """The sign of each legal column's score for the side to move."""
    return {column: int(np.sign(score)) for column, score in enumerate(solver.scores(board)) if score is not None}


def late(size: tuple[int, int, int], count: int) -> list[Board]:
    """Random positions that can be solved in a moment."""
    least = (14 if size == (7, 6, 4) else 0) if COMPILED else size[0] * size[1] - 12
    return [board for board in undecided(8 * count, [size], seed=5) if board.plies >= least][:count]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", SIZES)
def test_what_tactics_decide_is_true_and_what_they_leave_out_is_no_better(size: tuple[int, int, int]):
    solver, moves, decided, fewer = Solver(*size), np.empty(size[0], np.int64), 0, 0
    boards = late(size, (10 if size == (7, 6, 4) else 25) if COMPILED else 8)
    for board in boards:
        tactics, signs = board.game.tactical(), exact(board, solver)
        best = max(signs.values())
        found = tactics.outcome(tactics.state)
        if found != UNDECIDED:
            decided += 1
            assert {WON: 1, DRAWN: 0, LOST: -1}[found] == -best  # of the side that moved last
        kept = moves[: tactics.legal(tactics.state, moves)].tolist()
        fewer += len(kept) < len(signs)
        assert set(kept) <= set(signs)
        assert max(signs[column] for column in kept) == best
        if board.winning_moves():
            assert kept == board.winning_moves()
    assert decided > 0
    assert fewer > 0 or size == (4, 4, 5)  # where nobody can win, nothing is left out


@pytest.mark.parametrize(("moves", "found"), [("44", UNDECIDED), ("4455", LOST), ("44556", WON)])
def test_a_move_that_makes_two_threats_is_seen_before_it_is_made(moves: str, found: int):
    game = Board.from_moves(moves).game.tactical()
    assert game.outcome(game.state) == found


def wins_above(board: Board, column: int) -> bool:
    """Whether the side to move would win in the cell above the lowest empty one of a column, which stays empty."""
    grid, row = board.grid == board.to_move, board.height - 2 - board.heights[column]
    for down, right in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            y, x = row + way * down, column + way * right
            while 0 <= y < board.height and 0 <= x < board.width and grid[y, x]:
                y, x, length = y + way * down, x + way * right, length + 1
        if row >= 0 and length >= board.connect:
            return True
    return False


def careful(board: Board, words: naive.Xoshiro) -> float:
    """One careful playout by the rules alone: what the side to move gets.

    A move below a cell where its own side would win comes last. Where there is a choice, each word of the stream names
    a column, until one may be played.
    """
    side, board = board.to_move, board.copy()
    while not board.winning_moves():
        safe, patient = [], []
        for column in board.legal_moves():
            after = board.copy()
            after.play(column)
            if after.is_finished() or not after.winning_moves():
                safe.append(column)
                if not wins_above(board, column):
                    patient.append(column)
        if not safe:
            return float(board.to_move != side)
        chosen = patient or safe
        column = chosen[0] if len(chosen) == 1 else -1
        while column not in chosen:
            column = (words.word() >> 32) * board.width >> 32
        board.play(column)
        if board.is_finished():
            assert board.winner() == 0
            return 0.5
    return float(board.to_move == side)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", SIZES)
def test_careful_playouts_are_the_plain_ones_draw_by_draw(size: tuple[int, int, int]):
    for number, board in enumerate([Board(*size), *undecided(2, [size], seed=8)]):
        rng, twin = streams(3, (number,), 0, 1), naive.Xoshiro(naive.stream(3, (number,), 0))
        for _ in range(4):
            assert board.game.playout("careful")(board.game.state.copy(), rng, 0) == careful(board, twin)
            assert rng[0].tolist() == twin.s, "the stream stands elsewhere"


@pytest.mark.long
@pytest.mark.jit
def test_with_tactics_a_search_proves_more_and_plays_what_it_proved():
    boards = late((7, 6, 4), 12)
    solver, proven = Solver(), {False: 0, True: 0}
    for board in boards:
        signs = exact(board, solver)
        for tactics in (False, True):
            found = search(board, simulations=2_000, solve=True, tactics=tactics)
            if any(found.outcomes) and found.value in (0.0, 0.5, 1.0):
                proven[tactics] += 1
                assert 2 * found.value - 1 == max(signs.values())
                assert signs[found.best_move] == max(signs.values())
    assert proven[True] > proven[False]


def test_the_best_player_plays_on_boards_of_two_words():
    best, board = make_player("uct_best", simulations=50, seed=1), Board.from_moves([3, 3, 4, 4, 5, 5], 9, 7)
    best.check_board(board)
    assert best.play(board) in board.winning_moves()


@pytest.mark.long
def test_the_best_player_is_uct_with_options():
    best = make_player("uct_best", simulations=200, seed=3)
    options = {"policy": "puct", "playouts": "careful", "prior": "lines", "solve": True, "transpositions": True}
    plain = make_player("uct", simulations=200, seed=3, tactics=True, exact=True, **options)
    assert str(best) == "uct_best simulations=200"
    for board in undecided(4, [(7, 6, 4), (5, 5, 4)], seed=4):
        assert best.play(board) == plain.play(board)
