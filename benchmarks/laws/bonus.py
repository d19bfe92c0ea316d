"""Law two, part b: which bonus keeps the value most often at equal simulations, each tuned in other positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.laws.positions import HELD_OUT, TUNING, trapped_positions
from benchmarks.laws.scaled_search import ScaledSearch
from benchmarks.solved_games import CONNECT4
from experiments.graded_positions.positions import Graded
from mcts.tree_search import Search
from numerics.output import tables
from numerics.output.progress import progress
from numerics.random import Purpose, derived_seed
from numerics.statistics.holm import holm
from numerics.statistics.paired_rates import compare_rates

if TYPE_CHECKING:
    import pandas as pd

LOGARITHMIC, POLYNOMIAL, SIGMA = "logarithmic", "polynomial", "sigma"
CONSTANTS: Mapping[str, tuple[float, ...]] = {
    LOGARITHMIC: (0.25, 0.35, 0.5, 0.7, 1.0, 1.4),
    POLYNOMIAL: (0.1, 0.14, 0.2, 0.28, 0.4, 0.56, 0.8),
    SIGMA: (0.5, 0.7, 1.0, 1.4, 2.0, 2.8),
}
"""c of c sqrt(ln t / n), c of c t^(1/4) / sqrt(n), and the factor of sigma in place of c in the first."""
PUBLISHED = 2.0  # the factor of sigma
DEFAULT = 1.0  # c of UCB1, here


def search_of(bonus: str, constant: float, position: Graded, seed: int) -> Search:
    """Return a search of a position by a bonus."""
    if bonus == SIGMA:
        return ScaledSearch(position.board, constant, seed)
    policy = "ucb" if bonus == LOGARITHMIC else "polynomial"
    return Search(position.board, {"name": policy, "c": constant}, seed=seed)


def measure(
    game: str,
    use: str,
    players: Sequence[tuple[str, float, int]],
    tuning: int,
    held_out: int,
    budgets: Sequence[int],
    seed: int,
) -> pd.DataFrame:
    """Return whether the recommended moves keep the value: bonus, constant, simulations, position, keeps_value, sigma.

    A player is a bonus, its constant, and its most simulations.
    """
    positions = positions_for(game, use, tuning, held_out, seed)
    rows, purpose = list[dict[str, Any]](), (Purpose.BENCHMARK, seed, 0 if use == TUNING else 1)
    with progress(len(players) * len(positions), f"searches of {game}, {use}") as advance:
        for bonus, constant, most in players:
            for number, position in enumerate(positions):
                search, done = search_of(bonus, constant, position, derived_seed(number, purpose)), 0
                for budget in sorted(budget for budget in budgets if budget <= most):
                    search.run(budget - done)
                    done = budget
                    rows.append(
                        {
                            "bonus": bonus,
                            "constant": constant,
                            "simulations": budget,
                            "position": number,
                            "keeps_value": position.keeps_value(int(search.choose())),
                            "sigma": search.sigma if isinstance(search, ScaledSearch) else np.nan,
                        }
                    )
                advance()
    return tables.table_of(rows)


def positions_for(game: str, use: str, tuning: int, held_out: int, seed: int) -> list[Graded]:
    """Return the positions of a game for tuning, or the held-out ones; none is in both."""
    if use == TUNING:
        trapped = trapped_positions(game, TUNING, tuning, seed=seed)
    else:
        skip = 0 if game == CONNECT4 else tuning
        trapped = trapped_positions(game, HELD_OUT, held_out, skip, seed)
    return [position.graded for position in trapped]


def best_constants(table: pd.DataFrame) -> dict[tuple[str, int], float]:
    """Return the constant of each bonus that kept the value most often at each number of simulations."""
    rates = table.groupby(["bonus", "simulations", "constant"], sort=False)["keeps_value"].mean().reset_index()
    best = rates.sort_values("keeps_value", ascending=False, kind="stable").drop_duplicates(["bonus", "simulations"])
    keys = zip(best["bonus"].tolist(), best["simulations"].tolist(), strict=True)
    return dict(zip(keys, best["constant"].tolist(), strict=True))


def players_of(best: Mapping[tuple[str, int], float]) -> list[tuple[str, float, int]]:
    """Return the players that search held-out positions: the tuned ones, and both constants that nobody tunes."""
    most = max(n for _, n in best)
    budgets = {(LOGARITHMIC, DEFAULT): most, (SIGMA, PUBLISHED): most}
    for (bonus, n), constant in best.items():
        budgets[bonus, constant] = max(n, budgets.get((bonus, constant), 0))
    return [(bonus, constant, n) for (bonus, constant), n in sorted(budgets.items())]


def compared(
    held: Mapping[str, pd.DataFrame], best: Mapping[str, Mapping[tuple[str, int], float]], budgets: Sequence[int]
) -> pd.DataFrame:
    """Return the difference of each bonus from the tuned logarithmic one in the same positions, with Holm's p-values.

    Beside the tuned bonuses stands 2 sigma, untuned, against the logarithmic one with its default constant.
    """
    rows = []
    for game, table in held.items():
        kept = {
            key: of.sort_values("position")["keeps_value"].to_numpy(np.bool_)
            for key, of in table.groupby(["bonus", "constant", "simulations"], sort=False)
        }
        for n in budgets:
            tuned = {bonus: (bonus, best[game][bonus, n], n) for bonus in CONSTANTS}
            pairs = [(POLYNOMIAL, tuned[POLYNOMIAL], tuned[LOGARITHMIC]), (SIGMA, tuned[SIGMA], tuned[LOGARITHMIC])]
            pairs.append(("2 sigma, untuned", (SIGMA, PUBLISHED, n), (LOGARITHMIC, DEFAULT, n)))
            for name, one, other in pairs:
                rates = compare_rates(kept[one], kept[other])
                rows.append(
                    {
                        "game": game,
                        "simulations": n,
                        "bonus": name,
                        "constant": one[1],
                        "keeps": float(kept[one].mean()),
                        "logarithmic c": other[1],
                        "logarithmic keeps": float(kept[other].mean()),
                        **rates,
                    }
                )
    frame = tables.table_of(rows)
    return frame.assign(p_adjusted=holm(frame["p_value"].tolist()))
