"""The blocked, compiled simulation against a scalar one that plays a replication step by step."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from bandits import UCB, Arms, Bernoulli, Gaussian, Policy, make, simulate
from bandits.simulation import replicate_steps
from tests import naive
from tests.internals import MOST_ROOTS

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 100, 3, 20
BERNOULLI = Bernoulli([0.2, 0.55, 0.5, 0.55])
GAUSSIAN = Gaussian([0.0, 0.3, -1.0], scale=0.7)


def _mean(n: float, m: float, v: float, t: float) -> float:
    return m


GREEDY = naive.indexed(_mean)

# policy, a maker of its naive pick (a new one for each replication), and how the estimates start and move
ANY_REWARDS = [
    (make("random"), lambda: naive.uniform, {"explore": 0}),
    (make("greedy"), lambda: GREEDY, {}),
    (make("greedy", explore=0), lambda: GREEDY, {"explore": 0}),
    (make("greedy", step_size=0.2), lambda: GREEDY, {"step_size": 0.2}),
    (make("explore_then_commit", explore=5), naive.commit, {"explore": 5}),
    (make("epsilon_greedy"), lambda: naive.epsilon_greedy(lambda t: 0.1), {}),
    (make("epsilon_greedy", epsilon=1.0, decay=8.0), lambda: naive.epsilon_greedy(lambda t: min(1.0, 8.0 / t)), {}),
    (
        make("epsilon_greedy", epsilon=0.3, explore=0, step_size=0.5),
        lambda: naive.epsilon_greedy(lambda t: 0.3),
        {"explore": 0, "step_size": 0.5},
    ),
    (make("optimistic"), lambda: GREEDY, {"explore": 0, "initial": 1.0, "prior_pulls": 1.0}),
    (
        make("optimistic", initial=3.0, prior_pulls=2.5),
        lambda: GREEDY,
        {"explore": 0, "initial": 3.0, "prior_pulls": 2.5},
    ),
    (make("optimistic", initial=5.0, step_size=0.1), lambda: GREEDY, {"explore": 0, "initial": 5.0, "step_size": 0.1}),
    (UCB(c=0.3), lambda: naive.indexed(lambda n, m, v, t: naive.ucb(n, m, t, 0.3)), {}),
    (make("softmax"), lambda: naive.softmax(0.1), {}),
]
UNIT_REWARDS = [
    (make("ucb_v"), lambda: naive.indexed(naive.ucb_v), {}),
    (make("ucb_v", zeta=0.4, c=0.2), lambda: naive.indexed(lambda n, m, v, t: naive.ucb_v(n, m, v, t, 0.4, 0.2)), {}),
    (make("kl_ucb", c=3.0), lambda: naive.indexed(lambda n, m, v, t: naive.kl_ucb(n, m, t, 3.0)), {}),
]


def _puct(arms: int, c: float):
    return lambda: naive.indexed(lambda n, m, v, t: naive.puct(n, m, t, 1.0 / arms, c))


def _moss(arms: int):
    return lambda: naive.indexed(lambda n, m, v, t: naive.moss(n, m, HORIZON, arms))


def _drawing(rule: naive.Weighing):
    return lambda: naive.weighing(copy.deepcopy(rule))


CASES = [
    *((policy, BERNOULLI, pick, how) for policy, pick, how in ANY_REWARDS + UNIT_REWARDS),
    *((policy, GAUSSIAN, pick, how) for policy, pick, how in ANY_REWARDS[::3]),
    (make("moss"), BERNOULLI, _moss(4), {}),
    (make("moss"), GAUSSIAN, _moss(3), {}),
    (make("puct"), BERNOULLI, _puct(4, 1.0), {"explore": 0, "initial": 0.5}),
    (make("exp3"), BERNOULLI, _drawing(naive.Exp3(4, 0.1)), {"explore": 0}),
    (make("exp3", gamma=1.0), BERNOULLI, _drawing(naive.Exp3(4, 1.0)), {"explore": 0}),
    (make("exp3_ix"), BERNOULLI, _drawing(naive.Exp3IX(4)), {"explore": 0}),
    (make("tsallis_inf"), BERNOULLI, _drawing(naive.Tsallis(4)), {"explore": 0}),
    (make("gradient", step_size=3.0), BERNOULLI, _drawing(naive.Gradient(4, 3.0)), {"explore": 0}),
    (make("improved_ucb"), Bernoulli([1.0, 0.5, 0.0, 0.9]), lambda: naive.improved_ucb(4, HORIZON), {"explore": 0}),
    (make("puct", c=0.3, initial=2.0), GAUSSIAN, _puct(3, 0.3), {"explore": 0, "initial": 2.0}),
]
NAMES = [f"{arms.name}-{policy}" for policy, arms, _, _ in CASES]


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("policy", "arms", "pick", "how"), CASES, ids=NAMES)
def test_the_kernel_plays_as_the_scalar_simulation_does_to_the_last_bit(policy: Policy, arms: Arms, pick, how):
    law, scale = getattr(naive, arms.name), getattr(arms, "scale", 1.0)
    expected = [
        naive.table(naive.play(pick(), [arms.fixed_means] * HORIZON, law, SEED, run, scale=scale, **how))
        for run in range(RUNS)
    ]
    pulls = [np.bincount(table["arm"], minlength=arms.count) for table in expected]
    for block in (2, 64):
        result = simulate(policy, arms, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1), block=block)
        played = result.replications
        np.testing.assert_array_equal(played.pulls, pulls)
        np.testing.assert_array_equal(played.reward, [table["reward"] for table in expected])
        np.testing.assert_array_equal(played.pseudo_regret, [table["pseudo_regret"] for table in expected])
        np.testing.assert_array_equal(played.realised_regret, [table["realised_regret"] for table in expected])
    for run, table in enumerate(expected):
        steps = replicate_steps(policy, arms, HORIZON, SEED, run)[1]
        np.testing.assert_array_equal(steps.arm, table["arm"])
        np.testing.assert_array_equal(steps.reward, table["reward"])


@pytest.mark.long
@pytest.mark.jit
def test_results_are_compared_as_objects_and_saved_in_a_home_folder_too(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    one, same = (simulate(UCB(), Bernoulli([0.2, 0.8]), 20, 3) for _ in range(2))
    assert one == one
    assert one != same
    assert {one, same} == {same, one}
    assert one.save("~/kept") == tmp_path / "kept"
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert kept == {"curves.parquet", "pulls.parquet", "summary.csv", "figures"}


@pytest.mark.long
@pytest.mark.jit
def test_the_width_of_an_arm_stays_exact_past_the_counts_whose_roots_are_kept():
    _, steps = replicate_steps(UCB(c=0.1), Bernoulli([0.0, 1.0]), MOST_ROOTS + 1_000, seed=0, run=0)
    pulls = np.cumsum(steps.arm == 1)  # after step t, which is line t - 1
    assert pulls[-2] > MOST_ROOTS
    for t in (MOST_ROOTS // 2, *range(steps.arm.size - 900, steps.arm.size + 1)):
        assert steps.scores[t - 1, 1] == 1.0 + 0.1 * math.sqrt(math.log(t)) * (1.0 / math.sqrt(pulls[t - 2]))
