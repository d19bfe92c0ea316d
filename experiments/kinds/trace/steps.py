"""The task of a trace: one replication, of which every step is kept."""

from __future__ import annotations

from pathlib import Path

from bandits import Arms, Policy, trace
from numerics.output import tables


def play(path: Path, policy: Policy, arms: Arms, horizon: int, seed: int, run: int) -> None:
    """Play replication number `run` and store its steps."""
    tables.write(trace(policy, arms, horizon, seed, run).to_frame(), path)
