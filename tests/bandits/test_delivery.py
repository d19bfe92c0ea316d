"""Rewards that come late or in batches: what is played by those that have arrived, against plain Python and theory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bandits import Bernoulli, Gaussian, Piecewise, Policy, RandomBernoulli, make, simulate, trace
from bandits.simulation import replicate, replicate_steps
from tests import naive, naive_delivery
from tests.bandits.policies import EXAMPLES, FEATURED, LIMITED, PLANNED, SEEN
from tests.bandits.test_own_rules import numbers
from tests.bandits.test_plain import WinStay
from tests.internals import DELIVERY, Delivery, besa_learn, plain
from tests.refusals import refused

pytestmark = pytest.mark.kernels

MEANS, HORIZON, RUNS, SEED = [0.3, 0.62, 0.6], 60, 3, 17
AT_ONCE = ["fixed delay=0", "batch size=1", "geometric mean=0.0"]
TWINS: dict[str, Callable[[int], list[int]]] = {
    "fixed delay=7": lambda run: naive_delivery.late(7, HORIZON),
    "batch size=9": lambda run: naive_delivery.batches(9, HORIZON),
    "geometric mean=6.5": lambda run: naive_delivery.drawn(naive_delivery.geometric(6.5), HORIZON, SEED, run),
}
FOUR = [0.2, 0.7, 0.5, 0.65]
WEIGHING = {
    "exp3": lambda: naive.Exp3(4, 0.1),
    "exp3_ix": lambda: naive.Exp3IX(4),
    "tsallis_inf": lambda: naive.Tsallis(4),
    "gradient": lambda: naive.Gradient(4, 0.1),
}


def same_as_the_twin(rule: Callable[[], naive_delivery.Rule], policy: Policy, means: list[float], delivery: str):
    """Play RUNS replications, and compare every step with those of plain Python."""
    explore = policy.spec().estimates.explore
    for run in range(RUNS):
        played, steps = replicate_steps(policy, Bernoulli(means), HORIZON, SEED, run, DELIVERY.of(delivery))
        twin = naive_delivery.play(rule(), means, TWINS[delivery](run), SEED, run, explore=explore)
        assert steps.arm.tolist() == [step.arm for step in twin]
        assert steps.reward.tolist() == [step.reward for step in twin]
        np.testing.assert_allclose(played.pseudo_regret[0], [step.pseudo_regret for step in twin], atol=1e-12)
        assert played.realised_regret[0].tolist() == [step.realised_regret for step in twin]


LATE = list(TWINS)
PLAYED = [*EXAMPLES, *PLANNED, *LIMITED]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("policy", PLAYED, ids=str)
def test_every_policy_pulls_what_it_pulls_in_plain_python(policy: Policy):
    means = MEANS[:2] if policy.limits is not None else MEANS
    hooks = functools.partial(naive_delivery.Hooks, policy, len(means), HORIZON)
    same_as_the_twin(hooks, policy, means, LATE[PLAYED.index(policy) % 3])


@pytest.mark.parametrize(
    ("name", "delivery"), [*zip(WEIGHING, [*LATE, LATE[0]], strict=True), ("exp3", LATE[2]), ("gradient", LATE[1])]
)
def test_a_rule_that_draws_by_weights_learns_with_the_probabilities_of_the_pull(name: str, delivery: str):
    same_as_the_twin(lambda: naive_delivery.Weighed(WEIGHING[name]()), make(name), FOUR, delivery)


class Leader:
    """The arm of the best mean of what has come in, each once first; it counts what it is told."""

    def __init__(self, arms):
        self.rewards = [[] for _ in range(arms)]

    def choose(self):
        counts = [len(of) for of in self.rewards]
        means = [sum(of) / len(of) if of else 2.0 for of in self.rewards]
        return means.index(max(means)) if sum(counts) % 5 else counts.index(min(counts))

    def update(self, arm, reward):
        self.rewards[arm].append(reward)


def classed() -> Any:
    """The class as the twin asks for it."""
    mine = Leader(3)
    told = {"learn": lambda arm, reward, _: mine.update(arm, reward), "note": lambda: None}
    return SimpleNamespace(choose=lambda *_: mine.choose(), **told)


@pytest.mark.parametrize("delivery", TWINS)
def test_a_class_of_a_user_is_told_of_rewards_when_they_arrive(delivery: str, monkeypatch):
    monkeypatch.setattr(plain, "_TABLE", 40)  # of several tables
    same_as_the_twin(classed, make("custom", rule=Leader), MEANS, delivery)


@pytest.mark.sampled(14)
@pytest.mark.jit
@pytest.mark.parametrize("policy", [*PLAYED, *FEATURED], ids=str)
def test_no_delay_and_batches_of_one_are_what_is_known_at_once_to_the_last_bit(policy: Policy):
    delivery = AT_ONCE[[*PLAYED, *FEATURED].index(policy) % 3]
    worlds = [Bernoulli(MEANS[:2]), RandomBernoulli(arms=2), Gaussian([0.1, 0.4])]
    worlds = worlds[: 3 if not policy.unit_rewards else 2 if policy.limits is None else 1]
    for arms in [SEEN] if policy.needs_features else worlds:
        terms = {"horizon": HORIZON, "runs": 4, "seed": SEED, "checkpoints": range(1, HORIZON + 1)}
        assert numbers(simulate(policy, arms, **terms, delivery=delivery).replications) == numbers(
            simulate(policy, arms, **terms).replications
        )


@pytest.mark.parametrize(
    ("policy", "delivery"), [(make("ucb"), AT_ONCE[0]), (make("custom", rule=WinStay), AT_ONCE[1])], ids=str
)
def test_no_delay_changes_nothing_in_a_world_that_changes(policy: Policy, delivery: str):
    arms = Piecewise([0.2, 0.5, 0.6], changes=[9, 30], means=[[0.6, 0.1, 0.2], [0.0, 0.9, 0.3]])
    late, at_once = (simulate(policy, arms, 60, 4, SEED, delivery=each).replications for each in (delivery, "at_once"))
    assert numbers(late) == numbers(at_once)
    assert (late.fixed_regret == at_once.fixed_regret).all()
    assert (late.lost == at_once.lost).all()


@pytest.mark.parametrize("delivery", ["batch size=7", "geometric mean=20.0"])
def test_a_part_of_the_replications_is_the_same_alone_and_with_more_workers(delivery: str):
    times, of = np.array([10, HORIZON]), DELIVERY.of(delivery)
    whole = replicate(make("thompson"), Bernoulli(MEANS), HORIZON, times, SEED, 0, 9, delivery=of)
    part = replicate(make("thompson"), Bernoulli(MEANS), HORIZON, times, SEED, 4, 3, delivery=of)
    assert numbers(part) == numbers(whole.part(4, 3))
    shared = simulate("thompson", MEANS, HORIZON, 9, SEED, checkpoints=[10], workers=3, delivery=delivery)
    assert numbers(shared.replications) == numbers(whole)


def test_regret_counts_pulls_and_the_recommendation_only_what_is_known():
    result = simulate("greedy", [0.2, 0.9], 10, 4, checkpoints=range(1, 11), delivery="batch size=8")
    assert result.pulls.sum(axis=1).tolist() == [10] * 4
    in_turn = np.array([0.7 * ((t + 1) // 2) for t in range(1, 9)])
    np.testing.assert_allclose(result.replications.pseudo_regret[:, :8], np.tile(in_turn, (4, 1)))
    # No reward is known: a replication recommends any arm, and the same one as long as nothing is known.
    assert result.simple_regret[:, :7].round(12).tolist() == [[0.0] * 7, [0.7] * 7, [0.0] * 7, [0.7] * 7]


def test_a_trace_counts_the_rewards_that_are_known():
    played = trace("ucb", MEANS, 30, delivery="fixed delay=4")
    table, steps = played.to_frame(), played.steps
    for s in range(30):
        counts = np.bincount(steps.arm[: max(0, s - 4)], minlength=3)
        assert table.loc[s, ["pulls_0", "pulls_1", "pulls_2"]].tolist() == counts.tolist()
    assert (table["mean_0"][table["pulls_0"] == 0] == 0.0).all()
    assert np.isnan(table["index_0"][:7]).all()


def test_besa_keeps_the_rewards_of_each_arm_together_in_whatever_order_they_come():
    rng, arms, horizon = np.random.default_rng(3), 4, 40
    memory, order = np.zeros((3 + horizon + 2 * arms, 1)), rng.integers(arms, size=horizon)
    rewards = rng.random(horizon)
    for known in range(horizon):
        besa_learn(memory, order[known : known + 1], rewards[known : known + 1])
        counts = np.bincount(order[: known + 1], minlength=arms)
        ends = [0, *accumulate(counts.tolist())]
        for a in range(arms):
            kept = memory[3 + ends[a] : 3 + ends[a + 1], 0]
            assert sorted(kept) == sorted(rewards[: known + 1][order[: known + 1] == a])


def arrivals_of(delivery: Delivery, runs: int, horizon: int) -> np.ndarray:
    """How many pulls late the reward of each step is, int64[runs, horizon]."""
    rule, arms = make("random"), Bernoulli([0.5])
    arrivals = [replicate_steps(rule, arms, horizon, SEED, run, delivery)[1].arrival for run in range(runs)]
    return np.array(arrivals) - np.arange(horizon)


def write(path, text: str) -> str:
    """Write a log and return the text of its delivery."""
    path.write_text(text)
    return f"from_log path={path}"


def test_delays_of_a_log_are_the_impressions_until_the_reward(tmp_path):
    rows = "4,9\n1,3.5\n2,\n3,3\n5,5.1\n"
    delivery = DELIVERY.of(write(tmp_path / "log.csv", f"shown,rewarded\n{rows}"))
    assert delivery.values.tolist() == [1, 2, 0, 0]
    drawn = [naive_delivery.drawn(naive_delivery.logged([1, 2, 0, 0]), 30, SEED, run) for run in range(2)]
    assert arrivals_of(delivery, 2, 30).tolist() == drawn
    dates = "shown,rewarded\n2026-11-25T10:00:00,2026-11-25T10:02:30\n2026-11-25T10:01:00,\n2026-11-25T10:02:00,\n"
    assert DELIVERY.of(write(tmp_path / "dates.csv", dates)).values.tolist() == [2]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("shown,other\n1,2\n", ("rewarded_column 'rewarded'",)),
        ("shown,rewarded\n1,2\n2,soon\n", ("line 3", "'rewarded'", "got 'soon'")),
        ("shown,rewarded\n1,2\n2,1\n", ("line 3", "got '1'")),
        ("shown,rewarded\n1,\n2,\n", ("'rewarded'", "at least one")),
        ("shown,rewarded\n2026-11-25,2026-11-26\n2,3\n", ("line 3", "'shown'", "got '2'")),
        ("shown,rewarded\n2026-11-25T10:00:00+01:00,\n2026-11-25T10:01:00,\n", ("line 3", "'shown'", "10:01:00'")),
        ("shown,rewarded\n0,90\n" + "".join(f"{i},\n" for i in range(1, 90)), ("at most 58", "60 pulls", "got 89")),
    ],
)
def test_a_log_that_gives_no_delays_is_refused(text: str, facts: tuple[str, ...], tmp_path):
    refused(lambda: simulate("ucb", MEANS, HORIZON, delivery=write(tmp_path / "log.csv", text)), "", *facts)


@pytest.mark.parametrize(
    ("delivery", "key", "fact"),
    [
        ("fixed delay=59", "delay", "at most 58, so that"),
        ("batch size=60", "size", "at most 59, so that"),
        ("geometric mean=60", "mean", "at most 58, so that"),
        ("from_log", "path", "from_log"),
    ],
)
def test_a_delivery_whose_rewards_come_too_late_is_refused(delivery: str, key: str, fact: str):
    for refuse in (simulate, trace):
        refused(lambda refuse=refuse: refuse("ucb", MEANS, HORIZON, delivery=delivery), f"delivery.{key} ", fact)


def test_the_longest_delays_of_a_run_are_played():
    for delivery, in_turn in (("fixed delay=58", 60), ("batch size=59", 59)):
        played = trace("ucb", MEANS, HORIZON, delivery=delivery)
        assert played.steps.arm[:in_turn].tolist() == [t % 3 for t in range(in_turn)]
        assert np.isnan(played.steps.scores[-1]).all() == (in_turn == 60)
    refused(lambda: simulate("ucb", MEANS, 10**9, 1, delivery="fixed delay=100000000"), "delivery", "10000000")
