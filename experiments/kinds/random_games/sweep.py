"""A sweep of random play, over boards above all: one table, and one figure for each question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from connect4.combinatorics.estimates import ENOUGH
from experiments.engine.experiment import Job
from experiments.kinds.random_games.figures import EXACT, WINNERS, draw_numbers, label_shares
from experiments.kinds.random_games.sheets import percent, power
from numerics.output import tables
from numerics.output.captions import Caption, called, caption
from numerics.output.figures import Figure, draw_figures
from numerics.output.plots import legend_below
from numerics.output.sheets import Column, Facts, Row, Sheet, number
from numerics.output.style import PALETTE, estimates, line_style, plain

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes


Floats = npt.NDArray[np.float64]


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the tables of a sweep's runs together in `folder`, and draw lengths, shares and numbers."""
    finished = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not finished:
        return
    table = tables.joined([_row(job, varied) for job in finished])
    tables.write(table.drop(columns="label"), folder / "sweep.csv")
    frames = {name: _joined(finished, table, name) for name in ("lengths.csv", "counts.csv")}
    draw_figures(FIGURES, folder / "figures", {"sweep.csv": table, **frames}.get, {})


def draw_sweep_lengths(lengths: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw, for each run of a sweep, the share of games that have ended by a ply."""
    from matplotlib.ticker import MaxNLocator

    for index, (label, table) in enumerate(lengths.groupby("label", sort=False)):
        by_ply = table.groupby("plies")["games"].sum().sort_index()
        total = float(by_ply.sum())
        mean = float((by_ply.index.to_numpy(np.float64) * by_ply).sum()) / total
        style = line_style(index) | {"markevery": 0.12}
        axes.plot(
            by_ply.index,
            100.0 * by_ply.cumsum() / total,
            drawstyle="steps-post",
            linewidth=1.5,
            markersize=4.5,
            label=f"{called(str(label))}: {mean:.1f} plies in the mean",
            **style,
        )
    axes.set_xlabel("ply")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("games that have ended (%)")
    axes.set_ylim(0.0, 101.0)
    plain(axes)
    return Caption("A jump at a board's last ply is its draws", "How long games last")


def draw_sweep_shares(table: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw, for each run of a sweep, the shares of wins on the left and of draws on the right, with intervals."""
    left, right = figure.subplots(1, 2)
    x = np.arange(len(table), dtype=np.float64)
    for winner, shift in ((1, -0.08), (-1, 0.08)):
        name, colour = WINNERS[winner]
        _shares(left, x + shift, table, name, f"won by the {name}", colour, 100.0)
    left.set_ylabel("games (%)")
    left.set_ylim(bottom=0.0)
    caption(left, "Who wins; whiskers: 95 % (Wilson)")
    plain(left, "y")
    _shares(right, x, table, "draw", "measured", EXACT, 1.0)
    for source, marker, index in (("random filling", "s", 5), ("independent lines", "^", 4)):
        column = f"draw_{source.replace(' ', '_')}"
        if column in table and bool((table[column] > 0.0).any()):
            right.plot(
                x + 0.14,
                table[column].where(table[column] > 0.0),
                marker,
                color=PALETTE[index],
                label=source,
                markersize=5.0,
                markerfacecolor="none",
            )
    right.set_yscale("log")
    low, high = right.get_ylim()
    plain(right, "y")
    label_shares(right.yaxis, low, high)
    right.set_ylabel("P(draw)")
    none = "; triangle: no draw, upper end of the interval" if bool((table["draw"] == 0.0).any()) else ""
    caption(right, f"Draws; whiskers: 95 % (Clopper-Pearson){none}; models: full board coloured at random")
    for axes in (left, right):
        _categories(axes, [str(label) for label in table["label"]])
    return Caption("", "Who wins, and how often nobody does")


def _shares(axes: Axes, x: Floats, table: pd.DataFrame, name: str, label: str, colour: str, scale: float) -> None:
    value, low, high = estimates(table, name, scale)
    value = np.where(value > 0.0, value, np.nan) if scale == 1.0 else value
    low = np.where(np.isnan(value), high, low)  # no draw at all: only the upper end of the interval is drawn
    axes.vlines(x, low, high, color=colour, linewidth=1.6)
    axes.plot(x[np.isnan(value)], high[np.isnan(value)], "v", color=colour, markersize=6.0)
    axes.plot(x, value, "o", color=colour, markersize=5.0, label=label)


def draw_sweep_counts(counts: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw, for each board of a sweep, the numbers of games and of positions: bounds, estimate, exact."""
    labels = list(map(str, dict.fromkeys(counts["label"])))
    places = {label: float(index) for index, label in enumerate(labels)}
    rows = counts[counts["ply"].isna()].assign(x=counts["label"].map(places))
    left, right = figure.subplots(1, 2)
    for axes, quantity, bounds, what in (
        (left, "finished", ("width^cells", "column orders"), "distinct finished games"),
        (right, "positions", ("3^cells", "gravity", "gravity and colours"), "distinct positions"),
    ):
        draw_numbers(axes, rows[rows["quantity"] == quantity], bounds, what.capitalize())
        axes.set_ylabel(what)
        _categories(axes, labels)
    legend_below(figure, [left, right])
    return Caption("", "How many games and positions there are")


def _categories(axes: Axes, names: Sequence[str]) -> None:
    """Write the labels of a sweep's runs below the axis."""
    labels = [called(name) for name in names]
    long = max(len(label) for label in labels) > 8
    axes.set_xticks(range(len(labels)), labels, rotation=25 if long else 0, ha="right" if long else "center")
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.grid(False, axis="x")


FIGURES = (
    Figure("lengths", "lengths.csv", draw_sweep_lengths, size=(8.4, 5.0)),
    Figure("shares", "sweep.csv", draw_sweep_shares, size=(10.4, 4.6), panels=True),
    Figure("counts", "counts.csv", draw_sweep_counts, size=(10.4, 5.0), panels=True),
)
"""The figures of a sweep: of lengths.csv and counts.csv of all runs, with a column `label`, and of its own table."""


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
    row.insert(0, "label", _label({**row.iloc[0], **job.overrides}, varied))
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
