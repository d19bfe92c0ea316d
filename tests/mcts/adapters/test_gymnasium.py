"""Environments of Gymnasium as positions and processes: against the environments and independent exact values."""

from __future__ import annotations

import dataclasses
import functools
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcts import exact_values, search
from mcts.adapters import gymnasium as adapter
from mcts.adapters.gymnasium import position_of
from tests.internals import CopiedPosition, TablePosition, process_of
from tests.refusals import refused

gymnasium: Any = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

KNOWN = json.loads((Path(__file__).parents[2] / "data" / "process_values.json").read_text(encoding="utf-8"))["toy text"]


def environment(name: str, seed: int = 1, **arguments: Any) -> Any:
    env = gymnasium.make(name, **arguments)
    env.reset(seed=seed)
    return env


def hidden(name: str, seed: int = 1, **arguments: Any) -> Any:
    """An environment whose table counts for nothing, because a wrapper may change its rewards."""
    env = gymnasium.wrappers.TransformReward(gymnasium.make(name, **arguments), float)
    env.reset(seed=seed)
    return env


def close(found: float, known: Any) -> None:
    assert found == pytest.approx(known, rel=1e-11, abs=1e-10)


@pytest.mark.kernels
@pytest.mark.jit
def test_a_larger_lake_and_a_cliff_have_their_known_values():
    lake, cliff = KNOWN["FrozenLake8x8-v1"], KNOWN["CliffWalking-v1"]
    process = process_of(gymnasium.make("FrozenLake8x8-v1"))
    close(exact_values(process, steps=200).value, lake["200 steps"])
    close(exact_values(process).value, 1.0)
    close(exact_values(dataclasses.replace(process, discount=0.99)).value, lake["discount 0.99"])
    assert exact_values(process_of(gymnasium.make("CliffWalking-v1"))).value == -13.0
    close(exact_values(process_of(gymnasium.make("CliffWalking-v1", is_slippery=True))).value, cliff["slippery"])


@pytest.mark.kernels
@pytest.mark.jit
@pytest.mark.parametrize("rains", [False, True])
def test_taxis_have_their_known_mean_value_over_all_starts(rains: bool):
    env = environment("Taxi-v4", is_rainy=rains)
    process = process_of(env)
    starts = np.flatnonzero(env.unwrapped.initial_state_distrib)
    assert len(starts) == 300
    values = [exact_values(dataclasses.replace(process, state=np.array([start, 0]))).value for start in starts]
    close(float(np.mean(values)), KNOWN["Taxi-v4"]["rainy" if rains else "dry"])
    if not rains:
        assert (min(values), max(values)) == (3.0, 15.0)


@pytest.mark.kernels
def test_a_process_begins_where_the_environment_is():
    env = environment("FrozenLake-v1")
    close(exact_values(process_of(env)).value, 14 / 17)
    assert exact_values(process_of(env)).of([15, 1]) == 0.0
    env.unwrapped.s = 14
    assert process_of(env).state.tolist() == [14, 0]
    assert exact_values(process_of(env)).value > 14 / 17
    assert process_of(env).outcomes is process_of(gymnasium.make("FrozenLake-v1")).outcomes


def best(position: Any, of: Any = max) -> float:
    """The value of a position for its player, by plain recursion; equal positions are valued once."""

    @functools.cache
    def value(position: Any) -> float:
        ended = position.result()
        if ended is not None:
            return float(ended[0])
        if position.player() == "chance":
            return sum(chance * (reward + value(after)) for chance, after, (reward,) in position.chance())
        return float(of([rewards[0] + value(after) for after, rewards in map(position.play, position.moves())]))

    return value(position)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("name", "arguments", "steps"),
    [("FrozenLake-v1", {}, 30), ("CliffWalking-v1", {"is_slippery": True}, 8), ("CliffWalking-v1", {}, 8)],
)
def test_positions_of_a_table_are_worth_what_its_process_is_within_the_limit_of_steps(
    name: str, arguments: Any, steps: int
):
    env = environment(name, max_episode_steps=steps + 2, **arguments)
    for _ in range(2):
        env.step(3 if name == "CliffWalking-v1" else 0)
    position = position_of(env)
    assert isinstance(position, TablePosition)
    close(best(position), exact_values(process_of(env), steps=steps).value)


@pytest.mark.parametrize("name", ["CartPole-v1", "MountainCar-v0", "Acrobot-v1"])
def test_a_copied_game_goes_as_its_environment_does(name: str):
    env = environment(name, max_episode_steps=60)
    position = position_of(env)
    assert isinstance(position, CopiedPosition)
    assert position.moves() == list(range(env.action_space.n))
    rng, total, over = random.Random(3), 0.0, False
    while not over:
        assert position.result() is None
        assert position.player() == 0
        action = rng.choice(position.moves())
        before = position
        position, (reward,) = position.play(action)
        assert before.play(action)[0] == position
        _, expected, terminated, truncated, _ = env.step(action)
        assert reward == expected
        total, over = total + reward, terminated or truncated
    assert position.result() == (0.0,)
    assert abs(total) > 5.0


def test_a_sample_does_not_know_the_dice_of_the_environment():
    agreed, seen = 0, Counter[int]()
    for seed in range(90):
        env = hidden("FrozenLake-v1", seed=seed)
        position = position_of(env)
        assert isinstance(position, CopiedPosition)
        chance, rewards = position.play(1)
        assert (chance.player(), rewards) == ("chance", (0.0,))
        state = chance.sample(random.Random(seed))[0].env.unwrapped.s
        seen[state] += 1
        agreed += state == env.step(1)[0]
    assert set(seen) == {0, 1, 4}
    assert min(seen.values()) > 10
    assert 10 < agreed < 55  # a third; a copy with its generator agrees in all 90


def test_playouts_are_random_games():
    env, table = hidden("FrozenLake-v1", max_episode_steps=8), environment("FrozenLake-v1", max_episode_steps=8)
    env.unwrapped.s = table.unwrapped.s = 10
    position: Any = position_of(env)
    exact, rng, count = best(position_of(table), lambda values: sum(values) / 4), random.Random(1), 200
    totals = [position.playout(rng, 100)[0] for _ in range(count)]
    assert set(totals) == {0.0, 1.0}
    assert abs(np.mean(totals) - exact) < 5.0 * np.sqrt(exact * (1.0 - exact) / count)
    assert {position.play(1)[0].playout(rng, 100)[0] for _ in range(count)} == {0.0, 1.0}
    assert {position.playout(rng, 1)[0] for _ in range(20)} == {0.0}


def test_a_passenger_that_changes_her_mind_is_not_in_the_table():
    assert isinstance(position_of(environment("Taxi-v4")), TablePosition)
    assert isinstance(position_of(environment("Taxi-v4", fickle_passenger=True)), CopiedPosition)


def test_table_positions_are_equal_by_what_they_are():
    one, other = (position_of(environment("FrozenLake-v1")) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != position_of(environment("FrozenLake-v1", max_episode_steps=7))
    assert one != position_of(environment("FrozenLake-v1", is_slippery=False))
    assert one.play(1)[0] != one.play(2)[0]
    assert one != 0
    assert str(one) == "state 0, 100 steps left"


class Drawing(gymnasium.Env):
    """Pays what the global generator says."""

    action_space = gymnasium.spaces.Discrete(2, start=3)
    observation_space = gymnasium.spaces.Discrete(10)

    def __init__(self, draw: Any):
        self.draw = draw

    def step(self, action: int) -> Any:
        return 0, self.draw(), False, False, {}


def ended() -> Any:
    env = environment("FrozenLake-v1", max_episode_steps=2)
    for _ in range(2):
        env.step(0)
    return env


@pytest.mark.parametrize(
    ("use", "make", "fact"),
    [
        (position_of, lambda: gymnasium.make("FrozenLake-v1"), "reset()"),
        (position_of, lambda: gymnasium.make("CartPole-v1"), "step(0)"),
        (position_of, lambda: environment("Pendulum-v1"), "Discrete"),
        (position_of, lambda: environment("Blackjack-v1"), "hidden state"),
        (position_of, ended, "ended"),
        (position_of, lambda: Drawing(one for one in ()), "copies"),
        (position_of, lambda: Drawing([1.0, 2.0].pop), "different results"),
        (position_of, lambda: Drawing(lambda: random.random()), "np_random"),
        (position_of, lambda: Drawing(lambda: np.random.random()), "np_random"),  # noqa: NPY002
        (process_of, lambda: gymnasium.make("Taxi-v4"), "300"),
        (process_of, lambda: gymnasium.make("CartPole-v1"), "CartPoleEnv"),
        (process_of, lambda: hidden("FrozenLake-v1"), "wrapper"),
    ],
)
def test_what_cannot_be_a_position_or_a_process_is_refused(use: Any, make: Any, fact: str):
    refused(lambda: use(make()), "env", fact)


def test_no_search_of_a_lake_knows_the_dice():
    """One whose copies carry the generator along finds 0.1 more."""
    env = environment("FrozenLake-v1", seed=3, desc=["SF", "HG"], max_episode_steps=4)
    best = exact_values(process_of(env), steps=4).value
    for problem in (env, CopiedPosition(adapter.copy_environment(env)[0], object())):
        found = float(np.nanmax(search(problem, simulations=700, scale=(0.0, 1.0)).values))
        assert best - 0.2 < found < best + 0.05
