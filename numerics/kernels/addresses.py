"""Compiled hooks by the address of their machine code, so that a kernel that is called often gets them at once.

A kernel that takes a compiled function looks up its machine code in every call. That takes about 30 microseconds per
hook, as long as twenty simulations of a short search. `address_of` looks it up once, and the kernel turns the number
into a function again with what `hook_at` returns. An exception in the hook reaches the kernel's caller.

A `Callback` is a Python function by its address: four whole numbers in, one out. Its exception, also one of a signal
handler that Python runs before the function's first line, ends the kernel and reaches the kernel's caller as it is.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from types import CodeType
from typing import Any

from numerics.kernels.jit import COMPILED, Lazy, parse_type


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


class Callback:
    """A function that kernels may call while this object lives.

    Attributes
    ----------
    address : int
        What a kernel is given.
    """

    def __init__(self, function: Callable[[int, int, int, int], int]):
        self._function, self.address = function, id(function)
        _called.add(function.__code__)


def is_called_back(error: BaseException) -> bool:
    """Return whether an exception comes from the function of a `Callback`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code not in _called:
        trace = trace.tb_next
    return trace is not None


class _CallBack(Lazy):
    """What calls the function at an address from inside a kernel."""

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The intrinsic: it returns as a kernel that has raised, with Python's own exception, where there is one."""
        from llvmlite import ir
        from numba import int64
        from numba.core import cgutils
        from numba.extending import intrinsic

        offset = -(2**63)  # PY_VECTORCALL_ARGUMENTS_OFFSET: the function may write before its first argument

        def _call(_typing: Any, address: Any, a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any]:
            def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                python = context.get_python_api(builder)
                thing = python.pyobj
                kind = ir.FunctionType(thing, [thing, thing.as_pointer(), python.py_ssize_t, thing])
                call = cgutils.get_or_insert_function(builder.module, kind, "PyObject_Vectorcall")
                room = cgutils.alloca_once(builder, thing, 5)
                lock = python.gil_ensure()

                def raise_if(wrong: Any) -> None:
                    with cgutils.if_unlikely(builder, wrong):
                        python.gil_release(lock)
                        context.call_conv.return_exc(builder)

                numbers = [python.long_from_longlong(number) for number in arguments[1:]]
                for i, number in enumerate(numbers, 1):
                    raise_if(cgutils.is_null(builder, number))  # no memory
                    builder.store(number, cgutils.gep_inbounds(builder, room, i))
                function, first = builder.inttoptr(arguments[0], thing), cgutils.gep_inbounds(builder, room, 1)
                count = python.py_ssize_t(len(numbers) + offset)
                answer = builder.call(call, [function, first, count, cgutils.get_null_value(thing)])
                for number in numbers:
                    python.decref(number)
                raise_if(cgutils.is_null(builder, answer))
                result = python.long_as_longlong(answer)
                python.decref(answer)
                python.gil_release(lock)
                return result

            return int64(int64, int64, int64, int64, int64), write

        return intrinsic(_call)


def _call_plainly(address: Any, *numbers: Any) -> int:
    function: Any = ctypes.cast(int(address), ctypes.py_object).value
    return int(function(*map(int, numbers)))


_called: set[CodeType] = {_call_plainly.__code__}  # and that of the functions of callbacks
call_back: Any = _CallBack() if COMPILED else _call_plainly
"""Inside a kernel: call the function at an address with four whole numbers."""
