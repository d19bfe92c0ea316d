"""A line of the benchmark's tables, and the two kinds there are: a ratio of speeds, and a limit of time."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.timing import Comparison


@dataclass(frozen=True)
class Row:
    """One line of the table; `skipped` is the reason why there are no numbers."""

    what: str
    ours: str = ""
    other: str = ""
    ratio: float | None = None
    target: float | None = None
    met: bool | None = None
    skipped: str = ""


def row(what: str, comparison: Comparison, target: float | None) -> Row:
    """Return the line of a comparison of speeds."""
    return Row(
        what,
        _millions(comparison.ours),
        _millions(comparison.other),
        comparison.ratio,
        target,
        None if target is None else comparison.ratio >= target,
    )


def within(what: str, seconds: float, limit: float) -> Row:
    """Return the line of something that must not take longer than a limit, in seconds."""
    return Row(
        what,
        f"{seconds:.3f} s" if seconds < 0.1 else f"{seconds:.2f} s",
        f"limit {limit:g} s",
        limit / seconds,
        1.0,
        seconds < limit,
    )


def _millions(speed: float) -> str:
    return f"{speed / 1e6:,.1f}" if speed >= 1e6 else f"{speed / 1e6:.4f}"
