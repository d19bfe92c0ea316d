"""Many runs as one table: the rows of their summaries, with the settings in which the runs differ."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.experiment import Experiment
from experiments.engine.manifest import read_finished, read_manifest
from experiments.engine.store import flat, read_config
from numerics.output import tables
from numerics.parameters import must_be_one_of

if TYPE_CHECKING:
    import pandas as pd

    Run = tuple[Path, dict[str, Any], pd.DataFrame]  # folder, settings, summary

LEFT_OUT = "left_out"  # in the frame's `attrs`: why a folder is not in it, by its path
_ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_CONDITION = re.compile(r"\s*([^<>=!]+?)\s*(<=|>=|!=|==|<|>|=)\s*(.*?)\s*")


def collect(
    folder: str | Path, *, kind: str | None = None, where: Sequence[str] = (), columns: Sequence[str] = ()
) -> pd.DataFrame:
    """Return one tidy frame over all finished runs below a folder, those of sweeps too.

    Parameters
    ----------
    folder : str or Path
        Searched with everything below it.
    kind : str, optional
        Only runs of this experiment, such as `"regret"`.
    where : sequence of str
        Conditions on columns, such as `"bandit.c<1"` or `"policy=ucb"`; a row must meet all of them.
    columns : sequence of str
        Only these columns; all by default.

    Returns
    -------
    DataFrame
        A row for each row of a run's summary. The columns are `kind`, the settings that differ between runs (by their
        dotted keys), the columns of the summary, and `folder`. Columns that a run lacks are missing (NaN).
        `frame.attrs["left_out"]` gives the reason for each unfinished or damaged folder that was left out.

    Raises
    ------
    ValueError
        No such folder, kind or column, a condition that cannot be read, or no finished run.

    Examples
    --------
    >>> collect("nowhere")
    Traceback (most recent call last):
    ValueError: folder 'nowhere': no such folder; give a folder with runs, such as results
    """
    import pandas as pd

    root = Path(folder)
    if not root.is_dir():
        raise ValueError(f"folder {str(folder)!r}: no such folder; give a folder with runs, such as results")
    if kind is not None and kind not in Experiment.members:
        raise ValueError(must_be_one_of("kind", kind, sorted(Experiment.members)))
    runs, left_out = _finished_runs(root, kind)
    if not runs:
        reasons = "".join(f"; {path}: {reason}" for path, reason in list(left_out.items())[:1])
        raise ValueError(f"folder {str(folder)!r} holds no finished run{f' of kind {kind}' if kind else ''}{reasons}")
    frame = pd.concat([_rows(run, runs) for run in runs], ignore_index=True)
    frame = frame[[*(name for name in frame.columns if name != "folder"), "folder"]]
    for name in frame.columns[[kind.kind == "O" for kind in frame.dtypes]]:  # Parquet takes one type a column
        frame[name] = frame[name].map(str, na_action="ignore")
    for condition in where:
        frame = _select(frame, condition)
    for name in columns:
        _check_column("columns", name, frame)
    frame = frame[list(columns)] if columns else frame
    frame.attrs[LEFT_OUT] = left_out
    return frame.reset_index(drop=True)


def _finished_runs(root: Path, kind: str | None) -> tuple[list[Run], dict[str, str]]:
    """Return folder, settings and summary of each finished run, and why the others are left out."""
    runs: list[Run] = []
    left_out: dict[str, str] = {}
    for file in sorted(root.rglob("config.yaml")):
        if file.parent.name == ".hydra":
            continue
        try:
            if (file.parent / "source.digest").is_file():  # a run of ours: a damaged one is told, of whatever kind
                read_manifest(file.parent)
            settings = read_config(file)
            run_kind = settings.pop("kind", None)
            cls = Experiment.members.get(str(run_kind))
            if cls is None or (kind is not None and run_kind != kind) or cls.summary is None:
                continue
            if read_finished(file.parent) is None:
                left_out[str(file.parent)] = "not finished"
                continue
            runs.append((file.parent, {"kind": run_kind, **flat(settings)}, tables.read(file.parent / cls.summary)))
        except (ValueError, OSError) as error:
            left_out[str(file.parent)] = " ".join(str(error).split())
    return runs, left_out


def _rows(run: Run, runs: Sequence[Run]) -> pd.DataFrame:
    """Return a run's summary between its folder and the settings in which runs of its kind differ."""
    path, settings, summary = run
    others = [other for _, other, _ in runs if other["kind"] == settings["kind"]]
    rows = summary.assign(folder=str(path))
    differing = [key for key in settings if any(key not in other or other[key] != settings[key] for other in others)]
    for index, key in enumerate(key for key in ("kind", *differing) if key not in summary.columns):
        rows.insert(index, key, settings[key])
    return rows


def _select(frame: pd.DataFrame, condition: str) -> pd.DataFrame:
    """Return the rows that meet a condition such as `bandit.c<1`."""
    read = _CONDITION.fullmatch(condition)
    if read is None:
        raise ValueError(f"where must be COLUMN, one of {' '.join(_ORDERS)}, and VALUE; got {condition!r}")
    name, sign, text = read.groups()
    _check_column("where", name, frame)
    column = frame[name]
    if column.dtype.kind in "iuf":
        try:
            met = _ORDERS[sign](column, float(text))
        except ValueError as error:
            raise ValueError(f"where must compare the column {name} with a number; got {condition!r}") from error
    else:
        met = _ORDERS[sign](column.astype(str), text.strip("'\""))
    rows: pd.DataFrame = frame.loc[met]
    return rows


def _check_column(key: str, name: str, frame: pd.DataFrame) -> None:
    if name not in frame.columns:
        raise ValueError(must_be_one_of(key, name, list(map(str, frame.columns))))
