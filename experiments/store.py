"""The folder of a run: its configuration, which nobody changes under it; its shards; its tables; its manifest.

A run that was killed is started again in its own folder and plays only what is missing. Tables are made from the shards
in the order of the replications, so that they have the same bytes however often the run was interrupted.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from omegaconf import OmegaConf

from numerics.files import halves, written_whole

_NOT_SETTINGS = ("executor",)  # who runs it changes no number
_LIBRARIES = ("numpy", "scipy", "pandas", "numba", "pyarrow", "matplotlib", "hydra-core", "joblib")


@dataclass(frozen=True)
class RunFolder:
    """An open run folder; `with RunFolder.open(...)` holds its lock."""

    path: Path
    config: Mapping[str, Any]

    @property
    def shards(self) -> Path:
        """Where the shards lie until the tables are made."""
        return self.path / "shards"

    @property
    def manifest(self) -> dict[str, Any] | None:
        """What is known of a finished run, or None while it is not."""
        return read_manifest(self.path)

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path, config: Mapping[str, Any], code: str) -> Iterator[RunFolder]:
        """Make or enter a run's folder.

        Parameters
        ----------
        path : Path
        config : mapping
            The resolved configuration; what it says of the executor may change between two starts.
        code : str
            A digest of the source and the input data that the numbers depend on.

        Raises
        ------
        ValueError
            The folder belongs to another configuration, to other code or data, or another process works in it.
        """
        path.mkdir(parents=True, exist_ok=True)
        with _lock(path):
            folder = cls(path, config)
            folder._sweep_up()
            folder._claim(code)
            folder.shards.mkdir(exist_ok=True)
            try:
                yield folder
            finally:
                folder._sweep_up()  # a thread that a failure left behind may have been writing

    def _sweep_up(self) -> None:
        """Remove the halves that a killed process, or a failed one, left beside their places."""
        for place in (self.path, self.shards, self.path / "figures"):
            for half in halves(place):
                half.unlink(missing_ok=True)

    def _claim(self, code: str) -> None:
        """Write the configuration into an empty folder, or compare with what lies there."""
        file = self.path / "config.yaml"
        if file.exists():
            before = OmegaConf.to_container(OmegaConf.load(file))
            for key, was, now in differences(before, _plain(self.config)):
                raise ValueError(
                    f"hydra.run.dir {str(self.path)!r} holds a run with {key}={was}, not {now}; "
                    "give the same settings to finish it, or another folder"
                )
            if (self.path / "source.digest").read_text().strip() != code:
                raise ValueError(
                    f"hydra.run.dir {str(self.path)!r} holds a run of other source code or input data; "
                    "give another folder"
                )
            return
        taken = sorted(entry.name for entry in self.path.iterdir() if entry.name not in (".lock", "source.digest"))
        if taken:
            raise ValueError(
                f"hydra.run.dir {str(self.path)!r} holds other files ({', '.join(taken[:3])}); "
                "give a new or an empty folder"
            )
        write_text(self.path / "source.digest", code + "\n")
        write_text(file, OmegaConf.to_yaml(OmegaConf.create(dict(self.config))))

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest, which says that every table is there, and let go of the shards."""
        write_text(
            self.path / "manifest.json", json.dumps({**_machine(), **facts}, indent=2, ensure_ascii=False) + "\n"
        )
        self.drop_shards()

    def drop_shards(self) -> None:
        """Remove the shards of a finished run."""
        shutil.rmtree(self.shards, ignore_errors=True)


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return a finished run's manifest, or None where there is none."""
    file = path / "manifest.json"
    if not file.is_file():
        return None
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not the manifest of a run: {error}") from error
    return found


def differences(before: Any, now: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield every setting that differs between two configurations: its dotted key and both values."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in {**before, **now}:
            if key or name not in _NOT_SETTINGS:
                yield from differences(before.get(name), now.get(name), f"{key}.{name}" if key else str(name))
    elif before != now:
        yield key, before, now


def write_text(path: Path, text: str) -> None:
    """Write a small file, whole or not at all."""
    with written_whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the folder; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two processes in one folder do the same work twice, with the same bytes
        yield
        return
    file: IO[str]
    with (path / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(f"hydra.run.dir {str(path)!r}: another process is working in this folder") from error
        except OSError:
            pass  # a file system without locks
        yield


def _plain(config: Mapping[str, Any]) -> Any:
    """Return the configuration as YAML would give it back."""
    return OmegaConf.to_container(OmegaConf.create(OmegaConf.to_yaml(OmegaConf.create(dict(config)))))


def _machine() -> dict[str, Any]:
    """Return what a reader needs to know of where a run was made."""
    return {
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "versions": {name: importlib.metadata.version(name) for name in _LIBRARIES},
        "commit": _commit(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }


def _commit() -> str | None:
    """Return the commit of the project's checkout, marked where files differ from it; None outside one."""
    here = Path(__file__).resolve().parent.parent
    try:
        said = subprocess.run(
            ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True, text=True, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() or None
