"""Play a policy until a stopping rule is sure of the best arm, many times."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.arms.base import ARMS, Arms, Floats
from bandits.hooks import PlainRule
from bandits.kernels import until_sure
from bandits.kernels.arguments import Streams
from bandits.kernels.until_sure import Finish, Race
from bandits.policies.base import POLICIES, Confident, Policy
from bandits.replications import tie_breakers
from bandits.simulation import MOST_RUNS, check_pair
from bandits.spec import refuse_nan
from bandits.stopping.base import STOPPING, Stopping
from bandits.stopping.budget import Budget
from numerics import checks
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors
from numerics.random import Purpose, streams

MOST = 10**9  # pulls of a replication
_PULLS_A_CALL = 20_000_000  # of a kernel call, which cannot be interrupted, if every replication meets its cap


@dataclass(frozen=True, eq=False)
class Stopped:
    """R replications; row r is replication `first` + r.

    Attributes
    ----------
    first : int
    means : float64[R, K]
        The true means of the arms.
    pulls : int64[R, K]
        N(a) when the replication ended.
    arm : int64[R]
        The arm that was recommended.
    sure : uint8[R]
        Whether the stopping rule ended it; else the cap did.
    """

    first: int
    means: Floats
    pulls: npt.NDArray[np.int64]
    arm: npt.NDArray[np.int64]
    sure: npt.NDArray[np.uint8]

    @property
    def times(self) -> npt.NDArray[np.int64]:
        """The pulls of each replication, int64[R]."""
        return np.asarray(self.pulls.sum(axis=1))

    @property
    def simple_regret(self) -> Floats:
        """The best mean minus that of the recommended arm, float64[R]."""
        regret: Floats = self.means.max(axis=1) - self.means[np.arange(self.arm.size), self.arm]
        return regret


def identify_best(
    policy: Policy | str,
    arms: Arms | Iterable[float],
    stopping: Stopping | str = "chernoff",
    most: int = 1_000_000,
    runs: int = 1_000,
    seed: int = 0,
    *,
    workers: int = 1,
) -> Stopped:
    """Play `runs` independent replications, each until its stopping rule is sure which arm is the best.

    Parameters
    ----------
    policy : Policy or str
        What chooses the pulls, such as ``"kl_lucb"``; any policy may be asked, ``"ucb"`` too. The replication ends with
        the arm of the highest mean, or under `sequential_halving` and `successive_rejects` that of the most pulls.
    arms : Arms or sequence of float
        What pays; a list of means stands for Bernoulli arms.
    stopping : Stopping or str, default "chernoff"
        When a replication ends, such as ``"chernoff delta=0.1"``; ``"budget"`` ends it after `most` pulls.
    most : int, default 1,000,000
        Pulls, at least as many as arms, after which a replication ends without being sure.
    runs, seed, workers
        As of `simulate`. A replication meets the rewards that it meets there, pull for pull.

    Returns
    -------
    Stopped

    Raises
    ------
    ValueError
        An argument out of its range. A policy or a stopping rule that is not defined for these arms. A policy that
        plans for a horizon, with a rule that may stop earlier.

    Examples
    --------
    >>> ended = identify_best("kl_lucb", [0.1, 0.5, 0.9], "chernoff delta=0.1", runs=100)
    >>> bool((ended.arm == 2).all()), bool(ended.sure.all())
    (True, True)
    """
    policy, arms, rule = POLICIES.of(policy), ARMS.of(arms), STOPPING.of(stopping, "stopping")
    runs, seed = checks.check_whole("runs", runs, 1, most=MOST_RUNS), checks.check_whole("seed", seed, 0)
    workers = checks.check_whole("workers", workers, 1)
    most = check_stopped(policy, arms, rule, most)
    size = max(1, min(_PULLS_A_CALL // most, -(-runs // workers)))
    with ThreadPoolExecutor(workers) as pool:  # also for one worker: a main thread that waits can be interrupted
        parts = list(
            pool.map(
                lambda first: until_stopped(policy, arms, rule, most, seed, first, min(size, runs - first)),
                range(0, runs, size),
            )
        )
    return Stopped(
        0, *(np.concatenate([getattr(part, name) for part in parts]) for name in ("means", "pulls", "arm", "sure"))
    )


def check_stopped(policy: Policy, arms: Arms, rule: Stopping, most: int, argument: str = "policy") -> int:
    """Return `most`; raise ValueError for what cannot be played until a stopping rule is sure.

    `argument` is what the user calls the policy.

    Raises
    ------
    ValueError
        One sentence that begins with the argument at fault.
    """
    most = checks.check_whole("most", most, max(1, arms.count), most=MOST)
    if arms.changing:
        raise ValueError(f"arms must not change, so that one arm stays the best; got {arms.describe()}")
    check_pair(policy, arms, most)
    rule.check(arms)
    spec = policy.spec()
    if isinstance(spec.rule, PlainRule):
        raise ValueError(f"{argument} must be a compiled rule for a stopping rule; {spec.rule.who} is a Python class")
    if not isinstance(rule, Budget) and (spec.plan is not None or "horizon" in spec.rule.needs):
        raise ValueError(
            f"stopping must be budget for {policy.name}, which plans for a fixed number of pulls; got {rule}"
        )
    delta, _ = rule.aim
    if isinstance(policy, Confident) and delta is not None:
        if policy.aiming_at(delta).aim > delta:
            raise ValueError(
                f"{argument}.delta must be at most stopping.delta, {delta:g}, or left out, "
                f"or {policy.name} may never stop; got {policy.delta:g}"
            )
        if rule.proved and getattr(policy, "rate", "") == "heuristic":
            raise ValueError(
                f"{argument}.rate must be mixture for the stopping rule {rule.name}, "
                f"or {policy.name} may never stop; got 'heuristic'"
            )
    return most


def until_stopped(policy: Policy, arms: Arms, rule: Stopping, most: int, seed: int, first: int, runs: int) -> Stopped:
    """Play replications `first` ... `first + runs - 1`; arguments as checked by `identify_best`."""
    ended = Stopped(
        first,
        arms.draw_means(seed, first, runs),
        np.empty((runs, arms.count), np.int64),
        np.empty(runs, np.int64),
        np.empty(runs, np.uint8),
    )
    spec, law, stop = policy.aiming_at(rule.aim[0]).spec(), arms.reward_law, rule.hook
    purposes = (Purpose.POLICY, Purpose.REWARD, Purpose.BEST_REWARD)
    drawn = Streams(*(streams(seed, (purpose,), first, runs) for purpose in purposes))
    breakers = tie_breakers(seed, first, runs)
    race = Race(ended.means, arms.law_params, rule.numbers(arms), most, policy.by_pulls, breakers)
    play: Any = until_sure.play_until_sure
    with user_errors((*spec.hooks, law, stop)):
        finish = Finish(ended.pulls, ended.arm, ended.sure)
        pay, must_stop = address_of(law.compiled), address_of(stop.compiled)
        t = play(spec.addresses(), pay, must_stop, spec.kernel_spec(most, arms.count), race, drawn, finish)
    refuse_nan(policy.name, t)
    return ended
