"""A sweep of regret runs: their tables put together, all curves in one figure, final regret against a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits.figures import save
from experiments.engine import console
from experiments.engine.experiment import Job
from experiments.engine.store import read_manifest
from experiments.regret import sweep_figures
from experiments.regret.console import OPTIONAL, results_table, say_problems
from experiments.regret.figures import save_figures, told_theory
from numerics.output import style, tables

if TYPE_CHECKING:
    import pandas as pd

_OWN = "own_label"  # a policy's name in its own run


def draw_sweep(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the tables of a sweep's jobs together in `folder`, print the summary and draw the figures.

    All curves go into one figure; where one numeric key was swept, so does the final regret against it.
    """
    import pandas as pd

    told = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not told:
        return
    summary, curves, pulls = (
        pd.concat([_relabelled(job, varied, name) for job in told], ignore_index=True)
        for name in ("summary.csv", "curves.parquet", "pulls.parquet")
    )
    manifests = {_label(job, varied): read_manifest(job.folder) or {} for job in told}
    tables.write(summary.drop(columns=_OWN), folder / "sweep.csv")
    say_problems(manifests)
    console.print_fitted(lambda left_out: results_table(summary, left_out), OPTIONAL)
    arms = [manifest["arms"] for manifest in manifests.values()]
    same = all(one == arms[0] for one in arms)
    alike = bool((summary[["horizon", "runs"]].nunique() == 1).all())
    _draw_curves(curves, pulls, arms[0] if same else None, alike, folder / "figures")
    last = curves.groupby("policy", sort=False).tail(1)[["policy", "pseudo_regret_q05", "pseudo_regret_q95"]]
    _draw_final(summary.merge(last, on="policy"), varied, folder / "figures")
    console.say(f"table: {folder / 'sweep.csv'}")
    console.say(f"figures: {folder / 'figures'}")


def _draw_curves(
    curves: pd.DataFrame, pulls: pd.DataFrame, arms: dict[str, Any] | None, alike: bool, folder: Path
) -> None:
    """Draw all jobs as if they were the policies of one run, or only their regret where they differ in more.

    `arms` are those of all jobs, if they have the same; `alike` jobs have the same horizon and replications.
    """
    if arms is not None and alike:
        save_figures(folder, curves, pulls, arms)
        return
    runs, theory = pulls.groupby("policy")["run"].nunique(), None if arms is None else told_theory(arms)
    title = "" if arms is None else arms.get("title", "")
    save.save_regret(folder, curves, theory, runs=int(runs.iloc[0]) if runs.nunique() == 1 else None, arms=title)


def _draw_final(summary: pd.DataFrame, varied: Sequence[str], folder: Path) -> None:
    """Draw the final regret against the swept number; where several are, against the one with the most values."""
    import pandas as pd

    values = {key: pd.to_numeric(summary[key], errors="coerce") for key in varied}
    numeric = [key for key in varied if values[key].notna().all()]
    if not numeric:
        return
    parameter = max(numeric, key=lambda key: values[key].nunique())
    others = [key for key in [*varied, _OWN] if key != parameter and summary[key].nunique() > 1]
    lines = {"policy": [_told(dict(zip(others, row, strict=True))) for row in summary[others].to_numpy()]}
    table = summary.drop(columns="policy").assign(value=values[parameter], **(lines if others else {}))
    with style.page(folder / "final_regret") as figure:
        sweep_figures.draw_final(figure.subplots(), table, parameter)


def _label(job: Job, varied: Sequence[str]) -> str:
    """Return what distinguishes a job: the swept keys with its values."""
    return _told({key: job.overrides[key] for key in varied})


def _told(values: Mapping[str, object]) -> str:
    """Write swept keys with their values, a policy by its name alone, and nothing twice."""
    said = [
        str(value) if key in ("bandit", "bandit.label", _OWN) else f"{key.split('.')[-1]}={value}"
        for key, value in values.items()
    ]
    return " ".join(dict.fromkeys(said))


def _relabelled(job: Job, varied: Sequence[str], name: str) -> pd.DataFrame:
    """Read a job's table with its policies called by what distinguishes the job, and the summary with the swept values.

    The job's own name of a policy stands behind, where it has several or nothing else was swept.
    """
    table = tables.read(job.folder / name)
    own = table["policy"]
    label = _label(job, varied)
    table["policy"] = label if label and own.nunique() == 1 else (label + " " + own).str.strip()
    if name == "summary.csv":
        for place, key in enumerate(varied):
            if key not in table:
                table.insert(1 + place, key, job.overrides[key])
        table[_OWN] = own
    return table
