"""`python -m experiments.exact_table`: compute the table of exact expectations that comes with the package.

For every policy that chooses by counts: two arms at fourteen pairs of means, over uniform means and at the worst of a
grid of means, up to 500 pulls, and 1,000 for five policies; three arms at five triples up to --three pulls. A command
that was killed goes on where it was, and any number of workers writes the same bytes. 1,000 pulls take 2 GB of memory
for each worker.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from experiments.engine import console
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.runs import carry_out
from experiments.engine.store import RunFolder
from experiments.engine.tasks import Task
from experiments.exact_table.rows import TABLE, compute, passes, policies, together
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables
from numerics.parameters import must_be_one_of


def make(horizons: dict[int, int], names: Sequence[str], folder: Path, workers: int | None) -> int:
    """Leave the table in a folder, for so many pulls of each number of arms, and return how many rows it has."""
    config = {"pulls": {str(arms): most for arms, most in horizons.items()}, "policies": list(names)}
    with RunFolder.open(folder, config, digest(__file__)) as store:
        if store.manifest is None:
            tasks = [
                Task(
                    store.shards / f"{policy.name}_{arms}_{played:04d}.csv",
                    compute,
                    (policy, arms, played, wanted),
                    played ** (2 * arms) // math.factorial(2 * arms),
                )
                for arms, most in horizons.items()
                for policy in policies()
                if policy.name in names
                for played, wanted in passes(policy, arms, most)
            ]
            carry_out(tasks, Threads(workers=workers).run, "states")
            tables.write(together([task.path for task in tasks]), folder / TABLE)
            store.finish(config)
    return len(tables.read(folder / TABLE))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, compute, and say where the table lies."""
    parser = argparse.ArgumentParser(prog="python -m experiments.exact_table", description=__doc__)
    parser.add_argument("--two", type=int, default=1_000, help="pulls of two arms, at most 1,000, which is the default")
    parser.add_argument("--three", type=int, default=100, help="pulls of three arms, at most 100; 100 when left out")
    parser.add_argument("--policies", help="names separated by commas; all when left out")
    parser.add_argument("--workers", type=int, default=None, help="threads; one a core unless given")
    parser.add_argument("--folder", type=Path, help="where; results/exact_table/TWO_THREE unless given")
    given = parser.parse_args(arguments)
    two = checks.whole("--two", given.two, 10, 1_000)
    three = checks.whole("--three", given.three, 10, 100)
    known = [policy.name for policy in policies()]
    names = given.policies.split(",") if given.policies else known
    for name in names:
        if name not in known:
            raise ValueError(must_be_one_of("--policies", name, known))
    folder: Path = given.folder or Path("results", "exact_table", f"{two}_{three}")
    rows = make({2: two, 3: three}, names, folder, given.workers)
    console.say(f"{rows:,} rows: {folder / TABLE}")


if __name__ == "__main__":
    leave(guarded(main))
