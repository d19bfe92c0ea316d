"""One decorator for every compiled function of the project.

The options are the same everywhere: no fast-math (the same seeds give the same numbers with and without compilation),
the GIL released, division by zero as in IEEE 754, and code kept on disk: see `numerics.kernel_cache`.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numba
import numpy as np

from numerics.kernel_cache import cache_folder, kept_in

Function = TypeVar("Function", bound=Callable[..., Any])

_settings: Any = numba.config
_njit: Any = numba.njit
COMPILED = not _settings.DISABLE_JIT
_one_at_a_time = threading.RLock()  # the cache folder is a setting of the whole process


def kernel(
    signature: Any = None, *, inline: bool = False, sources: Sequence[str | None] = (), captured: str = ""
) -> Callable[[Function], Function]:
    """Compile a function with the project's options and keep the result on disk.

    Parameters
    ----------
    signature : numba signature, optional
        Given: compile (or load) now, for this signature only; entry points and hooks do this. Left out: compile for
        the types met, when first called from another kernel; helpers do this.
    inline : bool
        Paste the function into its callers before optimisation; for one-line helpers of inner loops.
    sources : sequence of str
        The files that the function stands on, where that is not the one it was written in.

    captured : str
        A digest of what a user's function takes with it besides its files; see `numerics.captures`.

    Returns
    -------
    decorator
        Gives back the compiled function. With NUMBA_DISABLE_JIT=1 it gives back the Python function itself, and an
        entry point then runs with the floating-point rules of the compiled one (no warning at overflow or 1 / 0).

    Examples
    --------
    >>> from numba import float64
    >>> twice = kernel(float64(float64))(lambda x: 2.0 * x)
    >>> twice(4.0)
    8.0
    """

    def decorate(function: Function) -> Function:
        if not COMPILED:
            return _quiet(function) if signature is not None else function
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        if inline:
            options["inline"] = "always"
        folder = cache_folder(*(sources or [inspect.getsourcefile(function)]), captured=captured)
        given = () if signature is None else (signature,)
        with _one_at_a_time, kept_in(folder):  # the place of a function's cache is fixed while it is decorated
            compiled: Function = _njit(*given, cache=folder is not None, **options)(function)
        return compiled

    return decorate


def _quiet(function: Function) -> Function:
    """Run a kernel in plain Python under the floating-point rules that its compiled form has."""

    @functools.wraps(function)
    def quiet(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return quiet  # type: ignore[return-value]
