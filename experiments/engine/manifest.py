"""The manifest of a finished run: its tables with their digests, its facts, the machine, the versions, the command.

Sheets and figures read tables, facts and the configuration. Each has a digest, so a changed or damaged file is refused
here, once for all readers.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from numerics import __version__

_TABLES = (".parquet", ".csv")
_CONFIG = "config.yaml"
_DIGEST = "digest"  # of all else in the manifest, and of the configuration
_LIBRARIES = ("numpy", "scipy", "pandas", "numba", "pyarrow", "matplotlib", "hydra-core")


def manifest_of(path: Path, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest of a run that has just written its tables into a folder; `facts` are what its kind adds."""
    tables = {file.name: _digest(file) for file in sorted(path.iterdir()) if file.suffix in _TABLES}
    machine = {
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "versions": {"treebandit": __version__, **{name: importlib.metadata.version(name) for name in _LIBRARIES}},
        "commit": _commit(),
        "command": command(sys.argv),
    }
    contents = json.loads(json.dumps({**machine, **facts, "tables": tables}))
    return {**contents, _DIGEST: _digest_of_facts(path, contents)}


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return a finished run's manifest, or None where there is none.

    Raises
    ------
    ValueError
        The manifest, or the configuration beside it, was changed after the run.
    """
    file = path / "manifest.json"
    if not file.is_file():
        return None
    try:
        manifest: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not a valid manifest: {error}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("tables"), dict):
        raise ValueError(f"{file} is not a valid manifest: it lists no tables")
    digest = manifest.pop(_DIGEST, None)
    if digest != _digest_of_facts(path, manifest):
        raise ValueError(f"{file} or {_CONFIG} was changed after the run; {_cure(path)}")
    return manifest


def read_finished(path: Path) -> dict[str, Any] | None:
    """Return a finished run's manifest after checking its tables, or None where there is none.

    Raises
    ------
    ValueError
        A table is missing or changed, or `read_manifest` refuses the manifest.
    """
    manifest = read_manifest(path)
    for name, digest in (manifest or {}).get("tables", {}).items():
        table = path / name
        if not table.is_file():
            raise ValueError(f"{table}: this table of the finished run is missing; {_cure(path)}")
        if _digest(table) != digest:
            raise ValueError(f"{table}: this table was changed after the run (its digest differs); {_cure(path)}")
    return manifest


def require_finished(path: Path) -> dict[str, Any]:
    """Return a finished run's manifest after checking its tables.

    Raises
    ------
    ValueError
        No finished run, or `read_finished` refuses its files.
    """
    manifest = read_finished(path)
    if manifest is None:
        raise ValueError(f"folder {str(path)!r} holds no finished run or sweep (no manifest.json, no sweep.csv)")
    return manifest


@contextlib.contextmanager
def reading_runs(folder: Path) -> Iterator[None]:
    """Refuse runs of an earlier version, which lack a column or a fact, in one sentence.

    Raises
    ------
    ValueError
        In place of KeyError, unless this version wrote the runs.
    """
    try:
        yield
    except KeyError as error:
        manifests = [json.loads(file.read_text(encoding="utf-8")) for file in folder.rglob("manifest.json")]
        if all(manifest["commit"] == _commit() for manifest in manifests):
            raise
        raise ValueError(
            f"folder {str(folder)!r} was written by an earlier version, without {error}; run it again"
        ) from error


def _cure(path: Path) -> str:
    return f"restore the file, or remove the folder {path} and run again"


def _digest_of_facts(path: Path, contents: Mapping[str, Any]) -> str:
    """Return the digest of a manifest's contents, as JSON gives them back, and of the configuration beside it."""
    config = path / _CONFIG
    total = hashlib.sha256(json.dumps(contents, sort_keys=True).encode())
    total.update(config.read_bytes() if config.is_file() else b"")
    return total.hexdigest()


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def command(words: Sequence[str]) -> list[str]:
    """Return a process's arguments as a user types them.

    Examples
    --------
    >>> command(["/somewhere/experiments/run.py", "bandit=ucb"])
    ['python', '-m', 'experiments.run', 'bandit=ucb']
    """
    script = Path(words[0])
    if script.name == "__main__.py":  # of a folder that is a command
        script = script.parent.with_suffix(".py")
    is_ours = script.suffix == ".py" and script.parent.name == "experiments"
    return ["python", *(["-m", f"experiments.{script.stem}"] if is_ours else [words[0]]), *words[1:]]


def _commit() -> str | None:
    """Return the commit of the project's checkout, marked where files differ from it; None outside one."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():  # else an installed package would name the commit of a repository around it
        return None
    try:
        answered = subprocess.run(
            ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True,
            encoding="utf-8",
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answered.stdout.strip() or None
