"""Which index rules are m + b w: a mean, and a bonus that is the same for all arms, times 1 / sqrt(n).

UCB1 is one, with any exploration function in the place of ln t; so is many a user's rule. Such a rule need not be asked
about every arm at every step: its bonus b(t) can be written down before the run, and `bandits.counting` plays it.

A rule is read once, in plain Python, with symbols in the place of t and of every statistic. What it writes to `out` is
then an expression whose form can be seen. No rule is taken for what it is not: a symbol has no value, so that a rule
which compares, rounds or branches on one fails here; the general kernel plays it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from bandits.hooks import STATISTICS, IndexRule
from bandits.probe import in_python

_OPERATIONS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**"}
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ASKING = {"isinstance", "type", "hasattr", "getattr"}  # which could tell a symbol from a number


class _NoValueError(TypeError):
    """A rule asks for the value of a symbol, or for what is not known here."""


def _refuse(*_given: Any) -> NoReturn:
    raise _NoValueError("this has no value before the run")


class Symbol:
    """A number that is not known: a name, or an operation on symbols and numbers."""

    __array_ufunc__ = None  # a NumPy number on the left leaves the operation to the symbol on its right

    def __init__(self, *expression: Any):
        self.expression = expression  # ("t",), ("means", 3), ("+", left, right), ("sqrt", argument), ...


class _Unknown:
    """What a rule may hold, but not use."""

    __getattr__ = __call__ = __getitem__ = _refuse


def _operation(sign: str, swapped: bool) -> Callable[[Symbol, Any], Any]:
    def operate(one: Symbol, other: Any) -> Any:
        if not isinstance(other, (Symbol, int, float)):
            return NotImplemented
        return Symbol(sign, other, one) if swapped else Symbol(sign, one, other)

    return operate


for _name, _sign in _OPERATIONS.items():
    setattr(Symbol, f"__{_name}__", _operation(_sign, swapped=False))
    setattr(Symbol, f"__r{_name}__", _operation(_sign, swapped=True))
for _name in (*_COMPARISONS, "bool", "float", "int", "index", "hash"):
    setattr(Symbol, f"__{_name}__", _refuse)


class _Functions:
    """A module whose functions of numbers take symbols too, and which has nothing else."""

    def __init__(self, module: Any):
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return _stand_in(getattr(self.module, name))


def _stand_in(value: Any) -> Any:
    """Return what a rule finds in the place of a global name's value."""
    if value is math or value is np:
        return _Functions(value)
    if isinstance(value, (int, float, tuple, np.ndarray)):
        return value
    name = getattr(value, "__name__", "")
    if isinstance(value, np.ufunc) or (name and getattr(math, name, None) is value):
        plain: Any = value
        return lambda *given: Symbol(name, *given) if any(isinstance(x, Symbol) for x in given) else plain(*given)
    return _Unknown()


@functools.lru_cache(maxsize=1024)
def is_mean_plus_bonus(rule: IndexRule, params: tuple[float, ...], arms: int, horizon: int) -> bool:
    """Return whether a rule writes means[i] + b * widths[i] with one b for all arms, whatever t is.

    Examples
    --------
    >>> from bandits import rules
    >>> is_mean_plus_bonus(rules.ucb, (1.5,), 10, 1_000), is_mean_plus_bonus(rules.moss, (), 10, 1_000)
    (True, False)
    """
    try:
        return all(_adds_bonus(rule, params, arms, size, horizon) for size in (1, 2))
    except Exception:  # whatever a rule does that cannot be done with a symbol
        return False


def _adds_bonus(rule: IndexRule, params: tuple[float, ...], arms: int, size: int, horizon: int) -> bool:
    """Return whether that holds for as many replications side by side."""
    cells, functions = arms * size, dict[int, Any]()
    function = in_python(rule.function, functions, _stand_in)
    if any(one.__code__.co_exceptiontable or _ASKING & set(one.__code__.co_names) for one in functions.values()):
        return False  # it could do without what a symbol refuses
    statistics = [np.array([Symbol(name, i) for i in range(cells)]) for name in STATISTICS]
    out = np.full(cells, None)
    function(*statistics, Symbol("t"), float(horizon), np.array(params), SimpleNamespace(shape=(size, 4)), out)
    bonuses = [_bonus(score.expression, i) for i, score in enumerate(out)]
    return bonuses[0] is not None and all(bonus == bonuses[0] for bonus in bonuses)


def _bonus(expression: tuple[Any, ...], i: int) -> Any:
    """Return b of a score m_i + b w_i, as nested tuples; None for any other score."""
    rest = _without("+", ("means", i), expression)
    bonus = _without("*", ("widths", i), rest.expression if isinstance(rest, Symbol) else ())
    told = _told(bonus)
    return None if bonus is None or _names(told) & set(STATISTICS) else told


def _without(sign: str, part: tuple[Any, ...], expression: tuple[Any, ...]) -> Any:
    """Return what is added to a part, or multiplied with it, from either side; None where the expression is another."""
    if len(expression) != 3 or expression[0] != sign:
        return None
    for one, other in (expression[1:], expression[:0:-1]):
        if isinstance(one, Symbol) and one.expression == part:
            return other
    return None


def _told(value: Any) -> Any:
    """Return an expression as nested tuples of names and numbers, which can be compared."""
    return tuple(_told(part) for part in value.expression) if isinstance(value, Symbol) else value


def _names(told: Any) -> set[str]:
    """Return every name in an expression."""
    if isinstance(told, tuple):
        return {name for part in told for name in _names(part)}
    return {told} if isinstance(told, str) else set()
