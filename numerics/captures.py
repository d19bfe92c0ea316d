"""What a compiled function takes with it besides its text: the values and functions that its names mean by then.

Numba reads a global name once, while it compiles, and what it finds stays in the code. Such a value may come of a data
file, of the environment, or of a module that no import statement names; no digest of source files sees that change.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from numerics.sources import digest, is_of_a_library, is_of_the_project


def captured(function: Callable[..., Any]) -> str:
    """Return 16 hexadecimal digits that change when anything changes that a user's function would be compiled with.

    Followed are global names and closure cells, through functions, compiled helpers, modules and classes of the user.
    Libraries are left out; of this project's own functions only the text counts, and the answer for one is empty.

    Examples
    --------
    >>> def scaled(x):
    ...     return FACTOR * x
    >>> FACTOR = 2.0
    >>> first = captured(scaled)
    >>> FACTOR = 3.0
    >>> captured(scaled) != first
    True
    """
    file = _file(function)
    if file is not None and is_of_the_project(file):
        return ""
    total = hashlib.sha256()
    for word in _Walk().of(function, frozenset()):
        total.update(len(word).to_bytes(8, "little") + word)
    return total.hexdigest()[:16]


class _Walk:
    """One walk over what a function captures; it enters everything once, so that circles end."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, frozenset[str]], int] = {}
        self._entered: list[Any] = []  # kept, so that no other object gets its address

    def of(self, value: Any, names: frozenset[str]) -> Iterator[bytes]:
        """Yield words that stand for a value; `names` are the attributes that the code around it may ask for."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            yield f"{_kind(value)} {value!r}".encode()
            return
        if isinstance(value, (np.ndarray, np.generic)):
            yield f"{_kind(value)} {value.dtype.descr!r} {value.shape} {value.flags.f_contiguous}".encode()
            yield b"" if value.dtype.hasobject else value.tobytes()
            return
        if isinstance(value, (tuple, frozenset)):  # whether two equal ones are one object says nothing
            yield _kind(value).encode()
            yield from self._inside(value, names)
            return
        key = (id(value), names if isinstance(value, ModuleType) else frozenset())
        if key in self._numbers:
            yield f"again {self._numbers[key]}".encode()
            return
        self._numbers[key] = len(self._numbers)
        self._entered.append(value)
        yield _kind(value).encode()
        yield from self._inside(value, names)

    def _inside(self, value: Any, names: frozenset[str]) -> Iterator[bytes]:
        if isinstance(value, FunctionType):
            yield from self._function(value)
        elif isinstance(value, ModuleType):
            yield from self._module(value, names)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, (tuple, list)):
            for member in value:
                yield from self.of(member, names)
        elif isinstance(value, dict):
            for name, member in value.items():
                yield from self.of(name, names)
                yield from self.of(member, names)
        elif isinstance(value, (set, frozenset)):
            yield repr(sorted(map(repr, value))).encode()
        elif isinstance(value, enum.Enum):
            yield from self.of((value.name, value.value), names)
        else:
            yield f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}".encode()  # such as math.sin
            plain = _plain_form(value)
            if plain is not None:
                _refuse_other_caches(value, plain)
                yield from self.of(plain, names)

    def _function(self, function: FunctionType) -> Iterator[bytes]:
        yield f"{function.__module__}.{function.__qualname__}".encode()
        file = _file(function)
        if file is not None and (is_of_a_library(file) or is_of_the_project(file)):
            yield from () if is_of_a_library(file) else _text(file)
            if isinstance(inner := getattr(function, "__wrapped__", None), FunctionType):  # a decorator's, of a user's
                yield from self.of(inner, frozenset())
            return
        yield from _text(file)
        names: set[str] = set()
        for code in _codes(function.__code__):
            names.update(code.co_names)
            yield code.co_code
            yield from self.of([one for one in code.co_consts if not isinstance(one, CodeType)], frozenset())
        asked = frozenset(names)
        for name in sorted(asked & function.__globals__.keys()):
            yield name.encode()
            yield from self.of(function.__globals__[name], asked)
        for cell in function.__closure__ or ():
            yield from self.of(_content(cell), asked)
        yield from self.of([function.__defaults__, function.__kwdefaults__], asked)

    def _module(self, module: ModuleType, names: frozenset[str]) -> Iterator[bytes]:
        file = getattr(module, "__file__", None)
        yield module.__name__.encode()
        if module.__name__.partition(".")[0] in sys.stdlib_module_names or (file and is_of_a_library(Path(file))):
            return
        yield from _text(Path(file) if file else None)
        if file and is_of_the_project(Path(file)):
            return
        for name in sorted(names & vars(module).keys()):
            yield name.encode()
            yield from self.of(vars(module)[name], names)

    def _class(self, cls: type) -> Iterator[bytes]:
        yield f"{cls.__module__}.{cls.__qualname__}".encode()
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if file is None or is_of_a_library(Path(file)) or is_of_the_project(Path(file)):
            return
        yield from _text(Path(file))
        compiled = getattr(getattr(cls, "class_type", None), "jit_methods", {})  # of a class that Numba compiles
        members: Iterable[Any] = cls if issubclass(cls, enum.Enum) else [*vars(cls).values(), *compiled.values()]
        for member in members:
            if isinstance(member, (FunctionType, enum.Enum)) or _plain_form(member) is not None:
                yield from self.of(member, frozenset())


def _refuse_other_caches(compiled: Any, plain: FunctionType) -> None:
    """Refuse a user's helper that Numba keeps on disk by itself: it would go on using what such code captured."""
    file, kept = _file(plain), getattr(getattr(compiled, "_cache", None), "cache_path", None)
    if kept is None or file is None or is_of_a_library(file) or is_of_the_project(file):
        return
    raise ValueError(
        f"helper {plain.__module__}.{plain.__qualname__} must be made with @numba.njit without cache=True: Numba's own "
        "cache would not see an edit of what the helper uses"
    )


def _kind(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _plain_form(value: Any) -> FunctionType | None:
    """Return the Python function that a compiled one was made of."""
    for attribute in ("py_func", "__wrapped__", "function"):
        plain = getattr(value, attribute, None)
        if isinstance(plain, FunctionType):
            return plain
    return None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code and that of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was put in yet
        return None


def _file(function: Callable[..., Any]) -> Path | None:
    try:
        found = inspect.getsourcefile(function)
    except TypeError:
        return None
    return Path(found) if found else None


def _text(file: Path | None) -> Iterator[bytes]:
    if file is not None and file.is_file():
        yield digest(file).encode()
