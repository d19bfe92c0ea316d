"""Balanced openings: those after which best play of both sides is a draw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from connect4 import Board, Solver, notation
from experiments.engine.errors import say
from experiments.games.openings import Moves, openings_of
from numerics.parameters import did_you_mean
from numerics.random import Purpose, derived_seed

BALANCED = "balanced"
_PLIES, _PLIES_OF_BOOK = 4, 6  # of the built-in ones: on small boards, and where the solver has a book
_MOST_CELLS = 30  # of a board without a book whose openings are solved in seconds
_NODES = 20_000_000  # of a position: some seconds


def balanced_openings(said: str, board: Board, seed: int) -> list[Moves]:
    """Return openings that best play draws, as 0-based columns, in an order that the seed decides.

    Parameters
    ----------
    said : str
        "balanced": every position after 6 plies on 7x6, after 4 on boards of up to 30 cells, once. Or the path of a
        file as `experiments.games.openings.openings_of` reads it.
    board : Board
        The empty board.
    seed : int

    Raises
    ------
    ValueError
        A board whose openings cannot be solved, no such file, or openings that are not balanced.

    Examples
    --------
    >>> len(balanced_openings("balanced", Board(), seed=0))
    1943
    """
    if said == BALANCED:
        found = _all_balanced(board)
    elif Path(said).is_file():
        found = openings_of(said, board)
        _check(said, found, board)
    else:
        raise ValueError(
            f"openings must be {BALANCED}, or a file of balanced openings, such as 4453 a line; got {said!r}"
            f"{did_you_mean(said, [BALANCED])}"
        )
    order = np.random.default_rng(derived_seed(seed, (Purpose.OPENINGS,))).permutation(len(found))
    return [found[place] for place in order]


def _all_balanced(board: Board) -> list[Moves]:
    size = f"{board.width}x{board.height} with {board.connect} in a row"
    solver = _solver(board)
    if solver is None or (solver.book is None and board.width * board.height > _MOST_CELLS):
        raise ValueError(
            f"openings={BALANCED} must be of a board of at most {_MOST_CELLS} cells or of 7x6, which can be solved; "
            f"got {size}, for which a file of openings can be given"
        )
    level: dict[Board, Moves] = {board: ()}
    for _ in range(_PLIES if solver.book is None else _PLIES_OF_BOOK):
        after: dict[Board, Moves] = {}
        for position, moves in level.items():
            for column in position.legal_moves():
                played = position.copy()
                played.play(column)
                if not played.is_finished():
                    after.setdefault(played, (*moves, column))
        level = after
    found = [moves for position, moves in level.items() if solver.solve(position, weak=True).value == 0.5]
    if not found:
        raise ValueError(f"openings={BALANCED} finds none on {size}: no position after {_PLIES} plies is drawn")
    return found


def _check(said: str, openings: Sequence[Moves], board: Board) -> None:
    """Refuse openings that are not balanced; say so where that cannot be known."""
    solver = _solver(board)
    if solver is None:
        say(f"openings {said!r}: the board is too large to be solved, so that nobody knows whether they are balanced")
        return
    won, unknown = [], 0
    for moves in openings:
        value = solver.solve(Board.from_moves(moves, *solver.size), weak=True, nodes=_NODES).value
        unknown += value is None
        won += [moves] if value in (0.0, 1.0) else []
    if won:
        raise ValueError(
            f"openings {said!r} must be balanced, drawn with best play; {len(won):,} of {len(openings):,} are not, "
            f"first {notation.write(won[0], board.width)!r}"
        )
    if unknown:
        say(f"openings {said!r}: {unknown:,} of {len(openings):,} take too long to be solved, and may be unbalanced")


def _solver(board: Board) -> Solver | None:
    try:
        return Solver(board.width, board.height, board.connect)
    except ValueError:  # too large for a bitboard
        return None
