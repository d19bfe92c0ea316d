"""The rows of the table of bandits: what is compared with what, and the ratio that is wanted.

Every loop plays at its own best size: our kernel in blocks of its own choice, NumPy over as many replications as make
it fastest, a Python library over a short horizon. Speeds are pulls per second, of one core unless a row says otherwise.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandits import Arms, Bernoulli, make, simulate
from bandits.policies.base import Policy
from bandits.simulation import _BLOCK as OUR_BLOCK
from bandits.simulation import default_checkpoints
from benchmarks import (
    c_compiler,
    c_ucb1,
    floor,
    numpy_kl_ucb,
    numpy_thompson,
    numpy_ucb1,
    peak_memory,
    peers,
    processes,
)
from benchmarks.row import Row, row
from benchmarks.timing import Loop, compare

MEANS = np.linspace(0.1, 0.9, 10)
ARMS = Bernoulli(MEANS.tolist())
RULE = "benchmarks.own_rule.my_ucb"
MEBIBYTE = 2.0**20


@dataclass(frozen=True)
class Size:
    """How long to measure."""

    runs: int  # replications of ours
    rounds: int
    horizon: int = 10_000
    short: int = 2_000  # the horizon of what is slow, on both sides
    wide: int = 1_000  # replications of the NumPy loops


FULL = Size(runs=1_000, rounds=5)
QUICK = Size(runs=960, rounds=2)


def ours(policy: Policy, horizon: int, runs: int, workers: int = 1, arms: Arms = ARMS) -> Loop:
    """Return our own loop, by the call that a user makes."""
    return Loop(horizon * runs, lambda: simulate(policy, arms, horizon, runs, workers=workers))


def in_numpy(
    name: str,
    what: str,
    loop: Callable[..., Any],
    target: float | None,
    size: Size,
    horizon: int,
    wide: int,
    rounds: int,
) -> Row:
    """Compare a policy of ours with a NumPy loop on the same horizon."""
    play = functools.partial(loop, MEANS, horizon, wide, default_checkpoints(horizon), 0)
    simulate(make(name), ARMS, 100, 10)  # loads our kernels; NumPy has nothing to warm up
    comparison = compare(ours(make(name), horizon, size.runs), Loop(horizon * wide, play), rounds, warm=0)
    shorter = "" if horizon == size.horizon else f", T = {horizon:,}"
    return row(f"{what}; {wide:,} runs at once{shorter}", comparison, target)


def numpy_rows(size: Size) -> Iterator[Row]:
    """UCB1, Thompson sampling and KL-UCB beside NumPy, each as far as we could push it.

    All keep the target of their kind, also the one whose index has 20 bits, so that it may pull another arm where two
    indices differ by less than a millionth. An aim is no requirement, but is printed with its row.
    """
    for what, loop, target, wide in (
        ("NumPy of equal work, (run, arm)", numpy_ucb1.plain, 15.0, size.wide),
        ("NumPy of equal work, arms first", numpy_ucb1.plain_arms_first, 15.0, size.wide),
        ("NumPy, mean regret only, lean", numpy_ucb1.lean, 6.0, size.wide),
        ("NumPy, the same, index of 20 bits", numpy_ucb1.packed, 6.0, 2 * size.wide),
    ):
        yield in_numpy("ucb", f"UCB1: {what}", loop, target, size, size.horizon, wide, 3 * size.rounds)
    longest = size.horizon if size == FULL else size.short
    for name, what, loop, target, horizon, wide in (
        ("thompson", "Thompson: NumPy, rng.beta (aim 4)", numpy_thompson.play, 2.0, longest, size.wide),
        ("kl_ucb", "KL-UCB: NumPy, bisection", numpy_kl_ucb.bisection, 5.0, size.short, size.wide // 4),
        ("kl_ucb", "KL-UCB: NumPy, two warm Newton steps (aim 3)", numpy_kl_ucb.newton, 1.0, longest, 2 * size.wide),
    ):
        yield in_numpy(name, what, loop, target, size, horizon, wide, size.rounds)


def c_rows(size: Size) -> Iterator[Row]:
    """UCB1 beside C, which plays the same replications from the same streams."""
    names = {"twin": "UCB1: C, our general loop", "fast": "UCB1: C, our counting loop, leanest"}
    if c_compiler.compiler() is None:
        yield from (Row(what, skipped="no C compiler (cc)") for what in names.values())
        return
    expected = simulate(make("ucb"), ARMS, 1_000, 200).pulls
    for variant, more, block in (
        ("twin", (), OUR_BLOCK),
        ("twin", ("-fno-math-errno",), OUR_BLOCK),
        ("fast", ("-fno-math-errno",), OUR_BLOCK),
    ):
        library = c_compiler.build(c_ucb1.SOURCE, *more)
        pulls, _ = c_ucb1.play(library, variant, MEANS.tolist(), 1_000, 200, block, 0)
        differing = float((pulls != expected).any(axis=1).mean())  # a fused multiply-add moves an index by a rounding
        play = functools.partial(c_ucb1.play, library, variant, MEANS.tolist(), size.horizon, size.runs, block, 0)
        comparison = compare(
            ours(make("ucb"), size.horizon, size.runs), Loop(size.horizon * size.runs, play), 3 * size.rounds
        )
        note = f"; {differing:.1%} of runs differ" if differing else ""
        yield row(" ".join((names[variant] + ", -O3 -march=native", *more)) + note, comparison, 0.8)


def peer_rows(size: Size) -> Iterator[Row]:
    """UCB1 beside other libraries, and two more policies beside the one whose core is compiled."""
    for name, target in (("river", 500.0), ("SMPyBandits", 500.0), ("mabwiser", None)):
        try:
            play = peers.load(name)
        except ImportError as error:
            yield Row(f"UCB1: {name}", skipped=str(error))
            continue
        other = Loop(size.short, functools.partial(play, MEANS.tolist(), size.short))
        yield row(
            f"UCB1: {peers.label(name)}",
            compare(ours(make("ucb"), size.horizon, size.runs), other, size.rounds),
            target,
        )
    for name, what in (("ucb", "UCB1"), ("thompson", "Thompson"), ("kl_ucb", "KL-UCB")):
        try:
            play = peers.load_pymab(name)
        except ImportError as error:
            yield Row(f"{what}: pymab", skipped=str(error))
            continue
        other = Loop(size.short * peers.AT_ONCE, functools.partial(play, MEANS.tolist(), size.short))
        comparison = compare(ours(make(name), size.horizon, size.runs), other, size.rounds)
        yield row(f"{what}: {peers.label('pymab')}, {peers.AT_ONCE} runs at once", comparison, None)


def own_rule_rows(size: Size) -> Iterator[Row]:
    """A user's rule, by its import path, beside the built-in one."""
    custom = make("custom", rule=RULE, c=math.sqrt(2.0))
    custom_loop, built_in = (ours(policy, size.horizon, 2 * size.runs) for policy in (custom, make("ucb")))
    comparison = compare(custom_loop, built_in, 4 * size.rounds)
    yield row("UCB1 from a user's own file: the built-in rule", comparison, 0.95)


def core_rows(size: Size) -> Iterator[Row]:
    """Two threads beside one, by the clock on the wall."""
    if cores() < 2:
        yield Row("UCB1, workers=2: workers=1", skipped="one core only")
        return
    runs = (8 if size == QUICK else 16) * size.runs
    double, single = (ours(make("ucb"), size.horizon, runs, workers) for workers in (2, 1))
    yield row(
        "UCB1, workers=2: workers=1, on the wall", compare(double, single, 3 * size.rounds, time.perf_counter), 1.7
    )


def memory_rows() -> Iterator[Row]:
    """The memory of a long run, which takes half a minute on two cores."""
    if peak_memory.UNKNOWN:
        yield Row("UCB1, T = 10^6, 10^4 runs: memory", skipped=peak_memory.UNKNOWN)
        return
    peak, seconds = processes.peak_of_a_long_run(1_000_000, 10_000, cores())
    what = f"UCB1, T = 10^6, 10^4 runs, {cores()} workers, {seconds:.0f} s: memory"
    yield Row(what, f"{peak / MEBIBYTE:.0f} MiB", "limit 1024 MiB", 1024.0 * MEBIBYTE / peak, 1.0, peak < 2.0**30)


def floor_line(size: Size) -> str:
    """Return what a step of UCB1 moves, beside the time that it takes here."""
    loop = ours(make("ucb"), size.horizon, size.runs)
    speed = compare(loop, loop, size.rounds).ours
    moved = floor.bytes_a_step(MEANS.size)
    return (
        f"A step of UCB1 on {MEANS.size} arms loads and stores {moved} bytes; it takes {1e9 / speed:.1f} ns, "
        f"{moved * speed / 1e9:.0f} GB/s (counted in benchmarks/floor.py)."
    )


def cores() -> int:
    """Return the number of cores that this process may use."""
    with contextlib.suppress(AttributeError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
