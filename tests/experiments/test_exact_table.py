"""The table of exact expectations: that its command makes it, and that every policy's simulation agrees with it."""

from __future__ import annotations

import functools
import math

import numpy as np
import pandas as pd
import pytest

from bandits import Bernoulli, make, simulate
from experiments.exact_table import __main__ as command_of_table
from experiments.exact_table.rows import PAIRS, UNIFORM, WORST, policies, rows, table
from numerics.output import tables

KEY = ["policy", "formula", "arms", "problem", "means", "horizon"]
SE, RUNS, HORIZON = 4.0, 4_000, 100


@functools.cache
def kept() -> pd.DataFrame:
    return table()


def test_the_command_makes_the_rows_that_come_with_the_package(tmp_path, capsys):
    words = ["--two", "20", "--three", "10", "--policies", "ucb,random,moss,bayes_optimal", "--folder", str(tmp_path)]
    command_of_table.main(words)
    made = tables.read(tmp_path / "exact.csv")
    assert f"{len(made)} rows" in capsys.readouterr().out
    ours = made.merge(kept(), on=KEY, suffixes=("", "_kept"))
    assert len(ours) == len(made)
    for name in set(made.columns) - set(KEY):
        assert ours[name].to_numpy() == pytest.approx(ours[f"{name}_kept"].to_numpy(), abs=1e-10, nan_ok=True), name
    command_of_table.main(words)  # finished already
    with pytest.raises(ValueError, match=r"--policies must be one of .*; got 'ucd'"):
        command_of_table.main(["--policies", "ucd"])


def test_the_optimal_policy_is_the_best_over_its_prior_and_no_regret_exceeds_the_worst():
    frame = kept()
    prior = frame[(frame["problem"] == UNIFORM) & (frame["horizon"] <= 200)]
    best = prior.loc[prior.groupby("horizon")["regret_mean"].idxmin(), "policy"]
    assert set(best) == {"bayes_optimal"}
    worst = frame[frame["problem"] == WORST].set_index(["policy", "horizon"])["regret_mean"]
    two = frame[(frame["arms"] == 2) & ~frame["problem"].isin([UNIFORM, WORST])]
    bound = worst.reindex(pd.MultiIndex.from_frame(two[["policy", "horizon"]])).to_numpy()
    assert (two["regret_mean"].to_numpy() <= 1.01 * bound + 1e-9).all()  # means between those of the grid


def test_random_play_has_the_regret_of_the_closed_form():
    for row in rows(make("random"), 2, 20, (10, 20)):
        if row["problem"] not in (UNIFORM, WORST):
            low, high = sorted(map(float, row["means"].split()))
            assert row["regret_mean"] == pytest.approx(row["horizon"] * (high - low) / 2.0, abs=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize("name", [one.name for one in policies() if one.name != "bayes_optimal"])
def test_every_policy_plays_as_the_table_says_on_every_pair(name):
    own = kept()[(kept()["policy"] == name) & (kept()["horizon"] == HORIZON)].set_index("problem")
    policy = make(name)
    for means in PAIRS:
        exact = own.loc[f"{means[0]:g} {means[1]:g}"]
        assert exact["formula"] == policy.formula
        regret = simulate(policy, Bernoulli(means), HORIZON, RUNS, seed=5).pseudo_regret
        error = max(exact["regret_sd"], float(regret.std())) / math.sqrt(RUNS)
        assert abs(regret.mean() - exact["regret_mean"]) <= SE * error + 1e-9, means
        assert np.isfinite(regret).all()
