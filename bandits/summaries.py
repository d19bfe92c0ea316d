"""The tidy tables of a simulation: curves, pull counts and a summary, a row for each observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits.arms.base import Arms
from bandits.bounds import methods, regret_bound
from bandits.policies.base import Policy
from bandits.replications import Floats, Replications
from bandits.theory import lai_robbins_constant
from numerics.output.sheets import Column, Facts, Sheet, margin, number, plus_minus, share, word
from numerics.statistics import means
from numerics.statistics.bounded import mean_interval

if TYPE_CHECKING:
    import pandas as pd

QUANTILES = {"q05": 0.05, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q95": 0.95}
BANDS = {"band05": 0.05, "band25": 0.25, "band75": 0.75, "band95": 0.95}
_OF_A_MEAN = ("se", "skewness", "low", "high", "bound")
CURVES = (
    "policy",
    "t",
    "pseudo_regret_mean",
    "pseudo_regret_se",
    *(f"pseudo_regret_{name}" for name in QUANTILES),
    *(f"pseudo_regret_{name}" for name in ("skewness", "low", "high", "bound", *BANDS)),
    "realised_regret_mean",
    "realised_regret_se",
    "optimal_share",
    "reward_mean",
    *(f"simple_regret_{name}" for name in ("mean", *_OF_A_MEAN)),
)
OF_CHANGES = (
    *(f"fixed_regret_{name}" for name in ("mean", *_OF_A_MEAN)),
    "best_pulls_mean",
    *(f"alarms_{name}" for name in ("mean", *_OF_A_MEAN)),
)
"""Further columns of both tables: the former of arms that change, the latter of policies that look for changes."""
FIXED, ALARMS = "fixed_regret_mean", "alarms_mean"
SUMMARY = (
    "policy",
    "formula",
    "horizon",
    "runs",
    "pseudo_regret_mean",
    "pseudo_regret_se",
    "pseudo_regret_skewness",
    "pseudo_regret_low",
    "pseudo_regret_high",
    "pseudo_regret_bound",
    "realised_regret_mean",
    "realised_regret_se",
    "reward_sum_mean",
    "optimal_share",
    "lai_robbins_constant",
    *(f"simple_regret_{name}" for name in ("mean", *_OF_A_MEAN)),
)


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    """Say how much was played, if all rows have it in common, and the constant of the arms where it is theirs alone."""
    runs, horizon = (f"{frame[name].iloc[0]:,}" if frame[name].nunique() == 1 else "" for name in ("runs", "horizon"))
    played = [
        f"{count} {what}{'s' * (count != '1')}" for count, what in ((runs, "replication"), (horizon, "pull")) if count
    ]
    constant, bounds = frame["lai_robbins_constant"], bounds_of(frame)
    regrets = "pseudo-regret"
    if FIXED in frame:
        regrets = "dynamic regret (against the best arm at each t) and fixed regret (against the best fixed arm)"
    parts = [
        " of ".join(played),
        f"{regrets} with {'their' if FIXED in frame else 'its'} 95 % interval{'s' * (FIXED in frame)} "
        f"({methods(bounds)}), realised ± standard error",
        "simple regret with its interval: the gap of the recommended arm" if FIXED not in frame else "",
        "" if _rows_have_constants(frame) or FIXED in frame else f"Lai-Robbins C of these arms: {constant.iloc[0]:.3f}",
    ]
    return "; ".join(part for part in parts if part)


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    simple = margin("simple regret", "simple_regret", ",.4f", optional=4)
    constant = [number("Lai-Robbins C", "lai_robbins_constant", ".3f", optional=2)]
    return [
        word("policy"),
        word("formula"),
        margin("dynamic regret" if FIXED in frame else "pseudo-regret", "pseudo_regret"),
        *([margin("fixed regret", "fixed_regret")] if FIXED in frame else []),
        *([margin("alarms", "alarms", ",.2f", optional=1)] if ALARMS in frame else []),
        plus_minus("realised regret", "realised_regret", optional=1),
        number("reward sum", "reward_sum_mean", ",.1f", optional=3),
        share("best arm pulled", "optimal_share"),
        *([simple] if FIXED not in frame else []),  # the mean of all pulls is of no moment
        *(constant if _rows_have_constants(frame) and FIXED not in frame else []),
    ]


def _rows_have_constants(frame: pd.DataFrame) -> bool:
    """Whether the Lai-Robbins constant stands in the rows: it belongs to the arms, which many rows have in common."""
    return len(frame) == 1 or frame["lai_robbins_constant"].nunique() != 1


SHEET = Sheet("summary.csv", _title, _columns)
"""How people read the summary."""


def curves(label: str, played: Replications, gap: float = math.nan, largest: float = math.inf) -> pd.DataFrame:
    """Return a row for each checkpoint: mean, standard error and quantiles over the replications.

    `low` and `high` are the ends of a mean's 95 % interval, see `_intervals_of_mean`. It needs two bounds. `gap` is the
    largest regret of a pull, if the interval of regret requires it. `largest` is the largest gap, which the interval of
    simple regret always requires, because wrong recommendations become rare. The quantiles `q05` ... `q95` describe
    these replications; on average 90 % of further replications lie between `band05` and `band95`, see
    `numerics.statistics.means.quantiles_to_come`. `optimal_share` is the share of replications that pull a best arm at
    step t, `reward_mean` the mean reward of that step. Standard errors are NaN for a single replication.
    """
    import pandas as pd

    realised = played.realised_regret
    quantiles = np.quantile(played.pseudo_regret, list(QUANTILES.values()), axis=0)
    bands = means.quantiles_to_come(played.pseudo_regret, list(BANDS.values()))
    columns = {
        "policy": [label] * played.checkpoints.size,
        "t": played.checkpoints,
        "pseudo_regret_mean": played.pseudo_regret.mean(axis=0),
        **_intervals_of_mean("pseudo_regret", played.pseudo_regret, gap * played.checkpoints),
        **{f"pseudo_regret_{name}": row for name, row in zip(QUANTILES, quantiles, strict=True)},
        **{f"pseudo_regret_{name}": row for name, row in zip(BANDS, bands, strict=True)},
        "realised_regret_mean": realised.mean(axis=0),
        "realised_regret_se": means.standard_error(realised),
        "optimal_share": played.optimal.mean(axis=0),
        "reward_mean": played.reward.mean(axis=0),
        "simple_regret_mean": played.simple_regret.mean(axis=0),
        **_intervals_of_mean("simple_regret", played.simple_regret, np.full(played.checkpoints.size, largest)),
        **_of_changes(played, slice(None), gap * played.checkpoints),
    }
    return pd.DataFrame(columns, columns=[name for name in (*CURVES, *OF_CHANGES) if name in columns])


def pulls(label: str, played: Replications) -> pd.DataFrame:
    """Return a row for each replication and arm: the true mean and N_T(a); of arms that change its pulls' regret too.

    The mean of an arm that changes is its average over the T steps.
    """
    import pandas as pd

    runs, arms = played.pulls.shape
    return pd.DataFrame(
        {
            "policy": pd.Series([label], dtype="str").repeat(runs * arms).reset_index(drop=True),
            "run": np.repeat(np.arange(played.first, played.first + runs), arms),
            "arm": np.tile(np.arange(arms), runs),
            "mean": played.means.ravel(),
            "pulls": played.pulls.ravel(),
            **({"regret": played.lost.ravel()} if played.changing else {}),
        }
    )


def summary(
    label: str,
    policy: Policy,
    arms: Arms,
    played: Replications,
    optimal_pulls: Floats | None = None,
    bound: float | None = None,
) -> pd.DataFrame:
    """Return a row of final numbers; here `optimal_share` is the share of all pulls that went to a best arm.

    `optimal_pulls` is this share for each replication, needed if `played` does not hold the pulls; `bound` is the
    `bandits.bounds.regret_bound`, computed when left out.
    """
    import pandas as pd

    regret, realised = played.pseudo_regret[:, -1:], played.realised_regret[:, -1:]
    simple, largest = played.simple_regret[:, -1:], np.array([arms.largest_gap])
    if bound is None:
        bound = regret_bound(policy, arms, int(played.checkpoints[-1]), regret[:, 0])
    row = {
        "policy": label,
        "formula": policy.formula,
        "horizon": int(played.checkpoints[-1]),
        "runs": played.runs,
        "pseudo_regret_mean": float(regret.mean()),
        **{
            name: float(values[0])
            for name, values in _intervals_of_mean("pseudo_regret", regret, np.array([bound])).items()
        },
        "realised_regret_mean": float(realised.mean()),
        "realised_regret_se": float(means.standard_error(realised)[0]),
        "reward_sum_mean": float(played.reward_sum[:, -1].mean()),
        "optimal_share": float((played.optimal_pulls if optimal_pulls is None else optimal_pulls).mean()),
        "lai_robbins_constant": lai_robbins_constant(arms),
        "simple_regret_mean": float(simple.mean()),
        **{name: float(values[0]) for name, values in _intervals_of_mean("simple_regret", simple, largest).items()},
        **{name: float(values[0]) for name, values in _of_changes(played, slice(-1, None), np.array([bound])).items()},
    }
    return pd.DataFrame([row], columns=[name for name in (*SUMMARY, *OF_CHANGES) if name in row])


def _of_changes(played: Replications, kept: slice, bounds: npt.NDArray[Any]) -> dict[str, Floats]:
    """Return the columns `OF_CHANGES` that there are, at some checkpoints; `bounds` are those of pseudo-regret."""
    columns: dict[str, Floats] = {}
    if played.changing:
        regret = played.fixed_regret[:, kept]
        columns |= {FIXED: regret.mean(axis=0), **_intervals_of_mean("fixed_regret", regret, bounds, lower=-bounds)}
        columns["best_pulls_mean"] = played.best_pulls[:, kept].mean(axis=0)
    if played.alarms.shape[1]:
        alarms = played.alarms[:, kept]
        columns |= {
            ALARMS: alarms.mean(axis=0),
            **_intervals_of_mean("alarms", alarms, np.full(alarms.shape[1], np.nan)),
        }
    return columns


def _intervals_of_mean(
    name: str, regret: Floats, bounds: npt.NDArray[Any], lower: npt.NDArray[Any] | None = None
) -> dict[str, Floats]:
    """Return standard error and skewness of a mean regret, and the ends of its interval, for each column.

    `bounds` are the largest regrets, inf where there is none; NaN where the interval needs no bound. The least is 0
    unless `lower` says otherwise.
    """
    low, high = mean_interval(regret, np.where(np.isnan(bounds), np.nan, 0.0) if lower is None else lower, bounds)
    error, skew = means.standard_error(regret), means.skewness(regret)
    columns = zip(_OF_A_MEAN, (error, skew, low, high, bounds), strict=True)
    return {f"{name}_{what}": values for what, values in columns}


def bounds_of(table: pd.DataFrame) -> dict[str, float]:
    """Return the bound of each policy's interval at the horizon, NaN for those that need none."""
    last = table.drop_duplicates("policy", keep="last")
    return {str(name): float(bound) for name, bound in zip(last["policy"], last["pseudo_regret_bound"], strict=True)}


def policies_of(table: pd.DataFrame, policies: Sequence[str] | None = None) -> list[str]:
    """Return the given policies, or all of a table in their order, which fixes the look of each in every figure."""
    return list(policies) if policies is not None else [str(policy) for policy in table["policy"].unique()]
