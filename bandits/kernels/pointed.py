"""The forms in which kernels call a rule, each made of the rule's own function.

score_of    the ten-argument score hook of a bonus rule
pointed     a score hook that takes pointers: a call costs a nanosecond beyond the rule's own work, where ten arrays
            cost twenty

`bandits.users` has the forms of a user's hooks, which look at their answers.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from bandits.kernels.signatures import POINTED
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at
from numerics.kernels.users import copied

Function = Callable[..., Any]


def _bonus(t: float, params: Any) -> float:
    """Stand for the rule in `_add_bonus`, which `score_of` copies for each rule."""
    return 0.0


def _add_bonus(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = _bonus(t, params)
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


def _score(*arrays: Any) -> None:
    """Stand for the rule in `_call`, which `pointed` copies for each rule."""


def _call(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out):
    cells = arms * runs
    _score(
        array_at(pulls, cells),
        array_at(means, cells),
        array_at(widths, cells),
        array_at(variances, cells),
        array_at(priors, cells),
        t,
        horizon,
        array_at(params, numbers),
        array_at(rng, (runs, 4)),
        array_at(out, cells),
    )


def score_of(bonus: Function, compile_it: Callable[[Function], Any] | None = None) -> Function:
    """Return the score hook of a bonus rule's function: mean + bonus / sqrt(pulls)."""
    compile_rule: Any = compile_it or kernel(file=file_of(bonus))
    return copied(_add_bonus, bonus, _bonus=compile_rule(bonus))


def pointed(score: Function, source: Function) -> Function:
    """Return a kernel of a score hook that takes the statistics by pointers; `source` is what the user wrote.

    It takes (arms, replications, pulls, means, widths, variances, priors, t, horizon, params, how many params, rng,
    out); see `bandits.rules` for what they are.
    """
    compile_it: Any = kernel(file=file_of(source))
    return kernel(POINTED, file=file_of(source))(copied(_call, score, _score=compile_it(score)))


def file_of(function: Function) -> str:
    """Return the source file of a function; the null device for one of no file, whose machine code is not kept."""
    return inspect.getsourcefile(function) or os.devnull
