"""Tuning: the tables, the confirmation on fresh seeds, Optuna, mistakes."""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd
import pytest

from tests.experiments.commands import split_words

RUN = ("experiment=tune", "values=[0.1,1,4]", "player.simulations=8", "epsilon=0.3", "games=40", "hydra.run.dir=run")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["paired_lucb", "kl_lucb"])
def test_a_value_is_picked_and_tested_against_the_player_as_it_is_given(command, tmp_path, method):
    told = command(*RUN, "player.c=0.01", f"method={method}")
    table = pd.read_csv(tmp_path / "run" / "tune.csv")
    assert list(table["value"]) == [0.1, 1.0, 4.0]
    assert (table["standing"] == "picked").sum() == 1
    pick = table[table["standing"] == "picked"].iloc[0]
    others = table[table["standing"] != "picked"]
    if method == "kl_lucb":
        assert (others["score_high"] < pick["score_low"] + 0.3).all()
    assert ("by paired differences" in told.out) == (method == "paired_lucb")
    tested = pd.read_csv(tmp_path / "run" / "sprt.csv").iloc[0]
    assert tested["player"] == f"uct c={pick['value']:g}"
    assert tested["opponent"] == "uct simulations=8 c=0.01"
    assert len(pd.read_parquet(tmp_path / "run" / "games.parquet")) == tested["games"]
    assert "is within 0.3 of the best with 95 % confidence" in told.out
    assert "a uniform grid with the same confidence needs" in told.out
    assert "LLR   | " in told.out


@pytest.mark.long
def test_games_with_an_opponent_are_a_signal_too_and_halving_spends_its_budget(command, tmp_path):
    told = command(
        *RUN[:3],
        *split_words(
            "signal=games method=sequential_halving budget=48 opponent=random board=4x4 confirm=false hydra.run.dir=run"
        ),
    )
    table = pd.read_csv(tmp_path / "run" / "tune.csv")
    assert table["rewards"].sum() == 48
    assert sorted(table["rewards"]) == [8, 20, 20]
    assert not (tmp_path / "run" / "sprt.csv").exists()
    assert "another value is better is not bounded" in told.out


@pytest.mark.long
def test_optuna_tries_values_between_two_ends(command, tmp_path):
    run = ("experiment=tune", "method=optuna", "values=[0.1,4]", "trials=4", "budget=80", "confirm=false")
    for name in ("run", "again"):
        command(*run, "player.simulations=8", f"hydra.run.dir={name}")
    table = pd.read_csv(tmp_path / "run" / "tune.csv")
    assert (table["rewards"] == 20).all()
    assert table["value"].between(0.1, 4.0).all()
    assert table["value"].nunique() == 4
    assert (tmp_path / "run" / "tune.csv").read_bytes() == (tmp_path / "again" / "tune.csv").read_bytes()
    run = (*run[:2], "parameter=simulations", "values=[5,20]", *run[3:])
    command(*run, "hydra.run.dir=whole")
    assert np.issubdtype(pd.read_csv(tmp_path / "whole" / "tune.csv")["value"].dtype, np.integer)


def test_without_optuna_one_sentence_says_how_to_get_it(attempt, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "optuna" else there(name, *rest)
    )
    told = attempt("experiment=tune", "method=optuna", "values=[0.1,4]")
    told.assert_refused(["method=optuna", "pip install", "[tune]"])
