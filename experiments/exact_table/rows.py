"""The rows of the table of exact expectations: policies, problems and horizons."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import Custom, Policy
from bandits.exact.moments import Moments, at_means, over_prior, regret_on_grid
from bandits.exact.states import Layer, check, layers
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

TABLE = "exact.csv"
HORIZONS = (10, 20, 50, 100, 200, 500, 1_000)
REACH = {
    **dict.fromkeys(("ucb", "moss", "kl_ucb", "kl_ucb_plus_plus", "thompson"), 1_000),
    "besa": 200,
    "boltzmann_gumbel": 100,
}
"""Longest horizons with two arms; 500 for other policies. Short ones need a sum or integral for every state."""
PAIRS = (
    (0.01, 0.02),
    (0.05, 0.1),
    (0.1, 0.2),
    (0.1, 0.5),
    (0.1, 0.9),
    (0.2, 0.3),
    (0.3, 0.5),
    (0.4, 0.6),
    (0.45, 0.55),
    (0.49, 0.51),
    (0.5, 0.7),
    (0.6, 0.9),
    (0.8, 0.9),
    (0.9, 0.95),
)
TRIPLES = ((0.1, 0.1, 0.2), (0.2, 0.5, 0.8), (0.4, 0.5, 0.6), (0.5, 0.5, 0.6), (0.7, 0.8, 0.9))
GRID = np.linspace(0.0, 1.0, 51)
"""Means among which the worst problem of two arms is chosen."""
UNIFORM, WORST = "uniform means", "worst of a grid of means"


def table() -> pd.DataFrame:
    """Return the packaged table.

    Returns
    -------
    pandas.DataFrame
        A row for each policy, problem and horizon. The columns are policy, formula, arms, problem, means, horizon, and
        the numbers of `bandits.exact.moments.Moments`. The means are separated by spaces; for the worst problem they
        are its means. The worst problem has only the mean regret.
    """
    resource = resources.files("experiments.exact_table").joinpath("data", TABLE)
    with resources.as_file(resource) as path:
        return tables.read(path)


def policies() -> list[Policy]:
    """Return every policy for regret that chooses by counts, with its defaults."""
    candidates = [cls() for _, cls in sorted(Policy.members.items()) if cls is not Custom and not cls.identifies]
    return [policy for policy in candidates if any(can_compute(policy, arms, 10) for arms in (2, 3))]


def can_compute(policy: Policy, arms: int, horizon: int) -> bool:
    """Return whether the expectations of a policy are computable."""
    try:
        check(policy, arms, horizon)
    except ValueError:
        return False
    return True


def plan_passes(policy: Policy, arms: int, horizon: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the horizons to play, each with the horizons whose rows it gives.

    A single pass gives all rows of a policy that does not read its horizon.
    """
    if arms == 2:
        horizon = min(horizon, REACH.get(policy.name, 500))
    wanted = [step for step in HORIZONS if step <= horizon and can_compute(policy, arms, step)]
    if "horizon" in policy.spec().rule.needs:
        yield from ((step, (step,)) for step in wanted)
    elif wanted:
        yield wanted[-1], tuple(wanted)


def rows(policy: Policy, arms: int, played: int, wanted: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the rows of a pass."""
    table = []
    about = {"policy": policy.name, "formula": policy.formula, "arms": arms}
    for t, layer in enumerate(layers(policy, arms, played), start=1):
        if t in wanted:
            table += [
                {**about, "problem": problem, "means": means, "horizon": t, **numbers}
                for problem, means, numbers in _problems(layer, arms)
            ]
    return table


def _problems(layer: Layer, arms: int) -> Iterator[tuple[str, str, dict[str, float]]]:
    for means in PAIRS if arms == 2 else TRIPLES:
        yield _text(means), _text(means), vars(at_means(layer, means))
    if arms == 2:
        yield UNIFORM, "", vars(over_prior(layer))
        regret = regret_on_grid(layer, GRID)
        first, second = np.unravel_index(regret.round(9).argmax(), regret.shape)  # rounded, so that ties are stable
        nothing = dict.fromkeys(Moments.__dataclass_fields__, float("nan"))
        yield WORST, _text((GRID[first], GRID[second])), {**nothing, "regret_mean": float(regret.max())}


def _text(means: Any) -> str:
    return " ".join(f"{mean:g}" for mean in means)


def compute(path: Path, policy: Policy, arms: int, played: int, wanted: tuple[int, ...]) -> None:
    """Write the rows of a pass."""
    tables.write(tables.table_of(rows(policy, arms, played, wanted)), path)


def join_passes(parts: list[Path]) -> pd.DataFrame:
    """Return the rows of all passes, sorted by arms, policy, problem and horizon."""
    table = tables.join_tables([tables.read(path) for path in parts])
    order = {name: index for index, name in enumerate(itertools.chain(map(_text, PAIRS), map(_text, TRIPLES)))}
    key = table["problem"].map(order).fillna(len(order) + (table["problem"] == WORST))
    return (
        table.assign(key=key)
        .sort_values(["arms", "policy", "key", "horizon"])
        .drop(columns="key")
        .reset_index(drop=True)
    )
