"""The judge: an engine's moves and values by exact scores, by kind and ply, compared with known engines.

It asks as `experiment=strength` does. On 7 x 6 the positions are the packed ones; on other boards they are drawn and
solved first. Every second group of six positions is asked a second time, after its best move, for the engine's value:
see `experiments.kinds.judge.results`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from connect4 import Board, Solver
from connect4.lines import LARGEST
from experiments.engine import printing
from experiments.engine.experiment import SHARDS
from experiments.engine.tasks import Task, parts_of
from experiments.graded_positions.__main__ import found_by, search, settle
from experiments.graded_positions.moves import GradedMoves
from experiments.graded_positions.positions import ALL, BOTH, MIXTURES, SETS, Graded, take_in_turns
from experiments.kinds.judge import judge_figures, mistakes, reference
from experiments.kinds.judge.judge_sheets import BY_KIND, BY_PLIES, LEAGUE, notes
from experiments.kinds.judge.results import ask_values, paired_positions, write_tables
from numerics.checks import accept_any
from numerics.output import tables
from numerics.parameters import parameter

_BLOCK = 7  # positions of a part
_CANDIDATES = 5  # of each number: small boards have few positions
_PACKED = (7, 6, 4)  # the board of the packed sets
_MOST_DRAWN = 100_000  # positions of other boards


def positions_of_tasks(tasks: Sequence[Task], size: tuple[int, int, int], positions: int) -> list[tuple[Graded, str]]:
    """Return the positions that these tasks drew, and the kind of each; no two are the same or mirror images.

    Raises
    ------
    ValueError
        A board without a position in which a move can lose the value.
    """
    kinds: dict[str, list[Graded]] = {}
    for kind in MIXTURES[BOTH]:
        of_kind = [task for task in tasks if task.arguments[0] == kind]
        kinds[kind], _ = settle(
            found_by(of_kind, size),
            [position for positions_of_kind in kinds.values() for position in positions_of_kind],
        )
    drawn = list(take_in_turns(kinds, MIXTURES[BOTH]))[:positions]
    if not drawn:
        columns, rows, connect = size
        raise ValueError(
            f"board {columns}x{rows} with connect={connect} has no position of this seed in which moves differ in value"
        )
    return drawn


class Judge(GradedMoves, name="judge"):
    """Engines judged by exact scores on the test set, or on positions of another board, beside known engines."""

    positions: int = parameter(6_000, check=accept_any, help="the first ones; 6,000 are the test set")
    positions_from: str = parameter(ALL, choices=SETS, help="all: the test set, then the held-out one; on 7x6 only")
    board: str = parameter("7x6", help="columns x rows; on others than 7x6, positions are drawn and solved first")
    connect: int = parameter(4, low=2, high=LARGEST, help="stones in a row that win")
    reference: str = parameter("", check=lambda _, value: str(value), help="a table of known engines; ours if empty")

    figures = judge_figures.FIGURES
    sheets = (LEAGUE, BY_KIND, BY_PLIES, mistakes.WORST)
    notes = staticmethod(lambda folder, facts: [*notes(folder, facts), *mistakes.notes(folder, facts)])

    @property
    def size(self) -> tuple[int, int, int]:
        """Columns, rows and the stones in a row that win."""
        board = Board.of_size(self.board, self.connect)
        return board.width, board.height, board.connect

    @property
    def is_packed(self) -> bool:
        """Whether the positions come with the package."""
        return self.size == _PACKED

    def prepare(self) -> None:
        reference.read(self.reference)
        if not self.is_packed:
            Solver(*self.size, table_bits=14)  # refuses what cannot be solved
        super().prepare()

    @property
    def most(self) -> int:
        return super().most if self.is_packed else _MOST_DRAWN

    def announce(self) -> None:
        if self.is_packed:
            super().announce()
        else:
            printing.say(
                f"{self.positions:,} positions on {self.board} with {self.connect} in a row are drawn and solved"
            )

    def chosen(self, folder: Path) -> Sequence[tuple[Graded, str]]:
        """Return the positions of a run in a folder, and the kind of each; drawn ones after the first stage."""
        return (
            super().chosen(folder)
            if self.is_packed
            else positions_of_tasks(self._drawing(folder), self.size, self.positions)
        )

    def _drawing(self, folder: Path) -> list[Task]:
        """Return the tasks that draw and solve positions of another board."""
        count = -(-self.positions // len(MIXTURES[BOTH]))
        return [
            Task(
                folder / SHARDS / f"drawn_{kind}{part[0]:07d}.json",
                search,
                (kind, self.seed, part, _CANDIDATES, self.size),
                len(part),
            )
            for kind in MIXTURES[BOTH]
            for part in parts_of(count, _BLOCK)
        ]

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        if not self.is_packed:
            yield self._drawing(folder)
        yield self.tasks(folder)

    def tasks(self, folder: Path) -> list[Task]:
        return [*self.asking(folder), *self._valuing(folder)]

    def _valuing(self, folder: Path) -> list[Task]:
        """Return the tasks that ask for values after the best moves."""
        chosen = self.chosen(folder)
        numbers = paired_positions(chosen)
        return [
            Task(
                folder / SHARDS / f"values{index:04d}_pair{part[0]:07d}.parquet",
                ask_values,
                (engine, self.seed, [(numbers[pair], chosen[numbers[pair]][0]) for pair in part]),
                len(part),
            )
            for index, engine in enumerate(self.asked)
            for part in parts_of(len(numbers), among=len(self.asked))
        ]

    def source_fingerprint(self) -> str:
        positions = super().source_fingerprint() if self.is_packed else self.size
        return f"{positions}\n{reference.read(self.reference).to_csv()}"

    def tables(self, folder: Path) -> dict[str, Any]:
        facts, chosen = super().tables(folder), self.chosen(folder)
        write_tables(folder, chosen, [task.path for task in self._valuing(folder)])
        wrong = mistakes.mistakes_of(tables.read(folder / "choices.parquet"), chosen)
        tables.write(wrong, folder / mistakes.TABLE)
        if self.is_packed:
            tables.write(reference.read(self.reference), folder / "reference.csv")
        return facts | {"board": self.board, "connect": self.connect, "positions": len(chosen)}
