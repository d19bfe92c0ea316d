"""A user's plain Python class plays the same replications as compiled rules do; its mistakes are sentences."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bandits import Bernoulli, Custom, Gaussian, RandomBernoulli, simulate
from bandits.simulation import replicate_steps
from connect4 import Board
from mcts import monte_carlo_values, search
from tests.bandits.test_own_rules import numbers, win_stay
from tests.refusals import refused

TERMS = {"horizon": 90, "runs": 7, "seed": 3, "checkpoints": [1, 2, 50, 77]}


class WinStay:
    """`tests.bandits.test_own_rules.win_stay` as a homework has it."""

    def __init__(self, arms):
        self.arms, self.arm, self.reward = arms, 0, 0.0

    def choose(self):
        if self.reward <= 0.0:
            self.arm = (self.arm + 1) % self.arms
        return self.arm

    def update(self, arm, reward):
        assert arm == self.arm
        self.reward = reward


class AnyArm:
    """Random play with what a class can be given."""

    def __init__(self, rng, horizon, arms, first=0.2, second=0.2, size=3):
        self.rng, self.weights = rng, [first, second, 1.0 - first - second][:arms]
        self.weights[-1] = 1.0 - sum(self.weights[:-1])
        assert (horizon, arms) in ((90, 3), (20, 3))  # the latter in a trial
        assert isinstance(size, int)

    def choose(self):
        return self.rng.choice(len(self.weights), p=self.weights)

    def update(self, arm, reward):
        pass


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arms", [Bernoulli([0.2, 0.5, 0.7]), Gaussian([0.1, 0.7, 0.5]), RandomBernoulli(arms=4)])
def test_a_class_plays_as_the_compiled_rule_of_the_same_choices_to_the_last_bit(arms, monkeypatch):
    monkeypatch.setattr("bandits.plain._TABLE", 100)  # of several tables
    plain, compiled = simulate(WinStay, arms, **TERMS), simulate(Custom(win_stay), arms, **TERMS)
    assert numbers(plain.replications) == numbers(compiled.replications)
    assert numbers(simulate(WinStay, arms, **TERMS, workers=2).replications) == numbers(plain.replications)


def test_a_trace_keeps_the_steps_of_a_class():
    (played, steps), (_, others) = (
        replicate_steps(Custom(one), Bernoulli([0.2, 0.6]), 30, 1, 4) for one in (WinStay, win_stay)
    )
    for name in ("arm", "reward", "best_reward", "means"):
        np.testing.assert_array_equal(getattr(steps, name), getattr(others, name))
    assert np.isnan(steps.scores).all()
    assert played.pulls.sum() == 30


def test_a_class_is_given_what_it_takes_and_its_generator_is_the_replications_own():
    policy = Custom(AnyArm, first=0.1, size=5)
    assert policy == pickle.loads(pickle.dumps(policy)) == Custom(f"{__name__}.AnyArm", size=5, first=0.1)
    assert str(policy) == f"{__name__}.AnyArm first=0.1 size=5"
    whole = simulate(policy, [0.1, 0.5, 0.9], **TERMS)
    assert whole.pulls.tolist() == simulate(policy, [0.1, 0.5, 0.9], **TERMS).pulls.tolist()
    assert len({tuple(row) for row in whole.pulls.tolist()}) > 1
    assert whole.pulls.mean(axis=0) == pytest.approx([9, 18, 63], abs=9.0)


class ChoosesNone:
    def choose(self):
        return None

    def update(self, arm, reward):
        pass


class FailsLate:
    def __init__(self):
        self.t = 0

    def choose(self):
        return 0

    def update(self, arm, reward):
        self.t += 1
        if self.t == 30:
            raise KeyError("state")


class TakesMore:
    def __init__(self, arms, temperature):
        pass

    choose = update = print


class HasNoUpdate:
    def choose(self):
        return 0


@pytest.mark.parametrize(
    ("cls", "facts"),
    [
        (ChoosesNone, ("0 to 1", "None", "t = 1")),
        (FailsLate, ("t = 30", "KeyError: 'state' (test_plain.py, line ")),
        (TakesMore, ("__init__", "arms, horizon, rng", "temperature")),
        (HasNoUpdate, ("update",)),
    ],
)
def test_mistakes_in_a_class_are_refused(cls, facts):
    assert f"{__name__}.{cls.__name__}" in refused(lambda: simulate(cls, [0.2, 0.7], 40, 2), "rule ", *facts)


def test_a_search_needs_a_compiled_rule():
    for play in (search, monte_carlo_values):
        refused(lambda play=play: play(Board(), policy=Custom(WinStay), simulations=10))
