"""Exact values of processes: against published and independent values, plain recursion, and what changes nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcts import Process, exact_values
from tests.internals import COMPILED, Pig, Sailing
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
    refused(lambda: exact_values(Process([0], 1, 1, endless)), "", "process must", "5,000")
