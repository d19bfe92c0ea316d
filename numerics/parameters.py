"""Parameters that know their range, and families of things that register themselves by being defined.

A range stands once, beside the default. The check, its sentence, the configuration node, `--help` and the catalogue are
read from it.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

from numerics import checks

Check = Callable[[str, Any], Any]  # of a name and a value: returns the value as it is kept, or raises ValueError


@dataclasses.dataclass(frozen=True)
class Range:
    """What a parameter may be; see `parameter`."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    most: float = math.inf
    choices: tuple[str, ...] = ()
    check: Check | None = None
    help: str = ""


def parameter(
    default: Any = dataclasses.MISSING,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: bool = False,
    most: float = math.inf,
    choices: Iterable[str] = (),
    check: Check | None = None,
    help: str = "",
) -> Any:
    """Declare a field of a `Declared` class, or of a dataclass that calls `check_parameters`.

    The annotation says the kind: float, int, bool, str, a list, or one of them `| None`; anything else needs a `check`.

    Parameters
    ----------
    default : optional
        Left out: the parameter must be given.
    low, high : float
        The range of a number, both ends allowed, but for the lower one with `above`.
    most : float
        A bound of the machine's on the size, told only where it is exceeded.
    choices : iterable of str
        What a text may be.
    check : callable, optional
        `check(name, value)` returns the value as it is kept, or raises ValueError with a sentence that begins with the
        name; used instead of the check by kind.
    help : str
        One line for the catalogue: meaning, unit.
    """
    about = {"range": Range(low, high, above, most, tuple(choices), check, help)}
    if isinstance(default, list):
        return dataclasses.field(default_factory=lambda: list(default), metadata=about)
    return dataclasses.field(default=default, metadata=about)


@functools.cache
def parameters(cls: Any) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a dataclass that were declared with `parameter`."""
    return tuple(field for field in dataclasses.fields(cls) if "range" in field.metadata)


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def check_parameter(cls: Any, field: dataclasses.Field[Any], value: Any, name: str | None = None) -> Any:
    """Return a value as the parameter keeps it.

    Raises
    ------
    ValueError
        One sentence that begins with `name`, the field's own unless given.
    """
    allowed: Range = field.metadata["range"]
    name = field.name if name is None else name
    hint = _hints(cls)[field.name]
    kinds = set(typing.get_args(hint)) if isinstance(hint, types.UnionType) else {hint}
    if value is None and types.NoneType in kinds:
        return None
    if allowed.check is not None:
        return allowed.check(name, value)
    (kind,) = kinds - {types.NoneType}
    return _CHECKS[typing.get_origin(kind) or kind](name, value, allowed)


def _check_float(name: str, value: Any, allowed: Range) -> float:
    return checks.number(name, value, allowed.low, allowed.high, above=allowed.above, most=allowed.most)


def _check_int(name: str, value: Any, allowed: Range) -> int:
    high = None if allowed.high == math.inf else int(allowed.high)
    most = None if allowed.most == math.inf else int(allowed.most)
    return checks.whole(name, value, int(allowed.low), high, most=most)


def _check_bool(name: str, value: Any, allowed: Range) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false; got {value!r}")
    return value


def _check_str(name: str, value: Any, allowed: Range) -> str:
    if allowed.choices and value not in allowed.choices:
        raise ValueError(must_be_one_of(name, value, allowed.choices))
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text; got {value!r}")
    return value


def _check_list(name: str, value: Any, allowed: Range) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list; got {value!r}")
    return value


_CHECKS: dict[Any, Callable[[str, Any, Range], Any]] = {
    float: _check_float,
    int: _check_int,
    bool: _check_bool,
    str: _check_str,
    list: _check_list,
}


def allowed(cls: Any, field: dataclasses.Field[Any]) -> str:
    """Say what a parameter may be; nothing where a check of its own knows.

    Examples
    --------
    >>> class Square(Declared):
    ...     side: float | None = parameter(None, low=0.0, above=True)
    >>> allowed(Square, parameters(Square)[0])
    'a number above 0, or null'
    """
    limits: Range = field.metadata["range"]
    kinds = typing.get_args(hint) if isinstance(hint := _hints(cls)[field.name], types.UnionType) else (hint,)
    span = checks.interval(limits.low, limits.high, limits.above)
    words = {
        float: f"a number{span}",
        int: f"a whole number{span}",
        bool: "true or false",
        str: "a text",
        list: "a list",
    }
    kinds_allowed = [words.get(typing.get_origin(kind) or kind, "") for kind in kinds if kind is not types.NoneType]
    if limits.check is not None or "" in kinds_allowed:
        return ""
    if limits.choices:
        kinds_allowed = [f"one of {', '.join(limits.choices)}"]
    return ", or ".join([*kinds_allowed, *(["null"] if types.NoneType in kinds else [])])


def check_parameters(instance: Any) -> None:
    """Check every parameter of a dataclass object and keep each as its kind, such as an int given for a float."""
    cls: Any = type(instance)
    for field in parameters(cls):
        value = check_parameter(cls, field, getattr(instance, field.name))
        object.__setattr__(instance, field.name, value)


def must_be_one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """Return the sentence about a name that is not known, with the nearest one that is."""
    names = list(known)
    return f"{name} must be one of {', '.join(names)}; got {value!r}{did_you_mean(value, names)}"


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """Return a question in brackets where a known word is near, else an empty text.

    Examples
    --------
    >>> did_you_mean("usb", ["ucb", "thompson"])
    ' (did you mean ucb?)'
    """
    near = difflib.get_close_matches(word, list(known), 1) if isinstance(word, str) else []
    return f" (did you mean {near[0]}?)" if near else ""


@typing.dataclass_transform(frozen_default=True, field_specifiers=(parameter, dataclasses.field))
class Declared:
    """A frozen dataclass of parameters; a family is a direct subclass, its members register in it by their `name`.

    Examples
    --------
    >>> class Shape(Declared): ...
    >>> class Circle(Shape, name="circle"):
    ...     radius: float = parameter(1.0, low=0.0, help="in metres")
    >>> Shape.make("circle", radius=2)
    Circle(radius=2.0)
    >>> Circle(radius=-1)
    Traceback (most recent call last):
    ValueError: radius must be a finite number of at least 0; got -1
    """

    name: ClassVar[str] = ""
    members: ClassVar[dict[str, type[Any]]]

    def __init_subclass__(cls, name: str = "") -> None:
        if Declared in cls.__bases__:
            cls.members = {}
        dataclasses.dataclass(frozen=True)(cls)
        if name:
            cls.name = name
            cls.members[name] = cls

    def __post_init__(self) -> None:
        check_parameters(self)

    def _unfinished(self, member: str) -> NotImplementedError:
        """Return the error of a member that its class does not define."""
        family = next(cls for cls in type(self).__mro__ if Declared in cls.__bases__)
        name, package = type(self).__name__, family.__module__.partition(".")[0]
        return NotImplementedError(f"class {name} must define {member}, as {package}.{family.__name__} describes it")

    @classmethod
    def make(cls, name: Any, /, **given: Any) -> Self:
        """Return the member of a name with these parameters.

        Raises
        ------
        ValueError
            An unknown name or parameter, or a value out of its range.
        """
        made: Self = make(cls.members, name, given)
        return made


def make(members: Mapping[str, type[Any]], name: Any, given: Mapping[str, Any]) -> Any:
    """Return an object of the class that a registry has under a name.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    cls = members.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ValueError(must_be_one_of("name", name, sorted(members)))
    known = [field.name for field in dataclasses.fields(cls) if field.init]
    for key in given:
        if key not in known:
            takes = ", ".join(known) or "none"
            raise ValueError(f"{key} is no parameter of {name}; it takes {takes}{did_you_mean(key, known)}")
    return cls(**given)
