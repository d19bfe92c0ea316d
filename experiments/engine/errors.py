"""One sentence for each error that a command of the experiments can meet; `numerics.exits` prints it and ends."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor

from experiments.engine.experiment import refuse_unknown
from experiments.engine.presets import presets
from numerics import exits
from numerics.exits import INTERRUPTED, MISTAKE, TERMINATED, leave, one_line, say
from numerics.parameters import must_be_one_of

__all__ = ["INTERRUPTED", "MISTAKE", "TERMINATED", "guarded", "leave", "say", "sentence"]


def sentence(error: BaseException) -> str | None:
    """Return one sentence for a mistake of the user or a failure of the machine, None for a bug of this project."""
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    if isinstance(error, (HydraException, OmegaConfBaseException)):
        return _of_configuration(error)
    if isinstance(error, BrokenExecutor):
        return (
            "executor: a worker process died: it was killed, ran out of memory, or crashed in your "
            "own code. To resume, "
            "repeat the command with the same hydra.run.dir and fewer executor.workers."
        )
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    raised_by = str(frames[-1].f_globals.get("__name__")).partition(".")[0] if frames else ""
    # Such as of a list where a name must stand; but a disk that is full is no mistake in a command.
    if raised_by in ("hydra", "omegaconf") and not isinstance(error, OSError):
        return f"Hydra cannot read this command: {one_line(error)}"
    return exits.explain_error(error)


guarded: Callable[[Callable[[], None]], int] = functools.partial(exits.run_guarded, explain=sentence)


def _of_configuration(error: BaseException) -> str:
    """Return the message of Hydra or OmegaConf; for an unknown name or key, list the known ones."""
    from omegaconf.errors import OmegaConfBaseException

    if override := getattr(error, "override", None):  # it cannot be parsed
        return f"cannot read {override!r}: {one_line(error)}"
    if missing := getattr(error, "missing_cfg_file", None):  # a name that a group does not have
        group, _, name = str(missing).rpartition("/")
        hint = ""
        if " " in name or "{" in name:
            hint = f"; give its parameters separately, as {group}.KEY=VALUE"
        elif "." in name and group in ("bandit", "stopping"):
            hint = f"; for your own rule, use {group}=custom {group}.rule={name}"
        elif "." in name and group == "game":
            hint = f"; for your own game, use game=custom game.cls={name}"
        elif group == "game" and name in presets("process"):
            hint = f"; {name} is a process: use experiment=planning process={name}"
        elif "." in name and group == "process":
            hint = f"; for your own process, use process=custom process.path={name}"
        return must_be_one_of(group or "config", name, sorted(getattr(error, "options", None) or ())) + hint
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OmegaConfBaseException):
        cause = cause.__cause__
    key, above = str(getattr(cause, "full_key", None) or "hydra"), getattr(cause, "parent_node", None)
    if isinstance(above, Mapping) and above and not key.startswith("hydra") and key.rpartition(".")[2] not in above:
        if "rule" in above and "params" not in above:  # a policy of the user's
            group = key.rpartition(".")[0]
            return f"{key} is not a known key; give a parameter of your rule by its name, as +{group}.c=0.5"
        if "cls" in above:  # a game of the user's
            return f"{key} is not a known key; give an argument of your class with a plus, as +{key}=..."
        if "path" in above and key.startswith("process."):  # a process of the user's
            return f"{key} is not a known key; give an argument of your process with a plus, as +{key}=..."
        return refuse_unknown(key, [str(part) for part in above if part not in ("hydra", "kind")])
    return one_line(error)
