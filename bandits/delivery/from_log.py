"""Delays of a log that has the times of its impressions and of their rewards."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bandits.delivery.base import Delivery, check_delay
from bandits.delivery.log_times import delays_of
from numerics.checks import accept_any
from numerics.parameters import parameter


class LoggedDelays(Delivery, name="from_log"):
    """Delays are drawn from those of a log with times.

    The delay of an impression is how many others followed until its reward came.
    """

    path: str = parameter(
        check=accept_any, help="CSV file with a header line, JSON lines or Parquet: one row an impression"
    )
    shown_column: str = parameter("shown", check=accept_any, help="the column with the time of the impression")
    rewarded_column: str = parameter(
        "rewarded", check=accept_any, help="the column with the time at which its reward came"
    )
    delayed: tuple[int, ...] = field(init=False, repr=False)
    source = "your own file"

    def __post_init__(self) -> None:
        delays = delays_of(self.path, self.shown_column, self.rewarded_column)
        object.__setattr__(self, "delayed", tuple(delays.tolist()))

    @property
    def formula(self) -> str:
        times = self.values
        return (
            f"the reward of pull t is known before pull t + 1 + D, D drawn from {times.size:,} delays of {self.path} "
            f"(mean {times.mean():.1f}, median {np.median(times):.0f}, longest {times.max():,})"
        )

    @property
    def title(self) -> str:
        return f"rewards late as in {Path(self.path).name}"

    @property
    def values(self) -> npt.NDArray[np.int64]:
        return np.array(self.delayed, np.int64)

    def check(self, horizon: int) -> None:
        check_delay("path: its shortest delay", min(self.delayed), max(0, horizon - 2), horizon)
        super().check(horizon)
