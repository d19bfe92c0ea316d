"""No delay."""

from __future__ import annotations

from bandits.delivery.base import Delivery


class AtOnce(Delivery, name="at_once"):
    """Every reward is known before the next pull."""

    formula = "the reward of pull t arrives before pull t + 1"
    title = ""
    longest = 0
