"""The search of processes: against a naive twin, exact values, and what changes nothing."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from mcts import Process, exact_values
from tests.internals import HOLD, LOOPS, ROLL, Pig, Sailing, plan
from tests.mcts.classes import Nim
from tests.mcts.naive_planning import twin
from tests.mcts.test_processes import forever, lake, wrong_sum
from tests.refusals import refused

pytestmark = pytest.mark.kernels


def share(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    """Two players, each twice in a row, take 1 or 2 points of their own; a 2 may become a 1. The last one pays 3."""
    if action >= state[0]:
        return 0
    for i in range(3):
        taken = 2 if action == 1 and i == 1 else 1
        states[i, 0], states[i, 1] = state[0] - taken, (state[1] + 1) % 4
        states[i, 2] = states[i, 1] // 2
        chances[i] = 0.0 if i == 0 else 0.75 if i == 1 else 0.25
        rewards[2 * i], rewards[2 * i + 1] = 0.0, 0.0
        rewards[2 * i + state[2]] = taken - (3.0 if states[i, 0] == 0 else 0.0)
    return 3


def sharing(left: int) -> Process:
    return Process(np.array([left, 0, 0]), 2, 3, share, discount=0.9, to_move=2, players=2)


PROBLEMS = {
    "sailing": (Sailing(3, wind=2, delay=3).process, (-70.0, 0.0)),
    "lake": (lake(0.9), (0.0, 1.0)),
    "pig": (Pig(12).process, (0.0, 1.0)),
    "sharing": (sharing(7), (-3.0, 6.0)),
}
WIDE = {"widen_moves": (1.0, 0.3), "widen_outcomes": (1.0, 0.25)}


TWINS = [  # each problem with each loop, and each scale and kind of widening with several problems
    ("sailing", "closed", "tree", WIDE),
    ("sailing", "open", "bounds", {}),
    ("lake", "closed", "spread", {}),
    ("lake", "open", "tree", {"widen_moves": (1.5, 0.2)}),
    ("pig", "closed", "bounds", WIDE),
    ("pig", "open", "spread", {}),
    ("sharing", "closed", "bounds", {}),
    ("sharing", "closed", "spread", WIDE),
    ("sharing", "open", "tree", {"widen_moves": (1.5, 0.2)}),
]


@pytest.mark.parametrize(("problem", "loop", "scale", "wide"), TWINS)
def test_visits_are_those_of_a_naive_twin(problem: str, loop: str, scale: Any, wide: dict[str, Any]):
    process, bounds = PROBLEMS[problem]
    scale = bounds if scale == "bounds" else scale
    visits = twin(process, 120, 0.7, scale, loop, 25, process.discount, **wide)
    found = plan(process, UCB(c=0.7), 120, scale=scale, loop=loop, steps=25, **wide)
    assert dict(zip(found.moves, found.visits.tolist(), strict=True)) == visits


@pytest.mark.jit
@pytest.mark.parametrize("loop", LOOPS)
def test_no_search_of_a_lake_finds_more_than_there_is(loop: str):
    process = lake()
    exact = exact_values(process, steps=100).value
    found = plan(process, "ucb", 20_000, scale="tree", loop=loop, steps=100)
    best = found.moves.index(found.best_move)
    error = math.sqrt(0.25 / found.visits[best])
    assert found.values[best] <= exact + 5.0 * error, "a search that knows the dice does better"


@pytest.mark.jit
def test_the_regret_of_a_boats_first_leg_falls():
    lost = []
    for simulations in (30, 10_000):
        total = 0.0
        for wind in range(8):
            boat = Sailing(4, wind, delay=3)
            values = exact_values(boat).action_values()
            found = plan(boat, "ucb", simulations, scale="tree", steps=100, seed=wind)
            total += np.nanmax(values) - values[found.best_move]
        lost.append(total / 8.0)
    assert lost[1] < 0.3 * lost[0]
    assert lost[1] < 0.3


@functools.cache  # each hook is compiled
def staged(a: float, b: float) -> Process:
    """Four steps, each of which pays a r + b."""

    def outcomes(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
        if state[0] == 4:
            return 0
        for i in range(2):
            states[i, 0], states[i, 1] = state[0] + 1, 3 * state[1] + action + i
            chances[i] = 0.75 if i == 0 else 0.25
            rewards[i] = a * ((5 * action + 3 * i + state[1]) % 4) + b
        return 2

    return Process(np.array([0, 0]), 3, 2, outcomes)


@pytest.mark.parametrize(("policy", "scale"), [("ucb", "spread"), ("ucb_tuned", "tree"), ("kl_ucb", "spread")])
def test_visits_do_not_change_with_the_unit_and_the_zero_of_rewards(policy: str, scale: str):
    one = plan(staged(1.0, 0.0), policy, 400, scale=scale)
    other = plan(staged(4.0, -16.0), policy, 400, scale=scale)
    np.testing.assert_array_equal(one.visits, other.visits)
    np.testing.assert_allclose(other.values, 4.0 * one.values - 64.0, rtol=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize("mover", [0, 1])
def test_each_player_searches_for_their_own_best(mover: int):
    for turn, better in [(4, ROLL), (40, HOLD)]:
        state = Pig(60).process.state.copy()
        state[:4] = [10, 40 if turn == 4 else 0, turn, mover]
        process = Process(state, 2, 6, Pig(60).process.outcomes, to_move=3)
        values = exact_values(process).action_values()
        assert int(np.argmax(values) if mover == 0 else np.argmin(values)) == better
        for loop in LOOPS:
            found = plan(process, "ucb", 4_000, loop=loop)
            assert found.best_move == better
            assert (found.value > 0.0) == (mover == 0), "values are those of the player to move"


def wheel(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    """64 sectors that pay 0 to 63."""
    if state[0] > 0:
        return 0
    for i in range(64):
        states[i, 0], chances[i], rewards[i] = i + 1, 1.0 / 64.0, float(i)
    return 64


def test_widened_outcomes_are_few_and_as_likely_as_they_are():
    few = plan(Process([0], 1, 64, wheel), simulations=1_000, widen_outcomes=(1.0, 0.4))
    assert few.states == 1 + 1 + int(999**0.4)
    values = [
        plan(Process([0], 1, 64, wheel), simulations=400, widen_outcomes=(1.0, 0.6), seed=k).value for k in range(20)
    ]
    assert np.mean(values) == pytest.approx(31.5, abs=5.0 * np.std(values) / math.sqrt(19))
    assert 1.0 < np.std(values) < 5.0, "some 36 sectors of a spread of 18.5"


@pytest.mark.parametrize("loop", LOOPS)
def test_where_arrays_grow_changes_nothing(loop: str, monkeypatch: pytest.MonkeyPatch):
    whole = plan(Sailing(4), "ucb", 300, steps=30, loop=loop)
    monkeypatch.setattr("mcts.processes.growth._FIRST", 1)
    grown = plan(Sailing(4), "ucb", 300, steps=30, loop=loop)
    np.testing.assert_array_equal(grown.values, whole.values)
    assert grown.principal_variation == whole.principal_variation


def test_a_search_ends_with_its_time_or_its_simulations():
    assert plan(Sailing(4), seconds=60.0, simulations=100, steps=20).simulations == 100
    found = plan(Sailing(4), seconds=0.02, steps=20)
    assert 0 < found.simulations == found.visits.sum()


def test_a_discount_given_is_the_one_of_the_search():
    found = plan(Process([0], 1, 1, forever, discount=0.25), simulations=10, discount=0.5)
    assert found.value == pytest.approx(2.0)
    assert plan(Process([0], 1, 1, forever, discount=0.5), simulations=10).value == pytest.approx(2.0)


def test_a_result_shows_its_moves():
    found = plan(Sailing(3, wind=1), simulations=500)
    assert repr(found).startswith(f"PlanResult(best 1, value {found.values[found.moves.index(1)]:.4g}, ")
    html = found._repr_html_()
    assert html.count("<tr") == 1 + len(found.moves)
    assert "best move 1" in html
    assert found.principal_variation[0] == found.best_move
    assert len(found.principal_variation) <= found.depth
    assert plan(Nim((30,)), simulations=60)._repr_html_().count("<tr") == 21  # the most visited ones


def stray(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], states[0, 1], chances[0], rewards[0] = state[0] + 1, 5 if state[0] == 3 else 1, 1.0, 0.0
    return 1


@pytest.mark.jit
def test_a_hook_that_breaks_its_promise_ends_the_search():
    refused(lambda: plan(Process([0], 1, 1, wrong_sum), simulations=10), "outcomes hook", "wrong_sum")


def test_a_tree_that_would_be_too_large_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mcts.processes.growth._FIRST", 1)
    monkeypatch.setattr("mcts.processes.growth._MOST", 20)
    refused(lambda: plan(Sailing(4), simulations=1_000, steps=20), "simulations", "20")


def test_a_player_that_there_is_not_is_refused():
    refused(lambda: plan(Process([0, 0], 2, 1, stray, to_move=1), simulations=100, steps=10), "word 1", "got 5")
