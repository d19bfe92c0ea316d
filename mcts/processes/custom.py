"""A process of the user's, by its path."""

from __future__ import annotations

import dataclasses
import functools
import sys
from typing import Any

from mcts.processes.base import NamedProcess
from mcts.processes.process import Process
from numerics.checks import show
from numerics.importing import import_named
from numerics.parameters import parameter
from numerics.places import failure

_EXAMPLE = "my_processes.Lake"


def _path(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be the dotted path of your process, such as {_EXAMPLE}; got {show(value)}")
    return value


class CustomProcess(NamedProcess, name="custom"):
    """A process of yours: a `Process`, what has one as its `process`, or a class or function that makes either.

    Further keys are the arguments of the class or function, as in ``+process.size=5``.

    Examples
    --------
    >>> CustomProcess("mcts.processes.sailing.Sailing", size=3).process.state.tolist()
    [0, 0, 0, 0, 3, 0]
    """

    path: str = parameter(
        "", check=_path, help="dotted path, such as my_processes.Lake; my_processes.py may be in the current folder"
    )
    given: tuple[tuple[str, Any], ...] = dataclasses.field(default=(), init=False)  # of the call

    def __init__(self, path: str = "", **given: Any):
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "given", tuple(sorted(given.items())))
        self.__post_init__()

    @property
    def more(self) -> dict[str, Any]:
        """The arguments of the call."""
        return dict(self.given)

    @functools.cached_property
    def process(self) -> Process:
        """The process at its beginning.

        Raises
        ------
        ValueError
            The path names none, or what it names fails.
        """
        named = import_named("path", self.path, _EXAMPLE)
        if callable(named):
            try:
                named = named(**self.more)
            except Exception as error:
                arguments = ", ".join(f"{name}={show(value)}" for name, value in self.given) or "no arguments"
                raise ValueError(f"path {self.path!r} fails when called with {arguments}: {failure(error)}") from error
        elif self.given:
            raise ValueError(f"path {self.path!r} must name a class or a function that takes {self.given[0][0]}")
        made = getattr(named, "process", named)
        if not isinstance(made, Process):
            raise ValueError(
                f"path {self.path!r} must name a Process, an object with the attribute process, or a "
                f"function that returns either; got {show(named)}"
            )
        return made

    def __getstate__(self) -> dict[str, Any]:
        """A pickled process is made anew: a compiled hook cannot be pickled."""
        return {name: value for name, value in vars(self).items() if name != "process"}

    def source_files(self) -> list[str]:  # noqa: D102
        hook: Any = self.process.outcomes
        function = getattr(hook, "plain", None) or hook.function
        files = (sys.modules[name].__file__ for name in {self.path.rpartition(".")[0], function.__module__})
        return [file for file in files if file is not None]
