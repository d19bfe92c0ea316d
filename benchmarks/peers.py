"""UCB1 of other libraries, K Bernoulli arms, one replication: choose, draw a reward, tell it, as each one documents.

Only what is installed is measured. The loops are in Python, so that a short horizon tells their speed as well.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import io
import random
from collections.abc import Callable, Sequence

Play = Callable[[Sequence[float], int], list[int]]  # means, horizon -> pulls of every arm


def load(name: str) -> Play:
    """Return the loop of a library.

    Raises
    ------
    ImportError
        It is not installed, or cannot be imported beside the installed NumPy and SciPy; the text says which.
    """
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        raise ImportError("not installed") from None
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return LOOPS[name]()
    except Exception as error:
        raise ImportError(f"installed, but its import fails: {error}") from error


def label(name: str) -> str:
    """Return the library's name with its version."""
    return f"{name} {importlib.metadata.version(name)}"


def _river() -> Play:
    bandit = importlib.import_module("river.bandit")

    def play(means: Sequence[float], horizon: int) -> list[int]:
        policy, draw = bandit.UCB(delta=1.0, seed=0), random.Random(1)
        arms, pulls = range(len(means)), [0] * len(means)
        for _ in range(horizon):
            arm = policy.pull(arms)
            policy.update(arm, 1.0 if draw.random() < means[arm] else 0.0)
            pulls[arm] += 1
        return pulls

    return play


def _smpybandits() -> Play:
    special = importlib.import_module("scipy.special")
    if not hasattr(special, "btdtri"):  # a posterior that UCB never uses imports this name, which SciPy gave up
        special.btdtri = special.betaincinv
    policies = importlib.import_module("SMPyBandits.Policies")
    arms = importlib.import_module("SMPyBandits.Arms")

    def play(means: Sequence[float], horizon: int) -> list[int]:
        policy, machine = policies.UCB(len(means)), [arms.Bernoulli(mean) for mean in means]
        pulls = [0] * len(means)
        policy.startGame()
        for t in range(horizon):
            arm = int(policy.choice())
            policy.getReward(arm, machine[arm].draw(t))
            pulls[arm] += 1
        return pulls

    return play


def _mabwiser() -> Play:
    mab = importlib.import_module("mabwiser.mab")

    def play(means: Sequence[float], horizon: int) -> list[int]:
        draw, arms = random.Random(1), list(range(len(means)))
        policy = mab.MAB(arms, mab.LearningPolicy.UCB1(alpha=1.0))
        pulls = [1] * len(means)
        policy.fit(arms, [float(draw.random() < mean) for mean in means])
        for _ in range(horizon - len(means)):
            arm = policy.predict()
            policy.partial_fit([arm], [1.0 if draw.random() < means[arm] else 0.0])
            pulls[arm] += 1
        return pulls

    return play


LOOPS: dict[str, Callable[[], Play]] = {"river": _river, "SMPyBandits": _smpybandits, "mabwiser": _mabwiser}
