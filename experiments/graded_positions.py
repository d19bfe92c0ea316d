"""`python -m experiments.graded_positions`: draw positions at random and solve every move of them.

Position number i comes after 8 + i mod 21 uniform random plies: it is the first one, of the random games numbered
1,000 i, 1,000 i + 1, ... of the seed, that goes on after so many plies, has no win at once for the side to move, has a
legal move that loses its value, and is not the position of a smaller number. What is found depends on nothing else, so
that a command that was killed goes on where it was, and any number of workers writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from connect4 import Board, Solver
from connect4.playouts import random_games
from experiments import executors, report
from experiments.failures import guarded, leave
from experiments.graded import TABLE, Graded, read, sign, write
from experiments.store import RunFolder, write_text
from numerics import checks
from numerics.random import derived_seed
from numerics.sources import digest

LEAST_PLIES, MOST_PLIES = 8, 28
_PURPOSE = 220  # of the seed of the random games
_GAMES = 1_000  # that one position may be looked for in
_BLOCK = 7  # positions of a part: a third of all plies, so that parts take equally long
_MOST = 1_000_000


@dataclass(frozen=True)
class Part:
    """Positions `first` ... `first + count - 1`, and the file that holds what was found.

    For each there are `spare` more, in case that some are the positions of smaller numbers.
    """

    seed: int
    first: int
    count: int
    spare: int
    folder: Path

    @property
    def path(self) -> Path:
        """The part's file, there only when it is whole."""
        return self.folder / f"spare{self.spare}_position{self.first:07d}.json"

    def __call__(self) -> None:
        """Look for the positions and store them."""
        solver = Solver()
        found = [candidates(number, self.seed, 1 + self.spare, solver) for number in self._numbers]
        plain = [[[one.moves, one.scores] for one in own] for own in found]
        write_text(self.path, json.dumps(plain))

    def read(self) -> dict[int, list[Graded]]:
        """Return what was found for each number."""
        plain = json.loads(self.path.read_text(encoding="utf-8"))
        return {
            number: [Graded(tuple(moves), tuple(scores)) for moves, scores in own]
            for number, own in zip(self._numbers, plain, strict=True)
        }

    @property
    def _numbers(self) -> range:
        return range(self.first, self.first + self.count)


def candidates(number: int, seed: int, count: int, solver: Solver) -> list[Graded]:
    """Return the first positions that position `number` may be."""
    plies = LEAST_PLIES + number % (MOST_PLIES - LEAST_PLIES + 1)
    games = random_games(7, 6, 4, _GAMES, derived_seed(seed, (_PURPOSE,)), _GAMES * number)
    found: list[Graded] = []
    for moves, length in zip(games.moves, games.lengths, strict=True):
        if len(found) == count:
            break
        if length > plies:
            board = Board.from_moves(moves[:plies].tolist())
            if not board.winning_moves() and moves_differ(board, solver):
                found.append(Graded(board.moves, tuple(solver.scores(board))))
    return found


def moves_differ(board: Board, solver: Solver) -> bool:
    """Return whether two moves that do not end the game in a win differ in value, which costs less than their scores.

    A move of the higher value then keeps that of the position, or is below it too: either way one is lost by the other.
    """
    seen: set[float | None] = set()
    for column in board.legal_moves():
        after = board.copy()
        after.play(column)
        seen.add(0.5 if after.is_finished() else solver.solve(after, weak=True).value)
        if len(seen) > 1:
            return True
    return False


def settle(found: Mapping[int, Sequence[Graded]]) -> tuple[list[Graded], list[int]]:
    """Return of each number's candidates the first that is no smaller number's position, nor its mirror image.

    And the numbers that have none.
    """
    taken: set[Board] = set()
    kept, without = [], []
    for number in sorted(found):
        fresh = next((one for one in found[number] if one.board not in taken), None)
        if fresh is None:
            without.append(number)
        else:
            kept.append(fresh)
            taken |= {fresh.board, fresh.board.mirror()}
    return kept, without


def draw(positions: int, seed: int, folder: Path, workers: int | None) -> list[Graded]:
    """Return graded positions and leave them in a folder; what was found there before is not looked for again."""
    execute = executors.build({"kind": "threads", "workers": workers})
    table = folder / TABLE
    with RunFolder.open(folder, {"positions": positions, "seed": seed}, digest(__file__)) as store:
        if store.manifest is not None:
            return read(table.read_bytes())
        parts = [
            Part(seed, first, min(_BLOCK, positions - first), 0, store.shards) for first in range(0, positions, _BLOCK)
        ]
        report.carry_out(parts, execute, "positions")
        found = {number: own for part in parts for number, own in part.read().items()}
        kept, without = settle(found)
        spare = 0
        while without:
            spare += 1
            more = [Part(seed, number, 1, spare, store.shards) for number in without]
            report.carry_out(more, execute, "other positions")
            found |= {number: own for part in more for number, own in part.read().items()}
            kept, without = settle(found)
        write(kept, table)
        store.finish({"seed": seed, "positions": positions})
    return kept


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the table lies."""
    parser = argparse.ArgumentParser(prog="python -m experiments.graded_positions", description=__doc__)
    parser.add_argument("--positions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=None, help="threads; one a core unless given")
    parser.add_argument("--folder", type=Path, help="where; results/graded_positions/POSITIONS_SEED unless given")
    given = parser.parse_args(arguments)
    positions = checks.whole("--positions", given.positions, 1, most=_MOST)
    seed = checks.whole("--seed", given.seed, 0)
    folder: Path = given.folder or Path("results", "graded_positions", f"{positions}_{seed}")
    found = draw(positions, seed, folder, given.workers)
    wins, draws = (sum(sign(one.top) == value for one in found) for value in (1, 0))
    report.say(f"{positions:,} positions, {wins:,} won and {draws:,} drawn for the side to move")
    report.say(f"table: {folder / TABLE}")


if __name__ == "__main__":
    leave(guarded(main))
