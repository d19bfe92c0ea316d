"""A short pass over a claim of each file, and what measures and searches: `make calibrate` measures all in full."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from bandits import Policy
from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from benchmarks.calibration.claims import claims, parameters
from benchmarks.calibration.measure import NO, OK, measured, searched

RUNS, FULL = 100, 2_000  # of a short pass, and of the full one: `make calibrate`
ERRORS = 4.0  # standard errors beyond what the full pass allows: a method that holds exceeds them once in 10,000
KNOWN = {name: claim for name, (claim, _) in claims().items()}
FIRST = {file: name for name, (_, file) in reversed(claims().items())}.values()  # of each file of claims


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FIRST)
def test_a_claim_of_each_file_holds_in_a_short_pass_at_its_smallest_size(name: str) -> None:
    claim = KNOWN[name]
    row = measured(claim, claim.sizes[0], RUNS, seed=0)
    low, high = claim.allowed(FULL)
    room = ERRORS * float(np.sqrt(claim.nominal * (1.0 - claim.nominal) / RUNS))
    assert low - room <= row["rate"] <= high + room


def of_a_normal(width: float, size: int, rng: np.random.Generator) -> Outcome:
    mean = float(rng.normal(size=size).mean())
    return interval(mean - width / np.sqrt(size), mean + width / np.sqrt(size), 0.0, mean)


@pytest.mark.parametrize(
    ("width", "verdict", "about"), [(1.96, OK, True), (1.64, NO, True), (2.6, NO, True), (2.6, OK, False)]
)
def test_a_wrong_interval_is_found(width: float, verdict: str, about: bool) -> None:
    claim = Claim("normal", "none", functools.partial(of_a_normal, width), about=about)
    assert measured(claim, 20, 2_000, seed=0)["verdict"] == verdict


@pytest.mark.parametrize("found", [True, False])
def test_parameters_that_let_a_policy_lock_are_found_among_settings_drawn_at_random(
    found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is noticed that they do: then the wide interval holds everywhere."""
    if not found:
        monkeypatch.setattr("bandits.bounds.can_lock", lambda policy: policy.locks)
    family = parameters.settings(Policy.make("polynomial"), 12)
    claim = dataclasses.replace(KNOWN["mean regret of polynomial with any parameters"], family=family)
    row = searched(claim, 200, seed=0)
    assert row["settings"] == 24
    assert row["where"] in family
    assert (row["rate"] > 0.9) == found
    assert (row["rate"] < 0.8) == (not found)


def test_the_worst_setting_is_the_one_that_errs_most_and_a_test_may_err_less_often_than_it_says() -> None:
    def errs(size: int, rng: np.random.Generator, rate: float) -> Outcome:
        return Outcome(float(rng.uniform() < rate))

    for rates, verdict in (((0.01, 0.05), OK), ((0.01, 0.05, 0.1), NO)):
        family = family_of(errs, rate=rates)
        claim = Claim("test", "none", family["rate 0.01"], nominal=0.05, test=True, sizes=(20,), family=family)
        assert measured(claim, 20, 2_000, seed=1)["verdict"] == OK
        row = searched(claim, 2_000, seed=1)
        assert (row["where"], row["verdict"]) == (f"rate {rates[-1]:g}", verdict)
        again = searched(dataclasses.replace(claim, really=round(row["rate"], 2)), 2_000, seed=1)
        assert (again["rate"], again["verdict"]) == (row["rate"], OK)  # of a claim that says what it really does


def test_experiments_that_are_made_again_have_other_random_numbers() -> None:
    family = family_of(lambda size, rng, place: Outcome(rng.uniform()), place=("a", "b"))
    claim = Claim("drawn", "none", family["place a"], family=family)
    drawn = [claim.outcome(20, 0, 0, place, again).above for place in family for again in (False, True)]
    assert len({*drawn, claim.outcome(20, 0, 0).above}) == 5
    assert drawn[0] == claim.outcome(20, 0, 0, "place a", False).above


def test_an_interval_without_ends_covers_nothing_and_sides_are_told_apart() -> None:
    assert interval(np.nan, np.nan, 0.0)[:2] == (1.0, 0.0)
    assert interval([0.0, 1.0], [1.0, 2.0], [2.0, 0.0])[:2] == (0.5, 0.5)
    assert interval([0.0, 1.0], [1.0, 2.0], [0.5, 0.0], together=True)[:2] == (0.0, 1.0)
