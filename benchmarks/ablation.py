"""`python -m benchmarks.ablation`: the gain of each optimisation of the kernels, measured in one run.

The variant without an optimisation is the same kernel with one global replaced. `docs/measured/kernels.md` has the
table and the reason for each optimisation. One that gains less than 15 % is removed.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from bandits import KLUCB, UCB, Bernoulli, Policy, Thompson, UCBTuned, simulate, vector_rule
from bandits.kernels import counting, general, many_arms, step
from bandits.kernels.indices import kl_index
from bandits.kernels.signatures import POINTED, SIGNATURES
from bandits.policies import kl_ucb as kl_ucb_file
from bandits.policies import thompson as thompson_file
from benchmarks.timing import Loop, compare, processor_seconds
from connect4 import Board
from numerics.games import SIGNATURES as GAME
from numerics.kernels.addresses import address_of, hook_at
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import pointer
from numerics.random import next_beta, next_uniform

ARMS, HUNDRED, THOUSAND = (Bernoulli(np.linspace(0.1, 0.9, arms)) for arms in (10, 100, 1_000))
HORIZON, RUNS, BLOCK = 10_000, 256, 64
CALLS = 2_000_000  # of a hook, from a kernel


class Optimisation(NamedTuple):
    """A row of the table: the optimisation, where it is measured, and the loops with and without it."""

    what: str
    where: str
    fast: Loop
    plain: Loop


def exchanged(original: Any, **others: Any) -> Any:
    """Return a kernel with some of its globals exchanged; its machine code is not kept on disk."""
    function = original.function
    copy = FunctionType(function.__code__, {**function.__globals__, **others}, function.__name__)
    return kernel(original.signature, inline=original.inline, file=os.devnull)(copy)


def pulls(
    policy: Policy, block: int | None = BLOCK, arms: Bernoulli = ARMS, runs: int | None = None, **patched: Any
) -> Loop:
    """Return a loop of simulations; `patched` are globals, as module__name, that stand there meanwhile."""
    runs = RUNS if runs is None else min(runs, RUNS)

    def play() -> None:
        with contextlib.ExitStack() as stack:
            for path, value in patched.items():
                module, _, name = path.rpartition("__")
                stack.enter_context(patch.object(MODULES[module], name, value))
            simulate(policy, arms, HORIZON, runs, seed=1, block=block)

    return Loop(HORIZON * runs, play)


MODULES = {
    "general": general,
    "counting": counting,
    "many_arms": many_arms,
    "kl_ucb": kl_ucb_file,
    "thompson": thompson_file,
}


# --- the plain things ------------------------------------------------------------------------------------------------


@kernel(file=os.devnull)
def plain_best(scores, rng, arm):
    """`bandits.kernels.argmax.choose_best` without lanes."""
    size = arm.size
    for r in range(size):
        top, ties, best = scores[r], 1, 0
        for a in range(1, scores.size // size):
            score = scores[a * size + r]
            if score > top:
                top, ties, best = score, 1, a
            elif score == top:
                ties += 1
        if ties > 1:
            skip = int(next_uniform(rng, r) * ties)
            for a in range(scores.size // size):
                if scores[a * size + r] == top:
                    if skip == 0:
                        best = a
                        break
                    skip -= 1
        arm[r] = best
    return False


@kernel(file=os.devnull)
def plain_likely(means, widths, bonus, names, last, top, lanes):
    """`bandits.kernels.counting._likely` without lanes."""
    doubtful = 0
    kept, close = np.int32(~last), np.int32(3 * (last + 1) + 1)
    bits = (means + bonus * widths).view(np.int32)
    for r in range(lanes):
        high, second = np.int32(0), np.int32(0)
        for a in range(names.size):
            index = (bits[a * counting.BLOCK + r] & kept) | names[a]
            if index > high:
                high, second = index, high
            elif index > second:
                second = index
        top[r] = high
        doubtful |= int(close > high - second) << r
    return doubtful


@vector_rule
def kept_width(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """UCB1 with the width that the caller keeps."""
    b = math.sqrt(2.0 * math.log(t))
    for i in range(out.size):
        out[i] = means[i] + b * widths[i]


@vector_rule
def own_root(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """UCB1 that takes every root itself."""
    b = math.sqrt(2.0 * math.log(t))
    for i in range(out.size):
        out[i] = means[i] + b / math.sqrt(pulls[i])


@vector_rule
def every_root_of_kl(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """KL-UCB that solves for the index of every arm."""
    level = math.log(t)
    for i in range(out.size):
        start = kl_index.kl_upper_bound(means[i], level / pulls[i]) + kl_index.START_SLACK
        out[i] = kl_index.kl_upper(means[i], level / pulls[i], start)


@vector_rule(every_arm_first=False)
def every_draw(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Thompson sampling that draws for every arm."""
    size = rng.shape[0]
    for i in range(out.size):
        won = means[i] * pulls[i]
        out[i] = next_beta(params[0] + won, params[1] + pulls[i] - won, rng, i % size)


# --- calls of hooks --------------------------------------------------------------------------------------------------

_UCB = UCB().spec().rule


@kernel(f"float64(FunctionType({SIGNATURES['score']}), int64)", file=os.devnull)
def call_with_arrays(score, count):
    """Call a rule for seven children many times, each with arrays."""
    cells, out, params, rng = np.ones((5, 7)), np.zeros(7), np.ones(1), np.ones((1, 4), np.uint64)
    for i in range(count):
        score(cells[0], cells[1], cells[2], cells[3], cells[4], float(i + 8), 0.0, params, rng, out)
    return out[0]


@kernel(f"float64(FunctionType({POINTED}), int64)", file=os.devnull)
def call_with_pointers(score, count):
    """Call a rule for seven children many times, each with pointers."""
    cells, out, params, rng = np.ones((5, 7)), np.zeros(7), np.ones(1), np.ones((1, 4), np.uint64)
    for i in range(count):
        score(
            7,
            1,
            pointer(cells, 0),
            pointer(cells, 7),
            pointer(cells, 14),
            pointer(cells, 21),
            pointer(cells, 28),
            float(i + 8),
            0.0,
            pointer(params, 0),
            1,
            pointer(rng, 0),
            pointer(out, 0),
        )
    return out[0]


_outcome_at = hook_at(GAME["outcome"])


@kernel("int64(int64, int64[::1])", file=os.devnull)
def by_address(hook, state):
    """Call a hook once."""
    outcome = _outcome_at(hook)
    return outcome(state)


@kernel(f"int64(FunctionType({GAME['outcome']}), int64[::1])", file=os.devnull)
def by_function(outcome, state):
    """Call a hook once."""
    return outcome(state)


def entered(function: Any, hook: Any) -> Loop:
    """Return a loop that enters a kernel with a hook ten thousand times."""
    state = Board().game.state

    def play() -> None:
        for _ in range(10_000):
            function(hook, state)

    return Loop(10_000, play)


def rows() -> Iterator[tuple[Optimisation, Callable[[], float]]]:
    """Yield every optimisation with the clock that measures it."""
    processor = processor_seconds
    ucb, kl, thompson = UCB(), KLUCB(), Thompson()
    yield Optimisation("counting kernel", "UCB1, rewards 0 and 1", pulls(ucb, None), pulls(ucb)), processor
    yield (
        Optimisation(
            "lanes in its argmax",
            "UCB1, counting kernel",
            pulls(ucb, None),
            pulls(ucb, None, counting__play=exchanged(counting.play_counting, _likely=plain_likely)),
        ),
        processor,
    )
    yield (
        Optimisation(
            "words of four steps drawn at once",
            "UCB1, counting kernel",
            pulls(ucb, None),
            pulls(ucb, None, counting__play=exchanged(counting.play_counting, _AT_ONCE=1)),
        ),
        processor,
    )
    yield (
        Optimisation(
            "bounds that hold for an epoch",
            "UCB1, K = 1,000",
            pulls(ucb, None, THOUSAND, 16),
            pulls(ucb, 8, THOUSAND, 16),
        ),
        processor,
    )
    yield (
        Optimisation(
            "four replications in turn",
            "UCB1, K = 100",
            pulls(ucb, None, HUNDRED),
            pulls(ucb, None, HUNDRED, many_arms__play=exchanged(many_arms.play_many_arms, _TOGETHER=1)),
        ),
        processor,
    )
    ten_thousand = Bernoulli(np.linspace(0.1, 0.9, 10_000))
    yield (
        Optimisation(
            "bounds instead of draws",
            "Thompson sampling, K = 10,000",
            pulls(thompson, 8, ten_thousand, 1),
            pulls(thompson, 8, ten_thousand, 1, thompson__thompson=every_draw),
        ),
        processor,
    )
    yield (
        Optimisation(
            "blocks of fewer replications",
            "UCB1-tuned, K = 1,000",
            pulls(UCBTuned(), None, THOUSAND, 64),
            pulls(UCBTuned(), BLOCK, THOUSAND, 64),
        ),
        processor,
    )
    yield Optimisation("blocks of replications", "UCB1, general kernel", pulls(ucb), pulls(ucb, 1)), processor
    plain: dict[str, dict[str, Any]] = {
        "lanes in the argmax": {"choose_best": plain_best},
        "places without a sign": {"at": np.int64, "add_reward": exchanged(step.add_reward, at=np.int64)},
        "table of roots": {"roots_up_to": exchanged(step.roots_up_to, MOST_ROOTS=1)},
    }
    for what, others in plain.items():
        yield (
            Optimisation(
                what, "UCB1, general kernel", pulls(ucb), pulls(ucb, general__play=exchanged(general.play, **others))
            ),
            processor,
        )
    yield (
        Optimisation(
            "1 / sqrt(n) kept by the caller",
            "UCB1, general kernel",
            pulls(kl, kl_ucb__kl_ucb=kept_width),
            pulls(kl, kl_ucb__kl_ucb=own_root),
        ),
        processor,
    )
    yield (
        Optimisation("bounds instead of roots", "KL-UCB", pulls(kl), pulls(kl, kl_ucb__kl_ucb=every_root_of_kl)),
        processor,
    )
    yield (
        Optimisation(
            "bounds instead of draws",
            "Thompson sampling",
            pulls(thompson),
            pulls(thompson, thompson__thompson=every_draw),
        ),
        processor,
    )
    yield (
        Optimisation(
            "pointers instead of arrays",
            "a call of UCB1 for 7 children",
            Loop(CALLS, lambda: call_with_pointers(_UCB.pointed, CALLS)),
            Loop(CALLS, lambda: call_with_arrays(_UCB.compiled, CALLS)),
        ),
        processor,
    )
    outcome = Board().game.outcome
    yield (
        Optimisation(
            "hooks by address",
            "entering a kernel with one hook",
            entered(by_address, address_of(outcome)),
            entered(by_function, outcome),
        ),
        processor,
    )


def main() -> None:
    """Measure, and print the table."""
    table = Table(title=f"K = {ARMS.count}, T = {HORIZON:,}, {RUNS} replications; medians of the ratios of five rounds")
    for column in ("optimisation", "measured on", "with, a second", "without", "ratio"):
        table.add_column(column, justify="left" if column in ("optimisation", "measured on") else "right")
    console = Console(width=130)
    with console.status("measuring"):
        for row, clock in rows():
            comparison = compare(row.fast, row.plain, clock=clock)
            speeds = (
                f"{speed / 1e6:,.3g} M" if speed > 1e4 else f"{speed:.3g}"
                for speed in (comparison.ours, comparison.other)
            )
            table.add_row(row.what, row.where, *speeds, f"{comparison.ratio:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
