"""A user's plain Python class plays the same replications as compiled rules do; its mistakes are sentences."""

from __future__ import annotations

import pickle
import random
import time

import numpy as np
import pytest

import bandits.trials
from bandits import Bernoulli, Custom, Gaussian, RandomBernoulli, simulate
from bandits.simulation import replicate_steps
from connect4 import Board
from mcts import monte_carlo_values, search
from tests.bandits.test_user_rules import numbers, win_stay

TERMS = {"horizon": 90, "runs": 7, "seed": 3, "checkpoints": [1, 2, 50, 77]}


class WinStay:
    """`tests.bandits.test_user_rules.win_stay` as a homework has it."""

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

    def __init__(self, rng, horizon, params, arms=5, other=1):
        self.rng, self.weights = rng, params
        assert (horizon, other) == (90, 1) or horizon == 20

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
    policy = Custom(AnyArm, [0.1, 0.2, 0.7])
    assert policy == pickle.loads(pickle.dumps(policy)) == Custom(f"{__name__}.AnyArm", [0.1, 0.2, 0.7])
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


class Sleeps:
    def choose(self):
        time.sleep(2.0)
        return 0

    update = print


class DrawsFromNumPy:
    def choose(self):
        return int(np.random.randint(2))  # noqa: NPY002 (the mistake)

    def update(self, arm, reward):
        pass


class DrawsFromTheLibrary(DrawsFromNumPy):
    def choose(self):
        return random.randrange(2)


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        (DrawsFromNumPy, r" draws from numpy\.random, which no seed of a run reaches; take rng"),
        (DrawsFromTheLibrary, r" draws from random, which no seed of a run reaches; take rng"),
        (ChoosesNone, r" must choose a whole number, an arm from 0 to 1; got None at t = 1$"),
        (FailsLate, r" fails at t = 30: KeyError: 'state' \(test_plain\.py, line \d+: raise KeyError\(.state.\)\)$"),
        (TakesMore, r" must take none but arms, horizon, params, rng when it is made; it takes temperature$"),
        (HasNoUpdate, r" must have the methods choose\(\) and update\(arm, reward\); no update$"),
        (Sleeps, r" has not answered after 0\.1 s at t = 1$"),
    ],
)
def test_mistakes_in_a_class_are_sentences(cls, said: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bandits.plain, "PATIENCE", 0.1)
    monkeypatch.setattr(bandits.trials, "PATIENCE", 0.1)
    with pytest.raises(ValueError, match=rf"^rule '?{__name__}\.{cls.__name__}'?{said}"):
        simulate(cls, [0.2, 0.7], 40, 2)


def test_a_search_needs_a_compiled_rule():
    for play in (search, monte_carlo_values):
        with pytest.raises(ValueError, match=r"which only `simulate` plays|must be an index policy"):
            play(Board(), policy=Custom(WinStay), simulations=10)
