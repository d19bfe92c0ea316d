"""Two small games with hooks of their own, which prove that a search knows nothing of Connect 4.

Tic-tac-toe: nine cells, the side to move, and whether the last move won. Slot machines: a move is an arm, and what
follows pays the mover 1 with the arm's probability, so that a search of depth one is a bandit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from numerics.games import DRAWN, SIGNATURES, UNDECIDED, WON, Game
from numerics.random import next_uniform
from tests.internals import kernel

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
TO_MOVE, HAS_WON = 9, 10  # words behind the nine cells
PARTS = 1024  # the probability of an arm is a whole number of these


@kernel()
def _open_cells(state, moves):
    count = 0
    for cell in range(9):
        if state[cell] == 0:
            moves[count] = cell
            count += 1
    return count


@kernel()
def _put(state, cell):
    player = state[TO_MOVE]
    state[cell] = player
    state[TO_MOVE] = -player
    for a, b, c in LINES:
        if state[a] == player and state[b] == player and state[c] == player:
            state[HAS_WON] = 1


@kernel(SIGNATURES["legal"])
def _legal(state, moves):
    return _open_cells(state, moves)


@kernel(SIGNATURES["play"])
def _play(state, move):
    _put(state, move)


@kernel(SIGNATURES["outcome"])
def _outcome(state):
    if state[HAS_WON] == 1:
        return WON
    for cell in range(9):
        if state[cell] == 0:
            return UNDECIDED
    return DRAWN


@kernel(SIGNATURES["playout"])
def _playout(state, rng, r):
    moves, value = np.empty(9, np.int64), 1.0
    while True:
        count = _open_cells(state, moves)
        if count == 0:
            return 0.5
        _put(state, moves[int(next_uniform(rng, r) * count)])
        if state[HAS_WON] == 1:
            return value
        value = 1.0 - value


@dataclass(frozen=True)
class TicTacToe:
    """A position by its cells, row by row: X (who begins), O, and dots."""

    cells: str = "........."

    @property
    def game(self) -> Game:
        """The position for kernels."""
        words = [{"X": 1, "O": -1, ".": 0}[cell] for cell in self.cells]
        mover = 1 if words.count(1) == words.count(-1) else -1
        state = np.array([*words, mover, int(_won(self.cells, 1) or _won(self.cells, -1))], dtype=np.int64)
        return Game(state, 9, self.cells.count("."), _legal, _play, _outcome, {"uniform": _playout})

    def after(self, cell: int) -> TicTacToe:
        """The position after a move of the side whose turn it is."""
        mark = "X" if self.cells.count("X") == self.cells.count("O") else "O"
        return TicTacToe(self.cells[:cell] + mark + self.cells[cell + 1 :])


def uniform_value(game: Game, state: np.ndarray, known: dict[bytes, float]) -> float:
    """What the side to move gets on average when both sides play any legal move."""
    if state.tobytes() not in known:
        moves, total = np.empty(game.most_moves, np.int64), 0.0
        count = int(game.legal(state, moves))
        for move in moves[:count].tolist():
            after = state.copy()
            game.play(after, move)
            outcome = int(game.outcome(after))
            total += 1.0 - uniform_value(game, after, known) if outcome == UNDECIDED else 0.5 + 0.5 * outcome
        known[state.tobytes()] = total / count
    return known[state.tobytes()]


def _won(cells: str, player: int) -> bool:
    return any(all(cells[cell] == {1: "X", -1: "O"}[player] for cell in line) for line in LINES)


@kernel(SIGNATURES["legal"])
def _arms(state, moves):
    for arm in range(state.size - 1):
        moves[arm] = arm
    return state.size - 1


@kernel(SIGNATURES["play"])
def _pull(state, move):
    state[0] = move


@kernel(SIGNATURES["outcome"])
def _never_decided(state):
    return UNDECIDED


@kernel(SIGNATURES["playout"])
def _pay(state, rng, r):
    return 0.0 if next_uniform(rng, r) < state[1 + state[0]] / PARTS else 1.0  # of the side that did not choose


@dataclass(frozen=True)
class SlotMachines:
    """A choice between Bernoulli arms with probabilities parts[a] / PARTS."""

    parts: Sequence[int]

    @property
    def game(self) -> Game:
        """The position for kernels."""
        state = np.array([-1, *self.parts], dtype=np.int64)
        return Game(state, len(self.parts), 1, _arms, _pull, _never_decided, {"uniform": _pay})

    @property
    def means(self) -> list[float]:
        """The arms' probabilities."""
        return [part / PARTS for part in self.parts]
