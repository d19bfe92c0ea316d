"""Rewards that arrive together."""

from __future__ import annotations

from bandits.delivery.base import Delivery, check_delay
from numerics.parameters import parameter


class Batch(Delivery, name="batch"):
    """The rewards of so many pulls arrive together, after the last of them."""

    size: int = parameter(100, low=1, most=10**12, help="Pulls per batch; 1: every reward arrives at once.")
    source = "Perchet, Rigollet, Chassang and Snowberg 2016, with batches of equal size"

    @property
    def formula(self) -> str:
        return f"the rewards of {self.size} pulls arrive together, before the next {self.size} pulls"

    @property
    def title(self) -> str:
        return f"rewards in batches of {self.size}"

    @property
    def batch(self) -> int:  # type: ignore[override]
        """How many rewards arrive together."""
        return self.size

    def check(self, horizon: int) -> None:
        check_delay("size", self.size, max(1, horizon - 1), horizon)
        super().check(horizon)
