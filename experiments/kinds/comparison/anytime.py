"""Anytime-valid intervals of differences of regret, which hold after every replication: their table and sheet.

The pseudo-regret of T pulls is between 0 and T times the largest gap. So a difference is between minus and plus this
bound, and is mapped to [0, 1]. The less the differences vary, the narrower is the interval. Its half-width is at least
about five times the largest difference over the number of replications. That is the price of making no assumption about
their distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bandits import Arms
from experiments.engine.tasks import Task
from experiments.replications import shards
from numerics.output import tables
from numerics.output.sheets import Column, Sheet, ends_text, interval_ends, number, word
from numerics.statistics.confidence_sequences import LEVEL, hedged_capital

if TYPE_CHECKING:
    import pandas as pd

LOOKS, LAST = "looks.parquet", "anytime.csv"

Floats = npt.NDArray[np.float64]

ANYTIME = Sheet(
    LAST,
    lambda frame, facts: (
        f"differences at any time, each assumed to be at most {frame['largest'].iloc[0]:,.0f}; with 95 % confidence, "
        "all intervals contain their values at all times"
    ),
    (
        word("a", "policy_a"),
        word("b", "policy_b"),
        number("difference", "difference_mean", "+,.2f"),
        Column("at any time", lambda row: ends_text(row["low"], row["high"], "+,.2f"), "low"),
        interval_ends("fixed number of replications", "fixed", "+,.2f"),
        number("times as wide", "times_as_wide", ".1f"),
        number("not 0 after", "told_after", ",.0f", unit=" replications"),
    ),
)


def finite_regret(arms: Arms, horizon: int) -> float:
    """Return the largest possible pseudo-regret after `horizon` pulls.

    Raises
    ------
    ValueError
        Arms whose means have no bounds.
    """
    largest = horizon * arms.largest_gap
    if math.isfinite(largest):
        return largest
    raise ValueError(
        f"anytime must be false on {arms.title}, whose means are unbounded: anytime-valid intervals need a bounded "
        "regret"
    )


def sequence(differences: npt.ArrayLike, largest: float, level: float, planned: int) -> tuple[Floats, Floats]:
    """Return a confidence sequence for the mean of differences that lie between -`largest` and `largest`."""
    exact = np.asarray(differences, dtype=np.float64)
    if largest == 0.0:
        return exact, exact
    # Sums of gaps times pulls round a last bit beyond their bounds.
    low, high = hedged_capital(np.clip(0.5 + exact / (2.0 * largest), 0.0, 1.0), level, planned=planned)
    return largest * (2.0 * low - 1.0), largest * (2.0 * high - 1.0)


def level_of(policies: int) -> float:
    """Return the level of one pair for which all pairs together hold at 95 %: Bonferroni's inequality."""
    return 1.0 - (1.0 - LEVEL) / max(policies * (policies - 1) // 2, 1)


def write(finals: pd.DataFrame, differences: pd.DataFrame, largest: float, folder: Path) -> None:
    """Write the difference of each pair of policies after each replication, and the last one beside the fixed interval.

    `looks.parquet` has policy_a, policy_b, runs (so far), difference_mean, low and high. `anytime.csv` has the last row
    of each pair, followed by fixed_low, fixed_high, times_as_wide, told_after and largest. `fixed_low` and `fixed_high`
    are the interval of `differences` for exactly this number of replications. `told_after` is the number of
    replications after which the interval has excluded 0, or NaN if it never has. `largest` is the largest possible
    difference.
    """
    looks, last = [], []
    runs, level = len(finals), level_of(len(finals.columns))
    count = np.arange(1, runs + 1)
    for fixed in differences.to_dict("records"):
        a, b = fixed["policy_a"], fixed["policy_b"]
        paired = (finals[a] - finals[b]).to_numpy(np.float64)
        low, high = sequence(paired, largest, level, runs)
        rows = {"runs": count, "difference_mean": np.cumsum(paired) / count, "low": low, "high": high}
        looks.append(tables.table_of({"policy_a": a, "policy_b": b, **rows}))
        width, decided = fixed["ci_high"] - fixed["ci_low"], np.flatnonzero((low > 0.0) | (high < 0.0))
        more = {
            "fixed_low": fixed["ci_low"],
            "fixed_high": fixed["ci_high"],
            "times_as_wide": (high[-1] - low[-1]) / width if width > 0.0 else np.nan,
            "told_after": decided[0] + 1.0 if decided.size else np.nan,
            "largest": largest,
        }
        last.append(looks[-1].iloc[[-1]].assign(**more))
    tables.write(tables.join_tables(looks), folder / LOOKS)
    tables.write(tables.join_tables(last), folder / LAST)


def watcher(labels: Sequence[str], largest: float, planned: int) -> Callable[[Task], str]:
    """Return a function that describes the differences so far, from the files of tasks in their order."""
    seen: list[list[Floats]] = [[] for _ in labels]
    pairs, level = list(combinations(range(len(labels)), 2)), level_of(len(labels))

    def watch(task: Task) -> str:
        part, _ = shards.read(task)
        gaps = part.means.max(axis=1, keepdims=True) - part.means
        seen[task.arguments[0].number].append((gaps * part.pulls).sum(axis=1))
        regrets = [np.concatenate([np.empty(0), *finals]) for finals in seen]
        runs = min(map(len, regrets))
        if not pairs or not runs:
            return ""
        ends = [sequence(regrets[a][:runs] - regrets[b][:runs], largest, level, planned) for a, b in pairs]
        if len(pairs) == 1:
            low, high = ends[0]
            verdict = f"{' minus '.join(labels)}, at any time: {low[-1]:+,.1f} to {high[-1]:+,.1f}"
        else:
            decided = sum(low[-1] > 0.0 or high[-1] < 0.0 for low, high in ends)
            verdict = f"{decided} of {len(pairs)} differences are significant (anytime-valid)"
        return f"{verdict}, after {runs:,} replications of each policy"

    return watch
