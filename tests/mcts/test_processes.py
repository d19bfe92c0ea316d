"""Processes: exact values against published and independent ones, and searches against a naive twin."""

from __future__ import annotations

import functools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from mcts import Process, exact_values
from tests.internals import COMPILED, HOLD, LOOPS, ROLL, Pig, Sailing, plan
from tests.mcts.classes import Nim
from tests.mcts.naive_planning import twin
from tests.refusals import refused

pytestmark = pytest.mark.kernels

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "process_values.json").read_text(encoding="utf-8"))
LAKE = "SFFFFHFHFFFHHFFG"  # the 4x4 map of Gymnasium: holes H, goal G


def frozen_lake(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    """Slip to either side with probability 1/3 each; left, down, right, up."""
    here = state[0]
    if here in (5, 7, 11, 12, 15):
        return 0
    for slip in range(3):
        way = (action + slip - 1) % 4
        row, column = here // 4, here % 4
        if way == 0:
            column = max(column - 1, 0)
        elif way == 1:
            row = min(row + 1, 3)
        elif way == 2:
            column = min(column + 1, 3)
        else:
            row = max(row - 1, 0)
        states[slip, 0] = 4 * row + column
        chances[slip] = 1.0 / 3.0
        rewards[slip] = 1.0 if states[slip, 0] == 15 else 0.0
    return 3


def lake(discount: float = 1.0) -> Process:
    return Process(np.array([0]), 4, 3, frozen_lake, discount)


def close(found: float, known: Any) -> None:
    exact = float(Fraction(*known)) if isinstance(known, list) else known
    assert found == pytest.approx(exact, rel=0.0, abs=1e-10)


@pytest.mark.parametrize("variant", ["plain", "delay 3"])
def test_a_boat_needs_what_is_known_from_every_wind(variant: str):
    for size in (2, 3, 5, 10) if COMPILED else (2, 3):
        known = KNOWN["sailing"][variant][str(size)]
        found = [-exact_values(Sailing(size, wind, 0 if variant == "plain" else 3)).value for wind in range(8)]
        np.testing.assert_allclose(found, known, rtol=0.0, atol=6e-7)


def test_piglet_has_the_values_of_its_paper():
    for goal, known in KNOWN["piglet"].items():
        close(exact_values(Pig(int(goal), coin=True)).value, known)
    values = exact_values(Pig(2, coin=True))
    # Own points, the other's, those of the turn: P(0,0,1), P(0,1,0), P(0,1,1), P(1,0,0) and P(1,1,0).
    for own, others, turn, known in [(0, 0, 1, [5, 7]), (0, 1, 0, [2, 5]), (0, 1, 1, [3, 5]), (1, 0, 0, [4, 5])]:
        close(values.of([own, others, turn, 0, 2, 2]), known)
    close(values.of([1, 1, 0, 0, 2, 2]), [2, 3])


@pytest.mark.jit
@pytest.mark.parametrize("goal", ["20", pytest.param("50", marks=pytest.mark.long)])
def test_pig_has_the_value_of_its_solution(goal: str):
    close(exact_values(Pig(int(goal))).value, KNOWN["pig"][goal])


def test_a_frozen_lake_of_a_users_own_hook_has_its_known_values():
    known = KNOWN["frozen lake 4x4"]
    close(exact_values(lake()).value, known["unlimited"])
    close(exact_values(lake(), steps=100).value, known["100 steps"])
    close(exact_values(lake(0.99)).value, known["discount 0.99"])
    close(exact_values(lake(0.9)).value, known["discount 0.9"])


def test_a_value_is_that_of_the_best_action_and_limited_steps_are_those_of_plain_recursion():
    values = exact_values(lake(0.9), steps=4)

    def best(state: int, left: int) -> float:
        found = [0.0] if left == 0 or LAKE[state] in "HG" else []
        for action in range(4) if not found else ():
            states, chances, rewards = np.zeros((3, 1), np.int64), np.zeros(3), np.zeros(3)
            count = frozen_lake([state], action, states, chances, rewards)
            outcomes = range(count)
            found.append(sum(chances[i] * (rewards[i] + 0.9 * best(int(states[i, 0]), left - 1)) for i in outcomes))
        return max(found)

    for state in range(16):
        assert values.of([state]) == pytest.approx(best(state, 4), abs=1e-12)
        if LAKE[state] in "HG":
            assert np.isnan(values.action_values([state])).all()
        else:
            assert values.action_values([state]).max() == values.of([state])
    unlimited = exact_values(lake())
    assert unlimited.action_values().max() == pytest.approx(unlimited.value, abs=1e-10)


def wrong_sum(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], chances[0], rewards[0] = 1, 0.5, 0.0
    return 1 if state[0] == 0 else 0


def forever(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], chances[0], rewards[0] = 0, 1.0, 1.0
    return 1


def endless(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], chances[0], rewards[0] = state[0] + 1, 1.0, 1.0
    return 1


@pytest.mark.jit
def test_probabilities_that_do_not_sum_to_1_are_refused():
    refused(lambda: exact_values(Process([0], 1, 1, wrong_sum)), "", "wrong_sum", "sum to 1")


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mcts.processes.exact.MOST_TRANSITIONS", 5_000)
    refused(lambda: exact_values(Process([0], 1, 1, endless)), "", "process ", "5,000")


# --- searches ------------------------------------------------------------------------------------------------------


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
    assert found._repr_html_().count("<tr") == 1 + len(found.moves)
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
