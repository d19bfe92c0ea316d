"""The comparisons of the page: paired in the same positions, with p-values corrected together by Holm's method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.differences import differences_of
from benchmarks.elsewhere import regret
from benchmarks.elsewhere.kept import REPORT, TUNING, Kept, Study, kept_in
from benchmarks.elsewhere.players import FLAT, OPTIONS, REFERENCE, ROOTS, RULES, Option, family, tuned_rules
from experiments.engine.tasks import Task
from experiments.kinds.root_regret.arms import PLAYOUTS, TREE
from numerics.output import tables
from numerics.statistics.holm import holm
from numerics.statistics.paired_rates import compare_rates

if TYPE_CHECKING:
    import pandas as pd

USUAL = "ucb c=1"
CONSTANT, RULE, OPTION, ROOT, MISLED, REGRET = "constant", "rule", "option", "root", "misled", "regret"
LEVEL = 0.05

Execute = Callable[[Sequence[Task]], None]


@dataclass(frozen=True)
class Results:
    """What was measured.

    Attributes
    ----------
    study : Study
    chosen : dict
        The best constant of a rule, as the rule with it, by game, rule and simulations.
    tuning : pandas.DataFrame
        game, rule, policy, simulations, and the rate at which its moves keep the value in the positions for tuning.
    comparisons : pandas.DataFrame
        A row for each: section, game, label, simulations, against; rate and rate_against; positions, difference with
        its 95 % interval, p_value, p_adjusted. Regret has no rates.
    """

    study: Study
    chosen: dict[tuple[str, str, int], str]
    tuning: pd.DataFrame
    comparisons: pd.DataFrame

    def reference(self, game: str, simulations: int) -> str:
        """Return UCB1 with the constant that was chosen for a game and a number of simulations."""
        return self.chosen[game, REFERENCE, simulations]


def measure(study: Study, execute: Execute) -> Results:
    """Do what is missing of all measurements, and return the results."""
    for game in study.games:
        study.place(game).mkdir(parents=True, exist_ok=True)
    execute([study.drawing(game) for game in study.games])
    execute([task for _, task in _tuning(study)])
    tuning = _rates(study)
    chosen = _chosen(tuning)
    execute([task for game in study.games for task in _asked(study, game, chosen)])
    execute([regret.task(study, game, *which) for game in study.games for which in _played()])
    rows = [row for game in study.games for row in _compared(study, game, chosen)]
    frame = tables.table_of(rows)
    return Results(study, chosen, tuning, frame.assign(p_adjusted=holm(frame["p_value"].tolist())))


def _tuning(study: Study) -> Iterator[tuple[dict[str, Any], Task]]:
    """Yield the tasks of the positions for tuning; UCB1's constant is chosen for each number of simulations."""
    for game in study.games:
        for rule in tuned_rules():
            for size in study.sizes if rule == REFERENCE else study.sizes[1:2]:
                for policy in family(rule):
                    row = {"game": game, "rule": rule, "policy": policy, "simulations": size}
                    yield row, study.asking(game, TUNING, policy, {}, size)


def _rates(study: Study) -> pd.DataFrame:
    return tables.table_of([{**row, "rate": kept_in(task).mean()} for row, task in _tuning(study)])


def _chosen(tuning: pd.DataFrame) -> dict[tuple[str, str, int], str]:
    """Return the best policy of each family; of equals the one of the smallest constant."""
    best = tuning.loc[tuning.groupby(["game", "rule", "simulations"], sort=False)["rate"].idxmax()]
    return {(row["game"], row["rule"], row["simulations"]): row["policy"] for row in best.to_dict("records")}


def _added(game: str, options: Sequence[Option]) -> Iterator[Option]:
    return (option for option in options if option.is_in(game))


def _asked(study: Study, game: str, chosen: dict[tuple[str, str, int], str]) -> Iterator[Task]:
    """Yield the tasks of the positions on which the page reports, the most important first."""
    middle = study.simulations
    for size in study.sizes:
        for policy in dict.fromkeys((chosen[game, REFERENCE, size], USUAL, "")):
            yield study.asking(game, REPORT, policy, FLAT.added, size)
    yield study.misleading(game)
    for size in study.sizes[1:]:
        for option in _added(game, OPTIONS):
            yield study.asking(game, REPORT, chosen[game, REFERENCE, size], option.added, size)
    for rule in RULES:
        yield study.asking(game, REPORT, chosen.get((game, rule, middle), rule), {}, middle)
    for size in study.sizes:
        for option in ROOTS:
            yield study.asking(game, REPORT, chosen[game, REFERENCE, size], option.added, size)


def _played() -> Iterator[tuple[str, str]]:
    yield from ((policy, TREE) for policy in regret.POLICIES)
    yield regret.GROWING, PLAYOUTS


def _compared(study: Study, game: str, chosen: dict[tuple[str, str, int], str]) -> Iterator[dict[str, Any]]:
    """Yield the comparisons of a game."""

    def kept(policy: str, option: Option = FLAT, size: int = study.simulations) -> Kept:
        return kept_in(study.asking(game, REPORT, policy, option.added, size))

    def row(section: str, label: str, size: int, mine: Kept, other: Kept) -> dict[str, Any]:
        named = {"section": section, "game": game, "label": label, "simulations": size}
        return {**named, "rate": mine.mean(), "rate_against": other.mean(), **compare_rates(mine, other)}

    for size in study.sizes:
        reference = chosen[game, REFERENCE, size]
        if reference == USUAL:
            continue
        yield row(CONSTANT, reference, size, kept(reference, size=size), kept(USUAL, size=size))
    reference = chosen[game, REFERENCE, study.simulations]
    for rule in RULES:
        policy = chosen.get((game, rule, study.simulations), rule)
        yield row(RULE, policy, study.simulations, kept(policy), kept(reference))
    for section, options, sizes in ((OPTION, OPTIONS, study.sizes[1:]), (ROOT, ROOTS, study.sizes)):
        for option in _added(game, options):
            for size in sizes:
                reference = chosen[game, REFERENCE, size]
                yield row(section, option.label, size, kept(reference, option, size), kept(reference, size=size))
    size, right = study.sizes[-1], kept_in(study.misleading(game))
    reference = chosen[game, REFERENCE, size]
    for label, among in (("misleading", ~right), ("elsewhere", right)):
        if among.any():
            solved, plain = kept(reference, OPTIONS[0], size)[among], kept(reference, size=size)[among]
            yield row(MISLED, label, size, solved, plain)
    yield from _regret(study, game)


def _regret(study: Study, game: str) -> Iterator[dict[str, Any]]:
    """Yield how the regret of each policy differs from that of the first."""
    size = study.sizes[-1]
    finals = {policy: regret.regret_in(regret.task(study, game, policy, TREE))[:, -1] for policy in regret.POLICIES}
    first = finals[USUAL]
    for policy, values in finals.items():
        if policy != USUAL:
            pair = tables.table_of({policy: values, USUAL: first})
            (compared,) = differences_of(pair, (), size).to_dict("records")
            yield {
                "section": REGRET,
                "game": game,
                "label": policy,
                "simulations": size,
                "positions": values.size,
                "difference": compared["difference_mean"],
                "difference_low": compared["ci_low"],
                "difference_high": compared["ci_high"],
                "p_value": compared["p_value"] if np.isfinite(compared["p_value"]) else 1.0,
            }
