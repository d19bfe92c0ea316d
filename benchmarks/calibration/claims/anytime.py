"""Intervals that may be looked at after every game or replication: how often any of them misses.

Each interval of a confidence sequence lies in all previous ones, so the last interval misses if any has missed.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bandits import simulate
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from experiments.games.anytime import looks_of
from experiments.kinds.comparison import anytime

POOL, SEED, HORIZON = 100_000, 1, 200  # replications are simulated once, and experiments draw from them
MEANS = (0.4, 0.6)
ALL = (20, 100, 1_000)

Rates = Sequence[tuple[float, float]]  # rates of wins and draws, for either player moving first, by opening


def score(rates: Rates, size: int, rng: np.random.Generator) -> Outcome:
    """Play `size` games, players alternating the first move, and look after every round of openings."""
    wins, draws = np.resize(np.asarray(rates), (size, 2)).T
    drawn = rng.random(size)
    results = np.where(drawn < wins, 1, np.where(drawn < wins + draws, 0, -1))
    looks = looks_of(results, len(rates) // 2, size)
    truth = float(np.mean([win + draw / 2.0 for win, draw in rates]))
    end = looks.iloc[-1]
    return interval(looks["score_low"].max(), looks["score_high"].min(), truth, end["score"])


@functools.lru_cache(maxsize=4)
def pool(policies: tuple[str, str]) -> npt.NDArray[np.float64]:
    """Return the difference of the final pseudo-regret of two policies in many replications: float64[POOL]."""
    played = simulate(list(policies), list(MEANS), horizon=HORIZON, runs=POOL, seed=SEED)
    first, second = (played[name].pseudo_regret for name in policies)
    return first - second


def difference(policies: tuple[str, str], size: int, rng: np.random.Generator) -> Outcome:
    """Compare two policies by `size` replications, and look after each."""
    differences = pool(policies)
    drawn = rng.choice(differences, size)
    low, high = anytime.sequence(drawn, HORIZON * (MEANS[1] - MEANS[0]), anytime.level_of(2), size)
    return interval(low.max(), high.min(), differences.mean(), drawn.mean())


def score_at(size: int, rng: np.random.Generator, won: float, drawn: float) -> Outcome:
    """Play with these rates of wins and draws, whoever moves first."""
    return score([(won, drawn)] * 2, size, rng)


EVEN, STRONG = [(0.45, 0.1), (0.45, 0.1)], [(0.97, 0.02), (0.88, 0.06)]
OPENINGS = [(first, 0.05) for first in (0.9, 0.1, 0.5, 0.2, 0.8, 0.05, 0.95, 0.4, 0.6, 0.3)]

_match = functools.partial(Claim, command="experiment=match anytime=true", unit="games", sizes=ALL)
_compared = functools.partial(Claim, command="experiment=comparison anytime=true", sizes=ALL)
CLAIMS = [
    _match(
        "score at any time, equal players",
        simulate=functools.partial(score, EVEN),
        family=family_of(score_at, won=(0.02, 0.3, 0.48, 0.8, 0.97), drawn=(0.0, 0.02)),
        family_sizes=(20,),
    ),
    _match("score at any time, a strong player", simulate=functools.partial(score, STRONG)),
    _match("score at any time, five openings", simulate=functools.partial(score, OPENINGS)),
    _compared("difference at any time, ucb and thompson", simulate=functools.partial(difference, ("ucb", "thompson"))),
    _compared(
        "difference at any time, greedy and Thompson",
        simulate=functools.partial(difference, ("greedy", "thompson")),
    ),
]
