"""The table of exact expectations: that its command makes it, and that every policy's simulation agrees with it."""

from __future__ import annotations

import functools
import math

import numpy as np
import pandas as pd
import pytest

from bandits import BayesOptimal, Bernoulli, make, simulate
from experiments.exact_table import __main__ as command_of_table
from experiments.exact_table.rows import (
    PAIRS,
    REACH,
    TRIPLES,
    UNIFORM,
    WORST,
    can_compute,
    plan_passes,
    policies,
    rows,
    table,
)
from numerics.output import tables

KEY = ["policy", "formula", "arms", "problem", "means", "horizon"]
SE = 5.0


@functools.cache
def kept() -> pd.DataFrame:
    return table()


@pytest.mark.long
def test_the_command_makes_the_rows_that_come_with_the_package(tmp_path, capsys):
    words = ["two=20", "three=10", "policies=ucb,random,moss,bayes_optimal", f"folder={tmp_path}"]
    command_of_table.main(words)
    made = tables.read(tmp_path / "exact.csv")
    assert f"{len(made)} rows" in capsys.readouterr().out
    ours = made.merge(kept(), on=KEY, suffixes=("", "_kept"))
    assert len(ours) == len(made)
    for name in set(made.columns) - set(KEY):
        assert ours[name].to_numpy() == pytest.approx(ours[f"{name}_kept"].to_numpy(), abs=1e-10, nan_ok=True), name
    command_of_table.main(words)  # finished already


def over_uniform_means() -> pd.DataFrame:
    """The gain of each policy by horizon, as far as the optimal policy reaches."""
    frame = kept()
    prior = frame[frame["problem"] == UNIFORM].pivot_table(index="horizon", columns="policy", values="gain_mean")
    return prior[prior["bayes_optimal"].notna()]


@pytest.mark.parametrize("horizon", [10, 50, 200])
def test_no_policy_gains_more_over_uniform_means_than_the_optimal_value_and_the_optimal_policy_gains_it(horizon):
    value, gains = BayesOptimal().value(horizon), over_uniform_means().loc[horizon].dropna()
    assert gains["bayes_optimal"] == pytest.approx(value, abs=1e-10)
    assert len(gains) > 20
    assert (gains.drop("bayes_optimal") < value).all()


def test_the_table_reaches_as_far_as_it_says_and_no_regret_exceeds_the_worst():
    frame = kept()
    reached = frame.groupby(["policy", "arms"])["horizon"].max().to_dict()
    assert reached["bayes_optimal", 2] == 500  # to plan its passes takes seconds
    for policy in (one for one in policies() if one.name != "bayes_optimal"):
        for arms, most in ((2, 1_000), (3, 100)):
            wanted = max((max(wanted) for _, wanted in plan_passes(policy, arms, most)), default=None)
            assert reached.get((policy.name, arms)) == wanted, policy.name
    worst = frame[frame["problem"] == WORST].set_index(["policy", "horizon"])["regret_mean"]
    two = frame[(frame["arms"] == 2) & ~frame["problem"].isin([UNIFORM, WORST])]
    bound = worst.reindex(pd.MultiIndex.from_frame(two[["policy", "horizon"]])).to_numpy()
    assert (two["regret_mean"].to_numpy() <= 1.01 * bound + 1e-9).all()  # means between those of the grid


def test_random_play_has_the_regret_of_the_closed_form():
    for row in rows(make("random"), 2, 20, (10, 20)):
        if row["problem"] not in (UNIFORM, WORST):
            low, high = sorted(map(float, row["means"].split()))
            assert row["regret_mean"] == pytest.approx(row["horizon"] * (high - low) / 2.0, abs=1e-12)


def check_simulation(name: str, problems: tuple[tuple[float, ...], ...], horizon: int, runs: int) -> None:
    own = kept()[(kept()["policy"] == name) & (kept()["horizon"] == horizon)].set_index("problem")
    policy = make(name)
    for means in problems:
        exact = own.loc[" ".join(f"{mean:g}" for mean in means)]
        assert exact["formula"] == policy.formula
        regret = simulate(policy, Bernoulli(means), horizon, runs, seed=5).pseudo_regret
        error = max(exact["regret_sd"], float(regret.std())) / math.sqrt(runs)
        assert abs(regret.mean() - exact["regret_mean"]) <= SE * error + 1e-9, means
        assert np.isfinite(regret).all()


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("name", [one.name for one in policies()])
def test_every_policy_plays_as_the_table_says(name):
    check_simulation(name, PAIRS, 100, 800)
    if can_compute(make(name), 3, 100):
        check_simulation(name, TRIPLES, 100, 800)
    if (far := REACH.get(name, 500)) >= 500:
        check_simulation(name, PAIRS[::4], far, 300)
