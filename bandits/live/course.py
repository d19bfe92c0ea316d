"""The course of a running agent: its arms' shares and means over time, propensities, and rewards that are pending."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits.live.summary import frame_of
from bandits.logs.journal import now_of
from bandits.logs.shape import LARGEST
from numerics.statistics.confidence_sequences import hedged_capital

if TYPE_CHECKING:
    import pandas as pd

    from bandits.logs.journal import History

_PERIODS, _CHOICES = 40, 25  # at most so many periods, with so many choices on average
QUANTILES = {"low": 0.05, "median": 0.5, "high": 0.95}
_AGES = (0.0, 1.0, 10.0, 60.0, 600.0, 3_600.0, 21_600.0, 86_400.0, 604_800.0, math.inf)  # seconds
AGES = ("under 1 s", "1–10 s", "10–60 s", "1–10 min", "10–60 min", "1–6 h", "6–24 h", "1–7 days", "over 7 days")
"""The names of the classes of ages."""

Floats = npt.NDArray[np.float64]


def summary_of(history: History) -> pd.DataFrame:
    """Return a row for each arm, as `Summary.frame` has it."""
    waiting = np.bincount(history.arm[is_pending(history)], minlength=len(history.names))
    bounds = bounds_of(history)
    begun = [(0.0, 0.0)] * len(history.names)
    return frame_of(history.names, history.retired, _paid(history), waiting.tolist(), bounds, begun)


def bounds_of(history: History) -> tuple[float, float] | None:
    """Return the least and the largest reward of the agent; None where any number may be one."""
    given = history.description["rewards"]
    return None if given is None else (float(given[0]), float(given[1]))


def is_pending(history: History) -> npt.NDArray[np.bool_]:
    """Return which choices wait for a reward."""
    return np.isnan(history.reward) & ~history.forgotten


def is_timed(history: History) -> bool:
    """Return whether choices were made at different times."""
    return bool(history.time.max() > history.time.min())


def periods_of(history: History) -> Floats:
    """Return the edges of equally long periods: times, or numbers of choices where all have the same time."""
    count = max(1, min(_PERIODS, history.arm.size // _CHOICES))
    if not is_timed(history):
        return np.linspace(0.0, history.arm.size, count + 1)
    return np.linspace(history.time.min(), now_of(history), count + 1)


def means_of(history: History) -> pd.DataFrame:
    """Return the mean reward of each arm after each period, with the interval that holds at all times.

    Returns
    -------
    pandas.DataFrame
        A row for each arm and each period after which it has a reward. Columns: arm, rank (0 for the most chosen arm),
        at (the end of the period), rewards, mean, mean_low, mean_high. Of more than seven arms, only the first six.
    """
    import pandas as pd

    edges, timed, bounds = periods_of(history), is_timed(history), bounds_of(history)
    order = np.argsort(-np.bincount(history.arm, minlength=len(history.names)), kind="stable")
    shown = order if len(order) <= LARGEST + 1 else order[:LARGEST]
    parts = []
    for rank, arm in enumerate(shown.tolist()):
        mine = np.flatnonzero((history.arm == arm) & (history.reward_rank >= 0))
        mine = mine[np.argsort(history.reward_rank[mine])]
        if not mine.size:
            continue
        paid = history.reward[mine]
        came = np.maximum.accumulate(history.reward_time[mine] if timed else mine + 1.0)  # each after those before it
        known = np.searchsorted(came, edges[1:], side="right")
        known[-1] = mine.size
        low, high = np.full((2, mine.size), np.nan)
        if bounds is not None:
            span = bounds[1] - bounds[0]
            low, high = (bounds[0] + span * end for end in hedged_capital(((paid - bounds[0]) / span).clip(0.0, 1.0)))
        at = np.flatnonzero(known)
        last = known[at] - 1
        mean = np.cumsum(paid)[last] / known[at]
        parts.append(
            pd.DataFrame(
                {
                    "arm": history.names[arm],
                    "rank": rank,
                    "at": edges[1:][at],
                    "rewards": known[at],
                    "mean": mean,
                    "mean_low": low[last],
                    "mean_high": high[last],
                }
            )
        )
    columns = ["arm", "rank", "at", "rewards", "mean", "mean_low", "mean_high"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def propensities_over_time(history: History) -> pd.DataFrame:
    """Return quantiles of the propensities of the chosen arms in each period: begin, end, choices, least, low, ..."""
    import pandas as pd

    edges = periods_of(history)
    at = history.time if is_timed(history) else np.arange(history.arm.size, dtype=np.float64)
    period = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(edges) - 2)
    rows = []
    for number in range(len(edges) - 1):
        chances = history.propensity[(period == number) & ~np.isnan(history.propensity)]
        row: dict[str, Any] = {"begin": edges[number], "end": edges[number + 1], "choices": chances.size}
        row["least"] = chances.min() if chances.size else math.nan
        for name, level in QUANTILES.items():
            row[name] = np.quantile(chances, level, method="inverted_cdf") if chances.size else math.nan
        rows.append(row)
    return pd.DataFrame(rows)


def ages_of(history: History) -> pd.DataFrame:
    """Return, for each class of ages, how many choices of that age wait, and how many rewards took as long."""
    import pandas as pd

    waiting = now_of(history) - history.time[is_pending(history)]
    took = (history.reward_time - history.time)[~np.isnan(history.reward)]
    counts = [np.histogram(np.maximum(ages, 0.0), _AGES)[0] for ages in (waiting, took)]
    return pd.DataFrame({"age": AGES, "pending": counts[0], "rewards": counts[1]})


def _paid(history: History) -> list[Floats]:
    """Return each arm's rewards, as they came."""
    order = np.argsort(history.reward_rank, kind="stable")
    order = order[history.reward_rank[order] >= 0]
    arm = history.arm[order]
    return [history.reward[order][arm == which] for which in range(len(history.names))]
