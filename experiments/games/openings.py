"""Openings: the moves that games begin with, so that players who never vary do not play one game many times.

Each opening is played twice, once with each player moving first.
"""

from __future__ import annotations

from pathlib import Path

from connect4 import Board
from numerics.parameters import did_you_mean

BUILT_IN = ("none", "first_moves", "pairs")

Moves = tuple[int, ...]


def openings_of(option: str, board: Board) -> list[Moves]:
    """Return the openings of a configuration, as 0-based columns.

    Parameters
    ----------
    said : str
        "none" (the empty board), "first_moves" (every first move), "pairs" (every first move with every answer), or the
        path of a file: one opening a line in Pons notation (columns from 1); blank lines and what follows a # are
        ignored.
    board : Board
        The empty board of the match.

    Raises
    ------
    ValueError
        No such file, a line that is no opening, or no opening after which the game goes on.
    """
    if option not in BUILT_IN:
        return _of_file(option, board)
    openings: list[Moves] = [()]
    for _ in range(BUILT_IN.index(option)):
        openings = [(*moves, column) for moves in openings for column in _after(board, moves).legal_moves()]
    openings = [moves for moves in openings if not _after(board, moves).is_finished()]
    if not openings:
        raise ValueError(f"openings {option!r} leave no move to play on a {board.width}x{board.height} board; use none")
    return openings


def _after(board: Board, moves: Moves) -> Board:
    return Board.from_moves(moves, board.width, board.height, board.connect)


def _of_file(option: str, board: Board) -> list[Moves]:
    file = Path(option)
    if not file.is_file():
        raise ValueError(
            f"openings must be one of {', '.join(BUILT_IN)}, or a file of openings; no such file: {option!r}"
            f"{did_you_mean(option, BUILT_IN)}"
        )
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"openings {option!r} is no text file; it must hold one opening a line, such as 4453"
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
            raise ValueError(
                f"openings {option!r}, line {number}: the game is over after {text!r}; an opening must go on"
            )
        openings.append(opened.moves)
    if not openings:
        raise ValueError(
            f"openings {option!r} holds no opening; it must hold one a line in Pons notation, such as 4453"
        )
    return openings
