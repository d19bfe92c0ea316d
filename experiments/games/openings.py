"""Openings: the moves that games begin with, so that players who never vary do not play one game many times.

Each opening is played twice, once with each player moving first.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from connect4 import Board, Solver
from numerics.parameters import did_you_mean
from numerics.random import Purpose, derived_seed

BUILT_IN = ("none", "first_moves", "pairs")

Moves = tuple[int, ...]
BALANCED = "balanced"
_PLIES, _PLIES_OF_BOOK = 4, 6  # of the built-in ones: on small boards, and where the solver has a book
_MOST_CELLS = 30  # of a board without a book whose openings are solved in seconds
_WITH_BOOK = (7, 6, 4)  # the board of which the solver has a book


def openings_of(option: str, board: Board) -> list[Moves]:
    """Return the openings of a configuration, as 0-based columns.

    Parameters
    ----------
    option : str
        "none" (the empty board), "first_moves" (every first move), "pairs" (every first move with every answer), or the
        path of a file. The file has one opening a line in Pons notation (columns from 1). Blank lines and what follows
        a # are ignored.
    board : Board
        The empty board of the match.

    Raises
    ------
    ValueError
        No such file, an invalid line, or only openings that end the game.
    """
    if option not in BUILT_IN:
        return _of_file(option, board)
    openings: list[Moves] = [()]
    for _ in range(BUILT_IN.index(option)):
        openings = [(*moves, column) for moves in openings for column in _board_after(board, moves).legal_moves()]
    openings = [moves for moves in openings if not _board_after(board, moves).is_finished()]
    if not openings:
        raise ValueError(f"openings {option!r} leave no move on a {board.width}x{board.height} board; use none")
    return openings


def unfinished_board(size: str, connect: int, moves: str) -> Board:
    """Return the board after some moves, or raise ValueError where the game is over."""
    empty = Board.of_size(size, connect)
    board = Board.from_moves(moves, empty.width, empty.height, empty.connect)
    if board.is_finished():
        raise ValueError(f"moves must not end the game; got {moves!r}")
    return board


def _board_after(board: Board, moves: Moves) -> Board:
    return Board.from_moves(moves, board.width, board.height, board.connect)


def _of_file(option: str, board: Board) -> list[Moves]:
    file = Path(option)
    if not file.is_file():
        raise ValueError(
            f"openings {option!r}: no such file{did_you_mean(option, BUILT_IN)}; "
            f"it must be one of {', '.join(BUILT_IN)}, or a file of openings"
        )
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"openings {option!r} is not a text file; it must have one opening per line, such as 4453"
        ) from None
    openings: list[Moves] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            opened = Board.from_moves(text, board.width, board.height, board.connect)
        except ValueError as error:
            raise ValueError(f"openings {option!r}, line {number}: {error}") from None
        if opened.is_finished():
            raise ValueError(f"openings {option!r}, line {number}: an opening must not end the game; got {text!r}")
        openings.append(opened.moves)
    if not openings:
        raise ValueError(
            f"openings {option!r} is empty; it must have one opening per line in Pons notation, such as 4453"
        )
    return openings


def balanced_openings(option: str, board: Board, seed: int) -> list[Moves]:
    """Return openings that best play draws, or those of a file, in an order that the seed decides.

    Parameters
    ----------
    option : str
        "balanced": every drawn position after 6 plies on 7x6, after 4 on boards of up to 30 cells, once. Or the path of
        a file as `openings_of` reads it.
    board : Board
        The empty board.
    seed : int

    Raises
    ------
    ValueError
        A board whose openings cannot be solved, or no such file.

    Examples
    --------
    >>> len(balanced_openings("balanced", Board(), seed=0))
    1943
    """
    if option == BALANCED:
        openings = _all_balanced(board)
    elif Path(option).is_file():
        openings = openings_of(option, board)
    else:
        raise ValueError(
            f"openings must be {BALANCED}, or a file with one opening per line, such as 4453; got {option!r}"
            f"{did_you_mean(option, [BALANCED])}"
        )
    order = np.random.default_rng(derived_seed(seed, (Purpose.OPENINGS,))).permutation(len(openings))
    return [openings[index] for index in order]


@functools.cache  # a sequential test asks for them several times, which would take seconds
def _all_balanced(board: Board) -> list[Moves]:
    shape, cells = (board.width, board.height, board.connect), board.width * board.height
    size = f"{board.width}x{board.height} with {board.connect} in a row"
    if cells > _MOST_CELLS and shape != _WITH_BOOK:
        raise ValueError(
            f"openings={BALANCED} requires 7x6 or a board of at most {_MOST_CELLS} cells, which can be solved; "
            f"got {size}; give a file of openings instead"
        )
    solver = Solver(*shape)
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
    balanced = [moves for position, moves in level.items() if solver.solve(position, weak=True).value == 0.5]
    if not balanced:
        raise ValueError(f"openings={BALANCED} found none on {size}: no position after {_PLIES} plies is drawn")
    return balanced
