"""The forms in which kernels call a rule, each made of the rule's own function.

pointed           A score hook that takes pointers. A call costs a nanosecond beyond the rule's own work, where ten
                  arrays cost twenty. The scores of a user's rule are checked.
checked_choice    A user's select hook, whose arms are checked.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable
from typing import Any

from bandits.kernels.signatures import POINTED, SIGNATURES
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at
from numerics.kernels.users import Misbehaves, copy_function

Function = Callable[..., Any]
_WHO = ""  # the rule in the form of a user's, by its name


def file_of(function: Function) -> str:
    """Return the source file of a function; the null device for one of no file, whose machine code is not kept."""
    return inspect.getsourcefile(function) or os.devnull


def _score(*arrays: Any) -> None:
    """Stand for the rule in the forms below, which `with_pointers` copies for each rule."""


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


def _check(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out):
    _score(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out)
    wrong = False
    for i in range(arms * runs):
        wrong |= not (out[i] < math.inf)
    if wrong:
        for i in range(arms * runs):
            if out[i] != out[i] or (out[i] == math.inf and pulls[i] > 0.0):
                raise Misbehaves(
                    _WHO,
                    "scores {0:g} for an arm of {1:g} pulls and mean {2:g}",
                    "a score must be a number, -inf, or inf for an arm without pulls",
                    t,
                    out[i],
                    pulls[i],
                    means[i],
                )


def _choose_and_check(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arm[:] = -1
    _score(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)
    wrong, arms = False, means.size // arm.size
    for r in range(arm.size):
        wrong |= (arm[r] < 0) | (arm[r] >= arms)
    if wrong:
        raise Misbehaves(_WHO, "must choose an arm from 0 to {0:g} in each replication", "", t, arms - 1.0)


def checked_choice(select: Function, source: Function, who: str) -> Function:
    """Return a kernel of a user's select hook that checks the arms."""
    return kernel(SIGNATURES["select"], file=file_of(source))(
        copy_function(_choose_and_check, source, _score=select, _WHO=who)
    )


def with_pointers(score: Function, source: Function, who: str = "", bounds: bool = False) -> Function:
    """Return a kernel of a score hook that takes the statistics by pointers.

    It takes (arms, replications, pulls, means, widths, variances, priors, t, horizon, params, how many params, rng,
    out); see `bandits.rules` for what they are.

    Parameters
    ----------
    score : callable
        The hook.
    source : callable
        The function of which it is made.
    who : str
        The name of a user's rule, whose scores are checked.
    bounds : bool
        Whether the hook's indices of arrays are checked.
    """
    compile_it: Any = kernel(file=file_of(source))
    called = copy_function(_call, source, _score=kernel(file=file_of(source), bounds=bounds)(score))
    if who:
        called = copy_function(_check, source, _score=compile_it(called), _WHO=who)
    return kernel(POINTED, file=file_of(source))(called)
