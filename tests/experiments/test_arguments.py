"""What people type: Hydra's options, sweeps, and whole numbers in every spelling."""

from __future__ import annotations

import argparse
import re

import pandas as pd
import pytest
from omegaconf import OmegaConf

from tests.experiments.commands import split_words

SMALL = ("runs=2", "horizon=20")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--cfg", "job", "seed=3"], "seed: 3"),
        (["seed=3", "--info", "config"], "seed: 3"),
        (["seed=3", "-h"], "seed: 3"),
    ],
)
def test_the_options_of_hydra_work(command, words, part):
    said = command(*words)
    assert part in said.out


def test_a_sweep_takes_ranges_and_globs(command):
    command("-m", "seed=range(0,2)", "bandit=glob(ucb_*)", *SMALL, "hydra.sweep.dir=made")
    rows = pd.read_csv("made/sweep.csv")
    assert {*rows["bandit"]} == {"ucb_e", "ucb_tuned", "ucb_v"}


def test_help_of_hydra_that_is_no_text_is_left_out(command):
    """Python 3.14 tries the help of an option when it is added; Hydra 1.3 has an object there for its completion."""
    command("--help")
    parser = argparse.ArgumentParser()
    action = parser.add_argument("--option")
    action.help = object()
    argparse.ArgumentParser._check_help(parser, action)
    assert action.help == argparse.SUPPRESS


@pytest.mark.parametrize("word", ["horizon=2e1", "horizon=2_0", "horizon=20.0"])
def test_a_whole_number_may_be_written_as_people_do(command, word):
    said = command("runs=2", word)
    assert OmegaConf.load(said.folder / "config.yaml").horizon == 20


def test_whole_numbers_in_lists_and_nodes_may_be_written_so_too(command):
    command(
        *split_words(
            "experiment=uct_sweep parameter=simulations values=[1e0,2_0] games=2 openings=none opponent=uct "
            "opponent.simulations=1e0"
        ),
    )
    command("experiment=strength", "players=[{name: uct, workers: 1e0}]", "simulations=[5e0]", "positions=2e0")


def test_the_help_has_every_name_once(command):
    said = command("--help")
    for name in ("root_regret", "ucb_v", "two_close", "processes", "biased_monte_carlo"):
        assert len(re.findall(rf"\b{name}\b", said.out)) == 1
    assert "schema" not in said.out
