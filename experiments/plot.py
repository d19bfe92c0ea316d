"""`python -m experiments.plot FOLDER`: draw the figures of a run or sweep again from its tables; nothing is played."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from experiments.engine import printing, runs
from experiments.engine.errors import guarded, leave
from experiments.engine.folders import existing, is_of_a_sweep
from experiments.engine.manifest import reading_runs
from experiments.engine.sweep import combine
from numerics.commands import Command, word
from numerics.output import style
from numerics.parameters import parameter


class Plot(Command, module="experiments.plot"):
    """Which figures of which run."""

    folder: str = word(help="folder of a run or sweep, such as results/regret/latest")
    log: bool = parameter(False, help="for regret: draw only the regret, on a logarithmic time axis")
    policies: list[str] = parameter(
        [],
        help="for regret: draw only these policies, such as ucb,moss, in a folder of their names in figures/; put "
        'a label with a comma in brackets and quotes, as ["ucb c=0.5, tuned"]',
    )
    vectors: bool = parameter(False, help="also save each figure as SVG and PDF")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the figures lie."""
    given = Plot.read(words)
    folder = existing(Path(given.folder))
    if not os.access(folder, os.W_OK):
        raise ValueError(f"folder {str(folder)!r} is not writable; copy it to a writable place and draw the copy")
    options = {name: value for name in ("log", "policies") if (value := getattr(given, name))}
    draw_again = combine.draw_again if is_of_a_sweep(folder) else runs.draw_again
    with style.vectors(given.vectors), reading_runs(folder):
        drawn = draw_again(folder, options)
    for path in drawn:
        printing.say(str(path))


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")  # commands show no window; to look for one loads pyplot
    leave(guarded(main))
