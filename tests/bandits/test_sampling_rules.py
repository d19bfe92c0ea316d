"""Sampling rules for the best arm: against their papers in plain Python, and what they promise with stopping rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from bandits import Gaussian, Policy, characteristic_time, identify_best, make, simulate
from bandits.hooks import ChoiceRule
from numerics.random import streams
from tests import naive
from tests.bandits.policies import EXAMPLES, PLANNED
from tests.internals import (
    choose_best,
    halving_plan,
    lower_bound,
    rejects_plan,
    tail_of_exponential,
    upper_bound,
    write_optimal_weights,
)

pytestmark = pytest.mark.kernels

MEANS, HORIZON, RUNS, SEED = (0.2, 0.7, 0.5, 0.65), 80, 2, 12


# ---------------------------------------------------------------- the papers in plain Python


def shares_of(means):
    """w* of these means, which arms that are best together share: theorem 5 of the paper, root in root."""
    top = max(means)
    if (ties := means.count(top)) > 1:
        return np.array([(mean == top) / ties for mean in means])

    def pulls_at(cost, mean):
        def excess(m):
            x = (top - m) / (m - mean)
            return naive.bernoulli_kl(top, m) + x * naive.bernoulli_kl(mean, m) - cost

        m = brentq(excess, mean + 1e-6 * (top - mean), top - 1e-9 * (top - mean), xtol=1e-15)
        return (top - m) / (m - mean), naive.bernoulli_kl(top, m) / naive.bernoulli_kl(mean, m)

    others = [mean for mean in means if mean != top]
    most = min(naive.bernoulli_kl(top, mean + 1e-4 * (top - mean)) for mean in others)
    cost = brentq(lambda y: sum(pulls_at(y, mean)[1] for mean in others) - 1.0, 1e-3 * most, most, xtol=1e-15)
    pulls = np.array([1.0 if mean == top else pulls_at(cost, mean)[0] for mean in means])
    return pulls / pulls.sum()


def tracking(kind: str) -> naive.Pick:
    """Track-and-Stop: forced exploration, else the arm that is farthest behind its share."""
    summed = np.zeros(len(MEANS))

    def pick(n, m, v, t, rng):
        shares, so_far = shares_of(m), t - 1.0
        summed[:] += shares
        if min(n) < math.sqrt(so_far) - len(n) / 2.0:
            return naive.argmax([-pulls for pulls in n], rng)
        return naive.argmax(list((summed if kind == "C" else so_far * shares) - np.array(n)), rng)

    return pick


def in_pairs(bound) -> naive.Pick:
    """The best mean and then, whatever that paid, the rival of the highest bound(n, m, t) beside it."""
    waiting: list[int] = []

    def pick(n, m, v, t, rng):
        if waiting:
            return waiting.pop()
        best = naive.argmax(m, rng)
        bounds = [bound(n[a], m[a], t) if a != best else -math.inf for a in range(len(n))]
        waiting.append(naive.argmax(bounds, rng))
        return best

    return pick


def hoeffding(n, m, t):
    """LUCB1's bound, in round s of two pulls each."""
    s = 1.0 + (t - 1.0 - len(MEANS)) / 2.0
    return m + math.sqrt(math.log(5.0 * len(MEANS) * s**4 / (4.0 * 0.05)) / (2.0 * n))


def level(rate, n, t, delta=0.05):
    """What n kl(m, q) is at the bounds of KL-LUCB and UGapE."""
    if rate == "heuristic":
        return math.log((1.0 + math.log(t)) / delta)
    looks = sum(3.0 * math.log(1.0 + math.log(pulls)) for pulls in (n, t))
    return looks + 2.0 * tail_of_exponential(0.5 * math.log((len(MEANS) - 1) / delta))


def divergent(rate):
    return in_pairs(lambda n, m, t: naive.kl_index(n, m, level(rate, n, t)))


def smallest_gap(rate) -> naive.Pick:
    """UGapE: the arm of the smallest possible gap or its strongest rival, the one of fewer pulls."""

    def pick(n, m, v, t, rng):
        arms = range(len(n))
        high = [naive.kl_index(n[a], m[a], level(rate, n[a], t)) for a in arms]
        low = [1.0 - naive.kl_index(n[a], 1.0 - m[a], level(rate, n[a], t)) for a in arms]
        best = naive.argmax([low[a] - max(high[b] for b in arms if b != a) for a in arms], rng)
        rival = naive.argmax([high[b] if b != best else -math.inf for b in arms], rng)
        return best if n[best] <= n[rival] else rival

    return pick


def eliminating(delta) -> naive.Pick:
    """Rounds of a pull for each arm of a set, which loses those that are too far behind after a round."""
    left, todo = list(range(len(MEANS))), []

    def pick(n, m, v, t, rng):
        if not todo:
            pulls = n[left[0]]
            alpha = math.sqrt(math.log(4.0 * len(n) * pulls**2 / delta) / pulls)
            best = max(m[a] for a in left)
            left[:] = [a for a in left if best - m[a] < 2.0 * alpha]
            todo[:] = left
        return todo.pop(naive.argmax([0.0] * len(todo), rng) if len(todo) > 1 else 0)

    return pick


def least_evidence(beta) -> naive.Pick:
    """EB-TCI: the best mean, or with probability 1 - beta the rival that is the least surely worse."""

    def pick(n, m, v, t, rng):
        best = naive.argmax(m, rng)
        if rng.uniform() < beta:
            return best

        def cost(a):
            if m[best] <= m[a]:
                return math.log(n[a])
            shared = (n[best] * m[best] + n[a] * m[a]) / (n[best] + n[a])
            parts = [n[arm] * naive.bernoulli_kl(m[arm], shared) for arm in (best, a)]
            return sum(parts) + math.log(n[a])

        return naive.argmax([-cost(a) if a != best else -math.inf for a in range(len(n))], rng)

    return pick


def halving_again() -> naive.Pick:
    """Anytime halving: rounds of K pulls, in turn among all arms, the better half of them, ... two of them."""
    left, todo = list(range(len(MEANS))), []

    def pick(n, m, v, t, rng):
        if not todo:
            among = [m[a] if a in left else -math.inf for a in range(len(n))]
            had, left[:] = len(left), range(len(n))
            if had > 2:
                left.clear()
                while len(left) < had - had // 2:
                    left.append(naive.argmax(among, rng))
                    among[left[-1]] = -math.inf
            todo[:] = (left * len(n))[: len(n)]
        return todo.pop(0)

    return pick


def planned(plan) -> naive.Pick:
    """The highest mean among the arms of exactly plan[t] pulls."""
    return naive.indexed(lambda n, m, v, t: m if n == plan[int(t) - 1] else -math.inf)


def by_noise(considered, c_visit, c_scale) -> naive.Pick:
    """Gumbel halving: noise, prior and mean together among the arms of exactly plan[t] pulls."""
    noise, plan = [], halving_plan(HORIZON, considered, odd_one_stays=False)

    def pick(n, m, v, t, rng):
        if not noise:
            noise[:] = [-math.log(-math.log(rng.uniform())) for _ in n]
        weight = (c_visit + max(n)) * c_scale
        scores = [noise[a] - math.log(len(n)) + weight * m[a] for a in range(len(n))]
        return naive.argmax([scores[a] if n[a] == plan[int(t) - 1] else -math.inf for a in range(len(n))], rng)

    return pick


TWINS = [
    (make("round_robin"), lambda: naive.indexed(lambda n, m, v, t: -n)),
    (make("sequential_halving"), lambda: planned(halving_plan(HORIZON, len(MEANS)))),
    (make("successive_rejects"), lambda: planned(rejects_plan(HORIZON, len(MEANS)))),
    (make("anytime_halving"), halving_again),
    (make("gumbel_halving", considered=3, c_visit=2.0, c_scale=0.3), lambda: by_noise(3, 2.0, 0.3)),
    (make("eb_tci", beta=0.2), lambda: least_evidence(0.2)),
    (make("track_and_stop"), lambda: tracking("D")),
    (make("track_and_stop", tracking="C"), lambda: tracking("C")),
    (make("lucb"), lambda: in_pairs(hoeffding)),
    (make("kl_lucb"), lambda: divergent("mixture")),
    (make("kl_lucb", rate="heuristic"), lambda: divergent("heuristic")),
    (make("ugape"), lambda: smallest_gap("mixture")),
    (make("successive_elimination", delta=0.99), lambda: eliminating(0.99)),
    (make("ucb_e", a=0.7), lambda: naive.indexed(lambda n, m, v, t: m + math.sqrt(0.7 / n))),
]


@pytest.mark.parametrize(("policy", "pick"), TWINS, ids=[str(policy) for policy, _ in TWINS])
def test_the_kernel_pulls_what_the_paper_in_plain_python_pulls(policy: Policy, pick):
    means = MEANS if policy.spec().plan is None else (0.05, 0.95, 0.9, 0.0)
    horizon = 5 * HORIZON if policy.name == "successive_elimination" else HORIZON  # until arms leave
    played = simulate(policy, means, horizon, RUNS, SEED, checkpoints=range(1, horizon + 1)).replications
    for run in range(RUNS):
        explore = policy.spec().estimates.explore
        steps = naive.table(naive.play(pick(), [means] * horizon, naive.bernoulli, SEED, run, explore=explore))
        np.testing.assert_array_equal(played.pulls[run], np.bincount(steps["arm"], minlength=4))
        np.testing.assert_array_equal(played.pseudo_regret[run], steps["pseudo_regret"])


AT_ONCE = [
    (policy, pick)
    for policy, pick in TWINS
    if policy.name in ("eb_tci", "ugape", "ucb_e") or policy == make("track_and_stop")
]


@pytest.mark.parametrize(("policy", "pick"), AT_ONCE, ids=[str(policy) for policy, _ in AT_ONCE])
def test_many_replications_in_states_that_no_play_may_reach_have_the_choices_of_the_paper(policy: Policy, pick):
    generator, runs, t = np.random.default_rng(7), 12 if policy.name == "track_and_stop" else 100, 400.0
    pulls = np.exp(generator.uniform(0.0, 6.0, (4, runs))).round()
    wins = generator.binomial(pulls.astype(int), generator.choice([0.0, 0.1, 0.5, 0.55, 0.6, 1.0], (4, runs)))
    if policy.name == "track_and_stop":  # whose shares the twin cannot find where a mean is 0 or 1
        pulls, wins = pulls + 2.0, wins + 1
    means, spec = wins / pulls, policy.spec()
    states = [array.ravel() for array in (pulls, means, pulls**-0.5, 0.0 * means, 0.0 * means + 0.25)]
    rng, params, chosen = streams(9, (1,), 0, runs), np.array(spec.params), np.full(runs, -1)
    if isinstance(spec.rule, ChoiceRule):
        memory = np.zeros((spec.rule.memory + 4 * spec.rule.arm_memory, runs))
        spec.rule.compiled(*states, t, 90.0, params, rng, memory, chosen)
    else:
        out = np.full(4 * runs, np.nan)
        spec.rule.compiled(*states, t, 90.0, params, rng, out)
        choose_best(out, rng, chosen)
    twins = [naive.Xoshiro(naive.stream(9, (1,), run)) for run in range(runs)]
    expected = [pick()(list(pulls[:, run]), list(means[:, run]), [0.0] * 4, t, twins[run]) for run in range(runs)]
    assert chosen.tolist() == expected
    assert len(set(expected)) == 4


def asked(name: str, pulls, means, t: int, **parameters):
    """The arms that a choice rule takes at 400 calls, each with a fresh memory."""
    policy = Policy.make(name, **parameters)
    rng, arms = np.random.default_rng(0).integers(1, 2**63, (1, 4), dtype=np.uint64), []
    for _ in range(400):
        arm = np.zeros(1, np.int64)
        policy.spec().rule(
            pulls, means, 1.0 / np.sqrt(pulls), means, means, float(t), math.nan, policy.spec().numbers(t, pulls.size),
            rng, np.zeros((2, 1)), arm,
        )  # fmt: skip
        arms.append(int(arm[0]))
    return np.bincount(arms, minlength=pulls.size) / 400.0


def test_bounds_lie_where_the_divergence_reaches_the_level():
    for mean, level in [(0.3, 0.05), (0.9, 0.4), (0.5, 1e-4)]:
        for bound in (lower_bound(mean, level), upper_bound(mean, level)):
            assert naive.bernoulli_kl(mean, bound) == pytest.approx(level, rel=1e-6)
        assert lower_bound(mean, level) < mean < upper_bound(mean, level)


@pytest.mark.jit
def test_top_two_thompson_takes_the_best_mean_half_the_time_and_else_the_arm_of_least_evidence():
    pulls, means = np.array([1_000.0, 50.0, 2.0]), np.array([0.7, 0.55, 0.0])  # the third is better twice as often
    few, many = (asked("top_two_thompson", pulls, means, 1_053, draws=draws) for draws in (1, 300))
    assert few[0] == pytest.approx(0.5, abs=0.125)  # five standard errors
    assert few[1] > 0.35  # and has more evidence against it
    assert many[2] > 0.25


def as_worded(plan: str, means, horizon: int, rewards) -> list[int]:
    """Play a plan as its paper words it: rounds of equal pulls, after each of which the worst arms leave."""
    arms = len(means)
    counts, sums, left = [0] * arms, [0.0] * arms, list(range(arms))

    def pull(arm):
        if sum(counts) < horizon:
            sums[arm] += rewards(arm, counts[arm])
            counts[arm] += 1

    def keep(number):
        return sorted(sorted(left, key=lambda arm: -sums[arm] / max(counts[arm], 1))[:number])

    if plan == "sequential_halving":
        rounds = math.ceil(math.log2(arms))
        for _ in range(rounds):
            for _ in range(max(1, horizon // (rounds * len(left)))):
                for arm in left:
                    pull(arm)
            left = keep(-(-len(left) // 2)) if len(left) > 2 else left
    else:
        total = 0.5 + sum(1.0 / k for k in range(2, arms + 1))
        had = 0
        for phase in range(1, arms):
            upto = math.ceil((horizon - arms) / (total * (arms + 1 - phase)))
            for _ in range(had, upto):
                for arm in left:
                    pull(arm)
            left, had = keep(len(left) - 1) if len(left) > 2 else left, upto
    while sum(counts) < horizon:
        for arm in left:
            pull(arm)
    return sorted(counts)


@pytest.mark.parametrize("name", ["sequential_halving", "successive_rejects"])
@pytest.mark.parametrize("arms", [2, 3, 5, 8])
def test_plans_pull_as_their_papers_say(name, arms):
    """Of arms whose rewards never tie, with counts in order: which of the equal arms comes first does not matter."""
    means = np.linspace(0.2, 0.9, arms)
    ended = identify_best(name, Gaussian(means.tolist(), scale=0.01), "budget", most=100, runs=3, seed=2)
    for counts in ended.pulls:
        assert sorted(counts.tolist()) == as_worded(name, means, 100, lambda arm, n: means[arm])
    assert (ended.arm == arms - 1).all()


# ---------------------------------------------------------------- Track-and-Stop


@pytest.mark.parametrize(("arms", "scale"), [(2, 1.0), (3, 1e-4), (7, 1.0)])
def test_the_shares_in_the_kernel_are_those_of_the_characteristic_time(arms, scale):
    rng, weights = np.random.default_rng(arms), np.empty(arms)
    for draw in (rng.uniform(0.0, 1.0, arms), rng.permutation(arms) / (arms - 1.0)):  # the second has 0 and 1
        for means in (scale * draw, 1.0 - scale * draw, 0.5 + 0.1 * scale * draw):
            write_optimal_weights(means, weights)
            np.testing.assert_allclose(weights, characteristic_time(means).weights, atol=1e-6)
            assert weights.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("means", "shares"),
    [
        ([0.3, 0.8, 0.8], [0.0, 0.5, 0.5]),
        ([0.0, 0.0], [0.5, 0.5]),
        ([0.5, 0.5 - 1e-7, 0.2], [0.5, 0.5, 0.0]),  # solved for, and not far from the limit
    ],
)
def test_best_arms_that_are_equal_share_the_pulls(means, shares):
    weights = np.empty(len(means))
    write_optimal_weights(np.array(means), weights)
    np.testing.assert_allclose(weights, shares, atol=1e-6)


@pytest.mark.jit
@pytest.mark.parametrize("tracking", ["C", "D"])
def test_the_pulls_of_track_and_stop_approach_the_shares_of_the_bound(tracking):
    means = (0.7, 0.4, 0.3)
    ended = identify_best(f"track_and_stop tracking={tracking}", means, "budget", most=4_000, runs=4)
    np.testing.assert_allclose(ended.pulls.mean(axis=0) / 4_000, characteristic_time(means).weights, atol=0.04)
    assert ended.pulls.min() >= math.sqrt(4_000) - 1.5 - 1.0


# ---------------------------------------------------------------- runs that end by themselves

FOUR = (0.5, 0.45, 0.43, 0.4)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED], ids=str)
def test_under_a_budget_every_policy_pulls_as_in_a_simulation(policy: Policy):
    most = 4 * policy.spec().estimates.explore + 10
    ended = identify_best(policy, FOUR, "budget", most=most, runs=3, seed=5)
    played = simulate(policy, FOUR, most, 3, seed=5).replications
    np.testing.assert_array_equal(ended.pulls, played.pulls)
    assert not ended.sure.any()


@pytest.mark.jit
def test_replications_are_the_same_in_any_number_and_for_any_workers():
    whole = identify_best("eb_tci", FOUR, "chernoff_heuristic delta=0.2", most=6_000, runs=12, seed=8)
    some = identify_best("eb_tci", FOUR, "chernoff_heuristic delta=0.2", most=6_000, runs=7, seed=8, workers=3)
    np.testing.assert_array_equal(whole.pulls[:7], some.pulls)
    np.testing.assert_array_equal(whole.arm[:7], some.arm)
    longer = identify_best("eb_tci", FOUR, "chernoff_heuristic delta=0.2", most=12_000, runs=12, seed=8)
    np.testing.assert_array_equal(whole.pulls[whole.sure == 1], longer.pulls[whole.sure == 1])
    assert 0 < whole.sure.sum() < 12


def test_two_equal_best_arms_meet_the_cap_and_say_so_and_an_epsilon_ends_them():
    capped = identify_best("kl_lucb", [0.5, 0.5, 0.1], "chernoff delta=0.1", most=300, runs=3)
    assert not capped.sure.any()
    assert (capped.times == 300).all()
    ended = identify_best("kl_lucb", [0.5, 0.5, 0.1], "chernoff delta=0.1 epsilon=0.4", most=3_000, runs=3)
    assert ended.sure.all()
    assert (ended.simple_regret == 0.0).all()


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    "name",
    ["round_robin", "lucb", "top_two_thompson"],
)
def test_the_mean_number_of_pulls_exceeds_the_bound_and_is_within_ten_times_of_it(name):
    means = (0.7, 0.4, 0.3)
    ended = identify_best(name, means, "chernoff_heuristic delta=0.05", most=50_000, runs=60, seed=3)
    bound = characteristic_time(means).pulls(0.05)
    assert bound < ended.times.mean() < 10.0 * bound
    assert ended.sure.all()
    assert (ended.arm == 0).mean() > 0.95 - 5.0 * math.sqrt(0.05 * 0.95 / 60)


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("name", ["kl_lucb", "lucb", "ugape", "successive_elimination"])
def test_bounds_follow_the_delta_of_the_stopping_rule_so_that_it_is_sure_at_any(name):
    means, rule = (0.8, 0.3, 0.75), "chernoff delta=1e-9"
    ended = identify_best(name, means, rule, most=100_000, runs=5)
    assert ended.sure.all()
    given = identify_best(f"{name} delta=1e-9", means, rule, most=100_000, runs=5)
    np.testing.assert_array_equal(ended.pulls, given.pulls)
    free, usual = (identify_best(p, means, "budget", most=900, runs=9).pulls for p in (name, f"{name} delta=0.05"))
    np.testing.assert_array_equal(free, usual)


def test_wider_bounds_than_the_stopping_rule_needs_are_allowed():
    for policy in ("kl_lucb delta=0.01", "kl_lucb rate=mixture", "ugape delta=0.05 rate=heuristic"):
        assert identify_best(policy, (0.1, 0.9), "chernoff_heuristic delta=0.05", runs=3).sure.all()
