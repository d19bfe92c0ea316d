"""No delay."""

from __future__ import annotations

from bandits.delivery.base import Delivery
from bandits.kernels.arguments import Delays


class AtOnce(Delivery, name="at_once"):
    """Every reward is known before the next pull."""

    formula = "the reward of pull t is known before pull t + 1"
    title = ""

    def delays(self, seed: int, first: int, runs: int) -> Delays | None:
        return None
