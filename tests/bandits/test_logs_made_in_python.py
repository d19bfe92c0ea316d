"""Logs that a user makes in Python: wrong numbers are refused with their row, and lists are as good as arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from bandits import Log, evaluate, read_log

GIVEN = {"names": ["a", "b"], "arm": [0, 1, 1], "reward": [0, 1, 0]}


def test_lists_are_as_good_as_arrays():
    log = Log(**GIVEN, propensity=[0.4, 0.6, 0.6], features=[[1], [2], [3]])
    assert log.names == ("a", "b")
    assert [log.arm.dtype, log.reward.dtype, log.propensity.dtype] == [np.int32, np.float64, np.float64]
    assert log.features.shape == (3, 1)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"propensity": [0.4, 0, 0.6]}, r"propensity must hold finite numbers from 1e-40 to 1; got 0 in row 2"),
        ({"propensity": [0.4, 0.6, 1.5]}, r"propensity must hold .*; got 1.5 in row 3"),
        ({"propensity": [0.4, np.nan, 0.6]}, r"propensity must hold .*; got nan in row 2"),
        ({"propensity": [0.4]}, r"propensity must hold 3 numbers; got 1"),
        ({"reward": [0, np.nan, 1]}, r"reward must hold finite numbers from -1e\+40 to 1e\+40; got nan in row 2"),
        ({"reward": [0, 1e200, 1]}, r"reward must hold finite numbers from -1e\+40 to 1e\+40; got 1e\+200 in row 2"),
        (
            {"propensity": [0.4, 1e-200, 0.6]},
            r"propensity must hold finite numbers from 1e-40 to 1; got 1e-200 in row 2",
        ),
        ({"arm": [0, 2, 1]}, r"arm must hold indices into names from 0 to 1; got 2 in row 2"),
        ({"arm": [0, 0.5, 1]}, r"arm must hold indices into names from 0 to 1; got 0.5 in row 2"),
        ({"arm": ["a", "b", "a"]}, r"arm must hold indices into names; got 'a'"),
        ({"arm": [0, 1]}, r"arm must hold 3 numbers; got 2"),
        ({"time": [1, 3, 2]}, r"time must never decrease \(sort the rows by it\); row 3 has 2"),
        (
            {"features": [[1], [np.inf], [0]]},
            r"features must hold finite numbers from -1e\+40 to 1e\+40; got inf in row 2",
        ),
        ({"features": [1, 2, 3]}, r"features must hold 3 x d numbers; got 3"),
        ({"names": ["a", "a"]}, r"names must be at least 2 different arms; got \['a', 'a'\]"),
        ({"arm": [], "reward": []}, r"a log must have at least 1 row; got none"),
        ({"rewards": [[1, 0]] * 3}, r"arm must hold 0 numbers; got 3"),
    ],
)
def test_a_wrong_number_is_refused_with_its_row(changed, sentence):
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        Log(**{**GIVEN, **changed})


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (lambda log: read_log("clicks.csv"), "got 'clicks.csv', which looks like a file: give 'rows path=clicks.csv'"),
        (lambda log: evaluate(pd.DataFrame({"item": range(900)}), "uniform"), "log must be a log, such as"),
        (lambda log: evaluate(log, {"new": [[0.5, 0.5]] * 900}), r"policies\['new'\] must be a policy to evaluate"),
        (lambda log: evaluate(log, [np.full((3, 2), 0.5)]), "policies must give each array a label"),
        (lambda log: evaluate(log, np.full((3, 2), 0.5)), "policies must give each array a label"),
    ],
)
def test_what_is_no_log_and_no_policy_is_refused_in_a_short_sentence(asked: Callable[[Log], object], sentence):
    with pytest.raises(ValueError, match=r"^[^\n]{1,300}$") as caught:
        asked(Log(**GIVEN))
    caught.match(sentence)


def test_names_act_on_no_terminal():
    log = Log(["\x1b[31mred", "to the \u202eleft"], arm=[0, 1], reward=[0, 1])
    assert log.names == ("\\x1b[31mred", "to the \\u202eleft")
