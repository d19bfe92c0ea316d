"""The same seeds give the same numbers compiled and not, and the same as when they were stored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bandits import same_bits
from tests.data import read

pytestmark = pytest.mark.kernels

STORED = read("same_bits")


@pytest.mark.parametrize(("arms", "policy"), same_bits.PAIRS, ids=lambda value: getattr(value, "name", str(value)))
def test_a_simulation_gives_the_stored_numbers_in_every_lane(arms, policy):
    stored, now = STORED["rows"][f"{arms.name} {policy!r}"], same_bits.played(policy, arms)
    assert now["pulls"] == stored["pulls"]
    if arms.unit_rewards:
        assert now == stored
    else:  # another system's logarithm may round the last bit of a normal reward otherwise
        assert now["reward_sum"] == pytest.approx(stored["reward_sum"], rel=1e-12, abs=1e-12)
        assert now["best_reward_sum"] == pytest.approx(stored["best_reward_sum"], rel=1e-12, abs=1e-12)


def test_draws_are_the_stored_ones_in_every_lane():
    assert same_bits.draws() == pytest.approx(STORED["draws"], rel=1e-12)


@pytest.mark.jit
def test_kernels_in_plain_python_give_the_numbers_of_the_compiled_ones_to_the_last_bit():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.bandits.same_bits"],
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(same_bits.everything()))
