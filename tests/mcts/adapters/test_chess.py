"""Boards of python-chess as positions: each game is played beside the board itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mcts import search
from mcts.adapters import position_of as known
from tests.internals import ChessPosition, position_of

chess: Any = pytest.importorskip("chess", reason="python-chess is not installed")
pytest.importorskip("chess.variant")

BOARDS = {
    "chess": lambda: chess.Board(),
    "endgame": lambda: chess.Board("8/8/8/3k4/8/3K1Q2/8/8 w - - 0 1"),
    "chess960": lambda: chess.Board.from_chess960_pos(0),
    "atomic": lambda: chess.variant.AtomicBoard(),
    "crazyhouse": lambda: chess.variant.CrazyhouseBoard(),
}
BACK_AND_FORTH = ["g1f3", "g8f6", "f3g1", "f6g8"]


def after(position: Any, *moves: str) -> Any:
    for move in moves:
        position = position.play(chess.Move.from_uci(move))
    return position


@pytest.mark.parametrize("name", BOARDS)
def test_a_game_goes_as_its_board_does(name: str):
    rng, board = random.Random(name), BOARDS[name]()
    position = position_of(board)
    for _ in range(60):
        outcome = board.outcome()
        assert (position.result() is None) == (outcome is None)
        if outcome is not None:
            break
        assert position.player() == (0 if board.turn == chess.WHITE else 1)
        assert position.moves() == list(board.legal_moves)
        move = rng.choice(position.moves())
        position = position.play(move)
        board.push(move)
        assert position.board.fen() == board.fen()
        assert str(position) == str(board)
    assert board.move_stack


def test_playouts_are_random_games():
    start = position_of(chess.Board("k7/8/1K6/8/8/8/8/1Q5R w - - 100 1"))
    results = set()
    for seed in range(12):
        rng, position = random.Random(seed), start
        while position.result() is None:
            moves = position.moves()
            position = position.play(moves[int(rng.random() * len(moves))])
        results.add(position.result())
        assert start.playout(random.Random(seed), 100) == position.result()
    assert results == {(0.5, 0.5), (1.0, 0.0)}
    assert start.playout(random.Random(0), 0) == (0.5, 0.5)
    assert start.result() is None


def test_results_are_those_of_white_and_black():
    assert after(position_of(chess.Board()), "e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7").result() == (1, 0)
    assert after(position_of(chess.Board()), "f2f3", "e7e5", "g2g4", "d8h4").result() == (0, 1)
    assert after(position_of(chess.Board("7k/8/6Q1/8/8/8/8/K7 w - - 0 1")), "a1b1").result() == (0.5, 0.5)
    assert after(position_of(chess.Board("7k/8/8/8/8/8/6p1/K6B w - - 149 99")), "a1b1").result() == (0.5, 0.5)


@pytest.mark.parametrize("before", [[], BACK_AND_FORTH])
def test_the_fifth_repetition_is_a_draw_that_copies_see(before: list[str]):
    board = chess.Board()
    for move in before:
        board.push_uci(move)
    position = position_of(board)
    played = (5 if before != BACK_AND_FORTH else 4) - 1
    for number in range(4 * played):
        assert position.result() is None
        position = after(position, BACK_AND_FORTH[number % 4])
    assert position.result() == (0.5, 0.5)


def test_equal_positions_have_the_same_future():
    start = position_of(chess.Board())
    one, other = after(start, "e2e4", "e7e6", "d2d4"), after(start, "d2d4", "e7e6", "e2e4")
    assert one == other
    assert hash(one) == hash(other)
    assert one.board.move_stack == [], "a pawn's move ends what can be repeated"
    repeated = after(start, *BACK_AND_FORTH)
    assert repeated.board.piece_map() == start.board.piece_map()
    assert repeated != start
    assert position_of(repeated.board) == repeated
    assert start not in (position_of(chess.variant.AtomicBoard()), 3)


def test_a_board_of_chess_is_known_and_searched():
    board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert type(known(board)) is ChessPosition
    assert search(board, simulations=150, solve=True).best_move == chess.Move.from_uci("a1a8")
