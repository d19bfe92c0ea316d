"""The trial of a user's rule before the run finds what only late, extreme or helper-made mistakes show."""

from __future__ import annotations

import dataclasses
import functools
import math
from types import FunctionType
from typing import Any

import numba
import pytest

from bandits import Bernoulli, Custom, Gaussian, Policy, RandomBernoulli, choice_rule, index_rule, learn_rule, simulate
from bandits.hooks import Rule
from bandits.spec import PolicySpec
from bandits.trials import check_rule
from connect4 import Board
from experiments.players import make_player
from mcts import search
from tests.bandits.policies import EXAMPLES

HERE = __name__


def check(rule: Rule, params: tuple[float, ...] = (), arms: object = 3, horizon: int = 10_000) -> None:
    check_rule(PolicySpec(rule, params), arms, horizon)


@numba.njit
def _past_the_end(params):
    return params[5]


@index_rule
def only_early(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        if pulls[i] < 80:
            out[i] = means[i]


@index_rule
def only_six(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(min(out.size, 6)):
        out[i] = means[i]


@index_rule
def nan_at_a_mean_of_one(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] if means[i] < 1.0 else math.nan


@index_rule
def reads_past_params_in_a_helper(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + _past_the_end(params)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (nan_at_a_mean_of_one, "writes NaN for arms with pulls 1 and mean 1 at t = 8 of 10000 with 7 arms"),
        (only_early, "unwritten"),
        (only_six, "leaves 8 of 14 entries of out unwritten"),
        (reads_past_params_in_a_helper, "outside an argument .* params holds 1 number, the statistics 14"),
    ],
)
def test_a_rule_that_fails_only_somewhere_is_refused(rule, part):
    with pytest.raises(ValueError, match=f"^rule {rule.path} .*{part}"):
        check(rule, (1.0,), 7)


LATE = 15_001


@index_rule
def past_params_late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + (params[int(t)] if t == LATE else 0.0)


@index_rule
def unwritten_late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        if t != LATE:
            out[i] = means[i]


@index_rule
def past_out_late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i]
    if t == LATE:
        out[out.size] = 1.0


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    ("rule", "part"),
    [(past_params_late, "outside an argument"), (past_out_late, "outside an argument"), (unwritten_late, "unwritten")],
)
def test_a_rule_that_fails_at_step_15001_of_20000_is_found_before_the_run(rule, part):
    with pytest.raises(ValueError, match=f"^rule {rule.path} .*{part} .*at t = 15001 of 20000 with 10 arms"):
        simulate(Custom(rule), RandomBernoulli(10), 20_000, 1)


def test_a_rule_is_tried_on_the_arms_of_the_run():
    @index_rule
    def root(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = math.sqrt(means[i]) if means[i] >= 0.0 else math.nan

    check(root, (), Bernoulli([0.1, 0.5]), 100)
    with pytest.raises(ValueError, match=r"writes NaN for arms with pulls 1 and mean -"):
        check(root, (), Gaussian([-1.0, -2.0]), 100)


@index_rule
def a_number_an_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + params[i // rng.shape[0]] * widths[i]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arms", [1, 2, 34, 1000])
def test_a_number_for_each_arm_is_enough_for_as_many_arms_and_no_more(arms):
    numbers = tuple(float(arm) for arm in range(arms))
    check(a_number_an_arm, numbers, arms, 2_000)
    with pytest.raises(ValueError, match=f"outside an argument.* with {arms + 1} arms; params holds {arms} number"):
        check(a_number_an_arm, numbers, arms + 1, 2_000)


@pytest.mark.long
def test_a_table_by_the_horizon_is_read_at_the_horizon_of_the_run():
    @index_rule(needs=("horizon",))
    def staged(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = params[int(horizon / 1_001 * 3)]

    check(staged, (1.0, 2.0, 3.0), 3, 1_000)
    with pytest.raises(ValueError, match=r"t = 4 of 10000 with 3 arms; params holds 3 numbers, the statistics 6"):
        check(staged, (1.0, 2.0, 3.0), 3, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("need", ["variances", "priors", "horizon"])
def test_what_a_rule_reads_it_must_declare(need):
    def reads(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        which = int(params[0])
        for i in range(out.size):
            out[i] = means[i] + (variances[i] if which == 0 else priors[i] if which == 1 else horizon)

    params = (float(("variances", "priors", "horizon").index(need)),)
    check(index_rule(needs=(need,))(reads), params, 3, 100)
    with pytest.raises(ValueError, match=rf"reads {need} without declaring it; write @index_rule\(needs='{need}'\)"):
        check(index_rule(reads), params, 3, 100)


def test_what_a_rule_declares_already_stays_in_the_advice():
    @index_rule(needs="variances")
    def reads_more(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = means[i] + variances[i] / horizon

    with pytest.raises(
        ValueError, match=r"reads horizon without .* write @index_rule\(needs=\('variances', 'horizon'\)"
    ):
        check(reads_more, (), 3, 100)


# ---------------------------------------------------------------- choice rules
@learn_rule
def learns_well(memory, arm, reward):
    for r in range(arm.size):
        memory[0, r] += reward[r]


@learn_rule
def learns_past_the_end(memory, arm, reward):
    memory[memory.shape[0], 0] = 1.0


@learn_rule
def learns_for_the_first(memory, arm, reward):
    memory[0, 0] += reward[0]


@learn_rule
def changes_the_reward(memory, arm, reward):
    reward[0] = 7.0


def _chooses(value: str, **options: object) -> Rule:
    names: dict[str, object] = {"__name__": HERE}
    exec(
        f"def f(p, m, w, v, q, t, h, params, rng, memory, arm):\n    for r in range(arm.size):\n        {value}", names
    )
    return choice_rule(**options)(names["f"])  # type: ignore[call-overload, no-any-return]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "options", "part"),
    [
        ("arm[r] = 3", {}, "chooses arm 3 at t = 4 of 50 with 3 arms; arms are 0 to 2"),
        ("arm[r] = -1", {}, "chooses arm -1 at t = 4 "),
        ("pass", {"every_arm_first": False}, "leaves the arm of a replication unwritten at t = 1 "),
        ("arm[r] = r", {}, "choices of two replications side by side differ"),
        ("memory[1, r] = 1.0; arm[r] = 0", {"memory": 1}, "outside an argument"),
        ("memory[0, 0] += t; arm[r] = 0", {"memory": 1}, "choices of two replications side by side differ"),
        ("p[r] = 9.0; arm[r] = 0", {}, "writes into pulls, .*; it may write only into memory and arm"),
        ("arm[r] = 0", {"memory": 1, "learn": learns_past_the_end}, "learns_past_the_end reads or writes outside"),
        ("arm[r] = 0", {"memory": 1, "learn": learns_for_the_first}, "learns_for_the_first at t = .*: what is learnt"),
        ("arm[r] = 0", {"memory": 1, "learn": changes_the_reward}, "changes_the_reward writes into arm or reward"),
    ],
)
def test_mistakes_in_a_choice_rule_or_its_learn_rule_are_sentences(body, options, part):
    with pytest.raises(ValueError, match=f"^rule .*{part}"):
        check(_chooses(body, **options), (), 3, 50)


@pytest.mark.long
def test_a_choice_rule_without_mistakes_passes():
    check(_chooses("arm[r] = int(memory[0, r]) % 3", memory=1, learn=learns_well), (), 3, 300)


# ---------------------------------------------------------------- what passes
@pytest.mark.kernels
def test_a_rule_is_asked_at_the_states_of_a_run_and_only_there():
    asked = []

    @index_rule
    def inside(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        runs = rng.shape[0]
        for r in range(runs):
            assert pulls[r::runs].sum() == t - 1
        assert pulls.min() >= 1
        asked.append(int(t))
        out[:] = means

    if numba.config.DISABLE_JIT:  # elsewhere the rule could not tell what it was asked
        check(inside, (), 3, 50)
        assert set(asked) == set(range(4, 51))


OF_EACH_KIND = {"ucb", "ucb_v", "moss", "puct", "thompson", "softmax", "gradient"}  # bonus, needs, draws, memory, learn


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(one, marks=[] if one.name in OF_EACH_KIND else pytest.mark.long, id=one.name)
        for one in EXAMPLES
        if one.name != "custom"
    ],
)
def test_every_rule_of_ours_passes_as_one_of_a_user(policy: Policy):
    spec = policy.spec()
    for arms in (1, 2, 40):  # here and not as tests: the rule is compiled once
        check_rule(dataclasses.replace(spec, rule=_of_a_user(spec.rule)), arms, arms + 60)


@functools.cache
def _of_a_user(rule: Any) -> Any:
    """Return a copy of a hook of ours, and of its learn hook, that is compiled and watched as one of a user is."""
    if rule.is_ours:
        ours, rule = rule, object.__new__(type(rule))  # `copy.copy` would import the same hook again
        compiled = ("compiled", "pointed", "checked", "score", "bonus")
        rule.__dict__.update({name: value for name, value in vars(ours).items() if name not in compiled})
        written = ours.function
        rule.function = FunctionType(written.__code__, written.__globals__, written.__name__)
        rule.function.__module__ = HERE
        if getattr(rule, "learn", None) is not None:
            rule.learn = _of_a_user(rule.learn)
    return rule


def test_a_run_plays_a_rule_with_a_number_for_each_of_its_arms_and_a_search_one_for_each_move():
    rule = f"{HERE}.a_number_an_arm"
    played = simulate(Custom(rule, [1.0] * 10), Bernoulli([0.5] * 10), 40, 2)
    assert played.pulls.sum() == 80
    with pytest.raises(ValueError, match="params holds 2 numbers, the statistics 6"):
        simulate(Custom(rule, [1.0, 2.0]), Bernoulli([0.1, 0.5, 0.9]), 40, 2)
    assert search(Board(), Custom(rule, [1.0] * 7), simulations=50).visits.sum() == 50
    with pytest.raises(ValueError, match="with 7 arms; params holds 6 numbers"):
        search(Board(), Custom(rule, [1.0] * 6), simulations=50)
    six = {"name": "custom", "rule": rule, "params": [1.0] * 6}
    for kind, argument in (("uct", "policy"), ("monte_carlo", "policy")):
        with pytest.raises(ValueError, match=f"^{argument}.rule {rule} reads or writes outside"):
            make_player(kind, **{argument: six})
        assert make_player(kind, simulations=20, **{argument: six | {"params": [1.0] * 7}}).play(Board()) in range(7)
