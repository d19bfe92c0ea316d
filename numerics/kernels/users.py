"""A user's function as a compiled hook: what cannot be one is refused in a sentence."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

from numerics.kernels.jit import Kernel, compile_now, kernel


def compiled_or_refused(what: str, compile_it: Callable[[], Any]) -> Any:
    """Return what compiles.

    Raises
    ------
    ValueError
        Numba cannot compile it; the sentence begins with `what`.
    """
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    try:
        return compile_it()
    except (NumbaError, UnsupportedBytecodeError) as error:
        raise ValueError(f"{what} cannot be compiled: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Return what Numba says in the lines of its report that matter: the cause, and where it stands."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = next(line for line in lines if not line.startswith("Failed in "))
    return "; ".join([cause, *(line.rstrip(":") for line in lines if line.startswith("File "))][:2])


def hook_of(what: str, function: Any, signature: str, arguments: Sequence[str]) -> Any:
    """Return a function as a kernel of one signature; one that is such a kernel already as it is.

    Parameters
    ----------
    what : str
        What a sentence begins with, such as "play hook".
    function : callable
        A plain function, one under ``numba.njit``, or a kernel. The same function gives the same kernel.
    signature : str
        Numba's.
    arguments : sequence of str
        What it takes.

    Raises
    ------
    ValueError
        No function, one that takes another number of arguments, or one that cannot be compiled.

    Examples
    --------
    >>> hook = hook_of("hook", lambda x: x + 1.0, "float64(float64)", ["x"])
    >>> hook(2)
    3.0
    """
    if isinstance(function, Kernel) and function.signature is not None:
        return function
    return _hook_of(what, function, signature, tuple(arguments))


@functools.lru_cache(maxsize=1024)
def _hook_of(what: str, function: Any, signature: str, arguments: Sequence[str]) -> Any:
    plain = getattr(function, "function" if isinstance(function, Kernel) else "py_func", function)
    if not inspect.isfunction(plain):
        raise ValueError(f"{what} must be a function (def ...); got {function!r}")
    name, taken = f"{what} {plain.__module__}.{plain.__qualname__}", list(inspect.signature(plain).parameters)
    if len(taken) != len(arguments):
        count = f"{len(arguments)} argument{'s' * (len(arguments) > 1)}"
        raise ValueError(
            f"{name} must take {count} ({', '.join(arguments)}); it takes {len(taken)} ({', '.join(taken)})"
        )
    made = kernel(signature, file=inspect.getsourcefile(plain) or os.devnull)(plain)
    return compiled_or_refused(name, lambda: compile_now(made))
