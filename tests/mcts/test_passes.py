"""A player who moves again: the pass that a search puts in between is no move in any result."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import pytest

from mcts import search
from mcts.recording import record
from tests.internals import DotsAndBoxes
from tests.mcts.classes import Tree

pytestmark = pytest.mark.kernels


@dataclass(frozen=True)
class Sticks:
    """Take one or two; who takes two moves again, who takes the last wins."""

    left: int
    mover: int = 0

    def moves(self) -> list[int]:
        return [1, 2][: self.left]

    def play(self, taken: int) -> Sticks:
        left = self.left - taken
        return Sticks(left, self.mover if taken == 2 and left else 1 - self.mover)

    def player(self) -> int:
        return self.mover

    def result(self) -> tuple[int, int] | None:
        return None if self.left else (0, 1) if self.mover == 0 else (1, 0)


def boxes(rows: int, columns: int, moves: int) -> DotsAndBoxes:
    """Dots and Boxes after as many moves, most of which leave no box to close."""
    board = DotsAndBoxes(rows, columns)
    for number in range(moves):
        board = board.play(board.moves()[number * 5 % len(board.moves())])
    return board


@functools.cache
def exact(board: Any) -> tuple[float, int]:
    """The result of player 0, and the moves to the end: a win as soon and a loss as late as possible."""
    result = board.result()
    if result is not None:
        return (result[0] - result[1]) / 2.0 + 0.5, 0
    replies = [exact(board.play(move)) for move in board.moves()]
    best = (max if board.player() == 0 else min)(value for value, _ in replies)
    lengths = [1 + moves for value, moves in replies if value == best]
    return best, (min if best == 1 - board.player() else max)(lengths)


@functools.cache
def longest(board: Any) -> int:
    """The most moves to the end."""
    return 0 if board.result() is not None else 1 + max(longest(board.play(move)) for move in board.moves())


BOARDS: dict[str, list[Any]] = {
    "sticks": [Sticks(left, mover) for left in range(2, 14) for mover in (0, 1)],
    "trees": [Tree(word, 5) for word in range(30)],
    "boxes": [boxes(1, 2, 3), boxes(1, 3, 3), boxes(2, 2, 4), boxes(2, 2, 6)],
}
EACH = list(itertools.chain(*BOARDS.values()))


@pytest.mark.parametrize("kind", BOARDS)
def test_distances_count_moves_as_a_plain_minimax_does(kind: str):
    proven = 0
    for board in BOARDS[kind]:
        found = search(board, simulations=3_000, seed=1, solve=True)
        if found.distance is None:
            continue
        proven += 1
        value, moves = exact(board)
        assert found.value == (value if board.player() == 0 else 1.0 - value)
        assert moves <= found.distance <= longest(board)
        if kind != "sticks":  # all games are equally long, so that a bound is exact
            assert found.distance == moves
        word = "won" if found.value == 1.0 else "lost"
        for move, proof, plies in zip(found.moves.tolist(), found.proofs, found.distances.tolist(), strict=True):
            after = board.play(move)
            assert plies < 0 or 1 + exact(after)[1] <= plies <= 1 + longest(after)
            assert plies < 0 or proof == f"{word} in {plies}"
    assert proven >= 2
    if kind == "sticks":
        assert search(Sticks(3), simulations=100, solve=True).proofs == ["", "won in 2"]  # two, then the last


def test_depth_lines_and_tables_leave_passes_out():
    passes = 0
    for board in EACH:
        found = search(board, simulations=300, seed=2)
        frame = found.to_frame()
        assert found.depth <= longest(board)
        if not isinstance(board, Sticks):  # whose positions have several parents
            assert found.depth == frame.depth[frame.visits > 0].max()
        passes += (frame.move == found.pass_move).sum() + (frame.move == "pass").sum()
        position = board
        for move in found.principal_variation:
            assert move in position.moves()
            position = position.play(move)
    assert passes > 100


def test_a_recorded_path_is_played_as_it_stands():
    for board in EACH:
        kept, start = record(board, simulations=60, seed=3), 0
        for length in kept.lengths.tolist():
            position = board
            for move in kept.path[start : start + length].tolist():
                assert move in position.moves()
                position = position.play(move)
            start += length
        assert start == kept.path.size
        assert kept.lengths.min() >= 1
        assert kept.lengths.max() == kept.result.depth
