"""What a sweep leaves: the tables of its runs put together, all curves in one figure, final regret against a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig

from experiments import report
from experiments.plot import told_theory
from experiments.store import read_manifest

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Job:
    """One finished combination: its overrides as key and value, in the order of the command line, and its folder."""

    overrides: dict[str, str]
    folder: Path


@dataclass
class Outcome:
    """What became of a sweep; Hydra hands neither results nor a callback's exception back, so that they wait here."""

    jobs: list[Job] = field(default_factory=list)
    refused: int = 0
    error: Exception | None = None  # of the run that is not yet dealt with, or of the drawing

    def reset(self) -> None:
        """Forget everything, for a new command in the same process."""
        self.jobs, self.refused, self.error = [], 0, None

    def raise_errors(self, said: type[Exception]) -> None:
        """Raise what went wrong in a single run or while drawing, or `said` where a combination was refused."""
        if self.error is not None:
            raise self.error
        if self.refused:
            raise said


outcome = Outcome()


class DrawSweep(Callback):
    """When a sweep ends, draw its good combinations in one figure with one table."""

    def on_multirun_end(self, config: DictConfig, **kwargs: Any) -> None:
        """Draw; Hydra would swallow an exception, so that it is kept for the entry point."""
        try:
            draw_sweep(outcome.jobs, Path(config.hydra.sweep.dir))
        except Exception as error:
            outcome.error = error


def draw_sweep(jobs: Sequence[Job], folder: Path) -> None:
    """Put the tables of a sweep's jobs together in `folder`, print the summary and draw the figures.

    All curves go into one figure; where one numeric key was swept, so does the final regret against it.
    """
    import pandas as pd

    from bandits import tables

    told = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not told:
        return
    varied = [key for key in told[0].overrides if len({job.overrides[key] for job in told}) > 1]
    labels = [_label(job, varied) for job in told]
    summary, curves, pulls = (
        pd.concat([_relabelled(job, label, varied, name) for job, label in zip(told, labels, strict=True)])
        for name in ("summary.csv", "curves.parquet", "pulls.parquet")
    )
    tables.write(summary, folder / "sweep.csv")
    report.console().print(report.results_table(summary))
    _draw_curves(told, curves, pulls, folder / "figures")
    last = curves.groupby("policy", sort=False).tail(1)[["policy", "pseudo_regret_q05", "pseudo_regret_q95"]]
    _draw_final(summary.merge(last, on="policy"), varied, folder / "figures")
    report.say(f"table: {folder / 'sweep.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def _draw_curves(jobs: Sequence[Job], curves: pd.DataFrame, pulls: pd.DataFrame, folder: Path) -> None:
    """Draw all jobs' curves as if they were the policies of one run."""
    from matplotlib.figure import Figure

    from bandits import drawing, figures

    folder.mkdir(parents=True, exist_ok=True)
    arms = [(read_manifest(job.folder) or {})["arms"] for job in jobs]
    if all(one == arms[0] for one in arms):
        figures.save_all(folder, curves, pulls, told_theory(arms[0]), arms[0]["names"])
        return
    figure = Figure(figsize=(7.6, 4.8), layout="constrained")  # pulls of different arms have no common axis
    figures.draw_regret(figure.subplots(), curves)
    drawing.save(figure, folder / "regret")


def _draw_final(summary: pd.DataFrame, varied: Sequence[str], folder: Path) -> None:
    """Draw the final regret against the swept number, where just one of the swept keys is numeric."""
    import pandas as pd
    from matplotlib.figure import Figure

    from bandits.drawing import save
    from experiments.figures import draw_final

    values = {key: pd.to_numeric(summary[key], errors="coerce") for key in varied}
    numeric = [key for key in varied if values[key].notna().all()]
    others = [key for key in varied if key not in numeric]
    if len(numeric) != 1:
        return
    lines = {"policy": summary[others].agg(" ".join, axis=1)} if others else {}
    table = summary.drop(columns="policy").assign(value=values[numeric[0]], **lines)
    figure = Figure(figsize=(7.6, 4.8), layout="constrained")
    draw_final(figure.subplots(), table, numeric[0])
    save(figure, folder / "final_regret")


def _label(job: Job, varied: Sequence[str]) -> str:
    """Name a job by what distinguishes it: values of groups, key=value of numbers."""
    parts = [
        job.overrides[key] if key == "bandit" else f"{key.rpartition('.')[2]}={job.overrides[key]}" for key in varied
    ]
    return " ".join(parts) or job.folder.name


def _relabelled(job: Job, label: str, varied: Sequence[str], name: str) -> pd.DataFrame:
    """Read a job's table with its policy called by the sweep's label, and the summary with the swept values.

    A job that has several policies keeps their own names behind the label.
    """
    import pandas as pd

    path = job.folder / name
    table = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    several = table["policy"].nunique() > 1
    table["policy"] = (label + " " + table["policy"].astype(str)) if several else label
    if name == "summary.csv":
        for place, key in enumerate(varied):
            table.insert(1 + place, key, job.overrides[key])
    return table
