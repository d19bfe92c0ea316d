"""Every mistake that no declaration tells is one sentence: the argument, the value and what is allowed."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bandits import (
    UCB,
    AbruptBest,
    BayesOptimal,
    Bernoulli,
    Beta,
    Comparison,
    Custom,
    CustomArms,
    Drift,
    Exponential,
    Finite,
    Gaussian,
    Greedy,
    Linear,
    Log,
    Mixture,
    Piecewise,
    Poisson,
    RandomBernoulli,
    Replications,
    Sine,
    bernoulli_kl,
    bonus_rule,
    characteristic_time,
    choice_rule,
    compare_means,
    compare_rates,
    evaluate,
    identify_best,
    index_rule,
    k_inf,
    learn_rule,
    make,
    read_log,
    reward_law,
    simulate,
    stopping_rule,
    trace,
    vector_rule,
)
from bandits.formulas import STATISTICS
from tests.bandits import test_contexts as contexts
from tests.bandits import test_own_rules as own
from tests.bandits.logs import known_world, value_from
from tests.internals import check, layers, sequential_halving
from tests.refusals import refused

NAN, INF = math.nan, math.inf
TWO, MEANS = Bernoulli([0.2, 0.8]), [0.1, 0.2]
LAW, LAWS = "bandits.arms.gaussian.gaussian", "tests.bandits.test_own_laws"


def plays(rule: object) -> Callable[[], object]:
    return lambda: simulate(Custom(rule), TWO, 10, 1)


def log_of(**changed: object) -> Log:
    """A log of three rows, but for what is changed."""
    return Log(**{"names": ["a", "b"], "arm": [0, 1, 1], "reward": [0, 1, 0], **changed})


def asks(policy: str, **question: object) -> Callable[[], object]:
    log = known_world(np.random.default_rng(5), 200, [0.5, 0.5], [0.5, 0.5])
    return lambda: value_from(log, policy, **question)


def _all(pulls, means, widths, variances, priors, t, horizon, params, rng, out): ...


def short(pulls, means): ...


# What is called, what its sentence begins with, and the facts that it has.
CALLS: list[tuple[Any, ...]] = [
    *((lambda it=it: simulate(it, TWO), "policy ", it) for it in (3, UCB, None, len)),
    *((lambda it=it: simulate(UCB(), it), "arms ", it) for it in (10, None, Bernoulli, {0.1: 0.9}, "0.9")),
    (lambda: simulate([], TWO), "policy ", "1", "got 0"),
    (lambda: simulate(["ucb", 3], TWO), "policy[1]", "got 3"),
    (lambda: simulate({"A": None}, TWO), "policy['A']"),
    (lambda: simulate(["ucb", UCB()], TWO), "policy[1].label", "'ucb'"),
    (lambda: simulate(["usb"], TWO), "policy[0] 'usb'", "did you mean ucb?"),
    (lambda: simulate("ucb", TWO, 10**5_000), "horizon ", 10**12),
    (lambda: simulate("besa", TWO, 10_000_001, 1), "horizon ", "10000000", "besa"),
    (lambda: make(["ucb"]), "name ", ["ucb"]),
    (lambda: UCB(c=1.1e100), "c ", "1e+100", "1.1e+100"),
    (lambda: bernoulli_kl("x", 0.5), "p ", "x"),
    (lambda: Comparison({}), "results "),
    (lambda: Comparison({"ucb": 3}), "results['ucb'] ", 3),
    *(
        (lambda it=it: simulate(UCB(), TWO, horizon=10, checkpoints=it), "checkpoints ", "10", shown)
        for it, shown in (([0], "0"), ([3, 11], "11"), ([2.5], "2.5"), ([True], "True"), (["3"], "'3'"), (5, "5"))
    ),
    # arms
    (lambda: simulate("ucb", Bernoulli([]), 5, 1), "means ", "2", "0"),
    (lambda: Bernoulli([0.1, 1.2]), "means[1] ", "0", "1", "1.2"),
    (lambda: Bernoulli([0.5, True]), "means[1] ", "0", "1", "True"),
    (lambda: Bernoulli("0.5"), "means ", "'0.5'"),
    (lambda: Bernoulli({0.1: 0.9, 0.2: 0.8}), "means ", "{0.1: 0.9, 0.2: 0.8}"),
    (lambda: Poisson([3.0, 500.1]), "means[1] ", "0", "500", "500.1"),
    (lambda: Gaussian([0.0, -INF]), "means[1] ", "-inf"),
    *((lambda it=it: Bernoulli(MEANS, labels=it), "labels") for it in (5, "ab", [["x"]], ["a"])),
    (lambda: Finite([[0.0], []]), "values", "1"),
    (lambda: Finite([[0.0, "x"], [1.0]]), "values[0][1]", "'x'"),
    (lambda: Finite([0.0, 1.0], [[0.5, 0.6], [0.5, 0.5]]), "probabilities[0]", "1.1"),
    (lambda: Finite([0.0, 1.0], [[0.5, 0.5], [1.5, -0.5]]), "probabilities[1][0]", "1.5"),
    (lambda: Finite([0.0, 1.0], [[0.5, 0.5], [1.0]]), "probabilities[1]", "2", "arm 1", "got 1"),
    (lambda: Finite([[0.0], [1.0], [2.0]], [[1.0], [1.0]]), "probabilities", "3"),
    (lambda: Mixture([Bernoulli([0.5]), RandomBernoulli()]), "parts[1]", "10 Be"),
    (lambda: Mixture([{"name": "beta", "means": [2.0]}]), "parts[0].means[0]", "from 0 to 1", "2"),
    (lambda: simulate("ucb", Mixture([Bernoulli([0.5])]), 5, 1), "parts", "2", "got 1"),
    (lambda: simulate("thompson", Mixture([Bernoulli([0.5]), Gaussian([0.1])]), 5, 1), "arms", "[0, 1]"),
    (lambda: CustomArms(MEANS, law=np.array([1, 2])), "law ", "array([1, 2])"),
    (lambda: CustomArms(MEANS, law=""), "law "),
    (lambda: simulate("ucb", CustomArms(MEANS, law=f"{LAWS}.nothing")), "law ", "'nothing'"),
    (lambda: simulate("ucb", CustomArms(MEANS, law="bandits.policies.puct.puct")), "law ", "@reward_law"),
    (lambda: simulate("ucb", CustomArms(MEANS, law=f"{LAWS}.math")), "law ", "module"),
    (lambda: simulate("ucb", CustomArms(MEANS, law=f"{LAWS}._halves")), "law ", "5 arguments"),
    (lambda: CustomArms(MEANS, law=LAW, params="2"), "params ", "'2'"),
    (lambda: CustomArms(MEANS, law=LAW, params=[1.0, "x"]), "params[1]", "'x'"),
    (lambda: CustomArms(MEANS, law=LAW, params=[[1.0], 2.0]), "params[1]", "2.0"),
    (lambda: CustomArms(MEANS, law=LAW, params=[[1.0], [2.0, 3.0]]), "params[1]", "1; got 2"),
    (lambda: CustomArms(MEANS, law=LAW, params=[[1.0], [2.0], [3.0]]), "params ", "2 arms; got 3"),
    # arms that change, and arms with features
    (lambda: Piecewise(MEANS), "changes or rate", "got changes=[]"),
    (lambda: Piecewise(MEANS, changes=[5], rate=0.1), "changes or rate", "changes=[5] and rate=0.1"),
    (lambda: Piecewise(MEANS, changes=[5, 5]), "changes[1]", "changes[0] = 5; got 5"),
    (lambda: Piecewise(MEANS, changes=[5], means=[[0.1]]), "means[0]", "2 arms"),
    (lambda: Piecewise(MEANS, changes=[5, 6], means=[MEANS]), "means", "2; got 1"),
    (lambda: Piecewise(MEANS, rate=0.1, means=[MEANS]), "means", "rate"),
    (lambda: Piecewise(MEANS, changes=[5], means=[[0.1, 1.2]]), "means[0].means[1]", "got 1.2"),
    (lambda: Piecewise(RandomBernoulli(2), changes=[5], means=[MEANS]), "arms"),
    (lambda: Piecewise(Piecewise(MEANS, rate=0.1), rate=0.1), "arms"),
    (lambda: Drift(MEANS, low=0.15), "arms.means[0]", "0.15", "got 0.1"),
    (lambda: Drift(MEANS, step=2.0), "step", "at most high - low, 1; got 2"),
    (lambda: Drift(MEANS, low=0.9, high=0.3), "high", "0.9; got 0.3"),
    (lambda: Sine(MEANS, amplitude=0.5), "amplitude", "0.1, 0.2"),
    (lambda: AbruptBest(MEANS, best=0.2, rate=0.1), "best", "0.2"),
    (lambda: simulate("ucb", Piecewise(MEANS, changes=[50, 100, 300]), 100), "arms.changes", "got 100, 300"),
    (lambda: simulate("ucb", Drift(MEANS), 10**8), "horizon", "drift"),
    (lambda: Linear(weights=[[1.0, 2.0], [3.0]]), "weights[1]", "2"),
    (lambda: Linear(weights=[[1.0, 2.0]]), "weights", "2 arms"),
    (lambda: Linear(weights=contexts.FEW, arms=4), "weights", "4 rows", "got 3"),
    (lambda: Linear(weights=contexts.FEW, features=2), "weights", "2 columns", "got 3"),
    (lambda: Linear(log="rows path=absent.csv feature_columns=[x]"), "log.path", "'absent.csv'"),
    (lambda: simulate("linucb", "linear features=20", 10**8), "horizon", "1,666,666", "10 arms"),
    (lambda: simulate("linucb", TWO, 9), "arms", "linucb"),
    (lambda: simulate(Custom(contexts.Recorder), TWO, 9), "arms", "custom"),
    (lambda: Custom(contexts.NeedsMore).spec(), "needs", "NeedsMore"),
    # rules
    *((lambda it=it: Custom(it), "rule ", it) for it in ("", 5, None)),
    (lambda: Custom(rule=np.array([1, 2])), "rule ", "array([1, 2])"),
    (plays("my_index"), "rule ", "'my_index'"),
    (plays("bandits.no_such_module.f"), "rule ", "'bandits.no_such_module'"),
    (plays("bandits.policies.ucb.no_such_rule"), "rule ", "'bandits.policies.ucb'", "'no_such_rule'"),
    (plays("bandits.policies.ucb.math"), "rule ", "@bonus_rule, @index_rule", "module"),
    (plays("bandits.spec.no_learn"), "rule ", "learn hook"),
    (plays("bandits.arms.bernoulli.bernoulli"), "rule ", "law hook"),
    (plays("bandits.policies.base.estimate"), "rule ", "step_size"),
    (lambda: vector_rule(short), "", "short", 10),
    (lambda: choice_rule(short), "", "short", 11),
    (lambda: learn_rule(short), "", "short", 3),
    (lambda: reward_law(short), "", "short", 5),
    (lambda: stopping_rule(short), "", "short", 5),
    (lambda: index_rule(_all), "", "_all", *STATISTICS, "did you mean mean?"),
    (lambda: bonus_rule(lambda t, mean: t), "", "take only t", "mean"),
    (lambda: index_rule(lambda mean=1.0: mean), "", "mean", "default"),
    (lambda: index_rule(lambda *all: 0.0), "", "got *all"),
    (lambda: index_rule(lambda mean, label=1.0: mean), "", "label", "reserved"),
    (lambda: index_rule(lambda mean, c="a": mean), "", ": c ", "'a'"),
    (lambda: index_rule(lambda mean, c=INF: mean), "", ": c ", "inf"),
    (lambda: index_rule(5), "", "got int"),
    (lambda: vector_rule(needs="spread")(_all), "", "needs", "variances, priors, horizon"),
    (lambda: choice_rule(memory=-1)(own.win_stay.function), "", "memory", "got -1"),
    (lambda: choice_rule(learn=own.keep.function)(own.win_stay.function), "", "learn", "@learn_rule"),
    (lambda: Custom(own.slow, cc=1.0).spec(), "", "cc is", "slow", "did you mean c?"),
    (lambda: Custom(own.negative, c=1.0).spec(), "", "c is", "negative", "none"),
    (lambda: Custom(own.slow, c=NAN), "", "c ", "nan"),
    (lambda: Custom(own.slow, c=True), "", "c ", "True"),
    # exact values
    (lambda: k_inf([0.0, 1.2], [0.5, 0.5], 0.8), "values", "high = 1", "1.2"),
    (lambda: k_inf([0.0, 1.0], [0.5, 0.5], 1.8), "mean", "high = 1", "1.8"),
    (lambda: k_inf([0.0, 1.0], [1.0], 0.5), "weights", "values"),
    (lambda: k_inf("x", [0.5], 0.5), "values ", "x"),
    (lambda: check(UCB(), 9, 10), "arms", "2 to 8", "got 9"),
    (lambda: check(UCB(), 4, 30), "horizon", "29", "got 30"),
    (lambda: check(Greedy(step_size=0.1), 2, 10), "policy greedy", "step size"),
    (lambda: check(BayesOptimal(), 3, 10), "arms", "bayes_optimal", "got 3 Bernoulli"),
    (lambda: check(make("besa"), 3, 5), "policy besa", "3 arms"),
    (lambda: next(layers(make("eb_tci"), 2, 10)), "policy eb_tci"),
    (lambda: simulate("bayes_optimal", [0.1, 0.2, 0.3], 10, 2), "arms", "3 Bernoulli arms", "bayes_optimal"),
    (lambda: trace("bayes_optimal", Beta(MEANS), 10), "arms", "2 Beta arms", "bayes_optimal"),
    (lambda: simulate("bayes_optimal", MEANS, 501, 2), "horizon", "500", "bayes_optimal"),
    (lambda: compare_rates([1], [2]), "successes", "2 arms; got 1"),
    (lambda: compare_rates([1, 2], [2]), "pulls", "2 arms; got 1"),
    (lambda: compare_rates([1, 3], [2, 2]), "successes[1]", "0 to 2; got 3"),
    (lambda: compare_rates([1, 1], [2, 1e10]), "pulls[1]", "0 to 1e+09"),
    (lambda: compare_rates([1, 1], [2, 2], alpha=0), "alpha", "1e-06 to 1e+09; got 0"),
    (lambda: compare_means([1, 2], [1, 0]), "sds[1]", "above 0; got 0"),
    # the best arm
    (lambda: characteristic_time([0.5]), "arms ", 1),
    (lambda: characteristic_time(RandomBernoulli(arms=3)), "arms", "fixed"),
    (lambda: characteristic_time(Beta([0.2, 0.3])), "arms", "Bernoulli, binomial, Gaussian"),
    (lambda: characteristic_time(Exponential([0.0, 0.3])), "arms", "above 0"),
    (lambda: characteristic_time(MEANS).pulls(1.0), "delta", "1"),
    (lambda: identify_best("ucb", [0.5, 0.4, 0.3, 0.2], most=3), "most", "3"),
    (lambda: identify_best("moss", MEANS), "stopping", "budget", "moss"),
    (lambda: identify_best("sequential_halving", MEANS), "stopping", "budget", "sequential_halving"),
    (lambda: identify_best("kl_lucb", Gaussian([0.0, 1.0])), "arms", "[0, 1]", "kl_lucb"),
    (lambda: identify_best("kl_lucb", Drift(MEANS)), "arms"),
    (lambda: identify_best("linucb", MEANS), "arms", "linucb"),
    (lambda: identify_best("kl_lucb", contexts.CLICKS), "arms"),
    (lambda: identify_best("kl_lucb delta=0.2", MEANS, "chernoff delta=0.1"), "policy.delta", "stopping.delta, 0.1"),
    (lambda: identify_best("ugape rate=heuristic", MEANS, "chernoff"), "policy.rate", "mixture", "chernoff"),
    (lambda: next(sequential_halving(8, 23)), "budget "),
    # logs that a user makes in Python, and what is asked of a log
    (lambda: log_of(names=["a", "a"]), "names ", "got ['a', 'a']"),
    (lambda: log_of(arm=[0, 2, 1]), "arm ", "0 to 1", "got 2", "row 2"),
    (lambda: log_of(arm=[0, 0.5, 1]), "arm ", "got 0.5", "row 2"),
    (lambda: log_of(arm=[0, 1]), "arm ", "3 numbers", "got 2"),
    (lambda: log_of(arm=[], reward=[]), "a log ", "got none"),
    (lambda: log_of(reward=[0, NAN, 1]), "reward ", "got nan", "row 2"),
    (lambda: log_of(reward=[0, 1e200, 1]), "reward ", "-1e+40 to 1e+40", "got 1e+200", "row 2"),
    (lambda: log_of(rewards=[[1, 0]] * 3), "arm ", "0 numbers", "got 3"),
    (lambda: log_of(propensity=[0.4, 0, 0.6]), "propensity ", "1e-40 to 1", "got 0", "row 2"),
    (lambda: log_of(propensity=[0.4, NAN, 0.6]), "propensity ", "got nan", "row 2"),
    (lambda: log_of(propensity=[0.4]), "propensity ", "3 numbers", "got 1"),
    (lambda: log_of(time=[1, 3, 2]), "time ", "row 3", "2"),
    (lambda: log_of(features=[[1], [INF], [0]]), "features ", "got inf", "row 2"),
    (lambda: log_of(features=[1, 2, 3]), "features ", "3 x d", "got 3"),
    (lambda: read_log("clicks.csv"), "", "'rows path=clicks.csv'"),
    (lambda: read_log("rows path=a.csv", columns=[[1]]), "columns ", [[1]]),
    (lambda: read_log("rows path=a.csv", agent="banner"), "agent"),
    (asks("arm arm=9"), "", "arm ", "(0, 1); got '9'"),
    (asks("probabilities arms=[0,1] shares=[0.5,0.6]"), "", "shares", "got [0.5, 0.6]"),
    (asks("probabilities arms=[0,1] shares=[1]"), "", "shares", "2 arms; got 1"),
    (asks("uniform", estimator="dmm"), "", "estimator", "dm, ips"),
    (asks("uniform", interval="normal"), "", "interval", "student, bernstein, blocks"),
    (asks("uniform", clip=0.0), "", "clip", "got 0"),
    (asks("uniform", bounds=(1.0, 1.0)), "", "bounds", "got [1.0, 1.0]"),
    (asks("uniform", bounds=(0.0, 0.5)), "", "bounds", "0 to 1; got 0 to 0.5"),
    (asks("uniform", model="ridge"), "model", "means", "got 'ridge'"),
    (lambda: evaluate(log_of(), policies=["ucb"]), "", "policies[0]", "got 'ucb'", "learners"),
    (lambda: evaluate(log_of(), [np.full((3, 2), 0.5)]), "policies ", "array"),
    (lambda: evaluate(log_of(), policies=[]), "", "policies", "got none"),
    (lambda: evaluate(log_of(), learners=["uniform"]), "", "learners[0]", "got 'uniform'", "policies"),
    (lambda: evaluate(log_of(propensity=[0.5] * 3), learners=["linucb"]), "", "learners['linucb']", "features"),
]


@pytest.mark.parametrize("row", CALLS, ids=lambda row: f"{row[1]} {row[-1]!s:.20}")
def test_a_wrong_call_names_the_argument_the_value_and_what_is_allowed(row):
    call, start, *facts = row
    refused(call, start, *facts)


def test_a_parameter_is_kept_as_the_float_that_it_is():
    """Up to a size of which three can be multiplied."""
    assert UCB(c=Fraction(1, 2)) == UCB(c=0.5)
    assert "0.5" in repr(UCB(c=Fraction(1, 2)))
    assert UCB(c=1e100).c == 1e100


@pytest.mark.parametrize(("name", "lowest"), [("horizon", 1), ("runs", 1), ("seed", 0), ("workers", 1), ("block", 1)])
def test_counts_must_be_whole_numbers_large_enough(name: str, lowest: int):
    for value in (lowest - 1, 2.5, NAN, "10", True, np.True_):
        refused(lambda value=value: simulate(UCB(), TWO, **{name: value}), name, str(lowest), str(value))


def test_more_numbers_than_memory_holds_are_refused_before_any_pull(monkeypatch):
    def full(*_size: object, **_kinds: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Replications, "room", full)
    refused(lambda: simulate(UCB(), TWO, 1_000, 10**8), "runs", "177", "100000000")


@pytest.mark.parametrize("policy", ["ucb c=-1", {"name": "ucb", "d": 1}, "usb"])
def test_a_mistake_in_python_is_a_sentence_below_a_few_frames(policy):
    with pytest.raises(ValueError, match=r"^policy") as caught:
        simulate(policy, [0.3, 0.5], 20, 3)
    lines = "".join(traceback.format_exception(caught.value)).splitlines()
    assert sum(line.startswith("Traceback") for line in lines) == 1
    assert sum(line.startswith('  File "') for line in lines) <= 6


def test_a_result_refuses_an_axis_and_a_folder_that_are_none():
    result = simulate(UCB(), TWO, 10, 2, 0)
    for log in (3, None):
        refused(lambda log=log: result.plot(log=log), "log", repr(log))
    for folder in (None, 5, "a\0b"):
        refused(lambda folder=folder: result.save(folder), "folder", repr(folder))


LONG = "x" * 5_000


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate(LONG, TWO, 10),
        lambda: simulate("ucb", TWO, LONG),
        lambda: UCB(c=LONG),
        lambda: UCB(c=[1] * 5_000),
        lambda: Bernoulli([0.1, LONG]),
        lambda: read_log(LONG),
        lambda: log_of(propensity=LONG),
        lambda: log_of(reward=[LONG] * 3),
        lambda: evaluate(log_of(), {"new": [[0.5, 0.5]] * 900}),
    ],
)
def test_a_long_value_is_cut_in_its_sentence(call):
    with pytest.raises(ValueError, match=r"\.\.\.") as caught:
        call()
    assert len(str(caught.value)) < 1_000


class Unspeakable:
    def __repr__(self):
        raise RuntimeError


def test_a_value_that_cannot_be_written_is_named_by_its_class():
    refused(lambda: UCB(c=Unspeakable()), "c", "Unspeakable")
