"""Parameters with a range, declared once, beside the default.

The check, its sentence, the configuration node, `--help` and the catalogue are read from it.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from numerics import checks

Check = Callable[[str, Any], Any]  # of a name and a value: returns the value as it is kept, or raises ValueError


_WORDS: dict[Any, str] = {bool: "true or false", str: "a text", list: "a list"}


class Members(Protocol):
    """A family of things, such as all policies: see `numerics.families.Family`."""

    def of(self, value: Any, argument: str, /) -> Any:
        """Return the member that a value means, or raise ValueError."""


@dataclasses.dataclass(frozen=True)
class Range:
    """The allowed values of a parameter; see `parameter`."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    below: bool = False
    most: float = math.inf
    choices: tuple[str, ...] = ()
    check: Check | None = None
    of: Members | None = None
    help: str = ""


def parameter(
    default: Any = dataclasses.MISSING,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: bool = False,
    below: bool = False,
    most: float = math.inf,
    choices: Iterable[str] = (),
    check: Check | None = None,
    of: Members | None = None,
    help: str = "",
) -> Any:
    """Declare a field of a `Declared` class, or of a dataclass that calls `check_parameters`.

    The annotation says the kind: float, int, bool, str, a list, or one of them `| None`. Anything else needs a `check`,
    or is a member `of` a family.

    Parameters
    ----------
    default : optional
        Left out: the parameter must be given.
    low, high : float
        The range of a number, both ends allowed, but for the lower one with `above` and the higher one with `below`.
    most : float
        A bound of the machine's on the size, told only where it is exceeded.
    choices : iterable of str
        What a text may be.
    check : callable, optional
        `check(name, value)` returns the value to store, or raises ValueError with a sentence that begins with the name.
        It replaces the check by kind.
    of : Family, optional
        The family of which the value is a member, such as a player's policy: it may be given in every form that the
        family takes.
    help : str
        One line for the catalogue: meaning, unit.
    """
    about = {"range": Range(low, high, above, below, most, tuple(choices), check, of, help)}
    if isinstance(default, list):
        return dataclasses.field(default_factory=lambda: list(default), metadata=about)
    return dataclasses.field(default=default, metadata=about)


def parameter_as(cls: Any, name: str, *, default: Any = dataclasses.MISSING, help: str | None = None) -> Any:
    """Declare a field with the range of a parameter of another class; its default and its help too, unless given."""
    (same,) = (field for field in parameters(cls) if field.name == name)
    allowed: Range = same.metadata["range"]
    return dataclasses.field(
        default=same.default if default is dataclasses.MISSING else default,
        metadata={"range": allowed if help is None else dataclasses.replace(allowed, help=help)},
    )


@functools.cache
def parameters(cls: Any) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a dataclass that were declared with `parameter`."""
    return tuple(field for field in dataclasses.fields(cls) if "range" in field.metadata)


@functools.cache
def hints(cls: Any) -> dict[str, Any]:
    """Return the types of a class's fields by their names."""
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
    hint = hints(cls)[field.name]
    kinds = set(typing.get_args(hint)) if isinstance(hint, types.UnionType) else {hint}
    if value is None and types.NoneType in kinds:
        return None
    if allowed.check is not None:
        return allowed.check(name, value)
    if allowed.of is not None:
        return allowed.of.of(value, name)
    (kind,) = kinds - {types.NoneType}
    kind = typing.get_origin(kind) or kind
    if kind is float:
        return checks.number(
            name, value, allowed.low, allowed.high, above=allowed.above, below=allowed.below, most=allowed.most
        )
    if kind is int:
        high, most = (None if limit == math.inf else int(limit) for limit in (allowed.high, allowed.most))
        return checks.check_whole(name, value, int(allowed.low), high, most=most)
    if allowed.choices and value not in allowed.choices:
        raise ValueError(must_be_one_of(name, value, allowed.choices))
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be {_WORDS[kind]}; got {value!r}")
    return value


def convert_value(hint: Any, value: Any) -> Any:
    """Convert a value from a text or a file to its type: 10000 for 1e4, "7" for 7.

    Examples
    --------
    >>> convert_value(int | None, 1e4), convert_value(str, 7), convert_value(list[int], [1e2, 0.5])
    (10000, '7', [100, 0.5])
    """
    kinds = set(typing.get_args(hint)) if isinstance(hint, types.UnionType) else {hint}
    if isinstance(value, float) and int in kinds and float not in kinds and value.is_integer():
        return int(value)
    if isinstance(value, list) and typing.get_origin(hint) is list:
        (entry,) = typing.get_args(hint)
        return [convert_value(entry, item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and str in kinds and not kinds & {int, float}:
        return str(value)
    return value


def describe_allowed(cls: Any, field: dataclasses.Field[Any]) -> str:
    """Return the allowed values in words; empty for a parameter with its own check.

    Examples
    --------
    >>> @dataclasses.dataclass
    ... class Square:
    ...     side: float | None = parameter(None, low=0.0, above=True)
    >>> describe_allowed(Square, parameters(Square)[0])
    'a number above 0, or null'
    """
    limits: Range = field.metadata["range"]
    kinds = typing.get_args(hint) if isinstance(hint := hints(cls)[field.name], types.UnionType) else (hint,)
    span = checks.interval(limits.low, limits.high, limits.above, limits.below)
    words = _WORDS | {float: f"a number{span}", int: f"a whole number{span}"}
    kinds_allowed = [words.get(typing.get_origin(kind) or kind, "") for kind in kinds if kind is not types.NoneType]
    if limits.check is not None or limits.of is not None or "" in kinds_allowed:
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
    """Return the error message for an unknown name, with the nearest known name and a list of all.

    Examples
    --------
    >>> must_be_one_of("bandit", "usb", ["thompson", "ucb"])
    "bandit 'usb' is unknown (did you mean ucb?); it must be one of thompson, ucb"
    >>> must_be_one_of("bandit", "gittins", ["thompson", "ucb"])
    "bandit must be one of thompson, ucb; got 'gittins'"
    """
    names = list(known)
    listed, near = f"must be one of {', '.join(names)}", did_you_mean(value, names)
    got = checks.show(value)
    return f"{name} {got} is unknown{near}; it {listed}" if near else f"{name} {listed}; got {got}"


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """Return a question in brackets if a known word is similar, in any case; else an empty text.

    Examples
    --------
    >>> did_you_mean("ubc", ["uct", "ucb", "thompson"]), did_you_mean("Thompson", ["ucb", "thompson"])
    (' (did you mean ucb?)', ' (did you mean thompson?)')
    """
    words, typed = {name.lower(): name for name in known}, str(word).lower()

    def nearness(name: str) -> tuple[float, bool]:
        return difflib.SequenceMatcher(None, name, typed).ratio(), sorted(name) == sorted(typed)  # swapped letters

    near = difflib.get_close_matches(typed, words) if isinstance(word, str) else []
    return f" (did you mean {words[max(near, key=nearness)]}?)" if near else ""
