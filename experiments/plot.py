"""`python -m experiments.plot FOLDER`: draw the figures of a run or sweep again from its tables; nothing is played."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.engine import printing, runs
from experiments.engine.errors import guarded, leave
from experiments.engine.folders import existing
from experiments.engine.sweep import combine
from numerics.commands import Command, word
from numerics.output import style
from numerics.parameters import parameter


class Plot(Command, module="experiments.plot"):
    """Which figures of which run."""

    folder: str = word(help="of a run or a sweep, such as results/regret/latest")
    log: bool = parameter(False, help="of regret: draw nothing but regret on a logarithmic time axis")
    policies: list[str] = parameter(
        [],
        help="of regret: draw only these policies, such as ucb,moss (one whose label has a comma: in brackets and "
        'quotes, ["ucb c=0.5, tuned"]), into a folder of their names in figures/, beside the figures of the run',
    )
    vectors: bool = parameter(False, help="save each figure as SVG and PDF too")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the figures lie."""
    given = Plot.read(words)
    with style.vectors(given.vectors):
        drawn = _draw(existing(Path(given.folder)), {"log": given.log, "policies": given.policies})
    for path in drawn:
        printing.say(str(path))


def _draw(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    if not os.access(folder, os.W_OK):
        raise ValueError(f"folder {str(folder)!r}: cannot be written; copy it to a place that can, and draw the copy")
    chosen = {name: value for name, value in options.items() if value}
    if not (folder / combine.NAME).is_file():
        return runs.draw_again(folder, chosen)
    return combine.draw_again(folder, chosen)


if __name__ == "__main__":
    leave(guarded(main))
