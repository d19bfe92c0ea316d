"""The task of a trace: one replication, of which every step is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import Arms, Policy
from bandits.simulate import Steps, trace
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def play(path: Path, policy: Policy, arms: Arms, horizon: int, seed: int, run: int) -> None:
    """Play replication number `run` and store its steps."""
    played, steps = trace(policy, arms, horizon, seed, run)
    tables.write(steps_table(steps, played.pseudo_regret[0], played.realised_regret[0]), path)


def steps_table(steps: Steps, pseudo_regret: Any, realised_regret: Any) -> pd.DataFrame:
    """Return one row a step: t, arm, reward, best_reward, regrets; pulls_a, mean_a, index_a of arm a before it."""
    import pandas as pd

    arms = steps.means.shape[1]
    return pd.DataFrame(
        {
            "t": np.arange(1, steps.arm.size + 1),
            "arm": steps.arm,
            "reward": steps.reward,
            "best_reward": steps.best_reward,
            "pseudo_regret": pseudo_regret,
            "realised_regret": realised_regret,
            **{f"pulls_{a}": np.cumsum(steps.arm == a) - (steps.arm == a) for a in range(arms)},
            **{f"mean_{a}": steps.means[:, a] for a in range(arms)},
            **{f"index_{a}": steps.scores[:, a] for a in range(arms)},
        }
    )
