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

from bandits.kernels.pointed import file_of
from numerics.kernels.jit import kernel

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
_SCORE = f"def hook({_ARRAYS}):\n{{own}}    for i in range(out.size):\n        out[i] = formula({{given}})\n"
_BONUS = "def hook(t, params):\n{own}    return formula({given})\n"
_ADDED = (
    f"def hook({_ARRAYS}):\n{{own}}    bonus = formula({{given}})\n"
    "    for i in range(out.size):\n        out[i] = means[i] + bonus * widths[i]\n"
)

Function = Callable[..., Any]


def score_of(formula: Function, names: Sequence[str]) -> Function:
    """Return the score hook of the score of one arm, a function with arguments of these names."""
    return _compile_text(_SCORE, formula, names)


def bonus_of(formula: Function, names: Sequence[str]) -> Function:
    """Return the bonus hook, of t and params, of a bonus."""
    return _compile_text(_BONUS, formula, names)


def score_of_bonus(formula: Function, names: Sequence[str]) -> Function:
    """Return the score hook of a bonus: mean + bonus / sqrt(pulls)."""
    return _compile_text(_ADDED, formula, names)


def _compile_text(text: str, formula: Function, names: Sequence[str]) -> Function:
    """Return a hook in the module of the formula; its machine code is kept, or not, as that of its file."""
    parameters = [name for name in names if name not in STATISTICS]
    given = [STATISTICS[name] if name in STATISTICS else f"p{parameters.index(name)}" for name in names]
    lines = "".join(f"    p{number} = params[{number}]\n" for number in range(len(parameters)))
    space: dict[str, Any] = {"formula": kernel(file=file_of(formula))(formula)}
    exec(text.format(own=lines, given=", ".join(given)), space)
    hook: Any = space["hook"]
    code = formula.__code__
    hook.__code__ = hook.__code__.replace(co_filename=code.co_filename, co_firstlineno=code.co_firstlineno)
    hook.__module__, hook.__qualname__ = formula.__module__, f"{formula.__qualname__}.hook"
    return hook  # type: ignore[no-any-return]
