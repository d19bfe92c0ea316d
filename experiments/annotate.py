"""`python -m experiments.annotate FOLDER`: each move of the games of a run judged by its exact score.

The tables and the figure lie in FOLDER/annotation, unless into= names another place. Which scores are found in time
depends on the machine; what is found is exact, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.engine import runs
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.folders import existing
from experiments.games.results import row_of
from experiments.kinds.annotation.experiment import Annotation
from experiments.kinds.annotation.game import show_game
from numerics.commands import Command, word
from numerics.parameters import parameter


class Annotate(Command, module="experiments.annotate"):
    """Which run is annotated, and how."""

    folder: str = word(help="of a match or tournament, such as results/match/latest")
    game: int | None = parameter(None, low=0, help="print this one game and its blunders instead")
    into: str | None = parameter(None, help="where; FOLDER/annotation unless given")
    seconds: float = parameter(Annotation.seconds, low=0.0, above=True, help="for a position at most")
    workers: int | None = parameter(None, low=1, help="threads; one a core unless given")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, judge, and say what is found."""
    given = Annotate.read(words)
    folder = existing(Path(given.folder))
    annotation = Annotation(executor=Threads(workers=given.workers), run=str(folder), seconds=given.seconds)
    if given.game is not None:
        games, empty = annotation.games
        show_game(row_of(games, given.game), empty, annotation.seconds)
        return
    config = annotation.config
    try:
        runs.perform(annotation, config, Path(given.into) if given.into else folder / "annotation")
    except ValueError as error:
        raise ValueError(str(error).replace("hydra.run.dir", "into", 1)) from None


if __name__ == "__main__":
    leave(guarded(main))
