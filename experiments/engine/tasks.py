"""A task: work that leaves one file, wherever it is done."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any


@dataclasses.dataclass(frozen=True)
class Task:
    """Work that leaves one file and can be pickled; it is done when the file is there.

    `function(path, *arguments)` writes the file whole, with the writers of `numerics.output`. `size` is how many of the
    experiment's units it is, such as games; the tasks of a run are about equally long.
    """

    path: Path
    function: Callable[..., None]
    arguments: tuple[Any, ...] = ()
    size: int = 1

    def __call__(self) -> None:
        """Do the work."""
        self.function(self.path, *self.arguments)
