"""`python -m experiments.plot FOLDER`: draw the figures of a run again from its tables, without playing anything."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from omegaconf import OmegaConf

from experiments import kinds, report
from experiments.failures import guarded, leave
from experiments.store import read_manifest


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the figures lie."""
    parser = argparse.ArgumentParser(prog="python -m experiments.plot", description=__doc__)
    parser.add_argument("folder", type=Path, help="a run's folder, such as results/regret/<time>")
    parser.add_argument("--log", action="store_true", help="draw regret only on a logarithmic time axis")
    parser.add_argument("--policies", help="draw only these labels of a run of regret, separated by commas")
    given = parser.parse_args(arguments)
    folder: Path = given.folder
    if not folder.is_dir():
        raise ValueError(f"folder {str(folder)!r}: no such folder; give one that a run has made")
    if read_manifest(folder) is None or not (folder / "config.yaml").is_file():
        raise ValueError(f"folder {str(folder)!r}: no manifest.json of a finished run in it")
    kind = str(OmegaConf.load(folder / "config.yaml").kind)
    drawer = kinds.drawer(kind)
    if drawer is None:
        raise ValueError(f"folder {str(folder)!r}: a run of kind {kind} cannot be drawn again; run it in a new folder")
    options = {"log": given.log, "policies": given.policies.split(",") if given.policies else None}
    chosen = {name: value for name, value in options.items() if value}
    if chosen and not (folder / "curves.parquet").exists():
        raise ValueError(f"--{next(iter(chosen))} is for runs of regret; {str(folder)!r} holds a run of kind {kind}")
    for path in drawer(folder, **chosen):
        report.say(str(path))


if __name__ == "__main__":
    leave(guarded(main))
