"""A user's stopping rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bandits.arms.base import Arms, Floats
from bandits.hooks import StopHook, path_of, resolve
from bandits.stopping.base import Stopping
from numerics import checks
from numerics.parameters import parameter


def _path(name: str, value: Any) -> str:
    if isinstance(value, StopHook):
        return path_of(name, value)
    if not value or not isinstance(value, str):
        raise ValueError(f"{name} must be the dotted path of your rule, such as my_stops.my_stop; got {value!r}")
    return value


class CustomStopping(Stopping, name="custom"):
    """Your own rule: a function under `@bandits.stopping_rule`, by its path; what it proves is yours to know."""

    rule: str = parameter("", check=_path, help="Dotted path, such as my_stops.my_stop.")
    params: Sequence[float] = parameter((), check=checks.number_list, help="The numbers in its argument `params`.")
    source = "your own file"

    @property
    def formula(self) -> str:
        return f"{self.rule}, params {list(self.params)}"

    @property
    def hook(self) -> StopHook:
        hook = resolve(self.rule, StopHook.noun)
        assert isinstance(hook, StopHook)
        return hook

    def numbers(self, arms: Arms) -> Floats:
        return np.array(self.params, dtype=np.float64)
