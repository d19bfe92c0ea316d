"""Arms of a user-defined law."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandits.arms.base import LARGEST, Arms, FixedArms, Floats, list_means, means_between, rows_of
from bandits.hooks import RewardLaw, path_of, resolve
from numerics import checks
from numerics.kernels.users import user_errors
from numerics.parameters import parameter
from numerics.random import Purpose, streams, unit

_MEANS, _GRID = 8, 4_000  # means, and evenly spread uniforms, at which a law is tried
_OFF = 0.05  # standard deviations by which the average reward on that grid may miss the mean


def _path(name: str, value: Any) -> str:
    if isinstance(value, RewardLaw):
        return path_of(name, value)
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"{name} must be the dotted path of your reward law, such as my_laws.my_law; got {checks.show(value)}"
        )
    return value


def _rows(name: str, value: Any) -> tuple[tuple[float, ...], ...]:
    rows = rows_of(name, value)
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(f"{name}[{index}] must hold as many numbers as {name}[0], {len(rows[0])}; got {len(row)}")
    return rows


class CustomArms(FixedArms, name="custom"):
    """Arms of your own reward law: a function decorated with `@bandits.reward_law`, by its import path.

    The law must pay `means[a]` in expectation: regret is computed from these means.

    Examples
    --------
    >>> CustomArms([0.1, 0.9], law="bandits.arms.bernoulli.bernoulli").describe()
    '2 arms of bandits.arms.bernoulli.bernoulli, means 0.1, 0.9'
    """

    law: str = parameter(
        check=_path, help="dotted path, such as my_laws.my_law; my_laws.py may be in the current folder"
    )
    means: Sequence[float] = parameter(check=means_between(-LARGEST, LARGEST), help="K >= 2 finite numbers")
    params: Sequence[Any] = parameter(
        (), check=_rows, help="the law's argument params: a list of numbers for all arms, or one for each arm"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.params) not in (1, self.count):
            raise ValueError(
                f"params must be a list of numbers, or a list for each of the {self.count} arms; "
                f"got {len(self.params)} lists"
            )

    @property
    def reward_law(self) -> RewardLaw:
        law = resolve(self.law, "law")
        if not isinstance(law, RewardLaw):
            raise ValueError(f"law {self.law!r} must be a reward law (@reward_law); it is a {law.kind} hook")
        return law

    @property
    def law_params(self) -> Floats:
        rows = np.array(self.params, dtype=np.float64)
        return np.tile(rows, (self.count, 1)) if len(rows) == 1 else rows

    def probe_law(self) -> None:
        check_law(self)

    @property
    def law_class(self) -> str:
        return super().law_class if self.reward_law.divergence is None else f"arms of {self.law}"

    def describe(self) -> str:
        rows = "; ".join(list_means(row) for row in self.params)
        return f"{self.count} arms of {self.law}, means {list_means(self.means)}" + (f", params {rows}" if rows else "")


def check_law(arms: Arms) -> None:
    """Ask a law for rewards of some of the arms' means, and refuse it if it misbehaves.

    Raises
    ------
    ValueError
        It cannot be compiled, raises, leaves a reward unwritten, or pays NaN or inf. Or its rewards leave [0, 1]
        although it declares `unit`, or do not have the given mean.
    """
    _check_once(arms, arms.reward_law.constants)


@functools.lru_cache(maxsize=1024)
def _check_once(arms: Arms, _constants: Any) -> None:
    law, truth = arms.reward_law, arms.draw_means(0, 0, 1)[0]
    ends = [0.0, 2.0**-53, 1.0 - 2.0**-53]
    grid = (np.arange(_GRID) + 0.5) / _GRID
    uniform = np.concatenate([ends, unit(streams(0, (Purpose.REWARD,), 0, _MEANS)).ravel(), grid])
    pay: Any = law.compiled
    for arm in np.unique(np.linspace(0, truth.size - 1, _MEANS).astype(np.int64)):
        mean, reward = float(truth[arm]), np.full(uniform.size, np.nan)
        with user_errors((law,)):
            pay(uniform.copy(), np.full(uniform.size, mean), np.full(uniform.size, arm), arms.law_params, reward)
        if not np.isfinite(reward).all():
            wrong = int((~np.isfinite(reward)).argmax())
            raise ValueError(
                f"law {law.path} returns {reward[wrong]} for uniform {uniform[wrong]:g} and mean {mean:g}; it must "
                "write a finite reward to every entry"
            )
        if law.unit and not ((reward >= 0.0) & (reward <= 1.0)).all():
            raise ValueError(
                f"law {law.path} has unit=True, so rewards must be in [0, 1]; got {reward.min():g} to {reward.max():g}"
            )
        even = reward[-_GRID:]
        if abs(even.mean() - mean) > _OFF * even.std() + 1e-9 * max(1.0, abs(mean)):
            raise ValueError(
                f"law {law.path} must return rewards with the given mean, {mean:.4g}; got mean {even.mean():.4g}"
            )
