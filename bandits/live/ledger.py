"""The ledger of an agent in memory: pending choices, and the rewards of all others."""

from __future__ import annotations

import base64
import math
from array import array
from typing import Any

import numpy as np

from bandits.live.choices import Choice
from bandits.live.engine import numbers_of_json, numbers_to_json
from bandits.live.play import Play

PENDING, FORGOTTEN = math.nan, math.inf  # what stands for the reward of a choice that has none
_WAITS, _LEFT = "pending", "forgotten"


class Ledger:
    """The choices and rewards of an agent.

    Parameters
    ----------
    arms : int
        How many arms the agent begins with.

    Attributes
    ----------
    pending : dict of int to (Choice, bytes)
        By their ids the choices that wait for a reward, and what the policy needs to learn it.
    outcomes : array of float
        The reward of every choice, `PENDING` or `FORGOTTEN`.
    paid : list of array of float
        The rewards of each arm, as they came.
    counted : list of (float, float)
        Pulls and sums with which each arm began.
    """

    def __init__(self, arms: int):
        self.pending: dict[int, tuple[Choice, bytes]] = {}
        self.outcomes = array("d")
        self.paid: list[array[float]] = [array("d") for _ in range(arms)]
        self.counted: list[tuple[float, float]] = [(0.0, 0.0)] * arms

    def known(self, at: int, reward: float) -> bool:
        """Return False for a reward that is known already.

        Raises
        ------
        ValueError
            An unknown or forgotten choice, or another reward than before.
        """
        if not 0 <= at < len(self.outcomes):
            raise ValueError(f"choice must be the id of one of this agent's {len(self.outcomes)} choices; got {at}")
        known = self.outcomes[at]
        if known == FORGOTTEN:
            raise ValueError(f"choice must not be forgotten; choice {at} is forgotten")
        if known != reward:
            raise ValueError(f"reward of choice {at} must be {known:g}, as recorded before; got {reward:g}")
        return False

    def as_json(self) -> dict[str, Any]:
        """Return the ledger as JSON holds it."""
        names = {FORGOTTEN: _LEFT}
        return {
            "counted": [list(pair) for pair in self.counted],
            "outcomes": [_WAITS if value != value else names.get(value, value) for value in self.outcomes],
            "paid": [list(paid) for paid in self.paid],
            "pending": [_choice_as_json(choice, kept) for choice, kept in self.pending.values()],
        }

    def restore(self, content: dict[str, Any], play: Play) -> None:
        """Return to what `as_json` wrote, of choices of a play."""
        names = {_WAITS: PENDING, _LEFT: FORGOTTEN}
        self.outcomes = array("d", [names.get(value, value) for value in content["outcomes"]])
        self.counted = [(pulls, total) for pulls, total in content["counted"]]
        self.paid = [array("d", paid) for paid in content["paid"]]
        for each in content["pending"]:
            seen = None if each["features"] is None else np.array(each["features"])
            choice = Choice(play, each["id"], play.arms[each["index"]], each["index"], seen, None)
            if each["chances"] is not None:
                choice._known = numbers_of_json(each["chances"][0]), each["chances"][1]
            self.pending[choice.id] = choice, base64.b64decode(each["kept"])


def _choice_as_json(choice: Choice, kept: bytes) -> dict[str, Any]:
    known = choice._known if choice._known is not None and len(choice._known) == 2 else None
    return {
        "id": choice.id,
        "index": choice.index,
        "features": None if choice.features is None else choice.features.tolist(),
        "kept": base64.b64encode(kept).decode(),
        "chances": None if known is None else [numbers_to_json(known[0]), known[1]],
    }
