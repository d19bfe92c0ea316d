"""The tables of the leaderboard, from the regret of every replication."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bandits import Arms, Bernoulli, Beta, Gaussian, Piecewise, RandomBernoulli, RandomGaussian
from experiments.exact_table.rows import UNIFORM, table
from numerics.output import tables
from numerics.statistics.bounded import mean_interval
from numerics.statistics.intervals import NORMAL_95
from numerics.statistics.ranks import LEVEL, Ranked, rank_means, ratios_to_least, resampled_means, with_bounds

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Problem:
    """Arms, a horizon, and a share of the run's replications."""

    name: str
    arms: Arms
    horizon: int
    share: float = 1.0  # of the replications: long problems need fewer

    @property
    def counts(self) -> bool:
        """Whether it counts in the score: all policies play rewards in [0, 1], and most are for means that stay."""
        return self.arms.unit_rewards and not self.arms.changing


PROBLEMS = (
    Problem("ten means", Bernoulli([0.1 + 0.8 * arm / 9 for arm in range(10)]), 10_000),
    Problem("rare", Bernoulli([0.1, *[0.05] * 3, *[0.02] * 3, *[0.01] * 3]), 10_000),
    Problem("close", Bernoulli([0.9, 0.8]), 10_000),
    Problem("very close", Bernoulli([0.51, 0.5]), 10_000),
    Problem("many arms", RandomBernoulli(arms=100, a=1.0, b=1.0), 10_000, 0.2),
    Problem("random means", RandomBernoulli(arms=10, a=1.0, b=1.0), 10_000),
    Problem("short", RandomBernoulli(arms=10, a=1.0, b=1.0), 200),
    Problem("Beta rewards", Beta([0.3, 0.4, 0.5, 0.6], concentration=5.0), 10_000),
    Problem("Gaussian", Gaussian([0.0, 0.5, 1.0], scale=1.0), 10_000),
    Problem("testbed", RandomGaussian(arms=10, center=0.0, spread=1.0, scale=1.0), 1_000),
    Problem("changing", Piecewise(RandomBernoulli(arms=5, a=1.0, b=1.0), changes=(2_000, 4_000, 6_000, 8_000)), 10_000),
)
"""In the order of the table's columns; all but the last three count in the score."""


EXACT_HORIZON = 100
EXACT = f"exact, T = {EXACT_HORIZON}"
"""The column of two arms with uniform means, whose regret is computed: `experiments.exact_table`."""


def ranked_by_pairs(values: Floats, bounds: npt.ArrayLike = math.nan) -> Ranked:
    """Rank means by paired comparisons of each with all others, which hold together with 95 % confidence.

    The logarithm of m_i / m_j is as sure as the mean of x_i / m_i - x_j / m_j (delta method). That has the interval of
    `numerics.statistics.bounded.mean_interval` at 1 - 0.05 / (P - 1). A mean has the ranks that these leave: after all
    that are surely less, before all that are surely more. Its ratio to the least of all means is the largest of its
    ratios. It lies between the largest lower end and the largest upper end, whichever mean is the least.

    Parameters
    ----------
    values : float64 of shape (units, P)
        At least 0; P at least 2.
    bounds : float, or float64[P]
        Of values that may be near it rarely: `bandits.bounds.regret_bound`; NaN for the others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.uniform(0.5, 1.5, (200, 3)) * [1.0, 1.0, 3.0]
    >>> ranked = ranked_by_pairs(values)
    >>> ranked.rank_low.tolist(), ranked.rank_high.tolist()
    ([1.0, 1.0, 3.0], [2.0, 2.0, 3.0])
    """
    from scipy.stats import rankdata

    mean = values.mean(axis=0)
    logs, down, up = _log_ratios(values, bounds)
    least, most = logs - down, logs + up
    with np.errstate(over="ignore"):  # of few replications an end may be beyond every number
        low, high = np.exp(least.max(axis=1)), np.exp(most.max(axis=1))  # each mean beside itself is 0
    return Ranked(mean, ratios_to_least(mean, mean.min()), low, high, rankdata(mean), *_ranks_left(least, most))


def _log_ratios(values: Floats, bounds: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return log(m_i / m_j) of all pairs, and how far below and above it the ends of its interval are: float64[P, P].

    The intervals of i with all others hold together. The ratio of two means of 0 is 1.
    """
    mean, count = values.mean(axis=0), values.shape[1]
    scale = np.where(mean > 0.0, mean, 1.0)
    scaled, reach = values / scale, np.broadcast_to(bounds, count) / scale
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(mean)[:, None] - np.log(mean)
    equal = np.isnan(logs)
    logs[equal] = 0.0
    down, up = np.zeros((count, count)), np.zeros((count, count))
    level = 1.0 - (1.0 - LEVEL) / max(count - 1, 1)
    for i in range(count):
        others = np.flatnonzero(~equal[i] & (np.arange(count) != i))
        if others.size:
            low, high = mean_interval(scaled[:, [i]] - scaled[:, others], -reach[others], reach[i], level)
            down[i, others], up[i, others] = -low, high
    return logs, down, up


def _ranks_left(least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """Return the first and the last rank that the ends of the logarithms of all ratios, float64[P, P], leave."""
    return 1.0 + (least > 0.0).sum(axis=1), float(len(most)) - (most < 0.0).sum(axis=1)


DRAWS = 2_000  # bootstrap samples
Floats = npt.NDArray[np.float64]


Bounds = Mapping[str, Mapping[str, float]]


def by_problem(
    regrets: Mapping[str, Mapping[str, Floats]], formulas: Mapping[str, str], bounds: Bounds | None = None
) -> pd.DataFrame:
    """Return one row for each problem and policy that can play it.

    Parameters
    ----------
    regrets : mapping
        Of each problem, of each policy: the final pseudo-regret of every replication, the same ones for all policies.
    formulas : mapping
        Of each policy's label; the exact problem has the policies whose formula is in the table of the package.
    bounds : mapping, optional
        As `regrets`: of each the `bandits.bounds.regret_bound`.

    Returns
    -------
    pandas.DataFrame
        problem, policy, runs (0 where the regret is computed). regret_mean, ratio (to the least mean of the problem)
        and rank, with the ends of their 95 % intervals.
    """
    parts = [_exact(formulas)]
    for name, by_label in regrets.items():
        labels = list(by_label)
        values = np.stack([by_label[label] for label in labels], axis=1)
        ranks = (
            ranked_by_pairs(values, _bounds_of(bounds, name, labels))
            if len(labels) > 1
            else rank_means(values.mean(axis=0), values.mean(axis=0)[None, :])
        )
        parts.append(_rows(name, labels, len(values), vars(ranks)))
    return tables.join_tables([part for part in parts if len(part)])


def _rows(problem: str, labels: Sequence[str], runs: int, numbers: Mapping[str, Floats]) -> pd.DataFrame:
    numbers = {"regret_mean" if name == "mean" else name: values for name, values in numbers.items()}
    return tables.table_of({"problem": problem, "policy": list(labels), "runs": runs, **numbers})


def _exact(formulas: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of the computed problem: no sampling, so that intervals have no width."""
    rows = table()
    exact = rows[(rows["problem"] == UNIFORM) & (rows["horizon"] == EXACT_HORIZON)]
    kept = exact.set_index("formula")["regret_mean"]
    labels = [label for label, formula in formulas.items() if formula in kept.index]
    if not labels:
        return _rows(EXACT, [], 0, {})
    mean = kept.loc[[formulas[label] for label in labels]].to_numpy(np.float64)
    return _rows(EXACT, labels, 0, vars(rank_means(mean, mean[None, :])))


def _bounds_of(bounds: Bounds | None, problem: str, labels: Sequence[str]) -> Floats:
    return np.array([math.nan if bounds is None else bounds[problem][label] for label in labels])


def _widening(runs: int) -> float:
    """Return by how much an interval of Student's is wider than a bootstrap's, which has normal quantiles."""
    from scipy.special import stdtrit

    return float(stdtrit(runs - 1, 0.975)) / NORMAL_95 * math.sqrt(runs / (runs - 1))


def rank_policies(
    problems: pd.DataFrame, regrets: Mapping[str, Mapping[str, Floats]], seed: int, bounds: Bounds | None = None
) -> pd.DataFrame:
    """Return one row a policy: its score over the simulated problems that count, and its rank, the best first.

    The score is the geometric mean of the ratios to the least regret, 1 for a policy that is the best everywhere. The
    interval covers the variation of the replications, not the choice of problems. Every policy plays these problems.
    The computed problem, which some policies lack, does not count.

    The interval is score / f to score f. The factor f is such that 2.5 % of bootstrap samples, each with a least regret
    of its own, lie above score f. The least of several mean regrets is too low, so that samples lie higher. The policy
    that is best here need not be the best in truth. The replications of a policy that can lock may miss large regrets,
    which moves the ends apart. The upper end allows for one more replication of the policy at its bound. The lower end,
    where that is farther, takes a least regret that is not below the upper end of such a policy's. Both are as much
    farther as Student's quantiles are than normal ones.
    Ranks are those that paired comparisons leave, as in `ranked_by_pairs`. The logarithm of the ratio of two scores is
    the mean of those of the problems, which are independent. The ends of its interval combine theirs by the root of the
    sum of squares (MOVER; Zou and Donner 2008, Statistics in Medicine 27:1693).
    docs/measured/calibration.md has how often the intervals cover.
    """
    from scipy.stats import rankdata

    wide = problems.pivot_table(index="policy", columns="problem", values="ratio", sort=False)
    counted = [problem.name for problem in PROBLEMS if problem.counts and problem.name in wide.columns]
    scored = wide[counted].dropna()
    labels = list(scored.index)
    score = np.log(scored.to_numpy(np.float64)).mean(axis=1)
    apart, squares = np.zeros((len(labels), len(labels))), np.zeros((2, len(labels), len(labels)))
    plain, drawn, sure = (np.zeros((draws, len(labels))) for draws in (DRAWS, DRAWS, DRAWS + 1))
    for name in counted:
        values = np.stack([regrets[name][label] for label in labels], axis=1)
        rng, reach = np.random.default_rng([seed, list(regrets).index(name)]), _bounds_of(bounds, name, labels)
        logs, *ends = _log_ratios(values, reach)
        with np.errstate(invalid="ignore"):  # of regrets of 0, whose logarithms differ by infinity
            apart += logs / len(counted)
        squares += np.square(ends) / len(counted) ** 2
        means, most = resampled_means(values, DRAWS, rng), mean_interval(values, math.nan, reach)[1]
        # The least regret that is sure: of the policies that can lock, the upper ends.
        every = np.vstack([values.mean(axis=0), means])
        least = np.where(np.isnan(reach), every, most).min(axis=1, keepdims=True)
        sure += np.log(np.maximum(ratios_to_least(every, least), 1.0)) / len(counted)
        least = means.min(axis=1, keepdims=True)  # without bounds, or a best policy that can lock would flatter others
        plain += np.log(ratios_to_least(means, least)) / len(counted)
        drawn += np.log(ratios_to_least(with_bounds(means, len(values), reach, rng), least)) / len(counted)
    apart[~np.isfinite(apart)] = np.nan  # tells nothing
    down, up = np.sqrt(squares)
    first, last = _ranks_left(apart - down, apart + up)
    with np.errstate(invalid="ignore"):  # a least regret of 0, as in few replications, gives NaN
        wider = _widening(min(len(regrets[name][label]) for name in counted for label in labels))
        room, down, up = (
            wider * (np.percentile(draws, 97.5, axis=0, method="nearest") - middle)
            for draws, middle in ((plain, score), (sure[1:], sure[0]), (drawn, score))
        )
        low = np.exp(np.fmax(np.fmin(score - room, sure[0] - down), 0.0))
        high = np.exp(np.where(np.isnan(up), np.inf, score + up))
    frame = tables.table_of(
        {
            "policy": labels,
            "problems": len(counted),
            "score": np.exp(score),
            "score_low": low,
            "score_high": high,
            "rank": rankdata(score),
            "rank_low": first,
            "rank_high": last,
        }
    )
    return frame.sort_values(["score", "policy"]).reset_index(drop=True)
