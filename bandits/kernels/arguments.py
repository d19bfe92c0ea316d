"""What the simulation kernels take and fill in: the policy, the problem, the random streams, and what is kept."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bandits.kernels.signatures import POINTED, SIGNATURES
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty
from numerics.kernels.jit import Matrix, Vector, kernel

MOST_ROOTS = 2**20  # counts whose 1 / sqrt(n) is kept, 8 MiB
score_at = hook_at(POINTED)  # these turn an address into the hook that is there
select_at, learn_at, law_at, stop_at, bonus_at = (
    hook_at(SIGNATURES[kind]) for kind in ("select", "learn", "law", "stop", "bonus")
)


class Hooks(NamedTuple):
    """The addresses of a policy's hooks; see `bandits.spec.PolicySpec.addresses`."""

    score: int  # which takes pointers
    select: int
    learn: int


class Estimates(NamedTuple):
    """How often every arm is pulled first, and how its estimate begins and moves."""

    explore: int = 1  # pulls of every arm, in turn, before the rule is asked
    initial: float = 0.0  # the estimate of an arm before its first pull
    prior_pulls: float = 0.0  # how many pulls that start value counts for
    step_size: float = 0.0  # 0: sample averages; else the estimate moves this share towards each reward


class KernelSpec(NamedTuple):
    """How a policy plays, in a bandit and in a search; made by `bandits.spec.PolicySpec.kernel_spec`."""

    is_choice: bool  # the select hook decides; else the argmax of the score hook
    has_learn: bool  # call the learn hook after every pull
    needs_variances: bool  # keep variances up to date; else they are NaN
    needs_priors: bool  # 1 / K; else NaN
    horizon: float  # what the rule finds in its argument; NaN where it does not declare it
    params: Vector[np.float64]  # [...], the rule's own numbers
    memory: int  # rows of the choice rule's memory, those for every pull of the run too
    arm_memory: int  # more rows for each arm, behind those
    kept_rows: int  # leading rows that the learn hook wants as they were at the pull
    features: int  # d, of a rule that sees features: they are in its rows 1 ... d, and d in row 0; else 0
    estimates: Estimates


_NEVER = np.empty((0, 0))  # of means that never change


class Problem(NamedTuple):
    """What is played: R replications of a K-armed bandit."""

    means: Matrix[np.float64]  # [R, K]
    params: Matrix[np.float64]  # [K, P], the numbers of the law, a row an arm
    checkpoints: Vector[np.int64]  # [C], increasing, values of t in 1 ... T; the last is T
    # [R, S], increasing from 0, the steps before which means change; T or more is padding, S = 0 where they never do
    starts: Matrix[np.int64] = _NEVER.astype(np.int64)
    segments: Matrix[np.float64] = _NEVER  # [R, S * K], the means from each of these steps on
    features: Matrix[np.float64] = _NEVER  # [R, T * d], what a rule may see before each step


class Streams(NamedTuple):
    """One random stream a replication for each purpose; all advance in place."""

    rule: Matrix[np.uint64]  # [R, 4]
    reward: Matrix[np.uint64]  # [R, 4], shared by all policies of a run
    best: Matrix[np.uint64]  # [R, 4]


class Delays(NamedTuple):
    """When rewards arrive: each after so many further pulls, and no earlier than at the end of a batch."""

    batch: int  # pulls of a batch; 1 where every reward comes by itself
    values: Vector[np.int64]  # [N], equally probable delays, at least one
    log_stay: float  # of a geometric delay, which takes their place: ln(1 - p), below 0; else 0
    longest: int  # delay that can occur, batches included
    rng: Matrix[np.uint64]  # [R, 4], the streams of the delays, which advance in place


class Record(NamedTuple):
    """What is kept: values at the checkpoints, and pull counts at the end."""

    pulls: Matrix[np.int64]  # [R, K]
    pseudo_regret: Matrix[np.float64]  # [R, C]
    reward_sum: Matrix[np.float64]  # [R, C], the sum of rewards
    best_reward_sum: Matrix[np.float64]  # [R, C], the sum of r*, the best arm's rewards
    reward: Matrix[np.float64]  # [R, C], the reward at step t itself
    optimal: Matrix[np.uint8]  # [R, C], whether step t pulled a best arm
    simple_regret: Matrix[np.float64]  # [R, C], the gap of the arm that would be recommended after step t
    fixed_regret: Matrix[np.float64]  # [R, C], that against the arm of the highest mean so far; written if arms change
    lost: Matrix[np.float64]  # [R, K], the regret of the pulls of each arm; empty unless arms change
    best_pulls: Matrix[np.float64]  # [R, C], the pulls of arms that were a best one then; empty unless arms change
    alarms: Matrix[np.float64]  # [R, C], how often the policy noticed a change; [R, 0] of one that looks for none
    by_pulls: bool  # recommend the arm of the most pulls, and of these that of the highest mean; else the reverse
    tie_breakers: Vector[np.float64]  # [R], uniform on (0, 1): which of the arms that are equal in both is recommended


class Steps(NamedTuple):
    """What happened at every step t > `before` of the first `runs` replications, one replication after another.

    Each array has N = runs (T - before) rows.
    """

    runs: int
    before: int
    arm: Vector[np.int64]  # [N], the arm that was pulled; -1 before it is
    reward: Vector[np.float64]  # [N], what it paid
    best_reward: Vector[np.float64]  # [N], the best arm's independent reward r*_t
    arrival: Vector[np.int64]  # [N], the step at whose end the reward is known, counted from 0: its own but for delays
    means: Matrix[np.float64]  # [N, K], the estimates before the pull
    scores: Matrix[np.float64]  # [N, K], the scores that chose: NaN where none were asked for, -inf of arms left out
    memory: Matrix[np.float64]  # [N, M'], the first rows of the memory of a choice rule when it has chosen

    @classmethod
    def room(cls, runs: int, before: int, horizon: int, arms: int, memory: int = 0) -> Self:
        """Return arrays in which nothing is filled in yet."""
        rows = runs * (horizon - before)
        tables = (np.full((rows, columns), np.nan) for columns in (arms, arms, memory))
        arm, reward, best_reward = np.full(rows, -1), np.full(rows, np.nan), np.full(rows, np.nan)
        return cls(runs, before, arm, reward, best_reward, np.tile(np.arange(before, horizon), runs), *tables)


@kernel()
def full(size, value):
    """Return float64[size] of one value."""
    array = empty(size)
    for i in range(size):
        array[i] = value
    return array
