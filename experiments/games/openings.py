"""Openings: the moves that games begin with, so that players who never vary do not play one game many times.

Each opening is played twice, once with each player moving first.
"""

from __future__ import annotations

from pathlib import Path

from connect4 import Board
from numerics.parameters import did_you_mean

BUILT_IN = ("none", "first_moves", "pairs")

Moves = tuple[int, ...]


def openings_of(said: str, board: Board) -> list[Moves]:
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
    if said not in BUILT_IN:
        return _of_file(said, board)
    found: list[Moves] = [()]
    for _ in range(BUILT_IN.index(said)):
        found = [(*moves, column) for moves in found for column in _after(board, moves).legal_moves()]
    found = [moves for moves in found if not _after(board, moves).is_finished()]
    if not found:
        raise ValueError(f"openings {said!r} leave no move to play on a {board.width}x{board.height} board; use none")
    return found


def _after(board: Board, moves: Moves) -> Board:
    return Board.from_moves(moves, board.width, board.height, board.connect)


def _of_file(said: str, board: Board) -> list[Moves]:
    file = Path(said)
    if not file.is_file():
        raise ValueError(
            f"openings must be one of {', '.join(BUILT_IN)}, or a file of openings; no such file: {said!r}"
            f"{did_you_mean(said, BUILT_IN)}"
        )
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ValueError(f"openings {said!r} is no text file; it must hold one opening a line, such as 4453") from None
    found: list[Moves] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            opened = Board.from_moves(text, board.width, board.height, board.connect)
        except ValueError as error:
            raise ValueError(f"openings {said!r}, line {number}: {error}") from None
        if opened.is_finished():
            raise ValueError(
                f"openings {said!r}, line {number}: the game is over after {text!r}; an opening must go on"
            )
        found.append(opened.moves)
    if not found:
        raise ValueError(f"openings {said!r} holds no opening; it must hold one a line in Pons notation, such as 4453")
    return found
