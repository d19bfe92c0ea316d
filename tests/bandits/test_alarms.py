"""Policies that restart at alarms: against their papers in plain Python, in worlds that stand still and that jump."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bandits import Arms, Bernoulli, Piecewise, Policy, make, simulate
from tests import naive, naive_alarms, naive_worlds

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 240, 2, 12
MEANS = [[0.1, 0.9, 0.5, 0.75], [0.9, 0.1, 0.5, 0.75]]
JUMPING = Piecewise(MEANS[0], changes=[120], means=MEANS[1:])


def cusum_tuning(changes: int) -> tuple[float, float]:
    """The threshold and the probability of an arm at random."""
    return math.log(HORIZON / changes), math.sqrt(changes / HORIZON * math.log(HORIZON / changes))


QUIET = {make("m_ucb"), make("cusum_ucb")}  # whose numbers are for longer runs
TWINS = [
    (make("m_ucb"), lambda: naive_alarms.MUCB(4, HORIZON, 800, None, None, 1)),
    (make("m_ucb", window=10, threshold=3.5), lambda: naive_alarms.MUCB(4, HORIZON, 10, 3.5, None, 1)),
    (make("m_ucb", window=6, threshold=1.5, gamma=0.0), lambda: naive_alarms.MUCB(4, HORIZON, 6, 1.5, 0.0, 1)),
    (make("m_ucb", window=12, threshold=3.0, gamma=0.3), lambda: naive_alarms.MUCB(4, HORIZON, 12, 3.0, 0.3, 1)),
    (make("cusum_ucb"), lambda: naive_alarms.CUSUMUCB(4, 100, 0.1, *cusum_tuning(1))),
    (make("cusum_ucb", changes=7, first=5, epsilon=0.05), lambda: naive_alarms.CUSUMUCB(4, 5, 0.05, *cusum_tuning(7))),
    (
        make("cusum_ucb", first=9, threshold=2.45, alpha=0.0, xi=1.0),
        lambda: naive_alarms.CUSUMUCB(4, 9, 0.1, 2.45, 0.0, 1.0),
    ),
    (make("glr_kl_ucb"), lambda: naive_alarms.GLRKLUCB(4, HORIZON, None, 1.0, 10, 10, True)),
    (make("glr_kl_ucb", restart="global"), lambda: naive_alarms.GLRKLUCB(4, HORIZON, None, 1.0, 10, 10, False)),
    (
        make("glr_kl_ucb", delta=0.5, alpha=0.0, every=1, splits=1),
        lambda: naive_alarms.GLRKLUCB(4, HORIZON, 0.5, 0.0, 1, 1, True),
    ),
    (
        make("glr_kl_ucb", restart="global", delta=0.3, alpha=0.5, every=3, splits=7),
        lambda: naive_alarms.GLRKLUCB(4, HORIZON, 0.3, 0.5, 3, 7, False),
    ),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arms", [Bernoulli(MEANS[0]), JUMPING], ids=["still", "jumping"])
@pytest.mark.parametrize(("policy", "pick"), TWINS, ids=[str(policy) for policy, _ in TWINS])
def test_the_kernel_pulls_what_the_paper_in_plain_python_pulls(policy: Policy, pick, arms: Arms):
    played = simulate(policy, arms, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1)).replications
    rows = naive_worlds.jumps([120] if arms.changing else [], MEANS, HORIZON)
    for run in range(RUNS):
        twin = pick()
        steps = naive.play(twin, rows, naive.bernoulli, SEED, run, explore=0)
        np.testing.assert_array_equal(played.pulls[run], np.bincount([one.arm for one in steps], minlength=4))
        np.testing.assert_allclose(played.pseudo_regret[run], [one.pseudo_regret for one in steps], atol=1e-12)
        np.testing.assert_array_equal(played.alarms[run, :-1], twin.counts[1:])
    if policy not in QUIET and arms.changing:
        assert (played.alarms[:, -1] > 0).any(), "else this compares no restarts"


def test_where_nothing_alarms_no_column_of_alarms_is_kept():
    assert simulate("ucb", JUMPING, 200, 2).replications.alarms.size == 0
