"""The trial of a user's law before the run: what is refused, and the numbers that a law gets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Arms, Bernoulli, CustomArms, Mixture, Policy, reward_law, simulate, trace
from tests.bandits.test_simple_regret import TakesTurns
from tests.internals import check_law
from tests.refusals import refused

HERE = __name__


@reward_law
def exponential(uniform, mean, arm, params, reward):
    for r in range(reward.size):
        reward[r] = -mean[r] * math.log(1.0 - uniform[r])


def _halves(p, q, params):
    return (p - q) ** 2


@reward_law
def steady(uniform, mean, arm, params, reward):
    """Always the mean, by the three arguments at once."""
    reward[:] = mean + 0.0 * arm + 0.0 * uniform


@reward_law(unit=True, divergence=_halves)
def halves(uniform, mean, arm, params, reward):
    """0, 1/2 or 1 with this mean: two coins."""
    for r in range(reward.size):
        reward[r] = (0.5 if uniform[r] < mean[r] else 0.0) + (0.5 if 1.0 - uniform[r] < mean[r] else 0.0)


def _law(body: str, **options: object) -> Arms:
    names: dict[str, object] = {"__name__": HERE, "math": math}
    exec(f"def f(uniform, mean, arm, params, reward):\n    for r in range(reward.size):\n        {body}", names)
    law = reward_law(**options)(names["f"])  # type: ignore[call-overload]

    class Of(CustomArms):
        @property
        def reward_law(self):
            return law

    return Of([0.25, 0.75], law="a.b")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "options", "facts"),
    [
        ("pass", {}, ("nan", "uniform 0", "mean 0.25")),
        ("reward[r] = mean[r] / uniform[r]", {}, ("inf", "uniform 0", "mean 0.25")),
        ("reward[r] = mean[r] + 0.5", {}, ("mean, 0.25", "0.75")),
        ("reward[r] = 2.0 * mean[r] * uniform[r]", {"unit": True}, ("unit=True", "[0, 1]", "1.5")),
        ("raise RuntimeError('not today')", {}, ("RuntimeError: not today",)),
    ],
)
def test_mistakes_in_a_law_are_refused_with_what_it_did(body, options, facts):
    refused(lambda: check_law(_law(body, **options)), "law ", *facts)


@pytest.mark.long
def test_rounding_in_the_average_of_large_rewards_is_no_mistake_of_a_law():
    check_law(CustomArms([1e9 + 0.1, 2.0], law=steady))


def test_a_law_that_takes_whole_arrays_plays_among_others():
    arms = Mixture([CustomArms([2.0, 3.0], law=steady), Bernoulli([0.0])])
    played = simulate("random", arms, 60, 8, seed=1).replications
    assert played.reward_sum[:, -1].tolist() == (played.pulls @ [2.0, 3.0, 0.0]).tolist()


def test_a_law_of_a_user_is_played_with_the_means_it_is_given_and_by_the_policies_that_it_can_be():
    arms = CustomArms([0.5, 2.0, 1.0], law=exponential)
    assert arms.law == f"{HERE}.exponential"
    played = simulate(Policy.make("ucb"), arms, 200, 10, seed=1)
    assert np.isnan(float(played.summary["lai_robbins_constant"].iloc[0]))
    assert played.pseudo_regret.mean() < 200 * arms.uniform_regret()
    paid, expected = played.replications.reward_sum[:, -1].mean(), 400.0 - played.pseudo_regret.mean()
    assert abs(paid - expected) < 5.0 * 2.0 * np.sqrt(200 / 10)
    refused(lambda: simulate("thompson", arms, 50, 2), "arms", "[0, 1]", "thompson")


def test_a_law_that_declares_rewards_in_the_unit_interval_and_a_divergence_has_a_bound():
    arms = CustomArms([0.2, 0.7], law=f"{HERE}.halves")
    played = simulate(Policy.make("thompson"), arms, 100, 5)
    assert float(played.summary["lai_robbins_constant"].iloc[0]) == pytest.approx(0.5 / 0.25)


@reward_law
def scaled(uniform, mean, arm, params, reward):
    """Its arm's first number or none, and its arm's second number on top of either."""
    for r in range(reward.size):
        paid = params[arm[r], 0] if uniform[r] * params[arm[r], 0] < mean[r] - params[arm[r], 1] else 0.0
        reward[r] = paid + params[arm[r], 1]


@pytest.mark.parametrize(
    ("params", "numbers"), [([4.0, 0.25], [[4.0, 0.25]] * 3), ([[1.0, 0.5], [2, 0], [4.0, -1.0]], None)]
)
def test_a_law_finds_the_numbers_of_each_arm(params, numbers):
    arms = CustomArms([0.6, 0.75, 0.7], law=scaled, params=params)
    assert arms.law_params.tolist() == (numbers or params)
    played = simulate(["random", "ucb"], arms, 300, 4, checkpoints=[1], seed=3)
    assert {one.pulls.sum() for one in played.values()} == {1200}
    kept = trace(Policy.make("random"), arms, 300, seed=3).steps
    for number, (size, least) in enumerate(numbers or params):
        assert set(kept.reward[kept.arm == number]) == {least, least + size}
    size, least = (numbers or params)[1]
    assert set(kept.best_reward) == {least, least + size}
    classes = simulate(Pulls, arms, 300, 2, seed=3)
    assert classes.replications.best_reward_sum[:, -1].tolist() == pytest.approx(
        played["random"].replications.best_reward_sum[:2, -1].tolist()
    )


class Pulls(TakesTurns):
    """Every arm in turn, by a class that sees its rewards."""

    def update(self, arm, reward):
        assert reward in {0.25, 0.5, 0.0, -1.0} | {4.25, 1.5, 2.0, 3.0}
