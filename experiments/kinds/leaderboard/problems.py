"""The fixed problems of the leaderboard: their arms, horizons and numbers of replications."""

from __future__ import annotations

from dataclasses import dataclass

from bandits import Arms, Bernoulli, Beta, Gaussian, RandomBernoulli, RandomGaussian


@dataclass(frozen=True)
class Problem:
    """Arms, a horizon, and a share of the run's replications."""

    name: str
    arms: Arms
    horizon: int
    share: float = 1.0  # of the replications: long problems need fewer


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
)
"""In the order of the table's columns; all but the last two pay rewards in [0, 1]."""

EXACT = "exact, T = 100"
"""The column of two arms with uniform means, whose regret is computed: `experiments.exact_table`."""
EXACT_HORIZON = 100
