"""The judge's report: what the engine's moves are worth, beside known engines, by kind and ply, and its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.graded_positions.cells import kept_cell, loss_cell, percent_cell, players_table
from experiments.kinds.judge.reference import TOTAL
from experiments.kinds.judge.tables import KINDS
from experiments.players.labels import short_columns
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_LEAST = 1_000  # simulations of the known engines that are printed
_BESIDE = (("UCT", 10_000), ("UCT best", 10_000))  # in the table by kind
_BEST, _POINTS, _BRIER = "best move, %", "points lost", "Brier score"  # columns that a narrow terminal does without
_DEFINITION = (
    "a move keeps the value of a position if a win stays a win and a draw a draw; points lost are those of its score "
    "below the best move's, one point for a win two plies later"
)


def say_judge(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the tables of a run folder, and what they say in words."""
    names = ("summary.csv", "timings.parquet", "by_kind.csv", "by_plies.csv", "calibration.csv", "choices.parquet")
    summary, timings, kinds, plies, calibration, choices = (
        short_columns(tables.read(folder / name), "player") for name in names
    )
    reference = known(folder)
    seconds = timings.groupby("player")["seconds"].median()
    brier = calibration.set_index("player")["brier"]
    summary = summary.assign(seconds=summary["player"].map(seconds), brier=summary["player"].map(brier))
    report.print_fitted(lambda left_out: league(summary, reference, left_out), (_BEST, _BRIER, _POINTS))
    report.say(_DEFINITION)
    report.console().print(by_kind(kinds, reference))
    if facts["positions"] >= 200:
        report.console().print(by_plies(plies))
    for row in summary.to_dict("records"):
        for line in sentences(row, reference, facts):
            report.say(line)
    for row in calibration.to_dict("records"):
        report.say(of_values(row))
    for player, own in choices[choices["failure"] != ""].groupby("player", sort=False):
        first = own.iloc[0]
        report.say(
            f"{player}: no legal move in {len(own):,} of {facts['positions']:,}, counted as lost "
            f"(first in position {first.position}: {first.failure})"
        )
    report.say_places(folder)


def known(folder: Path) -> pd.DataFrame | None:
    """Return the table of known engines in a run folder; None where its board has none."""
    path = folder / "reference.csv"
    found = tables.read(path) if path.is_file() else None
    return None if found is None or found.empty else found


def league(summary: pd.DataFrame, reference: pd.DataFrame | None, left_out: Sequence[str] = ()) -> Any:
    """Return the printed table of the engine among known ones, from the fewest values kept on."""
    rows = [{**row, "told": row["player"], "own": True} for row in summary.to_dict("records")]
    if reference is not None:
        whole = reference[(reference["kind"] == TOTAL) & ~(reference["simulations"] < _LEAST).fillna(False)]
        rows += [{**row, "told": name_of(row), "own": False} for row in whole.to_dict("records")]
    rows.sort(key=lambda row: (row["keeps_value"], row["own"]))
    positions = int(summary["positions"].iloc[0])
    cells: dict[str, Callable[[Mapping[Any, Any]], str]] = {
        "keeps the value, %": kept_cell,
        _BEST: lambda row: percent_cell(row, "best"),
        _POINTS: loss_cell,
        _BRIER: lambda row: "" if row["brier"] != row["brier"] else f"{row['brier']:.3f}",
        "time a move": lambda row: time_of(row["seconds"]),
    }
    heads = [head for head in cells if head not in left_out]
    title = f"moves in {positions:,} positions, judged by exact scores; intervals: 95 %"
    table = players_table((row["told"] for row in rows), title, *heads)
    for row in rows:
        style = "bold" if row["own"] and reference is not None else None
        told = f"> {row['told']}" if style else row["told"]
        table.add_row(report.text(told), *(cells[head](row) for head in heads), style=style)
    return table


def name_of(row: Mapping[Any, Any]) -> str:
    """Return what a known engine is called: its name and its simulations."""
    n = row["simulations"]
    return str(row["engine"]) if n is None or n != n else f"{row['engine']}, {int(n):,} simulations"


def time_of(seconds: float) -> str:
    """Write a time of a move."""
    return f"{1e3 * seconds:,.2g} ms" if seconds < 0.0995 else f"{1e3 * seconds:,.0f} ms"


def by_kind(kinds: pd.DataFrame, reference: pd.DataFrame | None) -> Any:
    """Return the printed table of the kinds of positions."""
    from rich.table import Table

    players = list(dict.fromkeys(kinds["player"]))
    table = Table(title=report.text("keeps the value, %, by kind of positions"), title_justify="left")
    beside = [] if reference is None else [one for one in _BESIDE if len(_row_of(reference, *one, TOTAL))]
    for name in ("kind", "positions", "random move", *players, *(f"{name}, {n:,}" for name, n in beside)):
        table.add_column(report.text(name), justify="left" if name == "kind" else "right")
    for kind in KINDS:
        own = kinds[kinds["kind"] == kind].set_index("player")
        if own.empty:
            continue
        cells = [kind, f"{int(own['positions'].iloc[0]):,}", f"{100 * own['chance'].iloc[0]:.1f}"]
        cells += [kept_cell(own.loc[player].to_dict()) for player in players]
        for name, n in beside:
            assert reference is not None
            found = _row_of(reference, name, n, kind)
            cells.append(f"{100 * found['keeps_value'].iloc[0]:.1f}" if len(found) else "")
        table.add_row(*cells)
    return table


def _row_of(reference: pd.DataFrame, engine: str, simulations: int, kind: str) -> pd.DataFrame:
    """Return the row of a known engine, or none."""
    same = (reference["engine"] == engine) & (reference["simulations"] == simulations) & (reference["kind"] == kind)
    return reference[same.fillna(False)]


def by_plies(plies: pd.DataFrame) -> Any:
    """Return the printed table of how often the value is kept, by the stones on the board."""
    starts = sorted(set(plies["ply"]))
    step = min(np.diff(starts), default=1)
    heads = [str(one) if step == 1 else f"{one} to {one + step - 1}" for one in starts]
    table = players_table(plies["player"], "keeps the value, %, by stones on the board", *heads)
    for player, own in plies.groupby("player", sort=False):
        kept = own.set_index("ply")["keeps_value"]
        table.add_row(report.text(player), *(f"{100 * kept[one]:.0f}" if one in kept else "" for one in starts))
    return table


def sentences(row: Mapping[Any, Any], reference: pd.DataFrame | None, facts: Mapping[str, Any]) -> list[str]:
    """Return what the total says in words: how sure it is, and which search does as well."""
    half = 50.0 * (row["keeps_value_high"] - row["keeps_value_low"])
    said = [
        f"{row['player']}: keeps the value in {100 * row['keeps_value']:.1f} %, ± {half:.1f} points with "
        f"{row['positions']:,} positions; a random move in {facts['chance']:.1f} %"
    ]
    if reference is not None:
        said.append(f"{row['player']}: {as_uct(float(row['keeps_value']), reference)}")
    return said


def as_uct(kept: float, reference: pd.DataFrame) -> str:
    """Say how many simulations of plain UCT keep the value as often, from the lines between those measured.

    Examples
    --------
    >>> import pandas as pd
    >>> one = {"engine": "UCT", "kind": "all"}
    >>> table = pd.DataFrame([{**one, "simulations": n, "keeps_value": p} for n, p in ((100, 0.7), (10_000, 0.9))])
    >>> as_uct(0.8, table)
    'keeps the value as often as UCT with about 1,000 simulations a move'
    >>> as_uct(0.95, table)
    'keeps the value more often than UCT with 10,000 simulations a move'
    """
    uct = reference[(reference["engine"] == "UCT") & (reference["kind"] == TOTAL)].sort_values("simulations")
    n, rates = uct["simulations"].to_numpy(np.float64), np.maximum.accumulate(uct["keeps_value"].to_numpy(np.float64))
    for end, word in ((0, "less"), (-1, "more")):
        if kept < rates[0] if end == 0 else kept > rates[-1]:
            return f"keeps the value {word} often than UCT with {n[end]:,.0f} simulations a move"
    found = 10.0 ** np.interp(kept, rates, np.log10(n))
    digits = int(np.log10(found))
    return f"keeps the value as often as UCT with about {round(found, -digits):,.0f} simulations a move"


def of_values(row: Mapping[Any, Any]) -> str:
    """Say how far the engine's values are to be trusted."""
    if not row["pairs"]:
        return f"{row['player']}: says no values of positions, so that none are judged"
    ends = f" ({row['brier_low']:.3f} to {row['brier_high']:.3f})" if row["pairs"] > 1 else ""
    return (
        f"{row['player']}: Brier score of its values {row['brier']:.3f}{ends}, from {row['pairs']:,} pairs of "
        f"positions, before and after a best move; always 1/2 would get {row['brier_of_half']:.3f}, the truth 0"
    )
