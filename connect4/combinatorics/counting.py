"""`python -m connect4.combinatorics.counting board=7x6 plies=12`: exact numbers of positions and sequences, ply by ply.

The walk is breadth first, from all positions of a ply to all of the next. It keeps for each position how many move
sequences lead to it and the probability that random play reaches it. A won game is not extended. Mirror images are
walked once.

Measured on one core: 7 x 6 takes 6 seconds and 1.0 GB to ply 12, 15 seconds and 1.9 GB to ply 13. Each further ply
takes about 2.4 times as much. 5 x 5 takes 14 seconds and 0.7 GB to its end, 69,763,700 positions.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.combinatorics import counting_kernels as kernels
from connect4.kernels.encode import is_wide
from numerics import checks
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.parameters import parameter

MOST_POSITIONS = 40_000_000  # default limit of a ply: about 3 GB

_SMALLEST = 1 << 10  # entries of a table
_Arrays = tuple[npt.NDArray[Any], ...]


@dataclass(frozen=True)
class Ply:
    """The counts of a ply.

    Attributes
    ----------
    ply : int
        Stones on the board.
    positions : int
        Distinct positions, including won and full ones.
    won, full : int
        Positions that the last move won; full boards that nobody won.
    sequences, winning_sequences : int
        Move sequences of this many plies, and those whose last move wins. Sequences to a full board that nobody won are
        the drawn games.
    win_chance, draw_chance : float
        The probability that a game of two uniformly random players is won, or drawn, at this ply. It is a sum over all
        paths in float64; the last two of 16 digits may be wrong.
    """

    ply: int
    positions: int
    won: int
    full: int
    sequences: int
    winning_sequences: int
    win_chance: float
    draw_chance: float


@dataclass(frozen=True)
class Totals:
    """The totals of a walk to the end.

    Attributes
    ----------
    positions, games : int
        Distinct positions of all plies; distinct finished games.
    first_games, second_games, drawn_games : int
        The games that the player who began won, that the other won, and the draws.
    first, second, draw : float
        Their probabilities under uniformly random play.
    mean_length : float
        The expected number of plies of a random game.
    """

    positions: int
    games: int
    first_games: int
    second_games: int
    drawn_games: int
    first: float
    second: float
    draw: float
    mean_length: float


def count(
    width: int = 7, height: int = 6, connect: int = 4, *, plies: int | None = None, most: int = MOST_POSITIONS
) -> Iterator[Ply]:
    """Count ply by ply from the empty board.

    Parameters
    ----------
    width, height, connect : int
        The board, as in `connect4.Board`; (height + 1) * width must be at most 64.
    plies : int, optional
        The last ply; by default the end of the game.
    most : int
        The walk stops before a ply with more positions than this; a position needs up to 80 bytes of memory.

    Yields
    ------
    Ply
        From ply 0 on; fewer than `plies` if the walk reaches `most` or no game lasts as long.

    Raises
    ------
    ValueError
        A board or a number out of range; the sentence names it. Raised at the first `next`.

    Examples
    --------
    >>> [(ply.positions, ply.sequences) for ply in count(7, 6, plies=4)]
    [(1, 1), (7, 7), (49, 49), (238, 343), (1120, 2401)]
    >>> totals(list(count(4, 4))).games
    47982540
    """
    board = Board(width, height, connect)
    if is_wide(board.width, board.height):
        raise ValueError(
            "height must leave (height + 1) * width at most 64, so that a position fits two words; "
            f"got a board of {width} x {height}"
        )
    cells = board.width * board.height
    last = cells if plies is None else checks.check_whole("plies", plies, 0, cells)
    most = checks.check_whole("most", most, 1)
    start = board.game.state
    going: _Arrays = (np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1, np.int64), np.ones(1))
    yield Ply(0, 1, 0, 0, 1, 0, 0.0, 0.0)
    for ply in range(1, last + 1):
        if going[0].size == 0:
            return
        if not _orders_fit(board.width, ply):
            raise ValueError(
                f"plies must be at most {ply - 1} on this board; above this, the numbers of move orders exceed 63 bits"
            )
        expanded = _successors(going, start, most)
        if expanded is None:
            return
        table, positions = expanded
        counted, going = _count_settled(ply, positions, table, start)
        del expanded, table
        yield counted


def totals(plies: Sequence[Ply]) -> Totals | None:
    """Add up a walk; None if it did not reach the end of every game.

    Examples
    --------
    >>> round(totals(list(count(4, 4))).draw, 6), totals(list(count(4, 4, plies=15)))
    (0.483309, None)
    """
    first = sum(ply.winning_sequences for ply in plies if ply.ply % 2)
    second = sum(ply.winning_sequences for ply in plies if ply.ply % 2 == 0)
    end = plies[-1]
    if end.won + end.full < end.positions:
        return None
    draws = end.sequences - end.winning_sequences
    return Totals(
        positions=sum(ply.positions for ply in plies),
        games=first + second + draws,
        first_games=first,
        second_games=second,
        drawn_games=draws,
        first=sum(ply.win_chance for ply in plies if ply.ply % 2),
        second=sum(ply.win_chance for ply in plies if ply.ply % 2 == 0),
        draw=end.draw_chance,
        mean_length=sum(ply.ply * (ply.win_chance + ply.draw_chance) for ply in plies),
    )


def _orders_fit(width: int, ply: int) -> bool:
    """Return whether the number of sequences to any position and its mirror image is certain to fit 63 bits.

    Colours alternate, so that at most floor(p / 2)! ceil(p / 2)! orders lead to a position of p stones. The stones of a
    column stay in order, so that at most p! / (h_1! ... h_w!) do, which is largest where the columns are level.
    """
    full, more = divmod(ply, width)
    by_colour: int = math.factorial(ply // 2) * math.factorial(ply - ply // 2)
    by_column: int = math.factorial(ply) // (math.factorial(full) ** (width - more) * math.factorial(full + 1) ** more)
    return 2 * min(by_colour, by_column) < 1 << 63


def _successors(going: _Arrays, start: npt.NDArray[np.int64], most: int) -> tuple[_Arrays, int] | None:
    """Return the table of all positions of the next ply, and their number; None for more than `most`."""
    expand: Any = kernels.expand
    move_over: Any = kernels.move_over
    table, progress = _table(_SMALLEST), np.zeros(3, np.int64)
    while True:
        expand(*going, start, progress, *table)
        if progress[kernels.POSITIONS] > most:
            return None
        if progress[kernels.NEXT] == going[0].size:
            return table, int(progress[kernels.POSITIONS])
        larger = _table(2 * table[0].size)
        move_over(*table, *larger)
        table = larger


def _table(entries: int) -> _Arrays:
    return (*(np.zeros(entries, np.int64) for _ in range(3)), np.zeros(entries))


def _count_settled(ply: int, positions: int, table: _Arrays, start: npt.NDArray[np.int64]) -> tuple[Ply, _Arrays]:
    """Return the counts of a table and its unfinished positions."""
    tallies, chances = np.zeros((4, 2), np.int64), np.zeros((2, 2))
    settle: Any = kernels.settle
    going = settle(*table, start, tallies, chances)
    numbers = [join_halves(*words) for words in tallies.tolist()]
    won, drawn = (float(pair.sum()) for pair in chances)
    won_positions, full, sequences, won_sequences = (
        numbers[row] for row in (kernels.WON, kernels.FULL, kernels.SEQUENCES, kernels.WON_SEQUENCES)
    )
    counted = Ply(ply, positions, won_positions, full, sequences, won_sequences, won, drawn)
    return counted, tuple(part[:going].copy() for part in table)


def join_halves(low: int, high: int) -> int:
    """Return a sum from the sums of the lower 32 bits and of the upper bits; either may exceed 32 bits.

    Examples
    --------
    >>> join_halves(2**40, 2**35) == 2**40 + 2**67
    True
    """
    return low + (high << kernels.HALF)


class Count(Command, module="connect4.combinatorics.counting"):
    """What is counted."""

    board: str = parameter("7x6", help="columns x rows")
    connect: int = parameter(4, low=2, help="stones in a row that win")
    plies: int | None = parameter(None, low=0, help="last ply to count; the end of the game if left out")
    most: int = parameter(
        MOST_POSITIONS, low=1, help="stop before a ply with more positions than this (up to 80 bytes each)"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line and print one row a ply."""
    given = Count.read(words)
    board = Board.of_size(given.board, given.connect)
    _print(board.width, board.height, board.connect, given.plies, given.most)


def _print(width: int, height: int, connect: int, plies: int | None, most: int) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

    table = Table(title=f"{width} x {height}, {connect} in a row; games end with the first win")
    for name in ("ply", "positions", "won", "sequences", "wins", "P(win), random play", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    walked, began = [], time.perf_counter()
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
    watched = sys.stdout.isatty()
    with (
        Live(table, console=console, auto_refresh=False, vertical_overflow="visible")
        if watched
        else (contextlib.nullcontext()) as live
    ):
        for ply in count(width, height, connect, plies=plies, most=most):
            walked.append(ply)
            table.add_row(
                str(ply.ply),
                f"{ply.positions:,}",
                f"{ply.won:,}",
                f"{ply.sequences:,}",
                f"{ply.winning_sequences:,}",
                f"{ply.win_chance:.15f}",
                f"{time.perf_counter() - began:.2f}",
            )
            if live is not None:
                live.refresh()
    if not watched:
        console.print(table)
    end = totals(walked)
    if end is not None:
        console.print(
            f"{end.positions:,} positions; {end.games:,} games: "
            f"first {end.first_games:,}, second {end.second_games:,}, draws {end.drawn_games:,}"
        )
        console.print(
            f"random play: first {end.first:.15f}, second {end.second:.15f}, draw {end.draw:.15f}, "
            f"mean length {end.mean_length:.12f}"
        )
    elif plies is None or walked[-1].ply < plies:
        console.print(f"stopped after ply {walked[-1].ply}: the next one has more than {most:,} positions (see most=)")


if __name__ == "__main__":
    leave(run_guarded(main))
