"""Worlds that change: the means of every moment, what is played in them, and the regrets."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import UCB, Arms, Gaussian, Piecewise, simulate
from tests import naive, naive_worlds

pytestmark = pytest.mark.kernels

HORIZON, RUNS, SEED = 90, 5, 31
JUMPS = Piecewise(
    [0.2, 0.5, 0.6], changes=[1, 30, 31, 60], means=[[0.6, 0.1, 0.2], [0.9, 0.9, 0.3], [0.0] * 3, [1.0, 0.2, 1.0]]
)
WORLDS = [JUMPS, Piecewise(Gaussian([0.2, 0.5, 0.6], scale=0.3), changes=[40], means=[[2.0, -1.0, 0.1]])]


def rows_of(arms: Arms, run: int, horizon: int = HORIZON) -> list[list[float]]:
    """Return the means of each step of a replication, from the table of the kernels."""
    starts, means = arms.segments(SEED, run, 1, horizon)
    return [means[0, np.searchsorted(starts[0], step, side="right") - 1].tolist() for step in range(horizon)]


def test_means_that_are_given_hold_from_their_changes_on():
    rows = [JUMPS.arms.fixed_means, *JUMPS.means]
    assert rows_of(JUMPS, 3) == [list(row) for row in naive_worlds.jumps(JUMPS.changes, rows, HORIZON)]


@pytest.mark.parametrize("arms", WORLDS, ids=str)
def test_the_kernel_plays_a_changing_world_as_the_scalar_simulation_does(arms: Arms):
    law, scale = getattr(naive, arms.arms.name), getattr(arms.arms, "scale", 1.0)
    pick = naive.indexed(lambda n, m, v, t: naive.ucb(n, m, t))
    expected = [naive_worlds.play(pick, rows_of(arms, run), law, SEED, run, scale=scale) for run in range(RUNS)]
    column = {
        name: np.array([[step[i] for step in run] for run in expected])
        for i, name in enumerate(naive_worlds.Moved._fields)
    }
    for block in (1, 2, 64):
        result = simulate(UCB(), arms, HORIZON, RUNS, SEED, checkpoints=range(1, HORIZON + 1), block=block)
        played = result.replications
        np.testing.assert_array_equal(played.reward, column["reward"])
        np.testing.assert_array_equal(played.optimal, column["best"])
        np.testing.assert_allclose(played.pseudo_regret, column["dynamic"], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(played.fixed_regret, column["fixed"], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(played.realised_regret, column["realised"], rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(played.best_pulls.sum(axis=1), column["best"].sum(axis=1))
        np.testing.assert_allclose(played.lost.sum(axis=1), column["dynamic"][:, -1], rtol=1e-12)
        np.testing.assert_allclose(played.means, [np.mean(rows_of(arms, run), axis=0) for run in range(RUNS)])
        assert result.replications.changing
