"""A sweep of best-arm identification: one table, and errors or pulls against the number that was swept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.engine.experiment import Job
from experiments.engine.manifest import read_manifest
from experiments.kinds.identification import sheets
from numerics.output import tables
from numerics.output.captions import Caption, called_all
from numerics.output.figures import Figure, draw_figures
from numerics.output.line_ends import End, name_ends
from numerics.output.sheets import Column, Facts, Sheet, word
from numerics.output.style import draw_estimates, estimates, line_style, number, plain, ticks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the tables of a sweep's runs together in `folder`, and draw them against the first number that was swept."""
    import pandas as pd

    finished = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not finished:
        return
    parts = []
    for job in finished:
        part = tables.read(job.folder / "summary.csv")
        for at, key in enumerate(key for key in varied if key not in part):
            part.insert(1 + at, key, job.overrides[key])
        parts.append(part)
    table = tables.joined(parts)
    tables.write(table, folder / "sweep.csv")
    keys = [key for key in varied if pd.to_numeric(table[key], errors="coerce").nunique() > 1]
    if keys:
        others = [key for key in ("policy", *varied) if key != keys[0] and table[key].astype(str).nunique() > 1]
        lines = [" ".join(_named(key, row[key]) for key in others) for _, row in table.iterrows()]
        points = table.assign(value=pd.to_numeric(table[keys[0]]), line=lines)
        facts = (read_manifest(finished[0].folder) or {}) | {"key": keys[0]}
        draw_figures(FIGURES, folder / "figures", {"sweep.csv": points}.get, facts)


def _named(key: str, value: object) -> str:
    return str(value) if key == "policy" else f"{key}={value}"


def _is_fixed(table: pd.DataFrame) -> bool:
    """Return whether every replication had as many pulls as its budget."""
    return bool(table["met_cap"].min() == 1.0)


def draw_errors(table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw, for each policy, how often its arm is wrong, with intervals, against a number such as the budget."""
    least = float(table.loc[table["wrong"] > 0.0, "wrong"].min()) if (table["wrong"] > 0.0).any() else None
    if least is not None:
        axes.set_yscale("log")
    ends = _draw_lines(axes, table, "wrong", 100.0, hollow=True)
    if least is not None:
        drawn = table[["wrong_low", "wrong_high"]].to_numpy(np.float64)
        low, high = 80.0 * max(drawn[drawn > 0.0].min(), 0.2 * least), min(100.0, 130.0 * drawn.max())
        axes.set_ylim(low, high)
        ticks(axes.yaxis, low, high, enough=1_000.0)
        axes.yaxis.set_major_formatter(lambda value, _: number(value, 4))
    axes.set_ylabel("wrong arm (%)")
    none = "; triangle: no error, upper end of the interval" if bool((table["wrong"] == 0.0).any()) else ""
    text = f"{_replications(table)}; whiskers: 95 % intervals (Clopper-Pearson){none}"
    return _finished(axes, table, ends, facts, Caption(text, f"Errors: {facts['arms'].get('title', '')}"))


def draw_pulls(table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw, for each policy, the mean number of pulls until it is sure, with intervals, against a number."""
    axes.set_yscale("log")
    ends = _draw_lines(axes, table.assign(pulls=table["pulls_mean"]), "pulls", 1.0)
    low, high = 0.8 * float(table["pulls_low"].min()), 1.25 * float(table["pulls_high"].max())
    axes.set_ylim(low, high)
    ticks(axes.yaxis, low, high)
    axes.set_ylabel("pulls until sure (log scale)")
    text = f"{_replications(table)}; mean with 95 % interval"
    return _finished(axes, table, ends, facts, Caption(text, f"Pulls until sure: {facts['arms'].get('title', '')}"))


def _replications(table: pd.DataFrame) -> str:
    fewest, most = table["runs"].min(), table["runs"].max()
    return f"{fewest:,} replications" if fewest == most else f"{fewest:,} to {most:,} replications"


def _draw_lines(axes: Axes, table: pd.DataFrame, name: str, scale: float, hollow: bool = False) -> list[End]:
    """Draw a line for each policy, and triangles at upper ends where nothing was seen; return the lines' ends."""
    groups = [(str(line), part.sort_values("value")) for line, part in table.groupby("line", sort=False)]
    labels, ends = called_all((line for line, _ in groups), 28), []
    for index, (line, part) in enumerate(groups):
        style, x = line_style(index), part["value"].to_numpy(np.float64)
        middle, low, high = estimates(part, name, scale)
        seen = (middle > 0.0) if hollow else np.ones(x.size, dtype=bool)
        axes.plot(x[seen], middle[seen], linewidth=1.2, label=labels[line], **style)
        shown = (middle[seen], low[seen], high[seen])
        draw_estimates(axes, x[seen], shown, fmt="none", ecolor=style["color"], elinewidth=1.2, capsize=2.5)
        axes.plot(x[~seen], high[~seen], "v", color=style["color"], markerfacecolor="none", markersize=6.0)
        ends.append(End(labels[line], float(middle[-1] if seen[-1] else high[-1]), style))
    return ends


def _finished(axes: Axes, table: pd.DataFrame, ends: list[End], facts: Facts, caption: Caption) -> Caption:
    """Give the swept number its axis and the lines their names."""
    values = np.unique(table["value"].to_numpy(np.float64))
    if values[0] > 0.0 and values[-1] >= 4.0 * values[0]:
        axes.set_xscale("log")
        axes.set_xlim(values[0] / 1.1, values[-1] * 1.1)
        ticks(axes.xaxis, values[0] / 1.1, values[-1] * 1.1)
    axes.set_xlabel(str(_WORDS.get(facts["key"], facts["key"])) + " (log scale)" * (axes.get_xscale() == "log"))
    axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))
    plain(axes)
    named = len(ends) > 1 and name_ends(axes, ends)
    return Caption(caption.text, caption.title, legend=len(ends) > 1 and not named)


_WORDS = {"most": "pulls of a replication"}
FIGURES = (
    Figure("errors", "sweep.csv", draw_errors, size=(7.6, 4.6), when=lambda table, facts: _is_fixed(table)),
    Figure("pulls", "sweep.csv", draw_pulls, size=(7.6, 4.6), when=lambda table, facts: not _is_fixed(table)),
)


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    swept = [word(key) for key in facts["varied"] if key in frame and key != "policy"]
    run = (read_manifest(facts["jobs"][0].folder) or {}) | dict(facts)
    return [*swept, *(column for column in sheets.columns(frame, run) if column.head != "formula")]


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    return f"{_replications(frame)}; wrong: with Clopper and Pearson's interval"


SHEET = Sheet("sweep.csv", _title, _columns)
"""How people read the table of a sweep."""
