"""Logs to test with: of known worlds, and of the Open Bandit sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bandits import Log, evaluate, read_log
from tests.internals import Value

REAL = Path(__file__).resolve().parents[2] / "data" / "open_bandit"


def value_from(log: Log, policy: object = "uniform", **question: object) -> Value:
    (value,) = evaluate(log, policy, **question).values
    return value


def thompson(who: str) -> Log:
    return read_log(f"open_bandit path={REAL / f'open_bandit_thompson_{who}.csv.gz'}")


def known_world(rng: np.random.Generator, rows: int, shown: list[float], means: list[float]) -> Log:
    """A log of arms 0, 1, ... that are shown with fixed probabilities and pay 0 or 1."""
    arm = rng.choice(len(shown), rows, p=shown).astype(np.int32)
    reward = (rng.random(rows) < np.array(means)[arm]).astype(float)
    names = tuple(map(str, range(len(shown))))
    return Log(names, arm, reward, np.array(shown)[arm], np.arange(rows, dtype=float))
