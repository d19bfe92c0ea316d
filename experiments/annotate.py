"""`python -m experiments.annotate FOLDER`: each move of the games of a run judged by its exact score.

The tables and the figure lie in FOLDER/annotation, unless --into names another place. Which scores are found in time
depends on the machine; what is found is exact, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.engine import runs
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.folders import existing
from experiments.games.finished import row_of
from experiments.kinds.annotation.experiment import Annotation
from experiments.kinds.annotation.game import show_game


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, judge, and say what is found."""
    usual = Annotation.seconds
    parser = argparse.ArgumentParser(prog="python -m experiments.annotate", description=__doc__)
    parser.add_argument("folder", type=Path, help="of a match or tournament, such as results/match/latest")
    parser.add_argument("--game", metavar="NUMBER", help="print this one game and its blunders instead")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="where; FOLDER/annotation unless given")
    parser.add_argument("--seconds", default=str(usual), help=f"for a position at most; {usual:g} unless given")
    parser.add_argument("--workers", type=int, default=None, help="threads; one a core unless given")
    given = parser.parse_args(arguments)
    folder = existing(given.folder)
    seconds: Any = given.seconds
    with contextlib.suppress(ValueError):
        seconds = float(seconds)
    try:
        annotation = Annotation(executor=Threads(workers=given.workers), run=str(folder), seconds=seconds)
    except ValueError as error:
        raise ValueError(f"--{error}") from None
    if given.game is not None:
        if not (given.game.isascii() and given.game.isdigit()):
            raise ValueError(f"--game must be a whole number of at least 0; got {given.game!r}")
        games, empty = annotation.games
        show_game(row_of(games, int(given.game)), empty, annotation.seconds)
        return
    config = annotation.config
    try:
        runs.perform(annotation, config, given.into or folder / "annotation")
    except ValueError as error:
        raise ValueError(str(error).replace("hydra.run.dir", "--into", 1)) from None


if __name__ == "__main__":
    leave(guarded(main))
