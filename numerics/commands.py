"""What people type after a command: KEY=VALUE, as `python -m experiments.run` has it, and one `--help` for all.

Dashes have only what every program has, such as `--help` and `-o FILE`. A command declares each key as a field, whose
range, default and meaning are read from it. A parameter of what a key chooses may be typed as `game.size=5`.
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
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from numerics.families import REQUIRED, default_of
from numerics.parameters import Range, check_parameters, convert_value, describe_allowed, did_you_mean, hints, parameter
from numerics.texts import read_yaml, split, write_value

started_as = ""  # what was typed, where it was not `python -m MODULE`: such as `treebandit record`
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


def dashed_option(default: Any, *names: str, help: str) -> Any:
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


@typing.dataclass_transform(
    frozen_default=True, kw_only_default=True, field_specifiers=(parameter, word, dashed_option)
)
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
    ValueError: --sides is not a known option (write sides=VALUE); python -m games.dice takes sides, names (see --help)
    """

    module: ClassVar[str]

    def __init_subclass__(cls, module: str) -> None:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        cls.module = module

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
        while rest:
            typed = rest.pop(0)
            if typed in ("-h", "--help"):
                print(cls.help())
                raise SystemExit(0)
            if re.match("--?[a-zA-Z]", typed):
                cls._read_dashed(typed, rest, given)
            else:
                cls._read_word(typed, given)
        for field in dataclasses.fields(cls):
            if field.name not in given and default_of(field) == REQUIRED:
                raise ValueError(f"{field.name} must be given: {field.metadata['range'].help}; {cls._takes()}")
        return cls(**given)

    @classmethod
    def _read_dashed(cls, typed: str, rest: list[str], given: dict[str, Any]) -> None:
        """Keep a word with dashes, whose value may be the next one."""
        key, sign, value = typed.partition("=")
        field = next((one for one in dataclasses.fields(cls) if key in one.metadata.get("dashes", ())), None)
        if field is None:
            keys, name = cls.key_names(), key.lstrip("-").replace("-", "_")
            meant = f" (write {name}=VALUE)" if name in keys else did_you_mean(name, keys)
            raise ValueError(f"{key} is not a known option{meant}; {cls._takes()}")
        if isinstance(field.default, bool):
            given[field.name] = True
        elif sign or rest:
            given[field.name] = value if sign else rest.pop(0)
        else:
            raise ValueError(f"{key} must have a value behind it, as {key} {field.name.upper()}")

    @classmethod
    def _read_word(cls, typed: str, given: dict[str, Any]) -> None:
        """Keep KEY=VALUE, or a word without a key; a list grows, by one item where the text is a whole word."""
        key, sign, text = typed.partition("=")
        fields = {name: cls.__dataclass_fields__[name] for name in cls.key_names()}
        head, dot, parameter_name = key.partition(".")
        if sign and dot and head in fields and parameter_name.isidentifier():  # a group's, as experiments.run takes it
            before = given.get(head, default_of(fields[head]))
            given[head] = f"{before} {parameter_name}={_quoted(text)}"
            return
        has_key = bool(sign) and key.isidentifier()
        if has_key and key not in fields:
            raise ValueError(f"{key} is not a known key{did_you_mean(key, fields)}; {cls._takes()}")
        free = (
            field
            for field in fields.values()
            if "word" in field.metadata and (field.name not in given or _is_list(cls, field))
        )
        field = fields[key] if has_key else next(free, None)
        if field is None:
            raise ValueError(f"unexpected argument {typed!r}; {cls._takes()}")
        if not has_key and _is_list(cls, field):
            value: Any = [typed]
        else:
            value = _typed_value(cls, field, text if has_key else typed)
        given[field.name] = [*given.get(field.name, []), *value] if isinstance(value, list) else value

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
                head, limits = f"{field.name}={show_default(default)}", describe_allowed(cls, field)
                what += f"; {limits}" if "number" in limits or limits.startswith("one of") else ""
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
        return f"{cls.program()} takes {', '.join(names) or 'nothing'} (see --help)"


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
            inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
            items = [item.strip() for item in split(inner, comma=True)] if inner or inner is text else []
            items = [item[1:-1] if item[:1] == item[-1:] == '"' else item for item in items]  # one with a comma
            return [read_value(of, item, argument) for item in items]
    return convert_value(hint, read_yaml(text, argument)) if text and {bool, int, float} & set(kinds) else text


def show_default(value: Any) -> str:
    """Return a default as a command line has it."""
    return f"{value:.6g}" if isinstance(value, float) else value if isinstance(value, str) else write_value(value)


def _quoted(text: str) -> str:
    """Return a value as the words of a text have it: in quotes where it is cut by blanks."""
    return text if len(split(text)) == 1 else write_value(text)


def _typed_value(cls: Any, field: dataclasses.Field[Any], text: str) -> Any:
    return read_value(hints(cls)[field.name], text, field.name)


def _is_list(cls: Any, field: dataclasses.Field[Any]) -> bool:
    return typing.get_origin(hints(cls)[field.name]) is list


def _row(head: str, what: str, width: int) -> list[str]:
    """Return the lines of `--help` about a key."""
    indent = (_KEYS + 2) * " "
    if len(head) >= _KEYS:
        return [f"  {head}", textwrap.fill(what, width, initial_indent=indent, subsequent_indent=indent)]
    return [textwrap.fill(what, width, initial_indent=f"  {head:{_KEYS}}", subsequent_indent=indent)]
