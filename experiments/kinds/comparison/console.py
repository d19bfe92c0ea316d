"""What a comparison prints: the summary of a run of regret, and the tests of all differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.console import p_text, print_fitted, say_places
from experiments.kinds.comparison import anytime
from experiments.replications.console import say_summary, words_and_numbers
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

OPTIONAL = ("a lower in",)  # columns that are not printed where a terminal has no room for all, the first ones first


def say_results(folder: Path, facts: Mapping[str, Any]) -> None:
    """Print the summary of a comparison, the tests of its differences, and where its tables and figures lie."""
    say_summary(folder)
    if (folder / "differences.csv").exists():
        differences = tables.read(folder / "differences.csv")
        print_fitted(lambda left_out: differences_table(differences, left_out), OPTIONAL)
    anytime.say(folder)
    say_places(folder)


def differences_table(differences: pd.DataFrame, left_out: Sequence[str] = ()) -> Table:
    """Return the printed form of the paired differences, the surest first, without the columns that are left out."""
    table = differences
    numbers = {
        "difference": [f"{mean:+,.2f}" for mean in table["difference_mean"]],
        "95 % interval": [
            f"{low:+,.2f} to {high:+,.2f}" if low == low else "-"
            for low, high in zip(table["ci_low"], table["ci_high"], strict=True)
        ],
        "a lower in": [f"{100 * share:.0f} % of runs" for share in table["share_a_lower"]],
        "p": [p_text(p) for p in table["p_adjusted"]],
    }
    title = (
        "final pseudo-regret, a minus b, over the same random numbers; equal ones count half as lower; "
        "intervals and p adjusted for all pairs (Bonferroni)"
    )
    return words_and_numbers(title, {"a": table["policy_a"], "b": table["policy_b"]}, numbers, left_out)
