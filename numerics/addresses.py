"""Compiled hooks by the address of their machine code, so that a kernel that is called often gets them at once.

A kernel that is given a compiled function itself looks its machine code up again in every call, some 30 microseconds a
hook, as long as twenty simulations of a short search; and calls through the address are no slower. But an exception
in a hook that is called so is lost: a hook of a user's, and with bounds checks any hook, is passed as it is.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
from numba import types

from numerics.jit import COMPILED
from numerics.sources import OWN_PACKAGES

_settings: Any = numba.config


class Address(types.WrapperAddressProtocol):
    """A compiled hook as a kernel takes it; the hook is kept alive with it.

    Parameters
    ----------
    hook : compiled function
        Of `numerics.jit.kernel`, compiled for one signature.
    """

    def __init__(self, hook: Any):
        (signature,) = hook.nopython_signatures
        found = hook.get_compile_result(signature)
        self.hook = hook
        self._signature = signature
        self._address = int(found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name))
        self._numba_type_ = types.FunctionType(signature)  # spares Numba asking for it in every call

    def __wrapper_address__(self) -> int:
        """Return the address of the machine code."""
        return self._address

    def signature(self) -> Any:
        """Return the signature that the hook was compiled for."""
        return self._signature


@functools.lru_cache(maxsize=256)
def address_of(hook: Any) -> Any:
    """Return the address of a hook of the project's, or the hook itself where it may raise or is plain Python.

    Examples
    --------
    >>> from numba import float64
    >>> from numerics.jit import kernel
    >>> hook = kernel(float64(float64))(lambda x: 2.0 * x)
    >>> address_of(hook) is address_of(hook)
    True
    """
    if not COMPILED or _settings.BOUNDSCHECK or hook.py_func.__module__.partition(".")[0] not in OWN_PACKAGES:
        return hook
    return Address(hook)
