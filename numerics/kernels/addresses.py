"""Compiled hooks by the address of their machine code, so that a kernel that is called often gets them at once.

A kernel that takes a compiled function looks up its machine code in every call. That takes about 30 microseconds per
hook, as long as twenty simulations of a short search. `address_of` looks it up once, and the kernel turns the number
into a function again with what `hook_at` returns. An exception in the hook reaches the kernel's caller.

A `Callback` is a Python function by its address: four whole numbers in, one out. Its exception cannot pass through
machine code. So it is kept for its thread, the kernel raises `Failed`, and `raise_kept` raises what was kept.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from numerics.kernels.jit import COMPILED, Lazy, parse_type

_KIND = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)
FAILED = -1  # what a function that has raised returns
_kept = threading.local()


def address_of(hook: Any) -> Any:
    """Return the address of a hook that `kernel` compiled for one signature; in plain Python the hook.

    Whoever uses the address must hold the hook.

    Examples
    --------
    >>> from numerics.kernels.jit import kernel
    >>> hook = kernel("float64(float64)")(lambda x: 2.0 * x)
    >>> address_of(hook) == address_of(hook)
    True
    """
    if not COMPILED:
        return hook
    return hook.address


@functools.cache
def entry_of(function: Any) -> Any:
    """Return what calls a kernel of one signature without a look at the types of its arguments.

    That look takes four times as long as the call where arguments are named tuples of arrays. The caller vouches for
    the types: a wrong one is read as if it were right. In plain Python the kernel itself.

    Examples
    --------
    >>> from numerics.kernels.jit import kernel
    >>> entry_of(kernel("float64(float64)")(lambda x: 2.0 * x))(4.0)
    8.0
    """
    return function.entry if COMPILED else function


class _HookAt(Lazy):
    """What turns an address into a hook inside a kernel."""

    def __init__(self, signature: str):
        self._signature = signature

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The intrinsic."""
        from numba import int64, types
        from numba.core import cgutils
        from numba.extending import intrinsic

        kind: Any = types.FunctionType(parse_type(self._signature))

        def _hook_at(_typing: Any, address: Any) -> tuple[Any, Any]:
            def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                made = cgutils.create_struct_proxy(kind)(context, builder)
                made.jit_addr = made.c_addr = builder.inttoptr(arguments[0], cgutils.voidptr_t)
                made.py_addr = cgutils.get_null_value(cgutils.voidptr_t)
                return made._getvalue()

            return kind(int64), write

        return intrinsic(_hook_at)


def hook_at(signature: str) -> Any:
    """Return a function for use inside kernels: it turns the address of a hook of a signature into that hook.

    Examples
    --------
    >>> from numerics.kernels.jit import kernel
    >>> number_of = hook_at("float64(float64)")
    >>> twice = kernel("float64(float64)")(lambda x: 2.0 * x)
    >>> @kernel()
    ... def four_times(hook, x):
    ...     f = number_of(hook)
    ...     return f(f(x))
    >>> four_times(address_of(twice), 1.5)
    6.0
    """
    return _HookAt(signature) if COMPILED else lambda hook: hook


class Failed(Exception):
    """Raised by a kernel when a callback has failed."""


class Callback:
    """A function that kernels may call while this object lives.

    Attributes
    ----------
    address : int
        What a kernel is given.
    """

    def __init__(self, function: Callable[[int, int, int, int], int]):
        def call(a: int, b: int, c: int, d: int) -> int:
            try:
                return function(a, b, c, d)
            except BaseException as error:
                _kept.error = error
                return FAILED

        self._call = _KIND(call)
        self.address: int = ctypes.cast(self._call, ctypes.c_void_p).value or 0


def raise_kept() -> NoReturn:
    """Raise, in place of a `Failed`, what a function raised last in this thread."""
    error: BaseException = _kept.error
    del _kept.error
    raise error


class _CallBack(Lazy):
    """What calls the function at an address from inside a kernel."""

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The intrinsic."""
        from llvmlite import ir
        from numba import int64
        from numba.extending import intrinsic

        def _call(_typing: Any, address: Any, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any]:
            def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                whole = ir.IntType(64)
                kind = ir.FunctionType(whole, [whole] * 4)
                return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

            return int64(int64, int64, int64, int64, int64), write

        return intrinsic(_call)


def _call_plainly(address: Any, *numbers: Any) -> int:
    return int(_KIND(int(address))(*map(int, numbers)))


call_back: Any = _CallBack() if COMPILED else _call_plainly
"""Inside a kernel: call the function at an address with four whole numbers."""
