"""The dry run of a user's rule finds what only late, extreme or helper-made mistakes show."""

from __future__ import annotations

import math

import numba
import pytest

from bandits.hooks import IndexRule, index_rule
from bandits.probe import check_rule


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


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (nan_at_a_mean_of_one, "writes NaN for arms with pulls"),
        (only_early, "unwritten"),
        (only_six, "unwritten"),
        (reads_past_params_in_a_helper, "outside an argument"),
    ],
)
def test_a_rule_that_fails_only_somewhere_is_refused(rule, part):
    with pytest.raises(ValueError, match=part):
        check_rule(rule, (1.0,))


def test_every_rule_of_ours_passes():
    from bandits import rules

    params = {"ucb": [1.4], "ucb_v": [1.0, 1.0], "kl_ucb": [0.0], "thompson": [1.0, 1.0], "puct": [1.0]}
    ours = [rule for rule in vars(rules).values() if isinstance(rule, IndexRule)]
    assert len(ours) >= 6
    for rule in ours:
        check_rule(rule, tuple(params.get(rule.function.__name__, ())))
