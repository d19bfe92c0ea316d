"""Replay: a policy that learns is played on a log, and only rows count whose arm is the one that it chooses.

On a log whose arms were shown uniformly at random, the rows that count are what the policy would have met (Li, Chu,
Langford and Wang 2011). On another one a row whose arm was shown with probability p is first kept with probability
min p / p, which leaves a uniform one. The policy learns from the rows that count alone. Its choice waits for the next
row of its arm: it knows nothing of the rows between, so that they cannot change what it would choose. A policy that
sees features is asked again for every row, with the row's own (`bandits.logs.kernels.by_row`).
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
from bandits.hooks import PlainRule
from bandits.kernels import general
from bandits.kernels.arguments import Problem, Steps
from bandits.kernels.signatures import SIGNATURES
from bandits.logs.kernels.by_row import play_rows
from bandits.logs.limits import FEWEST_REWARDS, others_of, paying_otherwise
from bandits.logs.log import Log
from bandits.policies.base import Policy
from bandits.replications import Replications
from bandits.simulate import check_pair
from numerics.kernels.jit import compile_now, kernel
from numerics.kernels.users import user_errors
from numerics.random import Purpose
from numerics.statistics.means import interval_of

LEAST_MATCHED = 100  # rows that count, for a number

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

    def mean(self) -> tuple[float, float, float]:
        """Return the mean reward while learning, and its 95 % interval; NaN where there is no number.

        The interval is that of what these choices pay on average: Student's t, corrected for skewness.
        """
        if self.refusal():
            return math.nan, math.nan, math.nan
        low, high = interval_of(self.reward)
        if self.reward.min() >= 0.0 and self.reward.max() <= 1.0:  # as clicks
            low, high = np.maximum(low, 0.0), np.minimum(high, 1.0)
        return float(self.reward.mean()), float(low), float(high)

    def refusal(self) -> str:
        """Return why there is no number, and what log would give one; empty where there is a number."""
        if self.reward.size < LEAST_MATCHED:
            left = f", {self.kept:,} of them left by rejection" if self.kept < self.rows else ""
            return (
                f"{self.reward.size} rows of {self.rows:,}{left} have the arm that the policy chose, and it takes "
                f"{LEAST_MATCHED}: a longer log answers, or one that shows every arm with the same probability"
            )
        others, usual = others_of(self.reward)
        if others < FEWEST_REWARDS:
            of = f"the {self.reward.size:,} rows whose arm the policy chose"
            return (
                f"{paying_otherwise(others, usual, of)}, and it takes {FEWEST_REWARDS} to know how much rewards vary: "
                "a longer log answers"
            )
        return ""


@kernel(SIGNATURES["law"])
def _matched(uniform, mean, arm, params, reward):
    """Pay what the next row of the arm paid; `params` is what `_tape` lays out."""
    width = params.shape[1]
    arms = int(params[0, 0])
    now, base = params[0, 1], 3 + arms + 1
    first = int(params[(3 + arm[0]) // width, (3 + arm[0]) % width])
    last = int(params[(4 + arm[0]) // width, (4 + arm[0]) % width])
    end = last
    while first < last:  # the arm's first row at `now` or later
        middle = (first + last) // 2
        at = base + 2 * middle
        if params[at // width, at % width] < now:
            first = middle + 1
        else:
            last = middle
    reward[:] = 0.0
    if first < end:
        at = base + 2 * first
        params[0, 1] = params[at // width, at % width] + 1.0
        params[0, 2] += 1.0
        reward[0] = params[(at + 1) // width, (at + 1) % width]
    else:
        params[0, 1] = np.inf  # no row of this arm is left: nothing counts any more


def _tape(arm: npt.NDArray[Any], reward: Floats, arms: int) -> Floats:
    """Return rows in the form of a law's parameters, float64[K, P].

    Read line by line it holds K; the row that comes next; how many have counted; where the rows of each arm begin, and
    the last end; then for each row, arm by arm in their order, its number and its reward.
    """
    order = np.argsort(arm, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(arm, minlength=arms))])
    flat = np.concatenate([[arms, 0, 0], begins, np.column_stack([order, reward[order]]).ravel()])
    width = max(3, -(-flat.size // arms))
    tape = np.zeros(arms * width)
    tape[: flat.size] = flat
    return tape.reshape(arms, width)


@kernel(SIGNATURES["law"])
def _known(uniform, mean, arm, params, reward):
    """Pay what the arm paid in the next row of a wide log; `params` has a line an arm, and that row's number behind."""
    row = int(params[0, params.shape[1] - 1])
    reward[:] = 0.0
    reward[0] = params[arm[0], row]
    params[0, params.shape[1] - 1] += 1.0


def replay(log: Log, policy: Policy, seed: int = 0) -> Replayed:
    """Play a policy on a log.

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
    horizon, arms = check_replay(log, policy), len(log.names)
    left = np.ones(len(log), bool)
    if log.propensity is not None:
        if not log.is_uniform:
            left = _thinned(log.propensity, np.random.default_rng([seed, Purpose.LOG_REPLAY]))
        horizon = max(1, int(left.sum()) // arms)  # rows that count, on average
    kept = int(left.sum())
    if policy.needs_features:
        return Replayed(*_by_row(log, policy, left, horizon, seed), kept, len(log))
    if log.rewards is not None:
        tape, law = np.column_stack([log.rewards.T, np.zeros(arms)]), _known
    else:
        tape, law = _tape(log.arm[left], log.reward[left], arms), _matched
    spec, played = policy.spec(), Replications.room(np.array([horizon]), 0, 1, arms)
    played.means[:] = 0.0  # nobody knows them, so that no regret is counted
    steps = Steps.room(1, 0, horizon, 0)
    problem = Problem.still(played.means, np.ascontiguousarray(tape), played.checkpoints)
    play: Any = compile_now(general.play)
    with user_errors(spec.hooks):
        numbers = spec.kernel_spec(horizon, arms)
        fault = play(
            *spec.compiled(), compile_now(law), numbers, problem, played.streams(seed), played.record(seed), steps, 1
        )
    if fault:
        raise ValueError(f"policy {policy.name} scored an arm NaN at t = {fault}")
    matched = horizon if log.rewards is not None else int(problem.params[0, 2])
    return Replayed(steps.arm[:matched], steps.reward[:matched], kept, len(log))


def _by_row(
    log: Log, policy: Policy, left: npt.NDArray[np.bool_], horizon: int, seed: int
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return arms and rewards of the rows that count, where a policy sees the features of every row that is left."""
    spec, rng = policy.spec(), Replications.room(np.array([horizon]), 0, 1, len(log.names)).streams(seed).rule
    seen = np.ascontiguousarray(_seen(log)[left])
    shown = np.empty(0, np.int64) if log.rewards is not None else log.arm[left].astype(np.int64)
    paid = np.ascontiguousarray(log.reward[left, None] if log.rewards is None else log.rewards)
    chosen, earned = np.zeros(horizon, np.int64), np.zeros(horizon)
    play: Any = compile_now(play_rows)
    with user_errors(spec.hooks):
        numbers, (_, *hooks) = spec.kernel_spec(horizon, len(log.names), seen.shape[1]), spec.compiled()
        matched = play(*hooks, numbers, seen, shown, paid, len(log.names), rng, chosen, earned)
    return chosen[:matched], earned[:matched]


def _seen(log: Log) -> Floats:
    """Return the features of a log's rows as a policy sees them, (n, d).

    A constant 1 stands before them, as with arms of a log, unless one of them is a constant: an arm may be better
    whatever the features are.
    """
    assert log.features is not None
    if (np.ptp(log.features, axis=0) == 0.0).any():
        return log.features
    return np.column_stack([np.ones(len(log)), log.features])


def _thinned(propensity: Floats, rng: np.random.Generator) -> Any:
    return rng.random(propensity.size) < propensity.min() / propensity


def check_replay(log: Log, policy: Policy) -> int:
    """Return about how many rows will count, or raise ValueError as `replay` does."""
    if log.rewards is None and log.propensity is None:
        raise ValueError(f"a policy that learns needs a log with propensities, or with uniform=true. {log.answers()}")
    spec = policy.spec()
    if isinstance(spec.rule, PlainRule):
        raise ValueError(f"{spec.rule.who} is a class, which only `simulate` plays; a replay needs a compiled rule")
    if policy.needs_features and log.features is None:
        raise ValueError(
            f"log must have features for {policy.name}, as with feature_columns=[age,price]; got {len(log):,} rows "
            "without any"
        )
    horizon = len(log) if log.rewards is not None else max(1, len(log) // len(log.names))
    if policy.needs_features:
        arms = _like_with_features(log)
        check_pair(policy, arms, min(horizon, MOST_NUMBERS // (arms.count + arms.dimension)))
    else:
        check_pair(policy, _like(log), horizon)
    return horizon


def _like(log: Log) -> Arms:
    """Return arms whose rewards are like the log's, to check a policy against."""
    rewards = log.reward if log.rewards is None else log.rewards
    middle = [0.5] * len(log.names)
    if bool(np.isin(rewards, [0.0, 1.0]).all()):
        return Bernoulli(middle)
    return Beta(middle) if rewards.min() >= 0.0 and rewards.max() <= 1.0 else Gaussian(middle)


def _like_with_features(log: Log) -> Arms:
    """Return arms with features as the log's and a constant, whose rewards are in [0, 1] where all of the log are."""
    assert log.features is not None
    kind = Logistic if _like(log).unit_rewards else Linear
    return kind(arms=len(log.names), features=log.features.shape[1] + 1)
