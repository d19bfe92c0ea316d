"""A replication step by step: the pulled arm, its reward, and every arm's estimate and index before the pull."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bandits.arms.base import ARMS, Arms
from bandits.delivery.base import DELIVERY, Delivery
from bandits.figures.trace import draw_trace
from bandits.kernels.arguments import Steps
from bandits.policies.base import POLICIES, Policy
from bandits.replications import Floats, Replications
from bandits.simulation import LONGEST, MOST_RUNS, check_pair, replicate_steps
from numerics import checks
from numerics.output import notebook, style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_SIZE = (7.6, 7.4)  # inches of the figure
_ROWS, _COLUMNS = 10, 24  # most of the table in a notebook


@dataclass(frozen=True, repr=False, eq=False)
class Trace:
    """The outcome of `trace`.

    Attributes
    ----------
    policy, arms, seed, run
        The arguments of `trace`: replication number `run` of `simulate` under this seed.
    replications : Replications
        The replication, with every step as a checkpoint.
    steps : Steps
        Every step, as arrays.
    """

    policy: Policy
    arms: Arms
    seed: int
    run: int
    replications: Replications
    steps: Steps

    def __repr__(self) -> str:
        """Return a line with the arguments and the final pseudo-regret."""
        regret = self.replications.pseudo_regret[0, -1]
        return (
            f"Trace({self.policy.name!r}, arms={self.arms.count}, horizon={self.horizon}, run={self.run}, "
            f"seed={self.seed}: pseudo-regret {regret:.2f})"
        )

    def _repr_html_(self) -> str:
        """Return the first steps as a table, and the figure of `plot` below it."""
        from matplotlib.figure import Figure

        with style.house_style():
            figure = Figure(figsize=_SIZE, layout="constrained")
            self._draw(figure)
            picture = notebook.picture(figure)
        more = f"; the first {_ROWS} steps (all: to_frame())" if self.horizon > _ROWS else ""
        played = (
            f"{self.policy.formula}; {self.arms.describe()}; {self.horizon:,} pulls, replication {self.run}, seed "
            f"{self.seed}{more}; pulls, means and indices before the pull"
        )
        first = self.to_frame().head(_ROWS)
        table = first.to_html(index=False, max_cols=_COLUMNS, na_rep="", float_format="{:.2f}".format)
        return notebook.paragraph(played) + table + picture

    @property
    def horizon(self) -> int:
        """T, the number of pulls."""
        return self.steps.arm.size

    @property
    def truth(self) -> Floats:
        """The true means at each step, float64 of shape (horizon, arms)."""
        if not self.arms.changing:
            return np.tile(self.replications.means, (self.horizon, 1))
        starts, means = self.arms.segments(self.seed, self.run, 1, self.horizon)
        rows: Floats = means[0, np.searchsorted(starts[0], np.arange(self.horizon), side="right") - 1]
        return rows

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each step: t, arm, reward, best_reward, regrets; pulls_a, mean_a, index_a before it.

        Where rewards come late, pulls_a counts those of which the reward is known, as the policy counts them. For arms
        that change, there is also truth_a, the true means at the step, and the pseudo-regret is the dynamic regret. For
        a policy that detects changes, alarms is their number so far.
        """
        import pandas as pd

        steps, arms = self.steps, range(self.arms.count)
        known = known_before(steps, self.arms.count)
        return pd.DataFrame(
            {
                "t": np.arange(1, steps.arm.size + 1),
                "arm": steps.arm,
                "reward": steps.reward,
                "best_reward": steps.best_reward,
                "pseudo_regret": self.replications.pseudo_regret[0],
                "realised_regret": self.replications.realised_regret[0],
                **{f"pulls_{a}": known[:, a] for a in arms},
                **{f"mean_{a}": steps.means[:, a] for a in arms},
                **{f"index_{a}": steps.scores[:, a] for a in arms},
                **({f"truth_{a}": self.truth[:, a] for a in arms} if self.arms.changing else {}),
                **({"alarms": self.replications.alarms[0]} if self.replications.alarms.shape[1] else {}),
            }
        )

    def plot(self) -> Figure:
        """Draw the arm of each step, every arm's estimate and the index, in a pyplot figure."""
        import matplotlib.pyplot as plt

        with style.house_style():
            figure = plt.figure(figsize=_SIZE, layout="constrained", FigureClass=notebook.figure_class())
            self._draw(figure)
            figure.draw_without_rendering()  # fixes the axes' labels while the house style holds
        return figure

    def _draw(self, figure: Figure) -> None:
        means = self.replications.means[0]
        draw_trace(
            figure,
            self.to_frame(),
            means,
            self.arms.names,
            estimated=self.arms.estimated,
            forgets=self.policy.forgets,
        )


def trace(
    policy: Policy | str,
    arms: Arms | Iterable[float],
    horizon: int = 40,
    seed: int = 0,
    run: int = 0,
    *,
    delivery: Delivery | str = "at_once",
) -> Trace:
    """Play a replication and keep every step: the same replication that `simulate` plays under this seed.

    Parameters
    ----------
    policy, arms
        As for `simulate`; a single policy.
    horizon : int, default 40
        T >= 1, the number of pulls; its limit is lower for many arms, because every step is kept.
    seed, run : int, default 0
        Replication number `run`, counted from 0, under this seed.
    delivery : Delivery or str, default "at_once"
        As for `simulate`.

    Raises
    ------
    ValueError
        An argument out of its range, or a policy that is not defined for these arms.

    Examples
    --------
    >>> played = trace("ucb", [0.3, 0.7], horizon=20)
    >>> played.to_frame()["arm"].tolist()[:2]
    [0, 1]
    """
    chosen, bandit = POLICIES.of(policy), ARMS.of(arms)
    horizon = checks.check_whole("horizon", horizon, 1, most=LONGEST)
    seed, run = checks.check_whole("seed", seed, 0), checks.check_whole("run", run, 0, most=MOST_RUNS)
    delivered = DELIVERY.of(delivery)
    delivered.check(horizon)
    check_pair(chosen, bandit, horizon)
    return Trace(chosen, bandit, seed, run, *replicate_steps(chosen, bandit, horizon, seed, run, delivered))


def known_before(steps: Steps, arms: int) -> npt.NDArray[np.int64]:
    """Return how many rewards of each arm were known before each step of one replication, int64[T, K]."""
    known = np.zeros((steps.arm.size + 1, arms), np.int64)
    in_time = steps.arrival < steps.arm.size
    np.add.at(known, (steps.arrival[in_time] + 1, steps.arm[in_time]), 1)
    counts: npt.NDArray[np.int64] = known.cumsum(axis=0)[:-1]
    return counts
