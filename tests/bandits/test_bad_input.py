"""Every mistake is one sentence: it begins with the argument, shows the value and says what is allowed."""

from __future__ import annotations

import math
import traceback
from fractions import Fraction

import numpy as np
import pytest

from bandits import (
    KLUCB,
    UCB,
    UCBV,
    Bernoulli,
    Comparison,
    Custom,
    CustomArms,
    EpsilonGreedy,
    ExploreThenCommit,
    Gaussian,
    Greedy,
    Log,
    Optimistic,
    Poisson,
    RandomBernoulli,
    RandomGaussian,
    Replications,
    Softmax,
    Thompson,
    bernoulli_kl,
    characteristic_time,
    choice_rule,
    k_inf,
    learn_rule,
    make,
    read_log,
    reward_law,
    simulate,
    stopping_rule,
    vector_rule,
)
from tests.refusals import refused

NAN, INF = math.nan, math.inf
TWO = Bernoulli([0.2, 0.8])


@pytest.mark.parametrize(
    ("means", "start", "shown", "allowed"),
    [
        ([0.1, 1.2], "means[1]", "1.2", "from 0 to 1"),
        ([-0.1, 0.5], "means[0]", "-0.1", "from 0 to 1"),
        ([0.5, 1.0000001], "means[1]", "1.0000001", "from 0 to 1"),
        ([NAN, 0.5], "means[0]", "nan", "from 0 to 1"),
        ([0.5, INF], "means[1]", "inf", "from 0 to 1"),
        ([0.5, True], "means[1]", "True", "from 0 to 1"),
        ([0.5, "a"], "means[1]", "'a'", "from 0 to 1"),
        ([0.5, None], "means[1]", "None", "from 0 to 1"),
        ([[0.1], [0.2]], "means[0]", "[0.1]", "from 0 to 1"),
        ([], "means", "0", "at least 2 arms"),
        ([0.5], "means", "1", "at least 2 arms"),
        ("0.5", "means", "'0.5'", "a list of numbers"),
        (0.5, "means", "0.5", "a list of numbers"),
        (None, "means", "None", "a list of numbers"),
    ],
)
def test_bernoulli_means_must_be_two_or_more_probabilities(means, start: str, shown: str, allowed: str):
    refused(lambda: simulate("ucb", Bernoulli(means), 5, 1), start, f"got {shown}", allowed)


def test_poisson_means_go_up_to_500():
    assert Poisson([0.0, 500.0]).fixed_means == (0.0, 500.0)
    refused(lambda: Poisson([3.0, 500.1]), "means[1]", "from 0 to 500", "got 500.1")


@pytest.mark.parametrize("means", [[0.0, NAN], [0.0, -INF], [0.0, "x"]])
def test_gaussian_means_must_be_finite_numbers(means):
    refused(lambda: Gaussian(means), "means[1] must be a", "number", f"got {means[1]!r}")


POSITIVE = [
    (lambda v: Gaussian([0.0, 1.0], scale=v), "scale"),
    (lambda v: RandomGaussian(spread=v), "spread"),
    (lambda v: RandomGaussian(scale=v), "scale"),
    (lambda v: EpsilonGreedy(decay=v), "decay"),
    (lambda v: UCBV(zeta=v), "zeta"),
    (lambda v: Optimistic(prior_pulls=v), "prior_pulls"),
    (lambda v: Softmax(temperature=v), "temperature"),
]
NOT_NEGATIVE = [(lambda v: UCB(c=v), "c"), (lambda v: KLUCB(c=v), "c"), (lambda v: UCBV(c=v), "c")]
ANY_NUMBER = [(lambda v: Optimistic(initial=v), "initial"), (lambda v: RandomGaussian(center=v), "center")]
PRIOR = [(lambda v: Thompson(alpha=v), "alpha"), (lambda v: Thompson(beta=v), "beta")]
BAYES_PRIOR = [(lambda v, key=key: make("bayes_ucb", **{key: v}), key) for key in ("alpha", "beta")]
BETA = [(lambda v: RandomBernoulli(a=v), "a"), (lambda v: RandomBernoulli(b=v), "b")]
PROBABILITY = [(lambda v: EpsilonGreedy(epsilon=v), "epsilon")]
SHARE = [(lambda v, cls=cls: cls(step_size=v), "step_size") for cls in (Greedy, EpsilonGreedy, Optimistic)]


@pytest.mark.parametrize(
    ("makers", "wrong", "allowed"),
    [
        (POSITIVE, [0.0, -1.0, NAN, INF, "a", True], "above 0"),
        (NOT_NEGATIVE, [-0.5, NAN, INF, "a", True, None], "of at least 0"),
        (PRIOR, [0.0, -1.0, 9e-7, 1.1e9, NAN, INF, "a", True], "from 1e-06 to 1e+09"),
        (BAYES_PRIOR, [0.0, -1.0, 0.09, 1.01e9, NAN, INF, "a", True], "from 0.1 to 1e+09"),
        (BETA, [0.0, -1.0, 9e-7, 1.1e6, NAN, INF, "a", True], "from 1e-06 to 1e+06"),
        (ANY_NUMBER, [NAN, -INF, "a", False, None], "number"),
        (PROBABILITY, [-0.1, 1.1, NAN, INF, "a", True, None], "from 0 to 1"),
        (SHARE, [0.0, -0.1, 1.1, NAN, "a", True], "above 0 and at most 1"),
    ],
    ids=["positive", "not_negative", "prior", "bayes_prior", "beta", "any_number", "probability", "share"],
)
def test_numbers_out_of_range_are_refused_by_the_parameter_s_name(makers, wrong, allowed: str):
    for maker, name in makers:
        for value in wrong:
            refused(lambda maker=maker, value=value: maker(value), f"{name} must be a", allowed, f"got {value!r}")


@pytest.mark.parametrize("maker", [maker for maker, _ in [*POSITIVE[3:], *NOT_NEGATIVE, ANY_NUMBER[0]]])
def test_numbers_that_no_product_of_three_could_hold_arerefused(maker):
    maker(1e100)
    refused(lambda: maker(1.1e100), "", "at most 1e+100 in absolute value; got 1.1e+100")


@pytest.mark.parametrize("maker", [maker for maker, _ in [*POSITIVE[3:], *NOT_NEGATIVE, *ANY_NUMBER[:1], *PROBABILITY]])
def test_a_parameter_is_kept_as_the_float_that_it_is(maker):
    policy = maker(Fraction(1, 2))
    assert policy == maker(0.5)
    assert "0.5" in repr(policy)
    assert policy.formula == maker(0.5).formula


@pytest.mark.parametrize(
    ("maker", "name", "lowest"),
    [
        (lambda v: RandomBernoulli(arms=v), "arms", 2),
        (lambda v: RandomGaussian(arms=v), "arms", 2),
        (lambda v: Greedy(explore=v), "explore", 0),
        (lambda v: EpsilonGreedy(explore=v), "explore", 0),
        (lambda v: ExploreThenCommit(explore=v), "explore", 1),
        (lambda v: simulate(UCB(), TWO, horizon=v), "horizon", 1),
        (lambda v: simulate(UCB(), TWO, runs=v), "runs", 1),
        (lambda v: simulate(UCB(), TWO, seed=v), "seed", 0),
        (lambda v: simulate(UCB(), TWO, workers=v), "workers", 1),
        (lambda v: simulate(UCB(), TWO, block=v), "block", 1),
    ],
)
def test_counts_must_be_whole_numbers_large_enough(maker, name: str, lowest: int):
    for value in (lowest - 1, -7, 2.5, 10.0, NAN, "10", True, np.True_):
        refused(
            lambda value=value: maker(value), f"{name} must be a whole number of at least {lowest}", f"got {value!r}"
        )


@pytest.mark.parametrize(
    ("checkpoints", "shown"),
    [([0], "0"), ([3, 11], "11"), ([2.5], "2.5"), ([True], "True"), (["3"], "'3'"), (5, "5"), ("12", "'12'")],
)
def test_checkpoints_must_be_steps_from_1_to_the_horizon(checkpoints, shown: str):
    refused(
        lambda: simulate(UCB(), TWO, horizon=10, checkpoints=checkpoints), "checkpoints", "from 1 to 10", f"got {shown}"
    )


def test_more_numbers_than_memory_holds_are_refused_before_any_pull(monkeypatch):
    def full(*_size: object, **_kinds: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Replications, "room", full)
    refused(lambda: simulate(UCB(), TWO, 1_000, 10**8), "runs", "177 checkpoints", "100000000")


@pytest.mark.parametrize("policy", [3, UCB, None, len], ids=str)
def test_what_is_no_policy_isrefused(policy):
    refused(lambda: simulate(policy, TWO), "policy must be", "UCB(", f"got {policy!r}")


@pytest.mark.parametrize("arms", [10, None, Bernoulli, {0.1: 0.9}], ids=str)
def test_what_are_no_arms_isrefused(arms):
    refused(lambda: simulate(UCB(), arms), "arms must be", "Bernoulli(", f"got {arms!r}")
    refused(lambda: simulate(UCB(), "0.1, 0.9"), "arms must be a name and parameters", "got '0.9'")


@pytest.mark.long
@pytest.mark.parametrize("folder", [None, 5, "a\0b"])
def test_a_result_is_saved_in_a_folder_that_has_a_path(folder):
    refused(lambda: simulate(UCB(), TWO, 10, 2, 0).save(folder), "folder must be the path of a folder", "got ")


@pytest.mark.parametrize(
    ("rule", "parts"),
    [
        ("my_index", ["dotted path", "got 'my_index'"]),
        ("no_such_module.f", ["no module 'no_such_module'"]),
        ("bandits.no_such_module.f", ["no module 'bandits.no_such_module'"]),
        ("bandits.policies.ucb.no_such_rule", ["module 'bandits.policies.ucb' has no 'no_such_rule'"]),
        ("bandits.policies.ucb.math", ["@bonus_rule, @index_rule or @choice_rule", "module"]),
        ("bandits.spec.no_learn", ["bonus, index or choice rule", "learn hook"]),
        ("bandits.arms.bernoulli.bernoulli", ["bonus, index or choice rule", "law hook"]),
        ("bandits.policies.base.estimate", ["must take only mean, width", "got step_size"]),
    ],
)
def test_a_rule_that_is_none_is_refused_by_its_path(rule: str, parts: list[str]):
    refused(lambda: Custom(rule).spec(), "rule ", *parts)
    refused(lambda: simulate(Custom(rule), TWO, 10, 1), "rule ", *parts)


@pytest.mark.parametrize(
    ("decorator", "count"), [(vector_rule, 10), (choice_rule, 11), (learn_rule, 3), (reward_law, 5), (stopping_rule, 5)]
)
def test_a_hook_with_the_wrong_arguments_isrefused(decorator, count: int):
    def short(pulls, means):
        pass

    refused(lambda: decorator(short), "", short.__name__, f"must take the {count} arguments")


@pytest.mark.parametrize("labels", [5, "ab", [["x"]], ["a"]])
def test_labels_that_do_not_name_the_arms_arerefused(labels):
    with pytest.raises(ValueError, match=r"^labels must"):
        Bernoulli([0.1, 0.2], labels=labels)


@pytest.mark.parametrize("log", [3, "x", None])
def test_a_figure_on_another_axis_than_there_is_isrefused(log):
    for result in (simulate("ucb", [0.3, 0.5], 20, 3), simulate(["ucb", "moss"], [0.3, 0.5], 20, 3)):
        with pytest.raises(ValueError, match=r"^log must be true or false; got "):
            result.plot(log=log)


@pytest.mark.parametrize("policy", ["ucb c=-1", {"name": "ucb", "d": 1}, "usb"])
def test_a_mistake_in_python_is_a_sentence_below_a_few_frames(policy):
    with pytest.raises(ValueError, match=r"^policy") as caught:
        simulate(policy, [0.3, 0.5], 20, 3)
    lines = "".join(traceback.format_exception(caught.value)).splitlines()
    assert sum(line.startswith("Traceback") for line in lines) == 1
    assert sum(line.startswith('  File "') for line in lines) <= 6


CALLS = [
    (lambda: simulate(UCB(), TWO, 10, 2, 0, block=10**30), "block must be a whole number of at most 1000000000"),
    (lambda: make(["ucb"]), "name must be one of"),
    *((lambda rule=rule: Custom(rule), "rule must be the dotted path of your rule") for rule in ("", 5, None)),
    (lambda: bernoulli_kl("x", 0.5), "p must be a number or an array of numbers; got 'x'"),
    (lambda: bernoulli_kl(0.5, None), "q must be a number or an array of numbers; got None"),
    (lambda: k_inf("x", [0.5], 0.5), "values must be a number or an array of numbers; got 'x'"),
    (lambda: k_inf([0, 1], [0.5, 0.5], "x"), "mean must be a number; got 'x'"),
    (lambda: k_inf([0, 1], [0.5, 0.5], 0.5, high="x"), "high must be a number; got 'x'"),
    (lambda: characteristic_time([0.5]), "arms must be at least 2 for a characteristic time; got 1"),
    (lambda: Comparison({}), "results must be a mapping of labels to results, with at least one"),
    (lambda: Comparison(3), "results must be a mapping of labels to results, with at least one"),
    (lambda: Comparison({"ucb": 3}), "results['ucb'] must be a Result of `simulate`; got 3"),
    (lambda: Log(3, [0], [1]), "names must be a list of the arms' names; got 3"),
    (lambda: Log(["a", "b"], [0, 1], 0.5), "reward must hold a number for each row; got 0.5"),
    (lambda: Log(["a", "b"], None, None, rewards=3), "rewards must hold a number for each row; got 3"),
    (lambda: read_log("rows path=a.csv", columns=[[1]]), "columns must be a list of column names"),
    (lambda: read_log("rows path=a.csv", columns=3), "columns must be a list of column names"),
    (lambda: Custom(rule=np.array([1, 2])), "rule must be the dotted path of your rule"),
    (lambda: CustomArms([0.1, 0.2], law=np.array([1, 2])), "law must be the dotted path of your reward law"),
    (
        lambda: simulate("ucb", TWO, 10**5_000),
        "horizon must be a whole number of at most 1000000000000; got a number of",
    ),
]


@pytest.mark.parametrize(("call", "sentence"), CALLS, ids=[sentence for _, sentence in CALLS])
def test_a_wrong_call_names_the_argument_and_what_it_takes(call, sentence):
    refused(call, sentence)


LONG = "x" * 5_000


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate(LONG, TWO, 10),
        lambda: simulate("ucb", TWO, LONG),
        lambda: UCB(c=LONG),
        lambda: UCB(c=[1] * 5_000),
        lambda: Bernoulli([0.1, LONG]),
        lambda: Bernoulli(LONG),
        lambda: make(LONG),
        lambda: read_log(LONG),
        lambda: Log(["a", "b"], [0, 1], [0, 1], propensity=LONG),
        lambda: Log(["a", "b"], [0, 1], [LONG, LONG]),
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
    refused(lambda: UCB(c=Unspeakable()), "c must be a number of at least 0; got an object of Unspeakable")
