"""Dots and Boxes, Breakthrough and Hex: their rules against OpenSpiel, their hooks, and their boards."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from mcts import Search, search
from numerics.games import UNDECIDED
from numerics.positions import is_ordinary, is_position, try_out
from numerics.promises import try_promises
from numerics.random import streams
from tests.internals import Breakthrough, DotsAndBoxes, Hex
from tests.refusals import refused

pytestmark = pytest.mark.kernels

GAMES: dict[str, Callable[..., Any]] = {"dots_and_boxes": DotsAndBoxes, "breakthrough": Breakthrough, "hex": Hex}
SIZES = [
    *(("dots_and_boxes", size) for size in [(1, 1), (1, 3), (3, 1), (2, 3), (3, 3), (4, 6)]),
    *(("breakthrough", size) for size in [(5, 2, 1), (3, 4, 1), (5, 5, 1), (6, 4, 2), (7, 9, 2), (8, 8, 2)]),
    *(("hex", (size,)) for size in (2, 3, 4, 5, 8)),
]


def referee(name: str, size: tuple[int, ...]) -> Any:
    """OpenSpiel's game of a size; it decides by the rows how many ranks of pieces Breakthrough has."""
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    keys = {"dots_and_boxes": ("num_rows", "num_cols"), "breakthrough": ("rows", "columns"), "hex": ("board_size",)}
    return pyspiel.load_game(name, dict(zip(keys[name], size, strict=False)))


def played(board: Any, moves: Iterable[int]) -> Any:
    """The position after some moves."""
    for move in moves:
        board = board.play(move)
    return board


def action(board: Any, move: int) -> int:
    return move if isinstance(board, Hex) else board.open_spiel_action(move)


def judge_games(name: str, size: tuple[int, ...], games: int) -> set[int]:
    """Play random games beside OpenSpiel, and compare all that it says; return the results."""
    game, draw, results = referee(name, size), random.Random(3), set()
    for _ in range(games):
        board, state = GAMES[name](*size), game.new_initial_state()
        while board.result() is None:
            moves = board.moves()
            assert not state.is_terminal()
            assert board.player() == state.current_player()
            assert sorted(action(board, move) for move in moves) == state.legal_actions()
            move = draw.choice(moves)
            state.apply_action(action(board, move))
            board = board.play(move)
        assert state.is_terminal()
        assert board.moves() == []
        assert board.result() == tuple(0.5 + 0.5 * gain for gain in state.returns())
        results.add(board.result())
    return results


@pytest.mark.parametrize(("name", "size"), SIZES, ids=str)
def test_random_games_are_those_of_open_spiel(name: str, size: tuple[int, ...]):
    assert len(judge_games(name, size, 25)) > 1 or size in [(1, 1), (1, 3), (3, 1)]


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize(("name", "size"), SIZES, ids=str)
def test_ten_thousand_random_games_are_those_of_open_spiel(name: str, size: tuple[int, ...]):
    judge_games(name, size, 10_000)


def test_the_margin_is_the_utility_of_open_spiel():
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    game, draw = pyspiel.load_game("dots_and_boxes(num_rows=3,num_cols=2,utility_margin=True)"), random.Random(4)
    for _ in range(30):
        board, state = DotsAndBoxes(3, 2), game.new_initial_state()
        while board.result() is None:
            move = draw.choice(board.moves())
            state.apply_action(board.open_spiel_action(move))
            board = board.play(move)
        assert board.margin == state.returns()[0]


SMALL = [DotsAndBoxes(2, 2), DotsAndBoxes(1, 4), Breakthrough(4, 2), Breakthrough(6, 3), Hex(3)]


@pytest.mark.parametrize("board", SMALL, ids=lambda board: f"{type(board).__name__}-{board.game.most_moves}")
def test_the_hooks_keep_what_a_game_promises(board: Any):
    assert try_promises(board.game, 10) == 10
    longest, draw = board.game.most_plies, random.Random(2)
    for number in range(10):  # also from later positions, whose games are shorter
        later = board
        for _ in range(number):
            if later.result() is None:
                later = later.play(draw.choice(later.moves()))
        if later.result() is None:
            assert later.game.most_plies <= longest
            assert try_promises(later.game, 3, seed=number) == 3


def uniform_value(game: Any, state: np.ndarray, known: dict[bytes, float]) -> float:
    """What the side to move gets on average when both sides play any legal move."""
    if state.tobytes() not in known:
        moves, total = np.empty(game.most_moves, np.int64), 0.0
        count = int(game.legal(state, moves))
        for move in moves[:count].tolist():
            after = state.copy()
            game.play(after, move)
            outcome = int(game.outcome(after))
            total += 1.0 - uniform_value(game, after, known) if outcome == UNDECIDED else 0.5 + 0.5 * outcome
        known[state.tobytes()] = total / count
    return known[state.tobytes()]


PLAYED = [(DotsAndBoxes(1, 2), ()), (DotsAndBoxes(2, 2), (0, 2, 3, 7, 9)), (Hex(3), (4, 0)), (Breakthrough(4, 2), (8,))]


@pytest.mark.parametrize(("board", "moves"), PLAYED, ids=lambda part: type(part).__name__)
def test_playouts_are_uniform_and_for_the_side_to_move(board: Any, moves: tuple[int, ...]):
    rng, count = streams(1, (9,), 0, 1), 2_000
    game = played(board, moves).game
    wanted = uniform_value(game, game.state, {})
    results = [game.playouts["uniform"](game.state.copy(), rng, 0) for _ in range(count)]
    assert 0.0 < wanted < 1.0
    assert np.mean(results) == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(count))


def test_a_playout_can_begin_where_a_side_passes():
    board, rng = played(DotsAndBoxes(1, 2), (0, 2, 3, 1)), streams(1, (9,), 0, 1)
    state = board.game.state.copy()
    board.game.play(state, 5)  # a box: the other side passes
    moves = np.empty(7, np.int64)
    assert (board.game.legal(state, moves), moves[0]) == (1, 7)
    wanted = uniform_value(board.game, state, {})
    results = [board.game.playouts["uniform"](state.copy(), rng, 0) for _ in range(500)]
    assert np.mean(results) == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(500))


def test_the_side_that_closes_a_box_moves_again_and_counts_it():
    board = DotsAndBoxes(1, 1)
    players = []
    for edge in range(4):
        players.append(board.player())
        board = board.play(edge)
    assert players == [0, 1, 0, 1]
    assert (board.margin, board.result(), board.history) == (-1, (0.0, 1.0), (0, 1, 2, 3))
    board = played(DotsAndBoxes(1, 2), (0, 2, 3))
    assert board.player() == 1
    board = board.play(5)
    assert (board.player(), board.margin) == (1, -1)


def test_one_edge_can_close_two_boxes_and_a_game_can_be_drawn():
    board = played(DotsAndBoxes(1, 2), (0, 2, 5, 1, 6, 4, 3))
    assert (board.result(), board.margin) == ((1.0, 0.0), 2)
    results = set()
    for seed in range(30):
        board, draw = DotsAndBoxes(1, 2), random.Random(seed)
        while board.result() is None:
            board = board.play(draw.choice(board.moves()))
        results.add(board.result())
    assert results == {(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)}


def test_positions_are_equal_whatever_the_order_of_the_moves():
    one, other = played(Hex(4), (0, 5, 10)), played(Hex(4), (10, 5, 0))
    assert one == other
    assert hash(one) == hash(other)
    assert one.history != other.history
    assert one != Hex(5)
    assert Breakthrough(4, 4) != Hex(4)
    assert Breakthrough(6, 4, 1) != Breakthrough(6, 4, 2)


@pytest.mark.parametrize("board", SMALL, ids=lambda board: f"{type(board).__name__}-{board.game.most_moves}")
def test_a_position_keeps_what_it_promises_and_survives_a_copy(board: Any):
    assert try_out(board, 20, is_thorough=True) == 2
    later = board.play(board.moves()[0])
    for made in (copy.copy(later), copy.deepcopy(later), pickle.loads(pickle.dumps(later))):
        assert (made, made.history, str(made), made.scores()) == (later, later.history, str(later), later.scores())
    assert (board, board.history) == (type(board)(*board._size()), ())


def test_a_search_that_changes_its_state_leaves_the_position_as_it_was():
    board = Hex(3)
    board.game.play(board.game.state, 4)
    assert board == Hex(3)


def test_the_hooks_and_the_methods_are_searched_alike():
    for board in (DotsAndBoxes(1, 3), Breakthrough(4, 2), Hex(3)):
        assert search(board, simulations=300, scale="tree").best_move in board.moves()
        assert is_position(board)
        assert not is_ordinary(board)


@pytest.mark.parametrize(
    ("board", "value"),
    [(DotsAndBoxes(1, 1), 0.0), (DotsAndBoxes(1, 2), 0.5), (Breakthrough(4, 2), 0.0), (Hex(2), 1.0), (Hex(3), 1.0)],
    ids=lambda part: type(part).__name__,
)
def test_a_search_proves_what_best_play_gives(board: Any, value: float):
    running = Search(board, "ucb c=3", seed=1, solve=True)
    running.run(20_000)
    assert running.proven == value == 0.5 + 0.5 * np.sign(max(board.scores()))


def test_an_exact_search_helps_in_hex_and_is_refused_where_there_is_none():
    running = Search(Hex(4), seed=1, solve=True, exact=True)
    running.run(1_000)
    assert running.proven == 1.0
    assert running.result().best_move in (3, 6, 9, 12)
    assert Hex(6).game.exact is None
    refused(lambda: search(Breakthrough(4, 2), simulations=10, solve=True, exact=True), "exact must be false")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: DotsAndBoxes(0, 3), "rows must be a whole number from 1 to 63; got 0"),
        (lambda: DotsAndBoxes(3, 2.0), "columns must be a whole number from 1 to 63; got 2.0"),  # type: ignore[arg-type]
        (lambda: DotsAndBoxes(6, 5), "rows and columns must give at most 63 edges; got 6 and 5, which give 71"),
        (lambda: Breakthrough(1, 5), "rows must be a whole number from 2 to 32; got 1"),
        (lambda: Breakthrough(5, 1), "columns must be a whole number from 2 to 32; got 1"),
        (lambda: Breakthrough(9, 8), "rows and columns must give at most 64 cells; got 9 and 8"),
        (lambda: Breakthrough(5, 4, 3), "ranks must be a whole number from 1 to 2; got 3"),
        (lambda: Hex(1), "size must be a whole number from 2 to 8; got 1"),
        (lambda: Hex(9), "size must be a whole number from 2 to 8; got 9"),
        (lambda: Hex(3).play(9), "move must be one of the legal moves 0, 1, 2, 3, 4, 5, 6, 7, 8; got 9"),
        (lambda: Hex(3).play("a"), "move must be a whole number of at least 0; got 'a'"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused_in_one_sentence(make: Callable[[], object], sentence: str):
    assert refused(make) == sentence


def test_a_finished_game_takes_no_move():
    board = played(Hex(2), (0, 1, 2))
    assert board.result() == (1.0, 0.0)
    assert refused(lambda: board.play(3)) == "the game is over, so no move is possible; got 3"
    assert board.history == (0, 1, 2)
