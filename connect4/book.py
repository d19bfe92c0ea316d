"""Opening books: the exact score of every position of the first plies, looked up and not searched.

    python -m connect4.book 5x4 --plies 6          solves all positions of up to 6 stones and writes book_5x4.npz
    python -m connect4.solver --board 5x4 --book book_5x4.npz

A book is a NumPy archive (.npz) of three arrays:

    size    int64[4]     width, height, connect, plies
    steps   uint64[n]    the differences of the sorted keys of the positions, the first one from 0
    scores  int8[n]      of the side to move, in the convention of `connect4.solver`

Its positions are all that are not finished, from no stone to `plies`, one of each mirror pair. A key is the sum of the
stones of the side to move, of all stones and of the lowest cell of every column, in the bits of `connect4.bitboard`; it
tells a position from all others, and of a mirror pair the smaller one stands in the book.
"""

from __future__ import annotations

import argparse
import csv
import functools
import gzip
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.kernels import fits_bitboard
from connect4.sizes import empty_board
from numerics import checks
from numerics.files import written_whole

if TYPE_CHECKING:
    from connect4.solver import Solver

DATA = Path(__file__).parent / "data"
_MOST_POSITIONS = 3_000_000
_BATCH = 500  # positions between two steps of the progress bar


@dataclass(frozen=True, eq=False)
class Book:
    """The exact scores of all positions of the first plies of a board.

    Parameters
    ----------
    size : tuple of int
        Width, height and stones in a row that win.
    plies : int
        Positions of up to so many stones are in it.
    keys : uint64 array, sorted
        Of the positions.
    scores : int8 array of the same length
        For the side to move.

    Examples
    --------
    >>> book = packaged(7, 6, 4)
    >>> book.plies, len(book.keys), book.score(Board.from_moves("4455"))
    (8, 129498, 18)
    """

    size: tuple[int, int, int]
    plies: int
    keys: npt.NDArray[np.uint64]
    scores: npt.NDArray[np.int8]

    def score(self, board: Board) -> int | None:
        """Return the score of a position that is not finished; None for one that is not in the book."""
        mine, theirs = board.stones(board.to_move), board.stones(-board.to_move)
        key = np.uint64(_key(mine, mine | theirs, board.width, board.height))
        place = int(np.searchsorted(self.keys, key))
        return int(self.scores[place]) if place < len(self.keys) and self.keys[place] == key else None

    def save(self, path: str | Path) -> None:
        """Write the book to a file, whole or not at all."""
        with written_whole(Path(path)) as beside, beside.open("wb") as file:
            np.savez_compressed(
                file,
                size=np.array([*self.size, self.plies], dtype=np.int64),
                steps=np.diff(self.keys, prepend=np.uint64(0)),
                scores=self.scores,
            )

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read a book from a file.

        Raises
        ------
        ValueError
            No file that can be read, or one that is no book.
        """
        try:
            with np.load(path, allow_pickle=False) as arrays:
                width, height, connect, plies = (int(word) for word in arrays["size"])
                keys = np.cumsum(arrays["steps"], dtype=np.uint64)
                scores = arrays["scores"].astype(np.int8)
        except OSError as error:
            raise ValueError(f"book must be a file that can be read; got {path} ({error.strerror or error})") from None
        except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
            raise ValueError(f"book must be a file written by python -m connect4.book; got {path}") from None
        if len(keys) != len(scores):
            raise ValueError(f"book must have a score for each position; {path} has {len(scores)} for {len(keys)}")
        return cls((width, height, connect), plies, keys, scores)


@functools.lru_cache(maxsize=4)
def packaged(width: int, height: int, connect: int) -> Book | None:
    """Return the book of a board that comes with this package, read once; None where there is none."""
    file = DATA / f"book_{width}x{height}_connect{connect}.npz"
    return Book.load(file) if file.is_file() else None


def build(solver: Solver, plies: int, *, progress: bool = False) -> Book:
    """Solve all positions of the first plies.

    Parameters
    ----------
    solver : Solver
        Of the board; one without a book solves everything anew.
    plies : int
        Stones of the last positions, from 0 on, fewer than the board has cells.
    progress : bool, default False
        Whether to draw a bar on standard error where that is a terminal.

    Raises
    ------
    ValueError
        So many plies, or more positions than a book may have.

    Examples
    --------
    >>> from connect4 import Solver
    >>> build(Solver(3, 3, 3), 1).scores.tolist()
    [0, 0, 0]
    """
    levels = _levels(solver.size, checks.whole("plies", plies, 0, solver.cells - 1))
    last = list(levels[-1].values())
    batches = [last[start : start + _BATCH] for start in range(0, len(last), _BATCH)]
    solved = (score for batch in _watched(batches, progress) for score in solver.solve_many(batch))
    return _made(levels, dict(zip(levels[-1], solved, strict=True)), solver.size)


def from_table(path: Path, size: tuple[int, int, int]) -> Book:
    """Return the book of a table of positions that others have solved.

    Parameters
    ----------
    path : Path
        A CSV file, .gz or not, with the columns `moves` (as Pons writes them) and `score`: every position up to some
        ply that is not finished, at least one of each mirror pair.
    size : tuple of int
        Width, height and stones in a row that win.

    Raises
    ------
    ValueError
        No such table, a row that is no position, positions that are missing, or a score that is not the best of the
        scores after a move.
    """
    given: dict[int, int] = {}
    plies = 0
    for line, moves, score in _rows(path):
        try:
            board = Board.from_moves(moves, *size)
            given[_key_of(board)] = int(score)
        except ValueError as error:
            raise ValueError(f"scores must be a table of positions; line {line} of {path}: {error}") from None
        plies = max(plies, board.plies)
    levels = _levels(size, plies)
    missing = next((board for level in levels for key, board in level.items() if key not in given), None)
    if missing is not None:
        raise ValueError(f"scores must have every position of up to {plies} stones; {path} lacks {missing.notation!r}")
    book = _made(levels, {key: given[key] for key in levels[-1]}, size)
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
    """Return the positions of each ply by their keys, one of each mirror pair."""
    empty = Board(*size)
    levels = [{_key_of(empty): empty}]
    total = 1
    for _ in range(plies):
        found: dict[int, Board] = {}
        for board in levels[-1].values():
            for after in _replies(board):
                if not after.is_finished():
                    found.setdefault(_key_of(after), after)
            if total + len(found) > _MOST_POSITIONS:
                raise ValueError(
                    f"plies must give a book of at most {_MOST_POSITIONS:,} positions; got {plies}, which gives more"
                )
        total += len(found)
        levels.append(found)
    return levels


def _replies(board: Board) -> Iterator[Board]:
    for column in board.legal_moves():
        after = board.copy()
        after.play(column)
        yield after


def _made(levels: Sequence[dict[int, Board]], scores: dict[int, int], size: tuple[int, int, int]) -> Book:
    """Return the book of some levels of which the last has its scores; the others follow from their moves."""
    cells = size[0] * size[1]
    for level in reversed(levels[:-1]):
        for key, board in level.items():
            best = -cells
            for after in _replies(board):
                if after.winner():
                    best = max(best, (cells + 1 - board.plies) // 2)
                else:
                    best = max(best, 0 if after.is_finished() else -scores[_key_of(after)])
            scores[key] = best
    keys = sorted(scores)
    values = [scores[key] for key in keys]
    return Book(size, len(levels) - 1, np.array(keys, dtype=np.uint64), np.array(values, dtype=np.int8))


def _key_of(board: Board) -> int:
    mine, theirs = board.stones(board.to_move), board.stones(-board.to_move)
    return _key(mine, mine | theirs, board.width, board.height)


def _key(mine: int, filled: int, width: int, height: int) -> int:
    """Return the key of a position or of its mirror image, whichever is smaller."""
    stride = height + 1
    column = (1 << stride) - 1
    key = mine + filled + sum(1 << stride * place for place in range(width))
    turned, rest = 0, key
    for _ in range(width):
        turned = turned << stride | rest & column
        rest >>= stride
    return min(key, turned)


def _watched(batches: Sequence[list[Board]], progress: bool) -> Iterable[list[Board]]:
    if not progress or not sys.stderr.isatty():
        return batches
    from rich.console import Console
    from rich.progress import track

    return track(batches, "solving", console=Console(stderr=True), transient=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and write a book; exit status 2 and one sentence when that cannot be."""
    parser = argparse.ArgumentParser(prog="python -m connect4.book", description="Build an opening book of a board.")
    parser.add_argument("board", help="columns x rows, such as 5x4; (rows + 1) * columns at most 64")
    parser.add_argument("--connect", type=int, default=4, help="stones in a row that win (default 4)")
    parser.add_argument("--plies", type=int, default=6, help="stones of the last positions in the book (default 6)")
    parser.add_argument("--to", type=Path, help="the file to write (default book_5x4.npz, by the board)")
    parser.add_argument("--scores", type=Path, help="take the scores from a table with columns moves and score")
    given = parser.parse_args(arguments)
    try:
        size = _size(given.board, given.connect)
        path = given.to or Path(f"book_{size[0]}x{size[1]}.npz")
        if not path.parent.is_dir():
            raise ValueError(f"--to must be a file in a folder that exists; got {path}")
        if given.scores is not None:
            book = from_table(given.scores, size)
        else:
            from connect4.solver import Solver

            book = build(Solver(*size, book=None), given.plies, progress=True)
        book.save(path)
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"--to must be a file that can be written; got {path} ({error.strerror})", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    print(f"{path}: {len(book.keys):,} positions of up to {book.plies} stones, {path.stat().st_size:,} bytes")


def _size(board: str, connect: int) -> tuple[int, int, int]:
    empty = empty_board(board, connect)
    if not fits_bitboard(empty.width, empty.height):
        raise ValueError(f"board must have (height + 1) * width of at most 64; got {empty.width}x{empty.height}")
    return empty.width, empty.height, empty.connect


if __name__ == "__main__":
    main()
