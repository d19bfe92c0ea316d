"""The same delay for every reward."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bandits.delivery.base import Delivery, check_delay
from numerics.parameters import parameter


class Fixed(Delivery, name="fixed"):
    """Every reward comes the same number of pulls late."""

    delay: int = parameter(100, low=0, most=10**12, help="Delay in pulls; 0: rewards arrive at once.")
    source = "Joulani, Gyorgy and Szepesvari 2013"

    @property
    def formula(self) -> str:
        return f"the reward of pull t arrives before pull t + {self.delay + 1}"

    @property
    def title(self) -> str:
        return f"rewards delayed by {self.delay} pulls"

    @property
    def values(self) -> npt.NDArray[np.int64]:
        return np.array([self.delay])

    def check(self, horizon: int) -> None:
        check_delay("delay", self.delay, max(0, horizon - 2), horizon)
        super().check(horizon)
