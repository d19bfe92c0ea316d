"""The figure of the page: moves that keep the value against simulations, the games side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.elsewhere.claims import USUAL, Execute, Results
from benchmarks.elsewhere.kept import REPORT, Study, kept_in
from benchmarks.elsewhere.players import OPTIONS
from benchmarks.solved_games import GAMES
from experiments.engine.tasks import Task
from experiments.graded_positions.positions import chance
from numerics.output import plots, style, tables
from numerics.output.scales import Scale
from numerics.output.style import GREY, PALETTE, SMALL
from numerics.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

FLAT, PLAIN, BEST, SOLVED = LINES = ("flat Monte Carlo", "UCB1, c = 1", "UCB1, tuned c", "UCB1, tuned c, solve")
_LOOKS: dict[str, dict[str, Any]] = {
    FLAT: {"color": PALETTE[3], "linestyle": (0, (2, 1)), "marker": "v"},
    PLAIN: {"color": PALETTE[1], "linestyle": (0, (6, 1.5)), "marker": "s"},
    BEST: {"color": PALETTE[0], "linestyle": "-", "marker": "o"},
    SOLVED: {"color": PALETTE[2], "linestyle": (0, (6, 1.5, 1.5, 1.5)), "marker": "D"},
}
_CHANCE: dict[str, Any] = {"color": GREY, "linestyle": (0, (1, 1.2)), "linewidth": 1.2}


def points(results: Results, execute: Execute) -> pd.DataFrame:
    """Return the rate of each line at each number of simulations with its 95 % interval (Wilson); do what is missing.

    Returns
    -------
    pandas.DataFrame
        game, line, simulations, positions; rate, rate_low and rate_high; and chance, the rate of a move at random.
    """
    study = results.study
    games = study.games
    asked = [point for game in games for point in _asked(study, game, results.reference(game, study.simulations))]
    execute(list({task.path: task for _, task in asked}.values()))
    rows = []
    for named, task in asked:
        kept = kept_in(task)
        low, high = wilson(float(kept.sum()), kept.size)
        rows.append({**named, "positions": kept.size, "rate": kept.mean(), "rate_low": low, "rate_high": high})
    chances = {game: chance(study.graded(game)) for game in games}
    frame = tables.table_of(rows)
    return frame.assign(chance=frame["game"].map(chances))


def _asked(study: Study, game: str, tuned: str) -> Iterator[tuple[dict[str, Any], Task]]:
    players = {FLAT: ("", {}), PLAIN: (USUAL, {}), BEST: (tuned, {}), SOLVED: (tuned, OPTIONS[0].added)}
    for line, (policy, added) in players.items():
        for budget in study.budgets:
            row = {"game": game, "line": line, "simulations": budget, "tuned": tuned}
            yield row, study.asking(game, REPORT, policy, added, budget)


def draw(frame: pd.DataFrame, stem: str) -> None:
    """Draw the rates against simulations, a panel for each game on one scale."""
    games = list(dict.fromkeys(frame["game"]))
    low = 100.0 * min(frame["rate_low"].min(), frame["chance"].min())
    y_scale = Scale("moves that keep the value (%)", low=max(0.0, low - 4.0), high=101.0, log=False)
    with style.page(stem, (8.6, 4.3)) as figure:
        parts = figure.subplots(1, len(games), sharey=True, squeeze=False)[0]
        for axes, game in zip(parts, games, strict=True):
            of = frame[frame["game"] == game]
            plots.curves(
                axes,
                of,
                "simulations",
                "rate",
                by="line",
                factor=100.0,
                x_scale=Scale("simulations of a move", log=True),
                y_scale=y_scale,
                look={"markersize": 4.0, "linewidth": 1.2, "capsize": 1.6, "elinewidth": 1.0},
                looks=_LOOKS,
                apart=0.014,
            )
            axes.axhline(100.0 * of["chance"].iloc[0], label="a move at random", **_CHANCE)
            constant = of["tuned"].iloc[0].rpartition("=")[2]
            axes.set_title(f"{GAMES[game].title}\ntuned c = {constant}", fontsize=SMALL, loc="left")
            if axes is not parts[0]:
                axes.set_ylabel("")
        plots.legend_below(figure, list(parts))
