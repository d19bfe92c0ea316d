"""The kinds of graded positions, and the search for them.

    random       A position of uniform random games.
    self_play    A position of games of UCT against itself.
    traps        A position that is not lost. Every move that loses the value is punished by force.
    misleading   A position in which uniform playouts rank a move first that loses the value.

Traps and misleading positions come from both kinds of games in turn. The depth of a trap is the number of stones after
the losing one up to the opponent's winning one. Moves that allow a win at once (depth 1) do not count. At least half of
the other moves are traps, and their depths all lie in the same range of `DEPTHS`. So a player who looks less far ahead
sees none of them, and a player who looks further sees all. Playouts mislead if, of 10,000 after each move, those of the
first move have a mean at least 0.02 above those of all better moves.

Position number i comes after 8 + i mod 21 plies, a misleading one after 12 + i mod 17; deep traps come early.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from connect4 import Board, Solver
from connect4.combinatorics.random_games import random_games
from experiments.graded_positions.positions import MISLEADING, RANDOM, SELF_PLAY, TRAPS, Graded
from mcts import UCTPlayer, playout_values
from numerics.random import Purpose, derived_seed

LEAST_PLIES, MOST_PLIES = 8, 28
DEPTHS = ((3, 5), (7, 11), (13, 19), (21, 42))
"""The ranges of depths of traps, equally frequent."""
_TRAP_PLIES = ((18, 28), (21, 28), (16, 26), (12, 18))  # plies at which such traps are frequent
_MISLEADING_PLIES = (12, 28)
_PURPOSES = {
    RANDOM: Purpose.GRADED_FROM_RANDOM,
    SELF_PLAY: Purpose.GRADED_FROM_SELF_PLAY,
    TRAPS: Purpose.GRADED_TRAPS,
    MISLEADING: Purpose.GRADED_MISLEADING,
}
_GAMES = {RANDOM: 1_000, SELF_PLAY: 1_000, TRAPS: 10_000, MISLEADING: 10_000}  # games searched for a position
_SIMULATIONS = 200  # of a move of self-play: UCT with ucb, c = 1, and uniform playouts
_FIRST_PLAYOUTS, _PLAYOUTS = 1_000, 10_000  # after each move; the first playouts only rule positions out
_MARGIN = 0.02  # of the mean of 10,000 playouts: about three standard errors


def candidates(kind: str, number: int, seed: int, count: int, solver: Solver) -> list[Graded]:
    """Return the first candidates for position `number` of a kind, on boards of the solver's size.

    They come from the games numbered n number, n number + 1, ... of the seed. n is 1,000, or 10,000 for traps and
    misleading positions. They are the first positions after the right number of plies that are unfinished and of the
    kind. They offer the side to move no immediate win, and have a legal move that loses the value.
    """
    derived = derived_seed(seed, (_PURPOSES[kind],))
    games = _random if kind == RANDOM or (kind != SELF_PLAY and number % 2 == 0) else _self_play
    is_of = {TRAPS: _may_trap, MISLEADING: _playouts_mislead, RANDOM: moves_differ, SELF_PLAY: moves_differ}
    graded: list[Graded] = []
    first, most = _GAMES[kind] * number, _GAMES[kind]
    for board in games(derived, range(first, first + most), plies_of(kind, number, solver.cells), solver.size):
        if not board.winning_moves() and is_of[kind](board, solver, derived):
            position = Graded(board.moves, tuple(solver.scores(board)), solver.size)
            if kind != TRAPS or trap_depth(position) == DEPTHS[_band(number)]:
                graded.append(position)
                if len(graded) == count:
                    break
    return graded


def plies_of(kind: str, number: int, cells: int = 42) -> int:
    """Return the number of plies of position `number` of a kind.

    On boards other than 7 x 6, between a third of all cells and 34 cells are left.

    Examples
    --------
    >>> [plies_of("random", number) for number in (0, 20, 21)], [plies_of("traps", number) for number in (0, 6, 8)]
    ([8, 28, 8], [18, 12, 19])
    """
    if kind == TRAPS:
        low, high = _TRAP_PLIES[_band(number)]
        return low + number // (2 * len(DEPTHS)) % (high - low + 1)
    low, high = _MISLEADING_PLIES if kind == MISLEADING else (LEAST_PLIES, MOST_PLIES)
    if cells != 42:
        low, high = max(cells // 5, cells - 34), 2 * cells // 3
    return low + number % (high - low + 1)


def _band(number: int) -> int:
    """Return the index in DEPTHS for trap `number`; each range comes once from either kind of games, then the next."""
    return number // 2 % len(DEPTHS)


def _random(seed: int, numbers: range, plies: int, size: tuple[int, int, int]) -> Iterator[Board]:
    """Yield the position after `plies` plies of each random game that is longer."""
    games = random_games(*size, len(numbers), seed, numbers.start)
    for moves, length in zip(games.moves, games.lengths, strict=True):
        if length > plies:
            yield Board.from_moves(moves[:plies].tolist(), *size)


def _self_play(seed: int, numbers: range, plies: int, size: tuple[int, int, int]) -> Iterator[Board]:
    """Yield the position after `plies` plies of each game of UCT against itself that is longer."""
    player = UCTPlayer(simulations=_SIMULATIONS, seed=seed)
    for game in numbers:
        player.reset(game)
        board = Board(*size)
        while board.plies < plies and not board.is_finished():
            board.play(player.play(board))
        if not board.is_finished():
            yield board


def moves_differ(board: Board, solver: Solver, seed: int = 0) -> bool:
    """Return whether two moves that do not win at once differ in value, which costs less than their scores.

    Then the move of lower value loses the position's value.
    """
    first, *others = board.legal_moves()
    first_value = _value(board, first, solver)
    return any(_value(board, column, solver) != first_value for column in others)


def _value(board: Board, column: int, solver: Solver) -> float:
    """Return the value of a move that does not win at once for the other side: 1, 1/2 or 0."""
    after = board.copy()
    after.play(column)
    value = 0.5 if after.is_finished() else solver.solve(after, weak=True).value
    assert value is not None
    return value


def _may_trap(board: Board, solver: Solver, seed: int) -> bool:
    """Return whether all moves that lose the value lose the game, enough of them not at once."""
    worth = {column: _value(board, column, solver) for column in board.legal_moves()}
    best = min(worth.values())
    if best == 1.0 or any(best < value < 1.0 for value in worth.values()):
        return False
    deep = 0
    for column, value in worth.items():
        after = board.copy()
        after.play(column)
        deep += value == 1.0 and not after.winning_moves()
    return 0 < list(worth.values()).count(best) <= deep


def _playouts_mislead(board: Board, solver: Solver, seed: int) -> bool:
    """Return whether playouts rank a move that loses the value first, by the required margin."""
    for playouts in (_FIRST_PLAYOUTS, _PLAYOUTS):
        estimates = playout_values(board, playouts, playouts="uniform", seed=seed)
        order = np.argsort(-estimates.means, kind="stable")
        worth = _value(board, int(estimates.moves[order[0]]), solver)
        better = (index for index in order[1:] if _value(board, int(estimates.moves[index]), solver) < worth)
        best = next(better, None)  # the better move with the highest mean of playouts
        if best is None or (playouts == _PLAYOUTS and estimates.means[order[0]] - estimates.means[best] < _MARGIN):
            return False
    return True


def trap_depth(graded: Graded) -> tuple[int, int] | None:
    """Return the range of DEPTHS in which all traps of a position lie; None if it is not a position of traps.

    Examples
    --------
    >>> trap_depth(Graded(Board.from_moves("4455").moves, (-18, 18, -18, -18, 18, -18, -18)))
    (3, 5)
    """
    kept = sum(graded.keeps_value(column) for column, score in enumerate(graded.scores) if score is not None)
    deep = [depth for depth in graded.traps.values() if depth > 1]
    if kept + len(graded.traps) < len(graded.legal_scores) or kept > len(deep):
        return None
    return next((ends for ends in DEPTHS if ends[0] <= min(deep) and max(deep) <= ends[1]), None)
