"""Agents for PettingZoo's connect_four_v3, in the forms in which people write them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np


class Wanderer:
    """Plays any open column."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed)

    def act(self, observation: Any, action_mask: Any) -> Any:
        assert observation.shape == (6, 7, 2)
        return self.chance.choice(np.flatnonzero(action_mask))


class Model:
    """Predicts as models of Stable-Baselines3 do: the mask by name, an action with a state."""

    def predict(self, observation: Any, state: Any = None, action_masks: Any = None) -> tuple[Any, Any]:
        assert state is None
        own, others = observation.sum(axis=(0, 1))
        assert others - own in (0, 1)
        return np.array(int(np.flatnonzero(action_masks)[-1])), None


model = Model()


def leftmost(observation: Any, mask: Any) -> int:
    return int(np.argmax(mask))


def of_a_mapping(seen: Mapping[str, Any]) -> int:
    return int(np.argmax(seen["action_mask"]))


def asleep(observation: Any, mask: Any) -> int:
    while True:
        time.sleep(0.01)


def outside(observation: Any, mask: Any) -> int:
    return 9


no_agent = "leftmost"
