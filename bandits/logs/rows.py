"""Reading the columns of a log from a CSV file, with errors that name the line of the file.

Commas, semicolons or tabs stand between the cells, whichever sign makes all wanted columns of the header. Lines are
counted as an editor does: a quoted cell may span several. Arrow reads the file block by block, and only the wanted
columns become numbers, so that memory grows with the rows times these columns, not with the file.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from bandits.logs.cells import CLICKS, FEATURES, SHARES, Array, Kind, WordCells, cells_of
from numerics.parameters import did_you_mean

_ENCODING = "utf-8-sig"
_SHOWN = 40  # characters of a cell that a sentence shows
_PACKED = (".zip", ".xz", ".bz2", ".zst", ".tar", ".7z")  # endings of archives
_TABLES = (".parquet", ".feather", ".arrow", ".xlsx", ".xls", ".ods")  # endings of tables in other forms
_COLUMNS = 20  # columns of a header that a sentence shows
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}  # between the cells of a row
_BLOCK = 1 << 24  # bytes that Arrow parses at a time; no row may be longer
_CURES: dict[Kind, str] = {
    CLICKS: "; only clicks can be read: give a column of 0 (no click) and 1 (a click), such as whether an amount is "
    "above 0",
    FEATURES: "; for words make a column of 0 and 1 of each",
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
    _file: _File
    _rows: Array  # the number of each row in the file

    def check(self, column: Wanted, wrong: Array, allowed: str) -> None:
        """Refuse the first wrong row of a column.

        Raises
        ------
        ValueError
            A sentence that names the line of the file.
        """
        if wrong.any():
            [record] = _at(self._file, [int(self._rows[wrong.argmax()])]).values()
            sentence = _sentence(self._file.header, (column, allowed), [], *record)
            raise ValueError(f"path {str(self._file.path)!r}, {sentence}")


def read_columns(given: str | Path, wanted: Sequence[Wanted], *, leave_out: bool = False) -> Table:
    """Return columns of a CSV file, plain or by gzip.

    Parameters
    ----------
    given : str or Path
        The file; it has a header line.
    wanted : sequence of Wanted
        At most one of them of words.
    leave_out : bool, default False
        Whether wrong rows are left out and listed; otherwise the first of them is an error.

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
    longest = csv.field_size_limit(_BLOCK)
    try:
        skipped = _blank_lines(path)
        headers = _headers(path, skipped)
        between = _sign_of(path, headers, [column.column for column in wanted])
        _check_columns(path, headers[between], wanted)
        return _read(_File(path, skipped, between, headers[between]), wanted, leave_out)
    except csv.Error as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({error})") from error
    except UnicodeError as error:
        cure = " in UTF-8; save it in that"
        if path.suffix in _PACKED + _TABLES:
            cure = f" but {path.suffix}; {'unpack it first' if path.suffix in _PACKED else 'save it as CSV'}"
        raise ValueError(f"path {str(path)!r}: not a readable CSV file{cure}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({str(error).strip()})") from error
    finally:
        csv.field_size_limit(longest)


class _File(NamedTuple):
    """A file whose form is known: blank lines before its header, the sign between cells, the names of its columns."""

    path: Path
    skipped: int
    between: str
    header: Sequence[str]


_Fault = tuple[Wanted, str] | None  # a column and what it must hold; None: the row has another length


def _read(file: _File, wanted: Sequence[Wanted], leave_out: bool) -> Table:
    cells = [cells_of(column.kind, file.between) for column in wanted]
    number, misshapen = _parse(file, [file.header.index(column.column) for column in wanted], cells)
    blank = np.logical_and.reduce([held.blank() for held in cells])
    filled = 0 if blank.all() else int(np.flatnonzero(~blank)[-1]) + 1
    if filled < len(blank):  # blank lines at the end are no rows
        last = [row for row, (_, texts) in _at(file, number[filled:].tolist()).items() if any(map(str.strip, texts))]
        filled = int(np.searchsorted(number, last[-1])) + 1 if last else filled
    if filled == 0 and not misshapen:
        raise ValueError(f"path {str(file.path)!r}: a header but no rows")
    columns, wrong, faults = {}, np.zeros(filled, bool), dict[int, _Fault].fromkeys(misshapen)
    absent: list[_Fault] = []  # what is wrong with a row that ends before a column
    for column, held in sorted(zip(wanted, cells, strict=True), key=lambda both: isinstance(both[1], WordCells)):
        values, is_wrong, allowed = held.done(filled)
        columns[column.argument] = values
        wrong |= is_wrong
        absent.append((column, allowed))
        for row in number[:filled][is_wrong].tolist():
            faults.setdefault(row, absent[-1])
    listed = sorted(faults)[: _LISTED if leave_out else 1]
    sentences = [
        _sentence(file.header, faults[row], absent, *at, is_left_out=leave_out) for row, at in _at(file, listed).items()
    ]
    if faults and (not leave_out or wrong.all()):
        fault = faults[listed[0]]
        of_policy = f"{fault[0].argument}: " if fault and fault[0].kind is SHARES else ""  # its column, not the log's
        raise ValueError(f"{of_policy}path {str(file.path)!r}, {sentences[0]}")
    names = next((held.names for held in cells if isinstance(held, WordCells)), [])
    kept = {name: values[~wrong] for name, values in columns.items()} if faults else columns
    return Table(kept, names, sentences, len(faults), file, number[:filled][~wrong])


def _parse(file: _File, columns: Sequence[int], cells: Sequence[Any]) -> tuple[Array, list[int]]:
    """Give Arrow's blocks to the cells; return the numbers of their rows, and of those of another length.

    Row 0 is the first below the header.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    misshapen: list[int] = []

    def note(row: Any) -> str:
        misshapen.append(row.number - 1)
        return "skip"

    names = [str(column) for column in range(len(file.header))]
    text = {names[column]: pa.string() for column in columns}
    with gzip.open(file.path) if _is_packed(file.path) else file.path.open("rb") as source:
        for _ in range(_header_lines(file)):
            source.readline()
        try:
            with arrow.open_csv(
                source,
                arrow.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=names),
                arrow.ParseOptions(
                    delimiter=file.between, newlines_in_values=True, ignore_empty_lines=False, invalid_row_handler=note
                ),
                arrow.ConvertOptions(column_types=text, include_columns=list(text), strings_can_be_null=False),
            ) as blocks:
                for block in blocks:
                    for held, texts in zip(cells, block.columns, strict=True):
                        held.add(texts)
        except pa.ArrowInvalid as error:
            if "UTF8" in str(error):
                raise UnicodeError(str(error)) from None
            if "Empty CSV file" not in str(error):
                raise OSError(str(error)) from None
    rows = len(cells[0].blank()) + len(misshapen)
    return np.delete(np.arange(rows), misshapen), misshapen


def _sentence(
    header: Sequence[str],
    fault: _Fault,
    absent: Sequence[_Fault],
    line: int,
    texts: Sequence[str],
    is_left_out: bool = False,
) -> str:
    """Return the line of a wrong row, and what is wrong with it; without a column, its length."""
    if fault is None:
        fault = next((each for each in absent if each and header.index(each[0].column) >= len(texts)), None)
    if fault is None:
        return f"line {line}: a row must have the {len(header)} cells of the header; got {len(texts)}"
    (argument, column, kind), allowed = fault
    at = header.index(column)
    value = shortened(texts[at]) if at < len(texts) else ""
    if 0 < len(texts) <= at:
        cure = f"; the row has {len(texts)} of {len(header)} cells"
    elif is_left_out:
        cure = ""
    elif value.strip():
        cure = _CURES.get(kind, "")
    elif argument == "reward_column":
        cure = "; write 0 where nobody clicked, or leave the row out"
    else:
        cure = "; leave out a row without it"
    return f"line {line}: column {column!r} must hold {allowed}; got {value!r}{cure}"


def shortened(text: str, most: int = _SHOWN) -> str:
    """Return a text cut to fit a sentence."""
    return text if len(text) <= most else f"{text[:most]}..."


def _check_path(path: str) -> None:
    """Raise ValueError for a path that is not a file of this machine."""
    if not path:
        raise ValueError("path must be a CSV file with a header line; got '', which is empty")
    if "://" in path:
        raise ValueError(f"path must be a file of this machine; got {path!r}: fetch it, then give the file")
    if os.path.isdir(path):
        raise ValueError(f"path {path!r} is a folder; give a CSV file with a header line")
    if not os.path.exists(path):
        raise ValueError(f"path {path!r}: no such file; give a CSV file with a header line")
    if not os.path.isfile(path):
        raise ValueError(f"path {path!r} is no ordinary file; give a CSV file with a header line")


def _sign_of(path: Path, headers: Mapping[str, Sequence[str]], columns: Sequence[str]) -> str:
    """Return the sign between the cells: the one that makes all columns; else the one that makes more cells."""
    fitting = [sign for sign, header in headers.items() if set(columns) <= set(header)]
    if len(fitting) > 1:
        raise ValueError(
            f"path {str(path)!r}: the header has columns {' and '.join(map(repr, columns))} by "
            f"{' and by '.join(_SIGNS[sign] for sign in fitting)}; "
            "rename a column, so that it is clear which of them separate"
        )
    return (fitting or sorted(headers, key=lambda sign: -len(headers[sign])))[0]


def _check_columns(path: Path, header: Sequence[str], wanted: Sequence[Wanted]) -> None:
    """Raise ValueError for columns that the header lacks or has more than once."""
    for argument, column, _ in wanted:
        if column not in header:
            names = ", ".join(repr(shortened(name)) for name in header[:_COLUMNS])
            cut = _is_cut_otherwise(header)
            raise ValueError(
                f"{argument} {column!r} is no column of {path}{'' if cut else did_you_mean(column, header)}; "
                f"it has {names}{', ...' * (len(header) > _COLUMNS)}"
                f"{'; columns must be separated by commas, semicolons or tabs' * cut}"
            )
        if header.count(column) > 1:
            raise ValueError(
                f"{argument} {column!r} is the name of {header.count(column)} columns of {path}; "
                "rename all but one, so that it is clear which is meant"
            )


def _is_cut_otherwise(header: Sequence[str]) -> bool:
    """Return whether the names of the columns suggest another separator."""
    return any("|" in name for name in header)


def _is_packed(path: Path) -> bool:
    """Return whether a file begins like one of gzip, whatever its name."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _opened(path: Path, newline: str | None = None) -> IO[str]:
    """Open a file, compressed by gzip or not, as text."""
    opened = gzip.open if _is_packed(path) else open
    return opened(path, "rt", encoding=_ENCODING, newline=newline)


def _blank_lines(path: Path) -> int:
    """Return the number of blank lines at the beginning of a file."""
    with _opened(path) as file:
        return sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), file))


def _headers(path: Path, skipped: int) -> dict[str, list[str]]:
    """Return the names of the columns as each sign cuts them, of those that can."""
    cut, fault = dict[str, list[str]](), None
    for sign in _SIGNS:
        try:
            record = next(_records(path, skipped, sign), None)
        except csv.Error as error:  # such as text behind a closing quote
            fault = error
            continue
        if record is None:
            raise ValueError(f"path {str(path)!r}: not a readable CSV file: the file is empty")
        cut[sign] = [name.strip() for name in record[1]]
    if not cut and fault:
        raise fault
    return cut


def _header_lines(file: _File) -> int:
    """Return the number of lines before the first row."""
    with _opened(file.path, newline="") as lines:
        for _ in range(file.skipped):
            next(lines)
        reader = csv.reader(lines, delimiter=file.between)
        next(reader)
        return file.skipped + reader.line_num


def _records(path: Path, skipped: int, between: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of each record of a file; an unclosed quote is an error."""
    with _opened(path, newline="") as file:
        for _ in range(skipped):
            next(file)
        reader, begins = csv.reader(file, delimiter=between, strict=True), skipped + 1
        for cells in reader:
            yield begins, cells
            begins = skipped + reader.line_num + 1


def _at(file: _File, rows: Sequence[int]) -> dict[int, tuple[int, list[str]]]:
    """Return the first line and the cells of rows in ascending order; row 0 is the first below the header."""
    if not rows:
        return {}
    sought = set(rows)
    records = itertools.islice(_records(*file[:3]), 1, rows[-1] + 2)
    return {row: record for row, record in enumerate(records) if row in sought}
