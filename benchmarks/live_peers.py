"""Live bandits of other libraries: choose, reward, again, as each one documents, on K arms without features.

Each of our policies has the nearest one of every library; gittins has one, which is epsilon-greedy over a linear model.
A library that is not installed, or cannot be imported, is left out by its name. PyBandits 8 cannot be installed beside
us: it requires Optuna below 4, and our extra `tune` requires 4 or newer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

Step = Callable[[], int]  # chooses an arm, learns its reward, and returns the arm

ARMS, PAYS = 10, 3  # arms, and that of them which always pays
EPSILON = 0.1
_OWN = "its own policy, epsilon-greedy"
PAIRS: dict[tuple[str, str], str] = {  # by our policy and the name of the package: the policy there
    ("ucb", "gittins"): _OWN,
    ("ucb", "river"): "UCB",
    ("ucb", "mabwiser"): "UCB1",
    ("ucb", "bayesianbandits"): "UpperConfidenceBound",
    ("epsilon_greedy", "gittins"): _OWN,
    ("epsilon_greedy", "river"): "EpsilonGreedy",
    ("epsilon_greedy", "mabwiser"): "EpsilonGreedy",
    ("epsilon_greedy", "bayesianbandits"): "EpsilonGreedy",
    ("thompson", "gittins"): _OWN,
    ("thompson", "river"): "ThompsonSampling",
    ("thompson", "mabwiser"): "ThompsonSampling",
    ("thompson", "bayesianbandits"): "ThompsonSampling",
}


def step_of(library: str, policy: str) -> Step:
    """Return the step of a library's nearest policy to one of ours.

    Raises
    ------
    ImportError
        It is not installed.
    """
    importlib.import_module(library)
    make: Callable[[str], Step] = globals()[f"_{library}"]
    return make(policy)


def _gittins(_: str) -> Step:
    import gittins

    state = gittins.create(bits=8, horizon=3600.0, epsilon=EPSILON)
    candidates: Any = [(f"arm {arm}", {}) for arm in range(ARMS)]
    clock = iter(range(10**9))

    def step() -> int:
        t = next(clock) * 1e-3
        record = gittins.decide(state, {}, candidates, t, "web-1")
        gittins.learn(state, record.decision_id, float(record.chosen == PAYS), t)
        return int(record.chosen)

    return step


def _mabwiser(policy: str) -> Step:
    from mabwiser.mab import MAB, LearningPolicy

    learning = {
        "ucb": LearningPolicy.UCB1(alpha=1.0),
        "epsilon_greedy": LearningPolicy.EpsilonGreedy(epsilon=EPSILON),
        "thompson": LearningPolicy.ThompsonSampling(),
    }[policy]
    bandit = MAB(arms=list(range(ARMS)), learning_policy=learning)
    bandit.fit(decisions=list(range(ARMS)), rewards=[int(arm == PAYS) for arm in range(ARMS)])

    def step() -> int:
        arm = int(bandit.predict())
        bandit.partial_fit([arm], [int(arm == PAYS)])
        return arm

    return step


def _river(policy: str) -> Step:
    from river import bandit, proba

    rule: Any = {
        "ucb": bandit.UCB(delta=1.0, seed=0),
        "epsilon_greedy": bandit.EpsilonGreedy(epsilon=EPSILON, seed=0),
        "thompson": bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=0),
    }[policy]
    arms = list(range(ARMS))

    def step() -> int:
        arm = int(rule.pull(arms))
        rule.update(arm, float(arm == PAYS))
        return arm

    return step


def _bayesianbandits(policy: str) -> Step:
    from bayesianbandits import Agent, Arm, DirichletClassifier, EpsilonGreedy, ThompsonSampling, UpperConfidenceBound

    def paid(values: Any) -> Any:
        return values[..., 1]

    rule: Any = {
        "ucb": UpperConfidenceBound(alpha=0.84),
        "epsilon_greedy": EpsilonGreedy(epsilon=EPSILON),
        "thompson": ThompsonSampling(),
    }[policy]
    learners = [DirichletClassifier({0: 1.0, 1: 1.0}, random_state=arm) for arm in range(ARMS)]
    arms = [Arm(arm, reward_function=paid, learner=learner) for arm, learner in enumerate(learners)]
    agent: Any = Agent(arms, rule, random_seed=0)

    def step() -> int:
        (arm,) = agent.pull()
        agent.update([int(arm == PAYS)])
        return int(arm)

    return step
