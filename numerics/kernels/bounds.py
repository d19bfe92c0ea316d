"""Copies of a user's functions with bounds checks."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from numerics.kernels.jit import COMPILED, Lazy, typed
from numerics.places import python_of


def with_bounds(function: Callable[..., Any], signature: str | None = None) -> Any:
    """Compile a copy of a user's function with bounds checks in it and in the compiled functions that it calls.

    In plain Python, where arrays check their bounds themselves, the function itself.
    """
    return _with_bounds(function, {}, signature) if COMPILED else function


def _with_bounds(function: Any, seen: dict[Any, Any], signature: str | None = None) -> Any:
    import numba

    if function not in seen:
        names = dict(function.__globals__)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        njit: Any = numba.njit
        seen[function] = compiled = njit(nogil=True, error_model="numpy", boundscheck=True)(copy)
        for name in function.__code__.co_names:
            if name in names:
                names[name] = _helper(names[name], seen)
        if signature is not None:
            compiled.compile(typed(signature))
            compiled.disable_compile()
    return seen[function]


def _helper(value: Any, seen: dict[Any, Any]) -> Any:
    """Return a user's compiled function, or module of such, with bounds checks; anything else as kernels see it."""
    if isinstance(value, Lazy):
        return value.dispatcher
    if (plain := python_of(value)) is not None:
        return _with_bounds(plain, seen)
    if isinstance(value, ModuleType) and any(python_of(member) is not None for member in vars(value).values()):
        copy = ModuleType(value.__name__)
        vars(copy).update({name: _helper(member, seen) for name, member in vars(value).items()})
        return copy
    return value
