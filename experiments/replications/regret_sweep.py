"""A sweep of regret runs: their policies as those of one run, and the final regret over the swept numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import summaries
from bandits.figures import save
from experiments.engine.experiment import Facts
from experiments.engine.manifest import read_manifest
from experiments.engine.sweep.table import (
    TABLE,
    Quantity,
    Reader,
    Setting,
    Sweep,
    count_seeds,
    join,
    numbers_of,
    pool_seeds,
    without,
)
from experiments.replications import regret_figures
from numerics.output import tables
from numerics.output.figures import Figure
from numerics.output.style import number

if TYPE_CHECKING:
    import pandas as pd

_SUMMARY = "summary.csv"


def _read(setting: Setting, read: str | Reader) -> pd.DataFrame:
    """Read a table of a setting with its policies called by the swept values, and by their own names if needed."""
    table = setting.read(read)
    several = not setting.label or table["policy"].nunique() > 1
    table["policy"] = (setting.label + " " + table["policy"]).str.strip() if several else setting.label
    return table


def _curves(settings: Sequence[Setting]) -> pd.DataFrame:
    def _curves_of(folder: Path) -> pd.DataFrame:
        runs, curves = tables.read(folder / _SUMMARY).set_index("policy")["runs"], tables.read(folder / save.CURVES)
        return curves.assign(runs=curves["policy"].map(runs))

    curves = [pool_seeds(_read(setting, _curves_of), ["policy", "t"]) for setting in settings]
    return tables.join_tables(curves).drop(columns="runs")


def _table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return the summaries of all runs, with the quantiles of the regret at the horizon."""
    table = join(settings, lambda setting: pool_seeds(_read(setting, _SUMMARY), ["policy"]))
    last = _curves(settings).groupby("policy", sort=False)[list(_SPREAD)].last()
    return table.assign(**{name: table["policy"].map(last[name]) for name in _SPREAD})


def _arms(settings: Sequence[Setting]) -> dict[str, Any] | None:
    """Return the description of the arms and what figures call them, if all runs have the same."""
    manifests = [read_manifest(folder) or {} for setting in settings for folder in setting.folders]
    arms: dict[str, Any] = manifests[0]["arms"]
    if any(manifest["arms"] != arms for manifest in manifests):
        return None
    deliveries, seeds = {manifest.get("delivery", "") for manifest in manifests}, count_seeds(settings)
    late = deliveries.pop() if len(deliveries) == 1 else ""
    parts = (arms.get("title", ""), late, f"{seeds} seeds pooled" if seeds > 1 else "")
    return {**arms, "title": ", ".join(filter(None, parts))}


def _more(table: pd.DataFrame, settings: Sequence[Setting], folder: Path, **options: Any) -> list[Path]:
    """Draw all runs as if they were the policies of one, or only their regret where they differ in more."""
    arms = _arms(settings)
    shown: Sequence[Figure] = save.OF_REGRET
    if arms is not None and bool((table[["horizon", "runs"]].nunique() == 1).all()):
        shown = save.FIGURES if numbers_of(table, list(settings[0].values)) else regret_figures.FIGURES
    pulls = tables.join_tables([_read(setting, save.PULLS) for setting in settings])
    read = {save.CURVES: _curves(settings), save.PULLS: pulls}.get
    return regret_figures.draw(shown, folder / "figures", read, {"arms": arms, "delivery": ""}, **options)


def _title(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    owns = join(settings, _SUMMARY)["policy"].map(lambda own: without(own, list(settings[0].values)))
    return save.title_of("Final regret", list(owns.unique()), (_arms(settings) or {}).get("title", ""))


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return what the runs of a sweep played, once if all played the same, and whether seeds are pooled."""
    settings = SWEEP.settings(facts)
    first, deliveries = dict[str, str](), set[str]()
    for setting in settings:
        for manifest in (read_manifest(folder) or {} for folder in setting.folders):
            deliveries.add(manifest.get("delivery", ""))
            first.setdefault(manifest["arms"]["description"], setting.label)
    problems = [problem if len(first) == 1 else f"{label}: {problem}" for problem, label in first.items()]
    problems += deliveries if len(deliveries) == 1 and deliveries != {""} else []
    return [*problems, *([f"replications of {seeds} seeds are pooled"] if (seeds := count_seeds(settings)) > 1 else [])]


def _count_replications(table: pd.DataFrame) -> str:
    """Say how many replications and pulls there were."""
    parts = []
    for column, name, unit in (("runs", "", " replications"), ("horizon", "horizon ", "")):
        low, high = int(table[column].min()), int(table[column].max())
        parts.append(f"{name}{number(low)}" + (f" to {number(high)}" if low < high else "") + unit)
    return ", ".join(parts)


_SPREAD = ("pseudo_regret_q05", "pseudo_regret_q95")
SWEEP = Sweep(
    _table,
    [
        Quantity(
            "final_regret",
            "pseudo_regret_mean",
            f"{what} at the horizon",
            "mean with 95 % interval",
            _count_replications,
            spread=_SPREAD,
            is_lowest_best=True,
            when=lambda table, changing=what == "dynamic regret": changing == ("fixed_regret_mean" in table),  # type: ignore[misc]
            rows=False,
        )
        for what in ("pseudo-regret", "dynamic regret")
    ],
    _title,
    _more,
    pools_seeds=True,
    sheets=(dataclasses.replace(summaries.SHEET, table=TABLE),),
    notes=notes,
)
