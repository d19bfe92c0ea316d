"""`python -m benchmarks.strength`: how often our UCT and OpenSpiel's keep the value of a position, at equal cost.

Both search the same positions, whose moves have exact scores: the first of `experiments.graded_positions`. Equal cost
is an equal number of simulations, or an equal processor time of a move, for which the simulations of ours are set by
the speeds that the first positions show. OpenSpiel's is its C++ MCTSBot with one uniform playout and twice our C, for
its values lie in [-1, 1]; without its solver and with it, which is its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from benchmarks import search_peers
from benchmarks.__main__ import machine
from benchmarks.connect4_peers import label
from benchmarks.timing import processor_seconds
from connect4 import Board
from experiments.graded_positions.positions import Graded, graded_positions
from mcts import UCTPlayer
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.parameters import parameter
from numerics.statistics.paired_rates import compare_rates

_CALIBRATED = 40  # positions that tell how many simulations take as long
WORSE = 0.02  # at equal simulations ours may be worse by this much

Mover = Callable[[Graded, int], int]  # position, its number -> move


@dataclass(frozen=True)
class Moves:
    """What a search did in some positions: whether each move kept the value, and the mean processor time of a move."""

    kept: npt.NDArray[np.bool_]
    seconds: float


def play(mover: Mover, positions: Sequence[Graded]) -> Moves:
    """Ask for a move in every position, after one that loads what is needed."""
    mover(positions[0], 0)
    kept, seconds = [], 0.0
    for number, graded in enumerate(positions):
        start = processor_seconds()
        column = mover(graded, number)
        seconds += processor_seconds() - start
        kept.append(graded.keeps_value(column))
    return Moves(np.array(kept), seconds / len(positions))


def ours(simulations: int, *, solve: bool = False) -> Mover:
    """Return our own player."""
    player = UCTPlayer(simulations=simulations, c=search_peers.C, solve=solve)

    def move(graded: Graded, number: int) -> int:
        player.reset(number)
        return player.play(Board.from_moves(graded.moves))

    return move


def theirs(simulations: int, *, solve: bool) -> Mover:
    """Return OpenSpiel's search."""

    def move(graded: Graded, number: int) -> int:
        return search_peers.open_spiel(solve=solve, seed=number)(graded.moves, simulations)

    return move


def as_long(seconds: float, simulations: int, positions: Sequence[Graded]) -> int:
    """Return how many simulations of ours take so much processor time a move, from two trials."""
    for _ in range(2):
        taken = play(ours(simulations), positions[:_CALIBRATED]).seconds
        simulations = max(1, round(simulations * seconds / taken))
    return simulations


def lines(budgets: Sequence[int], positions: Sequence[Graded]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each comparison, measured when it is asked for."""
    for budget in budgets:
        plain = play(ours(budget), positions)
        for solve in (False, True):
            other = play(theirs(budget, solve=solve), positions)
            name = f"{budget:,}, solve={solve}"
            yield compared(name, f"{budget:,}", plain, other, -WORSE)
            if solve:
                yield compared(
                    name, f"{budget:,}, solve=True", play(ours(budget, solve=True), positions), other, -WORSE
                )
            equal = as_long(other.seconds, budget, positions)
            yield compared(name, f"{equal:,} (equal time)", play(ours(equal), positions), other, 0.0)


def compared(other_name: str, our_name: str, ours: Moves, other: Moves, least: float) -> tuple[str, ...]:
    """Return the cells of one comparison; met where the difference is at least `least`, surely if its interval is."""
    difference = compare_rates(ours.kept, other.kept)
    low, high = difference["difference_low"], difference["difference_high"]
    met = "yes" if low > least else "yes, not surely" if difference["difference"] >= least and least < 0 else "NO"
    return (
        our_name,
        other_name,
        f"{ours.kept.mean():.3f}",
        f"{other.kept.mean():.3f}",
        f"{difference['difference']:+.3f} ({low:+.3f} to {high:+.3f})",
        _milliseconds(ours),
        _milliseconds(other),
        f"> {least:+.2f}" if least < 0 else "> 0",
        met,
    )


def _milliseconds(moves: Moves) -> str:
    return f"{1e3 * moves.seconds:,.2f} ms"


def alone(budget: int, positions: Sequence[Graded]) -> tuple[str, ...]:
    """Return the cells of a search of ours that has nothing beside it."""
    from numerics.statistics.intervals import wilson

    played = play(ours(budget), positions)
    low, high = wilson(float(played.kept.sum()), played.kept.size)
    name = f"{budget:,} on {len(positions):,} positions"
    return (
        name,
        "",
        f"{played.kept.mean():.3f}",
        "",
        f"rate: {low:.3f} to {high:.3f}",
        _milliseconds(played),
        "",
        "",
        "",
    )


class Strength(Command, module="benchmarks.strength"):
    """How much is searched."""

    positions: int = parameter(2_000, low=1, help="how many, the first ones")
    simulations: list[int] = parameter([100, 1_000, 10_000], help="of each search")
    large: int = parameter(100_000, low=1, help="simulations of ours alone, on a fifth of the positions")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    given = Strength.read(words)
    positions = graded_positions(given.positions)
    console = Console(width=max(Console().width, 150) if not Console().is_terminal else None)
    console.print(machine(), highlight=False)
    try:
        peer = label("open-spiel")
        search_peers.open_spiel()
    except ImportError as error:
        console.print(f"OpenSpiel skipped: {error}")
        return
    table = Table(
        title=f"Moves that keep the value of {len(positions):,} positions after 8 to 28 random plies: our UCT, c = "
        f"{search_peers.C:g}, and {peer}'s C++ MCTSBot, uct_c = {2 * search_peers.C:g}; intervals: 95 %, paired",
        title_justify="left",
    )
    for column in (
        "our simulations",
        "theirs",
        "ours",
        "other",
        "difference",
        "our time",
        "their time",
        "target",
        "met",
    ):
        table.add_column(column, justify="left" if column in ("our simulations", "theirs", "met") else "right")
    with console.status("searching") as status:
        for cells in lines(given.simulations, positions):
            table.add_row(*cells)
            status.update(f"compared: {cells[0]} with {cells[1]}")
        table.add_row(*alone(given.large, positions[: max(1, len(positions) // 5)]))
    console.print(table)


if __name__ == "__main__":
    leave(run_guarded(main))
