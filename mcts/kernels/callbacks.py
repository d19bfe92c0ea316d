"""A Python function that kernels call by its address: four whole numbers in, one out."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from numerics.kernels.jit import COMPILED, Lazy

_KIND = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)


class Callback:
    """A function that kernels may call while this object lives; it must not raise.

    Attributes
    ----------
    address : int
        What a kernel is given; in plain Python the function.
    """

    def __init__(self, function: Callable[[int, int, int, int], int]):
        self.address: Any = function
        if COMPILED:
            self._kept: Any = _KIND(function)
            self.address = ctypes.cast(self._kept, ctypes.c_void_p).value


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


call_back: Any = _CallBack() if COMPILED else lambda function, *numbers: function(*numbers)
"""Inside a kernel: call the function at an address with four whole numbers."""
