"""Law one: how often UCT falls into a trap, by the depth of the trap and the number of simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from benchmarks.laws.choice_law import FORMS, Decisions, Law, cross_validated, decisions_of, features, fit, joined
from benchmarks.laws.positions import TRAPS, trapped_positions
from benchmarks.solved_games import DOTS_AND_BOXES
from mcts.tree_search import Search
from numerics.output import tables
from numerics.output.progress import progress
from numerics.random import Purpose, derived_seed
from numerics.statistics.intervals import wilson_ends

if TYPE_CHECKING:
    import pandas as pd

POLICY = "ucb c=1"
RARE = 0.05  # odds of a trap that is hardly ever played
SHALLOW = 5  # plies
FEWEST = 25  # positions of a cell that is shown
_BINS = (1, 2, 4, 6, 8, 10, 14, 18, 22, 26, 30, 43)  # lowest depths of cells


def measure(game: str, count: int, budgets: Sequence[int], seed: int) -> pd.DataFrame:
    """Return what UCT recommends in positions with traps, after each number of simulations of one search.

    Returns
    -------
    pandas.DataFrame
        position, simulations, others (moves that are no traps), depths of the traps, the depth of the recommended
        trap (0 of another move), and whether the move keeps the value.
    """
    positions = trapped_positions(game, TRAPS, count, seed=seed)
    rows = list[dict[str, Any]]()
    with progress(len(positions), f"positions of {game}") as advance:
        for number, position in enumerate(positions):
            graded, depths = position.graded, sorted(position.depths.values())
            search = Search(graded.board, POLICY, seed=derived_seed(number, (Purpose.BENCHMARK, seed)))
            done = 0
            for budget in sorted(budgets):
                search.run(budget - done)
                done, move = budget, int(search.choose())
                rows.append(
                    {
                        "position": number,
                        "simulations": budget,
                        "others": len(graded.legal_scores) - len(depths),
                        "depths": " ".join(map(str, depths)),
                        "chosen": position.depths.get(move, 0),
                        "keeps_value": graded.keeps_value(move),
                    }
                )
            advance()
    return tables.table_of(rows)


def halves(table: pd.DataFrame) -> tuple[Decisions, Decisions]:
    """Return the decisions in positions of even numbers, for the fit, and of odd ones, for the check."""
    decisions = decisions_of(table)
    even = decisions.position % 2 == 0
    return decisions.where(even), decisions.where(~even)


def choose_form(fitted: Mapping[str, Decisions]) -> pd.DataFrame:
    """Return the cross-validated log loss of each form in the halves for the fit, and its mean over the games.

    Dots and Boxes does not count for the mean: its depth is the number of edges that are left.
    """
    rows = []
    for form in FORMS:
        losses = {game: cross_validated(form, decisions) for game, decisions in fitted.items()}
        counted = [loss for game, loss in losses.items() if game != DOTS_AND_BOXES] or list(losses.values())
        rows.append({"form": form, **losses, "mean": float(np.mean(counted))})
    return tables.table_of(rows).sort_values("mean", kind="stable", ignore_index=True)


def cells(game: str, law: Law, decisions: Decisions) -> pd.DataFrame:
    """Return the predicted and the seen error by the deepest trap and the simulations, with 95 % intervals."""
    predicted, rows = law.errors(decisions), []
    bins = np.digitize(decisions.deepest, _BINS)
    for place in np.unique(bins):
        for n in np.unique(decisions.n):
            of = (bins == place) & (decisions.n == n)
            count, seen = int(of.sum()), int(decisions.errors[of].sum())
            if count < FEWEST:
                continue
            low, high = wilson_ends(seen / count, count)
            rows.append(
                {
                    "game": game,
                    "depth": float(decisions.deepest[of].mean()),
                    "simulations": int(n),
                    "positions": count,
                    "seen": seen / count,
                    "seen_low": float(low),
                    "seen_high": float(high),
                    "predicted": float(predicted[of].mean()),
                    "covered": bool(low <= predicted[of].mean() <= high),
                }
            )
    return tables.table_of(rows)


def calibration(law: Law, decisions: Decisions) -> dict[str, float]:
    """Return the mean seen and predicted error, the log losses, and the slope of seen on predicted log odds."""
    predicted = law.errors(decisions).clip(1e-9, 1.0 - 1e-9)
    log_odds = np.log(predicted / (1.0 - predicted))
    start, slope = _line(log_odds, decisions.errors)
    tenths = np.digitize(predicted, np.quantile(predicted, np.linspace(0.1, 0.9, 9)))
    gaps = [abs(predicted[tenths == k].mean() - decisions.errors[tenths == k].mean()) for k in np.unique(tenths)]
    base = float(decisions.errors.mean())
    return {
        "seen": base,
        "predicted": float(predicted.mean()),
        "log_loss": law.log_loss(decisions),
        "slope": slope,
        "start": start,
        "mean_gap": float(np.mean(gaps)),
        "most_gap": float(np.max(gaps)),
    }


def _line(x: npt.NDArray[np.float64], hit: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Return intercept and slope of a logistic regression of single trials."""
    from scipy.optimize import minimize

    def loss(line: npt.NDArray[np.float64]) -> float:
        log_odds = line[0] + line[1] * x
        return float((np.logaddexp(0.0, log_odds) - hit * log_odds).mean())

    start, slope = minimize(loss, [0.0, 1.0]).x.tolist()
    return start, slope


def odds(game: str, law: Law, depths: Sequence[int], budgets: Sequence[int]) -> list[dict[str, Any]]:
    """Return the odds of one trap against one other move at some depths and numbers of simulations."""
    rows = []
    for depth in depths:
        row: dict[str, Any] = {"game": game, "depth": depth}
        for n in budgets:
            row |= {f"{n:,}": tuple(np.exp(law.change(features(law.form, depth, n))).tolist())}
        rows.append(row | {f"n of odds {RARE:g}": law.simulations(depth, RARE)})
    return rows


def transfer(laws: Mapping[str, Law], held: Mapping[str, Decisions]) -> pd.DataFrame:
    """Return the log loss of each game's law in the held-out half of every game; a row for each law."""
    rows = []
    for source, law in laws.items():
        rows.append({"law of": source, **{game: law.log_loss(decisions) for game, decisions in held.items()}})
    return tables.table_of(rows)


def pooled(form: str, fitted: Mapping[str, Decisions]) -> Law:
    """Return one law for all games together, each position as one."""
    return fit(form, joined(list(fitted.values())))
