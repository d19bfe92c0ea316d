"""The base of stopping rules: small immutable values with parameters, a formula and a hook."""

from __future__ import annotations

from typing import ClassVar

from bandits.arms.base import Arms, Floats
from bandits.hooks import StopHook, named_hook
from numerics.families import Declared, Family


class Stopping(Declared):
    """A way to stop; the fields of a subclass are its parameters on the command line."""

    source: ClassVar[str] = ""
    proved: ClassVar[bool] = False  # whether the arm is wrong with probability at most delta

    @property
    def aim(self) -> tuple[float | None, float]:
        """Delta, the probability of a wrong arm that the rule aims at, if any, and how much worse an arm may be."""
        return None, 0.0

    @property
    def formula(self) -> str:
        """When it stops, in the field's letters (m mean, n pulls, t all pulls)."""
        raise self._unfinished("formula")

    @property
    def hook(self) -> StopHook:
        """The hook that decides; unless a class says otherwise, that in its file that has its name."""
        hook = named_hook(self, StopHook)
        if hook is None:
            raise self._unfinished("hook")
        return hook

    def numbers(self, arms: Arms) -> Floats:
        """Return the hook's argument `params`."""
        raise self._unfinished("numbers")

    def check(self, arms: Arms) -> None:
        """Raise ValueError for arms for which the rule is not defined."""


STOPPING: Family[Stopping] = Family(
    "stopping rule",
    Stopping,
    "chernoff delta=0.1",
    lambda value, argument: Stopping.make("custom", rule=value) if isinstance(value, StopHook) else None,
)
"""All stopping rules; a user's hook is one too."""
