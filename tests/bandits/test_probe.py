"""The dry run of a user's rule finds what only late, extreme or helper-made mistakes show."""

from __future__ import annotations

import math

import numba
import pytest

from bandits import Bernoulli, Custom, rules, simulate
from bandits.hooks import IndexRule, index_rule
from bandits.probe import check_rule
from connect4 import Board
from experiments.players import make_player
from mcts import search


@numba.njit
def _past_the_end(params):
    return params[5]


@index_rule
def nan_at_a_mean_of_one(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] if means[i] < 1.0 else math.nan


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
def reads_past_params_in_a_helper(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + _past_the_end(params)


@index_rule
def past_params_at_one_pull(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + (params[int(t)] if t == 337.0 else 0.0)


@index_rule
def unset_at_one_pull(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        if t != 337.0:
            out[i] = means[i]


@index_rule
def past_out_at_one_pull(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i]
    if t == 337.0:
        out[out.size] = 1.0


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (past_params_at_one_pull, "outside an argument .* at t = 337 of 10000"),
        (past_out_at_one_pull, "outside an argument .* at t = 337 of 10000"),
        (unset_at_one_pull, "unwritten"),
        (nan_at_a_mean_of_one, "writes NaN for arms with pulls"),
        (only_early, "unwritten"),
        (only_six, "unwritten"),
        (reads_past_params_in_a_helper, "outside an argument"),
    ],
)
def test_a_rule_that_fails_only_somewhere_is_refused(rule, part):
    with pytest.raises(ValueError, match=part):
        check_rule(rule, (1.0,), 7, 10_000)


@index_rule
def a_number_an_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + params[i // rng.shape[0]] * widths[i]


@pytest.mark.parametrize("arms", [1, 2, 10, 34, 1000])
def test_a_number_for_each_arm_is_enough_for_as_many_arms_and_no_more(arms):
    numbers = tuple(float(arm) for arm in range(arms))
    check_rule(a_number_an_arm, numbers, arms, 10_000)
    with pytest.raises(ValueError, match=f"outside an argument.* with {arms + 1} arms; params holds {arms} number"):
        check_rule(a_number_an_arm, numbers, arms + 1, 10_000)


def test_a_table_by_the_horizon_is_read_at_the_horizon_of_the_run():
    @index_rule
    def staged(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = params[int(horizon / 10_001 * 3)]

    check_rule(staged, (1.0, 2.0, 3.0), 3, 10_000)
    with pytest.raises(ValueError, match=r"t = 4 of 100000 with 3 arms; params holds 3 numbers, the statistics 6"):
        check_rule(staged, (1.0, 2.0, 3.0), 3, 100_000)


@pytest.mark.parametrize("arms", [1, 2, 3, 10, 34, 1000])
@pytest.mark.parametrize("horizon", [1, 11, 30, 1015, 10**9])
def test_a_table_with_a_number_for_every_step_or_pull_suffices_because_states_are_those_of_the_run(arms, horizon):
    asked = []

    @index_rule
    def inside(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        runs = rng.shape[0]
        assert arms < t <= horizon
        assert pulls.min() >= 1
        for r in range(runs):
            assert pulls[r::runs].sum() == t - 1
        asked.append(int(t))
        out[:] = means

    check_rule(inside, (), arms, horizon)
    assert (min(asked), max(asked)) == (arms + 1, max(arms + 1, horizon))


@pytest.mark.parametrize("arms", [1, 2, 3, 10, 34, 1000])
@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_nan_at_any_small_count_is_refused(arms, count, mean):
    @index_rule
    def singular(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = (means[i] - mean) / (pulls[i] - count)

    with pytest.raises(ValueError, match=f"writes NaN for arms with pulls {count} and mean {mean:g};"):
        check_rule(singular, (), arms, arms + 200)


def test_a_score_that_is_wrong_only_for_the_last_choice_is_refused():
    @index_rule
    def late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = means[i] if t < horizon else math.nan

    with pytest.raises(ValueError, match="writes NaN"):
        check_rule(late, (), 5, 10**9)


def test_a_run_plays_a_rule_with_a_number_for_each_of_its_arms_and_a_search_one_for_each_move(monkeypatch):
    monkeypatch.setattr(rules, "a_number_an_arm", a_number_an_arm, raising=False)
    monkeypatch.setattr(a_number_an_arm.function, "__module__", "bandits.rules")
    for arms in (2, 10):
        played = simulate(Custom("bandits.rules.a_number_an_arm", [1.0] * arms), Bernoulli([0.5] * arms), 40, 2)
        assert played.pulls.sum() == 80
    with pytest.raises(ValueError, match="params holds 2 numbers, the statistics 6"):
        simulate(Custom("bandits.rules.a_number_an_arm", [1.0, 2.0]), Bernoulli([0.1, 0.5, 0.9]), 40, 2)
    assert search(Board(), Custom("bandits.rules.a_number_an_arm", [1.0] * 7), simulations=50).visits.sum() == 50
    with pytest.raises(ValueError, match="with 7 arms; params holds 6 numbers"):
        search(Board(), Custom("bandits.rules.a_number_an_arm", [1.0] * 6), simulations=50)
    six = {"name": "custom", "rule": "bandits.rules.a_number_an_arm", "params": [1.0] * 6}
    for kind, argument in (("uct", "rule"), ("monte_carlo", "policy")):
        with pytest.raises(ValueError, match=f"^{argument}.rule bandits.rules.a_number_an_arm reads or writes outside"):
            make_player(kind, **{argument: six})
        assert make_player(kind, simulations=20, **{argument: six | {"params": [1.0] * 7}}).play(Board()) in range(7)


@pytest.mark.parametrize(("arms", "horizon"), [(1, 1), (2, 300), (7, 10_000), (300, 10_000)])
def test_every_rule_of_ours_passes(arms, horizon):
    params = {"ucb": [1.4], "ucb_v": [1.0, 1.0], "kl_ucb": [0.0], "thompson": [1.0, 1.0], "puct": [1.0]}
    ours = [rule for rule in vars(rules).values() if isinstance(rule, IndexRule)]
    assert len(ours) >= 6
    for rule in ours:
        check_rule(rule, tuple(params.get(rule.function.__name__, ())), arms, horizon)
