"""A user's rule or law: how its answers are watched while it is played.

Compiled code does not check bounds: a rule that reads past `params` would read whatever lies there, and one that leaves
a score unwritten would be played on with what was there before. So the hooks of a user are compiled with bounds checks,
and kernels call them in the forms below, which look at each answer: a wrong one is an exception. That costs a few
hundredths of a rule's time. Where two replications are side by side, as in a trial (`bandits.trials`), the forms also
see that nothing is written into what a rule may only read.

The forms compile anew for each hook, the kernels that they call do not. So what takes long to compile, such as a view
of an array (0.3 s), stands in these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from bandits.kernels.pointed import file_of
from bandits.kernels.signatures import POINTED, SIGNATURES
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import array_at
from numerics.kernels.users import Misbehaves, copied
from numerics.random import GOLDEN

PAIR = 2  # replications of a trial
_WHO = ""  # the hook in the forms below, such as "rule my_rules.my_index"
_UNWRITTEN = 0x7FF8_0000_5EED_BEEF  # the bits of a NaN that no arithmetic gives
_NO_ARM = -(2**62)
_LEAVES, _NAN, _INFINITE, _NO_WINNER, _WRITES, _NO_CHOICE, _OUTSIDE, _CHOICE_WRITES, _LEARN_WRITES, _PAYS = range(10)
_INPUTS = "writes into pulls, means, widths, variances, priors or params"

Function = Callable[..., Any]


class WrongAnswer(Misbehaves):
    """A wrong answer, by the number of its text: a compiled form takes long to compile with texts of its own."""

    texts: ClassVar[dict[int, tuple[str, str]]] = {  # what a hook does, and what is allowed
        _LEAVES: ("leaves {0:.0f} of {2} entries of out unwritten ({3} x {4}: replications and arms)", ""),
        _NAN: ("writes NaN for arms with pulls {0:g} and mean {1:g}", "a score is a number, inf or -inf"),
        _INFINITE: (
            "writes inf for an arm that has been pulled",
            "only an arm without pulls may score inf, because it is what a division by zero gives",
        ),
        _NO_WINNER: ("writes -inf for every arm", "an arm that can win must have a higher score"),
        _WRITES: (_INPUTS, "it may write only into out"),
        _NO_CHOICE: ("leaves the arm of a replication unwritten", ""),
        _OUTSIDE: ("chooses arm {0}", "arms are 0 to {1}"),
        _CHOICE_WRITES: (_INPUTS, "it may write only into memory and arm"),
        _LEARN_WRITES: ("writes into arm or reward", "it may write only into memory"),
        _PAYS: ("pays NaN or inf, or leaves a reward unwritten", ""),
    }

    def __init__(self, who: str, text: int, t: float, *numbers: float):
        super().__init__(who, *self.texts[text], t, *numbers)


def _hook(*given: Any) -> None:
    """Stand for the hook in the forms, which `watched` copies for each hook."""


@kernel()
def _mixed(values, total):
    """Return a number that changes when one of `values` does."""
    bits = values.view(np.uint64)
    for i in range(bits.size):
        total = (total ^ bits[i]) * GOLDEN
    return total


@kernel()
def _mark(pulls, means, widths, variances, priors, params):
    """Return a number that changes when something changes that a rule may only read."""
    total = _mixed(means, _mixed(pulls, GOLDEN))
    return _mixed(params, _mixed(priors, _mixed(variances, _mixed(widths, total))))


@kernel()
def _forget(out):
    """Fill the scores with what no rule writes."""
    bits = out.view(np.int64)
    for i in range(bits.size):
        bits[i] = _UNWRITTEN


@kernel()
def _wrong_scores(arms, runs, pulls, means, out):
    """Return what is wrong with scores, a number of a text and two of what it tells; -1, 0, 0 if nothing is."""
    wrong, infinite = False, False
    for i in range(out.size):
        wrong |= out[i] != out[i]
        infinite |= (out[i] == math.inf) & (pulls[i] > 0.0)
    if wrong:
        bits, unwritten, nan = out.view(np.int64), 0, 0
        for i in range(out.size - 1, -1, -1):
            unwritten += bits[i] == _UNWRITTEN
            nan = i if out[i] != out[i] else nan
        return (_LEAVES, float(unwritten), 0.0) if unwritten > 0 else (_NAN, pulls[nan], means[nan])
    if infinite:
        return _INFINITE, 0.0, 0.0
    for r in range(runs):
        if out[r] == -math.inf:
            best = -math.inf
            for a in range(1, arms):
                best = max(best, out[a * runs + r])
            if best == -math.inf:
                return _NO_WINNER, 0.0, 0.0
    return -1, 0.0, 0.0


@kernel()
def _wrong_choice(arms, arm):
    """Return what is wrong with the chosen arms, a number of a text and the arm; -1 and 0 if nothing is."""
    for r in range(arm.size):
        if arm[r] < 0 or arm[r] >= arms:
            return (_NO_CHOICE if arm[r] == _NO_ARM else _OUTSIDE), arm[r]
    return -1, 0


def _watched_score(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out):
    cells = arms * runs
    pulls, means, widths = array_at(pulls, cells), array_at(means, cells), array_at(widths, cells)
    variances, priors, params = array_at(variances, cells), array_at(priors, cells), array_at(params, numbers)
    out, before = array_at(out, cells), GOLDEN
    _forget(out)
    if runs == PAIR:
        before = _mark(pulls, means, widths, variances, priors, params)
    _hook(pulls, means, widths, variances, priors, t, horizon, params, array_at(rng, (runs, 4)), out)
    wrong, first, second = _wrong_scores(arms, runs, pulls, means, out)
    if runs == PAIR and before != _mark(pulls, means, widths, variances, priors, params):
        wrong = _WRITES
    if wrong >= 0:
        raise WrongAnswer(_WHO, wrong, t, first, second, cells, runs, arms)


def _watched_select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arm[:] = _NO_ARM
    before, arms = GOLDEN, means.size // arm.size
    if arm.size == PAIR:
        before = _mark(pulls, means, widths, variances, priors, params)
    _hook(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)
    wrong, chosen = _wrong_choice(arms, arm)
    if arm.size == PAIR and before != _mark(pulls, means, widths, variances, priors, params):
        wrong = _CHOICE_WRITES
    if wrong >= 0:
        raise WrongAnswer(_WHO, wrong, t, chosen, arms - 1)


def _watched_learn(memory, arm, reward):
    first, second, paid, beside = arm[0], arm[-1], reward[0], reward[-1]
    _hook(memory, arm, reward)
    if first != arm[0] or second != arm[-1] or paid != reward[0] or beside != reward[-1]:
        raise WrongAnswer(_WHO, _LEARN_WRITES, 0.0)


def _watched_law(uniform, mean, arm, params, reward):
    reward[:] = math.nan
    _hook(uniform, mean, arm, params, reward)
    wrong = False
    for r in range(reward.size):
        wrong |= not math.isfinite(reward[r])
    if wrong:
        raise WrongAnswer(_WHO, _PAYS, 0.0)


_FORMS: dict[str, Function] = {
    "score": _watched_score,
    "select": _watched_select,
    "learn": _watched_learn,
    "law": _watched_law,
}


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
        "score", whose kernel takes pointers; "select", "learn" or "law".
    """
    call = copied(_FORMS[kind], source, _hook=checked, _WHO=who)
    made: Function = kernel(POINTED if kind == "score" else SIGNATURES[kind], file=file_of(source))(call)
    return made
