"""An index rule that takes pointers: the form in which kernels call it, at every step or at every node of a tree.

The rule stays what it is; it is compiled into a function that makes the arrays it expects of the pointers given. What
such a call costs beyond the rule's own work is a nanosecond, where ten arrays cost twenty.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any

from numba import float64, int64, types, uint64, void

from numerics.jit import kernel
from numerics.pointers import array_at

if TYPE_CHECKING:
    from bandits.hooks import Hook, IndexRule

_NUMBERS, _WORDS = types.CPointer(float64), types.CPointer(uint64)
SIGNATURE: Any = void(
    int64, int64, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, float64, float64, _NUMBERS, int64, _WORDS, _NUMBERS
)


def _score(*arrays: Any) -> None:
    """Stand for the rule in `_call`, which `pointed` copies for each rule."""


def _call(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out):
    cells = arms * runs
    _score(
        array_at(pulls, cells), array_at(means, cells), array_at(widths, cells), array_at(variances, cells),
        array_at(priors, cells), t, horizon, array_at(params, numbers), array_at(rng, (runs, 4)), array_at(out, cells),
    )  # fmt: skip


def pointed(rule: IndexRule) -> Hook:
    """Return a rule's compiled form, which takes its statistics by pointers.

    It takes (arms, replications, pulls, means, widths, variances, priors, t, horizon, params, how many params, rng,
    out); see `bandits.hooks` for what they are. Where neither the rule's file, nor a file that it imports, nor what
    it captures has changed, it is loaded from disk, and the rule itself need not be.
    """
    function: Any = rule.function
    captured = rule.captured
    call: Any = FunctionType(_call.__code__, {**globals(), "_score": kernel(captured=captured)(function)})
    call.__module__, call.__qualname__ = function.__module__, f"{function.__qualname__}.pointed"
    compiled: Hook = kernel(SIGNATURE, sources=(inspect.getsourcefile(function), __file__), captured=captured)(call)
    return compiled
