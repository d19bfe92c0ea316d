"""The tables of the leaderboard, from the regret of every replication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from experiments.exact_table.rows import UNIFORM, table
from experiments.kinds.leaderboard.pairs import ranked_by_pairs
from experiments.kinds.leaderboard.problems import EXACT, EXACT_HORIZON, PROBLEMS
from numerics.statistics.ranks import over, ranked, resampled_means

if TYPE_CHECKING:
    import pandas as pd

DRAWS = 2_000  # bootstrap samples
Floats = npt.NDArray[np.float64]


def by_problem(regrets: Mapping[str, Mapping[str, Floats]], formulas: Mapping[str, str]) -> pd.DataFrame:
    """Return one row for each problem and policy that can play it.

    Parameters
    ----------
    regrets : mapping
        Of each problem, of each policy: the final pseudo-regret of every replication, the same ones for all policies.
    formulas : mapping
        Of each policy's label; the exact problem has the policies whose formula is in the table of the package.

    Returns
    -------
    pandas.DataFrame
        problem, policy, runs (0 where the regret is computed), regret_mean, ratio (to the least mean of the problem),
        rank, and the ends of their 95 % intervals.
    """
    import pandas as pd

    parts = [_exact(formulas)]
    for name, own in regrets.items():
        labels = list(own)
        values = np.stack([own[label] for label in labels], axis=1)
        found = (
            ranked_by_pairs(values) if len(labels) > 1 else ranked(values.mean(axis=0), values.mean(axis=0)[None, :])
        )
        parts.append(_rows(name, labels, len(values), vars(found)))
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _rows(problem: str, labels: Sequence[str], runs: int, numbers: Mapping[str, Floats]) -> pd.DataFrame:
    import pandas as pd

    numbers = {"regret_mean" if name == "mean" else name: values for name, values in numbers.items()}
    return pd.DataFrame({"problem": problem, "policy": list(labels), "runs": runs, **numbers})


def _exact(formulas: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of the computed problem: no sampling, so that intervals have no width."""
    rows = table()
    own = rows[(rows["problem"] == UNIFORM) & (rows["horizon"] == EXACT_HORIZON)]
    kept = own.set_index("formula")["regret_mean"]
    labels = [label for label, formula in formulas.items() if formula in kept.index]
    if not labels:
        return _rows(EXACT, [], 0, {})
    mean = kept.loc[[formulas[label] for label in labels]].to_numpy(np.float64)
    return _rows(EXACT, labels, 0, vars(ranked(mean, mean[None, :])))


def overall(problems: pd.DataFrame, regrets: Mapping[str, Mapping[str, Floats]], seed: int) -> pd.DataFrame:
    """Return one row a policy: its score over the simulated problems that pay in [0, 1], and its rank, the best first.

    The score is the geometric mean of the ratios to the least regret, 1 for a policy that is the best everywhere; the
    interval is of the replications, not of the choice of problems. Every policy plays these problems; the computed one,
    which some policies lack, does not count.

    The interval is score / f to score f, where 2.5 % of bootstrap samples, each with a least regret of its own, lie
    above score f: the least of several mean regrets is too low, so that samples lie higher, and who is the best here
    need not be so in truth. docs/measured/calibration.md has how often it covers.
    """
    import pandas as pd

    wide = problems.pivot_table(index="policy", columns="problem", values="ratio", sort=False)
    counted = [one.name for one in PROBLEMS if one.arms.unit_rewards and one.name in wide.columns]
    scored = wide[counted].dropna()
    labels = list(scored.index)
    score = np.log(scored.to_numpy(np.float64)).mean(axis=1)
    drawn = np.zeros((DRAWS, len(labels)))
    for name in counted:
        values = np.stack([regrets[name][label] for label in labels], axis=1)
        means = resampled_means(values, DRAWS, np.random.default_rng([seed, list(regrets).index(name)]))
        drawn += np.log(over(means, means.min(axis=1, keepdims=True))) / len(counted)
    found = ranked(np.exp(score), np.exp(drawn))
    with np.errstate(invalid="ignore"):  # of a least regret of 0, as few replications have, nothing follows
        room = np.percentile(drawn, 97.5, axis=0, method="nearest") - score
        low, high = np.exp(np.fmax(score - room, 0.0)), np.exp(np.where(np.isnan(room), np.inf, score + room))
    frame = pd.DataFrame(
        {
            "policy": labels,
            "problems": len(counted),
            "score": np.exp(score),
            "score_low": low,
            "score_high": high,
            "rank": found.rank,
            "rank_low": found.rank_low,
            "rank_high": found.rank_high,
        }
    )
    return frame.sort_values(["score", "policy"]).reset_index(drop=True)
