"""The folder of a run: its configuration, protected against changes, and its shards.

A run that was killed resumes in its folder and plays only the missing tasks. Tables are made from the shards in the
order of the replications, so that they have the same bytes however often the run was interrupted.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from omegaconf import OmegaConf

from experiments.engine.experiment import DRAWING
from experiments.engine.manifest import manifest_of
from numerics.output.files import atomic_write, is_temporary, stale_temporaries

NOT_SETTINGS = ("executor", *DRAWING)  # who runs it, and what is drawn, change no number
_ABSENT = object()  # in place of the value of a key that is not there
COMBINATION = "combination.json"  # what a sweep notes in the folder of each of its runs
_OURS = (".lock", "source.digest", COMBINATION)  # what a folder may hold before its configuration


@dataclass(frozen=True)
class RunFolder:
    """An open run folder; `with RunFolder.open(...)` holds its lock."""

    path: Path
    config: Mapping[str, Any]

    @property
    def shards(self) -> Path:
        """Where the shards lie until the tables are made."""
        return self.path / "shards"

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path, config: Mapping[str, Any], code: str, *, alone: bool = True) -> Iterator[RunFolder]:
        """Create or enter a run's folder.

        Parameters
        ----------
        path : Path
        config : mapping
            The resolved configuration; its executor may change between two starts.
        code : str
            A digest of the source and the input data that the numbers depend on.
        alone : bool, default True
            Whether no other process may work in the folder, which a lock sees to.

        Raises
        ------
        ValueError
            The folder belongs to another configuration, to other code or data, or another process works in it.
        """
        path.mkdir(parents=True, exist_ok=True)
        folder = cls(path, config)
        folder._check(code)  # first without the lock, which is a file: a refused folder stays untouched
        with _lock(path) if alone else contextlib.nullcontext():
            if alone:
                _remove_temporaries(path)
            if not folder._check(code):
                write_text(path / "source.digest", code + "\n")
                write_text(path / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(dict(config))))
            if not (path / "manifest.json").is_file():
                folder.shards.mkdir(exist_ok=True)
            try:
                yield folder
            finally:
                if alone:
                    _remove_temporaries(path)  # a thread that outlived a failure may have been writing

    def _check(self, code: str) -> bool:
        """Refuse a folder that holds another run or other files; return whether it holds this run.

        The folder is listed once: another part of the same run may be claiming it at this moment.
        """
        file, option, names = self.path / "config.yaml", f"hydra.run.dir {str(self.path)!r}", os.listdir(self.path)
        if file.name not in names:
            if taken := sorted(name for name in names if name not in _OURS and not is_temporary(name)):
                raise ValueError(f"{option} holds other files ({', '.join(taken[:3])}); give a new or empty folder")
            return False
        as_yaml = OmegaConf.to_yaml(OmegaConf.create(dict(self.config)))  # as it would come back from the file
        before, now = flat(read_config(file)), flat(OmegaConf.to_container(OmegaConf.create(as_yaml)))
        for key in {**before, **now}:
            if before.get(key, _ABSENT) != now.get(key, _ABSENT):
                holds = f"with {key}={before[key]}, not" if key in before else f"without {key}, not with"
                other = now.get(key, "without it")
                raise ValueError(
                    f"{option} holds a run {holds} {other}; give the same settings to resume it, or another folder"
                )
        digest = self.path / "source.digest"
        if not digest.is_file() or digest.read_bytes().strip() != code.encode():
            raise ValueError(f"{option} holds a run with other source code or input data; give another folder")
        return True

    def finish(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Write the manifest, which lists the tables of the finished run; then remove the shards; return it."""
        contents = manifest_of(self.path, facts)
        write_text(self.path / "manifest.json", json.dumps(contents, indent=2, ensure_ascii=False) + "\n")
        shutil.rmtree(self.shards, ignore_errors=True)
        return contents


def _remove_temporaries(path: Path) -> None:
    """Remove the temporary files that a killed or failed process left in the folder of a run or a sweep."""
    figures = path / "figures"  # folders in it hold the figures of some policies
    for directory in (path, path / "shards", figures, *filter(Path.is_dir, figures.glob("*"))):
        for temporary in stale_temporaries(directory):
            temporary.unlink(missing_ok=True)


def remove_empty(folder: Path) -> bool:
    """Remove a folder if it is empty; return whether it was."""
    with contextlib.suppress(OSError):
        folder.rmdir()
        return True
    return False


def read_config(file: Path) -> dict[str, Any]:
    """Return the keys and values of a YAML file.

    Raises
    ------
    ValueError
        It holds something else, such as a truncated file.
    """
    try:
        settings: Any = OmegaConf.to_container(OmegaConf.load(file))
        if isinstance(settings, dict):
            return settings
        reason = f"its content is of type {type(settings).__name__}"
    except Exception as error:  # of three libraries
        if isinstance(error, OSError) and error.errno:
            raise
        reason = " ".join(str(error).split())
    raise ValueError(f"{file} is not a valid configuration of a run or sweep ({reason}); give another folder")


def flat(node: Any, key: str = "") -> dict[str, Any]:
    """Return a configuration with dotted keys and lists as text, without the keys that change no number."""
    if isinstance(node, Mapping):
        return {
            inner: value
            for name, part in node.items()
            if key or name not in NOT_SETTINGS
            for inner, value in flat(part, f"{key}.{name}" if key else str(name)).items()
        }
    return {key: json.dumps(node, ensure_ascii=False) if isinstance(node, list) else node}


def write_text(path: Path, text: str) -> None:
    """Write a small file, whole or not at all."""
    with atomic_write(path) as beside:
        beside.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Lock a folder; the lock ends with the process, even a killed one."""
    lock = FileLock(path / ".lock", blocking=False)
    try:
        lock.acquire()
    except Timeout:
        other = "another process is using this folder; give another folder"
        raise ValueError(f"hydra.run.dir {str(path)!r}: {other}") from None
    except (OSError, NotImplementedError):
        pass  # a file system without locks
    try:
        yield
    finally:
        lock.release()
