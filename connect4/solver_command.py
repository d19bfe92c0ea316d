"""`python -m connect4.solver 4453`: the score of each column; or a score a line, for positions of a file or a pipe."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from connect4.board import Board
from connect4.sizes import empty_board
from connect4.solver import Solver, analyse


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and print what is proven; exit status 2 when some position was no position."""
    parser = argparse.ArgumentParser(
        prog="python -m connect4.solver",
        description="Exact scores: 0 a draw, n > 0 a win with n stones of one's own to spare at most, n < 0 a loss.",
    )
    parser.add_argument(
        "position", nargs="?", help="columns from 1, such as 4453; - or nothing reads lines from a pipe"
    )
    parser.add_argument("--file", type=Path, help="a file with one position a line")
    parser.add_argument("--board", default="7x6", help="columns x rows (default 7x6); (rows + 1) * columns at most 64")
    parser.add_argument("--connect", type=int, default=4, help="stones in a row that win (default 4)")
    given = parser.parse_args(arguments)
    try:
        empty = empty_board(given.board, given.connect)
        solver = Solver(empty.width, empty.height, empty.connect)
        if given.file is not None:
            with given.file.open(encoding="utf-8") as lines:
                wrong = _stream(lines, solver)
        elif given.position in (None, "-"):
            wrong = _stream(sys.stdin, solver)
        else:
            _show(Board.from_moves(given.position, *solver.size), solver)
            wrong = 0
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"--file must be a file that can be read; got {given.file} ({error.strerror})", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(2 if wrong else 0)


def _show(board: Board, solver: Solver) -> None:
    """Print a position, the score of each column, best play, and what it took."""
    found = analyse(board, solver)
    wide = max(len(_text(score)) for score in found.scores)
    lines = str(board).splitlines()
    cell = max(wide, len(str(board.width - 1))) + 1
    for line in lines[:-1]:
        print("".join(sign.rjust(cell) for sign in line.split()))
    print("".join(str(column + 1).rjust(cell) for column in range(board.width)))
    print("".join(_text(score).rjust(cell) for score in found.scores))
    side = "X" if board.to_move == 1 else "O"
    best = max(score for score in found.scores if score is not None)
    print(f"{side} to move: {_verdict(best)}; best: {', '.join(str(column + 1) for column in found.best)}")
    print(f"best play: {''.join(_columns(found.variation, board.width))}")
    print(f"{found.nodes:,} positions searched in {found.seconds:.3f} s")


def _columns(columns: Sequence[int], width: int) -> Iterator[str]:
    for place, column in enumerate(columns):
        yield ("," if width > 9 and place > 0 else "") + str(column + 1)


def _text(score: int | None) -> str:
    return "." if score is None else f"{score:+d}" if score else "0"


def _verdict(score: int) -> str:
    if score == 0:
        return "a draw"
    return f"{'a win' if score > 0 else 'a loss'}, score {score:+d}"


def _stream(lines: Iterable[str], solver: Solver) -> int:
    """Print position, score, nodes and microseconds of each line; return how many lines were no positions."""
    wrong = 0
    for number, line in enumerate(_watched(lines), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            board = Board.from_moves(words[0], *solver.size)
            before, start = solver.nodes, time.perf_counter()
            score = solver.solve(board).low
        except ValueError as error:
            wrong += 1
            print(f"line {number}: {error}", file=sys.stderr)
            continue
        micros = (time.perf_counter() - start) * 1e6
        print(words[0], score, solver.nodes - before, f"{micros:.0f}", flush=not sys.stdout.isatty())
    return wrong


def _watched(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, with a bar on a terminal where the results themselves go elsewhere."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from lines
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(list(lines), "positions", console=Console(stderr=True), transient=True)
