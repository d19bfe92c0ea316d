"""The work of an experiment on random play, cut into parts; each leaves its result as one small JSON file.

The cut depends only on the numbers asked for, never on the workers, and what a part finds depends only on the seed and
on its place, so that a killed run is finished with the same bytes by any executor.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from connect4.combinatorics.counting import Ply
from experiments.engine.store import write_text

if TYPE_CHECKING:
    from connect4.combinatorics.estimates import GameSums, PositionSums, Sums

GAMES, PATHS, POSITION_PATHS, FILLINGS, EXACT = "games", "paths", "position_paths", "fillings", "exact_positions"
_CELLS = {GAMES: 4_200_000, PATHS: 840_000, FILLINGS: 4_200_000}  # of all boards of a part; 0.05 to 0.2 seconds
_POSITION_PATHS = 500  # of a part; 0.2 seconds on 7 x 6, 1 second on 8 x 8


@dataclass(frozen=True)
class Part:
    """One part of the work, and the file that holds its result once it is done.

    Attributes
    ----------
    kind : str
        The key of the configuration that says how much there is to do.
    shape : tuple of int
        Width, height and connect.
    seed : int
    first, amount : int
        Which games, paths or fillings; for the exact count, 0 and the most positions of a ply.
    folder : Path
    """

    kind: str
    shape: tuple[int, int, int]
    seed: int
    first: int
    amount: int
    folder: Path

    @property
    def path(self) -> Path:
        """The part's file, there only when it is whole."""
        return self.folder / f"{self.kind}_{self.first:012d}.json"

    def __call__(self) -> None:
        """Do the work and store what it found."""
        start = time.perf_counter()
        found = _WORK[self.kind](self)
        write_text(self.path, json.dumps({"found": found, "seconds": time.perf_counter() - start}))

    def read(self) -> Any:
        """Return what the part found."""
        return json.loads(self.path.read_text(encoding="utf-8"))["found"]

    def seconds(self) -> float:
        """Return how long the work took."""
        return float(json.loads(self.path.read_text(encoding="utf-8"))["seconds"])


def plan(amounts: Mapping[str, int], shape: tuple[int, int, int], seed: int, folder: Path) -> list[Part]:
    """Cut the work into parts; the exact count, which cannot be cut, is the first of them."""
    parts = [Part(EXACT, shape, seed, 0, amounts[EXACT], folder)] if EXACT in amounts else []
    sizes = {kind: max(1, cells // (shape[0] * shape[1])) for kind, cells in _CELLS.items()}
    for kind, size in {**sizes, POSITION_PATHS: _POSITION_PATHS}.items():
        total = amounts.get(kind, 0)
        parts += [Part(kind, shape, seed, first, min(size, total - first), folder) for first in range(0, total, size)]
    return parts


def lengths(parts: Sequence[Part]) -> npt.NDArray[np.int64]:
    """Return how many games had each result and length, int64[3, cells + 1]: row 1, -1 or 0."""
    found: npt.NDArray[np.int64] = np.array([part.read() for part in parts if part.kind == GAMES], dtype=np.int64).sum(
        axis=0
    )
    return found


def mixed(parts: Sequence[Part]) -> int:
    """Return how many fillings have no line in one colour."""
    return sum(part.read() for part in parts if part.kind == FILLINGS)


def sums(parts: Sequence[Part], kind: str) -> dict[str, Sums]:
    """Return the joined sums of all paths of a kind, by name."""
    from connect4.combinatorics.estimates import Sums

    found = [part.read() for part in parts if part.kind == kind]
    return {name: Sums.join([_sums(one[name]) for one in found]) for name in found[0]}


def exact(parts: Sequence[Part]) -> list[Ply]:
    """Return what was counted, from ply 0 on."""
    return [Ply(**one) for part in parts if part.kind == EXACT for one in part.read()]


def _play(part: Part) -> list[list[int]]:
    from connect4.combinatorics.random_games import random_games

    record = random_games(*part.shape, part.amount, part.seed, part.first)
    table = np.zeros((3, part.shape[0] * part.shape[1] + 1), dtype=np.int64)
    np.add.at(table, (record.results, record.lengths), 1)  # result -1 is the last row
    rows: list[list[int]] = table.tolist()
    return rows


def _walk_games(part: Part) -> dict[str, Any]:
    from connect4.combinatorics.estimates import walk_games

    return _plain(walk_games(*part.shape, part.amount, part.seed, part.first))


def _walk_positions(part: Part) -> dict[str, Any]:
    from connect4.combinatorics.estimates import walk_positions

    return _plain(walk_positions(*part.shape, part.amount, part.seed, part.first))


def _fill(part: Part) -> int:
    from connect4.combinatorics.estimates import mixed_fillings

    return mixed_fillings(*part.shape, part.amount, part.seed, part.first)


def _count(part: Part) -> list[dict[str, Any]]:
    from connect4.combinatorics.counting import count
    from connect4.kernels.encode import fits_bitboard

    if not fits_bitboard(*part.shape[:2]):
        return []
    return [dataclasses.asdict(ply) for ply in count(*part.shape, most=part.amount)]


def _plain(found: GameSums | PositionSums) -> dict[str, Any]:
    """Return sums as JSON holds them; floats come back with every bit."""
    return {
        name: {key: value if key == "count" else value.tolist() for key, value in vars(one).items()}
        for name, one in vars(found).items()
    }


def _sums(values: Mapping[str, Any]) -> Sums:
    from connect4.combinatorics.estimates import Sums

    return Sums(values["count"], *(np.array(values[name]) for name in ("peak", "total", "squares")))


_WORK: dict[str, Callable[[Part], Any]] = {
    GAMES: _play,
    PATHS: _walk_games,
    POSITION_PATHS: _walk_positions,
    FILLINGS: _fill,
    EXACT: _count,
}
