"""What the counting kernel plays: policies whose rule is m + b w, on arms that pay 0 or 1."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import counting_kernel
from bandits.arms import Arms
from bandits.form import is_mean_plus_bonus
from bandits.hooks import IndexRule
from bandits.policy import Hooks, Policy


def bonuses_of(policy: Policy, arms: Arms, horizon: int) -> npt.NDArray[np.float64] | None:
    """Return b(t) of each step of a run, 0 while every arm is pulled in turn; None where the general kernel must play.

    The counting kernel has sample averages of rewards 0 and 1, pulls every arm first, and takes bonuses that are
    neither negative nor huge, up to 64 arms, and up to a million steps.
    """
    hooks, kernel = policy.hooks(), counting_kernel
    averages = hooks.step_size == 0.0 and hooks.prior_pulls == 0.0 and hooks.explore > 0 and hooks.learn is None
    if arms.law != "bernoulli" or not averages or arms.count > kernel.MOST_ARMS or horizon > kernel.LONGEST:
        return None
    if not isinstance(hooks.rule, IndexRule) or not is_mean_plus_bonus(hooks.rule, hooks.params, arms.count, horizon):
        return None
    bonuses = _bonuses(hooks, arms.count, horizon)
    return bonuses if ((bonuses >= 0.0) & (bonuses < kernel.HIGHEST)).all() else None


@functools.lru_cache(maxsize=4)
def _bonuses(hooks: Hooks, arms: int, horizon: int) -> npt.NDArray[np.float64]:
    assert isinstance(hooks.rule, IndexRule)
    write: Any = counting_kernel.write_bonuses
    bonuses = np.zeros(horizon)
    write(hooks.rule.pointed, arms, hooks.explore * arms, np.array(hooks.params, dtype=np.float64), bonuses)
    return bonuses
