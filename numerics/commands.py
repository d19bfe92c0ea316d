"""What people type after a command: KEY=VALUE, as `python -m experiments.run` has it, and one `--help` for all.

Dashes have only what every program has, such as `--help` and `-o FILE`. A command declares each key as a field, whose
range, default and meaning are read from it.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import shutil
import sys
import textwrap
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from numerics.families import REQUIRED, default_of
from numerics.parameters import Range, allowed, check_parameters, did_you_mean, fitted, hints, parameter
from numerics.texts import read_yaml, written

started_as = ""  # what was typed, where it was not `python -m MODULE`: such as `treebandit record`
_COMMA = re.compile(r',(?=(?:[^"]*"[^"]*")*[^"]*$)(?![^\[{]*[\]}])')  # outside quotes and brackets
_WIDTH, _KEYS = 100, 24  # columns of --help, and of the keys in it


def word(default: Any = dataclasses.MISSING, *, help: str) -> Any:
    """Declare what may be typed without its key, as `record 4453`; a list takes all such words that are left.

    Parameters
    ----------
    default : optional
        Left out: the word must be given.
    help : str
        What it is, in a line.
    """
    field = parameter(default, help=help)
    return dataclasses.field(
        default=field.default, default_factory=field.default_factory, metadata={**field.metadata, "word": True}
    )


def dashed(default: Any, *names: str, help: str) -> Any:
    """Declare what every program writes with dashes, as `-o FILE` or `--step`.

    Parameters
    ----------
    default : bool or str or None
        A bool stands alone; anything else takes a value.
    *names : str
        As "-o", "--output".
    help : str
        What it is, in a line.
    """
    return dataclasses.field(default=default, metadata={"range": Range(help=help), "dashes": names})


@typing.dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter, word, dashed))
@dataclasses.dataclass(frozen=True, kw_only=True)
class Command:
    """A frozen dataclass of what a command takes; its module's docstring is what `--help` says of it.

    Examples
    --------
    >>> class Throw(Command, module="games.dice"):
    ...     sides: int = parameter(6, low=2, help="of the die")
    ...     names: list[str] = word([], help="who throws")
    >>> Throw.read(["sides=8", "Ada"])
    Throw(sides=8, names=['Ada'])
    >>> Throw.read(["--sides", "8"])
    Traceback (most recent call last):
    ValueError: --sides is written sides=8 now
    """

    module: ClassVar[str]
    replaced: ClassVar[Mapping[str, str]]  # words with dashes of former versions, and what is typed instead

    def __init_subclass__(cls, module: str, replaced: Mapping[str, str] | None = None) -> None:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        cls.module, cls.replaced = module, replaced or {}

    def __post_init__(self) -> None:
        check_parameters(self)

    @classmethod
    def read(cls, words: Sequence[str] | None = None) -> Self:
        """Return what is typed, those of the process unless words are given.

        Raises
        ------
        ValueError
            One sentence about the first word that is wrong.
        SystemExit
            After ``--help``, which is printed here.
        """
        rest, given = list(sys.argv[1:] if words is None else words), dict[str, Any]()
        fields = {field.name: field for field in dataclasses.fields(cls)}
        dashes = {name: field for field in fields.values() for name in field.metadata.get("dashes", ())}
        order = [field for field in fields.values() if "word" in field.metadata]
        while rest:
            typed = rest.pop(0)
            key, sign, value = typed.partition("=")
            if typed in ("-h", "--help"):
                print(cls.help())
                raise SystemExit(0)
            if key in dashes:
                field = dashes[key]
                if isinstance(field.default, bool):
                    given[field.name] = True
                elif sign or rest:
                    given[field.name] = value if sign else rest.pop(0)
                else:
                    raise ValueError(f"{key} must have a value behind it, as {key} {field.name.upper()}")
            elif re.match("--?[a-zA-Z]", typed):
                raise ValueError(cls._with_dashes(key, value if sign else (rest or [""])[0]))
            elif sign and key.isidentifier() and key not in fields:
                raise ValueError(f"{key} is no key here{did_you_mean(key, fields)}; {cls._takes()}")
            elif sign and key in fields and "dashes" not in fields[key].metadata:
                _add(cls, given, fields[key], value)
            else:
                order = [field for field in order if field.name not in given or _is_list(cls, field)]
                if not order:
                    raise ValueError(f"{typed!r} is a word too many; {cls._takes()}")
                _add(cls, given, order[0], typed, whole=True)
        for field in fields.values():
            if field.name not in given and default_of(field) == REQUIRED:
                raise ValueError(f"{field.name} must be given: {field.metadata['range'].help}; {cls._takes()}")
        return cls(**given)

    @classmethod
    def key_names(cls) -> list[str]:
        """Return what may stand before a sign =, in the order of the declaration."""
        return [field.name for field in dataclasses.fields(cls) if "dashes" not in field.metadata]

    @classmethod
    def program(cls) -> str:
        """Return what starts the command, as it was typed: `treebandit record` or `python -m experiments.record`."""
        return started_as or f"python -m {cls.module}"

    @classmethod
    def help(cls) -> str:
        """Return what ``--help`` prints."""
        text = (inspect.getdoc(sys.modules[cls.__module__]) or "").replace(f"python -m {cls.module}", cls.program())
        width = min(_WIDTH, shutil.get_terminal_size().columns)
        lines = [f"usage: {cls._usage()}", "", text, ""]
        for field in dataclasses.fields(cls):
            default, names = default_of(field), field.metadata.get("dashes", ())
            what = field.metadata["range"].help
            if names:
                head = ", ".join(names) if isinstance(default, bool) else f"{', '.join(names)} {field.name.upper()}"
            elif default == REQUIRED:
                head = field.name.upper()
            else:
                head, what = f"{field.name}={shown(default)}", what + _range(cls, field)
            lines += _row(head, what, width)
        return "\n".join([*lines, *_row("-h, --help", "this text", width)])

    @classmethod
    def _usage(cls) -> str:
        parts, has_keys = [cls.program()], False
        for field in dataclasses.fields(cls):
            if "word" in field.metadata:
                name = f"{field.name.upper()}{' ...' if _is_list(cls, field) else ''}"
                parts.append(name if default_of(field) == REQUIRED else f"[{name}]")
            has_keys |= not {"word", "dashes"} & set(field.metadata)
        parts += ["[KEY=VALUE ...]"] if has_keys else []
        for field in dataclasses.fields(cls):
            if names := field.metadata.get("dashes"):
                value = "" if isinstance(field.default, bool) else f" {field.name.upper()}"
                parts.append(f"[{names[0]}{value}]")
        return " ".join(parts)

    @classmethod
    def _takes(cls) -> str:
        """Return the end of a sentence: what the command takes."""
        names = [field.metadata.get("dashes", [field.name])[-1] for field in dataclasses.fields(cls)]
        return f"{cls.program()} takes {', '.join(names) or 'nothing'} (--help says more)"

    @classmethod
    def _with_dashes(cls, key: str, value: str) -> str:
        """Return the sentence about a word with dashes that the command has not."""
        name = key.lstrip("-").replace("-", "_")
        if key in cls.replaced:
            return f"{key} is written {cls.replaced[key]} now"
        if name not in cls.key_names():
            known = [f"--{key_name}" for key_name in cls.key_names()]
            return f"{key} is no option{did_you_mean(key, known)}; {cls._takes()}"
        field = cls.__dataclass_fields__[name]
        if isinstance(field.default, bool):
            value = "true"
        shown = f'"{value}"' if " " in value else value or "VALUE"
        return f"{key} is written {shown if 'word' in field.metadata else f'{name}={shown}'} now"


def _add(cls: Any, given: dict[str, Any], field: dataclasses.Field[Any], text: str, *, whole: bool = False) -> None:
    """Keep what is typed for a field; a list grows, by one item where the text is a whole word."""
    value: Any = [text] if whole and _is_list(cls, field) else read_value(hints(cls)[field.name], text, field.name)
    given[field.name] = [*given.get(field.name, []), *value] if isinstance(value, list) else value


def read_value(hint: Any, text: str, argument: str) -> Any:
    """Return what a text means to a parameter of a type; a text that it cannot be stays one, for the check to refuse.

    Examples
    --------
    >>> read_value(int, "1e4", "horizon"), read_value(list[float], "0.3,0.5", "arms"), read_value(str, "1e4", "moves")
    (10000, [0.3, 0.5], '1e4')
    """
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if text == "null" and types.NoneType in kinds:
        return None
    for kind in kinds:
        if typing.get_origin(kind) is list:
            (of,) = typing.get_args(kind)
            return [read_value(of, item, argument) for item in _items(text)]
    return fitted(hint, read_yaml(text, argument)) if text and {bool, int, float} & set(kinds) else text


def _items(text: str) -> list[str]:
    """Return the items of a list, [a,b] or a,b; one with a comma of its own stands in double quotes."""
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    items = [item.strip() for item in _COMMA.split(inner)] if inner or inner is text else []
    return [item[1:-1] if item[:1] == item[-1:] == '"' else item for item in items]


def shown(value: Any) -> str:
    """Return a default as a command line has it."""
    return f"{value:.6g}" if isinstance(value, float) else value if isinstance(value, str) else written(value)


def _range(cls: type, field: dataclasses.Field[Any]) -> str:
    """Return what a number may be, and which texts, behind the help of a key."""
    limits = allowed(cls, field)
    return f"; {limits}" if "number" in limits or limits.startswith("one of") else ""


def _is_list(cls: Any, field: dataclasses.Field[Any]) -> bool:
    return typing.get_origin(hints(cls)[field.name]) is list


def _row(head: str, what: str, width: int) -> list[str]:
    """Return the lines of `--help` about a key."""
    indent = (_KEYS + 2) * " "
    if len(head) >= _KEYS:
        return [f"  {head}", textwrap.fill(what, width, initial_indent=indent, subsequent_indent=indent)]
    return [textwrap.fill(what, width, initial_indent=f"  {head:{_KEYS}}", subsequent_indent=indent)]
