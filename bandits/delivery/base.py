"""The base of deliveries: small immutable values that say how many further pulls pass before a reward is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bandits.kernels.arguments import Delays
from numerics.families import Declared, Family
from numerics.random import Purpose, streams

_MOST_QUEUED = 10**7  # rewards on their way: 320 MB


class Delivery(Declared):
    """A way in which rewards arrive; the fields of a subclass are its parameters on the command line.

    A reward of delay d is known when d further pulls have been chosen; a policy chooses by the rewards that it knows.
    """

    source: ClassVar[str] = ""
    batch: ClassVar[int] = 1  # how many pulls have their rewards arrive together, after the last of them
    log_stay: ClassVar[float] = 0.0  # ln(1 - p) of a delay that is geometric, and then has no `values`; else 0

    @property
    def formula(self) -> str:
        """When the reward of pull t is known, in words with the numbers."""
        raise self._unfinished("formula")

    @property
    def title(self) -> str:
        """The delivery in a title, such as "rewards in batches of 100"; empty if rewards arrive at once."""
        raise self._unfinished("title")

    @property
    def values(self) -> npt.NDArray[np.int64]:
        """The delays, in pulls, all equally probable."""
        return np.zeros(1, np.int64)

    @property
    def longest(self) -> int:
        """The longest delay that can occur, in pulls."""
        return int(self.values.max()) + self.batch - 1

    def delays(self, seed: int, first: int, runs: int) -> Delays:
        """Return the delays in the kernel's form, for these replications.

        All policies of a run meet the same delays.
        """
        rng = streams(seed, (Purpose.DELAY,), first, runs)
        return Delays(self.batch, self.values, self.log_stay, self.longest, rng)

    def check(self, horizon: int) -> None:
        """Raise ValueError for a delivery from which a policy learns nothing in a run of this horizon."""
        if min(self.longest, horizon) > _MOST_QUEUED:
            raise ValueError(
                f"delivery must have at most {_MOST_QUEUED} pending rewards; {self} may have "
                f"{min(self.longest + 1, horizon)} in {horizon} pulls"
            )


def check_delay(name: str, value: float, most: int, horizon: int) -> None:
    """Raise ValueError for a delay or batch with which no reward arrives before the last pull."""
    if value > most:
        raise ValueError(
            f"delivery.{name} must be at most {most}, so that a reward arrives before the last of {horizon} "
            f"pull{'s' * (horizon > 1)}; got {value:.12g}"
        )


DELIVERY: Family[Delivery] = Family("delivery", Delivery, "batch size=100")
"""All deliveries."""
