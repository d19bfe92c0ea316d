"""Every mistake is one sentence: it begins with the argument, shows the value and says what is allowed."""

from __future__ import annotations

import math
import traceback
from fractions import Fraction

import numpy as np
import pytest

from bandits import (
    UCB,
    Bernoulli,
    Comparison,
    Custom,
    CustomArms,
    Gaussian,
    Log,
    Poisson,
    Replications,
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
from tests.internals import ARMS, POLICIES
from tests.refusals import refused

NAN, INF = math.nan, math.inf
TWO = Bernoulli([0.2, 0.8])


@pytest.mark.parametrize(
    ("means", "place", "facts"),
    [
        ([0.1, 1.2], "means[1]", "0 1 1.2"),
        ([-0.1, 0.5], "means[0]", "0 1 -0.1"),
        ([NAN, 0.5], "means[0]", "0 1 nan"),
        ([0.5, True], "means[1]", "0 1 True"),
        ([0.5, "a"], "means[1]", "0 1 'a'"),
        ([[0.1], [0.2]], "means[0]", "0 1 [0.1]"),
        ([], "means", "2 0"),
        ([0.5], "means", "2 1"),
        ("0.5", "means", "'0.5'"),
        (0.5, "means", "0.5"),
    ],
)
def test_bernoulli_means_must_be_two_or_more_probabilities(means, place: str, facts: str):
    refused(lambda: simulate("ucb", Bernoulli(means), 5, 1), place, *facts.split())


def test_means_have_the_limits_of_their_law():
    assert Poisson([0.0, 500.0]).fixed_means == (0.0, 500.0)
    refused(lambda: Poisson([3.0, 500.1]), "means[1]", "0", "500", "500.1")
    refused(lambda: Gaussian([0.0, -INF]), "means[1]", "-inf")
    refused(lambda: Bernoulli({0.1: 0.9, 0.2: 0.8}), "means", "{0.1: 0.9, 0.2: 0.8}")


BEYOND = {  # limits without which a score would be no number
    "bayes_ucb": "alpha=0.09 beta=1.01e9",
    "cusum_ucb": "threshold=0",
    "discounted_ucb": "gamma=0 gamma=1.5",
    "epsilon_greedy": "decay=0 epsilon=-0.1 epsilon=1.1 step_size=0 step_size=1.1 explore=-1",
    "exp3_s": "changes=0",
    "explore_then_commit": "explore=0",
    "kl_ucb": "c=-0.5",
    "m_ucb": "window=1",
    "optimistic": "prior_pulls=0 initial=.inf",
    "sliding_window_ucb": "window=0",
    "softmax": "temperature=0",
    "thompson": "alpha=9e-7 beta=1.1e9",
    "ucb": "c=-0.5",
    "ucb_v": "zeta=0 c=-0.5",
    "gaussian means=[0,1]": "scale=0",
    "random_bernoulli": "arms=1 a=9e-7 b=1.1e6",
    "random_gaussian": "arms=1 spread=0 scale=0 center=.nan",
}


@pytest.mark.parametrize("name", BEYOND)
def test_limits_without_which_a_score_would_be_no_number(name: str):
    family = POLICIES if name in POLICIES.members else ARMS
    for word in BEYOND[name].split():
        refused(lambda word=word: family.of(f"{name} {word}", "it"), f"it.{word.partition('=')[0]} ")


def test_a_parameter_is_kept_as_the_float_that_it_is():
    """Up to a size of which three can be multiplied."""
    assert UCB(c=Fraction(1, 2)) == UCB(c=0.5)
    assert "0.5" in repr(UCB(c=Fraction(1, 2)))
    assert UCB(c=1e100).c == 1e100
    refused(lambda: UCB(c=1.1e100), "c", "1e+100", "1.1e+100")


@pytest.mark.parametrize(("name", "lowest"), [("horizon", 1), ("runs", 1), ("seed", 0), ("workers", 1), ("block", 1)])
def test_counts_must_be_whole_numbers_large_enough(name: str, lowest: int):
    for value in (lowest - 1, 2.5, NAN, "10", True, np.True_):
        refused(lambda value=value: simulate(UCB(), TWO, **{name: value}), name, str(lowest), str(value))


CHECKPOINTS = (([0], "0"), ([3, 11], "11"), ([2.5], "2.5"), ([True], "True"), (["3"], "'3'"), (5, "5"), ("12", "'12'"))


@pytest.mark.parametrize(("checkpoints", "shown"), CHECKPOINTS)
def test_checkpoints_must_be_steps_from_1_to_the_horizon(checkpoints, shown: str):
    refused(lambda: simulate(UCB(), TWO, horizon=10, checkpoints=checkpoints), "checkpoints", "10", shown)


def test_more_numbers_than_memory_holds_are_refused_before_any_pull(monkeypatch):
    def full(*_size: object, **_kinds: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Replications, "room", full)
    refused(lambda: simulate(UCB(), TWO, 1_000, 10**8), "runs", "177", "100000000")


@pytest.mark.parametrize(
    ("rule", "parts"),
    [
        ("my_index", ["'my_index'"]),
        ("no_such_module.f", ["'no_such_module'"]),
        ("bandits.no_such_module.f", ["'bandits.no_such_module'"]),
        ("bandits.policies.ucb.no_such_rule", ["'bandits.policies.ucb'", "'no_such_rule'"]),
        ("bandits.policies.ucb.math", ["@bonus_rule, @index_rule", "module"]),
        ("bandits.spec.no_learn", ["learn hook"]),
        ("bandits.arms.bernoulli.bernoulli", ["law hook"]),
        ("bandits.policies.base.estimate", ["step_size"]),
    ],
)
def test_a_rule_that_is_none_is_refused_by_its_path(rule: str, parts: list[str]):
    refused(lambda: Custom(rule).spec(), "rule ", *parts)
    refused(lambda: simulate(Custom(rule), TWO, 10, 1), "rule ", *parts)


@pytest.mark.parametrize(
    ("decorator", "count"), [(vector_rule, 10), (choice_rule, 11), (learn_rule, 3), (reward_law, 5), (stopping_rule, 5)]
)
def test_a_hook_with_the_wrong_arguments_is_refused(decorator, count: int):
    def short(pulls, means):
        pass

    refused(lambda: decorator(short), "", short.__name__, count)


@pytest.mark.parametrize("policy", ["ucb c=-1", {"name": "ucb", "d": 1}, "usb"])
def test_a_mistake_in_python_is_a_sentence_below_a_few_frames(policy):
    with pytest.raises(ValueError, match=r"^policy") as caught:
        simulate(policy, [0.3, 0.5], 20, 3)
    lines = "".join(traceback.format_exception(caught.value)).splitlines()
    assert sum(line.startswith("Traceback") for line in lines) == 1
    assert sum(line.startswith('  File "') for line in lines) <= 6


CALLS = [
    *((lambda it=it: simulate(it, TWO), "policy", it) for it in (3, UCB, None, len)),
    *((lambda it=it: simulate(UCB(), it), "arms", it) for it in (10, None, Bernoulli, {0.1: 0.9})),
    (lambda: simulate(UCB(), "0.1, 0.9"), "arms", "0.9"),
    *((lambda it=it: Bernoulli([0.1, 0.2], labels=it), "labels", "") for it in (5, "ab", [["x"]], ["a"])),
    (lambda: make(["ucb"]), "name", ["ucb"]),
    *((lambda it=it: Custom(it), "rule", it) for it in ("", 5, None)),
    (lambda: Custom(rule=np.array([1, 2])), "rule", "array([1, 2])"),
    (lambda: CustomArms([0.1, 0.2], law=np.array([1, 2])), "law", "array([1, 2])"),
    (lambda: bernoulli_kl("x", 0.5), "p", "x"),
    (lambda: bernoulli_kl(0.5, None), "q", None),
    (lambda: k_inf("x", [0.5], 0.5), "values", "x"),
    (lambda: k_inf([0, 1], [0.5, 0.5], "x"), "mean", "x"),
    (lambda: k_inf([0, 1], [0.5, 0.5], 0.5, high="x"), "high", "x"),
    (lambda: characteristic_time([0.5]), "arms", 1),
    (lambda: Comparison({}), "results", ""),
    (lambda: Comparison(3), "results", 3),
    (lambda: Comparison({"ucb": 3}), "results['ucb']", 3),
    (lambda: Log(3, [0], [1]), "names", 3),
    (lambda: Log(["a", "b"], [0, 1], 0.5), "reward", 0.5),
    (lambda: Log(["a", "b"], None, None, rewards=3), "rewards", 3),
    (lambda: read_log("rows path=a.csv", columns=[[1]]), "columns", [[1]]),
    (lambda: read_log("rows path=a.csv", columns=3), "columns", 3),
    (lambda: simulate("ucb", TWO, 10**5_000), "horizon", 10**12),
]


@pytest.mark.parametrize(("call", "name", "value"), CALLS)
def test_a_wrong_call_names_the_argument_and_the_value(call, name: str, value: object):
    refused(call, f"{name} ", str(value))


@pytest.mark.parametrize("log", [3, None])
def test_a_figure_on_another_axis_than_there_is_is_refused(log):
    for result in (simulate("ucb", [0.3, 0.5], 20, 3), simulate(["ucb", "moss"], [0.3, 0.5], 20, 3)):
        refused(lambda result=result: result.plot(log=log), "log", repr(log))


@pytest.mark.parametrize("folder", [None, 5, "a\0b"])
def test_a_result_is_saved_in_a_folder_that_has_a_path(folder):
    refused(lambda: simulate(UCB(), TWO, 10, 2, 0).save(folder), "folder", repr(folder))


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
    refused(lambda: UCB(c=Unspeakable()), "c", "Unspeakable")
