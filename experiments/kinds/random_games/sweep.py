"""A sweep of random play, over boards above all: one table, and one figure for each question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4.combinatorics.estimates import ENOUGH
from experiments.engine.experiment import Job
from experiments.kinds.random_games import figures
from experiments.kinds.random_games.sheets import percent, power
from numerics.output import tables
from numerics.output.figures import draw_figures
from numerics.output.sheets import Column, Facts, Row, Sheet, number

if TYPE_CHECKING:
    import pandas as pd


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the tables of a sweep's runs together in `folder`, and draw lengths, shares and numbers."""
    finished = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not finished:
        return
    table = tables.joined([_row(job, varied) for job in finished])
    tables.write(table.drop(columns="label"), folder / "sweep.csv")
    frames = {
        figures.SWEEP: table,
        figures.LENGTHS: _joined(finished, table, "lengths.csv"),
        figures.COUNTS: _joined(finished, table, "counts.csv"),
    }
    directory = folder / "figures"
    draw_figures(figures.SWEEP_FIGURES, directory, frames.get, {})


def _joined(jobs: Sequence[Job], table: pd.DataFrame, name: str) -> pd.DataFrame | None:
    """Return a table of all runs that have it, each with its label; None where none has."""
    parts = [
        tables.read(job.folder / name).assign(label=label)
        for job, label in zip(jobs, table["label"], strict=True)
        if (job.folder / name).exists()
    ]
    return tables.joined(parts) if parts else None


def _row(job: Job, varied: Sequence[str]) -> pd.DataFrame:
    """Return one run's summary with what distinguishes it, the models of P(draw), and its numbers of games."""
    row = tables.read(job.folder / "summary.csv")
    words = [job.overrides[key] if key in _PLAIN else f"{key}={job.overrides[key]}" for key in varied]
    row.insert(0, "label", " ".join(words) or row["board"].iloc[0])
    for position, key in enumerate(varied, start=1):
        if key not in row:
            row.insert(position, key, job.overrides[key])
    draws = tables.read(job.folder / "draws.csv").set_index("source")["value"]
    for source in ("random filling", "independent lines", "disjoint lines"):
        row[f"draw_{source.replace(' ', '_')}"] = draws.get(source, float("nan"))
    if (job.folder / "counts.csv").exists():
        counts = tables.read(job.folder / "counts.csv")
        totals = counts[counts["ply"].isna()].set_index(["quantity", "source"])
        for quantity, bound in (("finished", "column orders"), ("positions", "gravity and colours")):
            name = "games" if quantity == "finished" else "positions"
            row[f"{name}_bound_log10"] = _cell(totals, quantity, bound, "log10")
            for column in ("log10", "log10_low", "log10_high", "effective"):
                row[f"{name}_estimate_{column}"] = _cell(totals, quantity, "estimate", column)
            known = _cell(totals, quantity, "exact", "value")
            row[f"{name}_exact"] = known if known == known else _cell(totals, quantity, "published", "value")
    return row


_PLAIN = ("board", "player1", "player2")  # keys whose values need no name


def _cell(totals: pd.DataFrame, quantity: str, source: str, column: str) -> float:
    total: Any = totals[column].get((quantity, source), float("nan"))
    return float(total)


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    known = "; numbers: = exact, else estimated, ? by too few effective paths to trust"
    return "shares in percent with their 95 % intervals" + (known if "games_estimate_log10" in frame else "")


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    counts = {"distinct games": "games", "distinct positions": "positions"}
    return [
        Column("run", lambda row: _label(row, facts["varied"]), number=False),
        number("games", form=",.0f"),
        *(
            Column(head, partial(_share, name=name), name)
            for head, name in (("first wins", "first"), ("second wins", "second"), ("draws", "draw"))
        ),
        number("plies", "length_mean", ".2f", optional=1),
        *(
            Column(head, partial(_number, name=name), f"{name}_estimate_log10")
            for head, name in counts.items()
            if f"{name}_estimate_log10" in frame
        ),
    ]


SHEET = Sheet("sweep.csv", _title, _columns)


def _label(row: Row, varied: Sequence[str]) -> str:
    """Return what distinguishes a run: the swept values, with their keys where these do not go without saying."""
    return " ".join(str(row[key]) if key in _PLAIN else f"{key}={row[key]}" for key in varied) or str(row["board"])


def _share(row: Row, name: str) -> str:
    share, low, high = (percent(row[f"{name}{end}"]).removesuffix(" %") for end in ("", "_low", "_high"))
    return f"{share} ({low} to {high})"


def _number(row: Row, name: str) -> str:
    exact = row[f"{name}_exact"]
    if exact == exact:
        return f"= {exact:,.0f}" if exact < 1e15 else f"= {exact:.4g}"
    estimate = row[f"{name}_estimate_log10"]
    if estimate != estimate:
        return "-"
    return power(estimate) + ("" if row[f"{name}_estimate_effective"] >= ENOUGH else " ?")
