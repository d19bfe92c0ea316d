"""The tidy tables of a simulation, and writing a table so that a reader never meets half of one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bandits import theory
from bandits.arms import Arms
from bandits.policy import Policy
from numerics.files import written_whole

if TYPE_CHECKING:
    import pandas as pd

    from bandits.replications import Floats, Replications

QUANTILES = {"q05": 0.05, "q25": 0.25, "q50": 0.50, "q75": 0.75, "q95": 0.95}
CURVES = (
    "policy", "t", "pseudo_regret_mean", "pseudo_regret_se", *(f"pseudo_regret_{name}" for name in QUANTILES),
    "realised_regret_mean", "realised_regret_se", "optimal_share", "reward_mean",
)  # fmt: skip
TEXTS = (  # columns that hold no numbers
    "policy", "policy_a", "policy_b", "formula",
    "board", "player1", "player2", "first_player", "won_by", "law", "parameters", "verdict", "quantity", "source",
    "reliable", "name",
)  # fmt: skip
SUMMARY = (
    "policy", "formula", "horizon", "runs", "pseudo_regret_mean", "pseudo_regret_se", "realised_regret_mean",
    "realised_regret_se", "gain_mean", "optimal_share", "lai_robbins_constant",
)  # fmt: skip


def curves(label: str, played: Replications) -> pd.DataFrame:
    """Return one row a checkpoint: mean, standard error and quantiles over the replications.

    `optimal_share` is the share of replications that pull a best arm at step t itself, `reward_mean` the mean reward of
    that step; standard errors are NaN for a single replication.
    """
    import pandas as pd

    realised = played.realised_regret
    quantiles = np.quantile(played.pseudo_regret, list(QUANTILES.values()), axis=0)
    columns = {
        "policy": [label] * played.checkpoints.size,
        "t": played.checkpoints,
        "pseudo_regret_mean": played.pseudo_regret.mean(axis=0),
        "pseudo_regret_se": _standard_error(played.pseudo_regret),
        **{f"pseudo_regret_{name}": row for name, row in zip(QUANTILES, quantiles, strict=True)},
        "realised_regret_mean": realised.mean(axis=0),
        "realised_regret_se": _standard_error(realised),
        "optimal_share": played.optimal.mean(axis=0),
        "reward_mean": played.reward.mean(axis=0),
    }
    return pd.DataFrame(columns, columns=list(CURVES))


def pulls(label: str, played: Replications) -> pd.DataFrame:
    """Return one row a replication and arm: its true mean and N_T(a)."""
    import pandas as pd

    runs, arms = played.pulls.shape
    return pd.DataFrame(
        {
            "policy": pd.Series([label], dtype="str").repeat(runs * arms).reset_index(drop=True),
            "run": np.repeat(np.arange(played.first, played.first + runs), arms),
            "arm": np.tile(np.arange(arms), runs),
            "mean": played.means.ravel(),
            "pulls": played.pulls.ravel(),
        }
    )


def summary(label: str, policy: Policy, arms: Arms, played: Replications) -> pd.DataFrame:
    """Return one row of final figures; `optimal_share` here is the share of all pulls that went to a best arm."""
    import pandas as pd

    regret, realised = played.pseudo_regret[:, -1:], played.realised_regret[:, -1:]
    row = {
        "policy": label,
        "formula": policy.formula,
        "horizon": int(played.checkpoints[-1]),
        "runs": played.runs,
        "pseudo_regret_mean": float(regret.mean()),
        "pseudo_regret_se": float(_standard_error(regret)[0]),
        "realised_regret_mean": float(realised.mean()),
        "realised_regret_se": float(_standard_error(realised)[0]),
        "gain_mean": float(played.gain[:, -1].mean()),
        "optimal_share": float(played.optimal_pulls.mean()),
        "lai_robbins_constant": theory.lai_robbins_constant(arms),
    }
    return pd.DataFrame([row], columns=list(SUMMARY))


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a table as Parquet or CSV, by the ending of its name; a reader never meets half of it."""
    with written_whole(path) as beside:
        if path.suffix == ".parquet":
            table.to_parquet(beside, index=False, engine="pyarrow", write_page_checksum=True)
        else:
            table.to_csv(beside, index=False, lineterminator="\n")


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote; a label such as NA or 007 stays the text that it is.

    Raises
    ------
    ValueError
        The file is missing or not whole; the sentence names it and says what to do.
    """
    import pandas as pd

    with readable(path, "run the experiment again in a new folder"):
        if path.suffix == ".parquet":
            return pd.read_parquet(path, engine="pyarrow", page_checksum_verification=True)
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name in table.columns:
        if name not in TEXTS:
            table[name] = pd.to_numeric(table[name].where(table[name] != ""))
    return table


@contextlib.contextmanager
def readable(path: Path, cure: str) -> Iterator[None]:
    """Make one sentence, with what to do, of a file of a table that is missing or broken."""
    import pyarrow

    try:
        yield
    except MemoryError:  # which pyarrow's is too
        raise
    except FileNotFoundError as error:
        raise ValueError(f"{path}: no such table; {cure}") from error
    except (ValueError, OSError, pyarrow.ArrowException) as error:
        if "Resource temporarily unavailable" in str(error) or "Cannot allocate memory" in str(error):
            raise MemoryError from error  # a passing want of the machine's says nothing of the file
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{path}: not a readable table ({reason}); {cure}") from error


def _standard_error(values: Floats) -> Floats:
    if values.shape[0] < 2:
        return np.full(values.shape[1], np.nan)
    error: Floats = values.std(axis=0, ddof=1) / np.sqrt(values.shape[0])
    return np.where(np.ptp(values, axis=0) > 0.0, error, 0.0)  # where all are equal, a rounded mean leaves 1e-16


def places_of(table: pd.DataFrame) -> dict[str, int]:
    """Return the place of each policy among all of a table, by which it looks the same wherever it is drawn."""
    return {policy: place for place, policy in enumerate(policies_of(table))}


def policies_of(table: pd.DataFrame, policies: Sequence[str] | None = None) -> list[str]:
    """Return the policies asked for, or all of a table as they come."""
    return list(policies) if policies is not None else [str(policy) for policy in table["policy"].unique()]
