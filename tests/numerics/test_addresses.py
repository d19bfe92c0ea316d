"""Hooks by address, which are called also when they raise, and arrays by the pointer to one of their entries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from connect4 import Board
from numerics.kernels.addresses import address_of, hook_at
from tests.internals import array_at, kernel, pointer

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.jit
def test_an_address_is_a_number_and_the_hook_behind_it_is_called():
    play, board = Board().game.play, Board()
    assert isinstance(address_of(play), int)
    assert address_of(play) == address_of(Board().game.play) != address_of(board.game.outcome)


ROOT_AT = hook_at("float64(float64)")


@kernel("float64(float64)")
def root(x):
    if x < 0.0:
        raise ValueError("x must be at least 0")
    return x**0.5


@kernel("float64(int64, float64)")
def through(hook, x):
    return ROOT_AT(hook)(x)


@pytest.mark.jit
def test_an_exception_in_a_hook_reaches_whoever_called_the_kernel():
    assert through(address_of(root), 4.0) == 2.0
    with pytest.raises(ValueError, match="x must be at least 0"):
        through(address_of(root), -1.0)


def test_in_plain_python_hooks_stay_what_they_are():
    code = (
        "from numerics.kernels.addresses import address_of\nfrom connect4.kernels.bitboard import outcome\n"
        "print(address_of(outcome) is outcome)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": "", "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True"


@pytest.mark.jit
def test_a_pointer_is_the_address_of_one_entry():
    @kernel()
    def shifted(values, place, count):
        return array_at(pointer(values, place), count).sum() + array_at(pointer(values, place), (2, count))[1, 0]

    assert shifted(np.arange(24.0).reshape(4, 6), 5, 4) == 5 + 6 + 7 + 8 + 9
