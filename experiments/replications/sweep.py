"""A sweep of regret runs: their tables put together, all curves in one figure, final regret against numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import tables as simulation_tables
from bandits.differences import final_regret
from bandits.figures import save
from experiments.engine.experiment import Facts, Job
from experiments.engine.manifest import read_manifest
from experiments.replications import figures, sweep_figures
from numerics.output import tables
from numerics.output.figures import Figure, draw_figures
from numerics.statistics.means import interval, skewness_of
from numerics.texts import split

if TYPE_CHECKING:
    import pandas as pd

_OF_A_MEAN = ("_se", "_skewness", "_low", "_high", "_bound")  # columns that are recomputed with the mean's


def pooled(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return one row for each combination of `keys`, such as policy and t, where runs of several seeds have one each.

    Means, their standard errors and intervals are exactly those of all replications together. For policies that can
    lock, the ends of intervals are at least as far out as the average ends of the runs. The quantiles of curves are
    averages over the runs too, because a run keeps no more of its curves.

    Parameters
    ----------
    table : pandas.DataFrame
        With a column `runs`, the replications of each row; pairs of columns `..._mean` and `..._se`, or with
        `..._skewness`, `..._low`, `..._high` and `..._bound`; other numbers, which are averaged; and texts, of which
        the first stays.
    keys : sequence of str
        The columns whose equal values join rows.
    """
    if not table.duplicated(list(keys)).any():
        return table
    groups = table.groupby(list(keys), sort=False)
    runs = table["runs"]
    total = groups["runs"].transform("sum")
    pooled = table.copy()

    def over_runs(values: Any) -> Any:
        return values.groupby([table[key] for key in keys], sort=False).transform("sum")

    for name in table.columns:
        if name in (*keys, "runs", "horizon") or table[name].dtype.kind not in "fiu" or name.endswith(_OF_A_MEAN):
            continue
        pooled[name] = over_runs(table[name] * runs / total)
        whole = name.removesuffix("_mean")
        if name.endswith("_mean") and f"{whole}_se" in table:
            off, variance = table[name] - pooled[name], (runs - 1) * table[f"{whole}_se"].fillna(0.0) ** 2
            squares = over_runs(runs * (variance + off**2))
            pooled[f"{whole}_se"] = error = np.sqrt(squares / (total - 1) / total)
            if f"{whole}_skewness" in table:
                bounds = table[f"{whole}_bound"].groupby([table[key] for key in keys], sort=False)
                pooled[f"{whole}_bound"] = bounds.transform("max")
                rare = pooled[f"{whole}_bound"].notna()
                biased = table[f"{whole}_skewness"] * (runs - 2) / np.sqrt(runs * np.maximum(runs - 1, 1))
                cubes = over_runs(runs * (biased * variance**1.5 + 3.0 * off * variance + off**3))
                pooled[f"{whole}_skewness"] = skew = skewness_of(cubes / total, squares / total, total)
                ends = interval(pooled[name], error, skew, total)
                for end, values, farther in zip(("low", "high"), ends, (np.minimum, np.maximum), strict=True):
                    of_runs = over_runs(table[f"{whole}_{end}"] * runs / total)
                    pooled[f"{whole}_{end}"] = np.where(rare, farther(of_runs, values), values)
    pooled["runs"] = total
    kept: pd.DataFrame = pooled.drop_duplicates(list(keys)).reset_index(drop=True)
    return kept


def numbered_through(pulls: pd.DataFrame, part: str) -> pd.DataFrame:
    """Return pull counts whose replications are numbered through over the parts of a policy, without that column."""
    import pandas as pd

    parts: list[Any] = []
    for _, of_policy in pulls.groupby("policy", sort=False):
        first = 0
        for _, of_part in of_policy.groupby(part, sort=False):
            parts.append(of_part.assign(run=of_part["run"] - of_part["run"].min() + first))
            first += int(of_part["run"].nunique())
    whole: pd.DataFrame = pd.concat(parts, ignore_index=True).drop(columns=part)
    return whole


_OWN = "own_label"  # a policy's name in its own run
_JOB = "job"  # the run that a row of pulls comes from
_SEED = "seed"
_MOST_MAPS = 6  # maps of two numbers beside each other, one for each value of all else


SHEET = replace(simulation_tables.SHEET, table="sweep.csv")
"""How people read the table of a sweep."""


@dataclass(frozen=True)
class _Sweep:
    """The tables of all runs of a sweep, those of several seeds as one."""

    summary: pd.DataFrame
    curves: pd.DataFrame
    pulls: pd.DataFrame
    keys: Sequence[str]  # the swept keys except the seed
    arms: Mapping[str, Any] | None  # the description of the arms, if all runs have the same

    @property
    def alike(self) -> bool:
        """Whether all runs have the same arms and horizon, and as many replications."""
        return self.arms is not None and bool((self.summary[["horizon", "runs"]].nunique() == 1).all())


def draw_sweep(jobs: Sequence[Job], varied: Sequence[str], folder: Path, **options: Any) -> list[Path]:
    """Combine the tables of a sweep's jobs in `folder` and draw the figures.

    All curves go into one figure; where numbers were swept, so does the final regret against one, or a map of two.
    Runs that differ only in the seed are pooled. With options, those of `experiments.replications.figures.draw`, only
    the figures of regret are drawn again; they are returned.
    """
    sweep = _read(jobs, varied)
    if sweep is None:
        return []
    if options:
        return _draw_curves(sweep, folder / "figures", **options)
    tables.write(sweep.summary.drop(columns=_OWN), folder / "sweep.csv")
    _draw_curves(sweep, folder / "figures")
    _draw_final(sweep, folder / "figures")
    return sorted((folder / "figures").iterdir())


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return what the runs of a sweep played, once if all played the same, and whether seeds are pooled."""
    if not (folder / "sweep.csv").is_file():
        return []
    first, deliveries = dict[str, str](), set[str]()
    for job in facts["jobs"]:
        manifest = read_manifest(job.folder) or {}
        problem = manifest.get("note") or manifest["arms"]["description"]
        deliveries.add(manifest.get("delivery", ""))
        first.setdefault(problem, _swept_text({key: job.overrides[key] for key in facts["varied"]}))
    problems = [problem if len(first) == 1 else f"{label}: {problem}" for problem, label in first.items()]
    problems += deliveries if len(deliveries) == 1 and deliveries != {""} else []
    seeds = _seeds_of(tables.read(folder / "sweep.csv"))
    return [*problems, *([f"replications of {seeds} seeds are pooled"] if seeds > 1 else [])]


def _seeds_of(summary: pd.DataFrame) -> int:
    return 1 if _SEED not in summary else int(summary[_SEED].astype(str).str.count(",").max()) + 1


def _read(jobs: Sequence[Job], varied: Sequence[str]) -> _Sweep | None:
    """Read the tables of the jobs that have them; None where none has."""
    finished = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not finished:
        return None
    keys = [key for key in varied if key != _SEED]
    parts = [_relabelled(job, varied, keys) for job in finished]
    summary, curves, pulls = (tables.joined(tables_of_jobs) for tables_of_jobs in zip(*parts, strict=True))
    if _SEED in summary:
        summary[_SEED] = summary.groupby("policy", sort=False)[_SEED].transform(lambda seeds: ",".join(map(str, seeds)))
    manifests = [read_manifest(job.folder) or {} for job in finished]
    arms, *others = [manifest["arms"] for manifest in manifests]
    deliveries = {manifest.get("delivery", "") for manifest in manifests}
    summary, curves = pooled(summary, ["policy"]), pooled(curves, ["policy", "t"]).drop(columns="runs")
    together, seeds = numbered_through(pulls, _JOB), _seeds_of(summary)
    if any(other != arms for other in others):
        return _Sweep(summary, curves, together, keys, None)
    late = next(iter(deliveries)) if len(deliveries) == 1 else ""
    title = ", ".join(filter(None, (arms.get("title", ""), late, f"{seeds} seeds pooled" * (seeds > 1))))
    return _Sweep(summary, curves, together, keys, {**arms, "title": title})


def _draw_curves(sweep: _Sweep, folder: Path, **options: Any) -> list[Path]:
    """Draw all jobs as if they were the policies of one run, or only their regret where they differ in more."""
    return figures.draw(
        save.FIGURES if sweep.alike else save.OF_REGRET,
        folder,
        {save.CURVES: sweep.curves, save.PULLS: sweep.pulls}.get,
        {"arms": sweep.arms},
        **options,
    )


def _draw_final(sweep: _Sweep, folder: Path) -> None:
    """Draw the final regret against the swept number, or of two as a map, for each value of all else."""
    import pandas as pd

    summary = sweep.summary
    values = {key: pd.to_numeric(summary[key], errors="coerce") for key in sweep.keys}
    numeric = [key for key in sweep.keys if values[key].notna().all() and values[key].nunique() > 1]
    if not numeric:
        if sweep.alike:
            figures.draw([figures.FINAL], folder, {save.PULLS: sweep.pulls}.get, {"arms": sweep.arms})
        return
    numeric.sort(key=lambda key: -values[key].nunique())  # a stable sort: the first of equals stays
    arms = sweep.arms
    title = save.title_of("Final regret", list(summary[_OWN].unique()), "" if arms is None else arms["title"])
    table = summary.assign(**{key: values[key] for key in numeric}).drop(columns="policy")
    if len(numeric) > 1:
        cells = table.assign(policy=_lines(summary, sweep.keys, numeric[:2]) or "")
        if cells["policy"].nunique() <= _MOST_MAPS and not cells.duplicated([*numeric[:2], "policy"]).any():
            across, down = numeric[:2]
            maps = Figure(
                "final_regret",
                "cells",
                lambda cells, figure, _: sweep_figures.draw_maps(cells, figure, across, down, title),
                size=sweep_figures.size_of_maps(cells, across, down),
                panels=True,
            )
            draw_figures([maps], folder, {"cells": cells}.get, {})
            return
    parameter = numeric[0]
    lines = _lines(summary, sweep.keys, [parameter])
    finals = None
    if not lines:
        of_policy = dict(list(sweep.pulls.groupby("policy", sort=False)))
        finals = {
            float(value): final_regret(of_policy[name]).to_numpy(np.float64)[:, 0]
            for name, value in zip(summary["policy"], values[parameter], strict=True)
        }
    points = table.assign(value=values[parameter], **({"policy": lines} if lines else {}))
    final = Figure(
        "final_regret",
        "points",
        lambda points, axes, _: sweep_figures.draw_final(points, axes, parameter, finals, title=title),
    )
    draw_figures([final], folder, {"points": points}.get, {})


def _lines(summary: pd.DataFrame, keys: Sequence[str], drawn: Sequence[str]) -> list[str]:
    """Return the labels of rows that differ in more than the drawn numbers; empty if there are none."""
    others = [key for key in [*keys, _OWN] if key not in drawn and summary[key].nunique() > 1]
    return [_swept_text(dict(zip(others, row, strict=True))) for row in summary[others].to_numpy()] if others else []


def _swept_text(values: Mapping[str, object]) -> str:
    """Write swept keys with their values, a policy by its name alone, and nothing twice."""
    parts = [
        str(value) if key in ("bandit", "bandit.label", _OWN) else f"{key.split('.')[-1]}={value}"
        for key, value in values.items()
    ]
    return " ".join(dict.fromkeys(parts))


def _without(text: str, parameters: Collection[str]) -> str:
    """Return the text of a policy without some of its parameters."""
    return " ".join(word for word in split(text) if word.partition("=")[0] not in parameters)


def _relabelled(job: Job, varied: Sequence[str], keys: Sequence[str]) -> list[pd.DataFrame]:
    """Read a job's tables with its policies called by the values of `keys`, and the summary with all swept values.

    The job's own name of a policy stands behind, where it has several or nothing else was swept.
    """
    frames = [tables.read(job.folder / name) for name in ("summary.csv", "curves.parquet", "pulls.parquet")]
    summary, curves, pulls = frames
    swept = {key.removeprefix("bandit.") for key in varied if key.startswith("bandit.")}
    owns, runs = summary["policy"].map(lambda name: _without(name, swept)), summary.set_index("policy")["runs"]
    curves["runs"] = curves["policy"].map(runs)
    pulls[_JOB] = str(job.folder)
    label = _swept_text({key: job.overrides[key] for key in keys})
    for table in frames:
        policies = table["policy"]
        table["policy"] = label if label and owns.nunique() == 1 else (label + " " + policies).str.strip()
    for position, key in enumerate(varied):
        if key not in summary:
            summary.insert(1 + position, key, job.overrides[key])
    summary[_OWN] = owns
    return frames
