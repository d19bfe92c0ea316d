"""The folder that a command is given: its path, or `latest` in place of the time in it."""

from __future__ import annotations

from pathlib import Path

from experiments.engine import sweep

_FINISHED = ("manifest.json", sweep.NAME)  # what a finished run or sweep has


def existing(folder: Path) -> Path:
    """Return a folder that is there; `FOLDER/latest` is the run or sweep in FOLDER that was finished last.

    Raises
    ------
    ValueError
        No such folder, or none in it of a finished run.
    """
    if folder.is_dir():
        return folder
    if folder.name != "latest":
        places = [folder.parent, *sorted(filter(Path.is_dir, folder.parent.glob("*")))]
        near = next((f", or {place / 'latest'} for the newest one there" for place in places if _finished(place)), "")
        raise ValueError(f"folder {str(folder)!r}: no such folder; give one that a run or a sweep has made{near}")
    finished = _finished(folder.parent)
    if not finished:
        raise ValueError(f"folder {str(folder)!r}: no finished run or sweep in {str(folder.parent)!r}")
    return max(finished, key=lambda file: (file.stat().st_mtime_ns, file)).parent


def _finished(folder: Path) -> list[Path]:
    """Return the file that says that it has finished, of each run and sweep in a folder."""
    return [file for name in _FINISHED for file in folder.glob(f"*/{name}")]
