"""Moves that lead to a position that was set up."""

from __future__ import annotations

import numpy as np
import pytest

from connect4 import Board
from connect4.order import moves_to
from experiments.players import make_player
from tests.connect4.positions import undecided
from tests.connect4.test_program import ENGINE
from tests.internals import end_programs


def test_moves_are_found_for_every_position_of_a_game():
    boards = undecided(60, [(7, 6, 4), (4, 4, 3), (9, 9, 5)], seed=5)
    assert len(boards) > 30
    for board in boards:
        assert moves_to(board) == board.moves
        found = moves_to(Board.from_grid(board.grid, board.connect))
        assert Board.from_moves(found, board.width, board.height, board.connect) == board


def test_a_position_without_an_order_of_moves_is_one_sentence():
    below = np.array([[2], [2], [1], [1]])  # the second player has laid both stones on top
    with pytest.raises(ValueError, match=r"^board must be a reachable position"):
        moves_to(Board.from_grid(below))
    with pytest.raises(ValueError, match=r"if the game is over; it has none$"):
        moves_to(Board.from_grid(Board.from_moves("1212121").grid))


def test_a_program_is_asked_about_a_position_that_was_set_up():
    try:
        assert make_player("program", command=ENGINE).play(Board.from_grid(Board.from_moves("1111112").grid)) == 1
    finally:
        end_programs()
