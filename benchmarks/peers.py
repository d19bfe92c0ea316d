"""UCB1 of other libraries, K Bernoulli arms, one replication: choose, draw a reward, tell it, as each one documents.

Policies that see features play the rows of one replication likewise.
Only what is installed is measured. The loops are in Python, so that a short horizon tells their speed as well. PyMAB
has a compiled core and plays `AT_ONCE` replications in a call, of UCB1, Thompson sampling and KL-UCB.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import io
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Loaded = TypeVar("Loaded")
Play = Callable[[Sequence[float], int], list[int]]  # means, horizon -> pulls of every arm
# features (T, d), means (T, K), the standard deviation of rewards -> the arm of every step
SeeingPlay = Callable[[Floats, Floats, float], list[int]]
AT_ONCE = 50  # replications in a call of PyMAB


def load(name: str) -> Play:
    """Return the loop of a library that plays UCB1.

    Raises
    ------
    ImportError
        It is not installed, or cannot be imported beside the installed NumPy and SciPy; the text says which.
    """
    return _loaded(name, LOOPS[name])


def load_pymab(policy: str) -> Play:
    """Return PyMAB's loop of a policy, by our name of it; for errors see `load`."""
    return _loaded("pymab", functools.partial(_pymab, policy))


def load_seeing(name: str, policy: str) -> SeeingPlay:
    """Return a library's loop of a policy that sees features, by our name of it; for errors see `load`."""
    return _loaded(name, functools.partial(SEEING[name, policy], policy))


def _loaded(name: str, loop: Callable[[], Loaded]) -> Loaded:
    """Import a library.

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
            return loop()
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


def _pymab(policy: str) -> Play:
    pymab = importlib.import_module("pymab")
    policies = importlib.import_module("pymab.policies")
    kind: Any = {
        "ucb": policies.UCBPolicy,
        "thompson": policies.BernoulliThompsonSamplingPolicy,
        "kl_ucb": policies.KLUCBPolicy,
    }[policy]

    def play(means: Sequence[float], horizon: int) -> list[int]:
        machine = pymab.BanditEnvironment(means=list(means), reward_model=pymab.BernoulliReward())
        terms = pymab.ExperimentConfig(horizon=horizon, n_replicates=AT_ONCE, seed=0)
        played = pymab.Experiment(environment=machine, policies={"p": kind(n_arms=len(means))}, config=terms).run()
        return [int((played.actions == arm).sum()) for arm in range(len(means))]

    return play


def _mabwiser_seeing(policy: str) -> SeeingPlay:
    learning = importlib.import_module("mabwiser.mab").LearningPolicy
    mab = importlib.import_module("mabwiser.mab").MAB
    kind = {
        "linucb": learning.LinUCB(alpha=1.0, l2_lambda=1.0),
        "lin_thompson": learning.LinTS(alpha=1.0, l2_lambda=1.0),
        "lin_epsilon_greedy": learning.LinGreedy(epsilon=0.1, l2_lambda=1.0),
    }[policy]

    def play(features: Floats, means: Floats, scale: float) -> list[int]:
        draw, arms = random.Random(1), list(range(means.shape[1]))
        machine, chosen = mab(arms, kind), [draw.choice(arms)]
        machine.fit(chosen, [draw.gauss(means[0, chosen[0]], scale)], features[:1])
        for t in range(1, len(features)):
            x = features[t : t + 1]
            arm = machine.predict(x)
            machine.partial_fit([arm], [draw.gauss(means[t, arm], scale)], x)
            chosen.append(arm)
        return chosen

    return play


def _river_seeing(_: str) -> SeeingPlay:
    """LinUCB whose bound holds a reward, not its mean: the spread counts the noise, of variance 1, too."""
    bandit = importlib.import_module("river.bandit")

    def play(features: Floats, means: Floats, scale: float) -> list[int]:
        draw, arms, chosen = random.Random(1), range(means.shape[1]), []
        policy = bandit.LinUCBDisjoint(alpha=1.0, beta=1.0, seed=0)
        for x, mean in zip(features.tolist(), means, strict=True):
            seen = dict(enumerate(x))
            arm = policy.pull(arms, seen)
            policy.update(arm, seen, draw.gauss(mean[arm], scale))
            chosen.append(arm)
        return chosen

    return play


LOOPS: dict[str, Callable[[], Play]] = {"river": _river, "SMPyBandits": _smpybandits, "mabwiser": _mabwiser}
SEEING: dict[tuple[str, str], Callable[[str], SeeingPlay]] = {
    ("mabwiser", "linucb"): _mabwiser_seeing,
    ("mabwiser", "lin_thompson"): _mabwiser_seeing,
    ("mabwiser", "lin_epsilon_greedy"): _mabwiser_seeing,
    ("river", "linucb"): _river_seeing,
}
