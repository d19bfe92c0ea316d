"""Live bandits of other libraries: choose, reward, again, as each one documents, on K arms without features.

Each has its nearest policy. A library that is not installed, or cannot be imported, is left out by its name. PyBandits
8 cannot be installed beside the other libraries: its samplers want older ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

Step = Callable[[], int]  # chooses an arm, learns its reward, and returns the arm

ARMS, PAYS = 10, 3  # arms, and that of them which always pays
LIBRARIES: dict[str, tuple[str, str]] = {  # by the name of the package: our policy, and its nearest one
    "gittins": ("epsilon_greedy", "its own with an epsilon"),
    "mabwiser": ("thompson", "Thompson sampling"),
    "river": ("ucb", "UCB"),
    "bayesianbandits": ("thompson", "Thompson sampling"),
}


def step_of(library: str) -> Step:
    """Return the step of a library.

    Raises
    ------
    ImportError
        It is not installed.
    """
    importlib.import_module(library)
    make: Callable[[], Step] = globals()[f"_{library}"]
    return make()


def _gittins() -> Step:
    import gittins

    state = gittins.create(bits=8, horizon=3600.0)
    candidates: Any = [(f"arm {arm}", {}) for arm in range(ARMS)]
    clock = iter(range(10**9))

    def step() -> int:
        t = next(clock) * 1e-3
        record = gittins.decide(state, {}, candidates, t, "web-1")
        gittins.learn(state, record.decision_id, float(record.chosen == PAYS), t)
        return int(record.chosen)

    return step


def _mabwiser() -> Step:
    from mabwiser.mab import MAB, LearningPolicy

    bandit = MAB(arms=list(range(ARMS)), learning_policy=LearningPolicy.ThompsonSampling())
    bandit.fit(decisions=list(range(ARMS)), rewards=[0] * ARMS)

    def step() -> int:
        arm = int(bandit.predict())
        bandit.partial_fit([arm], [int(arm == PAYS)])
        return arm

    return step


def _river() -> Step:
    from river import bandit

    policy, arms = bandit.UCB(delta=1.0), list(range(ARMS))

    def step() -> int:
        arm = int(policy.pull(arms))
        policy.update(arm, float(arm == PAYS))
        return arm

    return step


def _bayesianbandits() -> Step:
    from bayesianbandits import Agent, Arm, DirichletClassifier, ThompsonSampling

    def paid(values: Any) -> Any:
        return values[..., 1]

    learners = [DirichletClassifier({0: 1.0, 1: 1.0}, random_state=arm) for arm in range(ARMS)]
    arms = [Arm(arm, reward_function=paid, learner=learner) for arm, learner in enumerate(learners)]
    agent: Any = Agent(arms, ThompsonSampling(), random_seed=0)

    def step() -> int:
        (arm,) = agent.pull()
        agent.select_for_update(arm).update([int(arm == PAYS)])
        return int(arm)

    return step
