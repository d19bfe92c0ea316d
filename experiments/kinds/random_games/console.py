"""What random play prints: who wins and how fast, which laws fit, how many games there are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.players.labels import short_columns
from numerics.output import tables
from numerics.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

WON_BY = {"first": "by the first", "second": "by the second", "both": "by either"}
QUANTITIES = {"finished": "distinct finished games", "positions": "distinct positions"}
_MANY = 1_000  # games of a group from which a law that is not rejected is near
SHOWN = 2  # laws of each group that are printed


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the tables of a run's folder in short, and where they lie."""
    summary = tables.read(folder / "summary.csv")
    report.console().print(results_table(summary.iloc[0].to_dict(), tables.read(folder / "draws.csv")))
    laws = tables.read(folder / "laws.csv")
    if len(laws):
        report.console().print(laws_table(laws))
    if (folder / "counts.csv").exists():
        report.console().print(counts_table(tables.read(folder / "counts.csv")))
    report.say_places(folder)


def results_table(row: Mapping[Any, Any], draws: pd.DataFrame) -> Any:
    """Return the printed form of the results, and of what is said of the share of draws otherwise."""
    from rich.table import Table
    from rich.text import Text

    exact = bool(row["exact_draw"] == row["exact_draw"])
    lost = f"; {row['forfeits']:,.0f} more were forfeited" if row["forfeits"] else ""
    table = Table(
        title=f"{row['games']:,.0f} games{lost}; mean length {row['length_mean']:.3f} ± {row['length_error']:.3f} plies"
        + (f", exactly {row['exact_mean_length']:.6f}" if exact else ""),
        title_justify="left",
    )
    for name in ("result", "games", "share", "95 % interval", "exactly", "plies, mean ± deviation"):
        table.add_column(name, justify="left" if name == "result" else "right")
    for name, what in {"first": "the first player wins", "second": "the second wins", "draw": "draw"}.items():
        length = "" if name == "draw" else f"{row[f'length_mean_{name}']:.2f} ± {row[f'length_deviation_{name}']:.2f}"
        table.add_row(
            what,
            f"{row[f'{name}_games']:,.0f}",
            percent(row[name]),
            f"{percent(row[f'{name}_low'])} to {percent(row[f'{name}_high'])}",
            percent(row[f"exact_{name}"]) if exact else "-",
            "-" if "nan" in length else length,
        )
    models = draws[~draws["source"].isin(["measured", "exact"])]
    if row["player1_wins"] == row["player1_wins"]:
        for player in ("player1", "player2"):
            wins = row[f"{player}_wins"]
            low, high = wilson(wins, int(row["games"]))
            interval = f"{percent(low)} to {percent(high)}"
            table.add_row(Text(f"{row[player]} wins"), f"{wins:,.0f}", percent(wins / row["games"]), interval, "-", "-")
    table.caption = "P(draw) of random play by models: " + ", ".join(
        f"{source} {'at most ' if source == 'disjoint lines' else ''}{percent(value)}"
        for source, value in zip(models["source"], models["value"], strict=True)
    )
    return table


def verdict(law: pd.Series[Any]) -> str:
    """Say whether a law is rejected, and where a test of few games says little by not rejecting it."""
    few = law["verdict"] == "not rejected" and law["games"] < _MANY
    return f"not rejected, but {law['games']:,.0f} games reject little" if few else str(law["verdict"])


def laws_table(laws: pd.DataFrame) -> Any:
    """Return the printed form of the laws that come nearest to the lengths."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=f"length of the game: the {SHOWN} nearest laws of each group; all in laws.csv", title_justify="left"
    )
    several = laws["first_player"].nunique() > 1
    for name in [*(["moving first"] if several else []), "games won", "law", "parameters"]:
        table.add_column(name, overflow="fold")
    for name in ("chi-square", "degrees", "p", "total variation"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for (mover, won), group in short_columns(laws, "first_player").groupby(["first_player", "won_by"], sort=False):
        for _, law in group.head(SHOWN).iterrows():
            table.add_row(
                *([Text(str(mover))] if several else []),
                WON_BY[str(won)],
                law["law"],
                law["parameters"],
                f"{law['chi_square']:,.1f}",
                f"{law['degrees']:.0f}",
                report.p_text(law["p_value"]),
                percent(law["total_variation"]),
                verdict(law),
            )
    return table


def counts_table(counts: pd.DataFrame) -> Any:
    """Return the printed form of the total numbers of games and positions."""
    from rich.table import Table

    table = Table(title="numbers of the board; estimates by Knuth's random paths", title_justify="left")
    for name in ("number of", "by"):
        table.add_column(name)
    for name in ("number", "95 % interval", "effective paths"):
        table.add_column(name, justify="right")
    totals = counts[counts["ply"].isna()]
    for quantity, what in QUANTITIES.items():
        for _, row in totals[totals["quantity"] == quantity].iterrows():
            estimate = row["source"] == "estimate"
            interval = f"{power(row['log10_low'])} to {power(row['log10_high'])}" if estimate else ""
            few = "" if row["reliable"] == "yes" else ", too few to trust the interval"
            bound = row["source"] not in ("estimate", "exact", "published")
            table.add_row(
                what,
                f"at most {row['source']}" if bound else row["source"],
                f"{row['value']:,.0f}" if row["source"] in ("exact", "published") else power(row["log10"]),
                interval,
                f"{row['effective']:,.0f}{few}" if estimate else "",
            )
    return table


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
