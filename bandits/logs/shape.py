"""The shape of a log: how often each arm was shown, when, its propensities and rewards.

A wide log, which no policy wrote, has only what each arm paid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.logs.log import Log
from numerics.output.scales import is_logarithmic

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 6  # arms that a figure tells apart; all where one more would be the only other
THIN = 5  # rows of an arm: an arm with fewer is hardly known
_PERIODS, _ROWS = 40, 50  # at most so many periods, with so many rows on average
_BINS = 30
_NAMED = 3  # arms that a sentence names


def arms_of(log: Log) -> pd.DataFrame:
    """Return a row for each arm: rows, share of all rows, mean reward, and least and largest propensity if known.

    Examples
    --------
    >>> log = Log(("red", "blue"), np.array([0, 0, 1], np.int32), np.array([1.0, 0.0, 1.0]))
    >>> arms_of(log).round(3).to_dict("list")
    {'arm': ['red', 'blue'], 'rows': [2, 1], 'share': [0.667, 0.333], 'reward': [0.5, 1.0]}
    """
    import pandas as pd

    arms = len(log.names)
    if log.rewards is not None:
        return pd.DataFrame({"arm": log.names, "rows": len(log), "reward": log.rewards.mean(axis=0)})
    rows = np.bincount(log.arm, minlength=arms)
    total = np.bincount(log.arm, log.reward, minlength=arms)
    paid = np.divide(total, rows, out=np.full(arms, np.nan), where=rows > 0)  # all rows of an arm may be left out
    table: dict[str, Any] = {"arm": log.names, "rows": rows, "share": rows / len(log), "reward": paid}
    if log.propensity is not None:
        low, high = np.full(arms, np.nan), np.full(arms, np.nan)
        np.fmin.at(low, log.arm, log.propensity)
        np.fmax.at(high, log.arm, log.propensity)
        table |= {"propensity_low": low, "propensity_high": high}
    return pd.DataFrame(table)


def shares_of(log: Log) -> pd.DataFrame | None:
    """Return the share of each arm in periods of equal length; None for a wide log.

    Returns
    -------
    pandas.DataFrame
        A row for each period and arm, the most shown arm first. Columns: `begin`, `end`, `arm`, `rank` from 0, `rows`,
        `share`. `begin` and `end` are seconds in a log with times, else numbers of rows. `share` is that of the
        period's rows, NaN in an empty period. Of more than seven arms, the six most shown have their names, and all
        others together follow.
    """
    import pandas as pd

    if log.rewards is not None:
        return None
    count = max(1, min(_PERIODS, len(log) // _ROWS))
    at = np.arange(len(log), dtype=np.float64) if log.time is None else log.time
    first, last = (0.0, float(len(log))) if log.time is None else (float(at[0]), float(at[-1]))
    edges = np.linspace(first, last, count + 1)
    period = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, count - 1)
    total = np.bincount(log.arm, minlength=len(log.names))
    order = np.argsort(-total, kind="stable")
    alone = len(order) if len(order) <= LARGEST + 1 else LARGEST
    rank = np.empty(len(order), np.int64)
    rank[order] = np.minimum(np.arange(len(order)), alone)
    names = [log.names[arm] for arm in order[:alone]]
    names += [f"{len(order) - alone} others"] if alone < len(order) else []
    rows = np.bincount(period * len(names) + rank[log.arm], minlength=count * len(names)).reshape(count, len(names))
    whole = rows.sum(axis=1, keepdims=True)
    share = np.divide(rows, whole, out=np.full(rows.shape, np.nan), where=whole > 0)
    return pd.DataFrame(
        {
            "begin": np.repeat(edges[:-1], len(names)),
            "end": np.repeat(edges[1:], len(names)),
            "arm": names * count,
            "rank": np.tile(np.arange(len(names)), count),
            "rows": rows.ravel(),
            "share": share.ravel(),
        }
    )


def propensities_of(log: Log) -> pd.DataFrame | None:
    """Return how many rows have propensities from `low` to `high`; None if they are unknown or all equal.

    `weight` is the share of these rows in the weight of all when the question is what uniform play earns.

    The bins are equally wide, or by equal factors where the largest propensity is more than 30 times the least.

    Examples
    --------
    >>> log = Log(("a", "b"), np.array([0, 0, 1], np.int32), np.zeros(3), np.array([0.9, 0.9, 0.1]))
    >>> propensities_of(log).iloc[[0, -1]].round(3).to_dict("list")
    {'low': [0.1, 0.873], 'high': [0.127, 0.9], 'rows': [1, 2], 'weight': [0.818, 0.182]}
    """
    import pandas as pd

    if log.propensity is None:
        return None
    least, most = float(log.propensity.min()), float(log.propensity.max())
    if most <= least * (1.0 + 1e-6):
        return None
    spaced = np.geomspace if is_logarithmic([least, most], measured=True) else np.linspace
    edges = spaced(least, most, _BINS + 1)
    rows, _ = np.histogram(log.propensity, edges)
    weight, _ = np.histogram(log.propensity, edges, weights=1.0 / log.propensity)
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "rows": rows, "weight": weight / weight.sum()})


def sentences_of(log: Log) -> list[str]:
    """Return sentences about the arms shown most and least, and about the propensities."""
    if log.rewards is not None:
        return []
    arms = arms_of(log).sort_values("rows", ascending=False, kind="stable")
    shown = [f"{arm} ({_percent(share)})" for arm, share in zip(arms["arm"], arms["share"], strict=True)]
    most = ", ".join(shown[:_NAMED] if len(shown) > _NAMED + 1 else shown[:-1])
    thin = int((arms["rows"] < THIN).sum())
    hardly = f"; {thin:,} of {len(shown):,} arms {'have' if thin > 1 else 'has'} fewer than {THIN} rows" if thin else ""
    sentences = [f"Shown most often: {most}; least: {shown[-1]}{hardly}."]
    if log.propensity is None:
        return sentences
    least, largest, even = float(log.propensity.min()), float(log.propensity.max()), 1.0 / len(log.names)
    if log.is_uniform:
        return [*sentences, f"Every row has propensity {even:.3g} (uniform play)."]
    rare = float((log.propensity < even * (1.0 - 1e-6)).mean())
    return [
        *sentences,
        f"Propensities range from {_two_figures(least)} to {_two_figures(largest)}; in {_percent(rare)} of the rows "
        f"they are below {even:.3g}, uniform play.",
    ]


def _two_figures(value: float) -> str:
    """Return a number with two figures and no power of ten.

    Examples
    --------
    >>> _two_figures(0.96), _two_figures(0.000001)
    ('0.96', '0.000001')
    """
    return np.format_float_positional(value, 2, fractional=False, trim="-")


def _percent(share: float) -> str:
    """Return a share in percent, with a digit that is not 0.

    Examples
    --------
    >>> _percent(0.314), _percent(0.021), _percent(0.00042), _percent(0.0)
    ('31 %', '2.1 %', '0.042 %', '0 %')
    """
    return f"{100.0 * share:.0f} %" if share >= 0.1 else f"{100.0 * share:.2g} %"
