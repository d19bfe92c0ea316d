"""Compile a user's function as a hook, or raise an error in one sentence."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol

import numpy as np

from numerics.kernels.addresses import is_called_back
from numerics.kernels.jit import Kernel, compile_now, kernel, names_in
from numerics.places import failure, is_of_a_user, is_ours, place_of, quote_line, start_of


class Told(ValueError):
    """A user's mistake as a complete sentence; nothing is added to it."""


class CannotCompile(Told):
    """A user's function that Numba cannot compile."""


def compiled_or_refused(what: str, function: Callable[..., Any], compile_it: Callable[[], Any]) -> Any:
    """Compile a user's function, or raise CannotCompile.

    Raises
    ------
    CannotCompile
        Numba cannot compile it; the sentence begins with `what` and ends with the user's line.
    """
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    try:
        return compile_it()
    except (NumbaError, UnsupportedBytecodeError) as error:
        raise CannotCompile(f"{what} cannot be compiled: {_reason(error, function)}") from None
    except Exception as error:  # of an object that answers for any name, as a mock, which Numba asks for its type
        if is_ours(function.__code__.co_filename) or isinstance(error, CannotCompile | MemoryError):
            raise
        raise CannotCompile(f"{what} cannot be compiled: {failure(error, function)}") from None


def _reason(error: Exception, function: Callable[..., Any]) -> str:
    """Return what Numba says in the lines of its report that matter: the cause, and the user's line that it names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = next(number for number, line in enumerate(lines) if not line.startswith("Failed in "))
    cause = " ".join(line.lstrip("> ") for line in lines[first : first + 1 + lines[first].endswith(":")])
    cause = re.sub(r" for '\$\S+', defined at .*", "", cause)  # a name of Numba's that no reader knows
    if cause.endswith(" to bool"):
        cause += "; it must return True or False"
    cause = re.sub(
        r"Type of variable '\$\S+' cannot be determined.*", "the type of a value cannot be determined", cause
    )
    named = re.findall(r'^\s*File "(.+)", line ([1-9]\d*):', str(error), re.MULTILINE)
    users = [(os.path.abspath(file), int(line)) for file, line in named if is_of_a_user(file)]
    return f"{cause} ({quote_line(*users[0]) if users else start_of(function)})"


def hook_of(what: str, function: Any, signature: str, form: Callable[..., Any]) -> Any:
    """Compile a function for one signature; kernels are returned unchanged.

    Parameters
    ----------
    what : str
        What a sentence begins with, such as "play hook".
    function : callable
        A plain function, one under ``numba.njit``, or a kernel; it is compiled with bounds checks. The same function
        gives the same kernel while its globals are the same. The kernel has the name of its module as `of_user`, and
        the function itself as `plain`.
    signature : str
        Numba's.
    form : callable
        A function that takes the same, calls the global `_hook` and looks at its answer; `_WHO` is the hook's name.

    Raises
    ------
    ValueError
        No function, one that takes another number of arguments, or one that cannot be compiled.
    """
    if (isinstance(function, Kernel) and function.signature is not None) or hasattr(function, "of_user"):
        return function
    plain = getattr(function, "function" if isinstance(function, Kernel) else "py_func", function)
    if not inspect.isfunction(plain):
        raise ValueError(f"{what} must be a function (def ...); got {function!r}")
    return _hook_of(what, plain, signature, form, constants_of(plain))


@functools.lru_cache(maxsize=1024)
def _hook_of(what: str, plain: Any, signature: str, form: Callable[..., Any], _constants: Any) -> Any:
    name = f"{what} {plain.__module__}.{plain.__qualname__}"
    arguments, taken = (list(inspect.signature(takes).parameters) for takes in (form, plain))
    if len(taken) != len(arguments):
        count = f"{len(arguments)} argument{'s' * (len(arguments) > 1)}"
        raise ValueError(
            f"{name} must take {count} ({', '.join(arguments)}); it takes {len(taken)} ({', '.join(taken)})"
        )

    def compile_it() -> Any:
        call = copy_function(form, plain, _hook=kernel(signature, file=os.devnull, bounds=True)(plain), _WHO=name)
        return compile_now(kernel(signature, file=os.devnull)(call))

    try:
        made = compiled_or_refused(name, plain, compile_it)
    except CannotCompile as error:
        if "Cannot determine Numba type" not in str(error):
            raise
        raise CannotCompile(f"{error}; with NUMBA_DISABLE_JIT=1 it runs as plain Python") from None
    made.of_user, made.plain = plain.__module__, plain
    return made


class _Same:
    """An object that equals itself alone."""

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


_MOST_COMPILED_IN = 10**6  # bytes of an array; a larger one is read where it lies
_is_of_a_user = functools.lru_cache(maxsize=1024)(is_of_a_user)


@functools.lru_cache(maxsize=1024)
def _names_in(code: CodeType) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names_in(code)))


def constants_of(function: Any) -> tuple[Any, ...]:
    """Return what a compiled function holds as constants: the globals that it and the user's functions it calls name.

    Examples
    --------
    >>> def area(radius):
    ...     return PI * radius**2
    >>> PI = 3.1
    >>> before = constants_of(area)
    >>> before == constants_of(area)
    True
    >>> PI = 3.14
    >>> before == constants_of(area)
    False
    """
    constants: list[Any] = []
    seen: set[int] = set()

    def note(value: Any, names: Iterable[str]) -> None:
        constants.append(None if value is None else _constant(value))
        if value is None or id(value) in seen:
            return
        seen.add(id(value))
        plain = inspect.getattr_static(value, "py_func", value)  # runs no code of a user's object
        if isinstance(value, ModuleType) and _is_of_a_user(getattr(value, "__file__", None) or "<string>"):
            for name in names:
                note(vars(value).get(name), names)
        elif inspect.isfunction(plain) and _is_of_a_user(plain.__code__.co_filename):
            note_all(plain)

    def note_all(plain: FunctionType) -> None:
        names = _names_in(plain.__code__)
        for name in names:
            note(plain.__globals__.get(name), names)
        for cell in plain.__closure__ or ():
            with contextlib.suppress(ValueError):  # it is empty
                note(cell.cell_contents, names)

    note_all(function)
    return tuple(constants)


def _constant(value: Any) -> Any:
    """Return what tells a value from all others that would be compiled to other code."""
    if type(value) in (bool, int, float, complex, str) or isinstance(value, np.generic):
        return type(value), repr(value)
    if isinstance(value, tuple):
        return type(value), tuple(map(_constant, value))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject and value.nbytes <= _MOST_COMPILED_IN:
        return value.dtype.str, value.shape, value.strides, value.tobytes()
    return _Same(value)


@functools.lru_cache(maxsize=1024)
def users_module(hook: Any) -> str:
    """Return the module of a hook in a file that is not of this project, or an empty text."""
    if hook is None or hasattr(hook, "of_user"):
        return getattr(hook, "of_user", "")
    return "" if is_ours(inspect.unwrap(hook).__code__.co_filename) else str(hook.__module__)


def copy_function(form: Any, source: Any, **names: Any) -> Callable[..., Any]:
    """Return a copy of a function with other globals of some names, under the module and name of a user's function."""
    copy = FunctionType(form.__code__, {**form.__globals__, **names})
    copy.__module__, copy.__qualname__ = source.__module__, f"{source.__qualname__}.{form.__name__}"
    return copy


class Hooks(Protocol):
    """A hook, or an object with hooks."""

    @property
    def who(self) -> str:
        """Its name in error messages."""

    @property
    def is_ours(self) -> bool:
        """Whether it is this project's: then its failures are bugs, not a user's mistakes."""


class Misbehaves(Exception):
    """A user's hook gave a wrong answer.

    Arguments: the hook's name; what it does; what is allowed; t, or 0 if unknown; the numbers. In both texts `{0}`
    stands for the first number.
    """


def sentence(error: Misbehaves, where: str = "") -> str:
    """Return the sentence of a wrong answer, given `where` if more is known of that than t.

    Examples
    --------
    >>> sentence(Misbehaves("rule mine", "chooses arm {0}", "arms are 0 to {1}", 7.0, 3, 2))
    'rule mine chooses arm 3 at t = 7; arms are 0 to 2'
    """
    who, what, allowed, t, *numbers = error.args
    where = where or (f"t = {t:.0f}" if t else "")
    parts = who, what.format(*numbers), f"at {where}" if where else ""
    return " ".join(filter(None, parts)) + (f"; {allowed.format(*numbers)}" if allowed else "")


@contextlib.contextmanager
def user_errors(hooks: Iterable[Hooks]) -> Iterator[None]:
    """Turn an exception in a user's hook into a sentence; where all hooks are this project's, it is a bug and passes.

    What a user's class of plain Python raises keeps its traceback.

    Raises
    ------
    ValueError
        In place of the exception.
    """
    try:
        yield
    except (MemoryError, Told):
        raise
    except Exception as error:
        if is_called_back(error):
            raise
        users = " or ".join(hook.who for hook in hooks if not hook.is_ours)
        if not users:
            raise
        if isinstance(error, Misbehaves):
            reason = sentence(error)
        elif isinstance(error, IndexError):
            line = place_of(error) or "NUMBA_DISABLE_JIT=1 shows the line"
            reason = f"{users} reads or writes an array out of bounds ({line})"
        else:
            reason = f"{users} fails during play: {failure(error)}"
        raise ValueError(reason) from None
