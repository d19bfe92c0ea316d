"""Best-arm identification: the probability of a wrong arm, and quantiles of the pulls until it is sure."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bandits import identify_best
from bandits.arms.base import ARMS
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from numerics.statistics.intervals import quantile_interval

DELTA, MOST = 0.1, 20_000
SIZES = (2, 4, 10)
MEANS = {  # by the law, the best mean and that of all others; two of them pay nearly always, or nearly never
    "high": ("bernoulli", 0.97, 0.85),
    "low": ("bernoulli", 0.15, 0.03),
    "bernoulli": ("bernoulli", 0.5, 0.3),
    "gaussian": ("gaussian", 1.0, 0.3),
    "exponential": ("exponential", 1.0, 0.5),
    "poisson": ("poisson", 1.0, 0.4),
    "tie": ("bernoulli", 0.5, 0.499),  # hardly any run stops: only those that rewards mislead, half of them to be wrong
}
UNIT = [(policy, law) for policy in ("kl_lucb", "eb_tci", "top_two_thompson") for law in ("high", "low", "tie")]
RACES = [*UNIT, *(("round_robin", law) for law in MEANS)]


def wrong(size: int, rng: np.random.Generator, race: tuple[str, str] = ("kl_lucb", "bernoulli")) -> Outcome:
    """Pull `size` arms by a policy until the rule is sure; an error is another arm than the best."""
    policy, law = race
    name, best, other = MEANS[law]
    return _error(f"{name} means={[best, *[other] * (size - 1)]}", policy, 0.0, rng)


def beyond(size: int, rng: np.random.Generator, policy: str = "kl_lucb", epsilon: float = 0.1) -> Outcome:
    """Pull `size` arms; an error is an arm that is not within epsilon, of which all others fail by a hundredth."""
    return _error(f"bernoulli means={[0.5, *[round(0.49 - epsilon, 3)] * (size - 1)]}", policy, epsilon, rng)


def _error(arms: str, policy: str, epsilon: float, rng: np.random.Generator) -> Outcome:
    rule = f"chernoff delta={DELTA} epsilon={epsilon}"
    ended = identify_best(policy, ARMS.of(arms), rule, most=MOST, runs=1, seed=int(rng.integers(2**40)))
    return Outcome(float(ended.sure[0] == 1 and ended.simple_regret[0] > epsilon))


@functools.lru_cache(maxsize=4)
def _law(policy: str) -> npt.NDArray[np.int64]:
    return identify_best(policy, [0.6, 0.4], f"chernoff_heuristic delta={DELTA}", most=MOST, runs=20_000, seed=1).times


def quantile(size: int, rng: np.random.Generator, policy: str = "kl_lucb", share: float = 0.5) -> Outcome:
    """Simulate a run of `size` replications, and the interval of a quantile of their pulls."""
    law = _law(policy)
    _, low, high = quantile_interval(law[rng.integers(law.size, size=size)], share)
    return interval(low, high, float(np.quantile(law, share, method="inverted_cdf")))


def _claim(name: str, simulate: object, sizes: Sequence[int], **family: Sequence[object]) -> Claim:
    return Claim(
        name,
        "experiment=identification",
        simulate,  # type: ignore[arg-type]
        "arms",
        tuple(sizes),
        DELTA,
        test=True,
        family=family_of(simulate, **family),  # type: ignore[arg-type]
        family_sizes=(2,),
    )


CLAIMS = [
    _claim("the best arm is missed", wrong, SIZES, race=RACES),
    _claim("the arm is not within epsilon", beyond, (2, 4), policy=("round_robin", "kl_lucb"), epsilon=(0.1, 0.2)),
    Claim(
        "quantile of the pulls until sure",
        "experiment=identification",
        quantile,
        family=family_of(quantile, policy=("round_robin", "kl_lucb"), share=(0.5, 0.95)),
    ),
]
