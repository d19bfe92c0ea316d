"""Many runs as one table: a row for each row of their summaries, with the settings in which the runs differ."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.experiment import experiments
from experiments.engine.store import flat, read_config, read_finished
from numerics.output import tables
from numerics.parameters import must_be_one_of

if TYPE_CHECKING:
    import pandas as pd

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
        A row for each row of a run's summary: `kind`, the settings of the configuration that differ between runs, by
        their dotted keys, the summary's own columns, and `folder`. Where a run lacks a column, it is missing (NaN).
        `frame.attrs["left_out"]` says of each folder that is unfinished or damaged why it is not there.

    Raises
    ------
    ValueError
        No such folder, kind or column, a condition that cannot be read, or no finished run.

    Examples
    --------
    >>> collect("nowhere")
    Traceback (most recent call last):
    ValueError: folder 'nowhere': no such folder; give one that holds runs, such as results
    """
    import pandas as pd

    place = Path(folder)
    if not place.is_dir():
        raise ValueError(f"folder {str(folder)!r}: no such folder; give one that holds runs, such as results")
    if kind is not None and kind not in experiments():
        raise ValueError(must_be_one_of("kind", kind, sorted(experiments())))
    runs, left_out = _finished(place, kind)
    if not runs:
        reasons = "".join(f"; {path}: {reason}" for path, reason in list(left_out.items())[:1])
        raise ValueError(f"folder {str(folder)!r} holds no finished run{f' of kind {kind}' if kind else ''}{reasons}")
    frame = pd.concat([_rows(*one) for one in _with_what_differs(runs)], ignore_index=True)
    frame = frame[[*(name for name in frame.columns if name != "folder"), "folder"]]
    for name in frame.columns[[kind.kind == "O" for kind in frame.dtypes]]:  # Parquet takes one type a column
        frame[name] = frame[name].map(str, na_action="ignore")
    for condition in where:
        frame = _where(frame, condition)
    for name in columns:
        _check_column("columns", name, frame)
    frame = frame[list(columns)] if columns else frame
    frame.attrs[LEFT_OUT] = left_out
    return frame.reset_index(drop=True)


def _finished(place: Path, kind: str | None) -> tuple[list[tuple[Path, dict[str, Any], pd.DataFrame]], dict[str, str]]:
    """Return folder, settings and summary of each finished run, and why the others are left out."""
    runs: list[tuple[Path, dict[str, Any], pd.DataFrame]] = []
    left_out: dict[str, str] = {}
    for file in sorted(place.rglob("config.yaml")):
        if file.parent.name == ".hydra":
            continue
        try:
            settings = read_config(file)
            own = settings.pop("kind", None)
            cls = experiments().get(str(own))
            if cls is None or (kind is not None and own != kind) or cls.summary is None:
                continue
            if read_finished(file.parent) is None:
                left_out[str(file.parent)] = "not finished"
                continue
            runs.append((file.parent, {"kind": own, **flat(settings)}, tables.read(file.parent / cls.summary)))
        except (ValueError, OSError) as error:
            left_out[str(file.parent)] = " ".join(str(error).split())
    return runs, left_out


def _with_what_differs(
    runs: Sequence[tuple[Path, dict[str, Any], pd.DataFrame]],
) -> Iterator[tuple[Path, dict[str, Any], pd.DataFrame]]:
    """Yield the runs with those of their settings that are not the same in all runs of their kind."""
    for path, settings, summary in runs:
        others = [other for _, other, _ in runs if other["kind"] == settings["kind"]]
        own = {
            key: value
            for key, value in settings.items()
            if key == "kind" or any(key not in other or other[key] != value for other in others)
        }
        yield path, own, summary


def _rows(path: Path, settings: Mapping[str, Any], summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary with a run's settings before its columns and its folder behind them."""
    rows = summary.copy()
    new = [(key, value) for key, value in settings.items() if key not in rows.columns]
    for place, (key, value) in enumerate(new):
        rows.insert(place, key, value)
    return rows.assign(folder=str(path))


def _where(frame: pd.DataFrame, condition: str) -> pd.DataFrame:
    """Return the rows that meet a condition such as `bandit.c<1`."""
    read = _CONDITION.fullmatch(condition)
    if read is None:
        raise ValueError(f"where must be COLUMN, one of {' '.join(_ORDERS)}, and a value; got {condition!r}")
    name, sign, text = read.groups()
    _check_column("where", name, frame)
    column = frame[name]
    if column.dtype.kind in "iuf":
        try:
            met = _ORDERS[sign](column, float(text))
        except ValueError as error:
            raise ValueError(f"where must compare {name} with a number; got {condition!r}") from error
    else:
        met = _ORDERS[sign](column.astype(str), text.strip("'\""))
    rows: pd.DataFrame = frame.loc[met]
    return rows


def _check_column(key: str, name: str, frame: pd.DataFrame) -> None:
    if name not in frame.columns:
        raise ValueError(must_be_one_of(key, name, list(map(str, frame.columns))))
