"""The short pass over all claims, and the command that measures them in full."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from experiments.calibration import __main__ as command
from experiments.calibration.claim import Claim, Outcome, interval
from experiments.calibration.claims import claims
from experiments.calibration.measure import NO, OK, measured
from numerics.output import tables

FEW, RUNS, FULL = 50, 200, 2_000  # of the shortest pass, of the short one, and of the full one
ERRORS = 4.0  # standard errors beyond what the full pass allows: a method that holds exceeds them once in 10,000
KNOWN = {name: claim for name, (claim, _) in claims().items()}
FIRST = {file: name for name, (_, file) in reversed(claims().items())}.values()  # of each file of claims


PASSES = [*((name, FEW) for name in FIRST), *(pytest.param(name, RUNS, marks=pytest.mark.long) for name in KNOWN)]


@pytest.mark.parametrize(("name", "runs"), PASSES)
def test_a_claim_holds_in_a_short_pass_at_its_smallest_size(name: str, runs: int) -> None:
    claim = KNOWN[name]
    row = measured(claim, claim.sizes[0], runs, seed=0)
    low, high = claim.allowed(FULL)
    room = ERRORS * float(np.sqrt(claim.nominal * (1.0 - claim.nominal) / runs))
    assert low - room <= row["rate"] <= high + room


def of_a_normal(width: float, size: int, rng: np.random.Generator) -> Outcome:
    mean = float(rng.normal(size=size).mean())
    return interval(mean - width / np.sqrt(size), mean + width / np.sqrt(size), 0.0, mean)


@pytest.mark.parametrize(
    ("width", "verdict", "conservative"), [(1.96, OK, False), (1.64, NO, False), (2.6, NO, False), (2.6, OK, True)]
)
def test_a_wrong_interval_is_found(width: float, verdict: str, conservative: bool) -> None:
    claim = Claim("normal", "none", functools.partial(of_a_normal, width), conservative=conservative)
    assert measured(claim, 20, 2_000, seed=0)["verdict"] == verdict


def test_a_test_may_err_less_often_than_it_says_but_not_more() -> None:
    def errs(rate: float, _: int, rng: np.random.Generator) -> Outcome:
        return Outcome(float(rng.uniform() < rate))

    for rate, verdict in ((0.01, OK), (0.05, OK), (0.08, NO)):
        claim = Claim("test", "none", functools.partial(errs, rate), nominal=0.05, test=True)
        assert measured(claim, 20, 2_000, seed=1)["verdict"] == verdict


def test_an_interval_without_ends_covers_nothing_and_sides_are_told_apart() -> None:
    assert interval(np.nan, np.nan, 0.0)[:2] == (1.0, 0.0)
    assert interval([0.0, 1.0], [1.0, 2.0], [2.0, 0.0])[:2] == (0.5, 0.5)
    assert interval([0.0, 1.0], [1.0, 2.0], [0.5, 0.0], together=True)[:2] == (0.0, 1.0)


def test_the_command_finds_the_same_numbers_again_and_puts_them_into_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    heads = "| claim | printed by | size | claimed | measured | above / below | width | bias | verdict |"
    old = "| mean regret of UCB1 | experiment=regret, comparison, sweeps | 20 replications | - | - | - | - | - | - |"
    page.write_text(f"before\n\n{heads}\n|---|\n{old}\n\nafter\n")
    given = ["mean regret of ucb1", "runs=100", "workers=1", f"folder={tmp_path / 'kept'}", f"page={page}"]
    command.main(given)
    first = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "kept").iterdir()}
    assert len(first) == 3
    command.main(given)
    assert {file.name: file.stat().st_mtime_ns for file in (tmp_path / "kept").iterdir()} == first
    lines = page.read_text().splitlines()
    assert len([line for line in lines if line.startswith("| mean regret of UCB1")]) == 3
    assert old not in lines
    assert lines[-1] == "after"
    assert "3 rows of 1 claims: all hold" in capsys.readouterr().out
    row = tables.read(sorted((tmp_path / "kept").glob("*_20.csv"))[0])
    assert row["rate"][0] == measured(KNOWN["mean regret of UCB1"], 20, 100, 0)["rate"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["runs=1"], "runs must be a whole number of at least 2; got 1"),
        (["seed=-1"], "seed must be a whole number of at least 0; got -1"),
        ([f"page={__file__}"], "page .* must have a table with the heads \\| claim \\| .*; got none"),
        (["nothing"], "names must be a part of one of .*; got 'nothing'"),
    ],
)
def test_a_mistake_is_said_before_anything_is_measured(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=sentence):
        command.main([*arguments, f"folder={tmp_path / 'kept'}"])
    assert not (tmp_path / "kept").exists()
