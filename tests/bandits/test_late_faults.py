"""What a rule or law of a user does wrong only after the trial, or in other replications, is a sentence too."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bandits.trials
from bandits import (
    UCB,
    Bernoulli,
    Custom,
    CustomArms,
    Gaussian,
    bonus_rule,
    choice_rule,
    index_rule,
    learn_rule,
    reward_law,
    simulate,
)
from connect4 import Board
from mcts import monte_carlo_values, search

LATE = 60  # from this pull on the rules below are wrong


@index_rule
def reads_past_params(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + params[int(t) // LATE]


@index_rule
def reads_past_an_array_of_its_own(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    own = np.zeros(LATE)
    for i in range(out.size):
        out[i] = means[i] + own[int(t)]


@index_rule
def lets_none_win(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] if t < LATE else -math.inf


@index_rule
def leaves_scores(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        if t < LATE:
            out[i] = means[i]


@index_rule
def writes_nan(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] if t < LATE else math.nan


@index_rule
def divides_by_zero(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + np.float64(1.0) / abs(t - LATE)


@bonus_rule
def bonus_past_params(t, params):
    return params[int(t) // LATE]


@choice_rule
def chooses_no_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    for r in range(arm.size):
        if t < LATE:
            arm[r] = 0


@choice_rule
def chooses_an_arm_that_is_not_there(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    for r in range(arm.size):
        arm[r] = 0 if t < LATE else 17


@learn_rule
def learns_past_memory(memory, arm, reward):
    for r in range(arm.size):
        memory[0, r] += 1.0
        memory[int(memory[0, r]) // LATE, r] += 0.0


@choice_rule(memory=1, learn=learns_past_memory)
def first_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    for r in range(arm.size):
        arm[r] = 0


OUTSIDE = r" reads or writes outside an argument while it is played \(NUMBA_DISABLE_JIT=1 names the line\)$"
SCORES = [
    (reads_past_params, OUTSIDE),
    (reads_past_an_array_of_its_own, OUTSIDE),
    (lets_none_win, r" writes -inf for every arm at t = 60; an arm that can win must have a higher score$"),
    (leaves_scores, r" leaves (\d+) of \1 entries of out unwritten \(.*: replications and arms\) at t = 60$"),
    (writes_nan, r" writes NaN for arms with pulls \d+ and mean .* at t = 60; a score is a number, inf or -inf$"),
    (
        divides_by_zero,
        r" writes inf for an arm that has been pulled at t = 60; only an arm without pulls may score inf",
    ),
    (bonus_past_params, OUTSIDE),
]
CHOICES = [
    (chooses_no_arm, r" leaves the arm of a replication unwritten at t = 60$"),
    (chooses_an_arm_that_is_not_there, r" chooses arm 17 at t = 60; arms are 0 to 1$"),
    (first_arm, OUTSIDE),
]


@pytest.fixture
def no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the trial had ended before the rule is wrong."""
    monkeypatch.setattr(bandits.trials, "_SECONDS", -1.0)


@pytest.mark.sampled(1)
@pytest.mark.usefixtures("no_trial")
@pytest.mark.parametrize(("rule", "said"), [*SCORES, *CHOICES], ids=lambda one: getattr(one, "__name__", ""))
def test_a_rule_that_is_wrong_late_stops_the_run(rule, said):
    name = rf"^rule {__name__}\.{rule.__name__}.*"
    for arms in (Bernoulli([0.2, 0.6]), Gaussian([0.2, 0.6])):
        with pytest.raises(ValueError, match=name + said):
            simulate(Custom(rule, [1.0]), arms, 2 * LATE, 3)
        simulate(Custom(rule, [1.0]), arms, LATE - 1, 3)


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("no_trial")
@pytest.mark.parametrize(("rule", "said"), SCORES, ids=lambda one: getattr(one, "__name__", ""))
def test_a_rule_that_is_wrong_late_stops_a_search(rule, said):
    policy = Custom(rule, [1.0])
    with pytest.raises(ValueError, match=f"^rule .*{said}"):
        search(Board(3, 3, connect=3), policy, 400)
    with pytest.raises(ValueError, match=f"^rule .*{said}"):
        monte_carlo_values(Board(3, 3, connect=3), 400, policy)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("rule", "said"), [*SCORES[:-1], *CHOICES[:1]], ids=lambda one: getattr(one, "__name__", ""))
def test_the_trial_finds_the_same_before_the_run(rule, said):
    with pytest.raises(ValueError, match=rf"^rule .* at t = {LATE} of 121 with 2 arms"):
        simulate(Custom(rule, [1.0]), [0.2, 0.6], 2 * LATE + 1, 3)


def test_a_rule_of_ours_that_scores_nan_stops_the_run_at_that_step():
    policy = UCB()
    object.__setattr__(policy, "c", math.nan)  # which no check lets through
    with pytest.raises(ValueError, match=r"^policy ucb scored an arm NaN at t = 4, where there is no best arm"):
        simulate(policy, Gaussian([0.2, 0.6, 0.4]), 50, 3)


@reward_law
def pays_inf_late(uniform, mean, arm, params, reward):
    for r in range(reward.size):
        reward[r] = mean[r] if uniform[r] < 0.99 else math.inf


def test_a_law_that_pays_inf_where_it_was_not_tried_stops_the_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bandits.arms.custom.check_law", lambda arms: None)
    arms = CustomArms(law=pays_inf_late, means=[0.2, 0.6])
    with pytest.raises(ValueError, match=r"^law .*\.pays_inf_late pays NaN or inf, or leaves a reward unwritten$"):
        simulate(UCB(), arms, 500, 3)


@index_rule
def takes_seconds(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    word = int(t)
    for _ in range(int(params[0])):
        word ^= word << 13
        word ^= word >> 7
        word ^= word << 17
    for i in range(out.size):
        out[i] = means[i] + 1e-30 * word


@pytest.mark.long
@pytest.mark.jit
def test_a_rule_that_does_not_answer_is_refused_and_a_slow_one_is_played(monkeypatch):
    simulate(Custom(takes_seconds, [2e6]), [0.1, 0.9], 30, 1)  # 5 ms a call
    monkeypatch.setattr(bandits.trials, "PATIENCE", 0.2)
    with pytest.raises(
        ValueError, match=r"^rule .*takes_seconds has not answered after 0\.2 s at t = 3 of 40 with 2 ar"
    ):
        simulate(Custom(takes_seconds, [5e8]), [0.1, 0.9], 40, 1)


@pytest.mark.long
def test_a_wrong_signature_is_told_when_the_rule_is_used_and_blocks_no_other(tmp_path, monkeypatch):
    text = "from bandits import bonus_rule\n\n\n@bonus_rule\ndef wrong(t):\n    return 1.0\n\n\n"
    (tmp_path / "two_rules.py").write_text(f"{text}@bonus_rule\ndef right(t, params):\n    return 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert simulate(Custom("two_rules.right"), [0.1, 0.9], 10, 2).pulls.sum() == 20
    with pytest.raises(
        ValueError, match=r"^rule two_rules\.wrong must take the 2 arguments of a bonus hook \(t, params"
    ):
        simulate(Custom("two_rules.wrong"), [0.1, 0.9], 10, 2)
