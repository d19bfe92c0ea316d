"""The members of a family by their names, imported when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import Any


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
