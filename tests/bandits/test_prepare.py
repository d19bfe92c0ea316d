"""What a run compiles before its first replication, so that the times of its tasks are those of playing alone."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import UCB, Bernoulli, Thompson
from bandits.kernels import counting, general, many_arms
from bandits.simulation import prepare


@pytest.mark.parametrize(
    ("policy", "arms", "kernel"),
    [
        (UCB(), 10, counting.play_counting),
        (UCB(), counting.MOST_ARMS + 1, many_arms.play_many_arms),
        (Thompson(), 10, general.play),
    ],
    ids=["few arms", "many arms", "no bonus"],
)
def test_the_kernel_that_plays_is_compiled_before_the_first_replication(policy, arms, kernel, monkeypatch):
    compiled = []
    monkeypatch.setitem(prepare.__globals__, "compile_now", compiled.append)
    prepare(policy, Bernoulli(means=np.linspace(0.1, 0.9, arms)), 5_000)
    assert compiled == [kernel]
