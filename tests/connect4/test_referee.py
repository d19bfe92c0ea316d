"""The referee: games to their end, and what loses one before."""

from __future__ import annotations

import time

import numpy as np
import pytest

from connect4 import Board
from connect4.referee import LONGEST_ENDING, play_game
from experiments.players import make_player
from numerics.players import Forfeit


def first_open(board: Board) -> int:
    return board.legal_moves()[0]


def last_open(board: Board) -> int:
    return board.legal_moves()[-1]


def raising(error: BaseException):
    """A player that fails at its second move."""

    def player(board: Board) -> int:
        if board.plies >= 2:
            raise error
        return 0

    return player


def test_a_row_wins_for_either_side_and_a_full_board_is_a_draw():
    won = play_game(first_open, last_open, Board())
    assert (won.result, won.ending, won.moves) == (1, "row", (0, 6, 0, 6, 0, 6, 0))
    lost = play_game(lambda board: [0, 1, 0, 1, 2][board.plies // 2], lambda board: 6, Board())
    assert (lost.result, lost.ending, lost.moves) == (-1, "row", (0, 6, 1, 6, 0, 6, 1, 6))
    drawn = play_game(first_open, first_open, Board(2, 2))
    assert (drawn.result, drawn.ending, drawn.moves) == (0, "full", (0, 0, 1, 1))


def test_functions_objects_and_players_of_the_registry_play_each_other():
    class Object:
        def play(self, board: Board) -> np.int64:
            return np.int64(board.legal_moves()[0])

    assert Board().run(Object(), make_player("random", seed=1)) in (1, 0, -1)
    assert Board().run(first_open, Object()) in (1, 0, -1)
    assert Board().run(first_open, last_open) == Board().run(first_open, last_open) == 1


def test_a_game_goes_on_from_the_board_that_is_given_and_ends_on_it():
    board = Board.from_moves([3, 3, 3, 2])
    played = play_game(lambda board: 3, first_open, board)
    assert (played.result, played.moves) == (1, (3, 3, 3, 2, 3, 0, 3, 0, 3))
    assert board.moves == played.moves
    assert board.is_finished()
    second = Board.from_moves([0])
    assert play_game(first_open, last_open, second).moves[:2] == (0, 6), "the second player is to move"


@pytest.mark.parametrize("column", [7, -1, "3", None, 2.0, True, [3]])
def test_an_illegal_move_loses_and_is_said(column: object):
    hint = "; columns count from 0 to 6" if column == 7 else ""  # as an engine answers that counts from 1
    for result, players in ((-1, (lambda board: column, first_open)), (1, (first_open, lambda board: column))):
        played = play_game(*players, Board())
        assert (played.result, played.ending) == (result, f"illegal move: returned {column!r}{hint}")
        assert len(played.moves) == (0 if result == -1 else 1)


def test_a_full_column_loses():
    played = play_game(lambda board: 0, lambda board: 0, Board())
    assert (played.result, played.ending, played.moves) == (-1, "illegal move: column 1 is full", (0,) * 6)


def test_an_exception_loses_and_its_text_stands_in_one_short_line():
    played = play_game(raising(RuntimeError("no\nidea")), last_open, Board())
    assert (played.result, played.ending, played.moves) == (
        -1,
        "RuntimeError: no idea (test_referee.py, line 29: raise error)",
        (0, 6),
    )
    assert play_game(last_open, raising(KeyError("x")), Board()).result == 1
    long = play_game(raising(ValueError("word " * 100)), last_open, Board()).ending
    assert len(long) == LONGEST_ENDING
    assert long.startswith("ValueError: word word")
    assert long.endswith("...")
    assert len(play_game(lambda board: "x" * 1000, last_open, Board()).ending) == LONGEST_ENDING


def test_a_player_that_gives_up_is_quoted():
    assert play_game(raising(Forfeit("no move after 2 s")), last_open, Board()).ending == "no move after 2 s"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_and_the_end_of_the_program_are_no_loss(error: type[BaseException]):
    with pytest.raises(error):
        play_game(raising(error()), last_open, Board())


def test_a_player_cannot_change_the_game_through_its_board():
    def cheat(board: Board) -> int:
        column = board.legal_moves()[0]
        board.play(column)
        board.reset()
        return column

    board = Board()
    assert play_game(cheat, last_open, board).moves == (0, 6, 0, 6, 0, 6, 0)


def test_the_thinking_time_of_each_side_is_kept_apart_also_when_a_move_fails():
    def slow(board: Board) -> int:
        time.sleep(0.02)
        return 0

    def slow_to_fail(board: Board) -> int:
        time.sleep(0.05)
        raise RuntimeError

    played = play_game(slow, last_open, Board())
    assert played.seconds[0] >= 0.08
    assert played.seconds[1] < played.seconds[0]
    failed = play_game(first_open, slow_to_fail, Board())
    assert failed.seconds[1] >= 0.05 > failed.seconds[0]
    assert failed.ending.startswith("RuntimeError (test_referee.py, line ")
