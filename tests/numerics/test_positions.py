"""What a class and a game of hooks promise, and what is said of one that does not keep it."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import Search, search
from numerics.games import Game
from numerics.kernels import jit, users
from numerics.positions import is_ordinary, is_position, scores_of, try_out
from numerics.promises import try_promises, unfinished_game
from tests.data import broken_games
from tests.data.broken_games import BROKEN as BROKEN_GAMES
from tests.data.broken_games import NOT_SEEN
from tests.mcts.classes import Crosses, Nim, Tree
from tests.refusals import refused

pytestmark = pytest.mark.kernels


class Dice:
    """Throw a die twice for one player."""

    def __init__(self, throws: int = 0, total: int = 0, *, rolling: bool = False):
        self.throws, self.total, self.rolling = throws, total, rolling

    def moves(self) -> Any:
        return ["throw", "stop"]

    def play(self, move: str) -> Any:
        return Dice(9, self.total) if move == "stop" else Dice(self.throws, self.total, rolling=True)

    def player(self) -> Any:
        return "chance" if self.rolling else 0

    def result(self) -> Any:
        return float(self.total) if self.throws >= 2 else None

    def chance(self) -> Any:
        return [(1 / 6, Dice(self.throws + 1, self.total + face)) for face in range(1, 7)]


def test_classes_that_keep_their_promises() -> None:
    assert [try_out(board, 30) for board in (Nim((3, 4)), Crosses(), Tree(5, 6), Dice())] == [2, 2, 2, 1]


class Shuffled(Nim):
    def moves(self) -> Any:
        return random.sample(super().moves(), len(super().moves()))


class Forgets(Nim):
    def play(self, move: Any) -> Any:
        object.__setattr__(self, "mover", 1 - self.mover)
        return Nim(self.heaps, self.mover)


class Lucky(Nim):
    def play(self, move: Any) -> Any:
        return Lucky(super().play(move).heaps, random.randrange(2))


class Unequal(Nim):
    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = Nim.__hash__


class Third(Crosses):
    def player(self) -> Any:
        return 2 * self.mover


class Loaded(Dice):
    def play(self, move: str) -> Any:
        return Loaded(self.throws, self.total, rolling=True)

    def chance(self) -> Any:
        return [(0.5, Dice(9)), (0.4, Dice(9))]


class Pairs(Loaded):
    def play(self, move: str) -> Any:
        return Pairs(self.throws, self.total, rolling=True)

    def chance(self) -> Any:
        return [Dice(9)]


class Silent(Crosses):
    def player(self) -> Any:
        return "chance" if self.cells != (None,) * 9 else 0


BROKEN = [
    (Shuffled((3, 4)), r"^play\(.*Shuffled"),
    (Forgets((3, 4)), r"^play\(.*Forgets"),
    (Lucky((3, 4, 5)), r"^play\(.*Lucky.*chance\("),
    (Unequal((3, 4)), r"^__eq__ and __hash__ of Unequal"),
    (Third(), r"^player\(\) of Third.*got 2"),
    (Loaded(), r"^chance\(\) of Loaded.*0\.9"),
    (Pairs(), r"^chance\(\) of Pairs"),
    (Silent(), r"^player\(\) of Silent.*'chance'"),
]


@pytest.mark.parametrize(("board", "sentence"), BROKEN, ids=lambda value: type(value).__name__)
def test_a_broken_promise_is_one_sentence(board: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        try_out(board, 50, is_thorough=True)


class Circle:
    """Two players in any order on a circle of five places, for nine turns; equality by the fields that a test names."""

    compared: tuple[str, ...] = ()

    def __init__(self, place: int = 0, mover: int = 0, turns: int = 0):
        self.place, self.mover, self.turns = place, mover, turns

    def moves(self) -> list[int]:
        return [1, 2] if self.place else [1, 3]

    def play(self, move: int) -> Any:
        return type(self)((self.place + move) % 5, (self.mover + move) % 2, self.turns + 1)

    def player(self) -> int:
        return self.mover

    def result(self) -> Any:
        return None if self.turns < 9 else (1, 0) if self.place < 3 else (0, 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Circle) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, ...]:
        return tuple(getattr(self, name) for name in self.compared)


@pytest.mark.parametrize("forgotten", [None, "place", "mover", "turns"])
def test_an_equality_that_forgets_what_matters_is_a_broken_promise(forgotten: str | None) -> None:
    compared = tuple(name for name in ("place", "mover", "turns") if name != forgotten)
    board = type("Compared", (Circle,), {"compared": compared})()
    if forgotten is None:
        assert try_out(board, 30) == 2
        return
    with pytest.raises(ValueError, match=r"^__eq__ of Compared"):
        try_out(board, 30)


class Scored(Nim):
    """One heap, whose scores are a value of the test."""

    def scores(self) -> Any:
        return ANSWERS[-1]


ANSWERS: list[Any] = []


@pytest.mark.parametrize("answer", [[1, -1, 0], (1, -1, 0), np.array([1, -1, 0])], ids=lambda one: type(one).__name__)
def test_scores_are_whole_numbers_in_the_order_of_the_moves(answer: Any) -> None:
    ANSWERS[:] = [answer]
    scores = scores_of(Scored((3,)))
    assert scores == [1, -1, 0]
    assert {type(score) for score in scores} == {int}


@pytest.mark.parametrize("answer", [[1, -1], [1, -1, 0.5], [1, -1, True], {1: 0}, None, np.zeros((3, 2), int)], ids=str)
def test_other_scores_break_a_promise(answer: Any) -> None:
    ANSWERS[:] = [answer]
    refused(lambda: scores_of(Scored((3,))), "scores() of Scored must", "3 moves")
    refused(lambda: try_out(Scored((3,)), is_thorough=True), "scores() of Scored must", "first position")


def test_a_class_without_scores_has_no_exact_values() -> None:
    refused(lambda: scores_of(Nim((3,))), "game must", "scores()", "got Nim")


class WithHooks(Nim):
    game = Board().game


def test_a_position_with_hooks_needs_all_methods_and_is_of_no_ordinary_class() -> None:
    assert [(is_position(one), is_ordinary(one)) for one in (Nim((3,)), WithHooks((3,)), Board())] == [
        (True, True),
        (True, False),
        (False, False),
    ]


class Plays(Nim):
    """Whose playouts are a value of the test."""

    def playout(self, _rng: random.Random, _steps: int) -> Any:
        return ANSWERS[-1]


class Ends(Nim):
    """Whose result is a value of the test."""

    def result(self) -> Any:
        return None if any(self.heaps) else ANSWERS[-1]


class Exits(Nim):
    """Which ends the program in the middle of a game."""

    def moves(self) -> Any:
        return super().moves() if sum(self.heaps) > 2 else sys.exit(0)


@pytest.mark.parametrize(
    ("kind", "answer", "said"),
    [
        (Plays, None, r"^playout\(.*Plays.*None"),
        (Plays, (0.2, 0.3, 0.5), "Plays.*2 and 3"),
        (Scored, [1], r"^scores\(\) of Scored.*\[1\]"),
        (Ends, "10", r"^result\(\) of Ends.*'10'"),
        (Ends, b"10", r"^result\(\) of Ends.*b'10'"),
        (Ends, ("1", "0"), r"^result\(\) of Ends.*\('1', '0'\)"),
        (Ends, (1e308, 0), r"^result\(\) of Ends.*1e100"),
        (Exits, 0, r"^moves\(\).*SystemExit: 0"),
    ],
)
def test_every_answer_of_a_class_is_looked_at(kind: Any, answer: Any, said: str) -> None:
    ANSWERS[:] = [answer]
    with pytest.raises(ValueError, match=said):
        try_out(kind((4,)), 5, is_thorough=True)


def test_a_class_need_not_know_the_scores_of_every_position() -> None:
    class Unsure(Nim):
        def scores(self) -> Any:
            raise ValueError("the game is too large")

    assert try_out(Unsure((4,)), 5, is_thorough=True) == 2


# --- games as hooks: tests/data/broken_games.py breaks each promise ---


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave hooks as they are: to compile each takes a second, and nothing here depends on it."""
    monkeypatch.setattr(jit, "COMPILED", False)
    users._hook_of.cache_clear()
    yield
    users._hook_of.cache_clear()


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", BROKEN_GAMES)
def test_a_game_that_breaks_a_promise_is_refused_by_a_sentence_that_names_it(name: str):
    """Before a first search but for games that are too long, which a search ends by a playout."""
    changes, said = BROKEN_GAMES[name]
    if name == "most_plies too small":
        tried = broken_games.game(**changes)
        unfinished_game(type("Own", (), {"game": tried})())
    with pytest.raises(ValueError, match=said):
        try_promises(unfinished_game(type("Own", (), {"game": broken_games.game(**changes)})()), 100)


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", [None, *NOT_SEEN])
def test_a_right_game_passes_and_so_do_three_whose_mistake_no_check_can_see(name: str | None):
    assert try_promises(broken_games.game(**NOT_SEEN.get(name or "", {})), 50) == 50


@pytest.mark.jit
def test_a_compiled_game_is_tried_once_before_its_first_search():
    class Own:
        game = broken_games.game(outcome=broken_games.outcome_of_a_side)

    for _ in range(2):  # again and again, until it is right
        with pytest.raises(ValueError, match=r"^playout hook .*\.playout gives the side to move"):
            search(Own(), simulations=10)


def test_what_is_done_to_the_state_later_changes_no_search():
    class Own:
        state = np.array([7, 1, 4])

        @property
        def game(self) -> Game:
            return broken_games.game(state=self.state)

    left_alone, played_on = Own(), Own()
    searches = [Search(board, seed=0) for board in (left_alone, played_on)]
    for running in searches:
        running.run(50)
    broken_games.play(played_on.state, 2)
    for running in searches:
        running.run(200)
    visits = [running.result().visits.tolist() for running in searches]
    assert visits[0] == visits[1]
