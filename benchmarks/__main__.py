"""`python -m benchmarks`: time the kernels beside other loops, and print one table of ratios."""

import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):  # one core for NumPy too
    os.environ.setdefault(_threads, "1")

import argparse  # noqa: E402
import contextlib  # noqa: E402
import platform  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

import numba  # noqa: E402
import numpy as np  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks import c_ucb1, rows  # noqa: E402


def main() -> None:
    """Measure, and print the table."""
    arguments = _arguments()
    size = rows.QUICK if arguments.quick else rows.FULL
    console = Console(width=max(Console().width, 140) if not Console().is_terminal else None)
    console.print(machine(), highlight=False)
    table = Table(title=f"Pulls per second, millions; K = {rows.MEANS.size}, T = {size.horizon:,}, medians of ratios")
    for name in ("compared with", "ours", "other", "ratio", "target", "met"):
        table.add_column(name, justify="left" if name in ("compared with", "met") else "right")
    with console.status("measuring") as status:
        for row in measured(size, arguments):
            status.update(f"measured: {row.what}")
            table.add_row(*cells(row))
        last = rows.floor_line(size)
    console.print(table)
    console.print(last, highlight=False)


def measured(size: rows.Size, arguments: argparse.Namespace) -> Iterator[rows.Row]:
    """Yield the rows, each when it is measured."""
    yield from rows.numpy_rows(size)
    yield from rows.c_rows(size)
    yield from rows.peer_rows(size)
    yield from rows.own_rule_rows(size)
    yield from rows.core_rows(size)
    yield from rows.process_rows()
    if arguments.long:
        yield from rows.long_rows()


def cells(row: rows.Row) -> tuple[str, ...]:
    """Return the texts of a row."""
    if row.skipped:
        return (row.what, "", "", "", "", f"skipped: {row.skipped}")
    digits = 0 if row.ratio is not None and row.ratio >= 100.0 else 2
    return (
        row.what,
        row.ours,
        row.other,
        "" if row.ratio is None else f"{row.ratio:,.{digits}f}",
        "" if row.target is None else f">= {row.target:g}",
        {True: "yes", False: "NO", None: ""}[row.met],
    )


def machine() -> str:
    """Return one line on what all this ran on."""
    compiler = c_ucb1.version() if c_ucb1.compiler() else "no C compiler"
    return (
        f"{_processor()}, {rows.cores()} cores; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"Numba {numba.__version__}; {compiler}"
    )


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a pass of less than half a minute")
    parser.add_argument("--long", action="store_true", help="also the memory of 10^10 pulls, which takes minutes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
