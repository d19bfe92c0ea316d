"""`python -m experiments.collect FOLDER`: one table over all finished runs and sweeps below a folder."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import errors, printing
from experiments.engine.collection import LEFT_OUT, collect
from experiments.engine.folders import existing
from numerics.commands import Command, dashed_option, word
from numerics.output import tables
from numerics.output.sheets import Column, Row, Sheet, is_known
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["collect", "main"]

_ENDINGS = (".csv", ".parquet")
_LONGEST = 28  # letters of a text in the printed table
TEXT, MARKDOWN, LATEX = "text", "markdown", "latex"


class Collect(Command, module="experiments.collect"):
    """Which runs, which of their rows and columns, and where they are written."""

    folder: str = word("results", help="folder to search, with all its subfolders")
    kind: str | None = parameter(None, help="only runs of this experiment, such as regret")
    where: list[str] = parameter([], help="only rows that meet all of these conditions, such as 'bandit.c<1,runs>=2'")
    columns: list[str] = parameter([], help="only these columns, separated by commas")
    format: str = parameter(
        TEXT,
        choices=(TEXT, MARKDOWN, LATEX),
        help="format of the printed table; text shortens it to the width of the terminal",
    )
    output: str | None = dashed_option(
        None, "-o", "--output", help="output file, FILE.csv or FILE.parquet; -: CSV on standard output"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, collect, and write the table or print it."""
    given = Collect.read(words)
    if given.output not in (None, "-") and Path(given.output).suffix not in _ENDINGS:
        raise ValueError(f"--output must be -, or a file that ends in .csv or .parquet; got {given.output!r}")
    if given.output is not None and given.format != TEXT:
        raise ValueError(f"format={given.format} must be left out with --output: the ending of the file decides")
    frame = collect(existing(Path(given.folder)), kind=given.kind, where=given.where, columns=given.columns)
    for folder, reason in frame.attrs[LEFT_OUT].items():
        errors.say(f"left out: {folder}: {reason}")
    if given.output == "-":
        frame.to_csv(sys.stdout, index=False, lineterminator="\n")
    elif given.output:
        tables.write(frame, Path(given.output))
        printing.say(f"{len(frame):,} rows of {len(frame.columns)} columns: {given.output}")
    elif given.format == TEXT:
        for filled in sheet_of(frame).of(frame):
            printing.show(filled)
    else:
        for filled in sheet_of(frame, None, aligned=given.format == LATEX).of(frame):
            printing.say(filled.markdown() if given.format == MARKDOWN else filled.latex())


def sheet_of(frame: pd.DataFrame, most: int | None = _LONGEST, *, aligned: bool = False) -> Sheet:
    """Return the sheet of a frame: texts are cut to so many letters, and a narrow screen leaves out settings first.

    With `aligned`, the numbers of a column have the same decimals.
    """
    left_out = _optional_columns(frame)
    optional = {name: len(left_out) - index for index, name in enumerate(left_out)}

    def cell(row: Row, name: str, form: str) -> str:
        if not is_known(row[name]):
            return ""  # a run of another kind has no such setting
        return f"{row[name]:{form}}" if form else _shorten(str(row[name]), name, most)

    columns = []
    for name in frame.columns:
        number = frame[name].dtype.kind in "iuf"
        form = "" if not number else _number_format(frame[name]) if aligned else ".6g"
        text = functools.partial(cell, name=name, form=form)
        columns.append(Column(name, text, name if number else None, number, optional.get(name, 0), whole=True))
    return Sheet("", "", columns)


def _number_format(values: pd.Series[Any]) -> str:
    """Return the format of as many decimals as six digits of every number need; tiny ones stay as they are."""
    shown = [f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}" for value in values if is_known(value)]
    if any(not text.lstrip("-").replace(".", "").isdigit() for text in shown):
        return ".6g"
    return f".{max((len(text.partition('.')[2]) for text in shown), default=0)}f"


def _optional_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that a narrow screen leaves out, in order; the first result and its player always stay."""
    results = [name for name in frame.columns if name.endswith("_mean") or name in ("score", "elo", "wins")]
    kept = {"kind", "policy", "player", "opponent", "folder", *results[:1]}

    def rank(name: str) -> int:
        if name == "formula" or frame[name].isna().any() or frame[name].astype(str).str.startswith("[").any():
            return 0
        return 1 if name.endswith(("_se", "_low", "_high")) else 2 if name in results else 3

    return sorted((name for name in frame.columns[::-1] if name not in kept), key=rank)


def _shorten(text: str, name: str, most: int | None) -> str:
    """Cut a text that is too long for a column, unless it is a folder, whose path must be whole."""
    return text if most is None or len(text) <= most or name == "folder" else f"{text[: most - 1]}…"


if __name__ == "__main__":
    errors.leave(errors.guarded(main))
