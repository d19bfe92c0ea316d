"""Random delays without memory."""

from __future__ import annotations

import math

from bandits.delivery.base import Delivery, check_delay
from numerics.parameters import parameter


class Geometric(Delivery, name="geometric"):
    """Each reward comes a random number of pulls late, so that some overtake others.

    It arrives with the same probability after each further pull.
    """

    mean: float = parameter(100.0, low=0.0, most=1e9, help="Mean delay in pulls.")
    source = "Joulani, Gyorgy and Szepesvari 2013; Vernade, Cappe and Perchet 2017"

    @property
    def formula(self) -> str:
        return f"the reward of pull t arrives before pull t + 1 + D, D geometric with mean {self.mean:g}"

    @property
    def title(self) -> str:
        return f"rewards delayed by {self.mean:g} pulls on average"

    @property
    def log_stay(self) -> float:  # type: ignore[override]
        """ln(1 - p), where a reward arrives at each pull with probability p = 1 / (1 + mean)."""
        return -math.log1p(1.0 / self.mean) if self.mean > 0.0 else -math.inf

    @property
    def longest(self) -> int:
        """The delay of the last uniform number below 1."""
        return int(-53.0 * math.log(2.0) / self.log_stay) + 1

    def check(self, horizon: int) -> None:
        check_delay("mean", self.mean, max(0, horizon - 2), horizon)
        super().check(horizon)
