"""One sentence for each error that a command of the experiments can meet; `numerics.exits` prints it and ends.

Errors of Hydra and OmegaConf become sentences from their attributes.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor

from experiments.engine.experiment import unknown
from numerics import exits
from numerics.exits import INTERRUPTED, TERMINATED, SaidAlready, leave, locate, one_line, say
from numerics.parameters import must_be_one_of

__all__ = ["INTERRUPTED", "TERMINATED", "SaidAlready", "guarded", "leave", "locate", "say", "sentence", "unreadable"]


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
    return exits.explained(error)


guarded = functools.partial(exits.guarded, explain=sentence)


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
        return unknown(str(key), [str(part) for part in above if part not in ("hydra", "kind")])
    return one_line(error)


def unreadable(override: str) -> str:
    """Return how to write an override that Hydra's grammar refuses."""
    key, equals, value = override.partition("=")
    is_key = equals and re.fullmatch(r"(~|\+\+?)?[\w./@-]+", key)
    plain = is_key and re.match(r"[\[{]|.*['\"]", value) is None
    if plain and value.startswith("~"):
        return f"{key} must be written without ~, such as {key}={os.path.expanduser(value)}; got {value!r}"
    if plain and value.strip():
        return f"{key} must stand in quotes within quotes, as '{key}=\"{value}\"'; got {value!r}"
    quoted = "KEY='\"a b\"'"
    return f"cannot read {override!r}: an override is KEY=VALUE, lists are [a,b], other signs need quotes: {quoted}"
