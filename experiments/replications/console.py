"""What runs of regret print: the problem before a run, the results and the tests of their differences after it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import Arms
from bandits.arms.click_log import LEVEL, ClickLog, LoggedBernoulli
from bandits.arms.log_rows import shortened
from experiments.engine.console import console, print_fitted, say, say_places, text
from experiments.replications import caveats
from experiments.replications.arms import LOG
from numerics.output import tables
from numerics.output.style import ALIKE
from numerics.statistics.means import METHOD

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

_ARMS_OF_A_LOG = 50  # that are printed
_NAME = 120  # letters of an arm's name; the table on disk has all
_FOLDED = 20  # letters to which names and formulas are folded, where a table would be too wide
# Columns that are not printed where a terminal has no room for all, the first ones first.
OPTIONAL = ("reward sum", "Lai-Robbins C", "realised regret")


def say_problem(arms: Arms) -> None:
    """Say what is played; of a log, also what is known of it and of every arm."""
    say(note_of(arms) or arms.describe())
    if isinstance(arms, LoggedBernoulli):
        console().print(log_table(arms.log))


def say_amount(policies: Sequence[str], runs: int, horizon: int) -> None:
    """Say how much is played."""
    each = " by each policy" if len(policies) > 1 else ""
    say(f"{', '.join(policies)}: {runs:,} replication{'s' * (runs > 1)} of {horizon:,} pulls{each}")


def note_of(arms: Arms) -> str | None:
    """Return the summary of a click log, where the arms come from one."""
    return arms.log.summary() if isinstance(arms, LoggedBernoulli) else None


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
    printed = Table(
        title=f"arms by estimated mean; {100 - 100 * LEVEL:.0f} % intervals of each alone (Clopper and Pearson){more}"
    )
    printed.add_column("arm", overflow="fold")
    for name in ("impressions", "successes", "mean", "interval"):
        printed.add_column(name, justify="right")
    for _, row in shown.iterrows():
        printed.add_row(
            text(shortened(row["name"], _NAME)),
            f"{row['impressions']:,}",
            f"{row['successes']:,}",
            f"{row['mean']:.4f}",
            f"{row['low']:.4f} to {row['high']:.4f}",
        )
    return printed


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the summary of a run, and where its tables and figures lie."""
    say_summary(folder)
    say_places(folder)


def say_summary(folder: Path) -> None:
    """Print the summary of a run."""
    summary = tables.read(folder / "summary.csv")
    print_fitted(lambda left_out: results_table(summary, left_out), OPTIONAL)
    for sentence in caveats.of_intervals(summary):
        say(sentence)


def results_table(summary: pd.DataFrame, left_out: Sequence[str] = ()) -> Table:
    """Return the printed form of a summary table, without the columns that are left out."""
    sizes = [
        f"{n} {what}{'s' * (n != '1')}"
        for n, what in ((_common(summary["runs"]), "replication"), (_common(summary["horizon"]), "pull"))
        if n
    ]
    title = "; ".join(
        [" of ".join(sizes), f"pseudo-regret with its 95 % interval ({METHOD}), realised ± standard error"]
    ).removeprefix("; ")
    constants = summary["lai_robbins_constant"]
    if len(summary) > 1 and constants.nunique() == 1:  # it belongs to the arms: once, not in every row
        title += f"; Lai-Robbins C of these arms: {constants.iloc[0]:.3f}"
        left_out = [*left_out, "Lai-Robbins C"]
    surely, errors = (
        zip(*(summary[f"{kind}_{name}"] for name in names), strict=True)
        for kind, names in (("pseudo_regret", ("mean", "low", "high")), ("realised_regret", ("mean", "se")))
    )
    numbers = {
        "pseudo-regret": [_surely(mean, mean - low, high - mean) for mean, low, high in surely],
        "realised regret": [plus_minus(mean, error) for mean, error in errors],
        "reward sum": [f"{total:,.1f}" for total in summary["reward_sum_mean"]],
        "best arm pulled": [f"{100 * share:.1f} %" for share in summary["optimal_share"]],
        "Lai-Robbins C": ["-" if c != c else f"{c:.3f}" for c in constants],
    }
    return words_and_numbers(title, {name: summary[name] for name in ("policy", "formula")}, numbers, left_out)


def words_and_numbers(
    title: str, words: Mapping[str, Iterable[str]], numbers: Mapping[str, Iterable[str]], left_out: Sequence[str]
) -> Table:
    """Return a printed table of columns of words, which may be folded, and of numbers."""
    from rich.table import Table

    table, cells = Table(title=title), list[list[Any]]()
    for name, column in {**words, **numbers}.items():
        if name in left_out:
            continue
        written = [str(cell) for cell in column]
        longest = max(map(len, [name, *written]))
        if name in words:
            table.add_column(name, overflow="fold", min_width=min(longest, _FOLDED))
        else:
            table.add_column(name, justify="right", min_width=longest)
        cells.append([text(cell) for cell in written])
    for row in zip(*cells, strict=True):
        table.add_row(*row)
    return table


def _common(column: pd.Series[Any]) -> str | None:
    """Return the one value of a column, or None where rows differ."""
    return f"{column.iloc[0]:,}" if column.nunique() == 1 else None


def _surely(mean: float, down: float, up: float) -> str:
    """Write a mean and how far the ends of its interval are, as one number if they are about alike."""
    if math.isnan(up):
        return f"{mean:,.2f}"
    alike = max(up, down) <= ALIKE * min(up, down)
    return f"{mean:,.2f} ± {max(up, down):,.2f}" if alike else f"{mean:,.2f} +{up:,.2f} −{down:,.2f}"


def plus_minus(mean: float, error: float) -> str:
    """Write a mean with its standard error, or alone where there is none."""
    return f"{mean:,.2f}" if error != error else f"{mean:,.2f} ± {error:,.2f}"
