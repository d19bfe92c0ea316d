"""What a user's game promises, and the sentence that names a broken promise: tests/data/broken_games.py breaks each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from mcts import Search, search
from numerics.games import Game
from numerics.kernels import jit, users
from numerics.promises import try_promises, unfinished_game
from tests.data import broken_games
from tests.data.broken_games import BROKEN, NOT_SEEN

pytestmark = pytest.mark.kernels


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave hooks as they are: to compile each takes a second, and nothing here depends on it."""
    monkeypatch.setattr(jit, "COMPILED", False)
    users._hook_of.cache_clear()
    yield
    users._hook_of.cache_clear()


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", BROKEN)
def test_a_game_that_breaks_a_promise_is_refused_by_a_sentence_that_names_it(name: str):
    """Before a first search but for games that are too long, which a search ends by a playout."""
    changes, said = BROKEN[name]
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
