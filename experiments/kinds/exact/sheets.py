"""How people read exact expectations: a row a policy, the least regret first."""

from __future__ import annotations

from pathlib import Path

from bandits import BayesOptimal
from numerics.output import tables
from numerics.output.sheets import Facts, Sheet, number, word

EXPECTED = Sheet(
    "exact.csv",
    lambda frame, facts: (
        f"after {frame['horizon'].iloc[0]:,} pulls, computed without simulation: all digits shown are right"
    ),
    (
        word("policy"),
        number("mean regret", "regret_mean", ".6f"),
        number("std. dev. of regret", "regret_sd", ".6f", optional=1),
        number("mean gain", "gain_mean", ".6f"),
        number("std. dev. of gain", "gain_sd", ".6f", optional=2),
        number("best arm most pulled", "best_arm_most_pulled", ".6f"),
    ),
    read=lambda folder, facts: tables.read(folder / "exact.csv").sort_values("regret_mean"),
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say for which arms the best policy is the best."""
    optimal = BayesOptimal()
    if facts["averaged"] or optimal.formula not in set(tables.read(folder / "exact.csv")["formula"]):
        return []
    return [f"{optimal.name} has the least regret on average over uniform means; at these another may have less"]
