"""Ordinary classes that are no game of turns: against a naive twin, exact values, and what any search promises."""

from __future__ import annotations

import gc
import itertools
import random
import subprocess
import sys
import traceback
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from connect4 import Board
from mcts import UCTPlayer, exact_values, search
from mcts.parallel import AnyOptions
from mcts.policy import IN_A_TREE
from mcts.result import SearchResult
from tests.internals import Pig, PlanOptions, PlanResult, Sailing, Search, add_plans, plan
from tests.mcts.classes import Coins, Corridor, DrawnPig, Nim, PigGame, RareChance, RareRewards, Sharing, best_values
from tests.mcts.games import TicTacToe
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


# --- any problem by one function -----------------------------------------------------------------------------------


def test_each_kind_is_searched_as_it_must_be():
    for position in (PigGame(9), Corridor(4), Sharing(6)):
        found = search(position, simulations=200, seed=2)
        assert isinstance(found, PlanResult)
        assert found.visits.tolist() == plan(position, simulations=200, seed=2).visits.tolist()
    lake = Sailing(3, wind=1)
    assert search(lake, simulations=200).visits.tolist() == plan(lake, simulations=200).visits.tolist()
    assert isinstance(search(Nim((2, 3)), simulations=50), SearchResult)
    assert isinstance(search(Nim((2, 3)), simulations=50, scale=(0.0, 1.0)), PlanResult)


@pytest.mark.jit
def test_workers_add_up():
    for problem in (Sailing(3, wind=1), PigGame(9)):
        one, other = (search(problem, simulations=301, workers=2, seed=5) for _ in range(2))
        assert one.simulations == 301
        assert one.visits.sum() == 301
        assert one.visits.tolist() == other.visits.tolist()
        assert np.array_equal(one.values, other.values)


@pytest.mark.jit
def test_best_play_of_workers_begins_with_their_best_move():
    differs = 0
    for problem in (Sailing(4), PigGame(9), Sharing(6), Corridor(4)):
        for seed in range(6):
            parts = [plan(problem, simulations=30, seed=3 * seed + number) for number in range(3)]
            found = add_plans(parts)
            line = found.principal_variation
            assert line[0] == found.best_move
            assert len(line) <= found.depth
            assert line in [[found.best_move], *(part.principal_variation for part in parts)]
            assert found.visits.sum() == found.simulations == 90
            assert found.steps == sum(part.steps for part in parts)
            differs += parts[0].principal_variation[0] != found.best_move
    assert differs >= 2, "the first search prefers another move for some seeds"


OPTIONS: dict[str, Any] = {
    "root_policy": "ucb_v",
    "playouts": "biased",
    "playouts_per_leaf": 2,
    "solve": True,
    "transpositions": True,
    "tactics": True,
    "exact": True,
    "prior": np.array([0.5, 0.5]),
    "scale": "spread",
    "loop": "open",
    "steps": 5,
    "discount": 0.5,
    "widen_moves": (1.0, 0.5),
    "widen_outcomes": (1.0, 0.5),
}
PROBLEMS = [Board(), TicTacToe(), Nim((2, 3)), PigGame(9), Sailing(3, wind=1)]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
def test_an_option_is_taken_or_refused_by_its_name_whatever_is_searched(problem: Any):
    assert sorted(OPTIONS) == sorted(AnyOptions.__annotations__)
    plain = search(problem, simulations=20)
    for name, value in OPTIONS.items():
        try:
            found = search(problem, simulations=20, **{name: value})
        except ValueError:
            refused(lambda name=name, value=value: search(problem, simulations=20, **{name: value}), "", name)  # type: ignore[misc]
        else:
            assert found.simulations <= 20
            takes = name in PlanOptions.__annotations__ if isinstance(plain, PlanResult) else True
            assert takes, f"{name} does not apply to a {type(plain).__name__}"
    for workers in (1, 2):
        for name in ("gamma", "slove", "keep", "rng"):
            ask = {name: OPTIONS.get(name, 1), "workers": workers, "simulations": 20}
            refused(lambda ask=ask: search(problem, **ask), "option ", name)  # type: ignore[misc]


@pytest.mark.parametrize(
    "start", [Coins(), RareRewards(), RareChance(), Sharing(6), PigGame(9)], ids=lambda one: type(one).__name__
)
def test_every_position_of_a_game_is_searched_whatever_its_random_games_were(start: Any):
    rng = random.Random(3)
    for game in range(5):
        position, player = start, UCTPlayer(simulations=40, final=("visits", "value")[game % 2])
        player.reset(game)
        first = player.play(position)
        player.reset(game)
        assert player.play(position) == first
        while position.result() is None:
            if position.player() == "chance":
                position = rng.choice(position.chance())[1]
                continue
            found = search(position, simulations=40, seed=game)
            assert found.visits.sum() == 40
            assert player.play(position) in position.moves()
            after = position.play(rng.choice(position.moves()))
            position = after[0] if isinstance(after, tuple) else after


def test_a_game_of_points_has_their_values_where_the_class_says_its_kind():
    class Points(Coins):
        kind = "points"

    for row, points in (((1,), (3, 3)), ((2,), (3, 3)), ((1, 1, 2), (5, 3))):
        found = search(Points(row, points, 0), simulations=100)
        assert isinstance(found, PlanResult)
        assert round(found.value) == points[0] - points[1] + best(row)


def best(row: tuple[int, ...]) -> int:
    """By how much the player to move gains on the other with best play."""
    return 0 if not row else max(row[0] - best(row[1:]), row[-1] - best(row[:-1]))
