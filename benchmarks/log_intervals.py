"""`python -m benchmarks.log_intervals`: how often 95 % intervals from a log hold, ours and those of other programs.

The logs are those of the calibration, drawn until they can answer what uniform play would have earned; all intervals
see the same ones. Those of vw-estimators (PyPI) are left out where it is not installed. The bootstrap is that of obp
0.5.5: percentiles of the means of 1,000 samples, `estimate_confidence_interval_by_bootstrap(random_state=1)`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from bandits.evaluation.evaluate import check_question, value_of
from bandits.evaluation.targets import UniformPolicy
from bandits.logs.log import Log
from benchmarks.calibration.claims.logs import ARMS, drawn_log
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.parameters import parameter

ROWS = 2_000
WORLDS = {"alike, 5 % pay": (0.0, 0.05), "unequal, 5 % pay": (1.0, 0.05), "very unequal, 1 % pay": (2.0, 0.01)}
OURS = {
    "student of ips": ("ips", "student"),
    "student of dr": ("dr", "student"),
    "bernstein": ("clipped_ips", "bernstein"),
}
THEIRS = ("gaussian", "clopper_pearson", "cressieread", "cs")
SAMPLES = 1_000  # of a bootstrap

Ends = tuple[float, float]
Floats = npt.NDArray[np.float64]
Interval = Callable[[Floats, Floats], Ends]  # weights and rewards -> its ends


class LogIntervals(Command, module="benchmarks.log_intervals"):
    """How many logs of each kind."""

    logs: int = parameter(500, low=2, help="logs of each kind")


def bootstrap(weight: Floats, reward: Floats) -> Ends:
    """Return the percentiles of means of samples with replacement."""
    draws, paid = np.random.RandomState(1), weight * reward
    means = [draws.choice(paid, size=paid.size).mean() for _ in range(SAMPLES)]
    return float(np.percentile(means, 2.5)), float(np.percentile(means, 97.5))


def theirs(name: str) -> Interval:
    """Return an interval of vw-estimators; ImportError where it is not installed."""
    module = importlib.import_module(f"estimators.bandits.{name}")

    def interval(weight: Floats, reward: Floats) -> Ends:
        made = module.Interval()
        for each, paid in zip(weight.tolist(), reward.tolist(), strict=True):
            made.add_example(1.0, paid, each)
        low, high = made.get(0.05)
        return low, high

    return interval


def ours(log: Log, estimator: str, interval: str) -> Ends:
    """Return an interval of ours; NaN where the log cannot answer."""
    value = value_of(log, "uniform", UniformPolicy(), *check_question(log, estimator, interval, None, None))
    return value.low, value.high


def main() -> None:
    """Draw the logs, count, and print the table."""
    logs = LogIntervals.read().logs
    others: dict[str, Interval] = {"bootstrap": bootstrap}
    try:
        others |= {f"vw-estimators, {name}": theirs(name) for name in THEIRS}
    except ImportError:
        print("vw-estimators is not installed: its intervals are left out")
    cells: dict[str, list[str]] = {name: [] for name in [*OURS, *others]}
    for heavy, rate in WORLDS.values():
        rng = np.random.default_rng([13, int(heavy), int(100 * rate)])
        ends: dict[str, list[Ends]] = {name: [] for name in cells}
        truths: list[float] = []
        while len(truths) < logs:
            log, means = drawn_log(ROWS, rng, heavy, rate)
            pairs_of = {name: ours(log, *asked) for name, asked in OURS.items()}
            if np.isnan(pairs_of["student of ips"][0]) or log.propensity is None:
                continue
            weight = 1.0 / ARMS / log.propensity
            pairs_of |= {name: interval(weight, log.reward) for name, interval in others.items()}
            truths.append(float(means.mean()))
            for name, pair in pairs_of.items():
                ends[name].append(pair)
        for name, pairs in ends.items():
            low, high = np.array(pairs).T
            held = np.mean((low <= truths) & (truths <= high))
            cells[name].append(f"{100.0 * held:.1f} % ({np.mean(high - low):.3f})")
    table = Table("interval", *WORLDS)
    for name, row in cells.items():
        table.add_row(name, *row)
    Console().print(table)


if __name__ == "__main__":
    leave(run_guarded(main))
