"""The root of a search as a bandit: regret by exact values, in a tree and on the bandit of playouts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.elsewhere.kept import REPORT, Study, positions_of
from benchmarks.elsewhere.positions import moves_of, values_of
from experiments.engine.tasks import Task
from experiments.kinds.root_regret.arms import Root
from mcts.policy import index_policy
from numerics.output import tables

POLICIES = ("ucb c=1", "kl_ucb", "thompson", "moss", "ucb_tuned", "ucb_v")
"""The first is what the others are compared with."""
GROWING = "thompson"  # whose regret on the bandit of playouts is measured too
MOST_POSITIONS = 1_000

Floats = npt.NDArray[np.float64]


def task(study: Study, game: str, policy: str, arms: str) -> Task:
    """Return the task that plays a policy on arms of each root."""
    count = min(study.positions, MOST_POSITIONS)
    name = f"regret_{arms}_{policy.replace(' ', '_')}_{study.sizes[-1]}.parquet"
    arguments = (game, study.tuning, policy, arms, count, study.sizes[1:], study.seed)
    return Task(study.place(game) / name, play, arguments, count)


def play(
    path: Path, game: str, tuning: int, policy: str, arms: str, count: int, steps: tuple[int, int], seed: int
) -> None:
    """Store the regret of a policy after each number of simulations, and whether it recommends an optimal move."""
    playouts, rows = tables.read(path.parent / "playouts.parquet")["means"], []
    chosen = index_policy(policy)
    for index, position in enumerate(positions_of(path.parent, game, tuning, REPORT)[:count]):
        means = np.array(playouts[index].split(), dtype=np.float64)
        values = values_of(position)
        gaps = values.max() - values
        root = Root(index, moves_of(position), values, means)
        counts = root.counts(arms, position.board, chosen, np.array(steps), seed)
        before, after = (counts.visits * gaps).sum(axis=1)
        first = int(np.lexsort((np.nan_to_num(counts.means[-1]), counts.visits[-1]))[-1])
        rows.append({"position": index, "before": before, "after": after, "kept": gaps[first] == 0.0})
    tables.write(tables.table_of(rows), path)


def regret_in(done: Task) -> Floats:
    """Return what a task stored: float64[X, 2], the regret of each position at both numbers of simulations."""
    return tables.read(done.path)[["before", "after"]].to_numpy(np.float64)
