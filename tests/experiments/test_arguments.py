"""What people type: options anywhere on the line, whole numbers in every spelling."""

from __future__ import annotations

import argparse
import re

import pytest
from hydra._internal.utils import get_args_parser
from omegaconf import OmegaConf

SMALL = ("runs=2", "horizon=20")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [("bandit.c=1,2", "-m", *SMALL), (*SMALL, "bandit.c=1,2", "--multirun")])
def test_a_sweep_is_asked_for_anywhere_on_the_line(command, words):
    said = command(*words)
    assert said.status == 0, said.err
    assert "[2/2] " in said.out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["bandit=moss", "--cfg", "job", "seed=3"], "seed: 3"),
        (["bandit=moss", "--info", "seed=3"], "seed: 3"),
        (["seed=3", "--cfg=job", "--resolve"], "seed: 3"),
        (["seed=3", "-h"], "seed: 3"),
    ],
)
def test_options_stand_before_or_behind_overrides(command, words, part):
    said = command(*words)
    assert said.status == 0, said.err
    assert part in said.out


def test_help_of_hydra_that_is_no_text_is_left_out(command):
    """Python 3.14 tries the help of an option when it is added; Hydra 1.3 has an object there for its completion."""
    assert command("--help").status == 0
    parser = get_args_parser()
    for action in parser._actions:
        argparse.ArgumentParser._check_help(parser, action)
        assert isinstance(action.help, str)


def test_the_version_is_ours(command):
    said = command("bandit=ucb", "--version")
    assert said.status == 0, said.err
    assert said.out.startswith("treebandit 0.")
    assert all(name in said.out for name in ("Python", "NumPy", "Numba", "Hydra"))


@pytest.mark.parametrize("word", ["horizon=2e1", "horizon=2_0", "horizon=20.0"])
def test_a_whole_number_may_be_written_as_people_do(command, word):
    said = command("runs=2", word)
    assert said.status == 0, said.err
    assert OmegaConf.load(said.folder / "config.yaml").horizon == 20


def test_whole_numbers_in_lists_and_nodes_may_be_written_so_too(command):
    said = command(
        "experiment=uct_sweep",
        "parameter=simulations",
        "values=[1e0,2_0]",
        "games=2",
        "openings=none",
        "opponent=uct",
        "opponent.simulations=1e0",
    )
    assert said.status == 0, said.err
    said = command("experiment=strength", "players=[{name: uct, workers: 1e0}]", "simulations=[5e0]", "positions=2e0")
    assert said.status == 0, said.err


def test_what_is_typed_is_repeated_without_control_characters_and_cut(command):
    said = command("bandit=ucb", "--x\x1b[31m" + "y" * 5_000)
    assert said.status == 2
    assert "\x1b" not in said.err
    assert len(said.err) < 300


def test_the_help_has_every_name_once(command):
    said = command("--help")
    assert said.status == 0, said.err
    for name in ("root_regret", "ucb_v", "two_close", "processes", "biased_monte_carlo"):
        assert len(re.findall(rf"\b{name}\b", said.out)) == 1
    assert "schema" not in said.out


@pytest.mark.parametrize("typed", ["bandit=ucb c=0.5", 'bandit="ucb c=0.5"', "bandit={name: ucb, c: 0.5}"])
def test_what_a_table_prints_of_a_policy_can_be_typed(command, typed):
    said = command(*SMALL, typed)
    assert said.status == 0, said.err
    assert OmegaConf.load(said.folder / "config.yaml").bandit.c == 0.5
    assert "│ ucb c=0.5 " in said.out
