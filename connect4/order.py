"""An order of moves that leads to a position, for programs that know positions only by the moves to them."""

from __future__ import annotations

from connect4.board import Board


def moves_to(board: Board) -> tuple[int, ...]:
    """Return moves from the empty board to a position: those played, or any that lead there if a grid set it up.

    Raises
    ------
    ValueError
        A position that no order of moves reaches, or a grid with a won position.

    Examples
    --------
    >>> moves_to(Board.from_moves("4453"))
    (3, 3, 4, 2)
    >>> moves_to(Board.from_grid([[0, 2, 0], [1, 1, 2]]))
    (1, 1, 0, 2)
    """
    if len(board.moves) == board.plies:
        return board.moves
    if board.has_won():
        raise ValueError("board must have its move list if the game is over; it has none")
    # Take stones off, the last mover's first. Heights identify a position on the way, and none of these is won.
    cells: list[list[int]] = board.grid[::-1].tolist()  # row 0 below
    start = tuple(board.heights)
    way: list[tuple[tuple[int, ...], list[int]]] = [(start, _possible_last_moves(cells, start, -board.to_move))]
    seen, taken = {start}, list[int]()
    while way:
        heights, columns = way[-1]
        if not any(heights):
            return tuple(reversed(taken))
        if not columns:
            way.pop()
            if taken:
                taken.pop()
            continue
        column = columns.pop()
        below = (*heights[:column], heights[column] - 1, *heights[column + 1 :])
        if below not in seen:
            seen.add(below)
            mover = -board.to_move if len(taken) % 2 else board.to_move
            way.append((below, _possible_last_moves(cells, below, mover)))
            taken.append(column)
    raise ValueError("board must be a reachable position; no order of moves leads to this one")


def _possible_last_moves(cells: list[list[int]], heights: tuple[int, ...], mover: int) -> list[int]:
    """Return the columns whose top stone a player may have laid last."""
    return [column for column, height in enumerate(heights) if height and cells[height - 1][column] == mover]
