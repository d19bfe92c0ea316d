"""Dots and Boxes, Breakthrough and Hex: rules against OpenSpiel, values against plain recursion; and P-games."""

from __future__ import annotations

import copy
import functools
import itertools
import pickle
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from mcts import Search
from mcts.games import exact
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.positions import is_ordinary, is_position, try_out
from numerics.promises import try_promises
from numerics.random import streams
from tests.internals import COMPILED, Breakthrough, DotsAndBoxes, Hex, PGame
from tests.mcts.games import TicTacToe, uniform_value
from tests.mcts.trees import check_exact_search

pytestmark = pytest.mark.kernels

SIZES = [
    *((DotsAndBoxes, size) for size in [(1, 1), (1, 3), (3, 1), (2, 3), (4, 6)]),
    *((Breakthrough, size) for size in [(5, 2, 1), (3, 4, 1), (6, 4, 2), (7, 9, 2), (8, 8, 2)]),
    *((Hex, (size,)) for size in (2, 3, 5, 8)),
]
KEYS = {DotsAndBoxes: ("num_rows", "num_cols"), Breakthrough: ("rows", "columns"), Hex: ("board_size",)}
NAMES: dict[Any, str] = {DotsAndBoxes: "dots_and_boxes", Breakthrough: "breakthrough", Hex: "hex"}


def played(board: Any, moves: Iterable[int]) -> Any:
    """The position after some moves."""
    for move in moves:
        board = board.play(move)
    return board


def later(start: Any, plies: int, seed: int) -> Any:
    """An unfinished position after so many random moves."""
    draw = random.Random(seed)
    while True:
        board = start
        while len(board.history) < plies and board.result() is None:
            board = board.play(draw.choice(board.moves()))
        if board.result() is None:
            return board


@pytest.mark.parametrize(("kind", "size"), SIZES, ids=str)
def test_random_games_are_those_of_open_spiel(kind: Any, size: tuple[int, ...]):
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    settings: dict[str, Any] = dict(zip(KEYS[kind], size, strict=False))  # its rows say how many ranks of pieces
    if kind is DotsAndBoxes:
        settings["utility_margin"] = True
    game, draw, results = pyspiel.load_game(NAMES[kind], settings), random.Random(3), set()
    for _ in range(40 if COMPILED else 8):
        board, state = kind(*size), game.new_initial_state()
        while board.result() is None:
            moves = board.moves()
            actions = moves if kind is Hex else [board.open_spiel_action(move) for move in moves]
            assert not state.is_terminal()
            assert board.player() == state.current_player()
            assert sorted(actions) == state.legal_actions()
            number = draw.randrange(len(moves))
            state.apply_action(actions[number])
            board = board.play(moves[number])
        assert state.is_terminal()
        assert board.moves() == []
        assert board.result() == tuple(0.5 + 0.5 * np.sign(gain) for gain in state.returns())
        if kind is DotsAndBoxes:
            assert board.margin == state.returns()[0]
        results.add(board.result())
    assert len(results) > 1 or size in [(1, 1), (1, 3), (3, 1)] or not COMPILED


SMALL = [DotsAndBoxes(2, 2), DotsAndBoxes(1, 4), Breakthrough(4, 2), Hex(3)]


@pytest.mark.parametrize("board", SMALL, ids=repr)
def test_hooks_and_methods_keep_what_they_promise_and_positions_survive_a_copy(board: Any):
    for number in range(6):  # also from later positions, whose games are shorter
        after = later(board, number, number)
        assert after.game.most_plies <= board.game.most_plies
        assert try_promises(after.game, 3, seed=number) == 3
    assert try_out(board, 20, is_thorough=True) == 2
    assert is_position(board)
    assert not is_ordinary(board)
    after = board.play(board.moves()[0])
    for made in (copy.copy(after), copy.deepcopy(after), pickle.loads(pickle.dumps(after))):
        assert (made, made.history, str(made), made.scores()) == (after, after.history, str(after), after.scores())
    board.game.play(board.game.state, board.moves()[0])  # of a search
    assert (board, board.history) == (type(board)(*board._size()), ())


PLAYED = [
    (DotsAndBoxes(1, 2), ()),
    (DotsAndBoxes(2, 2), (0, 2, 3, 7, 9)),
    (DotsAndBoxes(1, 2), (0, 2, 3, 1, 5)),  # a box: the other side passes
    (Hex(3), (4, 0)),
    (Breakthrough(4, 2), (8,)),
    (PGame(branching=2, depth=3, seed=5), ()),
    (TicTacToe("XO..XO..."), ()),
]


@pytest.mark.parametrize(("board", "moves"), PLAYED, ids=repr)
def test_playouts_are_uniform_and_for_the_side_to_move(board: Any, moves: tuple[int, ...]):
    game, rng, count = board.game, streams(1, (9,), 0, 1), 1_000 if COMPILED else 300
    for move in moves:
        game.play(game.state, move)
    wanted = uniform_value(game, game.state, {})
    results = [game.playouts["uniform"](game.state.copy(), rng, 0) for _ in range(count)]
    assert 0.0 < wanted < 1.0
    assert np.mean(results) == pytest.approx(wanted, abs=5 * 0.5 / np.sqrt(count))


@pytest.mark.parametrize(
    ("columns", "moves", "player", "margin", "result"),
    [
        (1, range(4), None, -1, (0.0, 1.0)),
        (2, (0, 2, 3), 1, 0, None),
        (2, (0, 2, 3, 5), 1, -1, None),
        (2, (0, 2, 5, 1, 6, 4, 3), None, 2, (1.0, 0.0)),
    ],
)
def test_who_closes_a_box_moves_again_and_one_edge_can_close_two(columns, moves, player, margin, result):
    board = played(DotsAndBoxes(1, columns), moves)
    assert (board.margin, board.result(), board.history) == (margin, result, tuple(moves))
    assert player in (None, board.player())


def test_positions_are_equal_whatever_the_order_of_the_moves():
    one, other = played(Hex(4), (0, 5, 10)), played(Hex(4), (10, 5, 0))
    assert one == other
    assert hash(one) == hash(other)
    assert one.history != other.history
    assert one != Hex(5)
    assert Breakthrough(4, 4) != Hex(4)
    assert Breakthrough(6, 4, 1) != Breakthrough(6, 4, 2)


@pytest.mark.jit
def test_an_exact_search_helps_in_hex():
    running = Search(Hex(4), seed=1, solve=True, exact=True)
    running.run(1_000)
    assert running.proven == 1.0
    assert running.result().best_move in (3, 6, 9, 12)
    assert Hex(6).game.exact is Breakthrough(4, 2).game.exact is None


# --- exact values ----------------------------------------------------------------------------------------------------


@functools.cache
def plies(board: Any) -> int:
    """The moves to the end, by plain recursion: above 0 where the side to move wins, as soon as it can, else below."""
    lengths = plies_by_move(board).values()
    wins = [length for length in lengths if length > 0]
    return min(wins) if wins else min(lengths)


def plies_by_move(board: Any) -> dict[int, int]:
    """The moves to the end with each legal move, that one included; the last one wins."""
    found = {}
    for move in board.moves():
        after = board.play(move)
        length = 0 if after.result() is not None else plies(after)
        found[move] = 1 - length if length <= 0 else -length - 1
    return found


SLOW = [pytest.mark.long, pytest.mark.jit]


@pytest.mark.parametrize(
    ("start", "number", "count"),
    [
        (Hex(2), 0, 1),
        (Hex(3), 2, 3),
        (Hex(4), 9, 8),
        (Hex(5), 18, 8),
        pytest.param(Hex(5), 17, 2, marks=SLOW),
        (Breakthrough(4, 2), 0, 1),
        (Breakthrough(4, 3), 4, 5),
        (Breakthrough(6, 2), 10, 4),
        pytest.param(Breakthrough(5, 4), 22, 4, marks=pytest.mark.jit),
        pytest.param(Breakthrough(4, 4), 10, 3, marks=SLOW),
        pytest.param(Breakthrough(5, 5), 30, 2, marks=SLOW),
    ],
    ids=repr,
)
def test_values_and_lengths_are_those_of_plain_recursion(start: Any, number: int, count: int):
    for seed in range(count if COMPILED else 1):
        board = later(start, number, seed)
        wanted = plies_by_move(board)
        assert dict(zip(board.moves(), board.plies(), strict=True)) == wanted
        assert board.scores() == [1 if length > 0 else -1 for length in wanted.values()]
    plies.cache_clear()


def test_cells_of_a_proof_rule_out_no_move_where_only_a_quick_win_is_refuted():
    board = Hex(4)
    for cell in (8, 2, 11, 12, 1):
        board = board.play(cell)
    exact._search.cache_clear()  # what is known from other positions could hide it
    assert board.plies() == [-8, -8, -8, -10, -8, -8, -8, -10, -8, -8, -8]  # by plain recursion too, in 2 s


@functools.cache
def margin(board: Any) -> int:
    """The boxes of player 0 less those of the other at the end, by plain recursion."""
    if board.result() is not None:
        return int(board.margin)
    return (max if board.player() == 0 else min)(margin(board.play(move)) for move in board.moves())


@pytest.mark.parametrize(
    ("rows", "columns", "number"),
    [(1, 1, 0), (1, 3, 0), (3, 1, 2), (2, 2, 6), pytest.param(2, 3, 11, marks=pytest.mark.jit)],
)
def test_margins_are_those_of_plain_recursion(rows: int, columns: int, number: int):
    for seed in range(5 if COMPILED else 1):
        board = later(DotsAndBoxes(rows, columns), number, seed)
        sign = 1 - 2 * board.player()
        assert board.scores() == [sign * margin(board.play(move)) for move in board.moves()]


@pytest.mark.jit
def test_margins_of_small_boards_are_the_known_ones():
    for columns, wanted in enumerate((-1, 0, -1, 0, -1, 0, -1), start=1):
        assert max(DotsAndBoxes(1, columns).scores()) == max(DotsAndBoxes(columns, 1).scores()) == wanted
    assert sorted(DotsAndBoxes(2, 2).scores()) == [0] * 4 + [2] * 8
    assert max(DotsAndBoxes(2, 3).scores()) == -2
    assert max(DotsAndBoxes(2, 4).scores()) == 2
    assert DotsAndBoxes(3, 3).scores() == [-3] * 24


@pytest.mark.jit
def test_the_first_player_of_breakthrough_wins_on_the_known_boards_alone():
    boards = [(4, 2), (4, 3), (4, 4), (4, 5), (5, 2), (5, 3), (5, 4), (6, 2), (6, 3)]
    assert [size for size in boards if max(Breakthrough(*size).scores()) == 1] == [(6, 2), (6, 3)]


@pytest.mark.jit
@pytest.mark.parametrize(("size", "wanted"), [(2, [1, 2]), (3, [2, 3, 4, 5, 6]), (4, [3, 6, 9, 12])])
def test_the_winning_openings_of_hex_are_the_known_ones(size: int, wanted: list[int]):
    assert [cell for cell, score in enumerate(Hex(size).scores()) if score > 0] == wanted


def test_the_hook_of_hex_answers_every_question_in_parts_of_any_length():
    draw = random.Random(2)
    for seed, (size, number) in enumerate([(2, 0), (3, 1), (3, 3), (4, 7), (4, 9)]):
        board = later(Hex(size), number, seed)
        game, room, length = board.game, board.game.most_plies, plies(board)
        truth = (room - abs(length) + 1) * (1 if length > 0 else -1)
        check_exact_search(game.exact_search(), game.state, room, truth, draw)


# --- P-games ---------------------------------------------------------------------------------------------------------


def after(game: Game, state: np.ndarray, move: int) -> np.ndarray:
    state = state.copy()
    game.play(state, move)
    return state


@pytest.mark.parametrize(("branching", "depth"), [(2, 6), (5, 3), (1, 4)])
def test_values_of_p_games_are_those_of_plain_minimax(branching: int, depth: int):
    def best(game: Game, state: np.ndarray) -> float:
        known = game.outcome(state)
        if known != UNDECIDED:
            return 0.5 - 0.5 * known
        return max(1.0 - best(game, after(game, state, move)) for move in range(branching))

    for tree in range(6):
        one = PGame(branching, depth, seed=4, tree=tree)
        game = one.game
        assert one.values().tolist() == [1.0 - best(game, after(game, game.state, move)) for move in range(branching)]


def test_moves_of_p_games_are_worth_0_to_127_for_the_side_that_makes_them():
    game, worth = PGame(branching=40, depth=3).game, []
    first = [after(game, game.state, move) for move in range(40)]
    worth += [int(state[3]) for state in first]
    second = [after(game, first[0], move) for move in range(40)]
    worth += [int(first[0][3] - state[3]) for state in second]
    assert 0 <= min(worth) < 20
    assert 107 < max(worth) <= 127
    assert len(set(worth)) > 30


def test_a_p_game_ends_after_its_depth_and_its_outcome_is_that_of_the_last_mover():
    game, seen = PGame(branching=3, depth=2).game, set()
    for first, second in itertools.product(range(3), repeat=2):
        between = after(game, game.state, first)
        assert game.outcome(between) == UNDECIDED
        state = after(game, between, second)
        seen.add(int(game.outcome(state)))
        assert game.outcome(state) == (WON if state[3] < 0 else LOST if state[3] > 0 else DRAWN)
    assert len(seen) >= 2
    assert len({int(PGame(seed=seed, tree=tree).game.state[0]) for seed in range(5) for tree in range(5)}) == 25
