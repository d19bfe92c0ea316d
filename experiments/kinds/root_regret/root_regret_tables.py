"""The tables of root regret: the measures at each checkpoint, their means over positions with intervals, differences.

Positions form two groups by the mean results of playouts. In "right" ones, the move that playouts rank first keeps the
value of the position. In "wrong" ones it does not, so a search has to correct its first playouts.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.differences import differences_of as regret_differences
from experiments.kinds.root_regret.arms import EXACT, TREE
from numerics.output import tables
from numerics.random import Purpose, streams, unit
from numerics.statistics.bounded import mean_interval
from numerics.statistics.holm import holm
from numerics.statistics.intervals import wilson
from numerics.statistics.paired_rates import compare_rates

if TYPE_CHECKING:
    import pandas as pd

ALL, RIGHT, WRONG = "all", "right", "wrong"
VISITS, MEANS, VALUES, PLAYED = "visits", "mean", "value", "playouts"
"""What a table has of each move, as in the columns visits1, visits2, ...: as many as the widest position has moves."""

Floats = npt.NDArray[np.float64]


class Seen(NamedTuple):
    """Measures of a policy at the roots of X positions at each of C checkpoints, float64[X, C] each.

    gap(a) is the best exact value minus that of move a. "Recommended" is the most visited move; ties are broken by the
    mean, then at random.
    """

    regret: Floats  # L_n = sum_a N_n(a) gap(a)
    simple_regret: Floats  # gap(recommended)
    optimal_share: Floats  # the share of the n simulations on moves without a gap
    recommended_optimal: Floats  # 1 where gap(recommended) = 0, else 0
    optimal_mean: Floats  # the mean result of the first of the two `contenders`; NaN before a visit
    wrong_mean: Floats  # the same of the second


MEASURES = Seen._fields
Played = dict[tuple[str, str], Seen]  # of a policy and a kind of arms


def names_of(what: str, width: int) -> list[str]:
    """Return the columns that a table has of the moves of a position.

    Examples
    --------
    >>> names_of(VISITS, 3)
    ['visits1', 'visits2', 'visits3']
    """
    return [f"{what}{number}" for number in range(1, width + 1)]


def over_moves(table: pd.DataFrame, what: str) -> Floats:
    """Return what a table has of each move, float64[rows, K]."""
    values: Floats = table.filter(regex=rf"^{what}\d+$").to_numpy(np.float64)
    return values


def measure_root(visits: Floats, means: Floats, exact: Floats, playouts: Floats, tie_breakers: Floats) -> Seen:
    """Return the measures from the visits and means of the root's moves.

    Parameters
    ----------
    visits, means : float64[X, C, K]
        N_n(a), and the mean result so far; 0 and NaN where a position has no such move.
    exact, playouts : float64[X, K]
        The values of the moves and the mean results of playouts after them; NaN where there is no such move.
    tie_breakers : float64[X]
        Uniform on (0, 1): which of the moves that are equal in visits and means is recommended.

    Examples
    --------
    >>> import numpy as np
    >>> visits, means, exact = np.array([[[3.0, 1.0]]]), np.array([[[0.5, 0.0]]]), np.array([[0.5, 1.0]])
    >>> search = measure_root(visits, means, exact, playouts=exact, tie_breakers=np.array([0.5]))
    >>> float(search.regret[0, 0]), float(search.simple_regret[0, 0]), float(search.optimal_share[0, 0])
    (1.5, 0.5, 0.25)
    """
    gaps = np.nan_to_num(np.nanmax(exact, axis=1, keepdims=True) - exact)[:, None, :]
    ranks = np.where(visits == visits.max(axis=-1, keepdims=True), np.nan_to_num(means, nan=-1.0), -np.inf)
    equals = ranks == ranks.max(axis=-1, keepdims=True)
    number = np.floor(tie_breakers[:, None] * equals.sum(axis=-1))[..., None]
    recommended = equals & (equals.cumsum(axis=-1) - 1 == number)
    simple = np.where(recommended, gaps, 0.0).sum(axis=-1)
    return Seen(
        (visits * gaps).sum(axis=-1),
        simple,
        (visits * (gaps == 0.0)).sum(axis=-1) / visits.sum(axis=-1),
        (simple == 0.0).astype(np.float64),
        *contenders(means, exact, playouts),
    )


def contenders(values: Floats, exact: Floats, playouts: Floats) -> list[Floats]:
    """Return the values, of float64[X, ..., K], of two moves: those that playouts rank first of both kinds.

    One is the first of the moves of the best exact value, the other of the rest; NaN where there is none.
    """
    best, chosen = np.nanmax(exact, axis=1, keepdims=True), []
    for among in (exact == best, exact < best):
        first = np.where(among, playouts, -np.inf).argmax(axis=1)
        of_first: Floats = values[np.arange(first.size), ..., first]
        of_first[~among.any(axis=1)] = np.nan
        chosen.append(of_first)
    return chosen


def seen_in(visits: pd.DataFrame, positions: pd.DataFrame, seed: int) -> Played:
    """Return the measures of each policy on each kind of arms, from the tables `visits` and `positions` of a run.

    Row n of `positions` is position n of the set, whose tie-breaker is number n of this seed's.
    """
    exact, playouts = (over_moves(positions, what) for what in (VALUES, PLAYED))
    tie_breakers = unit(streams(seed, (Purpose.ROOT_RECOMMENDATION,), 0, len(positions))[:, 0])
    by_policy = {}
    for (policy, arms), rows in visits.groupby(["policy", "arms"], sort=False):
        shape = len(positions), -1, exact.shape[1]
        counts, means = (over_moves(rows, what).reshape(shape) for what in (VISITS, MEANS))
        by_policy[str(policy), str(arms)] = measure_root(counts, means, exact, playouts, tie_breakers)
    return by_policy


def group_of(exact: Floats, playouts: Floats) -> str:
    """Return "right" where the move of the best playouts is one of the best value, else "wrong"."""
    return RIGHT if exact[int(np.nanargmax(playouts))] == np.nanmax(exact) else WRONG


def curves_and_summary(
    played: Played, positions: pd.DataFrame, steps: npt.NDArray[np.int64], locked: Collection[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the means over positions of each group that has some, at every checkpoint, and how regret grew at the end.

    Parameters
    ----------
    played, positions, steps
        What `seen_in` returns, the table `positions` of the run, and the checkpoints n.
    locked : collection of str
        The policies that can stop trying the best move for ever, even on the bandit of exact values.

    Returns
    -------
    curves : pandas.DataFrame
        policy, arms, group, n, positions, and the mean of each measure of `Seen` with the ends of its 95 % interval
        over positions. The interval of `recommended_optimal`, a rate, is Wilson's. The other intervals are those of
        `numerics.statistics.bounded`, which allow for positions that mislead all simulations. Playouts can mislead in a
        tree and on their bandit, and any arms can if a policy locks. Intervals end where the measure does, at 0, and at
        1 or n.
    summary : pandas.DataFrame
        The last row of each curve, followed by `growth` with the ends of its 95 % interval. `growth` is the exponent x
        of a regret that grows as n^x, from a tenth of all simulations to all of them. It is ln(L_N / L_m) / ln(N / m).
        Play that never learns has 1; ln n has 0.125 from 1,000 to 10,000. NaN where there was no regret until then.
    """
    of = positions["group"].to_numpy()
    groups = {group: members for group in (ALL, RIGHT, WRONG) if (members := (of == group) | (group == ALL)).any()}
    curves, last = [], []
    for (policy, arms), results in played.items():
        misled = arms != EXACT or policy in locked
        for group, members in groups.items():
            columns: dict[str, Any] = {}
            for name in MEASURES:
                values = getattr(results, name)[members]
                largest = steps.astype(np.float64) if name == "regret" else np.ones(steps.size)
                if name == "recommended_optimal":
                    rates = np.array([wilson(float(score), len(values)) for score in values.sum(axis=0)])
                    ends = values.mean(axis=0), rates[:, 0], rates[:, 1]
                else:
                    ends = means_of(values, np.zeros(steps.size), largest, misled)
                columns |= {f"{name}{end}": part for end, part in zip(("", "_low", "_high"), ends, strict=True)}
            named = {"policy": policy, "arms": arms, "group": group, "n": steps, "positions": int(members.sum())}
            curves.append(tables.table_of({**named, **columns}))
            growth, low, high = growth_of(results.regret[members], steps, policy in locked)
            last.append(curves[-1].tail(1).assign(growth=growth, growth_low=low, growth_high=high))
    return tables.join_tables(curves), tables.join_tables(last)


def means_of(values: Floats, least: Floats, most: Floats, rare: bool = True) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each column over what is known, and the ends of its interval, NaN for a single value.

    Parameters
    ----------
    values : float64[X, C]
    least, most : float64[C]
        Bounds of the values.
    rare : bool, default True
        Whether values near the bounds may be missing from the sample, as for `mean_interval`.
    """
    means = np.full((3, values.shape[1]), np.nan)
    for column, (low, high) in enumerate(zip(least, most, strict=True)):
        known = values[~np.isnan(values[:, column]), column]
        if known.size:
            means[0, column] = known.mean()
        if known.size > 1:
            ends = mean_interval(known, *((low, high) if rare else ()))
            means[1:, column] = np.clip(ends, low, high)
    return means[0], means[1], means[2]


def growth_of(regret: Floats, steps: npt.NDArray[np.int64], locks: bool = False) -> tuple[float, float, float]:
    """Return the exponent of `curves_and_summary` and the ends of its interval (jackknife).

    Parameters
    ----------
    regret : float64[X, C]
        L at each of C checkpoints n, from 0 to n.
    steps : int64[C]
        The checkpoints.
    locks : bool, default False
        Whether positions in which the policy locks, and regret grows as n, may be rare and missing. Positions in which
        playouts mislead a search are not: resampled from those of `experiment=root_regret`, 20 are enough to show them.

    Examples
    --------
    >>> import numpy as np
    >>> growth_of(np.array([[10.0, 100.0], [20.0, 200.0]]), np.array([100, 1_000]))[0]
    1.0
    """
    first = int(np.searchsorted(steps, max(1, steps[-1] // 10)))
    before, after = regret[:, first], regret[:, -1]
    if steps[first] == steps[-1] or before.mean() == 0.0:
        return np.nan, np.nan, np.nan
    decade = np.log(steps[-1] / steps[first])
    rate = float(np.log(after.mean() / before.mean()) / decade)
    if before.size < 2:
        return rate, np.nan, np.nan
    without = [(part.sum() - part) / (part.size - 1) for part in (before, after)]  # the means without each position
    with np.errstate(divide="ignore"):
        pulls = before.size * rate - (before.size - 1) * np.log(without[1] / without[0]) / decade
    if not np.isfinite(pulls).all():  # all regret is that of one position
        return rate, np.nan, np.nan
    # A position pulls by after / mean after - before / mean before: most without regret until the first step and all
    # regret since then, least the other way round.
    most = float(steps[-1] - steps[first]) / after.mean()
    least = float(steps[first]) * (1.0 / after.mean() - 1.0 / before.mean())
    bounds = (rate + least / decade, rate + most / decade) if locks else ()
    low, high = mean_interval(pulls, *bounds)
    moved = rate - float(pulls.mean())  # by the bias that the jackknife sees
    return rate, float(low) + moved, float(high) + moved


def differences_of(played: Played, simulations: int, locked: Collection[str] = ()) -> pd.DataFrame:
    """Compare the trees of every pair of policies after all simulations, on the same positions.

    Parameters
    ----------
    played, locked
        As for `curves_and_summary`.
    simulations : int
        The largest possible regret.

    Returns
    -------
    pandas.DataFrame
        policy_a, policy_b and positions. `regret_difference` is L of a minus that of b. The ends of its 95 % interval
        and its p-value are those that `bandits.differences` gives for a single pair. `optimal_difference` is how much
        more often a recommends an optimal move. Its interval is that of `paired_rates.paired`, and its p-value that of
        McNemar's exact test. Both p-values are also adjusted by Holm's method over all pairs. NaN where a single
        position allows no statement.
    """
    by_policy = {policy: curves for (policy, arms), curves in played.items() if arms == TREE}
    rows = []
    for a, b in combinations(by_policy, 2):
        last = tables.table_of({policy: by_policy[policy].regret[:, -1] for policy in (a, b)})
        (regret,) = regret_differences(last, locked, simulations).to_dict("records")
        best_of_a, best_of_b = (by_policy[policy].recommended_optimal[:, -1].astype(bool) for policy in (a, b))
        rates = compare_rates(best_of_a, best_of_b)
        rows.append(
            {
                "policy_a": a,
                "policy_b": b,
                "positions": len(last),
                "regret_difference": regret["difference_mean"],
                "regret_low": regret["ci_low"],
                "regret_high": regret["ci_high"],
                "regret_p": regret["p_value"],
                "optimal_difference": rates["difference"],
                "optimal_low": rates["difference_low"],
                "optimal_high": rates["difference_high"],
                "optimal_p": rates["p_value"],
            }
        )
    table = tables.table_of(rows)
    for name in ("regret_p", "optimal_p"):
        known = table[name].notna()
        table[f"{name}_adjusted"] = np.nan
        table.loc[known, f"{name}_adjusted"] = holm(list(table.loc[known, name]))
    return table
