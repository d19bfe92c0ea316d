"""The values of policies, estimated from the log of another policy: intervals, or the reason why there are none.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> arm = rng.integers(2, size=2_000, dtype=np.int32)
>>> reward = (rng.random(2_000) < np.where(arm == 1, 0.3, 0.1)).astype(float)
>>> log = Log(("red", "blue"), arm, reward, propensity=np.full(2_000, 0.5))
>>> evaluate(log, ["arm arm=blue", "uniform"]).to_frame()["value"].round(2).tolist()
[0.31, 0.21]
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.evaluation import intervals
from bandits.evaluation.estimators import ESTIMATORS, MODELLED, Floats, Sample, Terms, default_clip, of_arms, terms
from bandits.evaluation.limits import FEWEST_REWARDS, Rest, doubt, rest_of
from bandits.evaluation.replay import check_replay, learn
from bandits.evaluation.reward_models import LOGISTIC, MEANS, MODELS, fit, predict
from bandits.evaluation.targets import LEARNERS, TARGETS, ByRows, SharesOf, Target
from bandits.logs.forms import LogForm, log_of
from bandits.logs.log import Log
from bandits.policies.base import Policies, Policy
from numerics import checks
from numerics.parameters import must_be_one_of

if TYPE_CHECKING:
    import pandas as pd

KNOWN = "all rewards known"  # the estimator of a wide log
ANSWERED = "-"  # stands in a table for the reason of a refusal, or of a warning, where there is none
REPLAY = "replay"  # the estimator of a policy that learns
NO_POLICY = "policies must hold at least 1 policy when learners is empty; got none"
LOGGED, MEAN = "the log's policy", "mean of rows"  # the label of the policy that wrote a log, and its estimator


@dataclass(frozen=True)
class Value:
    """The value of a policy, its mean reward per row, with an interval.

    Attributes
    ----------
    policy, estimator, interval : str
    value, low, high : float
        The estimate and its 95 % interval; NaN where they are refused. All are clipped to the bounds of rewards if
        these are known. No policy earns less or more, so clipping only brings them closer to the truth. The interval is
        widened to hold the estimate where it does not.
    refused : str
        Why there is no number, and what log would give one; empty where there is a number.
    rest : Rest
        What it rests on.
    """

    policy: str
    estimator: str
    interval: str
    value: float
    low: float
    high: float
    refused: str
    rest: Rest

    @property
    def warning(self) -> str:
        """Why the interval is only approximate; empty if it is not, or if there is no number."""
        return "" if self.refused else self.rest.warning()


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """The outcome of `evaluate`: a value for each policy, or a reason why there is none.

    Behind policies that learn stands the log's own, over as many of its first rows.

    Attributes
    ----------
    log : Log
    values : tuple of Value
    """

    log: Log
    values: tuple[Value, ...]

    def __repr__(self) -> str:
        """Return what the log holds, what is doubtful about it, and a line for each policy."""
        return "\n".join([self.log.describe(), *filter(None, [doubt(self.log)]), *map(_line, self.values)])

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each policy: its value, interval and diagnostics, and why it is refused."""
        import pandas as pd

        return pd.DataFrame([row_of(value) for value in self.values])


def evaluate(
    log: Log | LogForm | str,
    policies: Target | Log | str | Iterable[Target | Log | str] | Mapping[str, Target | Log | str | Floats] = (),
    *,
    learners: Policies = (),
    estimator: str | None = None,
    interval: str = "student",
    clip: float | None = None,
    bounds: tuple[float, float] | None = None,
    model: str = MEANS,
    seed: int = 0,
) -> Evaluation:
    """Estimate the mean reward per row of policies, from the log of another policy.

    Parameters
    ----------
    log : Log, or what names its file
        Such as "rows path=log.csv propensity_column=p" or "open_bandit path=men.csv".
    policies : one or several
        "uniform", "arm arm=7", "probabilities arms=[7,8] shares=[0.5,0.5]", "columns arms=[7,8] columns=[p7,p8]", or a
        log, whose shares of arms are meant. The keys of a mapping are labels. Its values may also be arrays
        float64[n, K] with the probabilities of the arms in each row, at most 50 million numbers.
    learners : one or several
        Policies that learn, such as "ucb" or `UCB(c=0.5)`. They are replayed 20 times, see `bandits.evaluation.replay`.
        Their value is the mean reward while they learn, over the rows whose arm they choose, at least 1,000.
    estimator : str, optional
        dm, ips, clipped_ips, snips, dr, sndr or switch_dr: see `bandits.evaluation.estimators`. By default dr, and dm
        for a log without propensities.
    interval : str, default "student"
        student, bernstein or blocks: see `bandits.evaluation.intervals`.
    clip : float, optional
        The weight above which clipped_ips, switch_dr and bernstein cut; by default the square root of the rows.
    bounds : (float, float), optional
        The least and the largest reward that there may be; 0 and 1 where all rewards of the log lie between.
    model : str, default "means"
        What dm, dr, sndr and switch_dr take for the reward of an arm: means, or of the log's features ridge or
        logistic: see `bandits.evaluation.reward_models`.
    seed : int, default 0
        Of the learners' choices, and of the order of rows in replays.

    Raises
    ------
    ValueError
        An argument out of its range, an arm that the log does not have, or what the log cannot be asked.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rewards = (rng.random((5_000, 2)) < [0.1, 0.3]).astype(float)  # every arm's, as in a wide log
    >>> log = Log(("red", "blue"), np.empty(0, np.int32), np.empty(0), rewards=rewards)
    >>> evaluate(log, ["uniform"], learners=["ucb"]).to_frame()["value"].round(2).tolist()
    [0.2, 0.28]
    """
    chosen = targets_of(policies)
    if isinstance(learners, Policy | str):
        learners = [learners]
    learning = LEARNERS.many(learners, "learners", 0)
    if not chosen and not learning:
        raise ValueError(NO_POLICY)
    seed = checks.check_whole("seed", seed, 0)
    read = log if isinstance(log, Log) else log_of(log).read(named_columns(chosen.values()))
    given = check_question(read, estimator, interval, clip, bounds, model)
    for label, policy in learning.items():
        check_learner(f"learners[{label!r}]", read, policy)
    values = [value_of(read, label, target, *given) for label, target in chosen.items()]
    beside = {}
    for label, policy in learning.items():
        learned, *logged = learned_values(read, label, policy, seed, given)
        values.append(learned)
        beside.update({each.policy: each for each in logged})
    return Evaluation(read, (*values, *beside.values()))


def named_columns(targets: Iterable[Target]) -> tuple[str, ...]:
    """Return the additional columns of the file that policies need."""
    return tuple(dict.fromkeys(column for target in targets for column in target.log_columns))


def targets_of(policies: Any) -> dict[str, Target]:
    """Return the policies by their labels."""
    if isinstance(policies, Target | Log | str):
        policies = [policies]
    if isinstance(policies, np.ndarray) or any(isinstance(policy, np.ndarray) for policy in policies):
        raise ValueError("policies must give each array a label, such as {'new': array}; got an array without one")
    if isinstance(policies, Mapping):
        return TARGETS.many({label: _target(policy) for label, policy in policies.items()}, "policies")
    logs = {at: policy for at, policy in enumerate(policies) if isinstance(policy, Log)}
    labelled = TARGETS.many([policy for policy in policies if not isinstance(policy, Log)], "policies", 0)
    return labelled | {f"shares of {log.source or f'log {at}'}": SharesOf(log) for at, log in logs.items()}


def _target(policy: Any) -> Any:
    """Return a log or an array as the policy that it means, all else as it is."""
    return SharesOf(policy) if isinstance(policy, Log) else ByRows(policy) if isinstance(policy, np.ndarray) else policy


Question = tuple[str, str, float, tuple[float, float] | None, str]


def check_question(
    log: Log,
    estimator: str | None,
    interval: str,
    clip: float | None,
    bounds: tuple[float, float] | None,
    model: str = MEANS,
) -> Question:
    """Return the estimator, interval, clip, bounds and model to use; raise ValueError if they do not fit the log.

    Raises
    ------
    ValueError
        One that is out of its range, or that the log cannot be asked.
    """
    if estimator is None:
        estimator = "dm" if log.propensity is None else "dr"
    for name, value, allowed in (
        ("estimator", estimator, ESTIMATORS),
        ("interval", interval, intervals.INTERVALS),
        ("model", model, MODELS),
    ):
        if value not in allowed:
            raise ValueError(must_be_one_of(name, value, allowed))
    clip = default_clip(len(log)) if clip is None else checks.number("clip", clip, 0.0, above=True)
    rewards = log.reward if log.rewards is None else log.rewards
    least, most, rows = rewards.min(), rewards.max(), intervals.BLOCKS * FEWEST_REWARDS
    is_blind, is_modelled = log.rewards is None and log.propensity is None, log.rewards is None and model != MEANS
    bounds = _bounds_of(bounds, least, most)
    bare = "a log without propensities"
    refusals = {
        f"estimator must be dm for {bare}; got {estimator!r}. {log.answers()}": is_blind and estimator != "dm",
        f"interval must not be 'bernstein' for {bare}. {log.answers()}": is_blind and interval == "bernstein",
        "interval must not be 'blocks' for a log without times; give its time_column": (
            interval == "blocks" and log.time is None
        ),
        f"interval must not be 'blocks' for a log of fewer than {rows} rows; got {len(log)} rows": (
            interval == "blocks" and len(log) < rows
        ),
        "bounds must be given for interval='bernstein': the smallest and the largest possible reward": (
            interval == "bernstein" and bounds is None
        ),
        f"model must be {MEANS} for a log without features; got {model!r}: {log.without_features}": (
            is_modelled and log.features is None
        ),
        f"model must not be {LOGISTIC!r} for rewards outside [0, 1]; the log has rewards {least:g} to {most:g}": (
            is_modelled and model == LOGISTIC and not 0.0 <= least <= most <= 1.0
        ),
    }
    for sentence, holds in refusals.items():
        if holds:
            raise ValueError(sentence)
    return estimator, interval, clip, bounds, model


def _bounds_of(bounds: tuple[float, float] | None, least: float, most: float) -> tuple[float, float] | None:
    """Return the bounds of rewards that are meant, for rewards of a log from `least` to `most`; None if there are none.

    Raises
    ------
    ValueError
        Bounds that do not hold all rewards.
    """
    if bounds is None:
        return (0.0, 1.0) if least >= 0.0 and most <= 1.0 else None
    if np.shape(bounds) != (2,):
        raise ValueError(f"bounds must be two numbers, the smallest and the largest reward; got {bounds!r}")
    low, high = checks.number("bounds[0]", bounds[0]), checks.number("bounds[1]", bounds[1])
    if low >= high:
        raise ValueError(f"bounds must be in increasing order; got {list(bounds)}")
    if least < low or most > high:
        raise ValueError(f"bounds must include all rewards, {least:g} to {most:g}; got {low:g} to {high:g}")
    return low, high


def value_of(
    log: Log,
    label: str,
    target: Target,
    estimator: str,
    interval: str,
    clip: float,
    bounds: tuple[float, float] | None,
    model: str,
) -> Value:
    """Return the value of a policy, or why there is none; the question was checked by `check_question`."""
    with checks.prefix_errors(f"policies[{label!r}]"):
        policy, elsewhere = target.probabilities(log)
    if log.rewards is not None:
        earned = (log.rewards * policy).sum(axis=1)
        sample = Sample(np.zeros(len(log), np.int32), earned, np.ones(1), np.ones(len(log)))
        rest, estimator, name = rest_of(sample, elsewhere, [label]), "ips", KNOWN
    else:
        weight = None if log.propensity is None else of_arms(policy, log.arm) / log.propensity
        sample = Sample(log.arm, log.reward, policy, weight)
        rest, name = rest_of(sample, elsewhere, log.names), estimator
    of_features = model != MEANS and name in MODELLED
    name = f"{name}, {model}" if of_features else name
    if refused := rest.refusal():
        return Value(label, name, interval, math.nan, math.nan, math.nan, refused, rest)
    parts = terms(sample, estimator, clip, predict(fit(log, model), sample) if of_features else None)
    return Value(label, name, interval, *_estimate(sample, parts, rest, interval, clip, bounds), "", rest)


def _estimate(
    sample: Sample, parts: Terms, rest: Rest, interval: str, clip: float, bounds: tuple[float, float] | None
) -> tuple[float, float, float]:
    """Return the mean of terms and the ends of its interval, within the bounds of rewards."""
    value = float(parts.values.mean())
    if interval == "bernstein" and bounds is not None:
        low, high = intervals.bernstein(sample, clip, *bounds)
    else:
        low, high = intervals.interval_of_blocks(parts) if interval == "blocks" else intervals.student(parts, rest.few)
    if bounds is not None:
        value, low, high = np.clip([value, low, high], *bounds).tolist()
    return value, min(low, value), max(high, value)


def logged_value(log: Log, question: Question, first: int | None = None) -> Value:
    """Return the value of the policy that wrote the log; a wide log has none.

    Parameters
    ----------
    log : Log
    question : Question
    first : int, optional
        Only so many of the first rows.
    """
    _, interval, _, bounds, _ = question
    arm, reward = log.arm[:first], log.reward[:first]
    count = np.bincount(arm, minlength=len(log.names))
    sample = Sample(arm, reward, count / arm.size, np.ones(arm.size))
    rest, no = dataclasses.replace(rest_of(sample, 0.0, log.names), rows=len(log)), math.nan
    value = float(reward.mean()), no, no
    if rest.paying.others:
        value = _estimate(sample, terms(sample, "ips", 1.0), rest, interval, 1.0, bounds)
    label = LOGGED if first is None else f"{LOGGED}, first {first:,} rows"
    return Value(label, MEAN, interval, *value, "", rest)


def check_learner(argument: str, log: Log, policy: Policy) -> None:
    """Raise ValueError for a policy that cannot be replayed on a log; the sentence begins with the argument."""
    try:
        check_replay(log, policy)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from None


def learned_values(log: Log, label: str, policy: Policy, seed: int, question: Question) -> list[Value]:
    """Return a learner's value by replays of the log, and the logging policy's value in as many rows.

    The first rests on the rows that count. The second is absent where there is no number, and of a wide log.
    """
    played, no = learn(log, policy, seed), math.nan
    rest = Rest(len(log), float(played.matched), no, no, no, no, (), played.paying, played.paying)
    learned = Value(label, REPLAY, "student", played.value, played.low, played.high, played.refused, rest)
    if learned.refused or log.rewards is not None:
        return [learned]
    return [learned, logged_value(log, question, played.matched)]


def row_of(value: Value) -> dict[str, Any]:
    """Return a value as the row of a table."""
    rest = value.rest
    return {
        "policy": value.policy,
        "estimator": value.estimator,
        "value": value.value,
        "value_low": value.low,
        "value_high": value.high,
        "rows": rest.rows,
        "effective_rows": rest.effective,
        "mean_weight": rest.mean_weight,
        "mean_weight_se": rest.mean_weight_se,
        "largest_weight": rest.largest,
        "thin": rest.thin,
        "refused": value.refused or ANSWERED,
        "warning": value.warning or ANSWERED,
    }


def _line(value: Value) -> str:
    if value.refused:
        return f"{value.policy}: no number: {value.refused}"
    warning = f"; {value.warning}" if value.warning else ""
    return f"{value.policy}: {value.value:.4g} ({value.low:.4g} to {value.high:.4g}), {value.estimator}{warning}"
