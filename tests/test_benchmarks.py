"""The loops that the benchmark compares us with play the same game: their regret and pull counts are ours."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from bandits import UCB, Bernoulli, Linear, Logistic, Policy, make, simulate
from bandits.kernels import counting, general
from bandits.simulation import default_checkpoints
from benchmarks import (
    ablation,
    c_compiler,
    c_ucb1,
    numpy_features,
    numpy_kl_ucb,
    numpy_policies,
    numpy_thompson,
    numpy_ucb1,
    own_rule,
    peers,
    rows,
)
from benchmarks.timing import Loop, compare
from tests.bandits.policies import FEATURED

MEANS = [0.2, 0.5, 0.6, 0.9]
HORIZON, RUNS = 400, 3_000
ERRORS = 5.0  # a difference of two means is allowed this many of its standard errors

pytestmark = pytest.mark.jit


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "loop"),
    [
        ("ucb", numpy_ucb1.plain),
        ("ucb", numpy_ucb1.lean),
        ("ucb", numpy_ucb1.packed),
        ("thompson", numpy_thompson.play),
        ("kl_ucb", numpy_kl_ucb.bisection),
        ("kl_ucb", numpy_kl_ucb.newton),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_numpy_loop_has_the_mean_regret_of_our_kernel_at_every_tenth_checkpoint(name: str, loop):
    checkpoints = default_checkpoints(HORIZON)
    ours = simulate(make(name), Bernoulli(MEANS), HORIZON, RUNS, seed=1).replications
    found = loop(np.array(MEANS), HORIZON, RUNS, checkpoints, 2)
    regret = found.pseudo_regret.mean(axis=0) if isinstance(found, numpy_ucb1.Curves) else found
    margin = ERRORS * np.sqrt(2.0) * ours.pseudo_regret.std(axis=0, ddof=1) / np.sqrt(RUNS) + 1e-6
    late = checkpoints > 20  # before, lean loops that leave ties to one arm differ
    assert (np.abs(regret - ours.pseudo_regret.mean(axis=0)) <= margin)[late][::10].all()
    if isinstance(found, numpy_ucb1.Curves):
        realised = found.best_reward_sum[:, -1] - found.reward_sum[:, -1]
        spread = np.hypot(realised.std(), ours.realised_regret[:, -1].std()) / np.sqrt(RUNS)
        assert abs(realised.mean() - ours.realised_regret[:, -1].mean()) < ERRORS * spread


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name == "gittins" else [])
        for name in (*numpy_policies.SCORES, *numpy_policies.CHANCES)
    ],
)
def test_a_twin_of_a_policy_has_the_mean_regret_of_our_kernel(name: str):
    means, horizon, runs = [0.6, 0.2, 0.9, 0.5], 200, 500
    ours = simulate(make(name), Bernoulli(means), horizon, 4 * runs, seed=1)
    found = numpy_policies.play(name, np.array(means), horizon, runs, default_checkpoints(horizon), 2)
    twin = found.pseudo_regret[:, -1]
    spread = np.hypot(twin.std() / np.sqrt(runs), ours.pseudo_regret.std() / np.sqrt(4 * runs))
    assert abs(twin.mean() - ours.pseudo_regret.mean()) < ERRORS * spread + 1e-6
    assert (found.reward_sum[:, -1] <= horizon).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", numpy_features.NAMES)
def test_a_twin_that_sees_features_has_the_mean_regret_of_our_kernel(name: str):
    policy, horizon, runs = make(name, ridge=2.0), 200, 500
    arms = (Logistic if name == "logistic_thompson" else Linear)(arms=4, features=3)
    ours = simulate(policy, arms, horizon, 4 * runs, seed=1).pseudo_regret
    twin = numpy_features.play(policy, arms, horizon, runs, seed=2)
    spread = np.hypot(twin.std() / np.sqrt(runs), ours.std() / np.sqrt(4 * runs))
    assert abs(twin.mean() - ours.mean()) < ERRORS * spread


@pytest.mark.parametrize(("library", "name"), peers.SEEING, ids=lambda value: value)
def test_a_library_learns_from_features_as_we_do(library: str, name: str):
    arms, horizon = Linear(weights=[[0.0, 0.5, 0.5], [0.0, -0.5, 0.5], [0.0, 0.0, -0.7]], scale=0.1), 400
    try:
        play = peers.load_seeing(library, name)
    except ImportError as error:
        pytest.skip(f"{library}: {error}")
    _, means, features = arms.with_features(3, 0, 1, horizon)
    chosen = play(features[0], means[0], arms.deviation)
    regret = means[0].max(axis=1) - means[0][np.arange(horizon), chosen]
    ours = simulate(make(name), arms, horizon, 200, seed=3).pseudo_regret
    assert 0.5 * ours.min() < regret.sum() < 1.5 * ours.max()


def test_every_index_policy_has_a_twin_or_one_of_the_older_loops():
    older = {"ucb", "thompson", "kl_ucb"}
    plain = {"random", "greedy", "epsilon_greedy", "softmax", "explore_then_commit", "optimistic", "puct", "custom"}
    without = {"moss", "ucb_v"}  # from before the twins, of the same work as moss_anytime and ucb_tuned
    unlimited = {name for name, cls in Policy.members.items() if cls.limits is None and not cls.identifies}
    assert set(numpy_features.NAMES) == {policy.name for policy in FEATURED}
    unlimited -= set(numpy_features.NAMES)
    assert {*numpy_policies.SCORES, *numpy_policies.CHANCES} | older | plain | without == unlimited


@pytest.mark.long
@pytest.mark.skipif(c_compiler.compiler() is None, reason="no C compiler (cc)")
def test_the_c_loops_have_our_pull_counts_and_sums_to_the_last_bit():
    library = c_compiler.build(c_ucb1.SOURCE, "-ffp-contract=off")
    ours = simulate(make("ucb"), Bernoulli(MEANS), HORIZON, 333, seed=3).replications
    for variant in ("twin", "fast"):
        pulls, curves = c_ucb1.play(library, variant, MEANS, HORIZON, 333, 96, 3)
        assert (pulls == ours.pulls).all()
        for name, values in curves._asdict().items():
            assert (values == getattr(ours, name)).all()


def test_the_users_rule_is_the_built_in_one():
    assert own_rule.my_ucb.path == rows.RULE
    custom = make("custom", rule=rows.RULE, c=2.0**0.5)
    ours, theirs = (simulate(policy, Bernoulli(MEANS), 100, 50).pulls for policy in (make("ucb"), custom))
    assert (ours == theirs).all()


def test_a_ratio_is_that_of_the_speeds():
    ticks = iter([0.0, 1.0, 1.0, 3.0, 3.0, 4.0, 4.0, 6.0])
    found = compare(Loop(10, lambda: None), Loop(10, lambda: None), rounds=2, clock=lambda: next(ticks))
    assert (found.ours, found.other, found.ratio) == (10.0, 5.0, 2.0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "others"),
    [
        (general, {"choose_best": ablation.plain_best}),
        (counting, {"_likely": ablation.plain_likely}),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else value.__name__,
)
def test_a_kernel_without_an_optimisation_pulls_the_same_arms(module, others):
    arms, block = Bernoulli([0.2, 0.5, 0.6]), 8 if module is general else None
    expected = simulate(UCB(), arms, 300, 20, block=block)
    name = "play" if module is general else "play_counting"
    with patch.object(module, name, ablation.exchanged(getattr(module, name), **others)):
        found = simulate(UCB(), arms, 300, 20, block=block)
    np.testing.assert_array_equal(found.pulls, expected.pulls)
