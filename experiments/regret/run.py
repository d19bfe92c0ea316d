"""Regret of one policy, or of several on the same random numbers: from objects to a finished run folder."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits import Arms, Replications, tables
from bandits.click_log import LoggedBernoulli
from bandits.simulate import prepare
from experiments import build, executors
from experiments.regret import shards
from experiments.regret.plan import Problem, Shard, plan
from experiments.regret.printed import LOG, say_problem, say_results
from experiments.store import RunFolder
from experiments.work import complete

if TYPE_CHECKING:
    import pandas as pd


def run_regret(config: Mapping[str, Any], folder: Path) -> None:
    """Play one policy and leave tables and figures in `folder`."""
    _run([build.entry(config["bandit"])], config, folder)


def run_comparison(config: Mapping[str, Any], folder: Path) -> None:
    """Play several policies on common random numbers and test every difference of their final regret."""
    _run(build.entries(config["bandits"]), config, folder)


def _run(entries: Sequence[build.Entry], config: Mapping[str, Any], folder: Path) -> None:
    horizon, runs, seed = build.sizes(config, ("horizon", "runs", "seed"))
    arms, said = build.arms(config["arms"])
    problem = Problem(arms, horizon, runs, seed)
    execute = executors.build(config["executor"])
    planned = plan(entries, problem, folder / "shards")
    for entry in entries:
        prepare(entry.policy, arms, horizon)  # here, once: before anything is written, and not in every worker
    with RunFolder.open(folder, config, source_digest(entries, arms)) as store:
        say_problem(arms, said)

        def leave() -> dict[str, Any]:
            _write_tables(entries, planned, problem, store)
            _write_figures(folder, arms)
            seconds = {"playing": _seconds_played(folder)}
            return {"seed": seed, "timings": seconds, "arms": describe_arms(arms), "note": said}

        complete(store, planned, execute, "replications", leave)
    say_results(folder)


def _write_tables(entries: Sequence[build.Entry], planned: Sequence[Shard], problem: Problem, store: RunFolder) -> None:
    import pandas as pd

    curves, pulls, summary, timings = [], [], [], []
    for number, entry in enumerate(entries):
        own = [shard for shard in planned if shard.policy_number == number]
        parts = [shards.read(shard.path, shard.name) for shard in own]
        played = Replications.join([part for part, _ in parts])
        curves.append(tables.curves(entry.label, played))
        pulls.append(tables.pulls(entry.label, played))
        summary.append(tables.summary(entry.label, entry.policy, problem.arms, played))
        timings += [
            {"policy": entry.label, "first_run": shard.first, "runs": shard.runs, "steps": shard.runs * problem.horizon}
            | {"seconds": seconds}
            for shard, (_, seconds) in zip(own, parts, strict=True)
        ]
    everything = pd.concat(pulls, ignore_index=True)
    if len(entries) > 1:
        from experiments.statistics.differences import paired_differences

        tables.write(paired_differences(everything), store.path / "differences.csv")
    tables.write(pd.concat(curves, ignore_index=True), store.path / "curves.parquet")
    tables.write(everything, store.path / "pulls.parquet")
    tables.write(pd.DataFrame(timings), store.path / "timings.parquet")
    tables.write(pd.concat(summary, ignore_index=True), store.path / "summary.csv")
    write_log(problem.arms, store.path)


def write_log(arms: Arms, folder: Path) -> None:
    """Write what a click log says of every arm, where the arms come from one."""
    if isinstance(arms, LoggedBernoulli):
        tables.write(arms.log.table(), folder / LOG)


def _write_figures(folder: Path, arms: Arms) -> None:
    from experiments.regret.drawn import draw_run

    draw_run(folder, describe_arms(arms))


def _seconds_played(folder: Path) -> float:
    import pandas as pd

    timings: pd.DataFrame = pd.read_parquet(folder / "timings.parquet", columns=["seconds"])
    return round(float(timings["seconds"].sum()), 3)


def describe_arms(arms: Arms) -> dict[str, Any]:
    """Return what figures and readers need to know of the arms, as plain values; numbers that do not exist are None."""
    from bandits import theory

    constants = {"lai_robbins": theory.lai_robbins_constant(arms), "uniform": theory.uniform_regret(arms)}
    return {
        "description": arms.describe(),
        "names": list(arms.names),
        "estimated": arms.estimated,
        **{name: value if value == value else None for name, value in constants.items()},
    }


def source_digest(entries: Sequence[build.Entry], arms: Arms) -> str:
    """Return a digest of all that the numbers of a run depend on besides its configuration: source and input data."""
    from numerics.sources import digest

    total = hashlib.sha256(repr(arms).encode())
    rules = [entry.policy.hooks().rule for entry in entries]
    files = [inspect.getsourcefile(rule.function) for rule in rules]
    for file in sorted({sys.modules["bandits.simulate"].__file__ or "", *(file for file in files if file)}):
        total.update(digest(file).encode())
    total.update("".join(rule.captured for rule in rules).encode())
    return total.hexdigest()[:16]
