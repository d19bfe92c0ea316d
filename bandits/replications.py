"""The numbers of each replication of a simulation."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.kernels.arguments import Record, Streams
from numerics.random import Purpose, streams, unit

Floats = npt.NDArray[np.float64]
_NOTHING = functools.partial(np.empty, (0, 0))


@dataclass(frozen=True)
class Replications:
    """R replications of a policy at C checkpoints; row r is replication `first` + r.

    Attributes
    ----------
    checkpoints : int64[C]
    first : int
        The number of the first replication.
    means : float64[R, K]
        The true means of the arms.
    pulls : int64[R, K]
        N_T(a).
    pseudo_regret, reward_sum, best_reward_sum : float64[R, C]
        sum_a gap_a N_t(a); the sum of rewards; the sum of the best arm's independent rewards r*.
    reward : float64[R, C]
        The reward of step t.
    optimal : uint8[R, C]
        Whether step t pulled a best arm.
    simple_regret : float64[R, C]
        The gap of the arm that the policy would recommend after step t. It is the arm with the highest estimate, or for
        policies with `by_pulls` the arm with the most pulls. The other criterion breaks ties, then a random choice.
    against_fixed : float64[R, C]
        Of arms that change: the regret against always pulling the arm whose means have the highest sum up to t, see
        `fixed_regret`; else [0, 0].
    lost : float64[R, K]
        Of arms that change: the regret of the pulls of each arm; else [0, 0].
    best_pulls : float64[R, C]
        Of arms that change: how many pulls up to t were of an arm that was a best one then; else [0, 0].
    alarms : float64[R, C]
        How often a policy that looks for changes had noticed one up to t; [0, 0] for others.

    For arms that change, `pseudo_regret` is the dynamic regret, sum_s (max_a mean_a(s) - mean_{a_s}(s)). `optimal` and
    `simple_regret` refer to the means of step t. `means` are averages over all T steps.
    """

    checkpoints: npt.NDArray[np.int64]
    first: int
    means: Floats
    pulls: npt.NDArray[np.int64]
    pseudo_regret: Floats
    reward_sum: Floats
    best_reward_sum: Floats
    reward: Floats
    optimal: npt.NDArray[np.uint8]
    simple_regret: Floats
    against_fixed: Floats = field(default_factory=_NOTHING)
    lost: Floats = field(default_factory=_NOTHING)
    best_pulls: Floats = field(default_factory=_NOTHING)
    alarms: Floats = field(default_factory=_NOTHING)

    @property
    def changing(self) -> bool:
        """Whether the arms change."""
        return bool(self.against_fixed.shape[1] or self.lost.shape[1])  # a part of a run may hold either alone

    @property
    def fixed_regret(self) -> Floats:
        """The regret against the best fixed arm up to t, float64[R, C]; that of arms that never change is the same."""
        return self.against_fixed if self.changing else self.pseudo_regret

    @property
    def runs(self) -> int:
        """R, the number of replications."""
        return int(self.pulls.shape[0])

    @functools.cached_property
    def realised_regret(self) -> Floats:
        """sum_t (r*_t - r_t), float64[R, C]; it can fall, and be negative."""
        return self.best_reward_sum - self.reward_sum

    @property
    def optimal_pulls(self) -> Floats:
        """The share of all T pulls that went to an arm that was a best one then, float64[R]."""
        if self.changing:
            moving: Floats = self.best_pulls[:, -1] / self.checkpoints[-1]
            return moving
        best = self.means == self.means.max(axis=1, keepdims=True)
        share: Floats = np.where(best, self.pulls, 0).sum(axis=1) / self.checkpoints[-1]
        return share

    def record(self, seed: int, by_pulls: bool = False) -> Record:
        """Return the arrays for a kernel to fill; `by_pulls` and the seed tell which arm it recommends."""
        by_time = (self.pseudo_regret, self.reward_sum, self.best_reward_sum, self.reward, self.optimal)
        of_changes = (self.against_fixed, self.lost, self.best_pulls, self.alarms)
        drawn = tie_breakers(seed, self.first, self.runs)
        return Record(self.pulls, *by_time, self.simple_regret, *of_changes, by_pulls, drawn)

    def streams(self, seed: int) -> Streams:
        """Return the random streams of the replications, for each purpose."""
        purposes = (Purpose.POLICY, Purpose.REWARD, Purpose.BEST_REWARD)
        return Streams(*(streams(seed, (purpose,), self.first, self.runs) for purpose in purposes))

    @classmethod
    def room(
        cls,
        checkpoints: npt.NDArray[np.int64],
        first: int,
        runs: int,
        arms: int,
        *,
        changing: bool = False,
        alarms: bool = False,
    ) -> Replications:
        """Return empty arrays for the replications from `first` on."""
        by_arm, by_time = (runs, arms), (runs, checkpoints.size)
        # A single array is large enough for large pages, so that kernels wait less for memory.
        floats = np.empty((5, *by_time))
        regret, reward_sum, best_reward_sum, reward, simple = floats
        means, pulls = np.empty(by_arm), np.empty(by_arm, np.int64)
        optimal = np.empty(by_time, np.uint8)
        kept = (means, pulls, regret, reward_sum, best_reward_sum, reward, optimal, simple)
        more: dict[str, Any] = {"alarms": np.empty(by_time)} if alarms else {}
        if changing:
            more.update(against_fixed=np.empty(by_time), lost=np.empty(by_arm), best_pulls=np.empty(by_time))
        return cls(checkpoints, first, *kept, **more)

    def part(self, first: int, runs: int) -> Replications:
        """Return a view of replications `first` ... `first + runs - 1`."""
        rows = slice(first - self.first, first - self.first + runs)
        return Replications(self.checkpoints, first, *(getattr(self, field.name)[rows] for field in _BY_RUN))


_BY_RUN = [field for field in fields(Replications) if field.name not in ("checkpoints", "first")]  # a row a run


def tie_breakers(seed: int, first: int, runs: int) -> Floats:
    """Return a number in (0, 1) for each replication, which decides among equally good arms to recommend.

    Each is drawn from a stream of its own, so that pulls do not depend on it, and serves the replication at every t.
    So the recommendation at t does not depend on the other checkpoints.
    """
    return unit(streams(seed, (Purpose.RECOMMENDATION,), first, runs)[:, 0])
