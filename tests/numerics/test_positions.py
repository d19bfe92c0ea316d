"""What a class and a game of hooks promise, and what is said of one that does not keep it."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import Search, search
from numerics.kernels import jit, users
from numerics.positions import is_ordinary, is_position, scores_of, try_out
from numerics.promises import try_promises, unfinished_game
from tests.data import broken_games
from tests.data.broken_games import BROKEN as BROKEN_GAMES
from tests.data.broken_games import NOT_SEEN
from tests.experiments.own_games import Dice
from tests.mcts.classes import Crosses, Nim
from tests.refusals import refused

pytestmark = pytest.mark.kernels


def own(base: Any, *given: Any, **methods: Any) -> Any:
    """A position of a class that has methods of a test's own."""
    return type("Own", (base,), methods)(*given)


def forget(position: Any, move: Any) -> Any:
    object.__setattr__(position, "mover", 1 - position.mover)
    return Nim(position.heaps, position.mover)


BROKEN: list[tuple[Any, str]] = [
    (own(Nim, (3, 4), moves=lambda at: random.sample(Nim.moves(at), len(Nim.moves(at)))), r"^play\(.*Own"),
    (own(Nim, (3, 4), play=forget), r"^play\(.*Own"),
    (own(Nim, (3, 4, 5), play=lambda at, move: replace(Nim.play(at, move), mover=random.randrange(2))), r"chance\("),
    (own(Nim, (3, 4), __eq__=lambda at, other: False, __hash__=Nim.__hash__), r"^__eq__ and __hash__ of Own"),
    *(
        (own(Nim, (3, 4), __eq__=equal, __hash__=lambda at: 0), r"^__eq__ of Own")
        for equal in [  # whatever the moves, the player or the result are
            lambda one, other: one.mover == other.mover and any(one.heaps) == any(other.heaps),
            lambda one, other: one.heaps == other.heaps and (one.mover == other.mover or any(one.heaps)),
            lambda one, other: one.heaps == other.heaps and (one.mover == other.mover or not any(one.heaps)),
        ]
    ),
    (own(Crosses, player=lambda at: 2 * at.mover), r"^player\(\) of Own.*got 2"),
    (own(Crosses, player=lambda at: 0 if at.cells == (None,) * 9 else "chance"), r"^player\(\) of Own.*'chance'"),
    (own(Dice, chance=lambda at: [(0.5, Dice(4)), (0.4, Dice(4))]), r"^chance\(\) of Own.*0\.9"),
    (own(Dice, chance=lambda at: [Dice(4)]), r"^chance\(\) of Own"),
    (own(Nim, (4,), playout=lambda at, rng, steps: None), r"^playout\(.*Own.*None"),
    (own(Nim, (4,), playout=lambda at, rng, steps: (0.2, 0.3, 0.5)), "Own.*2 and 3"),
    (own(Nim, (4,), scores=lambda at: [1]), r"^scores\(\) of Own.*\[1\]"),
    (
        own(Nim, (4,), moves=lambda at: Nim.moves(at) if sum(at.heaps) > 2 else sys.exit(0)),
        "SystemExit: 0",
    ),
    *(
        (own(Nim, (4,), result=lambda at, end=end: None if any(at.heaps) else end), rf"^result\(\) of Own.*{said}")
        for end, said in [("10", "'10'"), (b"10", "b'10'"), (("1", "0"), r"\('1', '0'\)"), ((1e308, 0), "1e100")]
    ),
]


@pytest.mark.parametrize(("board", "said"), BROKEN, ids=[str(at) for at in range(len(BROKEN))])
def test_a_broken_promise_is_one_sentence(board: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        try_out(board, 50, is_thorough=True)


@pytest.mark.parametrize("answer", [[1, -1, 0], (1, -1, 0), np.array([1, -1, 0])], ids=lambda one: type(one).__name__)
def test_scores_are_whole_numbers_in_the_order_of_the_moves(answer: Any) -> None:
    scores = scores_of(own(Nim, (3,), scores=lambda at: answer))
    assert scores == [1, -1, 0]
    assert {type(score) for score in scores} == {int}


@pytest.mark.parametrize("answer", [[1, -1], [1, -1, 0.5], [1, -1, True], {1: 0}, None, np.zeros((3, 2), int)], ids=str)
def test_other_scores_break_a_promise(answer: Any) -> None:
    board = own(Nim, (3,), scores=lambda at: answer)
    refused(lambda: scores_of(board), "scores() of Own ", "3 moves")
    refused(lambda: try_out(board, is_thorough=True), "scores() of Own ", "first position")


def test_a_class_need_not_know_the_scores_of_every_position() -> None:
    def scores(at: Any) -> Any:
        raise ValueError("the game is too large")

    assert try_out(own(Nim, (4,), scores=scores), 5, is_thorough=True) == 2
    refused(lambda: scores_of(Nim((3,))), "game ", "scores()", "got Nim")


def test_a_position_with_hooks_needs_all_methods_and_is_of_no_ordinary_class() -> None:
    boards = [Nim((3,)), own(Nim, (3,), game=Board().game), Board()]
    assert [is_position(one) for one in boards] == [True, True, False]
    assert [is_ordinary(one) for one in boards] == [True, False, False]


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
    with pytest.raises(ValueError, match=said):
        try_promises(unfinished_game(own(object, game=broken_games.game(**changes))), 100)


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", [None, *NOT_SEEN])
def test_a_right_game_passes_and_so_do_three_whose_mistake_no_check_can_see(name: str | None):
    assert try_promises(broken_games.game(**NOT_SEEN.get(name or "", {})), 50) == 50


@pytest.mark.jit
def test_a_compiled_game_is_tried_once_before_its_first_search():
    board = own(object, game=broken_games.game(outcome=broken_games.outcome_of_a_side))
    for _ in range(2):  # again and again, until it is right
        with pytest.raises(ValueError, match=r"^playout hook .*\.playout gives the side to move"):
            search(board, simulations=10)


def test_what_is_done_to_the_state_later_changes_no_search():
    states = [np.array([7, 1, 4]) for _ in range(2)]
    searches = [Search(own(object, game=broken_games.game(state=state)), seed=0) for state in states]
    for running in searches:
        running.run(50)
    broken_games.play(states[1], 2)
    for running in searches:
        running.run(200)
    visits = [running.result().visits.tolist() for running in searches]
    assert visits[0] == visits[1]
