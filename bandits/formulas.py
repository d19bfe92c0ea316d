"""The hooks that kernels call, generated from a rule that is a formula with arguments by name.

    def careful(mean, width, t, c=1.5): ...

becomes the loop over all arms of a block, or over the children of a node:

    def careful(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        p0 = params[0]
        for i in range(out.size):
            out[i] = formula(means[i], widths[i], t, p0)

The formula is compiled into the loop, which is then as fast as one that is written by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numerics.kernels.jit import Kernel

STATISTICS = {  # what a formula may take, and where the loop finds it
    "mean": "means[i]",
    "width": "widths[i]",
    "pulls": "pulls[i]",
    "variance": "variances[i]",
    "prior": "priors[i]",
    "t": "t",
    "horizon": "horizon",
    "arms": "out.size // rng.shape[0]",
}
NEEDED = {"variance": "variances", "prior": "priors", "horizon": "horizon"}  # what not every caller keeps

_ARRAYS = "pulls, means, widths, variances, priors, t, horizon, params, rng, out"
SCORE = f"def hook({_ARRAYS}):\n{{own}}    for i in range(out.size):\n        out[i] = formula({{given}})\n"
BONUS = "def hook(t, params):\n{own}    return formula({given})\n"
SCORE_OF_BONUS = (
    f"def hook({_ARRAYS}):\n{{own}}    bonus = formula({{given}})\n"
    "    for i in range(out.size):\n        out[i] = means[i] + bonus * widths[i]\n"
)

Function = Callable[..., Any]


def hook_of(text: str, formula: Function, names: Sequence[str], called: Any) -> Function:
    """Return a hook in the module of the formula; its machine code is kept, or not, as that of its file.

    Parameters
    ----------
    text : str
        SCORE of a formula that is the score of one arm. Of one that is a bonus, BONUS for the hook of t and params, or
        SCORE_OF_BONUS for that of the scores, mean + bonus / sqrt(pulls).
    formula : callable
    names : sequence of str
        The names of its arguments.
    called : kernel
        The formula as the hook calls it.
    """
    parameters = [name for name in names if name not in STATISTICS]
    given = [STATISTICS[name] if name in STATISTICS else f"p{parameters.index(name)}" for name in names]
    lines = "".join(f"    p{number} = params[{number}]\n" for number in range(len(parameters)))
    space: dict[str, Any] = {"formula": called}
    exec(text.format(own=lines, given=", ".join(given)), space)
    hook: Any = space["hook"]
    code = formula.__code__
    hook.__code__ = hook.__code__.replace(co_filename=code.co_filename, co_firstlineno=code.co_firstlineno)
    hook.__module__, hook.__qualname__ = formula.__module__, f"{formula.__qualname__}.hook"
    return hook  # type: ignore[no-any-return]


def not_a_number(called: Any) -> str:
    """Return what a compiled formula returns in place of a number; an empty text where it returns one."""
    if not isinstance(called, Kernel):
        return ""
    from numba import types

    for signature in called.dispatcher.nopython_signatures:
        returned = signature.return_type
        if isinstance(returned, types.NoneType):
            return "None"
        if isinstance(returned, types.Optional):
            return "None in some cases"
        if not isinstance(returned, types.Integer | types.Float | types.Boolean):
            return str(returned)
    return ""
