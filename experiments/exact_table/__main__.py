"""`python -m experiments.exact_table`: compute the table of exact expectations that comes with the package.

The table has every policy that chooses by counts. For two arms it covers fourteen pairs of means, uniform means and the
worst of a grid of means. These go up to 500 pulls, and to 1,000 for five policies. For three arms it covers five
triples up to three= pulls. A command that was killed goes on where it was, and any number of workers writes the same
bytes. 1,000 pulls take 2 GB of memory for each worker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.manifest import read_finished
from experiments.engine.runs import carry_out
from experiments.engine.store import RunFolder
from experiments.engine.tasks import Task
from experiments.exact_table.rows import TABLE, compute, join_passes, plan_passes, policies
from numerics.commands import Command
from numerics.kernels.sources import digest
from numerics.output import tables
from numerics.parameters import must_be_one_of, parameter


def make(horizons: dict[int, int], names: Sequence[str], folder: Path, workers: int | None) -> int:
    """Leave the table in a folder, for so many pulls of each number of arms, and return how many rows it has."""
    config = {"pulls": {str(arms): most for arms, most in horizons.items()}, "policies": list(names)}
    with RunFolder.open(folder, config, digest(__file__)) as store:
        if read_finished(folder) is None:
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
                for played, wanted in plan_passes(policy, arms, most)
            ]
            carry_out(tasks, Threads(workers=workers).run, "states")
            tables.write(join_passes([task.path for task in tasks]), folder / TABLE)
            store.finish(config)
    return len(tables.read(folder / TABLE))


class ExactTable(Command, module="experiments.exact_table"):
    """How large the table is."""

    two: int = parameter(1_000, low=10, high=1_000, help="longest horizon with two arms")
    three: int = parameter(100, low=10, high=100, help="longest horizon with three arms")
    policies: list[str] = parameter([], help="names of policies, separated by commas; default: all")
    workers: int | None = parameter(None, low=1, help="number of threads; default: one per core")
    folder: str | None = parameter(None, help="output folder; default: results/exact_table/TWO_THREE")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, compute, and say where the table lies."""
    given = ExactTable.read(words)
    known = [policy.name for policy in policies()]
    names = given.policies or known
    for name in names:
        if name not in known:
            raise ValueError(must_be_one_of("policies", name, known))
    folder = Path(given.folder or f"results/exact_table/{given.two}_{given.three}")
    rows = make({2: given.two, 3: given.three}, names, folder, given.workers)
    printing.say(f"{rows:,} rows: {folder / TABLE}")


if __name__ == "__main__":
    leave(guarded(main))
