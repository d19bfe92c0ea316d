"""Building opening books: solve all positions of the first plies, or take and check them from a table.

python -m connect4.solver.build_book 5x4 plies=6    solves all positions of up to 6 stones, writes book_5x4.npz
python -m connect4.solver board=5x4 book=book_5x4.npz
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from connect4.board import Board
from connect4.kernels.encode import is_wide
from connect4.solver.book import Book, key_of
from connect4.solver.solver import Solver
from numerics import checks
from numerics.commands import Command, dashed_option, word
from numerics.exits import leave, run_guarded
from numerics.kernels.words import WORD_BITS
from numerics.parameters import parameter

_MOST_POSITIONS = 3_000_000
_BATCH = 500  # positions between two steps of the progress bar


def build(solver: Solver, plies: int, *, progress: bool = False) -> Book:
    """Solve all positions of the first plies.

    Parameters
    ----------
    solver : Solver
        The solver of the board; without a book it solves every position anew.
    plies : int
        Stones of the last positions, from 0 to the number of cells - 1.
    progress : bool, default False
        Whether to draw a progress bar if standard error is a terminal.

    Raises
    ------
    ValueError
        `plies` out of range, or more positions than a book may have.

    Examples
    --------
    >>> from connect4 import Solver
    >>> build(Solver(3, 3, 3), 1).scores.tolist()
    [0, 0, 0]
    """
    levels = _levels(solver.size, checks.check_whole("plies", plies, 0, solver.cells - 1))
    last = list(levels[-1].values())
    batches = [last[start : start + _BATCH] for start in range(0, len(last), _BATCH)]
    solved = (score for batch in _with_progress(batches, progress) for score in solver.solve_many(batch))
    return _make_book(levels, dict(zip(levels[-1], solved, strict=True)), solver.size)


def from_table(path: Path, size: tuple[int, int, int]) -> Book:
    """Return the book of a table of positions solved elsewhere.

    Parameters
    ----------
    path : Path
        A CSV file, .gz or not, with the columns `moves` (in Pons's notation) and `score`. It has all unfinished
        positions up to some ply, at least one of each mirror pair.
    size : tuple of int
        Width, height and stones in a row that win.

    Raises
    ------
    ValueError
        No such table, an invalid row, missing positions, or a score that is not the best score after a move.
    """
    given: dict[int, int] = {}
    plies = 0
    for line, moves, score in _rows(path):
        try:
            board = Board.from_moves(moves, *size)
            given[key_of(board)] = int(score)
        except ValueError as error:
            raise ValueError(f"scores must be a table of positions; line {line} of {path}: {error}") from None
        plies = max(plies, board.plies)
    levels = _levels(size, plies)
    missing = next((board for level in levels for key, board in level.items() if key not in given), None)
    if missing is not None:
        raise ValueError(f"scores must have every position of up to {plies} stones; {path} lacks {missing.notation!r}")
    book = _make_book(levels, {key: given[key] for key in levels[-1]}, size)
    for key, score in zip(book.keys.tolist(), book.scores.tolist(), strict=True):
        if given[key] != score:
            wrong = next(level[key] for level in levels if key in level)
            raise ValueError(
                f"scores must agree with each other; in {path} {wrong.notation!r} has {given[key]}, and its best move "
                f"is worth {score}"
            )
    return book


def _rows(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, moves and score of each row of a table."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            table = csv.DictReader(lines)
            if not {"moves", "score"} <= set(table.fieldnames or ()):
                raise ValueError(f"scores must be a table with columns moves and score; got {path}")
            for row in table:
                yield table.line_num, row["moves"] or "", row["score"] or ""
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"scores must be a file that can be read; got {path} ({error})") from None


def _levels(size: tuple[int, int, int], plies: int) -> list[dict[int, Board]]:
    """Return the positions of each ply by key, one of each mirror pair."""
    empty = Board(*size)
    levels = [{key_of(empty): empty}]
    total = 1
    for _ in range(plies):
        successors: dict[int, Board] = {}
        for board in levels[-1].values():
            for after in _replies(board):
                if not after.is_finished():
                    successors.setdefault(key_of(after), after)
            if total + len(successors) > _MOST_POSITIONS:
                raise ValueError(
                    f"plies must give a book of at most {_MOST_POSITIONS:,} positions; got {plies}, which gives more"
                )
        total += len(successors)
        levels.append(successors)
    return levels


def _replies(board: Board) -> Iterator[Board]:
    for column in board.legal_moves():
        after = board.copy()
        after.play(column)
        yield after


def _make_book(levels: Sequence[dict[int, Board]], scores: dict[int, int], size: tuple[int, int, int]) -> Book:
    """Return the book of levels, given the scores of the last; those of the others follow from their moves."""
    cells = size[0] * size[1]
    for level in reversed(levels[:-1]):
        for key, board in level.items():
            best = -cells
            for after in _replies(board):
                if after.winner():
                    best = max(best, (cells + 1 - board.plies) // 2)
                else:
                    best = max(best, 0 if after.is_finished() else -scores[key_of(after)])
            scores[key] = best
    keys = sorted(scores)
    values = [scores[key] for key in keys]
    return Book(size, len(levels) - 1, np.array(keys, dtype=np.uint64), np.array(values, dtype=np.int8))


def _with_progress(batches: Sequence[list[Board]], progress: bool) -> Iterable[list[Board]]:
    if not progress or not sys.stderr.isatty():
        return batches
    from rich.console import Console
    from rich.progress import track

    return track(batches, "solving", console=Console(stderr=True), transient=True)


class BuildBook(Command, module="connect4.solver.build_book"):
    """Of which board, how deep, and where it is written."""

    board: str = word(help="columns x rows, such as 5x4; (rows + 1) * columns at most 64")
    connect: int = parameter(4, low=2, help="stones in a row that win")
    plies: int = parameter(6, low=0, help="stones of the last positions in the book")
    scores: str | None = parameter(None, help="take the scores from a table with columns moves and score")
    output: str | None = dashed_option(
        None, "-o", "--output", help="the file; book_5x4.npz, by the board, when left out"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, and write a book."""
    given = BuildBook.read(words)
    size = _size(given.board, given.connect)
    path = Path(given.output or f"book_{size[0]}x{size[1]}.npz")
    if not path.parent.is_dir():
        raise ValueError(f"--output must be a file in a folder that exists; got {path}")
    if given.scores is not None:
        book = from_table(Path(given.scores), size)
    else:
        book = build(Solver(*size, book=None), given.plies, progress=True)
    try:
        book.save(path)
    except OSError as error:
        raise ValueError(f"--output must be a file that can be written; got {path} ({error.strerror})") from None
    print(f"{path}: {len(book.keys):,} positions of up to {book.plies} stones, {path.stat().st_size:,} bytes")


def _size(board: str, connect: int) -> tuple[int, int, int]:
    empty = Board.of_size(board, connect)
    if is_wide(empty.width, empty.height):
        bits = empty.width * (empty.height + 1)
        raise ValueError(
            f"board must have at most {WORD_BITS} bits, columns x (rows + 1), for a book; "
            f"got {empty.width}x{empty.height}, of {bits} bits"
        )
    return empty.width, empty.height, empty.connect


if __name__ == "__main__":
    leave(run_guarded(main))
