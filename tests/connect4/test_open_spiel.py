"""OpenSpiel's connect_four as an independent referee: the same legal moves, ends and results in random games."""

from __future__ import annotations

import random

import numpy as np
import pytest

from connect4 import Board
from numerics.games import SIGNATURES, UNDECIDED
from numerics.random import next_uniform, streams
from tests.internals import game_of, is_wide, kernel

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

SIZES = [(7, 6, 4), (4, 4, 4), (5, 5, 3), (6, 7, 4), (9, 4, 5), (3, 8, 3), (7, 6, 2), (10, 10, 6), (2, 3, 2)]


_HOOKS = ", ".join(f"FunctionType({SIGNATURES[kind]})" for kind in ("legal", "play", "outcome"))


@kernel(f"void(int64[::1], uint64[:, ::1], int64[:, ::1], uint64[:, ::1], int64[::1], {_HOOKS})")
def record(start, rng, moves, masks, outcomes, legal, play, outcome):
    """Play one game a stream by the hooks: its moves, -1 after the end, the legal ones as bits, and how it ended."""
    found = np.empty(masks.shape[1] + 1, np.int64)
    for game in range(outcomes.size):
        state, ply, result = start.copy(), 0, UNDECIDED
        while result == UNDECIDED:
            count = legal(state, found)
            for one in range(count):
                masks[game, ply] |= np.uint64(1) << np.uint64(found[one])
            moves[game, ply] = found[np.int64(next_uniform(rng, game) * count)]
            play(state, moves[game, ply])
            result = outcome(state)
            ply += 1
        outcomes[game] = result


def judged(board: Board, games: int, wide: bool | None = None) -> list[float]:
    """Hold recorded random games against OpenSpiel, move by move; return the first player's results."""
    game = game_of(board, wide=wide)
    cells = board.width * board.height
    moves, masks = np.full((games, cells), -1, dtype=np.int64), np.zeros((games, cells), dtype=np.uint64)
    outcomes = np.empty(games, dtype=np.int64)
    record(
        game.state,
        streams(12, (board.width, board.height), 0, games),
        moves,
        masks,
        outcomes,
        game.legal,
        game.play,
        game.outcome,
    )
    columns = {mask: [c for c in range(board.width) if mask >> c & 1] for mask in np.unique(masks).tolist()}
    start, results = referee(board).new_initial_state(), []
    for played, allowed, outcome in zip(moves.tolist(), masks.tolist(), outcomes.tolist(), strict=True):
        state, plies = start.clone(), played.index(-1) if -1 in played else cells
        for ply in range(plies):
            assert not state.is_terminal(), played
            assert state.legal_actions() == columns[allowed[ply]], played
            state.apply_action(played[ply])
        assert state.is_terminal(), played
        results.append(float(outcome if plies % 2 else -outcome))
        assert state.returns() == [results[-1], -results[-1]], played
    return results


def referee(board: Board):
    size = {"rows": board.height, "columns": board.width, "x_in_row": board.connect}
    return pyspiel.load_game("connect_four", size)


@pytest.mark.long
def test_a_hundred_thousand_games_on_7x6_are_judged_alike():
    results = judged(Board(), 100_000)
    assert np.mean(np.array(results) == 1.0) == pytest.approx(0.5557, abs=4.5 * 0.0016)
    assert 150 < results.count(0.0) < 370, "a draw in 390 games"


@pytest.mark.jit
@pytest.mark.parametrize("size", SIZES)
def test_games_on_other_sizes_are_judged_alike_by_kernels(size: tuple[int, int, int]):
    board = Board(*size)
    for wide in [True] if is_wide(board.width, board.height) else [False, True]:
        assert set(judged(board, 500, wide)) >= {1.0, -1.0}


@pytest.mark.parametrize("size", SIZES)
def test_the_board_for_people_and_openspiel_agree_at_every_move(size: tuple[int, int, int]):
    chance = random.Random(str(size))
    for _ in range(20):
        board = Board(*size)
        state = referee(board).new_initial_state()
        while not board.is_finished():
            assert not state.is_terminal()
            assert state.legal_actions() == board.legal_moves()
            assert state.current_player() == (0 if board.to_move == 1 else 1)
            column = chance.choice(board.legal_moves())
            board.play(column)
            state.apply_action(column)
            assert np.array_equal(stones_of(state, board), board.grid)
        assert state.is_terminal()
        assert state.returns() == [board.winner(), -board.winner()]


def stones_of(state, board: Board) -> np.ndarray:
    """The grid that OpenSpiel prints, x for the player who began."""
    lines = str(state).split()[: board.height]
    return np.array([[{"x": 1, "o": -1, ".": 0}[sign] for sign in line] for line in lines])
