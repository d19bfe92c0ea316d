"""The mean regret of a policy with parameters and problems drawn at random: where its interval fails is looked for."""

from __future__ import annotations

import dataclasses
import functools
import math
import zlib
from typing import Any

import numpy as np

from bandits import Bernoulli, simulate
from bandits.bounds import regret_bound
from bandits.policies.base import POLICIES, Policy
from benchmarks.calibration.claim import Claim, Outcome, Simulate, interval
from numerics.parameters import Range, parameters
from numerics.statistics.bounded import mean_interval

DRAWN, SIZES = 100, (20, 100)  # settings of a policy, at every size: 200
_POOL, _SEED = 2_000, 1  # replications are simulated once, and experiments draw from them
_HORIZONS, _MEANS = (100, 500), np.arange(1, 20) / 20.0
_DOWN, _UP = 3.0, 0.5  # powers of ten by which a number is drawn below and above its default
_AT_AN_END = 0.25  # probability of an end of a range

Problem = tuple[str, tuple[float, ...], int]


@functools.lru_cache(maxsize=8)
def _law(problem: Problem) -> tuple[Any, Policy]:
    text, means, horizon = problem
    policy = POLICIES.of(text)
    return simulate(policy, means, horizon, _POOL, _SEED, checkpoints=[horizon]).pseudo_regret, policy


def mean(problem: Problem, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a run of `size` replications, and the interval of its mean."""
    regrets, policy = _law(problem)
    drawn = rng.choice(regrets, size)
    reach = regret_bound(policy, Bernoulli(problem[1]), problem[2], drawn)
    low, high = mean_interval(drawn, 0.0 if reach > 0.0 else math.nan, reach)
    return interval(low, high, regrets.mean(), drawn.mean())


def drawn(field: dataclasses.Field[Any], rng: np.random.Generator) -> Any:
    """Return a value of a parameter in its range: often near its default or below it, sometimes an end."""
    allowed: Range = field.metadata["range"]
    if allowed.choices:
        return str(rng.choice(allowed.choices))
    if isinstance(field.default, bool) or not isinstance(field.default, int | float):
        return field.default
    low, high = allowed.low, min(allowed.high, allowed.most)
    if rng.random() < _AT_AN_END and (ends := _ends(allowed)):
        return type(field.default)(rng.choice(ends))
    value = float(np.clip((field.default or 1.0) * 10.0 ** rng.uniform(-_DOWN, _UP), low, high))
    return max(int(low), round(value)) if isinstance(field.default, int) else float(f"{value:.3g}")


def _ends(allowed: Range) -> list[float]:
    """Return the ends that a parameter may have, but none that is only there to keep numbers finite."""
    ends = [(allowed.low, allowed.above), (allowed.high, allowed.below)]
    return [end for end, left_out in ends if math.isfinite(end) and abs(end) <= 1.0 and not left_out]


def settings(policy: Policy, count: int = DRAWN) -> dict[str, Simulate]:
    """Return a simulation for each of so many settings of a policy: parameters, means and a horizon, drawn at random.

    Examples
    --------
    >>> list(settings(Policy.make("polynomial"), 2))
    ['polynomial c=0.0, means 0.35 0.2, horizon 500', 'polynomial c=0.0879, means 0.65 0.6, horizon 500']
    """
    rng = np.random.default_rng(zlib.crc32(policy.name.encode()))
    family: dict[str, Simulate] = {}
    for _ in range(count):
        numbers = " ".join(f"{field.name}={drawn(field, rng)}" for field in _free(policy))
        one, other = (float(mu) for mu in rng.choice(_MEANS, 2, replace=False))
        horizon = int(rng.choice(_HORIZONS))
        words = f"{policy.name} {numbers}, means {one:g} {other:g}, horizon {horizon}"
        family[words] = functools.partial(mean, (f"{policy.name} {numbers}", (one, other), horizon))
    return family


def _free(policy: Policy) -> list[dataclasses.Field[Any]]:
    """Return the parameters that have a number as default, and words."""
    cls: Any = type(policy)
    return [field for field in parameters(cls) if isinstance(field.default, int | float | str)]


def policies() -> list[Policy]:
    """Return the policies of which parameters decide whether they can lock."""
    made = [Policy.make(name) for name in sorted(Policy.members) if name != "custom"]
    return [
        policy
        for policy in made
        if policy.locks is False and _has_numbers(policy) and not policy.needs_features and not policy.forgets
    ]


def _has_numbers(policy: Policy) -> bool:
    return any(isinstance(field.default, float) for field in _free(policy))


CLAIMS = [
    Claim(
        f"mean regret of {policy.name} with any parameters",
        "experiment=regret, comparison, sweeps",
        functools.partial(mean, (policy.name, (0.3, 0.6), _HORIZONS[-1])),
        sizes=(100,),
        family=settings(policy),
        family_sizes=SIZES,
    )
    for policy in policies()
]
