"""The per-replication numbers of a simulation: what is kept, and how shards are put together."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.kernels.arguments import Record

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Replications:
    """R replications of one policy, row r for replication `first` + r, at C checkpoints.

    Attributes
    ----------
    checkpoints : int64[C]
    first : int
        The number of the first replication.
    means : float64[R, K]
        The true means of its arms.
    pulls : int64[R, K]
        N_T(a).
    pseudo_regret, reward_sum, best_reward_sum : float64[R, C]
        sum_a gap_a N_t(a); the sum of rewards; the sum of the best arm's independent rewards r*.
    reward : float64[R, C]
        The reward of step t itself.
    optimal : uint8[R, C]
        Whether step t itself pulled a best arm.
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
        """The share of all T pulls that went to a best arm, float64[R]."""
        best = self.means == self.means.max(axis=1, keepdims=True)
        share: Floats = np.where(best, self.pulls, 0).sum(axis=1) / self.checkpoints[-1]
        return share

    @property
    def record(self) -> Record:
        """The arrays that whoever plays fills in."""
        return Record(self.pulls, self.pseudo_regret, self.reward_sum, self.best_reward_sum, self.reward, self.optimal)

    @classmethod
    def room(cls, checkpoints: npt.NDArray[np.int64], first: int, runs: int, arms: int) -> Replications:
        """Return arrays for the replications from `first` on; nothing is filled in yet."""
        by_arm, by_time = (runs, arms), (runs, checkpoints.size)
        # One array for all: it is large enough for large pages, where a kernel that fills it waits less for memory.
        floats = np.empty((4, *by_time))
        regret, reward_sum, best_reward_sum, reward = floats
        means, pulls = np.empty(by_arm), np.empty(by_arm, np.int64)
        optimal = np.empty(by_time, np.uint8)
        return cls(checkpoints, first, means, pulls, regret, reward_sum, best_reward_sum, reward, optimal)

    def part(self, first: int, runs: int) -> Replications:
        """Return replications `first` ... `first + runs - 1`; what is written there is written here."""
        rows = slice(first - self.first, first - self.first + runs)
        return Replications(self.checkpoints, first, *(getattr(self, one.name)[rows] for one in _BY_RUN))

    @classmethod
    def join(cls, parts: Sequence[Replications]) -> Replications:
        """Put shards together in the order of their replications."""
        ordered = sorted(parts, key=lambda part: part.first)
        if len(ordered) == 1:
            return ordered[0]
        joined: dict[str, Any] = {
            one.name: np.concatenate([getattr(part, one.name) for part in ordered]) for one in _BY_RUN
        }
        return cls(checkpoints=ordered[0].checkpoints, first=ordered[0].first, **joined)


_BY_RUN = [one for one in fields(Replications) if one.name not in ("checkpoints", "first")]  # arrays with a row a run
