"""The tables of root regret: what is seen at each checkpoint, its means over positions with intervals, differences.

Positions fall into two groups by the mean results of playouts: "right" where the move that playouts rank first keeps
the value of the position, "wrong" where it does not, so that a search has to overturn what it is told at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.graded_positions.positions import WIDTH
from experiments.root_regret.arms import KINDS, TREE
from experiments.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

ALL, RIGHT, WRONG = GROUPS = ("all", "right", "wrong")
COLUMNS = range(1, WIDTH + 1)  # as they are written
VISITS, MEANS, VALUES, PLAYED = (
    [f"{name}{column}" for column in COLUMNS] for name in ("visits", "mean", "value", "playouts")
)
MEASURES = ("regret", "simple_regret", "optimal_share", "recommended_optimal", "optimal_mean", "wrong_mean")

Floats = npt.NDArray[np.float64]


class Seen(NamedTuple):
    """What a rule did at the roots of X positions until each of C checkpoints, float64[X, C] each.

    With gap(a) = the best exact value minus that of move a, and "recommended" the most visited move, of equals the one
    of the higher mean, then the lower column.
    """

    regret: Floats  # L_n = sum_a N_n(a) gap(a)
    simple_regret: Floats  # gap(recommended)
    optimal_share: Floats  # the share of the n simulations on moves without a gap
    recommended_optimal: Floats  # 1 where gap(recommended) = 0, else 0
    optimal_mean: Floats  # the mean result of the move without a gap that playouts rank first; NaN before a visit
    wrong_mean: Floats  # the same of the move with a gap that they rank first; NaN where there is none


def seen(visits: Floats, means: Floats, exact: Floats, playouts: Floats) -> Seen:
    """Return what is seen of the root's moves.

    Parameters
    ----------
    visits, means : float64[X, C, 7]
        N_n(a), and the mean result so far; 0 and NaN for a full column.
    exact, playouts : float64[X, 7]
        The values of the moves and the mean results of playouts after them, NaN for a full column.

    Examples
    --------
    >>> import numpy as np
    >>> visits, means, exact = np.array([[[3.0, 1.0]]]), np.array([[[0.5, 0.0]]]), np.array([[0.5, 1.0]])
    >>> found = seen(visits, means, exact, playouts=exact)
    >>> float(found.regret[0, 0]), float(found.simple_regret[0, 0]), float(found.optimal_share[0, 0])
    (1.5, 0.5, 0.25)
    """
    best = np.nanmax(exact, axis=1, keepdims=True)
    gaps = np.nan_to_num(best - exact)[:, None, :]
    ranks = np.where(visits == visits.max(axis=-1, keepdims=True), np.nan_to_num(means, nan=-1.0), -np.inf)
    simple = np.take_along_axis(np.broadcast_to(gaps, visits.shape), ranks.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return Seen(
        regret=(visits * gaps).sum(axis=-1),
        simple_regret=simple,
        optimal_share=(visits * (gaps == 0.0)).sum(axis=-1) / visits.sum(axis=-1),
        recommended_optimal=(simple == 0.0).astype(np.float64),
        optimal_mean=_of_first(means, exact == best, playouts),
        wrong_mean=_of_first(means, exact < best, playouts),
    )


def _of_first(values: Floats, among: npt.NDArray[np.bool_], playouts: Floats) -> Floats:
    """Return float64[X, ...], the values of the column that playouts rank first among some; NaN where there is none."""
    first = np.where(among, playouts, -np.inf).argmax(axis=1)
    found: Floats = values[np.arange(first.size), ..., first]
    found[~among.any(axis=1)] = np.nan
    return found


def seen_in(visits: pd.DataFrame, positions: pd.DataFrame) -> dict[tuple[str, str], Seen]:
    """Return what each rule did on each kind of arms, from the tables `visits` and `positions` of a run."""
    truth = [positions[names].to_numpy(np.float64) for names in (VALUES, PLAYED)]
    found = {}
    for (policy, arms), own in visits.groupby(["policy", "arms"], sort=False):
        shape = (len(positions), -1, WIDTH)
        parts = (own[names].to_numpy(np.float64).reshape(shape) for names in (VISITS, MEANS))
        found[str(policy), str(arms)] = seen(*parts, *truth)
    return found


def contenders(positions: pd.DataFrame, of: str) -> tuple[Floats, Floats]:
    """Return the values or the playouts' means of the two moves of `Seen.optimal_mean` and `Seen.wrong_mean`.

    Parameters
    ----------
    positions : pandas.DataFrame
        As in a run's folder.
    of : {"value", "playouts"}
        What is returned, float64[X] for either move.
    """
    exact, playouts = (positions[names].to_numpy(np.float64) for names in (VALUES, PLAYED))
    wanted, best = exact if of == "value" else playouts, np.nanmax(exact, axis=1, keepdims=True)
    optimal, wrong = (_of_first(wanted, among, playouts) for among in (exact == best, exact < best))
    return optimal, wrong


def members_of(positions: pd.DataFrame) -> dict[str, npt.NDArray[np.bool_]]:
    """Return which positions belong to each group, in the order of the groups; empty ones are left out."""
    group = positions["group"].to_numpy()
    found = {ALL: np.ones(len(positions), dtype=bool), **{name: group == name for name in (RIGHT, WRONG)}}
    return {name: members for name, members in found.items() if members.any()}


def group_of(exact: Floats, playouts: Floats) -> str:
    """Return "right" where the move of the best playouts is one of the best value, else "wrong"."""
    return RIGHT if exact[int(np.nanargmax(playouts))] == np.nanmax(exact) else WRONG


def curves_of(visits: pd.DataFrame, positions: pd.DataFrame) -> pd.DataFrame:
    """Return the means over positions at every checkpoint.

    Returns
    -------
    pandas.DataFrame
        policy, arms, group, n, positions; the mean of each measure of `Seen` with the ends of its 95 % interval over
        positions: Wilson's for recommended_optimal, which is a rate, Student's t for the others.
    """
    import pandas as pd

    steps = np.sort(visits["n"].unique())
    parts = []
    for (policy, arms), own in seen_in(visits, positions).items():
        for group, members in members_of(positions).items():
            columns: dict[str, Any] = {}
            for name in MEASURES:
                values = getattr(own, name)[members]
                ends = _rates(values) if name == "recommended_optimal" else _means(values)
                columns |= {f"{name}{end}": part for end, part in zip(("", "_low", "_high"), ends, strict=True)}
            named = {"policy": policy, "arms": arms, "group": group, "n": steps, "positions": int(members.sum())}
            parts.append(pd.DataFrame({**named, **columns}))
    return pd.concat(parts, ignore_index=True)


def _means(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean of each column of float64[X, C] over what is known, and the ends of its interval."""
    from scipy.stats import t

    known = ~np.isnan(values)
    count = known.sum(axis=0)
    mean = np.full(count.shape, np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=0), count, out=mean, where=count > 0)
    squares = np.where(known, (values - np.nan_to_num(mean)) ** 2, 0.0).sum(axis=0)
    half = np.full(count.shape, np.nan)
    many = count > 1
    half[many] = t.ppf(0.975, count[many] - 1) * np.sqrt(squares[many] / (count[many] - 1) / count[many])
    return mean, mean - half, mean + half


def _rates(values: Floats) -> tuple[Floats, Floats, Floats]:
    ends = np.array([wilson(float(score), len(values)) for score in values.sum(axis=0)])
    return values.mean(axis=0), ends[:, 0], ends[:, 1]


def summary_of(visits: pd.DataFrame, positions: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """Return one row a rule, kind of arms and group: the last row of its curve, and how regret grew at the end.

    Returns
    -------
    pandas.DataFrame
        The columns of `curves_of`, then growth with the ends of its 95 % interval: the exponent x of a regret that
        grows as n^x from a tenth of all simulations to all of them, ln(L_N / L_m) / ln(N / m). Play that never learns
        has 1; ln n has 0.125 from 1,000 to 10,000. NaN where there was no regret until then.
    """
    own = seen_in(visits, positions)
    last: pd.DataFrame = curves[curves["n"] == curves["n"].max()].reset_index(drop=True)
    steps, members = np.sort(curves["n"].unique()), members_of(positions)
    rows = [
        growth_of(own[row["policy"], row["arms"]].regret[members[row["group"]]], steps)
        for row in last.to_dict("records")
    ]
    for place, name in enumerate(("growth", "growth_low", "growth_high")):
        last[name] = [row[place] for row in rows]
    return last


def growth_of(regret: Floats, steps: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Return the exponent of `summary_of` and the ends of its interval (delta method), from float64[X, C].

    Examples
    --------
    >>> import numpy as np
    >>> growth_of(np.array([[10.0, 100.0], [20.0, 200.0]]), np.array([100, 1_000]))[0]
    1.0
    """
    from scipy.stats import t

    first = int(np.searchsorted(steps, max(1, steps[-1] // 10)))
    before, after = regret[:, first], regret[:, -1]
    if steps[first] == steps[-1] or before.mean() == 0.0:
        return np.nan, np.nan, np.nan
    decade = np.log(steps[-1] / steps[first])
    rate = float(np.log(after.mean() / before.mean()) / decade)
    if before.size < 2:
        return rate, np.nan, np.nan
    pulls = after / after.mean() - before / before.mean()  # of each position on the logarithm of the ratio
    half = float(t.ppf(0.975, pulls.size - 1) * pulls.std(ddof=1) / np.sqrt(pulls.size) / decade)
    return rate, rate - half, rate + half


def differences_of(visits: pd.DataFrame, positions: pd.DataFrame) -> pd.DataFrame:
    """Compare the trees of every pair of rules after all simulations, on the same positions.

    Returns
    -------
    pandas.DataFrame
        policy_a, policy_b; positions; regret_difference, L of a minus that of b, with the ends of its 95 % interval and
        the p-value of the paired t-test; optimal_difference, how much more often a recommends an optimal move, with its
        interval (Bonett and Price 2012) and the p-value of McNemar's exact test. Both adjusted by Holm's method over
        all pairs. NaN where a single position allows no statement.
    """
    import pandas as pd

    from experiments.statistics.holm import holm

    own = {policy: found for (policy, arms), found in seen_in(visits, positions).items() if arms == TREE}
    table = pd.DataFrame([{"policy_a": a, "policy_b": b, **compared(own[a], own[b])} for a, b in combinations(own, 2)])
    for name in ("regret_p", "optimal_p"):
        known = table[name].notna()
        table[f"{name}_adjusted"] = np.nan
        table.loc[known, f"{name}_adjusted"] = holm(list(table.loc[known, name]))
    return table


def compared(a: Seen, b: Seen) -> dict[str, Any]:
    """Return how two rules differ at the last checkpoint, without adjusted p-values."""
    from scipy.stats import t

    from experiments.statistics.paired_rates import paired

    gaps = a.regret[:, -1] - b.regret[:, -1]
    (mean,), (low,), (high,) = _means(gaps[:, None])
    p_value = np.nan
    if gaps.size > 1:
        error = float(gaps.std(ddof=1) / np.sqrt(gaps.size))
        # No spread at all: equal everywhere, or different everywhere by the same.
        p_value = float(2.0 * t.sf(abs(mean) / error, gaps.size - 1)) if error > 0.0 else float(mean == 0.0)
    rates = paired(*(one.recommended_optimal[:, -1].astype(bool) for one in (a, b)))
    return {
        "positions": gaps.size, "regret_difference": mean, "regret_low": low, "regret_high": high, "regret_p": p_value,
        "optimal_difference": rates["difference"], "optimal_low": rates["difference_low"],
        "optimal_high": rates["difference_high"], "optimal_p": rates["p_value"],
    }  # fmt: skip


def labels_of(table: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Return the rules of a table in their order, and the kinds of arms it has."""
    known = set(table["arms"])
    policies: Sequence[Any] = table["policy"].unique().tolist()
    return [str(label) for label in policies], [kind for kind in KINDS if kind in known]
