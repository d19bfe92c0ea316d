"""One grammar for everything chosen by name: policies, arms, players, executors.

These forms mean the same everywhere, and mistakes get the same message:

    text       ucb   |   ucb c=0.5   |   uct policy={name: ucb, c: 0.7} simulations=1000
    mapping    {"name": "ucb", "c": 0.5}
    object     UCB(c=0.5)
    adopted    what the family takes besides, such as a list of means for Bernoulli arms

What `Family.text` prints, `Family.of` reads.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, ClassVar, Generic, Self, TypeVar

from numerics.checks import prefix_errors, show
from numerics.parameters import (
    check_parameter,
    check_parameters,
    convert_value,
    did_you_mean,
    hints,
    must_be_one_of,
    parameters,
)
from numerics.texts import read, write_value

T = TypeVar("T")

REQUIRED = "???"  # what a configuration holds where a value must be given

# ---------------------------------------------------------------- members


class Members(MutableMapping[str, type[Any]]):
    """The classes of a family by their names; a class is imported when it is asked for.

    A class registers when it is defined. `modules` says where the others stand, so that all names are known.

    Examples
    --------
    >>> members = Members()
    >>> members.modules["fraction"] = "fractions"
    >>> "fraction" in members, sorted(members)
    (True, ['fraction'])
    """

    def __init__(self) -> None:
        self.modules: dict[str, str] = {}
        self._classes: dict[str, type[Any]] = {}

    def __getitem__(self, name: str) -> type[Any]:
        if name not in self._classes and name in self.modules:
            importlib.import_module(self.modules[name])
        return self._classes[name]

    def __setitem__(self, name: str, cls: type[Any]) -> None:
        self._classes[name] = cls

    def __delitem__(self, name: str) -> None:
        del self._classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self.modules, *self._classes}))

    def __len__(self) -> int:
        return len({*self.modules, *self._classes})

    def __contains__(self, name: object) -> bool:
        return name in self.modules or name in self._classes


@typing.dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class Declared:
    """A dataclass of parameters; a family's base is a direct subclass, its members register in it by their `name`.

    The base gives options of its dataclasses as keywords, frozen ones unless it does. A member may give other defaults
    for parameters of the class above it as keywords. One that takes further parameters than its fields, and checks them
    itself, has a property `more`, a mapping of them.

    Examples
    --------
    >>> from numerics.parameters import parameter
    >>> class Shape(Declared): ...
    >>> class Circle(Shape, name="circle"):
    ...     radius: float = parameter(1.0, low=0.0, help="in metres")
    >>> class Wheel(Circle, name="wheel", radius=0.3): ...
    >>> Shape.make("circle", radius=2), Wheel()
    (Circle(radius=2.0), Wheel(radius=0.3))
    >>> Circle(radius=-1)
    Traceback (most recent call last):
    ValueError: radius must be a finite number of at least 0; got -1
    >>> Shape.make("circle", radios=1)
    Traceback (most recent call last):
    ValueError: radios is not a parameter of circle (did you mean radius?); it takes radius
    """

    name: ClassVar[str] = ""
    members: ClassVar[Members]
    family: ClassVar[Family[Any]]
    _options: ClassVar[dict[str, bool]] = {"frozen": True}

    def __init_subclass__(cls, name: str = "", **keywords: Any) -> None:
        if Declared in cls.__bases__:
            cls.members = Members()
            cls._options = keywords or cls._options
        elif keywords:
            types = typing.get_type_hints(cls)
            cls.__annotations__ = {**inspect.get_annotations(cls), **{field: types[field] for field in keywords}}
            for field, value in keywords.items():
                metadata = cls.__dataclass_fields__[field].metadata  # type: ignore[attr-defined]
                setattr(cls, field, dataclasses.field(default=value, metadata=metadata))
        dataclasses.dataclass(**cls._options)(cls)
        if name:
            cls.name = name
            cls.members[name] = cls

    def __post_init__(self) -> None:
        check_parameters(self)

    def __str__(self) -> str:
        return self.family.text(self)

    def _unfinished(self, member: str) -> NotImplementedError:
        """Return the error of a member that its class does not define."""
        base = next(cls for cls in type(self).__mro__ if Declared in cls.__bases__)
        name, package = type(self).__name__, base.__module__.partition(".")[0]
        return NotImplementedError(f"class {name} must define {member}, as {package}.{base.__name__} describes it")

    @classmethod
    def make(cls, name: Any, /, **given: Any) -> Self:
        """Return the member of a name with these parameters.

        Raises
        ------
        ValueError
            An unknown name or parameter, one that is missing, or a value out of its range.
        """
        if not isinstance(name, str) or name not in cls.members:
            raise ValueError(must_be_one_of("name", name, sorted(cls.members)))
        member = cls.members[name]
        _check_keys(member, given)
        made: Self = member(**given)
        return made


def _check_keys(member: Any, given: Mapping[str, Any]) -> None:
    """Refuse parameters that a class does not have, and the lack of one that has no default."""
    fields = {field.name: field for field in dataclasses.fields(member) if field.init}
    for key in () if hasattr(member, "more") else given:
        if key not in fields:
            near, takes = did_you_mean(key, fields), ", ".join(fields) or "none"
            raise ValueError(f"{key} is not a parameter of {member.name}{near}; it takes {takes}")
    for name, field in fields.items():
        value = given.get(name, default_of(field))
        if isinstance(value, str) and value == REQUIRED:
            raise ValueError(f"{name} must be given for {member.name}; it has no default")


def default_of(field: dataclasses.Field[Any]) -> Any:
    """Return the default of a parameter; REQUIRED where it has none."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return REQUIRED if field.default is dataclasses.MISSING else field.default


# ---------------------------------------------------------------- families


@dataclasses.dataclass(frozen=True)
class Family(Generic[T]):
    """A family of classes chosen by name, such as all policies.

    Attributes
    ----------
    noun : str
        What a member is called, such as "policy"; an argument is called so where nobody names it.
    base : type
        The `Declared` class in which the members register.
    example : str
        The text of a member, for sentences.
    adopt : callable, optional
        `adopt(value, argument)` returns the member that another value means, such as a list of means, or None.
    hidden : tuple of str
        Parameters that stand in no text and no node, such as the seed of a player.
    defaults : mapping
        By member, the parameters that have another default here than in the class.
    called : callable, optional
        `called(member)` returns the label of a member without one, for people who do not write it themselves; by
        default its text.
    hint : callable, optional
        `hint(name)` returns what the sentence about an unknown name ends with, or an empty text.
    dotted : tuple of str, optional
        The member that a name with a dot means, and its parameter that is the name: ``my_rules.careful c=0.5``.

    Examples
    --------
    >>> from numerics.parameters import parameter
    >>> class Shape(Declared): ...
    >>> SHAPES = Family("shape", Shape, "circle radius=2")
    >>> class Circle(Shape, name="circle"):
    ...     radius: float = parameter(1.0, low=0.0)
    >>> SHAPES.of("circle"), SHAPES.of({"name": "circle", "radius": 2}), SHAPES.usual(circle={"radius": 3}).of("circle")
    (Circle(radius=1.0), Circle(radius=2.0), Circle(radius=3.0))
    >>> list(SHAPES.many(["circle", Circle(0.5), {"name": "circle", "radius": 7, "label": "seven"}]))
    ['circle', 'circle radius=0.5', 'seven']
    >>> SHAPES.of("circle radius=-1", "shapes[0]")
    Traceback (most recent call last):
    ValueError: shapes[0].radius must be a finite number of at least 0; got -1
    """

    noun: str
    base: type[T]
    example: str
    adopt: Callable[[Any, str], T | None] | None = None
    hidden: tuple[str, ...] = ()
    defaults: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    called: Callable[[T], str] | None = None
    hint: Callable[[str], str] | None = None
    dotted: tuple[str, str] | None = None
    members: Mapping[str, Any] = dataclasses.field(init=False, repr=False, compare=False)  # the classes by their names

    def __post_init__(self) -> None:
        base: Any = self.base
        object.__setattr__(self, "members", base.members)
        if "family" not in vars(base):
            base.family = self

    def usual(self, **defaults: Mapping[str, Any]) -> Family[T]:
        """Return the same family where other defaults are usual, such as ``ucb={"c": 1.0}``."""
        return dataclasses.replace(self, defaults={**self.defaults, **defaults})

    def of(self, value: Any, argument: str | None = None) -> T:
        """Return the member for a text, a mapping, an object or another value.

        Parameters
        ----------
        value
            See the top of the module.
        argument : str, optional
            What a sentence about a mistake begins with; the noun unless given.

        Raises
        ------
        ValueError
            No member, an unknown parameter, or a value out of its range.
        """
        argument = argument or self.noun
        if isinstance(value, self.base):
            return value
        node = self.mapping(value, argument)
        if node is not None:
            given = {key: node[key] for key in node if key not in ("name", "label")}
            with prefix_errors(argument):
                return typing.cast(T, self.members[node["name"]](**{**self.defaults.get(node["name"], {}), **given}))
        adopted = self.adopt(value, argument) if self.adopt else None
        if adopted is None:
            article = "" if self.noun.endswith("s") else "an " if self.noun[0] in "aeiou" else "a "
            node = read(self.example, argument)
            example = f"'{self.example}', {write_value(node)}"
            if node["name"] in self.members:  # a dotted name has no class here
                example += f" or {self.members[node['name']].__name__}(...)"
            raise ValueError(f"{argument} must be {article}{self.noun}, such as {example}; got {show(value)}")
        return adopted

    def mapping(self, value: Any, argument: str) -> dict[str, Any] | None:
        """Return what a text or a mapping gives: name, perhaps label, and parameters as their types have them.

        None for a value that is neither. Whether the parameters are in their ranges is left to `of`.

        Raises
        ------
        ValueError
            An unknown name or parameter, or the lack of one that has no default.
        """
        node = read(value, argument) if isinstance(value, str) else value
        if not isinstance(node, Mapping) or not isinstance(node.get("name"), str):
            return None
        if self.dotted and "." in node["name"] and all(part.isidentifier() for part in node["name"].split(".")):
            member, parameter = self.dotted
            node = {**node, "name": member, parameter: node["name"]}
        name = node["name"]
        if name not in self.members:
            hint = self.hint(name) if self.hint else ""
            raise ValueError(must_be_one_of(argument, name, sorted(self.members)) + hint)
        if not isinstance(node.get("label"), str | int | float | None):
            raise ValueError(f"{argument}.label must be a text; got {show(node['label'])}")
        types = hints(self.members[name])
        given = {
            str(key): convert_value(types.get(str(key)), node[key]) for key in node if key not in ("name", "label")
        }
        with prefix_errors(argument):
            _check_keys(self.members[name], {**self.defaults.get(name, {}), **given})
        return {key: node[key] for key in ("name", "label") if key in node} | given

    def many(self, values: Any, argument: str | None = None, least: int = 1) -> dict[str, T]:
        """Return several members by their labels, as `labelled` has them.

        Parameters
        ----------
        values : iterable or mapping
            What `of` takes, where a mapping of a member may hold a label; or all of them by their labels.
        argument : str, optional
            What a sentence about a mistake begins with; the noun unless given.
        least : int, default 1
            How many there must be.

        Raises
        ------
        ValueError
            No such values, too few, or two of the same label.
        """
        argument = argument or self.noun
        if isinstance(values, str) or not isinstance(values, Mapping | typing.Iterable):
            example = values if isinstance(values, str) else self.example
            raise ValueError(f"{argument} must be a list, such as [{example}]; got {show(values)}")
        if isinstance(values, Mapping):
            pairs = [(str(label), self.of(value, f"{argument}[{label!r}]")) for label, value in values.items()]
        else:
            pairs = [self.labelled(value, f"{argument}[{i}]") for i, value in enumerate(values)]
        if len(pairs) < least:
            counted = f"{least} {self.noun if least == 1 else argument.rpartition('.')[2]}"
            raise ValueError(f"{argument} must hold at least {counted}, such as ['{self.example}']; got {len(pairs)}")
        labels = [label for label, _ in pairs]
        for i, label in enumerate(labels):
            if label in labels[:i]:
                raise ValueError(f"{argument}[{i}].label must be unique; got {label!r} again")
        return dict(pairs)

    def labelled(self, value: Any, argument: str | None = None) -> tuple[str, T]:
        """Return a member and its label: that of a mapping that holds one, else what it is `called`, or its text."""
        value = read(value, argument or self.noun) if isinstance(value, str) else value
        member, label = self.of(value, argument), value.get("label") if isinstance(value, Mapping) else None
        if label in (None, ""):
            label = self.called(member) if self.called else self.text(member)
        return str(label), member

    def text(self, member: Any) -> str:
        """Return a member as tables print it and `of` reads it: its name and the parameters that are not usual here."""
        cls: Any = type(member)
        node, types = self._node(member, short=True), hints(cls)
        words = (f"{key}={_word(types.get(key, float), value)}" for key, value in node.items() if key != "name")
        return " ".join([node["name"], *words])

    def node(self, member: Any) -> dict[str, Any]:
        """Return a member as a configuration keeps it, with every parameter."""
        return self._node(member, short=False)

    def _node(self, member: Any, *, short: bool) -> dict[str, Any]:
        """Return a member as a mapping, which leaves out the values that are usual here if it is short."""
        cls: Any = type(member)
        node, usual = {"name": member.name or cls.__name__}, self.defaults.get(member.name, {})
        for field in parameters(cls):
            value, default = getattr(member, field.name), usual.get(field.name, default_of(field))
            family = field.metadata["range"].of
            if short and family is not None and default is not REQUIRED:
                default = check_parameter(cls, field, default)
            if field.name not in self.hidden and not (short and value == default):
                node[field.name] = _plain(value, family, short=short)
        if short and self.dotted and node["name"] == self.dotted[0]:
            node["name"] = node.pop(self.dotted[1])
        return {**node, **getattr(member, "more", {})}


def _word(kind: Any, value: Any) -> str:
    """Return the value of a parameter as a text holds it; a number that is read as a text needs no quotes.

    Examples
    --------
    >>> _word(str, "7"), _word(str, "007"), _word(str | int, "7")
    ('7', '"007"', '"7"')
    """
    is_number = isinstance(value, str) and value.isdecimal() and value == str(int(value))
    return str(value) if is_number and convert_value(kind, int(value)) == value else write_value(value)


def _plain(value: Any, family: Any, *, short: bool) -> Any:
    """Return the value of a parameter, which may be a member of a family, as text, number, list or mapping."""
    if isinstance(value, Declared):
        node = (family or value.family)._node(value, short=short)
        return node["name"] if short and len(node) == 1 else node
    if isinstance(value, tuple | list):
        return [_plain(item, None, short=short) for item in value]
    if callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return value
