"""One decorator for every compiled function of the project.

Decorating imports and compiles nothing, not even Numba: a kernel compiles at its first call from Python, or when a
compiled caller needs it. So modules with kernels can be imported at the top of any file at no cost.

The options are the same everywhere. Fast-math is off, so that the same seeds give the same numbers with and without
compilation. The GIL is released, division by zero follows IEEE 754, and machine code is cached on disk
(`numerics.kernels.cache`).
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import logging
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from numerics.kernels import elsewhere, machine_code
from numerics.kernels.cache import cache_folder
from numerics.kernels.words import wide_bitboards_of

Function = TypeVar("Function", bound=Callable[..., Any])
Number = TypeVar("Number", bound=np.generic)
Vector = np.ndarray[tuple[int], np.dtype[Number]]
Matrix = np.ndarray[tuple[int, int], np.dtype[Number]]

if (log := logging.getLogger("numba")).level == logging.NOTSET:
    log.setLevel(logging.WARNING)  # Numba writes thousands of lines a kernel where all loggers are at DEBUG
COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
_one_at_a_time = threading.RLock()  # compiles, so that threads compile a kernel once


class Lazy:
    """A global of a kernel that Numba is given in a form made when it is first needed."""

    @property
    def dispatcher(self) -> Any:
        """The form that Numba knows."""
        raise NotImplementedError

    @property
    def _numba_type_(self) -> Any:
        """The type of the object, for which Numba asks every global and argument of a kernel."""
        import numba

        typeof: Any = numba.typeof
        return typeof(self.dispatcher)


class Kernel(Lazy):
    """A function that compiles at its first use; make one with `kernel`.

    Attributes
    ----------
    function : callable
        The Python function.
    signature : str, optional
        What it compiles for; None for the types that it meets.
    inline : bool
        Whether it is pasted into its callers.
    bounds : bool
        Whether every index is checked, as in functions of users, whose helpers are then compiled anew.
    """

    def __init__(
        self, function: Callable[..., Any], signature: str | None, inline: bool, file: str | None, bounds: bool
    ):
        self.function, self.signature, self.inline, self._file, self.bounds = function, signature, inline, file, bounds
        self._dispatcher: Any = None
        self._loaded: machine_code.Loaded | None = None
        self._is_looked_for = False
        self._elsewhere: subprocess.Popen[bytes] | None = None
        functools.update_wrapper(self, function)

    @property
    def dispatcher(self) -> Any:
        """The compiled form: the first access compiles it, or loads it from disk."""
        if self._dispatcher is None:
            with _one_at_a_time:
                if self._dispatcher is None:
                    self._dispatcher = self._compiled(from_python=self.signature is not None)
        return self._dispatcher

    @property
    def loaded(self) -> machine_code.Loaded | None:
        """The machine code of another process, which needs no Numba; None where there is none."""
        if self._elsewhere is not None and not self._is_looked_for:
            elsewhere.wait(self._elsewhere)
        if not self._is_looked_for and self._dispatcher is None:
            with _one_at_a_time:
                if not self._is_looked_for and self._dispatcher is None and (path := self._path) is not None:
                    self._loaded = machine_code.load(path, self.function)
                self._is_looked_for = True
        return self._loaded

    def compile_elsewhere(self) -> None:
        """Begin to compile the kernel in another process, if it is not on disk; whoever needs the code waits for it."""
        if self.loaded is None and self._dispatcher is None and self._path is not None:
            with _one_at_a_time:
                if self._elsewhere is None and (process := elsewhere.begin(self)) is not None:
                    self._elsewhere, self._is_looked_for = process, False

    @functools.cached_property
    def _path(self) -> Path | None:
        """The file of the machine code, None where it is not kept."""
        if self.signature is None or self.function.__closure__:
            return None
        folder = cache_folder(self._file or inspect.getsourcefile(self.function))
        names = self.function.__module__, self.function.__qualname__
        text = repr((names, _text_of(self.function.__code__), self.signature, self.bounds))
        name = f"{self.function.__qualname__}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        return None if folder is None else folder / f"{name}{machine_code.SUFFIX}"

    @functools.cached_property
    def address(self) -> int:
        """The address of the kernel's own machine code, for kernels that call it as a hook."""
        if self.loaded is not None:
            return self.loaded.address
        (signature,) = self.dispatcher.nopython_signatures
        result = self.dispatcher.get_compile_result(signature)
        return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))

    @functools.cached_property
    def entry(self) -> Any:
        """What calls the kernel without a look at its arguments."""
        if self.loaded is not None:
            return self.loaded.entry
        (signature,) = self.dispatcher.nopython_signatures
        return self.dispatcher.get_compile_result(signature).entry_point

    @functools.cached_property
    def _checked(self) -> Any:
        """What Python calls: of a helper, which mostly kernels call, a second compiled form."""
        if self.signature is None:
            with _one_at_a_time:
                return self._compiled(from_python=True)
        if self.loaded is None or self.loaded.kinds is None:
            return self.dispatcher
        return functools.partial(machine_code.call, self)

    def _compiled(self, *, from_python: bool) -> Any:
        """Compile for the signature if there is one, and keep the code if it can be kept."""
        import numba

        from numerics.kernels import numba_extensions  # noqa: F401 (teaches Numba our types)
        from numerics.kernels.for_callers import ForCallers, link_environments

        njit = cast(Any, numba.njit)
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        if self.inline:
            options["forceinline"] = True
        if self.bounds:  # left out, NUMBA_BOUNDSCHECK decides
            options["boundscheck"] = True
        if not from_python:  # what turns Python's objects into numbers takes a tenth of the time to compile all
            options.update(no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=ForCallers)
        function, itself = _with_dispatchers(self)
        made = njit(**options)(function)
        made.is_kept = self._path is not None
        made.get_call_template = functools.partial(_call_by_types, made.get_call_template)
        function.__globals__.update(dict.fromkeys(itself, made))
        if self.signature is not None:
            made.compile(parse_type(self.signature, self.function.__globals__))
            made.disable_compile()
            (result,) = made.overloads.values()
            link_environments(result)
            if self._path is not None:
                machine_code.keep(self._path, result, made.targetctx)
        return made

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._checked(*[given.dispatcher if isinstance(given, Lazy) else given for given in arguments])


def _call_by_types(call: Callable[..., Any], arguments: Any, keywords: Any) -> Any:
    """Type a call to a kernel: for a number that is written in the call, as for any other one of its type.

    Numba would compile the kernel once more for the number itself; the compiler behind it knows that number all the
    same where it pastes the kernel into its caller.
    """
    from numba import types

    return call(
        [types.unliteral(kind) for kind in arguments], {key: types.unliteral(kind) for key, kind in keywords.items()}
    )


def compile_now(function: Function) -> Function:
    """Return a kernel after compiling it, which is where Numba's errors come from."""
    if isinstance(function, Kernel) and function.loaded is None:
        function.dispatcher  # noqa: B018 (the access compiles)
    return function


def compile_elsewhere(kernel: Any) -> None:
    """Begin to compile a kernel in another process while this one compiles its hooks; in plain Python nothing."""
    if isinstance(kernel, Kernel):
        kernel.compile_elsewhere()


def _with_dispatchers(made: Kernel) -> tuple[FunctionType, list[str]]:
    """Return a copy of a kernel's function whose globals are dispatchers where they were kernels, which Numba knows.

    With it the names by which the function calls itself.
    """
    function: Any = made.function
    needed = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
    itself = [name for name, value in needed.items() if value is made]
    dispatchers = {
        name: value.dispatcher for name, value in needed.items() if isinstance(value, Lazy) and value is not made
    }
    if made.bounds:
        known: dict[Any, Any] = {}
        dispatchers |= {name: _anew(value, known) for name, value in needed.items() if _is_dispatcher(value)}
    return _copy(function, dispatchers), itself


def _copy(function: FunctionType, names: Mapping[str, Any]) -> FunctionType:
    """Return a copy of a function with other globals of some names."""
    copy = FunctionType(
        function.__code__,
        {**function.__globals__, **names},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__qualname__, copy.__doc__, copy.__module__ = function.__qualname__, function.__doc__, function.__module__
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _is_dispatcher(value: Any) -> bool:
    """Return whether a value is a function under `numba.njit`."""
    from numba.core.dispatcher import Dispatcher

    return isinstance(value, Dispatcher)


def _anew(dispatcher: Any, known: dict[Any, Any]) -> Any:
    """Return a user's function under `numba.njit` with the values of its globals now, and with bounds checks."""
    import numba

    if dispatcher not in known:
        copy = _copy(dispatcher.py_func, {})
        made = known[dispatcher] = numba.jit(**{**dispatcher.targetoptions, "boundscheck": True})(copy)
        for name in names_in(copy.__code__):
            value = copy.__globals__.get(name)
            if isinstance(value, Lazy):
                copy.__globals__[name] = value.dispatcher
            elif _is_dispatcher(value):
                copy.__globals__[name] = _anew(value, known)
        if not dispatcher._can_compile:  # it has the signatures that were written
            for signature in dispatcher.nopython_signatures:
                made.compile(signature.args)
            made.disable_compile()
    return known[dispatcher]


def _text_of(code: CodeType) -> tuple[Any, ...]:
    """Return what tells the code of two functions of one name apart."""
    constants = [_text_of(each) if isinstance(each, CodeType) else each for each in code.co_consts]
    return code.co_code, code.co_names, constants


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function and the functions in it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def parse_type(signature: str, names: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """Return the Numba type, or types, of a text in Numba's words, and in `names` of named tuples that it mentions.

    Examples
    --------
    >>> parse_type("float64(int64, float64[::1])").return_type
    float64
    """
    from numba import types

    tuples = {name: type_of(cls) for name, cls in names.items() if name in signature and hasattr(cls, "_fields")}
    return eval(signature, {**vars(types), **tuples})


def type_of(annotation: Any) -> Any:
    """Return the Numba type of a bool, int, float, `Vector` or `Matrix` of numbers, or of a named tuple of such.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Line(NamedTuple):
    ...     slope: float
    ...     places: Vector[np.int64]
    >>> type_of(Line).types
    (float64, Array(int64, 1, 'C', False, aligned=True))
    """
    import numba
    from numba import types

    if hasattr(annotation, "_fields"):
        tuples: Any = types.BaseTuple
        return tuples.from_types(tuple(map(type_of, get_type_hints(annotation).values())), annotation)
    if get_origin(annotation) is np.ndarray:
        shape, numbers = get_args(annotation)
        arrays: Any = types.Array
        return arrays(numba.from_dtype(np.dtype(*get_args(numbers))), len(get_args(shape)), "C")
    return {bool: types.boolean, int: types.int64, float: types.float64}[annotation]


def kernel(
    signature: str | None = None, *, inline: bool = False, file: str | None = None, bounds: bool = False
) -> Callable[[Function], Function]:
    """Compile a function with the project's options when it is first used.

    Parameters
    ----------
    signature : str, optional
        A Numba signature, in which named tuples of the function's module go by their names: compile for it only; entry
        points and hooks do this. Left out: compile for the types met, when called from another kernel; helpers do this.
    inline : bool
        Have LLVM paste the function into its callers, however long it is; for helpers of inner loops.
    file : str, optional
        The source file that the machine code stands on, where that is not the one of the function.
    bounds : bool
        Check every index of arrays, as in functions of users.

    Returns
    -------
    decorator
        Returns a `Kernel`, typed as the function. With NUMBA_DISABLE_JIT=1 it returns the Python function itself. An
        entry point then has the floating-point rules of compiled code: no warning at overflow or 1 / 0.

    Examples
    --------
    >>> twice = kernel("float64(float64)")(lambda x: 2.0 * x)
    >>> twice(4.0)
    8.0
    """

    def decorate(function: Function) -> Function:
        if not COMPILED:
            return _without_warnings(function) if signature is not None else function
        return cast(Function, Kernel(function, signature, inline, file, bounds))

    return decorate


def _without_warnings(function: Function) -> Function:
    """Run a kernel in plain Python under the floating-point rules that its compiled form has."""

    @functools.wraps(function)
    def quiet(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return cast(Function, quiet)


@functools.cache
def wide_form(hook: Any) -> Any:
    """Return a kernel of one signature for bitboards of 128 bits: the same function, with `wide_bitboards_of`."""
    function = hook.function if isinstance(hook, Kernel) else getattr(hook, "__wrapped__", hook)
    copy = FunctionType(function.__code__, {**function.__globals__, "bitboards_of": wide_bitboards_of})
    copy.__module__, copy.__qualname__ = function.__module__, f"{function.__qualname__}.wide"
    copy.__doc__ = function.__doc__
    return kernel(hook.signature if isinstance(hook, Kernel) else "")(copy)
