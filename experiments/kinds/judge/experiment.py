"""The judge: an engine's moves and values by exact scores, by kind and ply, compared with known engines.

It asks as `experiment=strength` does. Every second group of six positions is asked a second time, after its best move,
for the engine's value: see `experiments.kinds.judge.results`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.engine.experiment import SHARDS
from experiments.engine.tasks import Task, parts_of
from experiments.graded_positions.moves import GradedMoves
from experiments.graded_positions.positions import ALL, EARLY, SETS
from experiments.kinds.judge import judge_figures, mistakes, reference
from experiments.kinds.judge.judge_sheets import BY_KIND, BY_PLIES, LEAGUE, notes
from experiments.kinds.judge.results import ask_values, paired_positions, write_tables
from numerics.checks import accept_any
from numerics.output import tables
from numerics.parameters import parameter

_JUDGED = [name for name in SETS if EARLY not in name]


class Judge(GradedMoves, name="judge"):
    """Engines judged by exact scores on the test set, with known engines for comparison, or on another game."""

    positions: int = parameter(6_000, check=accept_any, help="number of positions; the first 6,000 are the test set")
    positions_from: str = parameter(
        ALL, choices=_JUDGED, help="set of positions; all: the test set, then the held-out set"
    )
    reference: str = parameter(
        "", check=lambda _, value: str(value), help="table of known engines; empty: the packaged one"
    )

    figures = judge_figures.FIGURES
    sheets = (LEAGUE, BY_KIND, BY_PLIES, mistakes.WORST)
    notes = staticmethod(lambda folder, facts: [*notes(folder, facts), *mistakes.notes(folder, facts)])

    def prepare(self) -> None:
        reference.read(self.reference)
        super().prepare()

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
        return f"{super().source_fingerprint()}\n{reference.read(self.reference).to_csv()}"

    def tables(self, folder: Path) -> dict[str, Any]:
        facts, chosen = super().tables(folder), self.chosen(folder)
        write_tables(folder, chosen, [task.path for task in self._valuing(folder)])
        wrong = mistakes.mistakes_of(tables.read(folder / "choices.parquet"), chosen)
        tables.write(wrong, folder / mistakes.TABLE)
        if self.is_packed:
            tables.write(reference.read(self.reference), folder / "reference.csv")
        return facts | {"board": self.board, "connect": self.connect, "positions": len(chosen)}
