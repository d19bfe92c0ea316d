"""Best-arm identification: the bound, stopping rules, sampling rules, plans, and the kernel that ends by itself."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from bandits import (
    Bernoulli,
    Beta,
    Binomial,
    Exponential,
    Gaussian,
    Poisson,
    Policy,
    RandomBernoulli,
    characteristic_time,
    identify_best,
    simulate,
    stopping_rule,
)
from bandits.identification.kernels.confidence import (
    level_of,
    looks,
    lower_bound,
    tail_of,
    tail_of_exponential,
    upper_bound,
)
from bandits.identification.kernels.evidence import (
    BERNOULLI,
    EXPONENTIAL,
    GAUSSIAN,
    POISSON,
    transport,
    transport_beyond,
)
from bandits.policies.sequential_halving import halving_plan
from bandits.policies.successive_rejects import rejects_plan
from bandits.stopping.base import STOPPING, Stopping
from bandits.stopping.chernoff import chernoff
from bandits.stopping.chernoff_heuristic import chernoff_heuristic
from tests.bandits.policies import EXAMPLES, PLANNED

pytestmark = pytest.mark.kernels

MEANS = (0.5, 0.45, 0.43, 0.4)
DIVERGENCES = {
    BERNOULLI: lambda p, q: rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q),
    GAUSSIAN: lambda p, q: 0.5 * (p - q) ** 2,
    EXPONENTIAL: lambda p, q: p / q - 1.0 - math.log(p / q),
    POISSON: lambda p, q: rel_entr(p, q) - p + q,
}


# ---------------------------------------------------------------- the bound


@pytest.mark.jit
@pytest.mark.parametrize(
    ("means", "time", "weights"),  # computed apart from this program
    [
        ((0.5, 0.45, 0.43, 0.4), 989.7921, (0.4165, 0.3903, 0.1362, 0.0570)),
        ((0.3, 0.21, 0.2, 0.19, 0.18), 326.6421, (0.3359, 0.2515, 0.1766, 0.1324, 0.1036)),
        ((0.4, 0.5, 0.6, 0.7, 0.8), 167.9320, None),
    ],
)
def test_characteristic_times_are_the_known_ones(means, time, weights):
    known = characteristic_time(means)
    assert known.time == pytest.approx(time, abs=5e-5)
    assert known.weights.sum() == pytest.approx(1.0, abs=1e-12)
    if weights:
        np.testing.assert_allclose(known.weights, weights, atol=5.1e-5)


@pytest.mark.jit
@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_of_gaussian_arms_the_time_is_that_of_the_closed_form(scale):
    two = characteristic_time(Gaussian([0.0, 0.7], scale=scale))
    assert two.time == pytest.approx(8.0 * scale**2 / 0.49, rel=1e-10)
    several = characteristic_time(Gaussian([0.2, 0.2, 0.9, 0.2, 0.2], scale=scale))  # 2 s^2 (1 + sqrt(K - 1))^2 / gap^2
    assert several.time == pytest.approx(2.0 * scale**2 * 9.0 / 0.49, rel=1e-10)
    assert several.weights[2] == pytest.approx(2.0 * several.weights[0], rel=1e-8)


@pytest.mark.jit
@pytest.mark.parametrize(
    "arms",
    [Bernoulli(MEANS), Exponential([1.0, 1.4, 0.3]), Poisson([2.0, 5.0, 4.0]), Binomial([0.3, 0.6], trials=5)],
    ids=str,
)
def test_no_shares_of_pulls_reach_a_larger_cost_and_those_of_the_bound_reach_it(arms):
    means, best = np.asarray(arms.fixed_means), int(np.argmax(arms.fixed_means))
    divergence = arms.reward_law.divergence

    def cost(shares):
        costs = []
        for other in set(range(means.size)) - {best}:
            pair = [best, other]

            def paid(m, pair=pair):
                return float(shares[pair] @ divergence(means[pair], np.full(2, m), arms.law_params[pair]))

            costs.append(
                minimize_scalar(paid, bounds=sorted(means[pair]), method="bounded", options={"xatol": 1e-9}).fun
            )
        return min(costs)

    known, rng = characteristic_time(arms), np.random.default_rng(0)
    assert cost(known.weights) == pytest.approx(1.0 / known.time, rel=1e-6)
    for spread in (3.0, 300.0):
        for shares in rng.dirichlet(spread * known.weights, 30):
            assert cost(shares) <= 1.0 / known.time * (1.0 + 1e-6)


@pytest.mark.jit
def test_the_bound_on_pulls_is_the_time_times_a_divergence_and_says_nothing_of_a_coin():
    known = characteristic_time(MEANS)
    assert known.pulls(0.1) == pytest.approx(known.time * 0.8 * math.log(9.0))
    assert known.pulls(0.5) == known.pulls(0.9) == 0.0
    assert characteristic_time([0.5, 0.5, 0.1]).time == math.inf
    assert characteristic_time([1.0, 0.0]).time == pytest.approx(1.0 / math.log(2.0))


@pytest.mark.jit
@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: characteristic_time(RandomBernoulli(arms=3)), "arms must have fixed means"),
        (lambda: characteristic_time(Beta([0.2, 0.3])), "arms must be Bernoulli, binomial, Gaussian"),
        (lambda: characteristic_time(Exponential([0.0, 0.3])), "arms must not pay 0 for certain"),
        (lambda: characteristic_time(MEANS).pulls(0.0), "delta must be"),
        (lambda: characteristic_time(MEANS).pulls(1.0), "delta must be"),
        (lambda: identify_best("ucb", MEANS, "chernoff delta=0"), "stopping.delta must be"),
        (lambda: identify_best("ucb", MEANS, "chernoff delta=1.5"), "stopping.delta must be"),
        (lambda: identify_best("ucb", MEANS, "chernof"), "stopping 'chernof' is unknown"),
        (lambda: identify_best("ucb", MEANS, "chernoff epsilon=1"), "stopping.epsilon must be below 1"),
        (lambda: identify_best("ucb", MEANS, most=3), "most must be"),
        (lambda: identify_best("moss", MEANS), "stopping must be budget for moss"),
        (lambda: identify_best("sequential_halving", MEANS), "stopping must be budget for sequential_halving"),
        (lambda: identify_best("kl_lucb", Gaussian([0.0, 1.0])), "arms must pay rewards in"),
        (lambda: identify_best("ucb", MEANS, runs=0), "runs must be"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_that_begins_with_the_argument(call, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}") as caught:
        call()
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- stopping rules


@pytest.mark.parametrize("x", [0.01, 0.4, 1.0, 3.0, 8.0, 30.0])
def test_the_threshold_is_the_minimum_that_it_stands_for(x):
    """C(x) = 2 min over 1 < y <= 3/2 of y (z - ln ln y), z from the upper root of u - ln u = 1 + x."""
    low, high = 1.0, 4.0 + 3.0 * x
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle - math.log(middle) < 1.0 + x else (low, middle)
    z = 0.5 * (low + math.log(math.pi**2 / 3.0))
    ys = np.linspace(1.0 + 1e-6, 1.5, 400_001)
    assert tail_of_exponential(x) == pytest.approx(2.0 * float((ys * (z - np.log(np.log(ys)))).min()), rel=1e-8)


@pytest.mark.parametrize("family", list(DIVERGENCES))
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.3])
def test_the_evidence_is_the_least_that_any_common_mean_leaves(family, epsilon):
    rng, divergence = np.random.default_rng(family), DIVERGENCES[family]
    for _ in range(12):
        q, p = np.sort(rng.uniform(0.05, 0.65, 2))
        n, m = rng.integers(1, 500, 2).astype(float)
        grid = np.linspace(max(q - epsilon, 1e-9 if family != GAUSSIAN else q - epsilon), p, 20_001)
        least = min(n * divergence(p, x) + m * divergence(q, x + epsilon) for x in grid)
        got = transport_beyond(family, n, p, m, q, epsilon) if epsilon else transport(family, n, p, m, q)
        assert got == pytest.approx(least, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    "text", ["chernoff delta=0.1", "chernoff delta=0.02 epsilon=0.1", "chernoff_heuristic delta=0.1"]
)
def test_likelihood_ratios_stop_where_the_formula_says(text):
    rule, arms, rng = STOPPING.of(text), Bernoulli([0.5] * 3), np.random.default_rng(2)
    stop = chernoff if rule.name == "chernoff" else chernoff_heuristic
    epsilon, answers = rule.aim[1], []
    for _ in range(200):
        pulls, means = rng.integers(1, 400, 3).astype(float), rng.uniform(0.05, 0.95, 3)
        best = int(means.argmax())
        wanted = True
        for other in set(range(3)) - {best}:
            z = (
                transport_beyond(BERNOULLI, pulls[best], means[best], pulls[other], means[other], epsilon)
                if epsilon
                else transport(BERNOULLI, pulls[best], means[best], pulls[other], means[other])
            )
            if rule.name == "chernoff":
                logs = sum(3.0 * math.log(1.0 + math.log(pulls[a])) for a in (best, other))
                enough = logs + 2.0 * tail_of_exponential(0.5 * math.log(2.0 / rule.aim[0]))
            else:
                enough = math.log((1.0 + math.log(pulls.sum())) / rule.aim[0])
            wanted &= z > enough
        assert stop(pulls, means, means, pulls.sum(), rule.numbers(arms)) == wanted
        answers.append(wanted)
    assert 20 < sum(answers) < 180, "both answers are tried"


def test_units_of_gaussian_arms_and_trials_of_binomial_ones_are_reckoned_with():
    chernoff = STOPPING.of("chernoff delta=0.1")
    one, ten = (
        identify_best("round_robin", Gaussian([0.0, s], scale=s), chernoff, runs=20, seed=4) for s in (1.0, 10.0)
    )
    np.testing.assert_array_equal(one.pulls, ten.pulls)
    single = identify_best("round_robin", Bernoulli([0.5, 0.3]), chernoff, runs=60, seed=4).times.mean()
    several = identify_best("round_robin", Binomial([0.5, 0.3], trials=4), chernoff, runs=60, seed=4).times.mean()
    assert 3.0 < single / several < 5.5, "a share of four trials says about as much as four pulls"


@stopping_rule
def long_enough(pulls, means, variances, t, params):
    return t >= params[0]


def test_a_rule_of_the_user_stops_a_run_by_its_path_and_as_an_object():
    made = Stopping.make("custom", rule=long_enough, params=(17.0,))
    for rule in (made, f"custom rule={__name__}.long_enough params=[17]"):
        ended = identify_best("ucb", MEANS, rule, runs=5)
        assert ended.times.tolist() == [17] * 5
        assert ended.sure.all()


@pytest.mark.jit
@pytest.mark.parametrize("name", sorted(Stopping.members))
def test_every_stopping_rule_explains_itself_and_reads_what_it_prints(name):
    rule = Stopping.make(name, **({"rule": f"{__name__}.long_enough"} if name == "custom" else {}))
    assert rule.formula
    assert rule.source
    assert STOPPING.of(STOPPING.text(rule)) == rule


# ---------------------------------------------------------------- the kernel


@pytest.mark.parametrize("policy", [*EXAMPLES, *PLANNED], ids=str)
def test_under_a_budget_every_policy_pulls_as_in_a_simulation(policy: Policy):
    most = max(90, 4 * policy.spec().estimates.explore + 10)
    ended = identify_best(policy, MEANS, "budget", most=most, runs=4, seed=5)
    played = simulate(policy, MEANS, most, 4, seed=5).replications
    np.testing.assert_array_equal(ended.pulls, played.pulls)
    assert not ended.sure.any()


def test_the_recommendation_is_the_highest_mean_or_of_a_plan_the_most_pulled():
    for name in ("ucb", "sequential_halving"):
        ended = identify_best(name, MEANS, "budget", most=60, runs=50, seed=1)
        most = ended.pulls.max(axis=1)
        picked = ended.pulls[np.arange(50), ended.arm]
        assert (picked == most).all() == (name == "sequential_halving")


def test_replications_are_the_same_in_any_number_and_for_any_workers():
    whole = identify_best("eb_tci", MEANS, "chernoff_heuristic delta=0.2", most=20_000, runs=30, seed=8)
    some = identify_best("eb_tci", MEANS, "chernoff_heuristic delta=0.2", most=20_000, runs=11, seed=8, workers=3)
    np.testing.assert_array_equal(whole.pulls[:11], some.pulls)
    np.testing.assert_array_equal(whole.arm[:11], some.arm)
    longer = identify_best("eb_tci", MEANS, "chernoff_heuristic delta=0.2", most=40_000, runs=30, seed=8)
    np.testing.assert_array_equal(whole.pulls[whole.sure == 1], longer.pulls[whole.sure == 1])


def test_two_equal_best_arms_meet_the_cap_and_say_so_and_an_epsilon_ends_them():
    capped = identify_best("kl_lucb", [0.5, 0.5, 0.1], "chernoff delta=0.1", most=3_000, runs=20)
    assert not capped.sure.any()
    assert (capped.times == 3_000).all()
    ended = identify_best("kl_lucb", [0.5, 0.5, 0.1], "chernoff delta=0.1 epsilon=0.2", most=30_000, runs=20)
    assert ended.sure.all()
    assert (ended.simple_regret == 0.0).all()


@pytest.mark.jit
@pytest.mark.parametrize(
    "name",
    [
        "round_robin",
        "successive_elimination",
        "lucb",
        "kl_lucb",
        "ugape",
        "eb_tci",
        "top_two_thompson",
        "track_and_stop",
    ],
)
def test_the_mean_number_of_pulls_exceeds_the_bound_and_is_within_ten_times_of_it(name):
    means = (0.7, 0.4, 0.3)
    ended = identify_best(name, means, "chernoff_heuristic delta=0.05", most=50_000, runs=400, seed=3)
    bound = characteristic_time(means).pulls(0.05)
    assert bound < ended.times.mean() < 10.0 * bound
    assert ended.sure.all()
    assert (ended.arm == 0).mean() > 0.93


# ---------------------------------------------------------------- sampling rules and plans


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


def test_kl_lucb_alternates_between_the_best_mean_and_the_highest_other_bound():
    pulls, means = np.array([50.0, 40.0, 9.0, 30.0]), np.array([0.6, 0.5, 0.3, 0.55])
    rule, memory, arm = Policy.make("kl_lucb").spec(), np.zeros((2, 1)), np.zeros(1, np.int64)
    rng, seen = np.ones((1, 4), np.uint64), []
    for _ in range(4):
        rule.rule(pulls, means, means, means, means, 130.0, math.nan, np.array([0.05, 0.0]), rng, memory, arm)
        seen.append(int(arm[0]))
    common = looks(130.0) + 2.0 * tail_of(4, 0.05)
    bounds = [upper_bound(m, level_of(n, common, False) / n) for n, m in zip(pulls, means, strict=True)]
    rival = max((bound, arm) for arm, bound in enumerate(bounds) if arm != 0)[1]
    assert seen == [0, rival, 0, rival]
    assert rival == 2, "few pulls leave much room"


def test_bounds_lie_where_the_divergence_reaches_the_level():
    for mean, level in [(0.3, 0.05), (0.9, 0.4), (0.5, 1e-4)]:
        for bound in (lower_bound(mean, level), upper_bound(mean, level)):
            assert DIVERGENCES[BERNOULLI](mean, bound) == pytest.approx(level, rel=1e-6)
        assert lower_bound(mean, level) < mean < upper_bound(mean, level)


def test_ugape_pulls_the_less_known_of_the_two_arms_in_question():
    pulls, means = np.array([50.0, 40.0, 200.0]), np.array([0.6, 0.5, 0.2])
    assert asked("ugape", pulls, means, 291).tolist() == [0.0, 1.0, 0.0]
    pulls[1] = 60.0
    assert asked("ugape", pulls, means, 311).tolist() == [1.0, 0.0, 0.0]


def test_top_two_sampling_takes_the_arm_of_least_evidence_when_its_draws_are_over():
    pulls, means = np.array([1_000.0, 1_000.0, 10.0]), np.array([0.7, 0.66, 0.3])  # the second is better more often
    assert asked("top_two_thompson", pulls, means, 2_011, draws=1)[2] > 0.35  # and has more evidence, by its pulls
    assert asked("top_two_thompson", pulls, means, 2_011, draws=10_000)[1] > 0.35


def test_the_top_two_rules_take_the_best_mean_half_the_time_and_else_the_arm_of_least_evidence():
    pulls, means = np.array([100.0, 90.0, 80.0]), np.array([0.7, 0.4, 0.2])
    shares = asked("eb_tci", pulls, means, 271)
    assert shares[0] == pytest.approx(0.5, abs=0.1)  # four standard errors
    assert shares[2] == 0.0
    assert asked("eb_tci", pulls, means, 271, beta=1.0)[0] == 1.0
    shares = asked("top_two_thompson", pulls, means, 271, draws=3)
    assert shares[0] == pytest.approx(0.5, abs=0.1)
    assert shares[1] > 0.35


def naive(plan: str, means, horizon: int, rewards) -> list[int]:
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
        assert sorted(counts.tolist()) == naive(name, means, 100, lambda arm, n: means[arm])
    assert (ended.arm == arms - 1).all()


@pytest.mark.jit
@pytest.mark.parametrize("plan", [halving_plan, rejects_plan])
@pytest.mark.parametrize(("horizon", "arms"), [(1, 2), (7, 16), (100, 3), (1_000, 10)])
def test_a_plan_fills_the_horizon_and_never_asks_for_fewer_pulls_than_before(plan, horizon, arms):
    made = plan(horizon, arms)
    assert made.shape == (horizon,)
    assert made[0] == 0.0
    assert all(0.0 <= after - before <= 1.0 for before, after in pairwise(made))
