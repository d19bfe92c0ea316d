"""The folder of a run: its configuration, which nobody changes under it; its shards; its tables; its manifest.

A run that was killed is started again in its own folder and plays only what is missing. Tables are made from the shards
in the order of the replications, so that they have the same bytes however often the run was interrupted.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from omegaconf import OmegaConf

from experiments.engine.experiment import DRAWING
from numerics.output.files import atomic_write, names_kept, stale_temporaries
from treebandit import __version__

NOT_SETTINGS = ("executor", *DRAWING)  # who runs it, and what is drawn, change no number
ABSENT = object()  # in place of the value of a key that is not there
_PARTS = "parts"  # among the shards: into how many parts the tasks are cut
_TABLES = (".parquet", ".csv")
_LIBRARIES = ("numpy", "scipy", "pandas", "numba", "pyarrow", "matplotlib", "hydra-core")


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
        """What is known of a finished run, or None while it is not.

        Raises
        ------
        ValueError
            A table of the finished run is gone or changed, and its shards went when it was finished.
        """
        return read_finished(self.path)

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: Path, config: Mapping[str, Any], code: str, *, alone: bool = True) -> Iterator[RunFolder]:
        """Make or enter a run's folder.

        Parameters
        ----------
        path : Path
        config : mapping
            The resolved configuration; what it says of the executor may change between two starts.
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
        folder._check(code)  # first without the lock, which is a file: a folder that is refused stays untouched
        if (path / "manifest.json").is_file() and not os.access(path, os.W_OK):
            yield folder  # a finished run on a disk that is only read
            return
        with _lock(path, "hydra.run.dir") if alone else contextlib.nullcontext():
            alone = alone and folder.parts is None  # else what looks left behind may be in the midst of being written
            if alone:
                folder._sweep_up()
            folder._claim(code)
            folder.shards.mkdir(exist_ok=True)
            try:
                yield folder
            finally:
                if alone:
                    folder._sweep_up()  # a thread that a failure left behind may have been writing

    @property
    def parts(self) -> int | None:
        """How many parts the tasks were cut into by processes that did one part each; None if there were none."""
        with contextlib.suppress(OSError):
            return int((self.shards / _PARTS).read_text())
        return None

    def cut_into(self, parts: int) -> None:
        """Note into how many parts the tasks are cut, or refuse another number than before."""
        before = self.parts
        if before not in (None, parts):
            raise ValueError(f"executor.of must be {before}, as in the parts that {self.path} holds; got {parts}")
        write_text(self.shards / _PARTS, f"{parts}\n")

    def _sweep_up(self) -> None:
        """Remove the temporary files that a killed process, or a failed one, left behind."""
        for place in (self.path, self.shards, *_figures(self.path)):
            for temporary in stale_temporaries(place):
                temporary.unlink(missing_ok=True)

    def _check(self, code: str) -> None:
        """Refuse a folder with another run or with other files."""
        file, place = self.path / "config.yaml", f"hydra.run.dir {str(self.path)!r}"
        names = {entry.name for entry in self.path.iterdir()}
        if file.name in names:
            before = read_config(file)
            for key, was, now in differences(before, _plain(self.config)):
                holds = f"without {key}, not with {now}" if was is ABSENT else f"with {key}={was}"
                other = "" if was is ABSENT else ", not without it" if now is ABSENT else f", not {now}"
                raise ValueError(
                    f"{place} holds a run {holds}{other}; give the same settings to finish it, or another folder"
                )
            digest = self.path / "source.digest"
            if not digest.is_file() or digest.read_bytes().strip() != code.encode():
                raise ValueError(f"{place} holds a run of other source code or input data; give another folder")
        else:
            _check_empty(
                place, names - {"source.digest"} - {temporary.name for temporary in stale_temporaries(self.path)}
            )

    def _claim(self, code: str) -> None:
        """Write the configuration into an empty folder, or compare with what lies there."""
        self._check(code)
        file = self.path / "config.yaml"
        if not file.exists():
            write_text(self.path / "source.digest", code + "\n")
            write_text(file, OmegaConf.to_yaml(OmegaConf.create(dict(self.config))))

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest, which says that every table is there, and which there are; let go of the shards."""
        tables = {file.name: _digest(file) for file in sorted(self.path.iterdir()) if file.suffix in _TABLES}
        told = {**_machine(), **facts, "tables": tables}
        names_kept(self.path)  # on the disk the tables come before the manifest, and that before the shards go
        write_text(self.path / "manifest.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")
        names_kept(self.path)
        self.drop_shards()

    def drop_shards(self) -> None:
        """Remove the shards of a finished run."""
        shutil.rmtree(self.shards, ignore_errors=True)


@contextlib.contextmanager
def sweep_folder(path: Path, combinations: Sequence[Mapping[str, str]], *, alone: bool = True) -> Iterator[None]:
    """Hold the folder of a sweep; if no run left anything in it, it is as before the block.

    Parameters
    ----------
    path : Path
        Made if it is absent.
    combinations : sequence of mapping
        The overrides of every run. What they say of the executor may change when the same sweep is started again.
    alone : bool, default True
        Whether no other process may work in the folder, which a lock sees to.

    Raises
    ------
    ValueError
        The folder belongs to another sweep, holds other files, or another process works in it.
    """
    new = absent(path)
    path.mkdir(parents=True, exist_ok=True)
    claim = path / "sweep.yaml"
    runs = [
        {key: value for key, value in one.items() if key.partition(".")[0] not in NOT_SETTINGS} for one in combinations
    ]
    _check_sweep(claim, runs)
    with _lock(path, "hydra.sweep.dir") if alone else contextlib.nullcontext():
        _check_sweep(claim, runs)
        for temporary in (temporary for place in (path, *_figures(path)) for temporary in stale_temporaries(place)):
            temporary.unlink(missing_ok=True)
        try:
            if not claim.exists():
                write_text(claim, OmegaConf.to_yaml(OmegaConf.create({"runs": runs})))
            yield
        finally:
            if {entry.name for entry in path.iterdir()} <= {".lock", claim.name}:
                _remove_claim(claim)
                remove_empty(new)


def _figures(path: Path) -> list[Path]:
    """Return the folder of a run's figures, and those in it, which hold the figures of some policies."""
    place = path / "figures"
    return [place, *(one for one in place.glob("*") if one.is_dir())]


def _remove_claim(claim: Path) -> None:
    """Empty a sweep's folder; the lock goes last, and whoever takes the folder then keeps it."""
    with contextlib.suppress(OSError):
        claim.unlink(missing_ok=True)
        (claim.parent / ".lock").unlink(missing_ok=True)


def absent(path: Path) -> list[Path]:
    """Return what is not there of a folder and its parents, the folder first."""
    full = path.absolute()
    return [place for place in (full, *full.parents) if not os.path.lexists(place)]


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders as far as they are empty; the first that is not ends it."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _check_sweep(claim: Path, runs: Sequence[Mapping[str, str]]) -> None:
    """Refuse a folder with another sweep or with other files."""
    place = f"hydra.sweep.dir {str(claim.parent)!r}"
    names = {entry.name for entry in claim.parent.iterdir()}
    if claim.name not in names:
        _check_empty(place, names - {temporary.name for temporary in stale_temporaries(claim.parent)})
        return
    before = read_config(claim).get("runs")
    if not isinstance(before, list) or not all(isinstance(one, dict) for one in before) or not before:
        raise ValueError(f"{claim} does not say which runs the sweep has; give another folder")
    if before != runs:
        count, first = len(before), " ".join(f"{key}={value}" for key, value in before[0].items())
        raise ValueError(
            f"{place} holds another sweep, of {count} run{'s' * (count > 1)}, that begins with {first}; "
            "give the same overrides to finish it, or another folder"
        )


def _check_empty(place: str, names: Iterable[str]) -> None:
    """Refuse a folder that is neither empty nor ours."""
    if taken := sorted(set(names) - {".lock"}):
        raise ValueError(f"{place} holds other files ({', '.join(taken[:3])}); give a new or an empty folder")


def read_config(file: Path) -> dict[str, Any]:
    """Return what a file in YAML holds, keys and values.

    Raises
    ------
    ValueError
        It holds something else, such as half of them.
    """
    try:
        settings: Any = OmegaConf.to_container(OmegaConf.load(file))
        if isinstance(settings, dict):
            return settings
        reason = f"it holds {type(settings).__name__}"
    except Exception as error:  # of three libraries
        if isinstance(error, OSError) and error.errno:
            raise
        reason = " ".join(str(error).split())
    raise ValueError(f"{file} is not the configuration of a run or sweep ({reason}); give another folder")


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return a finished run's manifest, or None where there is none."""
    file = path / "manifest.json"
    if not file.is_file():
        return None
    try:
        manifest: Any = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not the manifest of a run: {error}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("tables"), dict):
        raise ValueError(f"{file} is not the manifest of a run: it names no tables")
    return manifest


def read_finished(path: Path) -> dict[str, Any] | None:
    """Return a finished run's manifest after a look at its tables, or None where there is none.

    Raises
    ------
    ValueError
        A table is gone, or is not the one that the run left.
    """
    manifest = read_manifest(path)
    for name, digest in (manifest or {}).get("tables", {}).items():
        table, cure = path / name, f"put back what the run left, or remove the folder {path} and run again"
        if not table.is_file():
            raise ValueError(f"{table}: no such table, but the run in this folder is finished; {cure}")
        if _digest(table) != digest:
            raise ValueError(f"{table}: not the table that the run left (manifest.json has its digest); {cure}")
    return manifest


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def differences(before: Any, now: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield every setting that differs between two configurations: its dotted key and both values, or ABSENT."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in {**before, **now}:
            if key or name not in NOT_SETTINGS:
                inner = f"{key}.{name}" if key else str(name)
                yield from differences(before.get(name, ABSENT), now.get(name, ABSENT), inner)
    elif before != now:
        yield key, before, now


def flat(node: Any, key: str = "") -> dict[str, Any]:
    """Return a configuration with dotted keys; lists as text, and what changes no number not at all."""
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
        beside.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def _lock(path: Path, key: str) -> Iterator[None]:
    """Hold the folder that a key names; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two processes in one folder do the same work twice, with the same bytes
        yield
        return
    file: IO[str]
    with (path / ".lock").open("w") as file:
        held = True
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held = os.path.samestat(os.fstat(file.fileno()), (path / ".lock").stat())
        except (BlockingIOError, FileNotFoundError):
            held = False
        except OSError:
            pass  # a file system without locks
        if not held:  # by another process, or by one that has just removed the file with all of an empty sweep
            raise ValueError(f"{key} {str(path)!r}: another process is working in this folder; give another folder")
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
        "versions": {"treebandit": __version__, **{name: importlib.metadata.version(name) for name in _LIBRARIES}},
        "commit": _commit(),
        "command": command(sys.argv),
    }


def command(words: Sequence[str]) -> list[str]:
    """Return a process's arguments as one types them.

    Examples
    --------
    >>> command(["/somewhere/experiments/run.py", "bandit=ucb"])
    ['python', '-m', 'experiments.run', 'bandit=ucb']
    """
    script = Path(words[0])
    if script.name == "__main__.py":  # of a folder that is a command
        script = script.parent.with_suffix(".py")
    own = script.suffix == ".py" and script.parent.name == "experiments"
    return ["python", *(["-m", f"experiments.{script.stem}"] if own else [words[0]]), *words[1:]]


def _commit() -> str | None:
    """Return the commit of the project's checkout, marked where files differ from it; None outside one."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():  # else an installed package would name the commit of a repository around it
        return None
    try:
        said = subprocess.run(
            ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.stdout.strip() or None
