"""One sentence for each error that a command of the experiments can meet; `numerics.exits` prints it and ends.

Errors of Hydra and OmegaConf become sentences from their attributes.
"""

from __future__ import annotations

import functools
import os
import re
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor

from experiments.engine.experiment import experiments, keys_of, unknown
from numerics import exits
from numerics.exits import INTERRUPTED, TERMINATED, SaidAlready, leave, locate, one_line, say
from numerics.parameters import did_you_mean, must_be_one_of
from numerics.texts import split

__all__ = ["INTERRUPTED", "TERMINATED", "SaidAlready", "guarded", "leave", "locate", "say", "sentence", "unreadable"]

_CLOSING = {")": "(", "]": "[", "}": "{"}
_QUOTES = ("'", '"')
_PAIRED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\.|["'\[\](){}]""")


def sentence(error: BaseException) -> str | None:
    """Return one sentence for a mistake of the user or a failure of the machine, None for a bug of this project."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if isinstance(error, (HydraException, OmegaConfBaseException)):
        return _of_configuration(error)
    if isinstance(error, BrokenExecutor):
        return (
            "executor: a worker process has died, killed from outside, for lack of memory, or by code of yours that "
            "crashes; "
            "start again with the same hydra.run.dir, and with fewer executor.workers"
        )
    if isinstance(error, ValueError) and (key := _of_a_list(error)):
        whole = key.rpartition(".")[0]
        return f"{key} is no key here; {whole} is a list, given whole, as {whole}=[...]"
    return exits.explained(error)


def _of_a_list(error: ValueError) -> str:
    """Return the key whose last part OmegaConf has taken for a place in a list; an empty text for another error."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    is_key = bool(frames) and frames[-1].f_globals.get("__name__") == "omegaconf.omegaconf"
    return str(frames[-1].f_locals.get("key", "")) if is_key else ""


guarded: Callable[[Callable[[], None]], int] = functools.partial(exits.guarded, explain=sentence)


def _of_configuration(error: BaseException) -> str:
    """Return the sentence for an error of Hydra or OmegaConf from its override, the group's names, or the key."""
    from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException

    if override := getattr(error, "override", None):  # it cannot be parsed
        return unreadable(str(override))
    if missing := getattr(error, "missing_cfg_file", None):  # a name that a group does not have
        group, _, name = str(missing).rpartition("/")
        return must_be_one_of(group or "config", name, sorted(getattr(error, "options", None) or ()))
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OmegaConfBaseException):
        cause = cause.__cause__
    key = getattr(cause, "full_key", None)
    if isinstance(cause, InterpolationResolutionError) and key:
        return f"{key} cannot be resolved ({one_line(str(cause).splitlines()[0])}); give {key}=VALUE"
    if getattr(cause, "object_type", None) is list:
        return f"{key} must be a list, such as [a,b]; got a mapping"
    if key and isinstance(above := getattr(cause, "parent_node", None), Mapping):
        if not above:  # the node of a key that holds a value
            whole = str(key).rpartition(".")[0]
            return f"{key} is no key here; give {whole} whole, as {whole}=VALUE or '{whole}={{name: NAME, ...}}'"
        if "rule" in above and "params" not in above:  # a policy of the user's
            group = str(key).rpartition(".")[0]
            return f"{key} is no key here; a parameter of your rule is given by its name, as +{group}.c=0.5"
        return unknown(str(key), [str(part) for part in above if part not in ("hydra", "kind")])
    return one_line(error)


def unreadable(override: str) -> str:
    """Return how to write an override that Hydra's grammar refuses, and which part of it is wrong.

    Examples
    --------
    >>> unreadable("bandits=[ucb,{name: moss, label: a=b},thompson]").partition(": an")[0]
    "cannot read 'bandits=[ucb,{name: moss, label: a=b},thompson]' at 'label: a=b'"
    >>> unreadable("arms.means=[0.1,0.2").partition(": an")[0]
    "cannot read 'arms.means=[0.1,0.2', where the [ before '0.1,0.2' is not closed"
    >>> unreadable("arms.means=[0.1,").partition(": ")[2]
    "a shell cuts at blanks, so all of it must stand in quotes, as 'arms.means=[0.1, ...'"
    """
    key, equals, value = override.partition("=")
    is_key = equals and re.fullmatch(r"(~|\+\+?)?[\w./@-]+", key)
    plain = is_key and re.match(r"[\[{]|.*['\"]", value) is None
    if plain and value.startswith("~"):
        return f"{key} must be written without ~, such as {key}={os.path.expanduser(value)}; got {value!r}"
    if equals and key.isidentifier() and not key.isascii():
        keys = sorted({name for cls in experiments().values() for name in keys_of(cls)})
        return f"{key} is no key here{did_you_mean(key, keys)}; keys are written with a to z, digits and _"
    if plain and re.fullmatch(r"[a-z.]*\(.*\)|[\d\s.*/+()^-]+", value):
        return f"{key} must be a number in digits, such as 1.5, or a text as '{key}=\"'{value}'\"'; got {value!r}"
    if plain and value.strip():
        return f"{key} must stand in quotes within quotes, as '{key}=\"{value}\"'; got {value!r}"
    quoted = "KEY='\"a b\"'"
    how = f"an override is KEY=VALUE, lists are [a,b], other signs need quotes: {quoted}"
    unpaired = _unpaired(value)
    part = None if unpaired or not is_key else _unreadable_part(value)
    where = unpaired if part is None else f" at {part!r}"
    if unpaired and value[-1] in ",:":
        how = f"a shell cuts at blanks, so all of it must stand in quotes, as '{override} ...'"
    elif part is not None and "{" in value and re.fullmatch(r"\w+=[^=]*", part):
        how = f"between braces it is NAME: VALUE, as {part.replace('=', ': ')}"
    return f"cannot read {override!r}{where}: {how}"


def _unpaired(value: str) -> str:
    """Return which bracket or quote of a value has no partner; an empty text if all have."""
    opened = list[int]()
    for match in _PAIRED.finditer(value):
        sign, before, behind = match[0], value[: match.start()], value[match.end() :]
        if sign in _QUOTES:
            return f", where the {sign} before {behind!r} is not closed"
        if sign in _CLOSING.values():
            opened.append(match.start())
        elif sign in _CLOSING and (not opened or value[opened.pop()] != _CLOSING[sign]):
            return f", where the {sign} behind {before!r} closes nothing"
    if not opened:
        return ""
    first = opened[0]
    return f", where the {value[first]} before {value[first + 1 :]!r} is not closed"


def _unreadable_part(value: str) -> str | None:
    """Return the smallest element of a list or entry of a mapping that Hydra cannot read; None if it is the whole."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    if value[:1] not in ("[", "{"):
        return None
    for part in map(str.strip, split(value[1:-1], comma=True)):
        try:
            OverridesParser.create().parse_overrides([f"key={{{part}}}" if value[0] == "{" else f"key={part}"])
        except HydraException:
            inner = part.partition(":")[2].strip() if value[0] == "{" else part
            return _unreadable_part(inner) or part
    return None
