"""Arms of a user's own law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bandits.arms.base import LARGEST, FixedArms, listed, means_between
from bandits.hooks import RewardLaw, resolve
from bandits.probe import check_law
from numerics.parameters import parameter


def _path(name: str, value: Any) -> str:
    if isinstance(value, RewardLaw):
        return value.path
    if not value or not isinstance(value, str):
        raise ValueError(f"{name} must be the dotted path of your reward law, such as my_laws.my_law; got {value!r}")
    return value


class CustomArms(FixedArms, name="custom"):
    """Arms of your own reward law: a function of yours under `@bandits.reward_law`, by its import path.

    The law must pay `means[a]` in expectation: regret is counted in these means.

    Examples
    --------
    >>> CustomArms([0.1, 0.9], law="bandits.arms.bernoulli.bernoulli").describe()
    '2 arms of bandits.arms.bernoulli.bernoulli, means 0.1, 0.9, scale 1'
    """

    law: str = parameter(
        check=_path, help="dotted path, such as my_laws.my_law; my_laws.py may lie in the current folder"
    )
    means: Sequence[float] = parameter(check=means_between(-LARGEST, LARGEST), help="K >= 2 finite numbers")
    scale: float = parameter(1.0, low=-LARGEST, high=LARGEST, help="what the law finds in its argument scale")

    @property
    def reward_law(self) -> RewardLaw:
        law = resolve(self.law, "law")
        if not isinstance(law, RewardLaw):
            raise ValueError(f"law {self.law!r} must be a reward law (@reward_law); it is a {law.kind} hook")
        return law

    @property
    def reward_scale(self) -> float:
        return self.scale

    def probe(self) -> None:
        check_law(self)

    def describe(self) -> str:
        return f"{self.count} arms of {self.law}, means {listed(self.means)}, scale {self.scale:g}"
