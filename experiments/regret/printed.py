"""What runs of regret print: the problem before a run, the results and the tests of their differences after it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import Arms, tables
from bandits.click_log import CONFIDENCE, ClickLog, LoggedBernoulli
from experiments.report import console, p_text, say, say_places, text

if TYPE_CHECKING:
    import pandas as pd

LOG = "log.csv"
_ARMS_OF_A_LOG = 50  # that are printed


def say_problem(arms: Arms, note: str | None) -> None:
    """Say what is played; of a log, also what is known of it and of every arm."""
    say(note or arms.describe())
    if isinstance(arms, LoggedBernoulli):
        console().print(log_table(arms.log))


def say_problems(manifests: Mapping[str, Mapping[str, Any]]) -> None:
    """Say what the runs of a sweep played: once where it is the same, else before it the first run that did."""
    told: dict[str, str] = {}
    for label, manifest in manifests.items():
        told.setdefault(manifest.get("note") or manifest["arms"]["description"], label)
    for sentence, label in told.items():
        say(sentence if len(told) == 1 else f"{label}: {sentence}")


def log_table(log: ClickLog) -> Any:
    """Return the printed form of a log's estimates, the best first; of very many arms only the best."""
    from rich.table import Table

    table = log.table().sort_values("mean", ascending=False, kind="stable")
    shown = table[:_ARMS_OF_A_LOG]
    rest = len(table) - len(shown)
    more = f"; {rest:,} more {'arm is' if rest == 1 else 'arms are'} in {LOG}" if rest else ""
    printed = Table(title=f"arms by estimated mean, {100 * CONFIDENCE:.0f} % intervals of Clopper and Pearson{more}")
    printed.add_column("arm", overflow="fold")
    for name in ("impressions", "successes", "mean", "interval"):
        printed.add_column(name, justify="right")
    for _, row in shown.iterrows():
        printed.add_row(
            text(row["name"]), f"{row['impressions']:,}", f"{row['successes']:,}", f"{row['mean']:.4f}",
            f"{row['low']:.4f} to {row['high']:.4f}",
        )  # fmt: skip
    return printed


def say_results(folder: Path) -> None:
    """Print the summary of a run folder, the tests of its differences, and where its figures lie."""
    console().print(results_table(tables.read(folder / "summary.csv")))
    if (folder / "differences.csv").exists():
        console().print(differences_table(tables.read(folder / "differences.csv")))
    say_places(folder)


def results_table(summary: pd.DataFrame) -> Any:
    """Return the printed form of a summary table."""
    from rich.table import Table

    sizes = [
        f"{n} {what}{'s' * (n != '1')}"
        for n, what in ((_common(summary["runs"]), "replication"), (_common(summary["horizon"]), "pull"))
        if n
    ]
    table = Table(title="; ".join([" of ".join(sizes), "mean ± standard error"]).removeprefix("; "))
    for name in ("policy", "formula"):
        table.add_column(name, overflow="fold")
    for name in ("pseudo-regret", "realised regret", "gain", "best arm pulled", "Lai-Robbins C"):
        table.add_column(name, justify="right")
    for _, row in summary.iterrows():
        constant = row["lai_robbins_constant"]
        table.add_row(
            text(row["policy"]), text(row["formula"]),
            plus_minus(row["pseudo_regret_mean"], row["pseudo_regret_se"]),
            plus_minus(row["realised_regret_mean"], row["realised_regret_se"]),
            f"{row['gain_mean']:,.1f}", f"{100 * row['optimal_share']:.1f} %",
            "-" if constant != constant else f"{constant:.3f}",
        )  # fmt: skip
    return table


def differences_table(differences: pd.DataFrame) -> Any:
    """Return the printed form of the paired differences, the surest first."""
    from rich.table import Table

    table = Table(title="final pseudo-regret, a minus b, over the same random numbers; p adjusted for all pairs")
    for name in ("a", "b"):
        table.add_column(name, overflow="fold")
    for name in ("difference", "95 % interval", "a lower in", "p", "adjusted p"):
        table.add_column(name, justify="right")
    for _, row in differences.iterrows():
        interval = f"{row['ci_low']:+,.2f} to {row['ci_high']:+,.2f}" if row["ci_low"] == row["ci_low"] else "-"
        table.add_row(
            text(row["policy_a"]), text(row["policy_b"]), f"{row['difference_mean']:+,.2f}", interval,
            f"{100 * row['share_a_lower']:.0f} % of runs", p_text(row["p_value"]), p_text(row["p_adjusted"]),
        )  # fmt: skip
    return table


def _common(column: pd.Series[Any]) -> str | None:
    """Return the one value of a column, or None where rows differ."""
    return f"{column.iloc[0]:,}" if column.nunique() == 1 else None


def plus_minus(mean: float, error: float) -> str:
    """Write a mean with its standard error, or alone where there is none."""
    return f"{mean:,.2f}" if error != error else f"{mean:,.2f} ± {error:,.2f}"
