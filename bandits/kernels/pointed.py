"""The forms in which kernels call a rule, each made of the rule's own function.

score_of    the ten-argument score hook of a bonus rule
pointed     a score hook that takes pointers: a call costs a nanosecond beyond the rule's own work, where ten arrays
            cost twenty
watched     a hook of a user's, with a look at each of its answers: what is unwritten, NaN, no arm, -inf for all arms or
            inf for one with pulls is an exception; this costs a few hundredths of a rule's time
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable
from types import FunctionType
from typing import Any

from bandits.kernels.signatures import POINTED, SIGNATURES
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at
from numerics.kernels.users import Misbehaves

Function = Callable[..., Any]
_WHO = ""  # the hook in `watched` forms, such as "rule my_rules.my_index"


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


def _watched_call(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out):
    cells = arms * runs
    scores, counts, wrong, infinite = array_at(out, cells), array_at(pulls, cells), False, False
    for i in range(cells):
        scores[i] = math.nan
    _score(
        counts,
        array_at(means, cells),
        array_at(widths, cells),
        array_at(variances, cells),
        array_at(priors, cells),
        t,
        horizon,
        array_at(params, numbers),
        array_at(rng, (runs, 4)),
        scores,
    )
    for i in range(cells):
        wrong |= scores[i] != scores[i]
        infinite |= (scores[i] == math.inf) & (counts[i] > 0.0)
    if wrong:
        raise Misbehaves(_WHO, "writes NaN, or leaves a score unwritten,", t)
    if infinite:
        raise Misbehaves(_WHO, "writes inf, as a division by zero gives, for an arm that has been pulled,", t)
    for r in range(runs):
        if scores[r] == -math.inf:
            best = -math.inf
            for a in range(1, arms):
                best = max(best, scores[a * runs + r])
            if best == -math.inf:
                raise Misbehaves(_WHO, "writes -inf for every arm", t)


def _watched_select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arm[:] = -1
    _score(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)
    arms, wrong = means.size // arm.size, False
    for r in range(arm.size):
        wrong |= (arm[r] < 0) | (arm[r] >= arms)
    if wrong:
        raise Misbehaves(_WHO, "chooses an arm that is not there, or none,", t)


def _watched_law(uniform, mean, arm, params, reward):
    reward[:] = math.nan
    _score(uniform, mean, arm, params, reward)
    wrong = False
    for r in range(reward.size):
        wrong |= not math.isfinite(reward[r])
    if wrong:
        raise Misbehaves(_WHO, "pays NaN or inf, or leaves a reward unwritten,", 0.0)


def score_of(bonus: Function, compile_it: Callable[[Function], Any] | None = None) -> Function:
    """Return the score hook of a bonus rule's function: mean + bonus / sqrt(pulls)."""
    made: Function = _copy(_add_bonus, "_bonus", bonus, compile_it)
    return made


def pointed(score: Function, source: Function) -> Function:
    """Return a kernel of a score hook that takes the statistics by pointers; `source` is what the user wrote.

    It takes (arms, replications, pulls, means, widths, variances, priors, t, horizon, params, how many params, rng,
    out); see `bandits.rules` for what they are.
    """
    call: Function = _copy(_call, "_score", score, kernel(file=file_of(source)))
    return kernel(POINTED, file=file_of(source))(call)


def watched(checked: Function, source: Function, who: str, kind: str) -> Function:
    """Return a kernel of a user's hook that looks at its answers.

    Parameters
    ----------
    checked : callable
        The hook, compiled with bounds checks.
    source : callable
        What the user wrote.
    who : str
        What a sentence calls it.
    kind : str
        "score", whose kernel takes pointers as that of `pointed` does; "select" or "law".
    """
    form: Any = {"score": _watched_call, "select": _watched_select, "law": _watched_law}[kind]
    call = _copy(form, "_score", source, lambda _source: checked, _WHO=who)
    made: Function = kernel(POINTED if kind == "score" else SIGNATURES[kind], file=file_of(source))(call)
    return made


def file_of(function: Function) -> str:
    """Return the source file of a function; the null device for one of no file, whose machine code is not kept."""
    return inspect.getsourcefile(function) or os.devnull


def _copy(form: Any, name: str, rule: Any, compile_it: Callable[[Function], Any] | None, **others: Any) -> Any:
    """Return a form that calls a rule by a global name, under the rule's own module and name."""
    compile_rule: Any = compile_it or kernel(file=file_of(rule))
    copy: Any = FunctionType(form.__code__, {**globals(), name: compile_rule(rule), **others})
    copy.__module__, copy.__qualname__ = rule.__module__, f"{rule.__qualname__}.{form.__name__}"
    return copy
