"""Caveats that a reader must know before relying on the regret of some policies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.replications.arms import LOG
from numerics.output import tables
from numerics.statistics.means import FEWEST, SKEWED

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 4  # pairs, or policies


def of_regret(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a run of regret: few replications, a line that is not a bound, means from a log."""
    summary = tables.read(folder / "summary.csv")
    caveats = of_intervals(summary)
    if summary["lai_robbins_constant"].notna().any():
        caveats.append("The Lai-Robbins line is a slope for large t; it bounds nothing at the horizon shown.")
    arms = facts.get("arms", {})
    caveats += [caveat for caveat in (arms.get("no_bound"), facts.get("beyond_theory")) if caveat]
    if (folder / LOG).exists():
        caveats.append(
            "The means are estimates from a log, so the run says how fast a policy learns if they were true, not which "
            "arm is best."
        )
    return caveats


def of_intervals(summary: pd.DataFrame) -> list[str]:
    """Return the caveats of the intervals of the mean regret: too few replications, or too skewed ones."""
    runs, caveats = int(summary["runs"].min()), []
    if runs < FEWEST:
        caveats.append(
            f"Only {runs} replication{'s' * (runs > 1)}: rare large regrets are not among so few, and the intervals "
            "are too narrow for policies that have them."
        )
    skewed = summary[summary["pseudo_regret_skewness"].abs() > SKEWED * np.sqrt(summary["runs"])]
    named = ", ".join(skewed["policy"][:_NAMED]) + f" and {len(skewed) - _NAMED} more" * (len(skewed) > _NAMED)
    if runs >= FEWEST and named:
        caveats.append(
            f"The mean regret of {named} rests on few of its replications: the interval is wide and may yet be short; "
            "more replications narrow it."
        )
    return caveats


def of_comparison(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats of a run of regret, and the pairs of policies that it cannot distinguish."""
    caveats = of_regret(folder, facts)
    if (folder / "differences.csv").exists():
        table = tables.read(folder / "differences.csv")
        alike = table[~(table["p_adjusted"] < 0.05)]
        pairs = [f"{a} and {b}" for a, b in zip(alike["policy_a"], alike["policy_b"], strict=True)]
        if pairs:
            more = f", and {len(pairs) - _NAMED} more pairs" if len(pairs) > _NAMED else ""
            caveats.append(f"Not told apart at the level of 5 %: {'; '.join(pairs[:_NAMED])}{more}.")
    return caveats
