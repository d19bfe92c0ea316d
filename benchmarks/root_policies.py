"""`python -m benchmarks.root_policies`: whether less simple regret at the root plays better.

It reads the folder of a run of `experiment=strength`. The players are named `ucb c=C` or after their root policies,
each at several numbers of simulations. It also searches P-games of many moves with the same players. Each player is
paired with the best `ucb` player at the same number of simulations. The p-values hold for all comparisons of a table
together (Holm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import machine
from experiments.graded_positions.positions import graded_positions, sign
from mcts.games.p_game import PGame, root_values
from mcts.tree_search import Search
from numerics import checks
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.output import plots, style, tables
from numerics.output.scales import Scale
from numerics.parameters import parameter
from numerics.random import Purpose, derived_seed
from numerics.statistics.holm import holm
from numerics.statistics.paired_rates import compare_rates

if TYPE_CHECKING:
    import pandas as pd

CONSTANTS = (0.3, 0.5, 0.7, 1.0, 1.4)  # of UCB1, of which the best is the one to beat
ROOTS: dict[str, tuple[str, str]] = {  # the root policy, and by what the move is chosen
    "sequential halving": ("sequential_halving", "visits"),
    "anytime halving": ("anytime_halving", "value"),
    "Gumbel halving": ("gumbel_halving", "visits"),
    "successive rejects": ("successive_rejects", "visits"),
    "KL-LUCB": ("kl_lucb rate=heuristic", "value"),
    "UGapE": ("ugape rate=heuristic", "value"),
    "uniform": ("round_robin", "value"),
}

Kept = Mapping[int, Mapping[str, npt.NDArray[np.bool_]]]  # simulations -> label -> whether each move keeps the value


def of_run(folder: Path) -> tuple[Kept, dict[tuple[int, str], float]]:
    """Return what a run of `experiment=strength` kept, and the mean value lost, 0 to 1, of each player."""
    choices = tables.read(folder / "choices.parquet")
    graded = graded_positions(int(choices["position"].max()) + 1, "both")
    columns = zip(choices["position"], choices["column"], strict=True)
    lost = [
        0.5 * (sign(graded[position].top) - sign(graded[position].scores[column] or 0)) for position, column in columns
    ]
    choices = choices.assign(lost=lost, label=choices["player"].str.replace(r" simulations=\d+$", "", regex=True))
    kept: dict[int, dict[str, npt.NDArray[np.bool_]]] = {}
    regret: dict[tuple[int, str], float] = {}
    for (simulations, label), of in choices.groupby(["simulations", "label"], sort=False):
        ordered = of.sort_values("position")
        kept.setdefault(int(simulations), {})[label] = ordered["keeps_value"].to_numpy(np.bool_)
        regret[int(simulations), label] = float(ordered["lost"].mean())
    return kept, regret


def of_p_games(branching: int, depth: int, trees: int, simulations: Sequence[int]) -> Kept:
    """Return whether the moves of searches of random trees keep the value; trees without a wrong move are left out."""
    games, number = [], 0
    while len(games) < trees:
        game = PGame(branching=branching, depth=depth, seed=number)
        values = root_values(game.game.state)
        if values.min() < values.max():
            games.append((number, game, values))
        number += 1
    players: dict[str, dict[str, Any]] = {f"ucb c={c:g}": {"policy": f"ucb c={c:g}"} for c in CONSTANTS}
    players |= {label: {"policy": "ucb c=1", "root_policy": root} for label, (root, _) in ROOTS.items()}
    kept: dict[int, dict[str, npt.NDArray[np.bool_]]] = {}
    for budget in simulations:
        for label, options in players.items():
            by, right = ROOTS.get(label, ("", "visits"))[1], []
            for number, game, values in games:
                seed = derived_seed(number, (Purpose.P_GAME_SEARCH,))
                running = Search(game, simulations=budget, seed=seed, **options)
                running.run(budget)
                right.append(values[running.choose(by)] == values.max())
            kept.setdefault(budget, {})[label] = np.array(right)
    return kept


def compared(kept: Kept) -> pd.DataFrame:
    """Return how every root policy differs from the best `ucb` at as many simulations, with Holm's p over all."""
    rows = []
    for simulations, of in kept.items():
        best = max((label for label in of if label.startswith("ucb")), key=lambda label: of[label].mean())
        for label in (label for label in of if not label.startswith("ucb")):
            against = compare_rates(of[label], of[best])
            rows.append({"simulations": simulations, "best": best, "label": label, **against})
    frame = tables.table_of(rows)
    return frame.assign(p_adjusted=holm(frame["p_value"].tolist()))


def show(console: Console, title: str, kept: Kept, regret: Mapping[tuple[int, str], float]) -> pd.DataFrame:
    """Print a row for each player and return the comparisons."""
    frame = compared(kept)
    table = Table(title=title, title_justify="left")
    table.add_column("at the root")
    for simulations in kept:
        table.add_column(f"{simulations:,}", justify="right")
    for label in next(iter(kept.values())):
        cells = []
        for simulations in kept:
            cell = f"{100 * kept[simulations][label].mean():.1f}"
            if regret:
                cell += f", {regret[simulations, label]:.3f}"
            row = frame[(frame["simulations"] == simulations) & (frame["label"] == label)]
            if len(row):
                paired_row = row.iloc[0]
                ends = f"{100 * paired_row['difference_low']:+.1f} to {100 * paired_row['difference_high']:+.1f}"
                star = " *" if paired_row["p_adjusted"] < 0.05 else ""
                cell += f"\n{100 * paired_row['difference']:+.1f} ({ends}){star}"
            cells.append(cell)
        table.add_row(label, *cells)
    console.print(table)
    bests = frame.drop_duplicates("simulations")
    console.print("; ".join(f"{n:,}: {best}" for n, best in zip(bests["simulations"], bests["best"], strict=True)))
    return frame


def draw(panels: Mapping[str, pd.DataFrame], stem: str) -> None:
    """Draw the differences against simulations, a panel for each game."""
    with style.page(stem, (8.2, 4.4)) as figure:
        parts = figure.subplots(1, len(panels), sharey=True)
        for axes, (title, frame) in zip(parts, panels.items(), strict=True):
            plots.curves(
                axes,
                frame,
                "simulations",
                "difference",
                by="label",
                factor=100.0,
                x_scale=Scale("simulations of a move", log=True),
                look={"markersize": 4.0, "linewidth": 1.1},
                apart=0.008,
            )
            axes.axhline(0.0, color="0.4", linewidth=0.9)
            axes.set_title(title, fontsize="medium", loc="left")
        parts[0].set_ylabel("moves that keep the value, minus those\nof UCB1 at its best c (percentage points)")
        plots.legend_below(figure, list(parts))


class RootPolicies(Command, module="benchmarks.root_policies"):
    """What is compared."""

    run: str = parameter("results/root_policies", help="the folder of the run of experiment=strength")
    trees: int = parameter(2_000, low=1, help="P-games, the first in which a move can be wrong")
    branching: int = parameter(20, low=2, help="moves of a P-game")
    depth: int = parameter(6, low=1, help="plies of a P-game")
    simulations: list[int] = parameter([30, 100, 1_000, 10_000], help="of each search of a P-game")
    figure: str = parameter("results/root_policies/root_policies", help="the figure, without .png")


def main(words: Sequence[str] | None = None) -> None:
    """Compare, print the tables, and draw the figure."""
    given = RootPolicies.read(words)
    budgets = [checks.check_whole(f"simulations[{index}]", n, 1) for index, n in enumerate(given.simulations)]
    folder = Path(given.run)
    if not (folder / "choices.parquet").is_file():
        raise ValueError(f"run must be the folder of a finished run of experiment=strength; got {given.run}")
    console = Console(width=max(Console().width, 150) if not Console().is_terminal else None)
    console.print(machine(), highlight=False)
    kept, regret = of_run(folder)
    count = next(iter(next(iter(kept.values())).values())).size
    first = show(
        console, f"Connect 4, {count:,} positions: moves that keep the value, %, mean value lost", kept, regret
    )
    name = f"P-games, {given.branching} moves, {given.depth} plies"
    deep = of_p_games(given.branching, given.depth, given.trees, budgets)
    second = show(console, f"{name}, {given.trees:,} trees: moves that keep the value, %", deep, {})
    draw({f"Connect 4, {count:,} positions": first, f"{name}, {given.trees:,} trees": second}, given.figure)
    console.print(f"figure: {given.figure}.png")


if __name__ == "__main__":
    leave(run_guarded(main))
