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

import numpy as np
import pytest

from bandits import UCB
from mcts import Process, exact_values, search
from mcts.policy import IN_A_TREE
from tests.internals import LOOPS, Pig, Search, plan
from tests.mcts.naive_planning import twin
from tests.mcts.ordinary_games import Corridor, DrawnPig, Nim, PigGame, Sharing, best_values

pytestmark = pytest.mark.kernels

GAMES: dict[str, tuple[Any, int]] = {
    "nim": (Nim((2, 3)), 2),
    "pig": (PigGame(12), 2),
    "drawn pig": (DrawnPig(12), 2),
    "corridor": (Corridor(5), 1),
    "sharing": (Sharing(8), 3),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("loop", "scale", "wide"),
    [
        ("closed", (-10.0, 10.0), {}),
        ("open", "tree", {}),
        ("closed", "tree", {"widen_moves": (1.0, 0.3), "widen_outcomes": (1.0, 0.25)}),
        ("open", "spread", {"widen_moves": (1.5, 0.2)}),
    ],
)
def test_visits_are_those_of_a_naive_twin(game: str, loop: str, scale: Any, wide: dict[str, Any]):
    position, players = GAMES[game]
    visits = twin(position, 150, 0.7, scale, loop, 40, 0.9, players, **wide)
    found = plan(position, UCB(c=0.7), 150, scale=scale, loop=loop, steps=40, discount=0.9, **wide)
    assert dict(zip(found.moves, found.visits.tolist(), strict=True)) == visits


class Ladder:
    """Two players in turn double a number and add 0 to 2, or one more by chance; each rung pays by its number alone."""

    def __init__(self, number: int = 1, mover: int = 0, wait: int | None = None):
        self.number, self.mover, self.wait = number, mover, wait

    def moves(self) -> range:
        return range(3)

    def play(self, move: int) -> tuple[Ladder, tuple[float, float]]:
        pay = (7 * self.number + 3) % 5 + 0.5
        rewards = (pay, 1.0) if self.mover == 0 else (-1.0, pay)
        return Ladder(self.number, self.mover, move), rewards

    def player(self) -> int | str:
        return self.mover if self.wait is None else "chance"

    def chance(self) -> list[tuple[float, Ladder]]:
        assert self.wait is not None
        return [(p, Ladder(2 * self.number + self.wait + i, 1 - self.mover)) for p, i in ((0.75, 0), (0.25, 1))]

    def result(self) -> None:
        return None


def climb(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    pay = (7 * state[0] + 3) % 5 + 0.5
    for i in range(2):
        states[i, 0], states[i, 1] = 2 * state[0] + action + i, 1 - state[1]
        chances[i] = 0.75 - 0.5 * i
        rewards[2 * i], rewards[2 * i + 1] = (pay, 1.0) if state[1] == 0 else (-1.0, pay)
    return 2


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("mover", [0, 1])
def test_a_class_and_a_process_of_one_problem_have_the_same_visits(loop: str, mover: int):
    process = Process([1, mover], 3, 2, climb, to_move=1, players=2)
    for steps, discount in [(2, 1.0), (6, 0.0)]:  # what random play draws changes nothing
        one = plan(process, "ucb c=0.3", 300, loop=loop, steps=steps, discount=discount)
        other = plan(Ladder(1, mover), "ucb c=0.3", 300, loop=loop, steps=steps, discount=discount)
        assert one.moves == other.moves
        np.testing.assert_array_equal(one.visits, other.visits)
        np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.jit
@pytest.mark.parametrize("loop", LOOPS)
def test_pig_as_a_class_is_pig(loop: str):
    found = []
    for game in (Pig(10), PigGame(10), DrawnPig(10)):
        values = [plan(game, simulations=400, scale=(0.0, 1.0), loop=loop, seed=seed).value for seed in range(12)]
        found.append((np.mean(values), np.std(values) / np.sqrt(11.0)))
    for mean, error in found[1:]:
        assert mean == pytest.approx(found[0][0], abs=4.0 * np.hypot(error, found[0][1]))


@pytest.mark.jit
def test_the_value_of_pig_as_a_class_is_near_the_exact_one():
    assert plan(PigGame(10), simulations=6_000).value == pytest.approx(exact_values(Pig(10)).value, abs=0.02)


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize(("heaps", "best"), [((1, 3), (1, 2)), ((2, 1), (0, 1)), ((4,), (0, 4))])
def test_whoever_moves_finds_the_winning_move(heaps: tuple[int, ...], best: tuple[int, int], mover: int):
    found = plan(Nim(heaps, mover), simulations=600)
    assert found.best_move == best
    assert found.principal_variation[0] == best
    assert found.moves == Nim(heaps).moves()
    assert found.values[found.moves.index(best)] > 0.9


@pytest.mark.parametrize(("left", "turn"), [(3, 0), (3, 1), (3, 4), (7, 1), (8, 3)])
def test_each_of_three_players_seeks_their_own_best(left: int, turn: int):
    game = Sharing(left, turn)
    found = plan(game, simulations=1_500)
    after, rewards = game.play(found.best_move)
    player = game.player()
    assert best_values(after)[player] + rewards[player] == best_values(game)[player]
    assert found.values[found.moves.index(found.best_move)] == pytest.approx(best_values(game)[player], abs=0.35)


def test_one_player_finds_the_cheapest_way():
    found = plan(Corridor(6), simulations=1_500)
    assert found.principal_variation == ["step", "jump", "step", "jump"]
    assert found.values.max() == pytest.approx(10.0 - 5.0, abs=0.3)


def test_the_same_seed_gives_the_same_bytes():
    for game, _ in GAMES.values():
        one, other = (plan(game, simulations=200, seed=5) for _ in range(2))
        assert one.values.tobytes() == other.values.tobytes()
        assert (plan(game, simulations=200, seed=6).values != one.values).any()


def test_an_open_loop_forgets_positions():
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    most = 0

    class Counted(Nim):
        def __init__(self, *given: Any):
            nonlocal most
            super().__init__(*given)
            alive.add(self)
            most = max(most, len(alive))

        def play(self, move: tuple[int, int]) -> Nim:
            after = super().play(move)
            return Counted(after.heaps, after.mover)

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

        def play(self, move: str) -> tuple[Corridor, float]:
            after, reward = super().play(move)
            return Kept(after.length, after.at), reward

    assert plan(Kept(9), simulations=1_000).states > 100
    assert 0 < kept[0] < 20


def test_an_exception_keeps_its_traceback_and_says_what_was_played():
    class Broken(Nim):
        def play(self, move: tuple[int, int]) -> Nim:
            after = super().play(move)
            if sum(after.heaps) == 1 and self.mover == 1:
                raise ZeroDivisionError("a bug of mine")
            return Broken(after.heaps, after.mover)

    with pytest.raises(ZeroDivisionError, match="a bug of mine") as caught:
        plan(Broken((4,)), simulations=2_000, seed=1)
    assert "raise ZeroDivisionError" in "".join(traceback.format_tb(caught.tb))
    (note,) = caught.value.__notes__
    assert note.startswith("after the moves (0, ")
    assert sum(int(count) for count in note.replace(")", "").split(", ")[1::2]) == 3


def test_an_interrupt_ends_a_search():
    class Interrupted(Nim):
        played = 0

        def play(self, move: tuple[int, int]) -> Nim:
            Interrupted.played += 1
            if Interrupted.played > 100:
                raise KeyboardInterrupt
            after = super().play(move)
            return Interrupted(after.heaps, after.mover)

    with pytest.raises(KeyboardInterrupt):
        plan(Interrupted((3, 4)), simulations=100_000)


NIM, PIG = Nim((3,)), PigGame(9)


def mine(position: Any = NIM, **methods: Any) -> Any:
    """Return a position of a class of which methods are changed; moves lead to positions of that class."""
    base = type(position)

    def play(self: Any, move: Any) -> Any:
        return type(self)(**vars(base.play(self, move)))

    return type("Mine", (base,), {"play": play, **methods})(**vars(position))


class Endless(Nim):
    def play(self, move: tuple[int, int]) -> Nim:
        return Endless(self.heaps, 1 - self.mover)


class Unequal(DrawnPig):
    __eq__, __hash__ = object.__eq__, object.__hash__

    def sample(self, rng: Any) -> Any:
        after = super().sample(rng)
        return Unequal(after.goal, after.points, after.turn, after.mover)


class Bare:
    moves, play = Nim.moves, Nim.play


BROKEN: dict[str, tuple[Any, str]] = {
    "methods": (Bare(), r"a position must have the methods .*; Bare has no player\(\) and no result\(\)"),
    "the class": (Nim, "a position must be an object of the class Nim; got the class itself"),
    "a set": (mine(moves=lambda self: {(0, 1)}), r"moves\(\) of Mine must return a sequence of moves; got"),
    "none": (mine(moves=lambda self: []), r"moves\(\) of Mine must return a move where result\(\) is None"),
    "text": (mine(moves=lambda self: "ab"), r"moves\(\) of Mine must return a sequence of moves; got 'ab'"),
    "lists": (mine(moves=lambda self: [[0, 1]]), r"moves\(\) of Mine must return hashable moves"),
    "twice": (mine(moves=lambda self: [(0, 1)] * 2), r"moves\(\) of Mine must return each move once"),
    "None": (mine(play=lambda self, move: None), r"play\(move\) of Mine must return a new position; got None"),
    "self": (mine(play=lambda self, move: self), r"play\(move\) of Mine must return .*; got the position itself"),
    "pair": (
        mine(play=lambda self, move: (1, 2, 3)),
        r"play\(move\) of Mine must return a position, or \(pos",
    ),
    "reward": (mine(play=lambda self, move: (Nim((1, 1)), "x")), r"play\(move\) of Mine must return a fini"),
    "player": (mine(player=lambda self: 2), r"player\(\) of Mine must return 0 or 1 or 'chance'; got 2"),
    "dice": (
        mine(player=lambda self: 0 if sum(self.heaps) > 2 else "chance"),
        r"player\(\) of Mine is 'chance'; the class needs chance\(",
    ),
    "length": (
        mine(result=lambda self: None if any(self.heaps) else (0, 1) if self.mover else (1, 0, 0)),
        r"result\(\) of Mine must return a finite number for each of [23] players; got",
    ),
    "nan": (
        mine(result=lambda self: None if any(self.heaps) else (0.0, float("nan"))),
        r"result\(\) of Mine must return a finite number for each player; got",
    ),
    "mapping": (
        mine(result=lambda self: None if any(self.heaps) else {0: 1, 1: -1}),
        r"result\(\) of Mine must return a finite number for each player; got \{0: 1, 1: -1\}",
    ),
    "sum": (mine(PIG, chance=lambda self: PigGame.chance(self)[1:]), r".* that sum to 1; they sum to 0.8333333"),
    "outcomes": (mine(PIG, chance=lambda self: [1, 2]), r"chance\(\) of Mine must return \(probability, pos"),
    "rewards": (
        mine(PIG, chance=lambda self: [(1.0, PigGame(9), "x")]),
        r"chance\(\) of Mine must return a finite number for each",
    ),
    "four": (mine(PIG, chance=lambda self: [(1.0, PigGame(9), (1, 0), 0)]), r"chance\(\) of Mine must return \(prob"),
    "dice for ever": (mine(PIG, chance=lambda self: [(1.0, self)]), r"chance nodes of Mine must lead to"),
    "ended": (Nim((0, 0)), r"board must be a position that is not finished; result\(\) of Nim is \(0.0, 1.0\)"),
    "chance": (
        PigGame(9, rolls=True),
        r"board must not be a chance node; player\(\) of PigGame is 'ch",
    ),
    "endless": (Endless((2, 2)), r"result\(\) of Endless must end a game, or .*; got neither in 10,000 moves"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_a_sentence(name: str):
    position, sentence = BROKEN[name]
    with pytest.raises(ValueError, match="^" + sentence):
        plan(position, simulations=500, steps=50)


@pytest.mark.jit
def test_a_class_is_searched_without_numba_once_kernels_are_compiled():
    plan(NIM, simulations=10)
    lines = "import sys", "from tests.mcts.ordinary_games import Nim", "from mcts.processes.planning import plan"
    code = "; ".join([*lines, "print(plan(Nim((1, 3)), simulations=600).best_move, 'numba' in sys.modules)"])
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "(1, 2) False\n"


@pytest.mark.jit
def test_threads_search_at_once():
    with ThreadPoolExecutor(2) as threads:
        found = list(
            threads.map(lambda seed: plan(Nim((2, 3)), simulations=2_000, seed=seed).values.tolist(), (1, 2, 1))
        )
    assert found[0] == found[2] != found[1]


def test_a_result_names_moves():
    found = plan(Nim((1, 3)), simulations=600)
    assert repr(found).startswith("PlanResult(best (1, 2), value ")
    assert "best move (1, 2), value " in found._repr_html_()
    many = plan(Nim((30,)), simulations=60)._repr_html_()
    assert "the 20 most visited of 30 moves" in many
    assert many.count("<tr") == 21


def test_outcomes_that_cannot_be_compared_are_for_open_loops_and_widened_ones():
    for given in ({"loop": "open"}, {"widen_outcomes": (1.0, 0.5)}):
        found: Any = plan(Unequal(9), simulations=300, steps=200, **given)
        assert found.best_move == "roll"
    unless_given, opened = (plan(Unequal(9), simulations=300, loop=loop) for loop in (None, "open"))
    assert unless_given.values.tolist() == opened.values.tolist()
    with pytest.raises(ValueError, match="loop must be open unless Unequal has __eq__ and __hash__"):
        plan(Unequal(9), simulations=300, loop="closed")


@pytest.mark.parametrize(
    "position", [Nim((2, 3)), PigGame(9), Sharing(6)], ids=lambda position: type(position).__name__
)
def test_visits_are_those_of_the_reference(position: Any):
    for policy in ("ucb c=0.8", "ucb_v", "thompson"):
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
    for seed, steps in itertools.product(range(8), (1, 3, 1_000)):
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
