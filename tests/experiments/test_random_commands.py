"""A few of the random command lines of `python -m tests.random_commands`, which takes as many as one likes."""

from __future__ import annotations

import pytest

from tests.random_commands import Ended, Lines, check


@pytest.mark.long
@pytest.mark.parametrize("lines", [20, pytest.param(200, marks=pytest.mark.long)])
def test_random_command_lines_end_well(lines: int):
    bad = check(lines, seed=3, played=0.0)
    assert not bad, "\n".join(f"{words}: {faults}" for words, faults in bad)


def test_the_same_seed_gives_the_same_lines():
    one, two = Lines(5), Lines(5)
    assert [one.line() for _ in range(20)] == [two.line() for _ in range(20)]


def test_what_is_wrong_is_found():
    right = Ended(2, "", "c must be a number; got 'x'\n", [])
    assert not right.faults(["bandit.c=x"])
    assert Ended(None, "", "Traceback ...", []).faults([])
    assert Ended(2, "", "a" * 2_000, []).faults([])
    assert Ended(2, "", "\x1b[31m", []).faults([])
    assert Ended(0, "", "", ["overflow"]).faults([])
