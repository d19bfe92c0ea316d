"""Measure a claim by simulated experiments, also where it covers least, and keep the measurements in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import experiments
from benchmarks.calibration.claim import AT_LEAST, AT_MOST, Claim
from benchmarks.calibration.claims import claims
from experiments.engine.tasks import Task
from numerics.kernels.sources import digest
from numerics.output import tables

OK, NO = "OK", "NO"
SHORTER, AGAIN = 8, 2  # a first look at a setting has an eighth of the experiments; so many settings are measured again

Floats = npt.NDArray[np.float64]


def measured(claim: Claim, size: int, runs: int, seed: int) -> dict[str, Any]:
    """Return the result of `runs` simulated experiments of the same size as a row of the table.

    Returns
    -------
    dict
        claim, command, size, unit, runs, nominal, bound. "rate" is the coverage or the error rate, with its standard
        error. "above" and "below" are the shares of truths on either side of their interval. "width" and "bias" are
        means. "verdict" is "OK" or "NO".
    """
    outcomes = np.array([claim.outcome(size, seed, index) for index in range(runs)])
    missed = outcomes[:, 0] + outcomes[:, 1]
    rate = float(missed.mean() if claim.test else 1.0 - missed.mean())
    above, below, width, bias = (float(column) for column in outcomes.mean(axis=0))
    return {
        "claim": claim.name,
        "command": claim.command,
        "size": size,
        "unit": claim.unit,
        "runs": runs,
        "nominal": claim.nominal,
        "bound": claim.bound,
        "rate": rate,
        "error": float(missed.std(ddof=1) / np.sqrt(runs)),
        "above": above,
        "below": below,
        "width": width,
        "bias": bias,
        "verdict": _verdict(rate, claim.allowed(runs)),
    }


def searched(claim: Claim, runs: int, seed: int) -> dict[str, Any]:
    """Look at all settings of a claim's family for the lowest coverage, or for the highest rate of errors of a test.

    A first look takes an eighth of the experiments in each. The worst two settings are then measured with other random
    numbers and all experiments: the lowest of many rough measurements would be too low.

    Returns
    -------
    dict
        claim, command, runs, settings (how many), nominal, bound; mean, the mean rate of the first look; and of the
        worst setting rate, error, above and below as of `measured`, where, size and unit; verdict.
    """
    first = [_rates(claim, size, _first_look(runs), seed, setting, False) for setting, size in claim.settings]
    rates, sign = np.array([rate[0] for rate in first]), -1.0 if claim.test else 1.0
    chosen = [claim.settings[number] for number in np.argsort(sign * rates, kind="stable")[:AGAIN]]
    again = [_rates(claim, size, runs, seed, setting, True) for setting, size in chosen]
    worst = int(np.argmin([sign * rate[0] for rate in again]))
    (where, size), (rate, error, above, below) = chosen[worst], again[worst]
    return {
        "claim": claim.name,
        "command": claim.command,
        "runs": runs,
        "settings": len(first),
        "nominal": claim.nominal if claim.really is None else claim.really,
        "bound": AT_MOST if claim.test else AT_LEAST,
        "mean": float(rates.mean()),
        "rate": rate,
        "error": error,
        "above": above,
        "below": below,
        "where": where,
        "size": size,
        "unit": claim.unit,
        "verdict": _verdict(rate, claim.allowed_anywhere(runs)),
    }


def _rates(
    claim: Claim, size: int, runs: int, seed: int, setting: str, again: bool
) -> tuple[float, float, float, float]:
    """Return the rate in a setting of the family, its standard error, and the shares above and below."""
    outcomes = np.array([claim.outcome(size, seed, index, setting, again)[:2] for index in range(runs)])
    missed, (above, below) = outcomes.sum(axis=1), outcomes.mean(axis=0)
    rate = float(missed.mean() if claim.test else 1.0 - missed.mean())
    return rate, float(missed.std(ddof=1) / np.sqrt(runs)), float(above), float(below)


def _first_look(runs: int) -> int:
    return max(2, runs // SHORTER)


def _verdict(rate: float, allowed: tuple[float, float]) -> str:
    return OK if allowed[0] - 1e-9 <= rate <= allowed[1] + 1e-9 else NO


def tasks(names: Sequence[str], runs: int, seed: int, folder: Path) -> list[Task]:
    """Return a task for each size of each claim; its file's name contains everything its numbers depend on."""
    return [
        Task(folder / f"{_stem(claim, runs, seed, file)}_{size}.csv", write, (name, size, runs, seed), runs)
        for name, (claim, file) in claims().items()
        if name in names
        for size in claim.sizes
    ]


def searches(names: Sequence[str], runs: int, seed: int, folder: Path) -> list[Task]:
    """Return a task for the family of each claim that has one."""
    return [
        Task(
            folder / f"{_stem(claim, runs, seed, file)}_family.csv",
            write_searched,
            (name, runs, seed),
            len(claim.settings) * _first_look(runs) + AGAIN * runs,
        )
        for name, (claim, file) in claims().items()
        if name in names and claim.family
    ]


def _stem(claim: Claim, runs: int, seed: int, file: str) -> str:
    """Return a name that changes with the source of the claim, and of the packages."""
    return f"{claim.key:08x}_{runs}_{seed}_{digest(file)}_{digest(experiments.__file__)}"


def write(path: Path, name: str, size: int, runs: int, seed: int) -> None:
    """Measure a size of a claim, and write the row to a file."""
    tables.write(tables.table_of([measured(claims()[name][0], size, runs, seed)]), path)


def write_searched(path: Path, name: str, runs: int, seed: int) -> None:
    """Search a claim's family, and write the row to a file."""
    tables.write(tables.table_of([searched(claims()[name][0], runs, seed)]), path)
