"""Exact values of processes: against published and independent values, plain recursion, and what changes nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcts import Process, exact_values
from tests.internals import Pig, Sailing

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
    for size in (2, 3, 5):
        known = KNOWN["sailing"][variant][str(size)]
        found = [-exact_values(Sailing(size, wind, 0 if variant == "plain" else 3)).value for wind in range(8)]
        np.testing.assert_allclose(found, known, rtol=0.0, atol=6e-7)


@pytest.mark.jit
@pytest.mark.parametrize("variant", ["plain", "delay 3"])
def test_a_boat_needs_what_is_known_on_large_lakes(variant: str):
    for size in (10, 20, 40):
        for wind, known in enumerate(KNOWN["sailing"][variant][str(size)]):
            found = -exact_values(Sailing(size, wind, 0 if variant == "plain" else 3)).value
            assert found == pytest.approx(known, rel=0.0, abs=6e-7)


def test_piglet_has_the_values_of_its_paper():
    for goal, known in KNOWN["piglet"].items():
        close(exact_values(Pig(int(goal), coin=True)).value, known)
    values = exact_values(Pig(2, coin=True))
    # Own points, the other's, those of the turn: P(0,0,1), P(0,1,0), P(0,1,1), P(1,0,0) and P(1,1,0).
    for own, others, turn, known in [(0, 0, 1, [5, 7]), (0, 1, 0, [2, 5]), (0, 1, 1, [3, 5]), (1, 0, 0, [4, 5])]:
        close(values.of([own, others, turn, 0, 2, 2]), known)
    close(values.of([1, 1, 0, 0, 2, 2]), [2, 3])


def test_the_second_players_chances_are_the_first_ones_with_the_sides_swapped():
    values = exact_values(Pig(6))
    compared = 0
    for state, value in zip(values.states.tolist(), values.values, strict=True):
        own, others, turn, mover, goal, sides = state
        if own + turn < goal and (own, others, turn) != (0, 0, 0):
            other = values.of([own, others, turn, 1 - mover, goal, sides])
            assert value + other == pytest.approx(1.0, abs=1e-9)
            compared += 1
    assert compared > 100


@pytest.mark.jit
def test_pig_has_the_value_of_its_solution():
    close(exact_values(Pig(20)).value, KNOWN["pig"]["20"])


@pytest.mark.jit
@pytest.mark.long
def test_the_whole_game_of_pig_has_the_value_of_its_solution():
    for goal in ("50", "100"):
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


def test_values_follow_a_change_of_the_unit_of_rewards():
    def doubled(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
        if state[0] >= 3:
            return 0
        states[0, 0], states[1, 0] = state[0] + 1, min(state[0] + 2, 3)
        chances[0], chances[1] = 0.25, 0.75
        rewards[0], rewards[1] = -2.0 * (action + 1), 2.0
        return 2

    # From 2: 0.25 (-2) + 0.75 (2) = 1; from 1: 1 + 0.25 (1); from 0: 1 + 0.25 (1.25) + 0.75 (1).
    assert exact_values(Process([0], 2, 2, doubled)).value == pytest.approx(2.0625, abs=1e-12)


def wrong_sum(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], chances[0], rewards[0] = 1, 0.5, 0.0
    return 1 if state[0] == 0 else 0


def forever(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], chances[0], rewards[0] = 0, 1.0, 1.0
    return 1


def endless(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    states[0, 0], chances[0], rewards[0] = state[0] + 1, 1.0, 1.0
    return 1


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Process([0.5], 1, 1, forever), "state must be a vector of integers"),
        (lambda: Process([0], 0, 1, forever), "most_actions must be"),
        (lambda: Process([0], 1, 1, forever, discount=1.5), "discount must be"),
        (lambda: Process([0], 1, 1, forever, to_move=1), "to_move must be"),
        (lambda: Process([0], 1, 1, forever, players=0), "players must be"),
        (lambda: Process([0], 1, 1, forever, players=2), "players must be 1 without to_move; got 2"),
        (
            lambda: exact_values(Process([0], 1, 1, forever, to_move=0, players=2)),
            "process must have one player, or two",
        ),
        (lambda: Process([0], 1, 1, lambda state: 0), "outcomes hook"),
        (
            lambda: exact_values(Process([0], 2**15, 2**15, forever)),
            r"most_actions \* most_outcomes must be",
        ),
        (lambda: exact_values(3), "process must be a Process, or an object with the attribute process; got 3"),
        (lambda: exact_values(lake(), steps=0), "steps must be"),
        (lambda: exact_values(Process([0], 1, 1, forever)), "process must end, or have a discount below 1"),
        (lambda: exact_values(lake()).of([16]), "state must be reachable from the initial state; got"),
        (lambda: Sailing(1), "size must be"),
        (lambda: Pig(0), "goal must be"),
    ],
)
def test_wrong_arguments_are_refused(make: Any, sentence: str):
    with pytest.raises(ValueError, match="^" + sentence.split(";")[0]):
        make()


@pytest.mark.jit
def test_probabilities_that_do_not_sum_to_1_are_refused():
    with pytest.raises(ValueError, match="must write probabilities that sum to 1"):
        exact_values(Process([0], 1, 1, wrong_sum))


@pytest.mark.jit
@pytest.mark.long
def test_too_many_states_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="process must have at most 10,000,000 transitions"):
        exact_values(Process([0], 1, 1, endless))


def test_a_discount_makes_an_endless_process_finite():
    assert exact_values(Process([0], 1, 1, forever, discount=0.5)).value == pytest.approx(2.0, abs=1e-9)
