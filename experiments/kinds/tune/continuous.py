"""Values between two ends, proposed by Optuna's tree-structured Parzen estimator (Bergstra et al., NIPS 2011)."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

from bandits.identification.plans import Plan, tally_of
from experiments.players import PLAYERS

_DELTA = 0.05  # of the intervals of all values together


def check(values: Sequence[Any]) -> None:
    """Refuse what cannot be searched.

    Raises
    ------
    ValueError
        No Optuna, or values that are not two ends.
    """
    if importlib.util.find_spec("optuna") is None:
        raise ValueError('method=optuna requires the package optuna: pip install "treebandit[tune]"')
    ends = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(values) != 2 or len(ends) != 2 or not ends[0] < ends[1]:
        raise ValueError(
            f"values must be the lowest and the highest value for method=optuna, such as [0.05,4]; got {values}"
        )


def is_whole(player: Mapping[str, Any], parameter: str) -> bool:
    """Return whether a parameter of a player is a whole number."""
    fields = {field.name: str(field.type) for field in dataclasses.fields(PLAYERS.members[str(player["name"])])}
    kind = fields.get(parameter, "")
    return "int" in kind and "float" not in kind


def try_values(values: list[Any], low: float, high: float, whole: bool, trials: int, budget: int, seed: int) -> Plan:
    """Try values one after the other, each with its share of the budget; those tried are added to `values`.

    A plan as of `bandits.identification.plans`; the best is the one of the highest mean, and nothing is sure.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed % 2**32))
    tally, count = tally_of(trials, _DELTA, seed), max(1, budget // trials)
    for arm in range(trials):
        trial = study.ask()
        log = low > 0
        values.append(
            trial.suggest_int("value", int(low), int(high), log=log)
            if whole
            else round(trial.suggest_float("value", float(low), float(high), log=log), 4)
        )
        wanted = {arm: count}
        tally.add(wanted, (yield wanted))
        study.tell(trial, float(tally.means[arm]))
    return tally.answer(tally.ranked(tally.means)[0], False)
