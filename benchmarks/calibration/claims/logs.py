"""What a policy would have earned, from the log of another: each kind of interval, where the log can answer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bandits import Bernoulli, make, simulate
from bandits.evaluation.estimators import ESTIMATORS
from bandits.evaluation.evaluate import check_question, value_of
from bandits.evaluation.replay import learn
from bandits.evaluation.reward_models import LOGISTIC, RIDGE
from bandits.evaluation.targets import UniformPolicy
from bandits.logs.log import Log
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval

ARMS = 10
POINTS = np.array([[x, y] for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)])  # the features that there are
_MOST = 1_000  # logs that are drawn until one can answer
_PLAYED = 400  # replications from which the truth of a policy that learns is taken
_NOTHING = Outcome(1.0)


def drawn_log(rows: int, rng: np.random.Generator, heavy: float, rate: float) -> tuple[Log, npt.NDArray[np.float64]]:
    """Return a log of clicks in five phases, and the rates of its arms.

    Probabilities of the arms are proportional to exp(heavy z), z normal, and change between phases.
    """
    means = np.minimum(1.0, rate * np.exp(rng.normal(0.0, 0.5, ARMS)))
    usual = rng.normal(0.0, heavy, ARMS)
    arm, propensity = np.empty(rows, np.int32), np.empty(rows)
    for phase in np.array_split(np.arange(rows), 5):
        shown = np.exp(usual + rng.normal(0.0, heavy / 4.0, ARMS))
        shown /= shown.sum()
        arm[phase] = rng.choice(ARMS, phase.size, p=shown)
        propensity[phase] = shown[arm[phase]]
    reward = (rng.random(rows) < means[arm]).astype(np.float64)
    return Log(tuple(map(str, range(ARMS))), arm, reward, propensity, np.arange(rows, dtype=np.float64)), means


def value(
    size: int,
    rng: np.random.Generator,
    heavy: float = 0.5,
    rate: float = 0.05,
    estimator: str = "dr",
    kind: str = "student",
) -> Outcome:
    """Draw logs until one can say what uniform play would have earned, and look whether its interval holds that."""
    for _ in range(_MOST):
        log, means = drawn_log(size, rng, heavy, rate)
        estimate = value_of(log, "uniform", UniformPolicy(), *check_question(log, estimator, kind, None, None))
        if not estimate.refused:
            return interval(estimate.low, estimate.high, float(means.mean()), estimate.value)
    return _NOTHING


def of_features(
    size: int,
    rng: np.random.Generator,
    heavy: float = 0.5,
    rate: float = 0.05,
    model: str = "ridge",
    estimator: str = "dr",
) -> Outcome:
    """Draw logs of clicks that depend on features until one can say what uniform play would have earned.

    The policy that wrote them looked at the features too: probabilities of the arms are proportional to exp(heavy z),
    z linear in the features.
    """
    for _ in range(_MOST):
        means = np.minimum(1.0, rate * np.exp(rng.normal(0.0, 0.5, ARMS) + POINTS @ rng.normal(0.0, 0.5, (2, ARMS))))
        shown = np.exp(heavy * (rng.normal(0.0, 1.0, ARMS) + POINTS @ rng.normal(0.0, 0.5, (2, ARMS))))
        shown /= shown.sum(axis=1, keepdims=True)
        point = rng.integers(len(POINTS), size=size)
        arm = (rng.random((size, 1)) > shown.cumsum(axis=1)[point, :-1]).sum(axis=1).astype(np.int32)
        reward = (rng.random(size) < means[point, arm]).astype(np.float64)
        log = Log(tuple(map(str, range(ARMS))), arm, reward, shown[point, arm], features=POINTS[point])
        question = check_question(log, estimator, "student", None, None, model)
        estimate = value_of(log, "uniform", UniformPolicy(), *question)
        if not estimate.refused:
            return interval(estimate.low, estimate.high, float(means.mean()), estimate.value)
    return _NOTHING


def proved(size: int, rng: np.random.Generator, heavy: float = 0.5, rate: float = 0.05) -> Outcome:
    """Look whether the empirical Bernstein interval holds the value."""
    return value(size, rng, heavy, rate, "clipped_ips", "bernstein")


def by_time(size: int, rng: np.random.Generator, heavy: float = 0.5, rate: float = 0.05) -> Outcome:
    """Look whether the interval of blocks of time holds the value."""
    return value(size, rng, heavy, rate, "dr", "blocks")


def learning(size: int, rng: np.random.Generator, policy: str = "ucb", rate: float = 0.3) -> Outcome:
    """Replay a policy that learns on a uniform log, and look whether the interval holds what it earns on average."""
    log, means = drawn_log(size, rng, 0.0, rate)
    learned = learn(log, make(policy), int(rng.integers(2**40)))
    played = simulate(make(policy), Bernoulli(means.tolist()), learned.matched, _PLAYED, int(rng.integers(2**40)))
    truth = float(played.replications.reward_sum[:, -1].mean()) / learned.matched
    return _NOTHING if learned.refused else interval(learned.low, learned.high, truth, learned.value)


FEATURED = RIDGE, LOGISTIC
COMMAND, UNIT, SIZES = "experiment=evaluate", "rows", (2_000, 10_000)
# The last with the first is the hardest: few pay, few show.
WORLDS: dict[str, tuple[float, ...]] = {"heavy": (0.0, 1.0, 2.0), "rate": (0.01, 0.05)}
CLAIMS = [
    Claim(
        "value from a log",
        COMMAND,
        value,
        UNIT,
        SIZES,
        family=family_of(value, **WORLDS, estimator=ESTIMATORS),
    ),
    Claim(
        "value from a log, model of features",
        f"{COMMAND} model=ridge",
        of_features,
        UNIT,
        SIZES,
        family=family_of(of_features, **WORLDS, model=FEATURED),
        family_sizes=SIZES[:1],  # with fewer rows the models know less
    ),
    Claim(
        "value from a log, blocks of time",
        f"{COMMAND} interval=blocks",
        by_time,
        UNIT,
        SIZES,
        family=family_of(by_time, **WORLDS),
        really=0.93,  # in the hardest world 20 means vary too little: the rows of the largest weights hardly ever pay
    ),
    Claim(
        "value from a log, proved",
        f"{COMMAND} interval=bernstein",
        proved,
        UNIT,
        SIZES,
        family=family_of(proved, **WORLDS),
    ),
    Claim(
        "mean reward of a replay",
        COMMAND,
        learning,
        UNIT,
        (20_000,),  # of ten arms: 1,800 rows count
        family=family_of(learning, policy=("ucb", "thompson", "greedy"), rate=(0.1, 0.3)),
    ),
]
