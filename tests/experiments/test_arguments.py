"""What people type: Hydra's options, sweeps, and whole numbers in every spelling."""

from __future__ import annotations

import argparse
import re

import pandas as pd
import pytest
from omegaconf import OmegaConf


@pytest.mark.parametrize("words", [["--cfg", "job", "seed=3"], ["seed=3", "--info", "config"]])
def test_the_options_of_hydra_work(command, words):
    assert "seed: 3" in command(*words).out


def test_the_help_has_every_name_once(command):
    """Python 3.14 tries the help of an option when it is added; Hydra 1.3 has an object there for its completion."""
    said = command("seed=3", "-h")
    assert "seed: 3" in said.out
    assert "schema" not in said.out
    for name in ("root_regret", "ucb_v", "two_close", "processes", "biased_monte_carlo"):
        assert len(re.findall(rf"\b{name}\b", said.out)) == 1
    parser = argparse.ArgumentParser()
    action = parser.add_argument("--option")
    action.help = object()
    argparse.ArgumentParser._check_help(parser, action)
    assert action.help == argparse.SUPPRESS


def test_a_sweep_takes_ranges_and_globs(command):
    swept = ("seed=range(0,2)", "bandit=glob(ucb_*,exclude=ucb_tuned)")
    command("-m", *swept, "runs=2", "horizon=20", "hydra.sweep.dir=made")
    rows = pd.read_csv("made/sweep.csv")
    made = sorted(zip(rows["bandit"], rows["seed"], strict=True))
    assert made == [("ucb_e", 0), ("ucb_e", 1), ("ucb_v", 0), ("ucb_v", 1)]


def test_a_whole_number_may_be_written_as_people_do_in_lists_and_nodes_too(command):
    written = OmegaConf.load(command("runs=2e0", "horizon=2_0", "seed=3.0").folder / "config.yaml")
    assert (written.runs, written.horizon, written.seed) == (2, 20, 3)
    command("experiment=strength", "players=[{name: uct, workers: 1e0}]", "simulations=[5e0]", "positions=2e0")
