"""The mean regret of a policy with its interval, also for skewed laws, and the quantiles of its replications."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from bandits import Arms, Bernoulli, simulate
from bandits.bounds import can_lock, regret_bound
from bandits.policies.base import POLICIES
from benchmarks.calibration.claim import Claim, Outcome, Simulate, family_of, interval
from numerics.statistics.bounded import mean_interval
from numerics.statistics.means import quantiles_to_come, standard_error

POOL, SEED = 20_000, 1  # replications are simulated once, and experiments draw from them

CLOSE = ("thompson", (0.9, 0.8), 500)  # its regret has skewness 3
GREEDY = ("greedy", (0.1, 0.3, 0.5, 0.7, 0.9), 500)
EPSILON = ("epsilon_greedy", (0.4, 0.6), 500)
UCB = ("ucb", (0.4, 0.6), 200)
# Rare replications that lose T times the gap: on average one in 100, 1,000 and 10 of them.
LOCKS = ("greedy", (0.1, 0.9), 500)
COMMITS = ("explore_then_commit explore=50", (0.3, 0.6), 1_000)
COMMITS_SOON = ("explore_then_commit explore=20", (0.4, 0.6), 1_000)
# Where the lowest coverage is looked for.
GAPS, HORIZONS, SIZES = ((0.1, 0.9), (0.3, 0.6), (0.9, 0.8), (0.45, 0.55)), (100, 1_000), (20, 30, 100, 1_000)
LIKE_UCB = ("ucb", "kl_ucb", "moss", "imed")
LIKE_THOMPSON = ("thompson", "thompson_gaussian")
LIKE_OPTIMISTIC = ("optimistic", "ucb c=0.2", "gradient")
COMMITTING = tuple(f"explore_then_commit explore={pulls}" for pulls in (5, 20, 50))

Floats = npt.NDArray[np.float64]
Problem = tuple[str, tuple[float, ...], int]


@functools.lru_cache(maxsize=4)
def pool(policies: tuple[str, ...], means: tuple[float, ...], horizon: int) -> Floats:
    """Return the final pseudo-regret of many replications under each policy: float64[POOL, policies].

    Experiments draw their replications from these with replacement, so that the true mean is exactly theirs.
    """
    return regrets_of(policies, Bernoulli(means), horizon)


def regrets_of(policies: tuple[str, ...], arms: Arms, horizon: int) -> Floats:
    """Return the final pseudo-regret of many replications on some arms: float64[POOL, policies]."""
    played = simulate(list(policies), arms, horizon=horizon, runs=POOL, seed=SEED)
    return np.stack([played[name].pseudo_regret for name in policies], axis=1)


def mean(problem: Problem, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a run of `size` replications, and the interval of its mean."""
    policy, means, horizon = problem
    regrets = pool((policy,), means, horizon)[:, 0]
    drawn = rng.choice(regrets, size)
    reach = bound(policy, means, horizon, drawn)
    low, high = mean_interval(drawn, 0.0 if reach > 0.0 else math.nan, reach)
    return interval(low, high, regrets.mean(), drawn.mean())


def bound(policy: str, means: tuple[float, ...], horizon: int, drawn: Floats) -> float:
    """Return the bound that the interval of the mean of these replications needs."""
    return regret_bound(POLICIES.of(policy), Bernoulli(means), horizon, drawn)


def locked(policies: tuple[str, ...]) -> list[str]:
    """Return those of the policies that can lock."""
    return [policy for policy in policies if can_lock(POLICIES.of(policy))]


@functools.lru_cache(maxsize=2)
def _realised(problem: Problem) -> Floats:
    """Return the final realised regret of many replications: float64[POOL]."""
    policy, means, horizon = problem
    return simulate(policy, Bernoulli(means), horizon=horizon, runs=POOL, seed=SEED).realised_regret


def realised(problem: Problem, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a run, and Student's interval of the mean realised regret from its printed standard error."""
    law = _realised(problem)
    drawn = rng.choice(law, size)
    half = float(stdtrit(size - 1, 0.975) * standard_error(drawn))
    return interval(drawn.mean() - half, drawn.mean() + half, law.mean(), drawn.mean())


@functools.lru_cache(maxsize=4)
def _ordered(problem: Problem) -> Floats:
    policy, means, horizon = problem
    return np.sort(pool((policy,), means, horizon)[:, 0])


def band(problem: Problem, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a run, and the share of all replications outside its band of 5 to 95 %."""
    law = _ordered(problem)
    low, high = quantiles_to_come(rng.choice(law, size), [0.05, 0.95])
    below, within = np.searchsorted(law, low, side="left"), np.searchsorted(law, high, side="right")
    return Outcome(1.0 - float(within) / law.size, float(below) / law.size, float(high - low))


def family(simulate: Callable[[Problem, int, np.random.Generator], Outcome], *policies: str) -> dict[str, Simulate]:
    """Return a simulation for each of some policies, gaps and horizons."""

    def at(size: int, rng: np.random.Generator, policy: str, means: tuple[float, ...], horizon: int) -> Outcome:
        return simulate((policy, means, horizon), size, rng)

    return family_of(at, policy=policies, means=GAPS, horizon=HORIZONS)


RUN = "experiment=regret, comparison, sweeps"
CLAIMS = [
    *(
        Claim(
            f"mean regret of {name}",
            RUN,
            functools.partial(mean, problem),
            family=family(mean, *alike),
            family_sizes=SIZES,
            really=0.91 if problem == EPSILON else None,  # a hundred pulls, of which ten explore
        )
        for name, problem, alike in (
            ("UCB1", UCB, LIKE_UCB),
            ("Thompson on two close arms", CLOSE, LIKE_THOMPSON),
            ("greedy on five arms", GREEDY, ()),
            ("epsilon-greedy", EPSILON, ("epsilon_greedy", "epsilon_greedy epsilon=0.01")),
            ("greedy on two arms far apart", LOCKS, ("greedy",)),
            ("explore-then-commit, 50 pulls an arm", COMMITS, COMMITTING),
            ("explore-then-commit, 20 pulls an arm", COMMITS_SOON, ()),
            ("an optimistic start", ("optimistic", (0.3, 0.5, 0.6), 1_000), LIKE_OPTIMISTIC),
            ("Gittins", ("gittins", (0.3, 0.6), 1_000), ("gittins",)),
        )
    ),
    *(
        Claim(
            f"realised regret ± its standard error times t, {name}",
            RUN,
            functools.partial(realised, problem),
            about=True,
            family=family(realised, *alike),
            family_sizes=(20, 100),
        )
        for name, problem, alike in (
            ("UCB1", UCB, ("ucb", "thompson", "kl_ucb")),
            ("Thompson on two close arms", CLOSE, ()),
        )
    ),
    *(
        Claim(
            f"5-95 % of replications, {name}",
            "figures of regret",
            functools.partial(band, problem),
            nominal=0.9,
            family=family(band, *alike),
            family_sizes=(20, 100),
        )
        for name, problem, alike in (
            ("UCB1", UCB, ("ucb", "thompson", "epsilon_greedy", "greedy")),
            ("Thompson on two close arms", CLOSE, ()),
        )
    ),
]
