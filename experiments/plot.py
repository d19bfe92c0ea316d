"""`python -m experiments.plot FOLDER`: draw the figures of a run or sweep again from its tables; nothing is played."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.engine import console, runs, sweep
from experiments.engine.errors import guarded, leave
from experiments.engine.folders import existing
from numerics.output import style


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the figures lie."""
    parser = argparse.ArgumentParser(prog="python -m experiments.plot", description=__doc__)
    parser.add_argument("folder", type=Path, help="of a run or a sweep, such as results/regret/latest")
    parser.add_argument(
        "--log", action="store_true", help="of regret: draw nothing but regret on a logarithmic time axis"
    )
    parser.add_argument(
        "--policies",
        action="append",
        metavar="LABELS",
        help="of regret: draw only these policies, separated by commas (a label with a comma: alone, in an "
        "option of its own), into a folder named after them in figures/, so that the run's own figures are kept",
    )
    parser.add_argument("--vectors", action="store_true", help="save each figure as SVG and PDF too")
    given = parser.parse_args(arguments)
    with style.vectors(given.vectors):
        drawn = _draw(existing(given.folder), {"log": given.log, "policies": given.policies})
    for path in drawn:
        console.say(str(path))


def _draw(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    if not os.access(folder, os.W_OK):
        raise ValueError(f"folder {str(folder)!r}: cannot be written; copy it to a place that can, and draw the copy")
    chosen = {name: value for name, value in options.items() if value}
    if not (folder / sweep.NAME).is_file():
        return runs.draw_again(folder, chosen)
    return sweep.draw_again(folder, chosen)


if __name__ == "__main__":
    leave(guarded(main))
