"""All figures of a run of regret, drawn from the tables in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from experiments.store import read_manifest

if TYPE_CHECKING:
    import pandas as pd

    from bandits.figures import Theory


def draw_run(
    folder: Path, arms: Mapping[str, Any], *, log: bool = False, policies: Sequence[str] | None = None
) -> list[Path]:
    """Draw every figure of a run folder from its tables.

    Parameters
    ----------
    folder : Path
        A run's folder.
    arms : mapping
        What the manifest says of the arms: names, and the constants of the theory.
    log : bool, default False
        Draw regret only on a logarithmic time axis.
    policies : sequence of str, optional
        The labels to draw; all when left out.

    Raises
    ------
    ValueError
        A label that the run does not have.
    """
    from bandits import figures, tables

    curves, pulls = tables.read(folder / "curves.parquet"), tables.read(folder / "pulls.parquet")
    known = list(dict.fromkeys(curves["policy"]))
    for label in policies or ():
        if label not in known:
            raise ValueError(f"--policies must name policies of the run, {', '.join(known)}; got {label!r}")
    drawn = figures.save_all(
        folder / "figures",
        curves,
        pulls,
        told_theory(arms),
        arms["names"],
        log=True if log else None,
        policies=policies,
        estimated=told_estimated(folder),
    )
    if (folder / "differences.csv").exists() and not policies:
        drawn += _draw_differences(folder, tables.read(folder / "differences.csv"))
    return drawn


def draw_again(folder: Path, *, log: bool = False, policies: Sequence[str] | None = None) -> list[Path]:
    """Draw every figure of a finished run of regret, as `draw_run` does."""
    arms = (read_manifest(folder) or {})["arms"]
    return draw_run(folder, arms, log=log, policies=policies)


def told_theory(arms: Mapping[str, Any]) -> Theory:
    """Return the lines of theory that a manifest holds; None there is NaN here."""
    from bandits.figures import Theory

    return Theory(*(float("nan") if arms[name] is None else arms[name] for name in ("lai_robbins", "uniform")))


def told_estimated(folder: Path) -> bool:
    """Say whether the means of a run's arms are estimates of a click log, by the configuration in its folder."""
    file = folder / "config.yaml"
    return file.is_file() and OmegaConf.select(OmegaConf.load(file), "arms.kind") == "from_log"


def _draw_differences(folder: Path, differences: pd.DataFrame) -> list[Path]:
    from bandits.drawing import files, page
    from experiments.regret.figures import differences_size, draw_differences

    place = folder / "figures" / "differences"
    with page(place, differences_size(differences)) as figure:
        draw_differences(figure.subplots(), differences)
    return files(place)
