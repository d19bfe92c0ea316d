"""Rows of the table of bandits: the newer policies beside their NumPy twins, and speeds over the number of arms.

Those that see features have rows beside other libraries too, of the same features and means.

An index policy should be at least five times its twin; docs/measured/kernels.md says why some cannot.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from bandits import Bernoulli, Linear, Logistic, Policy, make, simulate
from bandits.arms.contextual.base import ContextualArms
from bandits.simulation import block_of, default_checkpoints
from benchmarks import c_compiler, c_ucb1, numpy_features, numpy_policies, numpy_thompson, peers
from benchmarks.row import Row, row
from benchmarks.rows import FULL, Size, in_numpy, ours
from benchmarks.timing import Loop, compare

INDEX = 5.0  # times the twin
LESS = {"imed": 3.0, "kl_ms": 4.0, "discounted_thompson": 4.0}  # of which docs/measured/kernels.md says why
SLOW = ("bayes_ucb", "besa", "kl_ucb_plus", "kl_ucb_plus_plus", "kl_ucb_switch")  # twins that take a short horizon


def twin_rows(size: Size) -> Iterator[Row]:
    """Every policy of `numpy_policies` beside its twin; most that choose by a memory or a duel have no target."""
    longest = size.horizon if size == FULL else size.short
    for name in (*numpy_policies.SCORES, *numpy_policies.CHANCES):
        slow, index = name in SLOW, name in numpy_policies.SCORES and name != "besa"
        index |= Policy.members[name].forgets
        loop = functools.partial(numpy_policies.play, name)
        yield in_numpy(
            name,
            f"{name}: NumPy",
            loop,
            LESS.get(name, INDEX) if index else None,
            size,
            size.short if slow else longest,
            size.wide // 4 if slow else size.wide,
            2,
        )


def feature_rows(size: Size) -> Iterator[Row]:
    """The policies that see features beside NumPy and other libraries, which are given features and means."""
    horizon, wide = size.short if size == FULL else size.short // 4, size.wide // 4
    for name in numpy_features.NAMES:
        arms: ContextualArms = Logistic() if name == "logistic_thompson" else Linear()
        chosen = ours(make(name), horizon, size.runs, arms=arms)
        twin = functools.partial(numpy_features.play, make(name), arms, horizon, wide, 0)
        comparison = compare(chosen, Loop(horizon * wide, twin), 2)
        yield row(f"{name}: NumPy; {wide:,} runs at once, T = {horizon:,}", comparison, None)
    linear = Linear()
    _, means, features = linear.with_features(0, 0, 1, horizon)
    for library, name in peers.SEEING:
        try:
            play = peers.load_seeing(library, name)
        except ImportError as error:
            yield Row(f"{name}: {library}", skipped=str(error))
            continue
        chosen = ours(make(name), horizon, size.runs, arms=linear)
        loop = functools.partial(play, features[0], means[0], linear.deviation)
        comparison = compare(chosen, Loop(horizon, loop), size.rounds)
        yield row(f"{name}: {peers.label(library)}, T = {horizon:,}", comparison, None)


def arm_rows(size: Size) -> Iterator[Row]:
    """UCB1 over K, which has to pass 3 M pulls a second at 1,000 arms, and Thompson sampling of 10,000 arms."""
    for arms, runs in ((64, 256), (100, 256), (1_000, 32)):
        problem = Bernoulli(np.linspace(0.1, 0.9, arms).tolist())
        chosen = ours(make("ucb"), size.horizon, runs, arms=problem)
        block = block_of(arms)
        general = functools.partial(simulate, "ucb", problem, size.horizon, runs, block=block)
        comparison = compare(chosen, Loop(size.horizon * runs, general), size.rounds)
        yield row(f"UCB1, K = {arms:,}: our general kernel", comparison, None)
        if c_compiler.compiler() is not None:
            library = c_compiler.build(c_ucb1.SOURCE, "-fno-math-errno")
            play = functools.partial(c_ucb1.play, library, "twin", problem.means, size.horizon, runs, block, 0)
            comparison = compare(chosen, Loop(size.horizon * runs, play), size.rounds)
            yield row(f"UCB1, K = {arms:,}: C, our general loop", comparison, None)
    yield Row(
        "UCB1, K = 1,000",
        f"{comparison.ours / 1e6:.1f}",
        "limit 3.0",
        comparison.ours / 3e6,
        1.0,
        comparison.ours >= 3e6,
    )
    many, horizon, wide = np.linspace(0.1, 0.9, 10_000), 200, 8
    loop = functools.partial(numpy_thompson.play, many, horizon, wide, default_checkpoints(horizon), 0)
    chosen = ours(make("thompson"), horizon, wide, arms=Bernoulli(many.tolist()))
    comparison = compare(chosen, Loop(horizon * wide, loop), size.rounds)
    yield row("Thompson, K = 10,000: NumPy, rng.beta", comparison, 5.0)
    each = 1e9 / comparison.ours / many.size
    yield Row("Thompson, K = 10,000, an arm and pull", f"{each:.1f} ns", "limit 10 ns", 10.0 / each, 1.0, each < 10.0)
