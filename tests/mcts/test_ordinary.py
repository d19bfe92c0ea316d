"""Games of an ordinary class: searched as games with hooks are, whatever class they are."""

from __future__ import annotations

import random
import traceback
from typing import Any, ClassVar

import numpy as np
import pytest

from bandits import UCB
from mcts import MonteCarloPlayer, Search, UCTPlayer, identify_move, monte_carlo_values, playout_values, search
from mcts.ordinary.boards import game_of
from mcts.ordinary.turns import game_of_turns
from mcts.reference import uct
from numerics.positions import BrokenPromise
from numerics.promises import try_promises
from tests.mcts.classes import Crosses, Nim, Tree
from tests.refusals import refused

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("mover", [0, 1])
def test_the_winning_move_is_found_for_either_player(mover: int) -> None:
    result = search(Nim((3, 4, 5), mover), simulations=6_000)
    assert result.best_move == (0, 2)  # 1, 4 and 5 are left, whose binary digits cancel
    assert result.value > 0.5
    assert result.moves.tolist() == Nim((3, 4, 5)).moves()


def test_visits_are_those_of_the_reference() -> None:
    board = Crosses((0, None, 1, None, 0, None, None, None, 1))
    root = uct(game_of(board), UCB(c=0.7), 300, seed=5)
    found = search(board, "ucb c=0.7", 300, seed=5)
    assert {child.move: child.visits for child in root.children} == dict(enumerate(found.visits.tolist()))


def test_equal_positions_share_what_is_known() -> None:
    shared, apart = (game_of_turns(Nim((2, 2)), is_shared=shared) for shared in (True, False))
    assert shared.is_shared
    assert not apart.is_shared
    assert not game_of_turns(Crosses()).is_shared
    whole = search(Nim((3, 4, 5)), simulations=2_000, solve=True)
    assert whole.value == 1.0  # within 2,000, where shared; 20,000 do not prove it apart
    assert whole.simulations < 2_000


def test_what_chooses_moves_takes_a_class() -> None:
    board = Nim((1, 2, 4))
    for player in (UCTPlayer(simulations=2_000), MonteCarloPlayer(policy="ucb"), UCTPlayer(solve=True, policy="puct")):
        player.check_board(board)
        assert player.play(board) in board.moves()
    assert UCTPlayer(simulations=2_000).play(board) == (2, 1)
    assert playout_values(board, 20, playouts="uniform").best_move in board.moves()
    answer = identify_move(Nim((1, 2)), depth=3, epsilon=0.1)
    assert answer.best_move == (1, 1)
    assert answer.moves == Nim((1, 2)).moves()


class Judged(Nim):
    """Nim with a playout of its own: who has a winning move wins three times of four."""

    sums: ClassVar[float] = 1.0

    def playout(self, rng: random.Random, steps: int) -> tuple[float, float]:
        wins = self.heaps[0] ^ self.heaps[1] ^ self.heaps[2] != 0
        share = float(wins) if rng.random() < 0.75 else 1.0 - wins
        own, other = (share, 1.0 - share) if self.sums else (2.0 * share - 1.0, 1.0 - 2.0 * share)
        return (own, other) if self.mover == 0 else (other, own)


def test_a_class_may_have_a_playout_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, judged = (monte_carlo_values(kind((3, 4, 5)), 4_000) for kind in (Nim, Judged))
    assert abs(plain.means[1] - 0.5) < 0.1
    assert abs(judged.means[1] - 0.75) < 0.1
    assert search(Judged((3, 4, 5)), "ucb c=0.5", 3_000).best_move == (0, 2)
    whole = search(Judged((3, 4, 5)), simulations=300)
    monkeypatch.setattr(Judged, "sums", 0.0)
    assert search(Judged((3, 4, 5)), simulations=300).visits.tolist() == whole.visits.tolist()
    monkeypatch.setattr(Judged, "playout", lambda self, rng, steps: (0.9, 0.9))
    refused(lambda: search(Judged((3, 4, 5)), simulations=300), "playout(rng, steps) of Judged")


def test_a_search_of_a_class_is_not_continued_from_a_later_position() -> None:
    running = Search(Crosses(), simulations=50)
    running.run(50)
    refused(lambda: running.advance(Crosses().play(4), [4]), "board", "hooks")


@pytest.mark.jit
def test_workers_are_processes() -> None:
    first, second = (search(Nim((3, 4, 5)), simulations=2_000, workers=2, seed=4) for _ in range(2))
    assert first.visits.tolist() == second.visits.tolist()
    assert first.simulations == 2_000
    assert first.moves.tolist() == Nim((3, 4, 5)).moves()
    held = Crosses()
    held.held = lambda: None  # type: ignore[attr-defined]
    refused(lambda: search(held, simulations=100, workers=2), "workers", "Crosses")


def test_promises_are_kept() -> None:
    for board in (Nim((2, 3)), Crosses(), Tree(1, 5)):
        assert try_promises(game_of(board), 20) == 20


# ------------------------------------------------------------ what a class may do wrong


class Endless(Nim):
    def play(self, move: Any) -> Endless:
        return Endless(self.heaps, 1 - self.mover)


LATE: list[tuple[str, Any]] = [
    ("moves", []),
    ("moves", [(0, 1), (0, 1)]),
    ("play", "itself"),
    ("player", 2),
    ("result", (1, np.nan)),
    ("result", (3, -3)),  # not as in its first games
]


@pytest.mark.parametrize(("method", "wrong"), LATE)
def test_a_promise_that_is_broken_late_names_the_method_and_the_moves(method: str, wrong: Any) -> None:
    is_late = False

    def answer(self: Any, *given: Any) -> Any:
        if is_late and sum(self.heaps) in (1, 2):
            return self if wrong == "itself" else wrong
        return getattr(Nim, method)(self, *given)

    game = game_of_turns(type("Late", (Nim,), {method: answer})((2, 2)))  # whose first games are right
    is_late = True
    refused(lambda: try_promises(game, 20), f"{method}(", "after the moves")


class Later(Crosses):
    """A game whose `play` gives something else than a position, or raises it, from its 300th move on."""

    played, given = 0, None

    def play(self, cell: int) -> Any:
        Later.played += 1
        if Later.played < 300:
            return super().play(cell)
        if isinstance(Later.given, BaseException):
            raise Later.given
        return Later.given


LANES: list[dict[str, Any]] = [{}, {"solve": True}, {"scale": "tree"}, {"scale": "tree", "loop": "open"}]


GIVEN = [5, np.nan, (1, 2, 3), np.zeros(2), Crosses, None]


@pytest.mark.parametrize("number", range(len(GIVEN)))
def test_what_is_no_position_is_refused_wherever_a_search_plays_a_move(number: int) -> None:
    Later.played, Later.given = 0, GIVEN[number]
    with pytest.raises(BrokenPromise, match=r"^play\(move\) of Later .*moves"):
        search(Later(), simulations=1_000, **LANES[number % 4])


@pytest.mark.parametrize("lane", range(len(LANES)))
@pytest.mark.parametrize("error", [KeyError("k"), StopIteration("s"), KeyboardInterrupt(), GeneratorExit()], ids=repr)
def test_what_a_class_raises_in_a_search_is_raised_as_it_is_and_notes_the_moves(error: Any, lane: int) -> None:
    Later.played, Later.given = 0, error
    with pytest.raises(type(error)) as caught:
        search(Later(), simulations=1_000, **LANES[lane])
    assert caught.value is error
    assert "raise Later.given" in "".join(traceback.format_exception(error))
    assert not isinstance(error, KeyError) or error.__notes__[-1].startswith("after the moves ")


def test_a_game_that_never_ends_is_refused() -> None:
    for options in ({}, {"scale": "tree"}):
        refused(lambda options=options: search(Endless((1, 1)), simulations=10, **options), "result() of Endless")  # type: ignore[misc]
