"""Measure a claim by simulated experiments, and keep the measurements in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.calibration.claim import Claim
from experiments.calibration.claims import claims
from experiments.engine.tasks import Task
from numerics.kernels.sources import digest
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

OK, NO = "OK", "NO"


def measured(claim: Claim, size: int, runs: int, seed: int) -> dict[str, Any]:
    """Return the result of `runs` simulated experiments of the same size as a row of the table.

    Returns
    -------
    dict
        claim, command, size, unit, runs, nominal, bound; rate, the coverage or the error rate, with its standard error;
        above and below, the shares of truths on either side of their interval; width and bias, as means; verdict, "OK"
        or "NO".
    """
    outcomes = np.array([claim.outcome(size, seed, index) for index in range(runs)])
    missed = outcomes[:, 0] + outcomes[:, 1]
    rate = float(missed.mean() if claim.test else 1.0 - missed.mean())
    above, below, width, bias = (float(column) for column in outcomes.mean(axis=0))
    low, high = claim.allowed(runs)
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
        "verdict": OK if low - 1e-9 <= rate <= high + 1e-9 else NO,
    }


def tasks(names: Sequence[str], runs: int, seed: int, folder: Path) -> list[Task]:
    """Return a task for each size of each claim; its file's name contains everything its numbers depend on."""
    wanted = []
    for name, (claim, file) in claims().items():
        if name in names:
            key = f"{claim.key:08x}_{runs}_{seed}_{digest(file)}"
            wanted += [
                Task(folder / f"{key}_{size}.csv", write, (name, size, runs, seed), runs) for size in claim.sizes
            ]
    return wanted


def write(path: Path, name: str, size: int, runs: int, seed: int) -> None:
    """Measure a size of a claim, and write the row to a file."""
    import pandas as pd

    tables.write(pd.DataFrame([measured(claims()[name][0], size, runs, seed)]), path)


def together(parts: Sequence[Path]) -> pd.DataFrame:
    """Return the rows of all tasks in order."""
    import pandas as pd

    return pd.concat([tables.read(path) for path in parts], ignore_index=True)
