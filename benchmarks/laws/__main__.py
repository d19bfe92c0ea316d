"""`python -m benchmarks.laws part=traps|bonus`: two laws of the search tree in four solved games.

part=traps measures how often UCT falls into a trap, by the trap's depth and the simulations. It fits a law in the
positions of even numbers and checks it in the others. part=bonus measures the tails of the means of nodes, and tunes
and compares the logarithmic bonus, the polynomial one, and one scaled by the spread of the tree's values. What was
measured is kept in the folder, so that a second command only prints and draws. The same seed gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import machine
from benchmarks.laws import bonus, figures, tails, traps
from benchmarks.laws.choice_law import fit
from benchmarks.laws.positions import HELD_OUT, TUNING
from benchmarks.laws.stored import stored
from benchmarks.solved_games import GAMES, USUAL
from numerics import checks
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.output import tables
from numerics.parameters import must_be_one_of, parameter

if TYPE_CHECKING:
    import pandas as pd

TRAPS, BONUS = "traps", "bonus"
_DEPTHS, _AT = (1, 3, 5, 9, 13), (100, 1_000, 10_000)  # where the law's odds are printed


class Laws(Command, module="benchmarks.laws"):
    """What is measured."""

    part: str = parameter(help="traps or bonus", choices=(TRAPS, BONUS))
    games: list[str] = parameter(list(USUAL), help=f"which of {', '.join(USUAL)}")
    seed: int = parameter(0, low=0, help="of positions and searches")
    positions: int = parameter(10_000, low=200, help="of traps, in each game, at most")
    simulations: list[int] = parameter([30, 100, 300, 1_000, 3_000, 10_000], help="of a search of a trap")
    tuning: int = parameter(800, low=1, help="positions in which each bonus is tuned")
    held_out: int = parameter(3_000, low=1, help="positions in which bonuses are compared")
    budgets: list[int] = parameter([100, 1_000, 10_000], help="simulations at which bonuses are compared")
    runs: int = parameter(4_000, low=50, help="searches of each node, of up to 10,000 simulations")
    long_runs: int = parameter(500, low=50, help="of these, how many have all visits")
    visits: list[int] = parameter(
        [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000], help="of a node, after which its mean is kept"
    )
    folder: str = parameter("results/laws", help="where tables and figures are kept")


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is not there yet, print the tables, and draw the figure."""
    given = Laws.read(words)
    for index, game in enumerate(given.games):
        if game not in USUAL:
            raise ValueError(must_be_one_of(f"games[{index}]", game, USUAL))
    for name in ("simulations", "budgets", "visits"):
        for index, n in enumerate(getattr(given, name)):
            checks.check_whole(f"{name}[{index}]", n, 2)
    console = Console(width=max(Console().width, 170) if not Console().is_terminal else None)
    console.print(machine(), highlight=False)
    (of_traps if given.part == TRAPS else of_bonus)(given, console)
    console.print(f"figure: {Path(given.folder) / given.part}.png", highlight=False)


def of_traps(given: Laws, console: Console) -> None:
    """Measure, fit and check the law of traps."""
    folder, played = Path(given.folder), dict[str, "pd.DataFrame"]()
    for game in given.games:
        terms = game, given.positions, given.simulations, given.seed
        played[game] = stored(folder / f"traps_{game}.parquet", partial(traps.measure, *terms))
    fitted = {game: traps.halves(table)[0] for game, table in played.items()}
    held = {game: traps.halves(table)[1] for game, table in played.items()}
    show(console, "positions, traps, and the error by simulations, %", [_seen(game, of) for game, of in played.items()])
    title = f"of the errors, those into traps of up to {traps.SHALLOW} plies, %"
    show(console, title, [_shallow(game, of) for game, of in played.items()])
    forms = traps.choose_form(fitted)
    show(console, "cross-validated log loss of the forms, in the positions for the fit", forms.to_dict("records"))
    form = str(forms["form"].iloc[0])
    laws = {game: fit(form, of) for game, of in fitted.items()}
    console.print(f"form: ln odds = {form}; ln n counts tens (its coefficient: the effect of ten times n)")
    show(console, "coefficients with 95 % intervals", [_coefficients(game, law) for game, law in laws.items()])
    numbers = [row for game, law in laws.items() for row in traps.odds(game, law, _DEPTHS, _AT)]
    show(console, "odds of one trap against one other move", numbers)
    everything = {"one law for all": traps.pooled(form, fitted), **laws}
    checked = [
        {"game": game, "simulations only": fit("a + c ln n", fitted[game]).log_loss(of)}
        | traps.calibration(laws[game], of)
        for game, of in held.items()
    ]
    show(console, "held-out half: error seen and predicted, calibration", checked)
    show(console, "log loss in the held-out halves", traps.transfer(everything, held).to_dict("records"))
    cells = tables.join_tables([traps.cells(game, laws[game], of) for game, of in held.items()])
    for game in given.games:
        of = cells[cells["game"] == game]
        off = 100 * float((of["seen"] - of["predicted"]).abs().mean())
        covered = f"{int(of['covered'].sum())} of {len(of)} intervals hold the prediction, off by {off:.1f} points"
        show(
            console,
            f"{GAMES[game].title}, held-out half: {covered}",
            of.drop(columns=["game", "covered"]).to_dict("records"),
        )
    figures.draw_traps(cells, str(folder / TRAPS))


def of_bonus(given: Laws, console: Console) -> None:
    """Measure tails, tune, and compare the bonuses."""
    folder, measured = Path(given.folder), dict[str, "pd.DataFrame"]()
    for game in given.games:
        terms = game, "ucb c=1", given.runs, given.long_runs, given.visits, given.seed
        measured[game] = stored(folder / f"tails_{game}.parquet", partial(tails.measure, *terms))
    spreads = tables.join_tables([tails.spreads(of).assign(game=game) for game, of in measured.items()])
    show(console, "spread of the means of nodes over searches", spreads.to_dict("records"))
    shapes = [
        tails.shapes(of, tails.heaviest(spreads[spreads["game"] == game])).assign(game=game)
        for game, of in measured.items()
    ]
    title = "shape of the largest tenth of the deviations, after the visits at which they are heaviest"
    show(console, title, tables.join_tables(shapes).to_dict("records"))
    held, best = dict[str, "pd.DataFrame"](), dict[str, dict[tuple[str, int], float]]()
    grid = [(name, constant) for name, constants in bonus.CONSTANTS.items() for constant in constants]
    for game in given.games:
        players = [(name, constant, max(given.budgets)) for name, constant in grid]
        for use in (TUNING, HELD_OUT):
            terms = game, use, players, given.tuning, given.held_out, given.budgets, given.seed
            table = stored(folder / f"bonus_{use}_{game}.parquet", partial(bonus.measure, *terms))
            if use == TUNING:
                best[game] = bonus.best_constants(table)
                players = bonus.players_of(best[game])
                rates = table.groupby(["bonus", "constant", "simulations"], sort=False)["keeps_value"].mean().unstack()
                show(console, f"{game}, tuning: value kept, %", (100 * rates).reset_index().to_dict("records"))
            else:
                held[game] = table
        sigma = held[game].groupby(["constant", "simulations"])["sigma"].median().dropna().unstack()
        show(console, f"{game}: median sigma", sigma.reset_index().to_dict("records"))
    rows = bonus.compared(held, best, given.budgets).to_dict("records")
    show(console, "held-out positions: value kept, %, and the difference in points", list(map(_gain, rows)))
    figures.draw_bonus(spreads, measured, str(folder / BONUS))


def show(console: Console, title: str, rows: Sequence[dict[Any, Any]]) -> None:
    """Print rows as a table."""
    table = Table(title=title, title_justify="left")
    for name in rows[0]:
        table.add_column(str(name), justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    console.print(table, highlight=False)


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{value[0]:.3g} ({value[1]:.3g} to {value[2]:.3g})"
    return f"{value:.4g}" if isinstance(value, float) else f"{value}"


def _seen(game: str, table: pd.DataFrame) -> dict[str, Any]:
    once = table[table["simulations"] == table["simulations"].min()]
    depths = once["depths"].str.split().map(len)
    row: dict[str, Any] = {"game": game, "positions": len(once), "traps": int(depths.sum())}
    row["traps of moves, %"] = float(100 * (depths / (depths + once["others"])).mean())
    for n, of in table.groupby("simulations"):
        row[f"{n:,}"] = float(100 * (of["chosen"] > 0).mean())
    row["also win to draw, %"] = float(100 * (~table["keeps_value"]).mean() - 100 * (table["chosen"] > 0).mean())
    return row


def _shallow(game: str, table: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {"game": game}
    for n, of in table[table["chosen"] > 0].groupby("simulations"):
        row[f"{n:,}"] = float(100 * (of["chosen"] <= traps.SHALLOW).mean())
    return row


def _coefficients(game: str, law: Any) -> dict[str, Any]:
    names = [part.split()[0] for part in law.form.split(" + ")]
    return {"game": game} | {name: law.change(row) for name, row in zip(names, np.eye(len(names)), strict=True)}


def _gain(row: dict[Any, Any]) -> dict[str, Any]:
    ends = tuple(100 * row[f"difference{end}"] for end in ("", "_low", "_high"))
    named = {name: row[name] for name in ("game", "simulations", "bonus", "constant", "logarithmic c", "positions")}
    kept = {name: 100 * row[name] for name in ("keeps", "logarithmic keeps")}
    return {**named, **kept, "difference": ends, "p": row["p_value"], "p adjusted": row["p_adjusted"]}


if __name__ == "__main__":
    leave(run_guarded(main))
