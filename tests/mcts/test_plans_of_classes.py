"""The search of positions of ordinary classes: against a naive twin, processes, exact values, and broken promises."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import traceback
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bandits import UCB
from mcts import exact_values, search
from mcts.policy import IN_A_TREE
from tests.internals import Pig, Search, plan
from tests.mcts.classes import Corridor, DrawnPig, Nim, PigGame, Sharing, best_values
from tests.mcts.naive_planning import twin
from tests.refusals import refused

pytestmark = pytest.mark.kernels

GAMES: dict[str, Any] = {
    "nim": Nim((2, 3)),
    "pig": PigGame(12),
    "drawn pig": DrawnPig(12),
    "corridor": Corridor(5),
    "sharing": Sharing(8),
}
WIDE = {"widen_moves": (1.0, 0.3), "widen_outcomes": (1.0, 0.25)}
TWINS = [  # each game with each loop, and each scale and kind of widening with several games
    ("nim", "closed", (-10.0, 10.0), {}),
    ("nim", "open", "spread", {"widen_moves": (1.5, 0.2)}),
    ("pig", "closed", "tree", WIDE),
    ("pig", "open", "tree", {}),
    ("drawn pig", "closed", "tree", {}),
    ("drawn pig", "closed", "spread", WIDE),
    ("drawn pig", "open", (-10.0, 10.0), {"widen_moves": (1.5, 0.2)}),
    ("corridor", "closed", "spread", {}),
    ("corridor", "open", "tree", {}),
    ("sharing", "closed", (-10.0, 10.0), WIDE),
    ("sharing", "open", "spread", {}),
]


@pytest.mark.parametrize(("game", "loop", "scale", "wide"), TWINS)
def test_visits_are_those_of_a_naive_twin(game: str, loop: str, scale: Any, wide: dict[str, Any]):
    visits = twin(GAMES[game], 150, 0.7, scale, loop, 40, 0.9, **wide)
    found = plan(GAMES[game], UCB(c=0.7), 150, scale=scale, loop=loop, steps=40, discount=0.9, **wide)
    assert dict(zip(found.moves, found.visits.tolist(), strict=True)) == visits


@pytest.mark.jit
def test_the_value_of_pig_as_a_class_is_near_the_exact_one():
    assert plan(PigGame(10), simulations=6_000).value == pytest.approx(exact_values(Pig(10)).value, abs=0.02)


@pytest.mark.parametrize(("heaps", "best", "mover"), [((1, 3), (1, 2), 0), ((2, 1), (0, 1), 1), ((4,), (0, 4), 1)])
def test_whoever_moves_finds_the_winning_move(heaps: tuple[int, ...], best: tuple[int, int], mover: int):
    found = plan(Nim(heaps, mover), simulations=600)
    assert found.best_move == best == found.principal_variation[0]
    assert found.moves == Nim(heaps).moves()
    assert found.values[found.moves.index(best)] > 0.9


@pytest.mark.parametrize(("left", "turn"), [(3, 1), (3, 4), (7, 1), (8, 3)])
def test_each_of_three_players_seeks_their_own_best(left: int, turn: int):
    game = Sharing(left, turn)
    found = plan(game, simulations=1_000)
    after, rewards = game.play(found.best_move)
    player = game.player()
    assert best_values(after)[player] + rewards[player] == best_values(game)[player]
    assert found.values[found.moves.index(found.best_move)] == pytest.approx(best_values(game)[player], abs=0.4)


def test_one_player_finds_the_cheapest_way():
    found = plan(Corridor(6), simulations=1_500)
    assert found.principal_variation == ["step", "jump", "step", "jump"]
    assert found.values.max() == pytest.approx(10.0 - 5.0, abs=0.3)


def test_an_open_loop_forgets_positions():
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    most = 0

    class Counted(Nim):
        __eq__, __hash__ = object.__eq__, object.__hash__

        def __init__(self, *given: Any):
            nonlocal most
            super().__init__(*given)
            alive.add(self)
            most = max(most, len(alive))

    found = plan(Counted((2, 3)), simulations=500, loop="open")
    gc.collect()
    assert found.states > 30
    assert most < 20


def test_equal_positions_are_kept_once():
    kept: list[int] = []

    class Kept(Corridor):
        asked = 0

        def moves(self) -> list[str]:
            Kept.asked += 1
            if Kept.asked == 200:
                kept.append(sum(type(one) is Kept for one in gc.get_objects()))
            return super().moves()

    assert plan(Kept(9), simulations=1_000).states > 100
    assert 0 < kept[0] < 20


def test_an_exception_keeps_its_traceback_and_says_what_was_played():
    class Broken(Nim):
        def play(self, move: tuple[int, int]) -> Nim:
            if sum(self.heaps) - move[1] == 1 and self.mover == 1:
                raise ZeroDivisionError("a bug of mine")
            return super().play(move)

    with pytest.raises(ZeroDivisionError, match="a bug of mine") as caught:
        plan(Broken((4,)), simulations=2_000, seed=1)
    assert "raise ZeroDivisionError" in "".join(traceback.format_tb(caught.tb))
    (note,) = caught.value.__notes__
    assert note.startswith("after the moves (0, ")
    assert sum(int(count) for count in note.replace(")", "").split(", ")[1::2]) == 3


BROKEN: list[tuple[Any, str, Any, str]] = [
    (PigGame(9), "chance", lambda self: PigGame.chance(self)[1:], "0.8333333"),
    (PigGame(9), "chance", lambda self: [1, 2], "probability"),
    (PigGame(9), "chance", lambda self: [(1.0, self)], "in a row"),
    (Nim((3,)), "player", lambda self: 0 if sum(self.heaps) > 2 else "chance", "sample(rng)"),
    (Nim((3,)), "play", lambda self, move: (Nim((1, 1)), "x"), "'x'"),
    (Nim((3,)), "result", lambda self: None if any(self.heaps) else {0: 1, 1: -1}, "{0: 1, 1: -1}"),
]


@pytest.mark.parametrize(("position", "method", "answer", "fact"), BROKEN)
def test_a_broken_promise_names_the_method_and_the_answer(position: Any, method: str, answer: Any, fact: str):
    mine = type("Mine", (type(position),), {method: answer})(**vars(position))
    refused(lambda: plan(mine, simulations=500, steps=50), method, fact)


@pytest.mark.jit
def test_threads_search_at_once():
    with ThreadPoolExecutor(2) as threads:
        one, two, again = threads.map(lambda seed: plan(Nim((2, 3)), simulations=2_000, seed=seed).value, (1, 2, 1))
    assert one == again != two


class Unequal(DrawnPig):
    __eq__, __hash__ = object.__eq__, object.__hash__

    def sample(self, rng: Any) -> Any:
        after = super().sample(rng)
        return Unequal(after.goal, after.points, after.turn, after.mover)


@pytest.mark.jit
def test_a_class_is_searched_without_numba_once_kernels_are_compiled():
    plan(Nim((3,)), simulations=10)
    lines = "import sys", "from tests.mcts.classes import Nim", "from mcts.processes.planning import plan"
    code = "; ".join([*lines, "print(plan(Nim((1, 3)), simulations=600).best_move, 'numba' in sys.modules)"])
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "(1, 2) False\n"


def test_outcomes_that_cannot_be_compared_are_for_open_loops_and_widened_ones():
    for given in ({"loop": "open"}, {"widen_outcomes": (1.0, 0.5)}):
        found: Any = plan(Unequal(9), simulations=300, steps=200, **given)
        assert found.best_move == "roll"
    unless_given, opened = (plan(Unequal(9), simulations=300, loop=loop) for loop in (None, "open"))
    assert unless_given.values.tolist() == opened.values.tolist()
    refused(lambda: plan(Unequal(9), simulations=300, loop="closed"), "loop", "Unequal")


def test_visits_are_those_of_the_reference():
    for position, policy in ((Nim((2, 3)), "ucb_v"), (PigGame(9), "thompson"), (Sharing(6), "ucb c=0.8")):
        found = search(position, policy, 200, seed=3, scale="tree", discount=0.9)
        root = Search(position, IN_A_TREE.of(policy), 200, seed=3, discount=0.9).run()
        visits = {move.move: move.visits for move in root.moves}
        assert visits == dict(zip(found.moves, found.visits.tolist(), strict=True))


class Walk:
    """One player walks from 5 to 0 or 25 as they like; the end alone pays."""

    def __init__(self, at: int = 5):
        self.at = at

    def moves(self) -> list[int]:
        return [-1, 1]

    def play(self, move: int) -> Any:
        return type(self)(self.at + move)

    def player(self) -> int:
        return 0

    def result(self) -> Any:
        return None if 0 < self.at < 25 else [self.at]


def test_no_seed_and_no_limit_of_steps_decides_whether_a_game_is_searched():
    for seed, steps in itertools.product(range(4), (1, 3, 1_000)):
        assert search(Walk(), simulations=3, seed=seed, steps=steps).visits.sum() == 3


class Told(Walk):
    """One step, which pays 3; then a playout pays 100."""

    def play(self, move: int) -> Any:
        return type(self)(self.at + move), [3.0]

    def playout(self, rng: Any, steps: int) -> list[float]:
        return [100.0]


class Discounted(Told):
    def playout(self, rng: Any, steps: int, discount: float = 1.0) -> list[float]:
        return [100.0 * discount]


@pytest.mark.parametrize("discount", [1.0, 0.5, 0.0])
def test_a_playout_of_a_class_counts_as_seen_from_where_it_begins(discount: float):
    assert search(Told(), simulations=1, discount=discount).value == 3.0 + discount * 100.0
    assert search(Discounted(), simulations=1, discount=discount).value == 3.0 + discount * discount * 100.0


class Jobs(Nim):
    """A class of which an attribute has the name of something else."""

    process: ClassVar[list[str]] = ["cut", "drill"]


@pytest.mark.parametrize("options", [{}, {"scale": "tree"}])
def test_an_attribute_process_that_is_no_process_means_nothing(options: dict[str, Any]) -> None:
    result = search(Jobs((1, 2)), simulations=200, **options)
    assert result.best_move == search(Nim((1, 2)), simulations=200, **options).best_move
