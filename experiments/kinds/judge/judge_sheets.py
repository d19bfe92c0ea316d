"""How people read the judge: what an engine's moves are worth, beside known engines, by kind and ply; its values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.graded_positions.choices import with_times
from experiments.graded_positions.moves import KEEPS_VALUE, plies_in
from experiments.kinds.judge.reference import BESIDE, TOTAL
from experiments.kinds.judge.results import KINDS
from numerics.output import tables
from numerics.output.sheets import MISSING, Column, Facts, Sheet, interval, number, word

if TYPE_CHECKING:
    import pandas as pd

_LEAST = 1_000  # simulations of the known engines in the sheet
_FEWEST = 200  # positions that are worth a sheet by stones on the board
_DEFINITION = (
    "a move keeps the value of a position if a win stays a win and a draw a draw; points lost: score of the best move "
    "minus score of the move played"
)
_POINTS = "; a win two plies later costs one point"  # of Connect 4


def read_known_engines(folder: Path) -> pd.DataFrame | None:
    """Return the table of known engines in a run folder; None where its board has none."""
    path = folder / "reference.csv"
    engines = tables.read(path) if path.is_file() else None
    return None if engines is None or engines.empty else engines


def summary_of(folder: Path) -> pd.DataFrame:
    """Return the summary of a run with the median time of a move, and Brier scores."""
    summary, timings, calibration = (
        tables.read(folder / name) for name in ("summary.csv", "timings.parquet", "calibration.csv")
    )
    scores = calibration.set_index("player").reindex(summary["player"]).reset_index()
    return with_times(summary, timings).assign(brier=scores["brier"], dropped=scores["dropped"])


def _league(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the engines among known ones, those that keep the fewest values first; a sign tells them apart."""
    summary, reference = summary_of(folder).assign(judged=True), read_known_engines(folder)
    if reference is not None:
        whole = reference[(reference["kind"] == TOTAL) & ~(reference["simulations"] < _LEAST).fillna(False)]
        names = [name_of(row) for row in whole.to_dict("records")]
        summary = summary.assign(player="> " + summary["player"])
        summary = tables.join_tables([summary, whole.assign(player=names, judged=False)])
    return summary.sort_values(["keeps_value", "judged"], ignore_index=True)


def _brier(row: Mapping[Any, Any]) -> str:
    """Write a Brier score, and how many pairs it leaves out."""
    score, dropped = row["brier"], row.get("dropped", 0)
    return MISSING if score != score else f"{score:.3f}" + (f", {dropped:,.0f} dropped" if dropped > 0 else "")


def _pace(row: Mapping[Any, Any]) -> str:
    """Write the time of a move."""
    milliseconds = 1e3 * row["seconds"]
    return f"{milliseconds:,.2g} ms" if milliseconds < 99.5 else f"{milliseconds:,.0f} ms"


LEAGUE = Sheet(
    "summary.csv",
    lambda frame, facts: f"moves in {facts['positions']:,} positions, judged by exact scores; intervals: 95 %",
    (
        word("player"),
        KEEPS_VALUE,
        interval("best move, %", "best", scale=100, optional=3),
        interval("points lost", "loss", ".2f", optional=1),
        Column("Brier score", _brier, "brier", optional=2),
        Column("time per move", _pace, "seconds"),
    ),
    read=_league,
)


def name_of(row: Mapping[Any, Any]) -> str:
    """Return what a known engine is called: its name and its simulations."""
    n = row["simulations"]
    return str(row["engine"]) if n is None or n != n else f"{row['engine']}, {int(n):,} simulations"


def _by_kind(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return one row a kind of positions, with the rates of each player and known engine in columns of its name."""
    rates, reference, rows = tables.read(folder / "by_kind.csv"), read_known_engines(folder), []
    for kind in KINDS:
        of_kind = rates[rates["kind"] == kind]
        if of_kind.empty:
            continue
        row: dict[Any, Any] = of_kind.iloc[0][["kind", "positions", "chance"]].to_dict()
        for judged in of_kind.to_dict("records"):
            row |= {f"{judged['player']}{end}": judged[f"keeps_value{end}"] for end in ("", "_low", "_high")}
        for engine, simulations in BESIDE.items():
            kept = _kept_by(reference, engine, simulations, kind)
            row |= {f"{engine}, {simulations:,}": value for value in kept}
        rows.append(row)
    return tables.table_of(rows)


def _columns_by_kind(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    engines = [name for name in frame.columns if not name.endswith(("_low", "_high"))][3:]
    return [
        word("kind"),
        number("positions"),
        number("random move", "chance", ".1f", 100),
        *(
            interval(name, scale=100) if f"{name}_low" in frame.columns else number(name, form=".1f", scale=100)
            for name in engines
        ),
    ]


BY_KIND = Sheet("by_kind.csv", "keeps the value, %, by kind of positions", _columns_by_kind, read=_by_kind, leading=1)


def _kept_by(reference: pd.DataFrame | None, engine: str, simulations: int, kind: str) -> list[float]:
    """Return how often a known engine keeps the value in positions of a kind; empty where it is not known."""
    if reference is None:
        return []
    same = (reference["engine"] == engine) & (reference["simulations"] == simulations) & (reference["kind"] == kind)
    return reference.loc[same.fillna(False), "keeps_value"].tolist()[:1]


def _by_plies(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return one row a player with a column for each range of stones; none of few positions."""
    rates = tables.read(folder / "by_plies.csv")
    order = list(dict.fromkeys(rates["player"]))
    wide = rates.pivot(index="player", columns="ply", values="keeps_value").loc[order]
    starts = [int(start) for start in wide.columns]
    step = int(min(np.diff(starts), default=1))
    wide.columns = [str(start) if step == 1 else f"{start} to {start + step - 1}" for start in starts]
    return wide.reset_index().head(len(wide) if facts["positions"] >= _FEWEST else 0)


BY_PLIES = Sheet(
    "by_plies.csv",
    lambda frame, facts: f"keeps the value, %, by {plies_in(facts)}",
    lambda frame, facts: [
        word("player"),
        *(number(name, form=".0f", scale=100) for name in frame.columns if name != "player"),
    ],
    read=_by_plies,
    leading=1,
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what the columns mean, how sure the totals are, which search does as well, and how far to trust values."""
    reference = read_known_engines(folder)
    totals = [line for row in summary_of(folder).to_dict("records") for line in sentences(row, reference, facts)]
    calibration = tables.read(folder / "calibration.csv")
    rows = []
    if reference is not None:  # not all rows were measured on the same positions
        positions = int(reference.loc[reference["kind"] == TOTAL, "positions"].iloc[0])
        rows.append(
            f"rows with > are measured on the {facts['positions']:,} positions of this run; the others are reference "
            f"engines, measured earlier on {positions:,} positions"
        )
    definition = _DEFINITION + ("" if "game" in facts else _POINTS)
    return [definition, *rows, *totals, *(of_values(row) for row in calibration.to_dict("records"))]


def sentences(row: Mapping[Any, Any], reference: pd.DataFrame | None, facts: Mapping[str, Any]) -> list[str]:
    """Return what the total says in words: how sure it is, and which search does as well."""
    half = 50.0 * (row["keeps_value_high"] - row["keeps_value_low"])
    sentences = [
        f"{row['player']}: keeps the value in {100 * row['keeps_value']:.1f} % ± {half:.1f} points of "
        f"{row['positions']:,} positions; a random move in {facts['chance']:.1f} %"
    ]
    if reference is not None:
        sentences.append(f"{row['player']}: {as_uct(float(row['keeps_value']), reference)}")
    return sentences


def as_uct(kept: float, reference: pd.DataFrame) -> str:
    """Say how many simulations of plain UCT keep the value as often, from the lines between those measured.

    Examples
    --------
    >>> import pandas as pd
    >>> uct = {"engine": "UCT", "kind": "all"}
    >>> table = pd.DataFrame([{**uct, "simulations": n, "keeps_value": p} for n, p in ((100, 0.7), (10_000, 0.9))])
    >>> as_uct(0.8, table)
    'keeps the value as often as UCT with about 1,000 simulations a move'
    >>> as_uct(0.95, table)
    'keeps the value more often than UCT with 10,000 simulations a move'
    """
    uct = reference[(reference["engine"] == "UCT") & (reference["kind"] == TOTAL)].sort_values("simulations")
    n, rates = uct["simulations"].to_numpy(np.float64), np.maximum.accumulate(uct["keeps_value"].to_numpy(np.float64))
    for end, than in ((0, "less"), (-1, "more")):
        if kept < rates[0] if end == 0 else kept > rates[-1]:
            return f"keeps the value {than} often than UCT with {n[end]:,.0f} simulations a move"
    simulations = 10.0 ** np.interp(kept, rates, np.log10(n))
    digits = int(np.log10(simulations))
    return f"keeps the value as often as UCT with about {round(simulations, -digits):,.0f} simulations a move"


def of_values(row: Mapping[Any, Any]) -> str:
    """Say how far the engine's values are to be trusted."""
    if not row["pairs"]:
        return f"{row['player']}: gives no values of positions, so none are judged"
    ends = f" ({row['brier_low']:.3f} to {row['brier_high']:.3f})" if row["pairs"] > 1 else ""
    dropped = f"; {row['dropped']:,} pairs with a missing value are excluded" if row["dropped"] else ""
    return (
        f"{row['player']}: Brier score of its values {row['brier']:.3f}{ends}, from {row['pairs']:,} pairs of "
        f"positions, before and after a best move{dropped}; baselines: {row['brier_of_half']:.3f} for a constant "
        "1/2, 0 for exact values"
    )
