"""The folder given to a command: its path, or `latest` for the newest run."""

from __future__ import annotations

from pathlib import Path

from experiments.engine.sweep.table import TABLE

_FINISHED = ("manifest.json", TABLE)  # what a finished run or sweep has


def existing(folder: Path) -> Path:
    """Return an existing folder; `FOLDER/latest` is the run or sweep in FOLDER that finished last.

    Raises
    ------
    ValueError
        No such folder, or none in it of a finished run.
    """
    if folder.is_dir():
        return folder
    if folder.name != "latest":
        near = [folder.parent, *sorted(filter(Path.is_dir, folder.parent.glob("*")))]
        hint = next((f", or {root / 'latest'} for the newest one" for root in near if _finishing_files(root)), "")
        raise ValueError(f"folder {str(folder)!r}: no such folder; give the folder of a run or sweep{hint}")
    finished = _finishing_files(folder.parent)
    if not finished:
        raise ValueError(f"folder {str(folder)!r}: no finished run or sweep in {str(folder.parent)!r}")
    return max(finished, key=lambda file: (file.stat().st_mtime_ns, file)).parent


def is_of_a_sweep(folder: Path) -> bool:
    """Say whether a folder is that of a finished sweep; a run of `uct_sweep` has a manifest beside its table."""
    return (folder / TABLE).is_file() and not (folder / "manifest.json").is_file()


def _finishing_files(folder: Path) -> list[Path]:
    """Return the file that says that it has finished, of each run and sweep in a folder."""
    return [file for name in _FINISHED for file in folder.glob(f"*/{name}")]
