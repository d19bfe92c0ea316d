"""Replay of learners on a log: a row counts if its arm is the one that the policy chooses.

On a log of uniform play, the rows that count are distributed as those that the policy would have seen (Li et al. 2011).
On another log, a row with propensity p is first kept with probability min p / p, which leaves a log of uniform play.
The policy learns only from the rows that count. Its choice waits for the next row with that arm; it does not see the
rows between. A policy that uses features chooses again for every row, with the row's own features
(`bandits.kernels.by_row`).

One replay depends on which rows are rejected, on their order and on the policy's own draws. So `learn` averages over 20
replays, each with rows in a random order. This assumes that all rows come from one law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.arms.base import Arms
from bandits.arms.bernoulli import Bernoulli
from bandits.arms.beta import Beta
from bandits.arms.contextual.base import MOST_NUMBERS
from bandits.arms.contextual.linear import Linear
from bandits.arms.contextual.logistic import Logistic
from bandits.arms.gaussian import Gaussian
from bandits.evaluation.limits import FEWEST_REWARDS, Paying
from bandits.hooks import PlainRule
from bandits.kernels.by_row import play_rows
from bandits.logs.log import Log
from bandits.policies.base import Policy
from bandits.simulation import check_pair
from bandits.spec import refuse_nan
from numerics.kernels.users import user_errors
from numerics.random import Purpose, streams
from numerics.statistics.means import interval, skewness

LEAST_MATCHED = 1_000  # rows that count, for a number: over fewer a policy has hardly begun to learn
REPLAYS = 20  # of a policy, over which its value is the mean
_SAFE = 0.9  # of the rows that count on average: as many count in nearly all replays
_ROOM = 1.1  # of the log that a refusal asks for
_INTERCEPT = 0.1  # size of a constant feature that serves as an intercept

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Replayed:
    """A policy played on a log.

    Attributes
    ----------
    arm : ndarray of int64, shape (matched,)
        What it chose in the rows that count, in their order.
    reward : ndarray of float64, shape (matched,)
        What that paid.
    kept : int
        Rows of the log that were left after rejection; all of a uniform one.
    rows : int
        Of the log.
    """

    arm: npt.NDArray[np.int64]
    reward: Floats
    kept: int
    rows: int


@dataclass(frozen=True)
class Learned:
    """The mean reward of a policy while it learns, over its first rows that count.

    Attributes
    ----------
    value, low, high : float
        The mean reward, over the replays too, and its 95 % interval; NaN where they are refused.
    matched : int
        Rows over which it is the mean: 0.9 of those that count on average, or as many as count in every replay.
    paying : Paying
        How many of these pay another reward than most, in the replay with the fewest of them.
    refused : str
        Why there is no number, and what log would give one; empty where there is a number.
    """

    value: float
    low: float
    high: float
    matched: int
    paying: Paying
    refused: str


def replay(log: Log, policy: Policy, seed: int = 0) -> Replayed:
    """Play a policy on a log once, on rows in their order.

    Parameters
    ----------
    log : Log
        With propensities, or a wide one, in which every row counts.
    policy : Policy
        One of the registry, or a compiled rule of a user.
    seed : int, default 0
        Of the policy's choices and of the rejection.

    Raises
    ------
    ValueError
        A log without propensities, or a policy that is not defined for its arms and rewards.
    """
    check_replay(log, policy)
    return _play(log, policy, _rows_after_rejection(log, np.random.default_rng([seed, Purpose.LOG_REPLAY])), seed, 0)


def learn(log: Log, policy: Policy, seed: int = 0) -> Learned:
    """Return the mean reward of a policy while it learns, over 20 replays with rows in random order.

    The variance of the mean has two parts. The first is the variance of the rewards within a replay, divided by the
    number of rows that count. It is not divided by 20, because replays share rows. The second is the variance between
    replays, divided by 20. The interval is Student's t with Welch's degrees of freedom, corrected for skewness.

    Parameters
    ----------
    log, policy
        As for `replay`.
    seed : int, default 0
        Of all replays: number r has stream r of the policy's, and its own order and rejection of rows.

    Raises
    ------
    ValueError
        As for `replay`.
    """
    check_replay(log, policy)
    played = []
    for number in range(REPLAYS):
        rng = np.random.default_rng([seed, Purpose.LOG_REPLAY, number])
        played.append(_play(log, policy, rng.permutation(_rows_after_rejection(log, rng)), seed, number))
    shortest = min(played, key=lambda each: each.reward.size)
    counted = float(len(log))  # rows in all replays of nearly all policies, so that all are played as far
    if log.propensity is not None:
        counted = _SAFE * float((log.propensity.min() / log.propensity).sum()) / len(log.names)
    matched = min(shortest.reward.size, max(LEAST_MATCHED, int(counted)))
    rewards = np.array([each.reward[:matched] for each in played])
    paying = min((Paying.of(each) for each in rewards), key=lambda each: each.others)
    if refused := _refusal(shortest, paying, len(log)):
        return Learned(math.nan, math.nan, math.nan, matched, paying, refused)
    low, high = _interval_of_mean(rewards)
    if rewards.min() >= 0.0 and rewards.max() <= 1.0:  # as clicks
        low, high = max(low, 0.0), min(high, 1.0)
    return Learned(float(rewards.mean()), low, high, matched, paying, "")


def _interval_of_mean(rewards: Floats) -> tuple[float, float]:
    """Return the ends of the interval of the mean of rewards, float64[R, m], of R replays that share rows."""
    replays, matched = rewards.shape
    means = rewards.mean(axis=1)
    within, between = float(rewards.var(axis=1, ddof=1).mean()) / matched, float(means.var(ddof=1)) / replays
    square = within + between
    # As many values as have these degrees of freedom (Welch 1947); third cumulants of the parts add up.
    n = 1.0 + square**2 / (within**2 / (matched - 1) + between**2 / (replays - 1))
    cubes = (
        skewness(rewards.T).mean() * within**1.5 / math.sqrt(matched),
        skewness(means) * between**1.5 / math.sqrt(replays),
    )
    low, high = interval(means.mean(), math.sqrt(square), sum(cubes) / square**1.5 * math.sqrt(n), n)
    return float(low), float(high)


def _refusal(shortest: Replayed, paying: Paying, rows: int) -> str:
    """Return why there is no number, and what log would give one; empty where there is a number."""
    matched = shortest.reward.size
    if matched < LEAST_MATCHED:
        left = f"rejection leaves {shortest.kept:,} of {rows:,} rows, and " if shortest.kept < rows else ""
        of = "of these " if left else f"of {rows:,} rows "
        longer = f"{float(f'{_ROOM * rows * LEAST_MATCHED / max(1, matched):.2g}'):,.0f}"
        return (
            f"only {matched:,} row{'' if matched == 1 else 's'} can be replayed: {left}the policy chose the shown "
            f"arm in {matched:,} {of}(at least {LEAST_MATCHED:,} are required; a log of about {longer} rows "
            "would suffice)"
        )
    if paying.others < FEWEST_REWARDS:
        return (
            f"{paying.sentence(f'the {matched:,} rows whose arm the policy chose')}, and {FEWEST_REWARDS} are required "
            "to estimate the variance: use a longer log"
        )
    return ""


def _rows_after_rejection(log: Log, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the rows that are left after rejection, in their order; all of a uniform log, or of a wide one."""
    if log.propensity is None or log.is_uniform:
        return np.arange(len(log))
    return np.flatnonzero(rng.random(len(log)) < log.propensity.min() / log.propensity)


def _play(log: Log, policy: Policy, left: npt.NDArray[np.int64], seed: int, number: int) -> Replayed:
    """Play replication `number` of a policy on rows of a log, in the order given."""
    arms, kept, spec = len(log.names), left.size, policy.spec()
    horizon = len(log) if log.rewards is not None else max(1, kept // arms)  # rows that count, on average
    seen = np.ascontiguousarray(_features_seen(log)[left]) if policy.needs_features else np.empty((0, 0))
    shown = np.empty(0, np.int64) if log.rewards is not None else log.arm[left].astype(np.int64)
    paid = np.ascontiguousarray(log.reward[left, None] if log.rewards is None else log.rewards[left])
    chosen, earned = np.zeros(horizon, np.int64), np.zeros(horizon)
    play: Any = play_rows
    with user_errors(spec.hooks):
        numbers, rng = spec.kernel_spec(horizon, arms, seen.shape[1]), streams(seed, (Purpose.POLICY,), number, 1)
        matched = play(spec.addresses(), numbers, seen, shown, paid, arms, rng, chosen, earned)
    refuse_nan(policy.name, -min(0, matched))
    return Replayed(chosen[:matched], earned[:matched], kept, len(log))


def _features_seen(log: Log) -> Floats:
    """Return the features of a log's rows as a policy sees them, (n, d).

    A constant 1 stands before them, as with arms of a log, unless one of them is a constant of at least 0.1 in size: an
    arm may be better whatever the features are. A constant 0 tells nothing of an arm, and a tiny one next to nothing,
    as policies keep weights small.
    """
    assert log.features is not None
    if ((np.ptp(log.features, axis=0) == 0.0) & (np.abs(log.features[0]) >= _INTERCEPT)).any():
        return log.features
    return np.column_stack([np.ones(len(log)), log.features])


def check_replay(log: Log, policy: Policy) -> int:
    """Return about how many rows will count, or raise ValueError as `replay` does."""
    if log.rewards is None and log.propensity is None:
        raise ValueError(f"a policy that learns needs a log with propensities, or with uniform=true. {log.answers()}")
    spec = policy.spec()
    if isinstance(spec.rule, PlainRule):
        raise ValueError(f"{spec.rule.who} is a Python class; a replay needs a compiled rule")
    if policy.needs_features and log.features is None:
        raise ValueError(
            f"log must have features for {policy.name}; got {len(log):,} rows without features: {log.without_features}"
        )
    rewards = log.reward if log.rewards is None else log.rewards
    if policy.unit_rewards and (rewards.min() < 0.0 or rewards.max() > 1.0):
        raise ValueError(
            f"rewards of the log must be in [0, 1] for {policy.name}; got {rewards.min():g} to {rewards.max():g}"
        )
    if policy.limits is not None and policy.limits.horizon < LEAST_MATCHED:
        raise ValueError(
            f"{policy.name} is defined only for {policy.limits}; a replay has at least {LEAST_MATCHED:,} pulls"
        )
    horizon = len(log) if log.rewards is not None else max(1, len(log) // len(log.names))
    if policy.needs_features:
        assert log.features is not None
        kind = Logistic if _arms_like(log).unit_rewards else Linear
        arms = kind(arms=len(log.names), features=log.features.shape[1] + 1)
        check_pair(policy, arms, min(horizon, MOST_NUMBERS // (arms.count + arms.dimension)))
    else:
        check_pair(policy, _arms_like(log), horizon)
    return horizon


def _arms_like(log: Log) -> Arms:
    """Return arms whose rewards are like the log's, to check a policy against."""
    rewards = log.reward if log.rewards is None else log.rewards
    middle = [0.5] * len(log.names)
    if bool(np.isin(rewards, [0.0, 1.0]).all()):
        return Bernoulli(middle)
    return Beta(middle) if rewards.min() >= 0.0 and rewards.max() <= 1.0 else Gaussian(middle)
