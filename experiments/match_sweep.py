"""A sweep of matches: one table, and one figure of the score against what was swept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import tables
from experiments import report
from experiments.match import summary_of
from experiments.sweep import Job

if TYPE_CHECKING:
    import pandas as pd


def draw_sweep(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the results of a sweep's matches together in `folder`, print them and draw the score of player 1."""
    import pandas as pd

    from bandits.drawing import page
    from experiments import match_figures

    told = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not told:
        return
    table = pd.DataFrame([_row(job, varied) for job in told])
    tables.write(table, folder / "sweep.csv")
    report.console().print(report.match_sweep_table(table, [key for key in varied if key in table]))
    drawn, key, numeric = _against(table, varied)
    with page(folder / "figures" / "score", (7.6, 4.4)) as figure:
        match_figures.draw_sweep(figure.subplots(), drawn, key, numeric=numeric)
    report.say(f"table: {folder / 'sweep.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def _row(job: Job, varied: Sequence[str]) -> dict[str, Any]:
    """Return a match's swept values and its results, with the scores of either colour."""
    summary = summary_of(tables.read(job.folder / "games.parquet"))
    colours = summary.set_index("colour")
    both = {str(name): value for name, value in colours.loc["both"].items()}
    own = {f"score_moving_{colour}": colours.loc[colour, "score"] for colour in ("first", "second")}
    swept = {key: job.overrides[key] for key in varied}
    return {**swept, **both, **own}


def _against(table: pd.DataFrame, varied: Sequence[str]) -> tuple[pd.DataFrame, str, bool]:
    """Return what is drawn, against which key, and whether its values are numbers.

    The one numeric key is drawn along the axis where there is just one, else the first key; the others make lines.
    """
    import pandas as pd

    numbers = {key: pd.to_numeric(table[key], errors="coerce") for key in varied}
    numeric = [key for key in varied if bool(numbers[key].notna().all())]
    if not varied:
        return table.assign(value=table["player"], line=""), "player 1", False
    key = numeric[0] if len(numeric) == 1 else varied[0]
    others = [one for one in varied if one != key]
    line = [" ".join(f"{one}={row[one]}" for one in others) for row in table.to_dict("records")]
    value = numbers[key] if key in numeric else table[key]
    return table.assign(value=value, line=line), key, key in numeric
