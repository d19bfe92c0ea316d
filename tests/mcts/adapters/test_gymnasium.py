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

from mcts import exact_values
from mcts.adapters.gymnasium import position_of
from numerics.positions import draw_from
from tests.internals import CopiedPosition, TablePosition, process_of

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
def test_a_frozen_lake_has_its_known_values():
    process = process_of(gymnasium.make("FrozenLake-v1"))
    close(exact_values(process).value, 14 / 17)
    close(exact_values(process, steps=100).value, KNOWN["FrozenLake-v1"]["100 steps"])
    close(exact_values(dataclasses.replace(process, discount=0.9)).value, KNOWN["FrozenLake-v1"]["discount 0.9"])
    assert exact_values(process).of([15, 1]) == 0.0
    with pytest.raises(ValueError, match=r"^state must be reachable from the initial state"):
        exact_values(process).of([15, 0])


@pytest.mark.kernels
@pytest.mark.jit
def test_a_larger_lake_has_its_known_values():
    process = process_of(gymnasium.make("FrozenLake8x8-v1"))
    close(exact_values(process, steps=200).value, KNOWN["FrozenLake8x8-v1"]["200 steps"])
    close(exact_values(process).value, 1.0)
    close(
        exact_values(process_of(gymnasium.make("FrozenLake8x8-v1"), 0.99)).value,
        KNOWN["FrozenLake8x8-v1"]["discount 0.99"],
    )


@pytest.mark.kernels
@pytest.mark.jit
def test_a_cliff_has_its_known_values():
    assert exact_values(process_of(gymnasium.make("CliffWalking-v1"))).value == -13.0
    close(
        exact_values(process_of(gymnasium.make("CliffWalking-v1", is_slippery=True))).value,
        KNOWN["CliffWalking-v1"]["slippery"],
    )


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
    env.unwrapped.s = 14
    assert process_of(env).state.tolist() == [14, 0]
    assert exact_values(process_of(env)).value > 14 / 17
    assert process_of(env).outcomes is process_of(gymnasium.make("FrozenLake-v1")).outcomes


def best(position: Any) -> float:
    """The value of a position for its player, by plain recursion; equal positions are valued once."""

    @functools.cache
    def value(position: Any) -> float:
        ended = position.result()
        if ended is not None:
            return float(ended[0])
        if position.player() == "chance":
            return sum(chance * (reward + value(after)) for chance, after, (reward,) in position.chance())
        return max(rewards[0] + value(after) for after, rewards in map(position.play, position.moves()))

    return value(position)


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("name", "arguments", "steps"), [("FrozenLake-v1", {}, 30), ("CliffWalking-v1", {"is_slippery": True}, 8)]
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


def test_the_search_of_a_table_within_the_registered_limit_has_the_known_value():
    close(best(position_of(environment("FrozenLake-v1"))), KNOWN["FrozenLake-v1"]["100 steps"])


def played(position: Any, actions: Any, rng: random.Random) -> tuple[float, int]:
    """Return the total of a game, and its steps."""
    total, steps = 0.0, 0
    while position.result() is None:
        if position.player() == "chance":
            position, (reward,) = draw_from(position, rng)
            total += reward
        else:
            position, (reward,) = position.play(actions(position))
            total, steps = total + reward, steps + 1
    return total + position.result()[0], steps


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


def test_deterministic_toys_pay_at_once_and_others_after_chance():
    position: Any = position_of(environment("CliffWalking-v1"))
    total, steps = played(
        position, lambda at: 0 if at.state == 36 else 2 if at.state % 12 == 11 else 1, random.Random(1)
    )
    assert (total, steps) == (-13.0, 13)
    slippery: Any = position_of(environment("CliffWalking-v1", is_slippery=True))
    chance, rewards = slippery.play(1)
    assert (chance.player(), rewards) == ("chance", (0.0,))
    paid = [(after.state, *reward) for _, after, reward in chance.chance()]
    assert sorted(paid) == [(24, -1.0), (36, -100.0), (36, -1.0)]


def test_a_sample_does_not_know_the_dice_of_the_environment():
    agreed, seen = 0, Counter[int]()
    for seed in range(150):
        env = hidden("FrozenLake-v1", seed=seed)
        position = position_of(env)
        assert isinstance(position, CopiedPosition)
        chance, rewards = position.play(1)
        assert (chance.player(), rewards) == ("chance", (0.0,))
        state = chance.sample(random.Random(seed))[0].env.unwrapped.s
        seen[state] += 1
        agreed += state == env.step(1)[0]
    assert set(seen) == {0, 1, 4}
    assert min(seen.values()) > 30
    assert 30 < agreed < 70  # a third; a copy with its generator agrees in all 150


def test_samples_of_one_seed_are_equal_and_those_of_others_are_independent():
    chance, _ = position_of(hidden("FrozenLake-v1")).play(1)
    assert chance.sample(random.Random(7)) == chance.sample(random.Random(7))
    assert hash(chance.sample(random.Random(7))) == hash(chance.sample(random.Random(7)))
    rng = random.Random(1)
    assert len({chance.sample(rng)[0] for _ in range(40)}) == 3
    pairs = Counter((chance.sample(rng)[0].env.unwrapped.s, chance.sample(rng)[0].env.unwrapped.s) for _ in range(180))
    assert len(pairs) == 9
    assert max(pairs.values()) < 45


def test_copies_of_a_lake_pay_what_its_table_does():
    rng, returns = random.Random(5), []
    policy = [0, 3, 3, 3, 0, 0, 0, 0, 3, 1, 0, 0, 0, 2, 1, 0]  # optimal; 14/17 without a limit
    position = position_of(hidden("FrozenLake-v1", max_episode_steps=12))
    for _ in range(100):
        returns.append(played(position, lambda at: policy[at.env.unwrapped.s], rng)[0])
    exact = best(position_of(environment("FrozenLake-v1", max_episode_steps=12)))
    assert set(returns) == {0.0, 1.0}
    assert abs(np.mean(returns) - exact) < 3.0 * np.sqrt(exact * (1.0 - exact) / 100)


def test_playouts_are_random_games():
    env = hidden("FrozenLake-v1", max_episode_steps=8)
    env.unwrapped.s = 10
    position: Any = position_of(env)

    @functools.cache
    def expected(at: Any) -> float:
        if at.result() is not None:
            return float(at.result()[0])
        if at.player() == "chance":
            return sum(chance * (reward + expected(after)) for chance, after, (reward,) in at.chance())
        return sum(rewards[0] + expected(after) for after, rewards in map(at.play, at.moves())) / 4

    table = environment("FrozenLake-v1", max_episode_steps=8)
    table.unwrapped.s = 10
    exact = expected(position_of(table))
    for start in position, position.play(1)[0]:
        rng = random.Random(1)
        totals = [start.playout(rng, 100)[0] for _ in range(500)]
        assert set(totals) == {0.0, 1.0}
        if start is position:
            assert abs(np.mean(totals) - exact) < 3.0 * np.sqrt(exact * (1.0 - exact) / 500)
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


def drawing(*values: float) -> Any:
    left = list(values)
    return Drawing(lambda: left.pop())


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: gymnasium.make("FrozenLake-v1"), r"have been reset; call reset\(\) of FrozenLakeEnv first"),
        (
            lambda: gymnasium.make("CartPole-v1"),
            r"have been reset and not have ended; step\(0\) of CartPoleEnv failed: Cannot",
        ),
        (lambda: environment("Pendulum-v1"), r"have a Discrete action space; got Box\("),
        (lambda: environment("Blackjack-v1"), "have no hidden state; BlackjackEnv hides the dealer's second"),
        (ended, "not have ended; FrozenLakeEnv has no steps left"),
        (lambda: Drawing(one for one in ()), "support copies, .* copying Drawing failed: cannot pickle"),
        (lambda: drawing(1.0, 2.0), "support copies; two copies of Drawing returned different results"),
    ],
)
def test_what_cannot_be_a_position_is_refused_in_a_sentence(make: Any, sentence: str):
    with pytest.raises(ValueError, match=f"^env must {sentence}"):
        position_of(make())


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: gymnasium.make("Taxi-v4"), "have been reset; TaxiEnv has 300 possible initial states"),
        (lambda: gymnasium.make("CartPole-v1"), "have a transition table P, and no wrapper .*; got CartPoleEnv"),
        (lambda: hidden("FrozenLake-v1"), "have a transition table P, and no wrapper .*; got FrozenLakeEnv"),
    ],
)
def test_what_cannot_be_a_process_is_refused_in_a_sentence(make: Any, sentence: str):
    with pytest.raises(ValueError, match=f"^env must {sentence}"):
        process_of(make())


@pytest.mark.parametrize("draw", [lambda: random.random(), lambda: np.random.random()])  # noqa: NPY002
def test_a_step_that_draws_from_a_shared_generator_is_refused(draw: Any):
    assert position_of(Drawing(float)).moves() == [3, 4]
    with pytest.raises(ValueError, match=r"^env must draw from its own np_random; step\(\) of Drawing used"):
        position_of(Drawing(draw))
