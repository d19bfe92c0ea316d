"""Experiments that do not yet declare themselves: which function runs one, joins a sweep, draws figures again."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.engine.experiment import Job

Runner = Callable[[Mapping[str, Any], Path], None]
Together = Callable[[Sequence["Job"], Sequence[str], Path], None]
Drawer = Callable[..., list[Path]]

_RUNNERS = {
    "match": "experiments.matches.match.run_match",
    "tournament": "experiments.matches.tournament.run_tournament",
    "uct_sweep": "experiments.matches.uct_sweep.run_uct_sweep",
    "random_games": "experiments.random_games.run.run_random_games",
    "environments": "experiments.environments.run.run_environments",
    "root_regret": "experiments.root_regret.run.run_root_regret",
}
_SWEEPS = {
    "match": "experiments.matches.sweep.draw_sweep",
    "random_games": "experiments.random_games.sweep.draw_sweep",
}
_DRAWERS = {
    "match": "experiments.matches.match.draw_match",
    "tournament": "experiments.matches.tournament.draw_tournament",
    "random_games": "experiments.random_games.figures.draw_run",
    "uct_sweep": "experiments.matches.uct_sweep.draw_uct_sweep",
    "environments": "experiments.environments.run.draw_environments",
    "root_regret": "experiments.root_regret.run.draw_root_regret",
}


def runner(kind: str) -> Runner:
    """Return the function that runs one configuration of a kind in a folder.

    Raises
    ------
    ValueError
        No such kind.
    """
    if kind not in _RUNNERS:
        raise ValueError(f"kind must be one of {', '.join(_RUNNERS)}; got {kind!r}")
    found: Runner = _import(_RUNNERS[kind])
    return found


def together(kind: str) -> Together | None:
    """Return the function that puts the jobs of a sweep together in a folder, or None where a kind has none."""
    return _import(_SWEEPS[kind]) if kind in _SWEEPS else None


def drawer(kind: str) -> Drawer | None:
    """Return the function that draws the figures of a kind's folder again, or None where a kind has none."""
    return _import(_DRAWERS[kind]) if kind in _DRAWERS else None


def _import(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)
