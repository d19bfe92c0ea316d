"""Simulate policies on bandits: from objects to kernel arguments and back.

Replication r owns three random streams, spawned from (seed, purpose, r): its rewards, the rewards of the best arm, and
the policy's own choices. The first two are the same for every policy of a run (common random numbers). So a replication
is the same in any block, shard or worker, alone or among others.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from bandits import plain
from bandits.arms.base import ARMS, Arms
from bandits.arms.bernoulli import bernoulli
from bandits.delivery.base import DELIVERY, Delivery
from bandits.hooks import BonusRule, PlainRule
from bandits.kernels import counting, delayed, general, many_arms
from bandits.kernels.arguments import Problem, Steps
from bandits.policies.base import POLICIES, Policies, Policy
from bandits.replications import Replications
from bandits.results import Comparison, Result
from bandits.spec import PolicySpec, refuse_nan
from numerics import checks
from numerics.kernels.addresses import address_of
from numerics.kernels.jit import compile_elsewhere, compile_now
from numerics.kernels.simd import LANES
from numerics.kernels.users import user_errors

AT_ONCE = DELIVERY.of("at_once")
_MOST_TRACED = 10**7  # steps of a trace times its arms
LONGEST, MOST_RUNS = 10**12, 10**9  # of a run: a horizon and replications that indices and memory can hold
_STEPS_A_CALL, _MOST_STEPS_A_CALL = 20_000_000, 2_000_000_000  # of a kernel call, which cannot be interrupted
_BLOCK = 64  # replications that share a step's overhead; the statistics of more would not fit the nearest cache
_CELLS = 8_192  # statistics of each kind in a block of many arms: fewer replications of them share it
_MEMORY = 2**20  # numbers that the rules of a block keep, 8 MiB, unless a single lane's are more
_TABLE = 8_000_000  # numbers of a table of means that change, 64 MB
_MOST_KEPT = 10**7  # numbers of its pulls that a rule may keep: 80 MB a replication


@overload
def simulate(  # type: ignore[overload-overlap]  # a text is iterable too
    policy: Policy | str,
    arms: Arms | Iterable[float],
    horizon: int = ...,
    runs: int = ...,
    seed: int = ...,
    *,
    checkpoints: Sequence[int] | None = ...,
    block: int | None = ...,
    workers: int = ...,
    delivery: Delivery | str = ...,
) -> Result: ...
@overload
def simulate(
    policy: Iterable[Policy | str] | Mapping[str, Policy | str],
    arms: Arms | Iterable[float],
    horizon: int = ...,
    runs: int = ...,
    seed: int = ...,
    *,
    checkpoints: Sequence[int] | None = ...,
    block: int | None = ...,
    workers: int = ...,
    delivery: Delivery | str = ...,
) -> Comparison: ...
def simulate(
    policy: Policies,
    arms: Arms | Iterable[float],
    horizon: int = 10_000,
    runs: int = 1_000,
    seed: int = 0,
    *,
    checkpoints: Sequence[int] | None = None,
    block: int | None = None,
    workers: int = 1,
    delivery: Delivery | str = "at_once",
) -> Result | Comparison:
    """Play `runs` independent replications of `horizon` pulls each.

    Parameters
    ----------
    policy : Policy, str, or several of them
        What chooses, such as ``UCB(c=1.0)``, or a name such as ``"ucb"`` for its defaults. A list of policies, or a
        mapping of labels to policies, meets the same random numbers: then the result is a `Comparison`.
    arms : Arms or sequence of float
        What pays, such as ``Bernoulli([0.1, 0.5, 0.9])``; a list of means stands for Bernoulli arms.
    horizon : int, default 10,000
        T >= 1, pulls of a replication. Where it is shorter than a policy's first pulls, in which every arm is pulled in
        turn, the replication ends amid these.
    runs : int, default 1,000
        R >= 1, replications.
    seed : int, default 0
        At least 0; the same seed gives the same numbers to the last bit, whatever `block` and `workers`.
    checkpoints : sequence of int, optional
        The steps t in 1 ... T at which curves are kept; about two hundred, evenly spread on a linear and on a log axis,
        when left out. T itself is always among them. Memory grows with checkpoints x runs, not with horizon x runs.
    block : int, optional
        Replications that advance together in the general kernel; only the speed depends on it. Left out, the fastest of
        three kernels plays; all pull the same arms.
    workers : int, default 1
        Threads; the kernels run outside the interpreter's lock.
    delivery : Delivery or str, default "at_once"
        When a policy learns what its pulls have paid, such as ``"batch size=100"`` or ``"fixed delay=50"``. What has
        not arrived is not known: it changes no estimate and no memory. Until all arms have as many rewards as the
        policy's first pulls are, these go on in turn. Regret is that of all pulls.

    Returns
    -------
    Result or Comparison
        Pull counts, regrets, curves, figures. For several policies, a mapping of their labels to results, with tables,
        figures and paired differences.

    Raises
    ------
    ValueError
        An argument out of its range, a policy that is not defined for these arms, or more numbers than memory holds.

    Examples
    --------
    >>> from bandits import Bernoulli, Thompson, UCB
    >>> result = simulate(UCB(), Bernoulli([0.1, 0.9]), horizon=100, runs=10, seed=0)
    >>> int(result.pulls.sum())
    1000
    >>> compared = simulate(["ucb", UCB(c=0.5), Thompson()], [0.1, 0.9], horizon=100, runs=10)
    >>> list(compared)
    ['ucb', 'ucb c=0.5', 'thompson']
    """
    several: Any = None if isinstance(policy, Policy | str) or not np.iterable(policy) else policy
    chosen = dict([POLICIES.labelled(policy)]) if several is None else POLICIES.many(several)
    arms = ARMS.of(arms)
    horizon, runs = (
        checks.check_whole("horizon", horizon, 1, most=LONGEST),
        checks.check_whole("runs", runs, 1, most=MOST_RUNS),
    )
    seed, workers = checks.check_whole("seed", seed, 0), checks.check_whole("workers", workers, 1)
    block = None if block is None else checks.check_whole("block", block, 1, most=MOST_RUNS)
    times = default_checkpoints(horizon) if checkpoints is None else given_checkpoints(checkpoints, horizon)
    delivered = DELIVERY.of(delivery)
    delivered.check(horizon)
    for each in chosen.values():
        check_pair(each, arms, horizon)
    try:
        rooms = [room(each, arms, times, 0, runs) for each in chosen.values()]
    except MemoryError as error:
        raise ValueError(
            f"runs must be lower, or checkpoints fewer; {runs} replications with {times.size} checkpoints do not fit "
            "in memory"
        ) from error
    size = shard_size(horizon, runs, workers)
    parts = [
        (each, played.part(first, min(size, runs - first)))
        for each, played in zip(chosen.values(), rooms, strict=True)
        for first in range(0, runs, size)
    ]
    with ThreadPoolExecutor(workers) as pool:  # also for one worker: a main thread that waits can be interrupted
        list(pool.map(lambda part: _play(part[0], arms, horizon, seed, block, part[1], delivered), parts))
    results = {
        label: Result(label, each, arms, seed, played, delivered)
        for (label, each), played in zip(chosen.items(), rooms, strict=True)
    }
    return next(iter(results.values())) if several is None else Comparison(results)


def default_checkpoints(horizon: int) -> npt.NDArray[np.int64]:
    """Return about two hundred steps of 1 ... horizon, half evenly spaced and half geometrically."""
    even, geometric = np.linspace(0.0, horizon, 101)[1:], np.geomspace(1.0, horizon, 121)
    return np.unique(np.concatenate([even, geometric]).round().clip(1.0, horizon).astype(np.int64))


def given_checkpoints(checkpoints: Sequence[int], horizon: int) -> npt.NDArray[np.int64]:
    """Return a user's checkpoints sorted, without repetition, with the horizon added."""
    if isinstance(checkpoints, (str, bytes)) or not np.iterable(checkpoints):
        raise ValueError(f"checkpoints must be a list of steps from 1 to {horizon}; got {checkpoints!r}")
    return np.unique([*(checks.check_whole("checkpoints", t, 1, horizon) for t in checkpoints), horizon]).astype(
        np.int64
    )


def shard_size(horizon: int, runs: int, workers: int = 1) -> int:
    """Return how many replications one kernel call plays: a bounded number of steps, and work for every worker.

    At long horizons it is a full block all the same, as long as that does not take minutes.
    """
    full = max(_STEPS_A_CALL // horizon, min(_BLOCK, _MOST_STEPS_A_CALL // horizon))
    return max(1, min(full, -(-runs // workers)))


def block_of(arms: int, memory: int = 0) -> int:
    """Return how many replications of so many arms the general kernel plays together, whole lanes of them.

    Rows of memory, of which a rule that keeps every reward has T, make them fewer.
    """
    return LANES * max(1, min(_BLOCK, _CELLS // arms, _MEMORY // max(1, memory)) // LANES)


def check_pair(policy: Policy, arms: Arms, horizon: int) -> None:
    """Raise ValueError for a policy that is not defined for these arms, or a user's rule or law that fails.

    Raises
    ------
    ValueError
        One sentence that begins with the argument at fault.
    """
    if policy.unit_rewards and not arms.unit_rewards:
        raise ValueError(f"arms must have rewards in [0, 1] for {policy.name}; got {arms.describe()}")
    if policy.limits is not None:
        policy.limits.check(policy.name, arms, horizon)
    policy.check_features(arms)
    kept = getattr(policy.spec().rule, "pull_memory", 0)
    if kept * horizon > _MOST_KEPT:
        raise ValueError(
            f"horizon must be at most {_MOST_KEPT // kept} for {policy.name}, which stores every pull; got {horizon}"
        )
    spec = policy.spec()
    if policy.needs_features:
        numbers = spec.kernel_spec(horizon, arms.count, arms.dimension)
        rows = numbers.memory + numbers.arm_memory * arms.count
        if rows > _MOST_KEPT:
            raise ValueError(
                f"arms must have fewer features for {policy}; {arms.count} arms of {arms.dimension} features need "
                f"{rows} numbers a replication, and at most {_MOST_KEPT} are allowed"
            )
    rows = spec.kernel_spec(horizon, arms.count).memory if callable(spec.memory) else 0
    if rows > _MOST_KEPT:
        raise ValueError(
            f"horizon must be lower for {policy}; {horizon} pulls need {rows} numbers a replication, and at most "
            f"{_MOST_KEPT} are allowed"
        )
    arms.check_horizon(horizon)
    arms.probe()
    policy.probe(arms)


def prepare(policy: Policy, arms: Arms, horizon: int, delivery: Delivery = AT_ONCE) -> None:
    """Compile or load the kernel of a policy, once, before the first replication."""
    if delivery == AT_ONCE and bonuses_of(policy, arms, horizon) is not None:
        compile_now(_counting_kernel(arms))
    else:
        compile_now(delayed.play_delayed if delivery != AT_ONCE else general.play)
        arms.reward_law.compiled  # noqa: B018 (the access compiles)
        if not isinstance(policy.spec().rule, PlainRule):
            policy.spec().compiled()
        policy.spec().numbers(horizon, arms.count)


def replicate(
    policy: Policy,
    arms: Arms,
    horizon: int,
    checkpoints: npt.NDArray[np.int64],
    seed: int,
    first: int,
    runs: int,
    block: int | None = None,
    delivery: Delivery = AT_ONCE,
) -> Replications:
    """Play replications `first` ... `first + runs - 1`; arguments as checked by `simulate`."""
    played = room(policy, arms, checkpoints, first, runs)
    _play(policy, arms, horizon, seed, block, played, delivery)
    return played


def room(
    policy: Policy, arms: Arms, checkpoints: npt.NDArray[np.int64], first: int, runs: int, count: int | None = None
) -> Replications:
    """Return empty arrays for the replications of a policy; `count` arms of them, all unless given."""
    kept = arms.count if count is None else count
    return Replications.room(checkpoints, first, runs, kept, changing=arms.changing, alarms=policy.alarms)


def check_traced(arms: Arms, horizon: int) -> None:
    """Raise ValueError for a trace with too many steps to look at."""
    if horizon * arms.count > _MOST_TRACED:
        most = max(1, _MOST_TRACED // arms.count)
        raise ValueError(f"horizon must be at most {most} for a trace of {arms.count} arms; got {horizon}")


def replicate_steps(
    policy: Policy, arms: Arms, horizon: int, seed: int, run: int, delivery: Delivery = AT_ONCE
) -> tuple[Replications, Steps]:
    """Play one replication and keep every step: the same one that `simulate` plays under this seed."""
    check_traced(arms, horizon)
    played = room(policy, arms, np.arange(1, horizon + 1, dtype=np.int64), run, 1)
    steps = Steps.room(1, 0, horizon, arms.count)
    _play(policy, arms, horizon, seed, 1, played, delivery, steps)
    return played, steps


def _play(
    policy: Policy,
    arms: Arms,
    horizon: int,
    seed: int,
    block: int | None,
    played: Replications,
    delivery: Delivery = AT_ONCE,
    steps: Steps | None = None,
) -> None:
    """Fill in `played`, and `steps` where they are wanted: as many replications at a time as tables of means fit."""
    each = arms.segments_up_to(horizon) * (arms.count + arms.dimension) if arms.changing else 1
    together = max(1, _TABLE // each) if arms.changing else played.runs
    if played.runs > together:
        for first in range(played.first, played.first + played.runs, together):
            part = played.part(first, min(together, played.first + played.runs - first))
            _play(policy, arms, horizon, seed, block, part, delivery, steps)
        return
    problem = _problem(arms, horizon, seed, played)
    drawn, record = played.streams(seed), played.record(seed, policy.by_pulls)
    delays = None if delivery == AT_ONCE else delivery.delays(seed, played.first, played.runs)
    bonuses = bonuses_of(policy, arms, horizon) if block is None and delays is None else None
    if bonuses is not None:
        _counting_kernel(arms)(bonuses, policy.spec().estimates.explore, problem, drawn, record)
        return
    spec, law = policy.spec(), arms.reward_law
    steps = Steps.room(0, 0, horizon, arms.count) if steps is None else steps
    if isinstance(spec.rule, PlainRule):
        plain.play_plain(spec, law, problem, drawn, record, steps, delays)
        return
    with user_errors((*spec.hooks, law)):
        numbers = spec.kernel_spec(horizon, arms.count, arms.dimension)
        if delays is None:
            play: Any = general.play
            compile_elsewhere(play)
            size = block or block_of(arms.count, numbers.memory + numbers.arm_memory * arms.count)
            t = play(spec.addresses(), address_of(law.compiled), numbers, problem, drawn, record, steps, size)
        else:
            play = delayed.play_delayed
            compile_elsewhere(play)
            t = play(spec.addresses(), address_of(law.compiled), numbers, problem, drawn, delays, record, steps)
    refuse_nan(policy.name, t)


def _problem(arms: Arms, horizon: int, seed: int, played: Replications) -> Problem:
    """Return what is played, and write the means of the replications."""
    if not arms.changing:
        played.means[:] = arms.draw_means(seed, played.first, played.runs)
        return Problem(played.means, arms.law_params, played.checkpoints)
    features = np.empty((played.runs, 0))
    if arms.dimension:
        starts, means, features = arms.with_features(seed, played.first, played.runs, horizon)
    else:
        starts, means = arms.segments(seed, played.first, played.runs, horizon)
    lasting = np.diff(np.minimum(starts, horizon), append=horizon).astype(np.float64)
    played.means[:] = (lasting[:, :, None] * means).sum(axis=1) / horizon
    by_row = means.reshape(played.runs, -1)
    by_run = features.reshape(played.runs, -1)
    return Problem(means[:, 0].copy(), arms.law_params, played.checkpoints, starts, by_row, by_run)


def _counting_kernel(arms: Arms) -> Any:
    """Return the kernel that takes bonuses of each step."""
    return counting.play_counting if arms.count <= counting.MOST_ARMS else many_arms.play_many_arms


def bonuses_of(policy: Policy, arms: Arms, horizon: int) -> npt.NDArray[np.float64] | None:
    """Return b(t) of each step, 0 while every arm is pulled in turn; None if the general kernel must be used.

    The kernels `counting` and `many_arms` need sample averages of rewards 0 and 1, and pull every arm first. Bonuses
    must not be negative or huge, and there are at most a million steps.
    """
    spec = policy.spec()
    estimates = spec.estimates
    averages = estimates.step_size == 0.0 and estimates.prior_pulls == 0.0 and estimates.explore > 0
    if arms.changing or not (averages and isinstance(spec.rule, BonusRule) and arms.reward_law is bernoulli):
        return None
    if horizon > counting.LONGEST:
        return None
    compile_elsewhere(_counting_kernel(arms))
    bonuses = _bonuses(spec, arms.count, horizon)
    return bonuses if ((bonuses >= 0.0) & (bonuses < counting.HIGHEST)).all() else None


@functools.lru_cache(maxsize=4)
def _bonuses(spec: PolicySpec, arms: int, horizon: int) -> npt.NDArray[np.float64]:
    assert isinstance(spec.rule, BonusRule)
    write: Any = counting.write_bonuses
    bonuses = np.zeros(horizon)
    params = np.array(spec.params, dtype=np.float64)
    with user_errors((spec.rule,)):
        write(address_of(spec.rule.bonus), spec.estimates.explore * arms, params, bonuses)
    return bonuses
