"""Hooks by address: a search finds the same with them, and what may raise is never called so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bandits import make
from benchmarks.own_rule import my_ucb
from connect4 import Board
from mcts import search
from numerics.addresses import Address, address_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.jit
def test_a_search_with_addresses_makes_the_visits_of_one_with_the_hooks_themselves(monkeypatch):
    found = search(Board(), simulations=3_000, seed=4)
    monkeypatch.setattr("numerics.addresses.address_of", lambda hook: hook)
    assert np.array_equal(search(Board(), simulations=3_000, seed=4).visits, found.visits)


@pytest.mark.jit
def test_the_projects_hooks_have_addresses_and_a_users_rule_is_passed_as_it_is():
    play = Board().game.play
    assert isinstance(address_of(play), Address)
    assert address_of(play) is address_of(play)
    assert isinstance(address_of(make("ucb").hooks().rule.compiled), Address)
    assert address_of(my_ucb.compiled) is my_ucb.compiled


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_without_compilation_and_with_bounds_checks_hooks_stay_what_they_are(setting: str):
    code = (
        "from numerics.addresses import address_of\nfrom connect4.bitboard import outcome\n"
        "print(address_of(outcome) is outcome)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PATH": "", setting: "1"}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "True"
