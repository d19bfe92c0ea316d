"""`python -m experiments.plot FOLDER`: draw the figures of a run or sweep again from its tables; nothing is played."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments import kinds, report, swept
from experiments.failures import guarded, leave
from experiments.store import read_config, read_finished


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the figures lie."""
    parser = argparse.ArgumentParser(prog="python -m experiments.plot", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of a run, such as results/regret/<time>, or of a sweep")
    parser.add_argument(
        "--log", action="store_true", help="of a run of regret: draw nothing but regret on a logarithmic time axis"
    )
    parser.add_argument(
        "--policies",
        action="append",
        metavar="LABELS",
        help="of a run of regret: draw only these policies, separated by commas (a label with a comma: alone, in an "
        "option of its own), into a folder named after them in figures/, so that the run's own figures are kept",
    )
    given = parser.parse_args(arguments)
    for path in _draw(given.folder, {"log": given.log, "policies": given.policies}):
        report.say(str(path))


def _draw(folder: Path, options: Mapping[str, Any]) -> list[Path]:
    if not folder.is_dir():
        raise ValueError(f"folder {str(folder)!r}: no such folder; give one that a run or a sweep has made")
    chosen = {name: value for name, value in options.items() if value}
    if (folder / swept.NAME).is_file():
        for name in chosen:
            raise ValueError(f"--{name} is for one run of regret; {str(folder)!r} holds a sweep")
        return _draw_sweep(folder)
    if read_finished(folder) is None or not (folder / "config.yaml").is_file():
        raise ValueError(f"folder {str(folder)!r}: no manifest.json of a finished run in it, nor sweep.json of a sweep")
    kind = str(read_config(folder / "config.yaml").get("kind"))
    drawer = kinds.drawer(kind)
    if drawer is None:
        raise ValueError(f"folder {str(folder)!r}: a run of kind {kind} cannot be drawn again; run it in a new folder")
    for name in chosen:
        if kind not in ("regret", "comparison"):
            raise ValueError(f"--{name} is for runs of regret; {str(folder)!r} holds a run of kind {kind}")
    return drawer(folder, **chosen)


def _draw_sweep(folder: Path) -> list[Path]:
    kind, jobs, varied = swept.recall(folder)
    put = kinds.together(kind)
    if put is None:
        raise ValueError(f"{folder / swept.NAME} names no kind of sweep; got {kind!r}")
    with report.muted():
        put(jobs, varied, folder)
    return sorted((folder / "figures").iterdir())


if __name__ == "__main__":
    leave(guarded(main))
