"""The kinds of graded positions, and the search for them.

    random       A position of uniform random games.
    self_play    A position of games of UCT against itself.
    traps        A position that is not lost. Every move that loses the value is punished by force. Connect 4 on 7x6.
    misleading   A position in which uniform playouts rank a move first that loses the value.
    early        A position of the first 13 plies. Connect 4 on 7x6.

Traps, misleading and early positions come from both kinds of games in turn. The depth of a trap is the number of
stones after the losing one up to the opponent's winning one. Moves that allow a win at once (depth 1) do not count. At
least half of the other moves are traps, and their depths all lie in the same range of `DEPTHS`. So a player who looks
less far ahead sees none of them, and a player who looks further sees all. Playouts mislead if, of 10,000 after each
move, those of the first move have a mean at least 0.02 above those of all better moves.

Position number i comes after 8 + i mod 21 plies, a misleading one after 12 + i mod 17, an early one after 7 + i mod 7.
Deep traps come early. In another game the plies are those from a fifth to two thirds of the median length of random
games, in turn. If a game has no position of the kind after so many plies, the nearest one of the same game is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.graded_positions.positions import EARLY, MISLEADING, RANDOM, SELF_PLAY, TRAPS, Graded, sign
from experiments.graded_positions.sources import OfConnect4, Reached, Source
from mcts import playout_values
from numerics.random import Purpose, derived_seed

LEAST_PLIES, MOST_PLIES = 8, 28
DEPTHS = ((3, 5), (7, 11), (13, 19), (21, 42))
"""The ranges of depths of traps, equally frequent."""
_TRAP_PLIES = ((18, 28), (21, 28), (16, 26), (12, 18))  # plies at which such traps are frequent
_PLIES = {MISLEADING: (12, 28), EARLY: (7, 13)}  # of the other kinds LEAST_PLIES to MOST_PLIES
_PURPOSES = {
    RANDOM: Purpose.GRADED_FROM_RANDOM,
    SELF_PLAY: Purpose.GRADED_FROM_SELF_PLAY,
    TRAPS: Purpose.GRADED_TRAPS,
    MISLEADING: Purpose.GRADED_MISLEADING,
    EARLY: Purpose.GRADED_EARLY,
}
_MOST_GAMES = {TRAPS: 10_000, MISLEADING: 10_000}  # games searched for a position
_GAMES = 1_000  # of the other kinds
_FEW_GAMES = 30  # of another game, each of which has a position of every ply
_FIRST_PLAYOUTS, _PLAYOUTS = 1_000, 10_000  # after each move; the first playouts only rule positions out
_MARGIN = 0.02  # of the mean of 10,000 playouts: about three standard errors


def candidates(kind: str, number: int, seed: int, count: int, source: Source) -> list[Graded]:
    """Return the first candidates for position `number` of a kind.

    They come from the games numbered n number, n number + 1, ... of the seed. n is 1,000, or 10,000 for traps and
    misleading positions; in another game than Connect 4 it is 30. They are the first positions after the right number
    of plies that are unfinished and of the kind. They offer the side to move no immediate win, and have a legal move
    that loses the value.
    """
    derived = derived_seed(seed, (_PURPOSES[kind],))
    games = source.random if kind == RANDOM or (kind != SELF_PLAY and number % 2 == 0) else source.self_play
    is_of = {TRAPS: _may_trap, MISLEADING: _playouts_mislead}.get(kind, _moves_differ)
    graded: list[Graded] = []
    most = _MOST_GAMES.get(kind, _GAMES) if isinstance(source, OfConnect4) else _FEW_GAMES
    first = most * number
    for reached in games(derived, range(first, first + most), plies_of(kind, number, source.plies)):
        if not source.wins_at_once(reached) and is_of(reached, source, derived):
            position = Graded(reached.moves, tuple(source.scores(reached)), source.rules)
            if kind != TRAPS or trap_depth(position) == DEPTHS[_band(number)]:
                graded.append(position)
                if len(graded) == count:
                    break
    return graded


def plies_of(kind: str, number: int, ends: tuple[int, int] | None = None) -> int:
    """Return the number of plies of position `number` of a kind; `ends` are the least and the most of another game.

    Examples
    --------
    >>> [plies_of("random", number) for number in (0, 20, 21)], [plies_of("traps", number) for number in (0, 6, 8)]
    ([8, 28, 8], [18, 12, 19])
    >>> [plies_of("random", number, (4, 6)) for number in range(4)]
    [4, 5, 6, 4]
    """
    if kind == TRAPS:
        low, high = _TRAP_PLIES[_band(number)]
        return low + number // (2 * len(DEPTHS)) % (high - low + 1)
    low, high = ends or _PLIES.get(kind, (LEAST_PLIES, MOST_PLIES))
    return low + number % (high - low + 1)


def _band(number: int) -> int:
    """Return the index in DEPTHS for trap `number`; each range comes once from either kind of games, then the next."""
    return number // 2 % len(DEPTHS)


def _values(reached: Reached, source: Source) -> Iterator[tuple[Any, float]]:
    """Yield the legal moves, none of which wins at once, and what each leaves the other side: 1, 1/2 or 0."""
    for move in source.rules.legal_moves(reached.position):
        yield move, source.value(reached, move)


def _moves_differ(reached: Reached, source: Source, seed: int) -> bool:
    """Return whether two moves that do not win at once differ in value; the one of lower value loses the position's."""
    values = (value for _, value in _values(reached, source))
    first = next(values)
    return any(value != first for value in values)


def _may_trap(reached: Reached, source: Source, seed: int) -> bool:
    """Return whether all moves that lose the value lose the game, enough of them not at once."""
    worth = dict(_values(reached, source))
    best = min(worth.values())
    if best == 1.0 or any(best < value < 1.0 for value in worth.values()):
        return False
    deep = 0
    for move, value in worth.items():
        deep += value == 1.0 and not source.rules.after(reached.position, move).winning_moves()
    return 0 < list(worth.values()).count(best) <= deep


def _playouts_mislead(reached: Reached, source: Source, seed: int) -> bool:
    """Return whether playouts rank a move that loses the value first, by the required margin."""
    if not _moves_differ(reached, source, seed):
        return False
    moves = source.rules.legal_moves(reached.position)
    for playouts in (_FIRST_PLAYOUTS, _PLAYOUTS):
        means = playout_values(reached.position, playouts, playouts="uniform", seed=seed).means
        order = np.argsort(-means, kind="stable")
        worth = source.value(reached, moves[order[0]])
        better = (index for index in order[1:] if source.value(reached, moves[index]) < worth)
        best = next(better, None)  # the better move with the highest mean of playouts
        if best is None or (playouts == _PLAYOUTS and means[order[0]] - means[best] < _MARGIN):
            return False
    return True


def traps_of(graded: Graded) -> dict[int, int]:
    """Return the columns that lose a game of Connect 4 that is not lost, with their depths.

    A depth is the number of stones after the losing one up to the opponent's winning one; 1 for an immediate win.

    Examples
    --------
    >>> from connect4 import Board
    >>> traps_of(Graded(Board.from_moves("4455").moves, (-18, 18, -18, None, 0, 0, 0)))
    {0: 3, 2: 3}
    """
    ply, cells, depths = len(graded.moves), graded.board.width * graded.board.height, {}
    for column, score in enumerate(graded.scores):
        if score is not None and score < 0 <= graded.top:
            # Stones before the winning one, or one more, so that it is the winner's turn.
            stones = cells + 2 * score
            depths[column] = stones + (stones + ply + 1) % 2 - ply
    return depths


def trap_depth(graded: Graded) -> tuple[int, int] | None:
    """Return the range of DEPTHS in which all traps of a position lie; None if it is not a position of traps.

    Examples
    --------
    >>> from connect4 import Board
    >>> trap_depth(Graded(Board.from_moves("4455").moves, (-18, 18, -18, -18, 18, -18, -18)))
    (3, 5)
    """
    traps, legal = traps_of(graded), graded.legal_scores
    kept = sum(sign(score) == sign(graded.top) for score in legal)
    deep = [depth for depth in traps.values() if depth > 1]
    if kept + len(traps) < len(legal) or kept > len(deep):
        return None
    return next((ends for ends in DEPTHS if ends[0] <= min(deep) and max(deep) <= ends[1]), None)
