"""`python -m connect4.solver 4453`: the score of each column; or one score a line, for a file or pipe of positions."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from connect4 import screen
from connect4.board import Board
from connect4.notation import SIGNS, shown_list, write
from connect4.solver.results import Analysis, Solution, signed, verdict
from connect4.solver.solver import PACKAGED, TABLE_BITS, Solver, analyse
from numerics import checks
from numerics.kernels.compiling import compiling


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and print proven scores; exit status 2 if some line was not a position."""
    given = _parser().parse_args(arguments)
    with compiling.announced(_say):
        _run(given)


def _run(given: argparse.Namespace) -> None:
    try:
        empty = Board.of_size(given.board, given.connect)
        if given.seconds is not None:
            checks.number("--seconds", given.seconds, 0.0, above=True)
        book = None if given.no_book else given.book
        solver = Solver(empty.width, empty.height, empty.connect, given.table_bits, book)
        if given.file is not None:
            with given.file.open(encoding="utf-8", errors="replace") as lines:
                wrong = _stream(lines, solver, given.seconds, _lines_in(given.file))
        elif given.position in (None, "-"):
            wrong = _stream(sys.stdin, solver, given.seconds, None)
        else:
            _show(Board.from_moves(given.position, *solver.size), solver, given.seconds)
            wrong = 0
        sys.stdout.flush()
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of a pipe has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except OSError as error:
        print(f"--file must be a file that can be read; got {given.file} ({error.strerror})", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(2 if wrong else 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m connect4.solver",
        description="Exact scores: 0 is a draw, n > 0 a win, n < 0 a loss; the quicker the win, the larger n.",
    )
    parser.add_argument(
        "position", nargs="?", help="columns from 1, such as 4453; - or nothing reads lines from a pipe"
    )
    parser.add_argument("--file", type=Path, help="a file with one position a line")
    parser.add_argument("--board", default="7x6", help="columns x rows (default 7x6); (rows + 1) * columns at most 64")
    parser.add_argument("--connect", type=int, default=4, help="stones in a row that win (default 4)")
    parser.add_argument("--seconds", type=float, help="stop each position after so much time, with proven bounds")
    books = parser.add_mutually_exclusive_group()
    books.add_argument(
        "--book",
        default=PACKAGED,
        help="a file of python -m connect4.solver.build_book (default: the packaged book of 7x6)",
    )
    books.add_argument("--no-book", action="store_true", help="search early positions too")
    parser.add_argument(
        "--table-bits",
        type=int,
        default=TABLE_BITS,
        metavar="BITS",
        help=f"2 to the power of BITS entries of 8 bytes in the table (default {TABLE_BITS}); 26 helps early positions",
    )
    return parser


def _show(board: Board, solver: Solver, seconds: float | None) -> None:
    """Print a position, the score of each column, best play and the cost; with a budget only the score's bounds."""
    result = solver.solve(board, seconds=seconds) if seconds is not None else analyse(board, solver)
    scores = () if isinstance(result, Solution) else result.scores
    below = ["." if score is None else signed(score) for score in scores]
    print("\n".join(screen.lines(board, below, colour=screen.has_colour(sys.stdout))))
    side = SIGNS[board.to_move]
    if isinstance(result, Analysis):
        print(f"{side} to move: {verdict(result.score)}; best: {shown_list(result.best)}")
        print(f"best play: {write(result.variation, board.width)}")
    elif result.score is not None:
        print(f"{side} to move: {verdict(result.score)}")
    else:
        print(
            f"{side} to move: score from {signed(result.low)} to {signed(result.high)}; the time was too short for more"
        )
    print(f"{result.nodes:,} positions searched in {result.seconds:.3f} s")


def _stream(lines: Iterable[str], solver: Solver, seconds: float | None, count: int | None) -> int:
    """Print position, score, nodes and microseconds of each line; return the number of invalid lines.

    A score that the time is too short for is printed as bounds, such as -3..5.
    """
    wrong = 0
    for number, line in enumerate(_watched(lines, count), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            board = Board.from_moves(words[0], *solver.size)
            solution = solver.solve(board, seconds=seconds)
        except ValueError as error:
            wrong += 1
            print(f"line {number}: {error}", file=sys.stderr)
            continue
        score = solution.low if solution.low == solution.high else f"{solution.low}..{solution.high}"
        print(words[0], score, solution.nodes, f"{solution.seconds * 1e6:.0f}", flush=not sys.stdout.isatty())
    return wrong


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _watched(lines: Iterable[str], count: int | None) -> Iterator[str]:
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
        yield from progress.track(lines, total=count)


def _lines_in(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(1 for _ in lines)
