"""Which rules are taken for m + b w: those that are, and none that is not, however much it looks like it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from bandits import index_rule, rules
from bandits.form import is_mean_plus_bonus
from benchmarks.own_rule import my_ucb
from numerics.jit import kernel
from numerics.random import next_uniform

FACTOR = 0.5
TABLE = np.linspace(0.0, 1.0, 100)


@kernel()
def slower(t):
    """A helper of rules."""
    return math.log(1.0 + math.log(t))


@index_rule
def plus_bonus(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = widths[i] * (FACTOR * np.sqrt(slower(t))) + means[i]


@index_rule
def by_size(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    arms = out.size // rng.shape[0]
    for i in range(out.size):
        out[i] = means[i] + math.sqrt(math.log(t) / arms + horizon) * widths[i]


@index_rule
def by_param(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = t**0.25 if params[0] > 1.0 else TABLE[3] / t
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def by_first_param(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + params[0] * widths[i]


@index_rule
def negative(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + (1.0 - t) * widths[i]


@index_rule(every_arm_first=False)
def never_asked_early(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = 1e9 if pulls[i] == 0.0 else means[i] + math.log(t) * widths[i]


@index_rule
def other_bonus_for_one_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + (2.0 if i == 0 else 1.0) * math.log(t) * widths[i]


@index_rule
def other_bonus_late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = math.log(t) if t < 500.0 else 0.0
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def bonus_of_pulls(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + math.log(t / pulls[i]) * widths[i]


@index_rule
def bonus_of_the_first_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = math.sqrt(math.log(t) * variances[0])
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def mean_of_another_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[out.size - 1 - i] + math.log(t) * widths[i]


@index_rule
def width_of_another_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + math.log(t) * widths[0]


@index_rule
def twice_the_width(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + math.log(t) * widths[i] * widths[i]


@index_rule
def minus(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] - math.log(t) * widths[i]


@index_rule
def a_draw(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = next_uniform(rng, 0)
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def numpys_draw(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = np.random.random()  # noqa: NPY002
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def pythons_draw(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = random.random()
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def whole_steps(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = TABLE[int(t) % 100]
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def caught(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = math.log(t)
    try:
        if t > 100.0:
            bonus = 0.0
    except Exception:
        bonus = 1.0
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def typed(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = 0.0 if isinstance(t, float) else 1.0
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def leaves_one_out(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(1, out.size):
        out[i] = means[i] + math.log(t) * widths[i]


@index_rule
def for_one_replication(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i] + math.log(t) * widths[i] if rng.shape[0] == 1 else means[i]


@pytest.mark.parametrize(
    "rule", [rules.ucb, my_ucb, plus_bonus, by_size, by_first_param, negative], ids=lambda rule: rule.__name__
)
def test_a_mean_plus_a_common_bonus_is_seen(rule):
    assert is_mean_plus_bonus(rule, (1.0,), 10, 1_000)
    assert is_mean_plus_bonus(rule, (1.0,), 1, 1_000)


@pytest.mark.parametrize("number", [0.5, 2.0])
def test_what_a_rule_does_with_its_own_numbers_is_known_before_the_run(number: float):
    assert is_mean_plus_bonus(by_param, (number,), 3, 100)


@pytest.mark.parametrize(
    "rule",
    [
        rules.greedy, rules.moss, rules.puct, rules.ucb_v, rules.kl_ucb, rules.thompson,
        never_asked_early, other_bonus_for_one_arm, other_bonus_late, bonus_of_pulls, bonus_of_the_first_arm,
        mean_of_another_arm, width_of_another_arm, twice_the_width, minus, a_draw, numpys_draw, pythons_draw,
        whole_steps, caught, typed, leaves_one_out, for_one_replication,
    ],
    ids=lambda rule: rule.__name__,
)  # fmt: skip
def test_nothing_else_is_taken_for_it(rule):
    assert not is_mean_plus_bonus(rule, (1.0, 1.0), 3, 1_000)
