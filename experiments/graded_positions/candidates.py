"""What a graded position of each kind is, and where it is looked for.

    random       a position of uniform random games
    self_play    one of games of UCT against itself
    traps        one that is not lost, in which every move that loses the value is punished by force, at one depth
    misleading   one in which uniform playouts rank a move first that loses the value

Traps and misleading positions are from both kinds of games in turn. The depth of a trap is the number of stones after
the losing one up to the opponent's winning one. Moves to which the winning reply is at hand (depth 1) do not count; of
the other moves at least half are traps, and their depths lie together between the ends of one of `DEPTHS`: who looks
not so far ahead sees none of them, and who looks as far sees all. Playouts mislead where the first of 10,000 after each
move has a mean that is at least 0.02 above those of all moves that are better.

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
"""The depths of traps, from and to, which are as often each."""
_TRAP_PLIES = ((18, 28), (21, 28), (16, 26), (12, 18))  # where such traps are often found
_MISLEADING_PLIES = (12, 28)
_PURPOSES = {
    RANDOM: Purpose.GRADED_FROM_RANDOM,
    SELF_PLAY: Purpose.GRADED_FROM_SELF_PLAY,
    TRAPS: Purpose.GRADED_TRAPS,
    MISLEADING: Purpose.GRADED_MISLEADING,
}
_GAMES = {RANDOM: 1_000, SELF_PLAY: 1_000, TRAPS: 10_000, MISLEADING: 10_000}  # that one position may be looked for in
_SIMULATIONS = 200  # of a move of self-play: UCT with ucb, c = 1, and uniform playouts
_FIRST_PLAYOUTS, _PLAYOUTS = (
    1_000,
    10_000,
)  # after each move; the first ones only tell which positions are not looked at
_MARGIN = 0.02  # of the mean of 10,000 playouts: about three standard errors


def candidates(kind: str, number: int, seed: int, count: int, solver: Solver) -> list[Graded]:
    """Return the first positions that position `number` of a kind may be, on boards of the solver's size.

    They are of the games numbered n number, n number + 1, ... of the seed (n is 1,000, of traps and misleading ones
    10,000): the first that go on after so many plies, have no win at once for the side to move, have a legal move that
    loses the value, and are of the kind.
    """
    own = derived_seed(seed, (_PURPOSES[kind],))
    games = _random if kind == RANDOM or (kind != SELF_PLAY and number % 2 == 0) else _self_play
    is_of = {TRAPS: _may_trap, MISLEADING: _misleads, RANDOM: moves_differ, SELF_PLAY: moves_differ}
    found: list[Graded] = []
    first, most = _GAMES[kind] * number, _GAMES[kind]
    for board in games(own, range(first, first + most), plies_of(kind, number, solver.cells), solver.size):
        if not board.winning_moves() and is_of[kind](board, solver, own):
            one = Graded(board.moves, tuple(solver.scores(board)), solver.size)
            if kind != TRAPS or trap_depth(one) == DEPTHS[_band(number)]:
                found.append(one)
                if len(found) == count:
                    break
    return found


def plies_of(kind: str, number: int, cells: int = 42) -> int:
    """Return after how many plies position `number` of a kind comes.

    On other boards than 7 x 6 at most 34 cells are left, as there, and at least a third of all.

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
    """Return the place in DEPTHS of trap `number`; each depth comes once from either kind of games, then the next."""
    return number // 2 % len(DEPTHS)


def _random(seed: int, numbers: range, plies: int, size: tuple[int, int, int]) -> Iterator[Board]:
    """Yield the position after so many plies of each random game that goes on then."""
    games = random_games(*size, len(numbers), seed, numbers.start)
    for moves, length in zip(games.moves, games.lengths, strict=True):
        if length > plies:
            yield Board.from_moves(moves[:plies].tolist(), *size)


def _self_play(seed: int, numbers: range, plies: int, size: tuple[int, int, int]) -> Iterator[Board]:
    """Yield the position after so many plies of each game of UCT against itself that goes on then."""
    player = UCTPlayer(simulations=_SIMULATIONS, seed=seed)
    for game in numbers:
        player.reset(game)
        board = Board(*size)
        while board.plies < plies and not board.is_finished():
            board.play(player.play(board))
        if not board.is_finished():
            yield board


def moves_differ(board: Board, solver: Solver, seed: int = 0) -> bool:
    """Return whether two moves that do not end the game in a win differ in value, which costs less than their scores.

    A move of the higher value then keeps that of the position, or is below it too: either way one is lost by the other.
    """
    first, *others = board.legal_moves()
    one = _value(board, first, solver)
    return any(_value(board, column, solver) != one for column in others)


def _value(board: Board, column: int, solver: Solver) -> float:
    """Return what a move that does not win at once is worth for the other side: 1, 1/2 or 0."""
    after = board.copy()
    after.play(column)
    value = 0.5 if after.is_finished() else solver.solve(after, weak=True).value
    assert value is not None
    return value


def _may_trap(board: Board, solver: Solver, seed: int) -> bool:
    """Return whether all moves that lose the value lose the game, and enough of them not at once."""
    worth = {column: _value(board, column, solver) for column in board.legal_moves()}
    best = min(worth.values())
    if best == 1.0 or any(best < one < 1.0 for one in worth.values()):
        return False
    deep = 0
    for column, one in worth.items():
        after = board.copy()
        after.play(column)
        deep += one == 1.0 and not after.winning_moves()
    return 0 < list(worth.values()).count(best) <= deep


def _misleads(board: Board, solver: Solver, seed: int) -> bool:
    """Return whether playouts rank a move first that loses the value of the position, by some margin."""
    for playouts in (_FIRST_PLAYOUTS, _PLAYOUTS):
        found = playout_values(board, playouts, playouts="uniform", seed=seed)
        order = np.argsort(-found.means, kind="stable")
        worth = _value(board, int(found.moves[order[0]]), solver)
        better = (place for place in order[1:] if _value(board, int(found.moves[place]), solver) < worth)
        best = next(better, None)  # in playouts, of those that keep more
        if best is None or (playouts == _PLAYOUTS and found.means[order[0]] - found.means[best] < _MARGIN):
            return False
    return True


def trap_depth(one: Graded) -> tuple[int, int] | None:
    """Return between which depths all traps of a position lie, an entry of DEPTHS; None where it is none of traps.

    Examples
    --------
    >>> trap_depth(Graded(Board.from_moves("4455").moves, (-18, 18, -18, -18, 18, -18, -18)))
    (3, 5)
    """
    kept = sum(one.keeps_value(column) for column, score in enumerate(one.scores) if score is not None)
    deep = [depth for depth in one.traps.values() if depth > 1]
    if kept + len(one.traps) < len(one.legal_scores) or kept > len(deep):
        return None
    return next((ends for ends in DEPTHS if ends[0] <= min(deep) and max(deep) <= ends[1]), None)
