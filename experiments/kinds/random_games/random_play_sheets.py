"""How people read random play: who wins and how fast, which laws fit, how many games there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.output import tables
from numerics.output.sheets import MISSING, Column, Facts, Row, Sheet, is_known, number, p_value, word
from numerics.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

WON_BY = {"first": "by the first", "second": "by the second", "both": "by either"}
QUANTITIES = {"finished": "distinct finished games", "positions": "distinct positions"}
_RESULTS = {"first": "the first player wins", "second": "the second wins", "draw": "draw"}
_MANY = 1_000  # games of a group from which a law that is not rejected is near
SHOWN = 2  # laws of each group in the sheet


def _results(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return one row a result of random play, then one a player where there are players."""
    whole = tables.read(folder / "summary.csv").iloc[0]
    rows: list[dict[str, Any]] = [
        {
            "result": words,
            "games": whole[f"{name}_games"],
            "share": whole[name],
            "low": whole[f"{name}_low"],
            "high": whole[f"{name}_high"],
            "exact": whole[f"exact_{name}"],
            "length": whole.get(f"length_mean_{name}"),
            "deviation": whole.get(f"length_deviation_{name}"),
        }
        for name, words in _RESULTS.items()
    ]
    for player in ("player1", "player2") if is_known(whole["player1_wins"]) else ():
        wins, games = whole[f"{player}_wins"], int(whole["games"])
        low, high = wilson(wins, games)
        rows.append({"result": f"{whole[player]} wins", "games": wins, "share": wins / games, "low": low, "high": high})
    return tables.table_of(rows)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say how many games there were, and how long they took."""
    row = tables.read(folder / "summary.csv").iloc[0]
    lost = f"; {row['forfeits']:,.0f} more were forfeited" if row["forfeits"] else ""
    exact = f", exactly {row['exact_mean_length']:.6f}" if is_known(row["exact_draw"]) else ""
    length = f"{row['length_mean']:.3f} ± {row['length_error']:.3f} plies{exact}"
    return [f"{row['games']:,.0f} games{lost}; mean length {length}"]


def _length(row: Row) -> str:
    known_length = is_known(row["length"]) and is_known(row["deviation"])
    return f"{row['length']:.2f} ± {row['deviation']:.2f}" if known_length else MISSING


RESULTS = Sheet(
    "summary.csv",
    "results of random play",
    (
        word("result"),
        number("games", form=",.0f"),
        Column("share", lambda row: percent(row["share"]), "share"),
        Column("95 % interval", lambda row: f"{percent(row['low'])} to {percent(row['high'])}", "low"),
        Column("exactly", lambda row: percent(row["exact"]), "exact"),
        Column("plies, mean ± deviation", _length, "length", optional=1),
    ),
    read=_results,
)


def verdict(law: Row) -> str:
    """Say whether a law is rejected, and where a test of few games says little by not rejecting it."""
    few = law["verdict"] == "not rejected" and law["games"] < _MANY
    return f"not rejected, but {law['games']:,.0f} games have little power" if few else str(law["verdict"])


def _laws(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the laws that come nearest to the lengths of each group of games."""
    laws = tables.read(folder / "laws.csv")
    return laws.groupby(["first_player", "won_by"], sort=False).head(SHOWN)


def _columns_of_laws(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    return [
        *([word("moving first", "first_player")] if frame["first_player"].nunique() > 1 else []),
        Column("games won", lambda row: WON_BY[row["won_by"]], number=False),
        word("law"),
        word("parameters", optional=3),
        number("chi-square", "chi_square", ",.1f", optional=1),
        number("degrees", form=".0f", optional=2),
        p_value("p", "p_value"),
        Column("total variation", lambda row: percent(row["total_variation"]), "total_variation"),
        Column("verdict", verdict, number=False),
    ]


LAWS = Sheet(
    "laws.csv",
    f"length of the game: the {SHOWN} best-fitting distributions of each group",
    _columns_of_laws,
    read=_laws,
    group=lambda row: (row["first_player"], row["won_by"]),
)


def _totals(folder: Path, facts: Facts) -> pd.DataFrame:
    counts = tables.read(folder / "counts.csv")
    order = {quantity: row for row, quantity in enumerate(QUANTITIES)}
    totals = counts[counts["ply"].isna() & counts["quantity"].isin(list(order))]
    return totals.sort_values("quantity", key=lambda names: names.map(order), kind="stable")


def _source(row: Row) -> str:
    return row["source"] if row["source"] in ("estimate", "exact", "published") else f"at most {row['source']}"


def _count(row: Row) -> str:
    return f"{row['value']:,.0f}" if row["source"] in ("exact", "published") else power(row["log10"])


def _count_interval(row: Row) -> str:
    return f"{power(row['log10_low'])} to {power(row['log10_high'])}" if row["source"] == "estimate" else MISSING


def _paths(row: Row) -> str:
    few = "" if row["reliable"] == "yes" else ", too few for a reliable interval"
    return f"{row['effective']:,.0f}{few}" if row["source"] == "estimate" else MISSING


COUNTS = Sheet(
    "counts.csv",
    "numbers of the board; estimates by Knuth's random paths",
    (
        Column("number of", lambda row: QUANTITIES[row["quantity"]], number=False),
        Column("by", _source, number=False),
        Column("number", _count, "log10"),
        Column("95 % interval", _count_interval, "log10_low"),
        Column("effective paths", _paths, "effective", optional=1),
    ),
    read=_totals,
    group=lambda row: row["quantity"],
)


def percent(share: float) -> str:
    """Write a share in percent, small ones with the digits they need."""
    if share != share:
        return "-"
    return f"{100.0 * share:.2f} %" if share >= 0.005 else f"{100.0 * share:.2g} %"


def power(log10: float) -> str:
    """Write a number given by its decimal logarithm, to three figures from a million on; NaN stands for 0."""
    if log10 != log10:
        return "0"
    if log10 < 6.0:
        return f"{10.0**log10:,.0f}"
    exponent = int(log10)
    mantissa = round(10.0 ** (log10 - exponent), 2)
    if mantissa >= 10.0:
        mantissa, exponent = mantissa / 10.0, exponent + 1
    return f"{mantissa:.2f}e{exponent}"
