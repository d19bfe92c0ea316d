"""Opening books: the exact score of every position of the first plies, to look up instead of searching.

A book is a NumPy archive (.npz) of three arrays, written by `python -m connect4.solver.build_book`:

    size    int64[4]     width, height, connect, plies
    steps   uint64[n]    the differences of the positions' sorted keys, the first from 0
    scores  int8[n]      for the side to move, in the convention of `connect4.solver`

A book has all unfinished positions of 0 to `plies` stones, one of each mirror pair. A key is a sum of bitboards (see
`kernels.bitboard`): the stones of the side to move, all stones, and the lowest cell of every column. It identifies the
position; of a mirror pair, the book holds the smaller key.
"""

from __future__ import annotations

import functools
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from connect4.bits import mirror
from connect4.board import Board
from numerics.output.files import atomic_write

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, eq=False)
class Book:
    """The exact scores of all positions of the first plies of a board.

    Parameters
    ----------
    size : tuple of int
        Width, height and stones in a row that win.
    plies : int
        The book has the positions of up to this many stones.
    keys : uint64 array, sorted
        The keys of the positions.
    scores : int8 array of the same length
        For the side to move.

    Examples
    --------
    >>> book = packaged_book(7, 6, 4)
    >>> book.plies, len(book.keys), book.score(Board.from_moves("4455"))
    (8, 129498, 18)
    """

    size: tuple[int, int, int]
    plies: int
    keys: npt.NDArray[np.uint64]
    scores: npt.NDArray[np.int8]

    def score(self, board: Board) -> int | None:
        """Return the score of an unfinished position; None if the book does not have it."""
        key = np.uint64(key_of(board))
        index = int(np.searchsorted(self.keys, key))
        return int(self.scores[index]) if index < len(self.keys) and self.keys[index] == key else None

    def save(self, path: str | Path) -> None:
        """Write the book to a file, atomically."""
        with atomic_write(Path(path)) as beside, beside.open("wb") as file:
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
            The file cannot be read, or is not a book.
        """
        try:
            with np.load(path, allow_pickle=False) as arrays:
                width, height, connect, plies = (int(word) for word in arrays["size"])
                keys = np.cumsum(arrays["steps"], dtype=np.uint64)
                scores = arrays["scores"].astype(np.int8)
        except OSError as error:
            raise ValueError(f"book must be a file that can be read; got {path} ({error.strerror or error})") from None
        except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
            raise ValueError(f"book must be a file of python -m connect4.solver.build_book; got {path}") from None
        if len(keys) != len(scores):
            raise ValueError(f"book must have a score for each position; {path} has {len(scores)} for {len(keys)}")
        return cls((width, height, connect), plies, keys, scores)


@functools.lru_cache(maxsize=4)
def packaged_book(width: int, height: int, connect: int) -> Book | None:
    """Return the packaged book of a board, read once; None where the package has none."""
    file = DATA / f"book_{width}x{height}_connect{connect}.npz"
    return Book.load(file) if file.is_file() else None


def key_of(board: Board) -> int:
    """Return the smaller key of a position and its mirror image."""
    mine, theirs = board.stones(board.to_move), board.stones(-board.to_move)
    stride = board.height + 1
    key = 2 * mine + theirs + sum(1 << stride * number for number in range(board.width))
    return min(key, mirror(key, stride, board.width))
