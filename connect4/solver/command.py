"""`python -m connect4.solver 4453`: the score of each column; or one score a line, for a file or pipe of positions.

Scores are exact: 0 a draw, n > 0 a win with at most n stones of one's own to spare, n < 0 a loss.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from connect4 import screen
from connect4.board import Board
from connect4.notation import SIGNS, shown_list, write
from connect4.solver.results import Analysis, Solution, verdict, with_sign
from connect4.solver.solver import PACKAGED, TABLE_BITS, Solver, analyse
from numerics.commands import Command, word
from numerics.exits import MISTAKE
from numerics.parameters import parameter


class Solve(Command, module="connect4.solver"):
    """Which positions are solved, and how."""

    position: str | None = word(
        None, help="columns from 1, such as 4453; - or no argument reads lines from standard input"
    )
    file: str | None = parameter(None, help="a file with one position a line")
    board: str = parameter("7x6", help="columns x rows; (rows + 1) * columns at most 128")
    connect: int = parameter(4, low=2, help="stones in a row that win")
    seconds: float | None = parameter(
        None, low=0.0, above=True, help="time limit per position, in seconds; then proven bounds are printed"
    )
    book: str | None = parameter(
        PACKAGED,
        help="a file of python -m connect4.solver.build_book, or null to search early positions too; packaged is the "
        "one of 7x6 that comes along",
    )
    table_bits: int = parameter(
        TABLE_BITS, low=1, help="log2 of the number of table entries, of 8 bytes each; 26 helps in early positions"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line and print what is proven; exit status 2 when some position was no position."""
    given = Solve.read(words)
    empty = Board.of_size(given.board, given.connect)
    solver = Solver(empty.width, empty.height, empty.connect, given.table_bits, given.book)
    if given.file is not None:
        wrong = _stream(_lines_of(Path(given.file)), solver, given.seconds)
    elif given.position in (None, "-"):
        wrong = _stream(sys.stdin, solver, given.seconds)
    else:
        _show(Board.from_moves(given.position, *solver.size), solver, given.seconds)
        wrong = False
    if wrong:
        sys.exit(MISTAKE)


def _lines_of(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ValueError(f"file must be a file that can be read; got {file} ({error.strerror})") from None


def _show(board: Board, solver: Solver, seconds: float | None) -> None:
    """Print a position, the score of each column, best play and the cost; with a budget only the score's bounds."""
    result = solver.solve(board, seconds=seconds) if seconds is not None else analyse(board, solver)
    scores = () if isinstance(result, Solution) else result.scores
    below = ["." if score is None else with_sign(score) for score in scores]
    print("\n".join(screen.lines(board, below, colour=screen.has_colour(sys.stdout))))
    side = SIGNS[board.to_move]
    if isinstance(result, Analysis):
        print(f"{side} to move: {verdict(result.score)}; best: {shown_list(result.best)}")
        print(f"best play: {write(result.variation, board.width)}")
    elif result.score is not None:
        print(f"{side} to move: {verdict(result.score)}")
    else:
        ends = f"from {with_sign(result.low)} to {with_sign(result.high)}"
        print(f"{side} to move: score {ends}; time limit reached")
    print(f"{result.nodes:,} positions searched in {result.seconds:.3f} s")


def _stream(lines: Iterable[str], solver: Solver, seconds: float | None) -> bool:
    """Print position, score, nodes and microseconds of each line; return whether some line was invalid.

    A score that the time is too short for is printed as bounds, such as -3..5.
    """
    wrong = False
    for number, line in enumerate(_with_progress(lines), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            board = Board.from_moves(words[0], *solver.size)
            solution = solver.solve(board, seconds=seconds)
        except ValueError as error:
            wrong = True
            print(f"line {number}: {error}", file=sys.stderr)
            continue
        score = solution.low if solution.low == solution.high else f"{solution.low}..{solution.high}"
        print(words[0], score, solution.nodes, f"{solution.seconds * 1e6:.0f}", flush=not sys.stdout.isatty())
    return wrong


def _with_progress(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, with a progress bar on a terminal unless they are typed there; output appears above the bar."""
    if not sys.stderr.isatty() or getattr(lines, "isatty", bool)():
        yield from lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("lines"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()
    ) as progress:
        yield from progress.track(lines, total=len(lines) if isinstance(lines, list) else None)
