"""Reading the columns of a log from a file, with errors that name the line.

In a CSV file commas, semicolons or tabs stand between the cells, whichever sign makes all wanted columns of the header.
Lines are counted as an editor does: a quoted cell may span several. The file is read block by block, and only the
wanted columns are converted. So memory grows with the rows times these columns, not with the file.
"""

from __future__ import annotations

import csv
import itertools
import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bandits.logs.cells import (
    CLICKS,
    FEATURES,
    SHARES,
    UNREADABLE,
    Array,
    Kind,
    NumberCells,
    Numbers,
    TimeCells,
    WordCells,
    cells_of,
    is_grouped,
)
from bandits.logs.sources import BLOCK, Source, source_of
from numerics.checks import escape_controls
from numerics.parameters import did_you_mean

_SHOWN = 40  # characters of a cell that a sentence shows
_PACKED = (".zip", ".xz", ".bz2", ".zst", ".tar", ".7z")  # endings of archives
_TABLES = (".feather", ".arrow", ".xlsx", ".xls", ".ods")  # endings of tables in other forms
_COLUMNS = 20  # columns of a header that a sentence shows
_CURES: dict[Kind, str] = {
    CLICKS: "; use a column of 0 (no click) and 1 (click); for a table of counts, give shown_column",
    FEATURES: "; encode words as columns of 0 and 1 (one-hot)",
}
_LISTED = 20  # rows left out that are listed with their reasons


class Wanted(NamedTuple):
    """A column to read: the argument that names it, its name in the header, and what its cells hold."""

    argument: str
    column: str
    kind: Kind


@dataclass(frozen=True)
class Table:
    """The wanted columns of a file.

    Attributes
    ----------
    columns : dict of str to ndarray
        A vector for each wanted column, by its argument: float64; int32 of indices into `names` for words; or texts.
    names : list of str
        The different words, in the order of their first rows.
    left_out : list of str
        The first rows that were left out because they are wrong: "line 7: column 'click' must hold ...".
    bad : int
        How many rows were left out.
    """

    columns: dict[str, Array]
    names: list[str]
    left_out: list[str]
    bad: int
    _file: Source
    _rows: Array  # the number of each row in the file

    def check(self, column: Wanted, wrong: Array, allowed: str) -> None:
        """Raise ValueError for the first wrong row of a column.

        Raises
        ------
        ValueError
            A sentence that names the line of the file.
        """
        if wrong.any():
            [record] = self._file.at([int(self._rows[wrong.argmax()])]).values()
            sentence = _sentence(self._file, (column, allowed), [], *record)
            raise ValueError(f"path {str(self._file.path)!r}, {sentence}")


def read_columns(
    given: str | Path, wanted: Sequence[Wanted], *, leave_out: bool = False, names: Sequence[str] | None = None
) -> Table:
    """Return columns of a file: CSV or JSON lines, plain or gzipped, or Parquet.

    Parameters
    ----------
    given : str or Path
        The file.
    wanted : sequence of Wanted
        At most one of them of words.
    leave_out : bool, default False
        Whether wrong rows are left out and listed; otherwise the first of them is an error. What can be read in two
        ways, such as 1,459 among semicolons, is an error in either case.
    names : sequence of str, optional
        The names of all columns of a CSV file without a header line.

    Raises
    ------
    ValueError
        No such file, no such column, a wrong row, no right one, or a header that two signs cut into all columns.
    """
    if not isinstance(given, str | os.PathLike):
        raise ValueError(f"path must be the path of a CSV file; got {given!r}")
    _check_path(str(given))
    path = Path(given)
    for former, latter in itertools.combinations(wanted, 2):
        if former.column == latter.column:
            raise ValueError(f"{former.argument} and {latter.argument} must differ; both are {former.column!r}")
    longest = csv.field_size_limit(BLOCK)
    try:
        source = source_of(path, [column.column for column in wanted], names)
        _check_columns(path, source.header, wanted)
        return _read(source, wanted, leave_out)
    except csv.Error as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({error})") from error
    except UnicodeError as error:
        cure = "; save it in UTF-8"
        if path.suffix in _PACKED + _TABLES:
            cure = f" ({path.suffix}); {'unpack it first' if path.suffix in _PACKED else 'save it as CSV'}"
        raise ValueError(f"path {str(path)!r}: not a readable CSV file{cure}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({str(error).strip()})") from error
    finally:
        csv.field_size_limit(longest)


_Fault = tuple[Wanted, str] | None  # a column and what it must hold; None: the row has another length


def _read(file: Source, wanted: Sequence[Wanted], leave_out: bool) -> Table:
    cells = cells_of([column.kind for column in wanted], file.between)
    number, misshapen = file.parse([file.header.index(column.column) for column in wanted], cells)
    number = number[: _rows_of(file, number, np.logical_and.reduce([held.blank() for held in cells]))]
    if number.size == 0 and not misshapen:
        raise ValueError(f"path {str(file.path)!r}: {file.empty}")
    columns, wrong, faults = {}, np.zeros(number.size, bool), dict[int, _Fault].fromkeys(misshapen)
    absent: list[_Fault] = []  # what is wrong with a row that ends before a column
    for column, held in sorted(zip(wanted, cells, strict=True), key=lambda both: isinstance(both[1], WordCells)):
        values, is_wrong, allowed = held.done(number.size)
        if isinstance(held, NumberCells | TimeCells) and held.unclear is not None:
            Table({}, [], [], 0, file, number).check(column, held.unclear, allowed)
        columns[column.argument] = values
        wrong |= is_wrong
        absent.append((column, allowed))
        for row in number[is_wrong].tolist():
            faults.setdefault(row, absent[-1])
    sentences = _sentences(file, faults, absent, leave_out=leave_out, is_all=bool(wrong.all()))
    kept, names = {name: values[~wrong] for name, values in columns.items()} if faults else columns, list[str]()
    for column, held in zip(wanted, cells, strict=True):
        if isinstance(held, WordCells):
            codes = kept[column.argument]
            is_used = np.bincount(codes, minlength=len(held.names)) > 0  # not in rows left out alone
            kept[column.argument] = (np.cumsum(is_used, dtype=np.int32) - 1).astype(np.int32)[codes]
            names = list(itertools.compress(held.names, is_used))
    return Table(kept, names, sentences, len(faults), file, number[~wrong])


def _rows_of(file: Source, number: Array, blank: Array) -> int:
    """Return how many rows there are: blank lines at the end are none."""
    filled = 0 if blank.all() else int(np.flatnonzero(~blank)[-1]) + 1
    if filled == blank.size:
        return filled
    last = [row for row, (_, texts) in file.at(number[filled:].tolist()).items() if any(map(str.strip, texts))]
    return int(np.searchsorted(number, last[-1])) + 1 if last else filled


def _sentences(
    file: Source, faults: dict[int, _Fault], absent: Sequence[_Fault], *, leave_out: bool, is_all: bool
) -> list[str]:
    """Return what is wrong with the first rows; refuse it unless they are left out and others remain."""
    listed = sorted(faults)[: _LISTED if leave_out else 1]
    sentences = [
        _sentence(file, faults[row], absent, *at, is_left_out=leave_out) for row, at in file.at(listed).items()
    ]
    if faults and (not leave_out or is_all):
        fault = faults[listed[0]]
        of_policy = f"{fault[0].argument}: " if fault and fault[0].kind is SHARES else ""  # its column, not the log's
        raise ValueError(f"{of_policy}path {str(file.path)!r}, {sentences[0]}")
    return sentences


def _sentence(
    file: Source,
    fault: _Fault,
    absent: Sequence[_Fault],
    line: int,
    texts: Sequence[str],
    is_left_out: bool = False,
) -> str:
    """Return the line of a wrong row, and what is wrong with it; without a column, its length."""
    line_name, header = f"{file.place} {line}", file.header
    if fault is None:
        fault = next((each for each in absent if each and header.index(each[0].column) >= len(texts)), None)
    if fault is None:
        unreadable = [text for text in texts if UNREADABLE in text]
        return f"{line_name}: {_in_utf_8(unreadable[0], is_left_out) if unreadable else file.misshapen(texts)}"
    (argument, column, kind), allowed = fault
    at = header.index(column)
    value = shorten(texts[at]) if at < len(texts) else ""
    if at < len(texts) and UNREADABLE in texts[at]:
        return f"{line_name}: column {column!r}: {_in_utf_8(texts[at], is_left_out)}"
    if 0 < len(texts) <= at:
        cure = f"; the row has {len(texts)} of the {len(header)} cells"
    elif is_left_out:
        cure = ""
    elif file.between != "," and isinstance(kind, Numbers) and is_grouped(value):
        cure = f"; write {re.sub('[.,]', '', value.strip())} for thousands, or {value.strip()}0 for a fraction"
    elif value.strip():
        cure = _CURES.get(kind, "")
    elif argument == "reward_column":
        cure = "; write 0 for no click, or remove the row"
    else:
        cure = "; remove rows without a value"
    return f"{line_name}: column {column!r} must hold {allowed}; got {value!r}{cure}"


def _in_utf_8(text: str, is_left_out: bool) -> str:
    """Say that a cell is not in the encoding of the file, with the bytes as escapes."""
    cure = "" if is_left_out else "; save the file in UTF-8"
    return f"a row must be text in UTF-8; got '{escape_controls(shorten(text.replace(UNREADABLE, '')))}'{cure}"


def shorten(text: str, most: int = _SHOWN) -> str:
    """Return a text cut to fit a sentence."""
    return text if len(text) <= most else f"{text[:most]}..."


def _check_path(path: str) -> None:
    """Raise ValueError for a path that is not a file of this machine."""
    if not path:
        raise ValueError("path must be a CSV file with a header line; got '', which is empty")
    if "://" in path:
        raise ValueError(f"path must be a local file; got {path!r}: download it first")
    if os.path.isdir(path):
        raise ValueError(f"path {path!r} is a folder; give one file of CSV, JSON lines or Parquet")
    if not os.path.exists(path):
        raise ValueError(f"path {path!r}: no such file; give a CSV file with a header line")
    if not os.path.isfile(path):
        raise ValueError(f"path {path!r} is not a regular file; give a CSV file with a header line")


def _check_columns(path: Path, header: Sequence[str], wanted: Sequence[Wanted]) -> None:
    """Raise ValueError for columns that the header lacks or has more than once."""
    for argument, column, _ in wanted:
        if column not in header:
            names = ", ".join(repr(shorten(name)) for name in header[:_COLUMNS])
            cut = any("|" in name for name in header)  # names that suggest another separator
            raise ValueError(
                f"{argument} {column!r} is not a column of {path}{'' if cut else did_you_mean(column, header)}; "
                f"it has {names}{', ...' * (len(header) > _COLUMNS)}"
                f"{'; columns must be separated by commas, semicolons or tabs' * cut}"
            )
        if header.count(column) > 1:
            raise ValueError(
                f"{argument} {column!r} is the name of {header.count(column)} columns of {path}; rename all but one"
            )
