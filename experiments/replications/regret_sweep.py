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
    Setting,
    Sweep,
    join,
    numbers_of,
    settings_of,
    span_text,
    without,
)
from experiments.replications import regret_figures
from numerics.output import tables
from numerics.output.figures import Figure

if TYPE_CHECKING:
    import pandas as pd

_SUMMARY = "summary.csv"


def _read(setting: Setting, name: str) -> pd.DataFrame:
    """Read a table of a setting with its policies called by the swept values, and by their own names if needed."""
    table = tables.read(setting.folder / name)
    several = not setting.label or table["policy"].nunique() > 1
    table["policy"] = (setting.label + " " + table["policy"]).str.strip() if several else setting.label
    return table


def _table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return the summaries of all runs, with the quantiles of the regret at the horizon."""
    table = join(settings, lambda setting: _read(setting, _SUMMARY))
    curves = tables.join_tables([_read(setting, save.CURVES) for setting in settings])
    last = curves.groupby("policy", sort=False)[list(_SPREAD)].last()
    return table.assign(**{name: table["policy"].map(last[name]) for name in _SPREAD})


def _manifests(settings: Sequence[Setting]) -> list[dict[str, Any]]:
    return [read_manifest(setting.folder) or {} for setting in settings]


def _common_facts(settings: Sequence[Setting]) -> dict[str, Any]:
    """Return what figures need of the arms and of what was played, where all runs have the same."""
    manifests = _manifests(settings)
    same = all(manifest["arms"] == manifests[0]["arms"] for manifest in manifests)
    arms, titles = manifests[0]["arms"] if same else None, {manifest["played"] for manifest in manifests}
    return {"arms": arms, "played": titles.pop() if len(titles) == 1 else arms["title"] if arms else ""}


def _more(table: pd.DataFrame, settings: Sequence[Setting], folder: Path, **options: Any) -> list[Path]:
    """Draw all runs as if they were the policies of one, or only their regret where they differ in more."""
    played = _common_facts(settings)
    shown: Sequence[Figure] = save.OF_REGRET
    if played["arms"] is not None and bool((table[["horizon", "runs"]].nunique() == 1).all()):
        shown = save.FIGURES if numbers_of(table, list(settings[0].values)) else regret_figures.FIGURES
    read = {
        name: tables.join_tables([_read(setting, name) for setting in settings]) for name in (save.CURVES, save.PULLS)
    }
    return regret_figures.draw(shown, folder / "figures", read.get, played, **options)


def _title(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    owns = join(settings, _SUMMARY)["policy"].map(lambda own: without(own, list(settings[0].values)))
    return save.title_of("Final regret", list(owns.unique()), _common_facts(settings)["played"])


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return what the runs of a sweep played, once if all played the same."""
    settings, first, deliveries = settings_of(facts), dict[str, str](), set[str]()
    for setting, manifest in zip(settings, _manifests(settings), strict=True):
        deliveries.add(manifest["delivery"])
        first.setdefault(manifest["arms"]["description"], setting.label)
    problems = [problem if len(first) == 1 else f"{label}: {problem}" for problem, label in first.items()]
    return [*problems, *(filter(None, deliveries) if len(deliveries) == 1 else [])]


_SPREAD = ("pseudo_regret_q05", "pseudo_regret_q95")
SWEEP = Sweep(
    _table,
    [
        Quantity(
            "final_regret",
            "pseudo_regret_mean",
            f"{what} $L_T$",
            "whiskers: 95 % intervals of the mean",
            lambda table: f"{span_text(table['runs'])} replications, horizon {span_text(table['horizon'])}",
            spread=_SPREAD,
            is_lowest_best=True,
            when=lambda table, changing=what == "dynamic regret": changing == ("fixed_regret_mean" in table),  # type: ignore[misc]
            rows=False,
        )
        for what in ("pseudo-regret", "dynamic regret")
    ],
    _title,
    _more,
    sheets=(dataclasses.replace(summaries.SHEET, table=TABLE),),
    notes=notes,
)
