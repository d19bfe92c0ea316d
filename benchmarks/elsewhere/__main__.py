"""`python -m benchmarks.elsewhere`: what is claimed about search in Connect 4, measured again in other solved games.

Every player moves in the same positions of a game, whose moves have exact values. Constants are chosen in positions of
their own. A command that was stopped goes on where it was, and the same seed gives the same tables. It prints the
tables of docs/measured/elsewhere.md and draws its figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.elsewhere import figure, page
from benchmarks.elsewhere.claims import measure
from benchmarks.elsewhere.kept import Study
from benchmarks.solved_games import GAMES, USUAL
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.processes import Processes
from experiments.engine.runs import carry_out
from experiments.engine.tasks import Task
from numerics import checks
from numerics.commands import Command
from numerics.output import tables
from numerics.parameters import must_be_one_of, parameter

CLAIMS, FIGURE, ALL = PARTS = ("claims", "figure", "all")


class Elsewhere(Command, module="benchmarks.elsewhere"):
    """What is measured."""

    part: str = parameter(ALL, choices=PARTS, help="tables of the claims, the figure, or both")
    games: list[str] = parameter(list(USUAL), help=f"which of {', '.join(GAMES)}")
    positions: int = parameter(2_000, low=20, most=3_000, help="of each game, on which the tables report")
    tuning: int = parameter(1_000, low=1, most=1_000, help="other positions, in which constants are chosen")
    simulations: int = parameter(1_000, low=1, most=100_000, help="of a move; also a tenth, and ten times as many")
    budgets: list[int] = parameter([10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000], help="of the figure")
    seed: int = parameter(0, low=0, help="of all random numbers")
    workers: int = parameter(1, low=1, help="processes")
    folder: str = parameter("results/elsewhere", help="where files are kept")
    page: str | None = parameter(None, help="a page to fill, such as docs/measured/elsewhere.md")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, measure what is missing, print the tables and draw the figure."""
    given = Elsewhere.read(words)
    for index, name in enumerate(given.games):
        if name not in GAMES:
            raise ValueError(must_be_one_of(f"games[{index}]", name, tuple(GAMES)))
    budgets = [checks.check_whole(f"budgets[{index}]", budget, 1) for index, budget in enumerate(given.budgets)]
    games, folder = list(dict.fromkeys(given.games)), Path(given.folder)
    study = Study(folder, tuple(games), given.positions, given.tuning, given.simulations, tuple(budgets), given.seed)

    def execute(tasks: Sequence[Task]) -> None:
        carry_out(tasks, Processes(given.workers).run, "moves")

    results = measure(study, execute)
    if given.part != FIGURE:
        tables.write(results.tuning, folder / "tuning.csv")
        tables.write(results.comparisons, folder / "comparisons.csv")
        filled = page.tables_of(results)
        for name, lines in filled.items():
            printing.say(f"\n{name}\n\n" + "\n".join(lines))
        bold = int((results.comparisons["p_adjusted"] < 0.05).sum())
        printing.say(f"\n{len(results.comparisons):,} comparisons, of which {bold:,} stand after Holm's correction")
        if given.page is not None:
            page.fill(Path(given.page), filled)
    if given.part != CLAIMS:
        points = figure.points(results, execute)
        tables.write(points, folder / "figure.csv")
        figure.draw(points, str(folder / "elsewhere"))
        printing.say(f"figure: {folder / 'elsewhere.png'}")


if __name__ == "__main__":
    leave(guarded(main))
