"""The words of a command line: options anywhere on it, and overrides. Words that Hydra answers badly never reach it.

Three of Hydra's settings remain, the folders and the search path; the others, such as launchers or the name of the
configuration, would change the meaning of a run.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import math
import os
import platform
import re
from collections.abc import Sequence
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ChoiceSweep, Override, Quote, QuotedString, ValueType

from experiments.engine.configuration import default_experiment, groups
from experiments.engine.errors import unreadable
from experiments.engine.executors import Executor
from experiments.engine.experiment import experiments, keys_of, takes_list, unknown
from numerics.parameters import did_you_mean, must_be_one_of
from numerics.texts import read, split
from treebandit import __version__

_HELP = "see python -m experiments.run --help"
_SHORT = {"-m": "--multirun", "-h": "--help", "-c": "--cfg", "-i": "--info", "-cd": "--config-dir"}
_FLAGS = ("--multirun", "--help", "--version", "--resolve")
_VALUED = {
    "--cfg": ("job", "hydra", "all"),
    "--info": ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath"),
    "--config-dir": (),
}
_HYDRA = ("hydra.run.dir", "hydra.sweep.dir", "hydra.searchpath")
_MOST_DIGITS = 300  # more are no float
_GROUPS = re.compile(r"[1-9]\d{0,2}(,\d{3})+")  # of digits, as tables write 10,000
_MOST_RUNS = 10_000  # of a sweep


def accepted(words: Sequence[str]) -> list[str]:
    """Return the words of a command line as Hydra takes them, options first; refuse words that Hydra answers badly.

    Raises
    ------
    ValueError
        Unknown options, and overrides that Hydra would answer with a paragraph or a traceback.
    SystemExit
        After ``--version``, which is printed here.
    """
    options, overrides, rest = dict[str, str | None](), list[str](), list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        name = _SHORT.get(name, name)
        if not word.startswith("-"):
            overrides.extend(_spread(word))
        elif name in _FLAGS and not equals:
            options[name] = None
        elif name in _VALUED:
            options[name] = value if equals else _value_of(name, rest)
        else:
            known = [*_FLAGS, *_VALUED, *_SHORT]
            raise ValueError(f"{word} is no option{did_you_mean(name, known)}; {_HELP}")
    if "--version" in options:
        print(_version())
        raise SystemExit(0)
    check_overrides(overrides, sweep="--multirun" in options)
    _check_folder(overrides, "hydra.sweep.dir" if "--multirun" in options else "hydra.run.dir")
    return [*(word for pair in options.items() for word in pair if word is not None), *overrides]


def _spread(word: str) -> list[str]:
    """Expand a member of a group, player2={name: uct, c: 0.5} or player2="uct c=0.5", into overrides.

    Any other word is returned unchanged.

    Examples
    --------
    >>> _spread("player2=uct c=0.5 policy={name: puct}")
    ['player2=uct', 'player2.c=0.5', "player2.policy={name:'puct'}"]
    >>> _spread("player2={name: program, command: 'python mine.py'}")
    ['player2=program', "player2.command='python mine.py'"]
    """
    key, _, value = word.partition("=")
    if key not in groups():
        return [word]
    text = value[1:-1] if value[:1] == value[-1:] and value[:1] in ("'", '"') else value
    has_parameters = len(words := split(text)) > 1 and all("=" in parameter for parameter in words[1:])
    if not (has_parameters or value.startswith("{")):
        return [word]
    if has_parameters:
        node: Any = read(text, key)
    else:
        (override,) = OverridesParser.create().parse_overrides([word])
        node = None if override.is_sweep_override() else override.value()
    if not isinstance(node, dict) or not isinstance(node.get("name"), str):
        return [word]
    return [
        f"{key}={node['name']}",
        *(f"{key}.{parameter}={_written(node[parameter])}" for parameter in node if parameter != "name"),
    ]


def _written(value: Any) -> str:
    """Return a value as Hydra reads it."""
    if isinstance(value, str):
        return QuotedString(value, Quote.single).with_quotes()
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_written(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _value_of(name: str, rest: list[str]) -> str:
    """Take the value of an option from the words behind it."""
    allowed = _VALUED[name]
    if name == "--info" and (not rest or rest[0] not in allowed):
        return "all"
    value = rest.pop(0) if rest else ""
    if allowed and value not in allowed:
        raise ValueError(must_be_one_of(name, value, allowed))
    return value


def _version() -> str:
    """Return the version of this project and of the libraries on which the numbers depend."""
    parts = {"NumPy": "numpy", "Numba": "numba", "Hydra": "hydra-core"}
    others = ", ".join(f"{name} {importlib.metadata.version(package)}" for name, package in parts.items())
    return f"treebandit {__version__} (Python {platform.python_version()}, {others})"


def _check_folder(words: Sequence[str], key: str) -> None:
    """Refuse an executor whose processes share a folder if the command names no folder."""
    given = dict(word.partition("=")[::2] for word in words)
    name = given.get("executor", "")
    if not Executor.members.get(name, Executor).alone and key not in given:
        raise ValueError(f"{key} must be given, the same folder for all parts, with executor={name}")


def check_overrides(words: Sequence[str], *, sweep: bool = False) -> None:
    """Refuse overrides that Hydra would answer badly; a sweep checks those of every combination again."""
    for word in words:
        key, _, value = word.partition("=")
        if digits := re.search(rf"\d{{{_MOST_DIGITS + 1},}}", value):
            count = len(digits[0])
            raise ValueError(
                f"{key} must be a number of at most {_MOST_DIGITS} digits; got {count}, {digits[0][:20]}..."
            )
    parsed = OverridesParser.create().parse_overrides(list(words))
    chosen = [override for override in parsed if override.key_or_group == "experiment"]
    swept = any(override.is_sweep_override() for override in chosen)
    cls = None if swept else experiments().get(str(chosen[-1].value()) if chosen else default_experiment())
    for override in parsed:
        if cls is not None and takes_list(cls, str(override.key_or_group)):
            _check_list(override)
        _check(override, None if cls is None else keys_of(cls), sweep=sweep)
    if sweep:
        _check_count(parsed)


def _check_list(override: Override) -> None:
    """Refuse values in a row, which Hydra takes for those of a sweep, where a list is meant."""
    value = override.value()
    if isinstance(value, ChoiceSweep) and not any(isinstance(item, list) for item in value.list):
        key, text = override.key_or_group, str(override.input_line).partition("=")[2]
        raise ValueError(f"{key} must be a list in brackets, such as '{key}=[{text}]'; got {text}")


def _check(override: Override, known: Sequence[str] | None, *, sweep: bool) -> None:
    """Refuse an override that Hydra would answer with a paragraph or take to mean something else.

    `known` are the keys of the experiment, where it is known.
    """
    key, word = override.key_or_group, str(override.input_line)
    top, text, is_setting = key.partition(".")[0], word.partition("=")[2], key.startswith("hydra")
    if not key:
        raise ValueError(unreadable(word))
    if is_setting and key not in _HYDRA:
        parallel = f"executor=NAME says what works in parallel: {', '.join(groups()['executor'])}"
        raise ValueError(f"{key} is no key here; of Hydra's settings there are {', '.join(_HYDRA)}; {parallel}")
    if key.startswith("experiment."):
        raise ValueError(f"{key} is no key here; an experiment is chosen by experiment=NAME")
    if not is_setting and known is not None and top not in (*known, "experiment"):
        raise ValueError(unknown(top, known))
    if (group := key.removesuffix(".name")) != key and text in groups().get(group, ()):
        raise ValueError(f"{group} must be chosen by {group}={text}, which sets its parameters too; got {word!r}")
    if override.is_delete() or override.package is not None:
        raise ValueError(f"{key} must be written {key}=VALUE, or left out for its default; got {word!r}")
    if override.is_sweep_override():
        if not sweep:
            whole = f", or, for a single number, {key}={text.replace(',', '')}" if _GROUPS.fullmatch(text) else ""
            raise ValueError(f"{key} has several values, {text}: that is a sweep, which needs -m{whole}")
        if override.is_interval_sweep() or (override.value_type == ValueType.GLOB_CHOICE_SWEEP and key not in groups()):
            raise ValueError(f"{key} must have values that can be counted, as {key}=1,2,3 or range(1,4); got {text}")
        return
    value, names = override.value(), groups().get(key)
    if is_setting and key != "hydra.searchpath" and (isinstance(value, bool | list | dict | None) or value == ""):
        raise ValueError(f"{key} must be a folder; got {text!r}")
    if names and not (isinstance(value, str) and re.fullmatch(r"[\w-]+", value)):
        if isinstance(value, list):
            raise ValueError(f"{key} must be a single name (several: -m {key}=a,b runs each); got {text!r}")
        raise ValueError(must_be_one_of(key, text, names) + _yours(key, value))


def _yours(key: str, value: Any) -> str:
    """Return how a thing of the user's is given, if a value of a group looks like one; else an empty text."""
    if key == "bandit" and isinstance(value, str) and "." in value:
        return f"; a rule of yours is bandit=custom bandit.rule={value}"
    if key == "stopping" and isinstance(value, str) and "." in value:
        return f"; a rule of yours is stopping=custom stopping.rule={value}"
    if "program" in groups()[key] and isinstance(value, str) and {"/", os.sep} & {*value}:
        return f"; a program of yours is {key}=program '{key}.command={value}'"
    return ""


def _check_count(parsed: Sequence[Override]) -> None:
    """Refuse a sweep of too many runs before listing them."""
    swept = [
        override
        for override in parsed
        if override.is_sweep_override() and override.value_type != ValueType.GLOB_CHOICE_SWEEP
    ]
    counts = [sum(1 for _ in itertools.islice(override.sweep_iterator(), _MOST_RUNS + 1)) for override in swept]
    if math.prod(counts) > _MOST_RUNS:
        written = " ".join(str(override.input_line) for override in swept)
        raise ValueError(f"{written} must be at most {_MOST_RUNS:,} runs; give fewer values")
