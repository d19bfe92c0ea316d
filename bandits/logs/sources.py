"""Files with rows: CSV with or without a header line, JSON lines, Parquet.

Each source has the names of its columns, and returns the cells of some columns block by block as texts. It can also be
read row by row, for a message with a line number. The content of a file decides its form, not its name.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from bandits.logs.cells import UNREADABLE, Array
from numerics.checks import show

if TYPE_CHECKING:
    import pyarrow as pa

SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""What may stand between the cells of a row."""

BLOCK = 1 << 24
"""Bytes that are parsed at a time; no row may be longer."""

_ROWS = 1 << 16  # of JSON lines or Parquet that become numbers at a time
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_KEYS = 1_000  # JSON lines whose keys are the columns
_HEAD = 4_096  # characters at the start of a file that tell a text from other bytes
_SHOWN = 40  # characters of a row that a sentence shows
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # what JSON can write and no file in UTF-8 hold


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Write bytes that are not UTF-8 as escapes behind a mark, by which their cells are known."""
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return "".join(f"{UNREADABLE}\\x{byte:02x}" for byte in bad), error.end


codecs.register_error("bandits.unreadable", _mark)


class Source(ABC):
    """A file whose form is known.

    Attributes
    ----------
    path : Path
        The file.
    header : sequence of str
        The names of its columns.
    between : str
        The sign between the cells of a row; a comma where there is none.
    place : str
        What counts its rows in a sentence: line or row.
    empty : str
        What it is without a row.
    """

    path: Path
    header: Sequence[str]
    between: str = ","
    place: str = "line"
    empty: str = "no rows"

    @abstractmethod
    def parse(self, columns: Sequence[int], cells: Sequence[Any]) -> tuple[Array, list[int]]:
        """Pass blocks of texts to the cells; return the numbers of their rows, and those of malformed rows."""

    @abstractmethod
    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the place and the cells of each row."""

    def misshapen(self, cells: Sequence[str]) -> str:
        """Return what a malformed row must be."""
        return f"a row must have {len(self.header)} cells; got {len(cells)}"

    def at(self, rows: Sequence[int]) -> dict[int, tuple[int, list[str]]]:
        """Return the place and the cells of rows in ascending order; row 0 is the first."""
        if not rows:
            return {}
        sought = set(rows)
        return {row: each for row, each in enumerate(itertools.islice(self.records(), rows[-1] + 1)) if row in sought}


class CSVFile(Source):
    """A file of commas, semicolons or tabs between cells; a quoted cell may span several lines, which all count."""

    def __init__(self, path: Path, skipped: int, between: str, header: Sequence[str], has_header: bool) -> None:
        self.path, self.between, self.header = path, between, header
        self.skipped, self.has_header = skipped, has_header
        self.empty = "a header but no rows" if has_header else "no rows"

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """As `Source` says."""
        return itertools.islice(records_of(self.path, self.skipped, self.between), int(self.has_header), None)

    def misshapen(self, cells: Sequence[str]) -> str:
        """As `Source` says."""
        count = len(self.header)
        must = f"{count} cells, as the header" if self.has_header else f"{count} cells, one for each name in columns"
        return f"a row must have {must}; got {len(cells)}"

    def parse(self, columns: Sequence[int], cells: Sequence[Any]) -> tuple[Array, list[int]]:
        """As `Source` says."""
        import pyarrow as pa
        from pyarrow import csv as arrow

        misshapen: list[int] = []

        def note(row: Any) -> str:
            misshapen.append(row.number - 1)
            return "skip"

        names = [str(column) for column in range(len(self.header))]
        text = {names[column]: pa.string() for column in columns}
        with open_text(self.path, newline="") as lines:
            for _ in range(self.skipped):
                next(lines)
            if self.has_header:
                next(csv.reader(lines, delimiter=self.between))
            try:
                with arrow.open_csv(
                    _Bytes(lines),
                    arrow.ReadOptions(use_threads=False, block_size=BLOCK, column_names=names),
                    arrow.ParseOptions(
                        delimiter=self.between,
                        newlines_in_values=True,
                        ignore_empty_lines=False,
                        invalid_row_handler=note,
                    ),
                    arrow.ConvertOptions(column_types=text, include_columns=list(text), strings_can_be_null=False),
                ) as blocks:
                    for block in blocks:
                        for held, texts in zip(cells, block.columns, strict=True):
                            held.add(texts)
            except pa.ArrowInvalid as error:
                if "Empty CSV file" not in str(error):
                    raise OSError(str(error)) from None
        rows = len(cells[0].blank()) + len(misshapen)
        return np.delete(np.arange(rows), misshapen), misshapen


class _Bytes(io.RawIOBase):
    """The rest of a text file in UTF-8, for Arrow to read."""

    def __init__(self, text: IO[str]) -> None:
        self._text, self._rest = text, b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = self._text.read(size).encode()
        given, self._rest = (self._rest[:size], self._rest[size:]) if size >= 0 else (self._rest, b"")
        return given


class JSONLines(Source):
    """A file with a JSON object in each line.

    Numbers keep their digits, but 1.0 is the number 1, as JSON has it. Texts stay texts. pyarrow's reader would
    convert a text such as 2024-01-01 to a time, and ids of 20 digits to equal numbers.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        header = dict[str, None]()
        for at, (_, row) in enumerate(self._objects()):
            header |= dict.fromkeys(row if isinstance(row, dict) else ())
            if at >= _KEYS and all(column in header for column in columns):
                break
        self.header = list(header)
        if not header:
            line, row = next(self._objects())
            raise ValueError(f"path {str(path)!r}, line {line}: {self.misshapen([str(row)])}")

    def _objects(self) -> Iterator[tuple[int, Any]]:
        """Yield line and object of each row; a text that is none as it is."""
        decode = json.JSONDecoder(parse_float=_digits, parse_int=str, parse_constant=str).decode
        with open_text(self.path) as lines:
            for line, text in enumerate(lines, 1):
                if text := text.strip():
                    try:
                        row = decode(text)
                    except (ValueError, RecursionError):
                        row = text
                    yield line, row if isinstance(row, dict) else text

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """As `Source` says."""
        for line, row in self._objects():
            if isinstance(row, str):
                yield line, [row, *[""] * (len(self.header) - 1)]
            else:
                yield line, [_text(row.get(name)) for name in self.header]

    def parse(self, columns: Sequence[int], cells: Sequence[Any]) -> tuple[Array, list[int]]:
        """As `Source` says."""
        import pyarrow as pa

        names, misshapen, rows, count = [self.header[column] for column in columns], list[int](), self._objects(), 0
        while block := list(itertools.islice(rows, _ROWS)):
            misshapen += [count + at for at, (_, row) in enumerate(block) if isinstance(row, str)]
            count += len(block)
            objects = [row for _, row in block if not isinstance(row, str)]
            for line, row in block:
                for name in names if isinstance(row, dict) else ():
                    if isinstance(value := row.get(name), dict | list):
                        where = f"path {str(self.path)!r}, line {line}: column {name!r}"
                        raise ValueError(f"{where} must hold one value; got {show(value)}")
            for held, name in zip(cells, names, strict=True):
                held.add(pa.array([_text(row.get(name)) for row in objects], pa.string()))
        return np.delete(np.arange(count), misshapen), misshapen

    def misshapen(self, cells: Sequence[str]) -> str:
        """As `Source` says."""
        text = cells[0] if len(cells[0]) <= _SHOWN else f"{cells[0][:_SHOWN]}..."
        return f"a row must be a JSON object; got {text!r}"


def _digits(number: str) -> str:
    """Return the digits of a number with a fraction; those before the point where the fraction is zero."""
    whole, _, fraction = number.partition(".")
    return whole if fraction and not fraction.strip("0") else number


def _text(value: Any) -> str:
    """Return a value of JSON as the cell of a CSV file would be; null is an empty cell."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub(lambda half: f"{UNREADABLE}\\u{ord(half[0]):x}", value)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else json.dumps(value)


class ParquetFile(Source):
    """A Parquet file; its values become the texts that a CSV file would have."""

    place = "row"

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        self.path = path
        try:
            self._file: Any = parquet.ParquetFile(path)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"path {str(path)!r}: not a readable Parquet file ({_first_line(error)})") from error
        self.header = list(self._file.schema_arrow.names)

    def _blocks(self, columns: Sequence[int]) -> Iterator[list[pa.Array]]:
        """Yield the texts of columns, block by block."""
        import pyarrow as pa

        names = [self.header[column] for column in columns]
        try:
            for block in self._file.iter_batches(_ROWS, columns=names):
                yield [_texts(name, block.column(name)) for name in names]
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"path {str(self.path)!r}: not a readable Parquet file ({_first_line(error)})") from error

    def parse(self, columns: Sequence[int], cells: Sequence[Any]) -> tuple[Array, list[int]]:
        """As `Source` says."""
        self.wanted = list(columns)
        for block in self._blocks(columns):
            for held, texts in zip(cells, block, strict=True):
                held.add(texts)
        return np.arange(self._file.metadata.num_rows), []

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """As `Source` says; cells of columns that are not read are empty."""
        number = itertools.count(1)
        for block in self._blocks(self.wanted):
            for texts in zip(*(texts.to_pylist() for texts in block), strict=True):
                cells = [""] * len(self.header)
                for column, text in zip(self.wanted, texts, strict=True):
                    cells[column] = text
                yield next(number), cells


def _texts(name: str, values: pa.Array) -> pa.Array:
    """Return the values of a column as texts, null as an empty one."""
    import pyarrow as pa

    if pa.types.is_duration(values.type):  # in seconds, as no text of Arrow's has the unit
        ticks = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
        values = pa.array(ticks / _PER_SECOND[values.type.unit], from_pandas=True)
    if pa.types.is_timestamp(values.type) and values.type.tz:
        values = values.cast(pa.timestamp(values.type.unit, "UTC"))
    if pa.types.is_nested(values.type):
        raise pa.ArrowInvalid(f"column {name!r} holds {values.type}, not one value per row")
    return values.cast(pa.string()).fill_null("")


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def open_text(path: Path, newline: str | None = None) -> IO[str]:
    """Open a file, compressed by gzip or not, as text; bytes that are not UTF-8 are marked."""
    open_as = gzip.open if has_signature(path, b"\x1f\x8b") else open
    return open_as(path, "rt", encoding="utf-8-sig", errors="bandits.unreadable", newline=newline)


def has_signature(path: Path, sign: bytes) -> bool:
    """Return whether a file begins with these bytes, whatever its name."""
    with path.open("rb") as file:
        return file.read(len(sign)) == sign


def source_of(path: Path, columns: Sequence[str], names: Sequence[str] | None) -> Source:
    """Return the source for a file, by its content.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of str
        The columns that are wanted.
    names : sequence of str or None
        The names of all columns of a CSV file without a header line; None for one with it.

    Raises
    ------
    ValueError
        An empty file, a header that two signs cut into all columns, or names for a file that has its own.
    UnicodeError
        A header that is no text in UTF-8.
    csv.Error
        A header with text behind a closing quote.
    """
    is_parquet = has_signature(path, b"PAR1")
    if not is_parquet:
        with open_text(path) as file:
            head = file.read(_HEAD)
    if not is_parquet and re.match(r"\s*\[\s*\{", head):
        raise ValueError(f"path {str(path)!r} must have a JSON object in each line; it has a list of objects")
    if is_parquet or head.lstrip().startswith("{"):
        if names is not None:
            form = "a Parquet file" if is_parquet else "a JSON lines file"
            raise ValueError(f"header must be true for {path}, because {form} has column names; got false")
        return ParquetFile(path) if is_parquet else JSONLines(path, columns)
    with open_text(path) as file:
        skipped = sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), file))
    headers = _headers(path, skipped)
    if names is not None:
        between = max(headers, key=lambda sign: (len(headers[sign]) == len(names), len(headers[sign])))
        return CSVFile(path, skipped, between, names, False)
    between = _sign_of(path, headers, columns)
    if UNREADABLE in head and not set(columns) <= set(headers[between]):
        raise UnicodeError("the header is not UTF-8")
    return CSVFile(path, skipped, between, headers[between], True)


def _headers(path: Path, skipped: int) -> dict[str, list[str]]:
    """Return the cells of the first row as each sign cuts them, of those that can."""
    cut, fault = dict[str, list[str]](), None
    for sign in SIGNS:
        try:
            record = next(records_of(path, skipped, sign), None)
        except csv.Error as error:  # such as text behind a closing quote
            fault = error
            continue
        if record is None:
            raise ValueError(f"path {str(path)!r}: not a readable CSV file: the file is empty")
        cut[sign] = [name.strip() for name in record[1]]
    if not cut and fault:
        raise fault
    return cut


def _sign_of(path: Path, headers: Mapping[str, Sequence[str]], columns: Sequence[str]) -> str:
    """Return the sign between the cells: the one that makes all columns; else the one that makes more cells."""
    fitting = [sign for sign, header in headers.items() if set(columns) <= set(header)]
    if len(fitting) > 1:
        raise ValueError(
            f"path {str(path)!r}: the header has columns {' and '.join(map(repr, columns))} with each of the "
            f"separators {' and '.join(SIGNS[sign] for sign in fitting)}; rename a column"
        )
    return (fitting or sorted(headers, key=lambda sign: -len(headers[sign])))[0]


def records_of(path: Path, skipped: int, between: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of each record of a CSV file; an unclosed quote is an error."""
    with open_text(path, newline="") as file:
        for _ in range(skipped):
            next(file)
        reader, at = csv.reader(file, delimiter=between, strict=True), skipped + 1
        for cells in reader:
            yield at, cells
            at = skipped + reader.line_num + 1
