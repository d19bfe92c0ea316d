"""Reading the rows of a click log, with errors that name the line of the file.

Commas, semicolons or tabs stand between the cells, whichever sign makes both columns of the header. Lines are counted
as an editor does: a quoted cell may span several.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from numerics.parameters import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

_ENCODING = "utf-8-sig"
_SHOWN = 40  # characters of a cell that a sentence shows
_PACKED = (".zip", ".xz", ".bz2", ".zst", ".tar", ".7z")  # endings of archives
_COLUMNS = 20  # columns of a header that a sentence shows
_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs"}  # between the cells of a row
_WORDS = ({"true": 1, "false": 0}, {"yes": 1, "no": 0})  # a column has the words of one of these, or numbers
_ALLOWED = "0 or 1, or throughout true and false, or yes and no"

_CLICKS = "only clicks can be read: give a column of 0 (no click) and 1 (a click), such as whether an amount is above 0"


@dataclass(frozen=True)
class Cells:
    """The cells of two columns of a file as texts, and what finds the line of a row."""

    path: Path
    rows: pd.DataFrame
    between: str  # the sign between cells
    skipped: int  # blank lines at the beginning

    def check(self, column: str, wrong: npt.NDArray[np.bool_], allowed: str, without: str) -> None:
        """Refuse the first wrong row of a column; `without` says what to do where its cell is empty.

        Raises
        ------
        ValueError
            One sentence that names the line of the file.
        """
        if wrong.any():
            row = int(wrong.argmax())
            value, line = shortened(self.rows[column].iloc[row]), _line(self.path, row, self.skipped, self.between)
            cure = _CLICKS if value.strip() else without
            fault = f"column {column!r} must hold {allowed}; got {value!r}; {cure}"
            raise ValueError(f"path {str(self.path)!r}, line {line}: {fault}")


def read_rows(given: str | Path, arm_column: str, reward_column: str) -> pd.DataFrame:
    """Return a row for each impression: arm, a text without surrounding spaces, and reward, 0 or 1.

    Raises
    ------
    ValueError
        No such file, no such column, an invalid row, or a header that two signs cut into both columns.
    """
    import pandas as pd

    cells = read_cells(given, {"arm_column": arm_column, "reward_column": reward_column})
    rewards, allowed = _rewards(cells.rows[reward_column], cells.between)
    arms = cells.rows[arm_column].str.strip()
    without = "write 0 where nobody clicked, or leave the row out"
    cells.check(reward_column, ~rewards.isin([0, 1]).to_numpy(), allowed, without)
    cells.check(arm_column, (arms == "").to_numpy(), "the name of an arm", "leave out a row without it")
    return pd.DataFrame({"arm": arms, "reward": rewards.astype("int64")})


def read_cells(given: str | Path, columns: Mapping[str, str]) -> Cells:
    """Return the cells of two columns, which are given by the arguments that name them.

    Raises
    ------
    ValueError
        No such file, no such column, or a header that two signs cut into both columns.
    """
    import pandas as pd

    if not isinstance(given, str | os.PathLike):
        raise ValueError(f"path must be the path of a CSV file; got {given!r}")
    _check_path(str(given))
    path = Path(given)
    if len(set(columns.values())) < len(columns):
        raise ValueError(f"{' and '.join(columns)} must differ; both are {next(iter(columns.values()))!r}")
    header: list[str] = []
    try:
        packed: Literal["gzip"] | None = "gzip" if _is_packed(path) else None
        skipped = _blank_lines(path)
        headers = {
            sign: [
                name.strip()
                for name in pd.read_csv(  # as written: in a header, pandas renames a second column "click" to "click.1"
                    path,
                    sep=sign,
                    nrows=1,
                    header=None,
                    dtype=str,
                    keep_default_na=False,
                    encoding=_ENCODING,
                    compression=packed,
                ).iloc[0]
            ]
            for sign in _SIGNS
        }
        between = _sign_of(path, headers, list(columns.values()))
        header = headers[between]
        _check_columns(path, header, columns)
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a row longer than the header
            rows = pd.read_csv(
                path,
                sep=between,
                dtype=str,
                keep_default_na=False,
                encoding=_ENCODING,
                skip_blank_lines=False,
                index_col=False,
                skiprows=skipped,
                compression=packed,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        if header and (longer := _longer_row(path, len(header), between)):
            line, count = longer
            fault = f"a row must have the {len(header)} cells of the header; got {count}"
            raise ValueError(f"path {str(path)!r}, line {line}: {fault}") from error
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({str(error).strip()})") from error
    except UnicodeDecodeError as error:
        cure = f"({str(error).strip()}); unpack it first" if path.suffix in _PACKED else "in UTF-8; save it in that"
        raise ValueError(f"path {str(path)!r}: not a readable CSV file {cure}") from error
    except pd.errors.EmptyDataError as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file: the file is empty") from error
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({str(error).strip()})") from error
    rows.columns = rows.columns.str.strip()
    while len(rows) > 0 and not rows.iloc[-1].str.strip().any():
        rows = rows.iloc[:-1]  # blank lines at the end
    if rows.empty:
        raise ValueError(f"path {str(path)!r}: a header but no rows")
    return Cells(path, rows, between, skipped)


def _rewards(texts: pd.Series[str], between: str) -> tuple[pd.Series[Any], str]:
    """Return rewards as numbers, NaN where a text is none, and the words for what is allowed."""
    import pandas as pd

    plain, allowed = texts.str.strip().str.lower(), _ALLOWED
    for words in _WORDS:
        if plain.isin(words).all():
            return plain.map(words), allowed
    commas = plain.str.contains(",", regex=False)
    if between != "," and commas.any():  # then a point may stand between thousands
        allowed = "0 or 1 with a decimal comma, as in other rows"
        plain = plain.where(~plain.str.contains(".", regex=False)).str.replace(",", ".", regex=False)
    return pd.to_numeric(plain, errors="coerce"), allowed


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
    """Return the sign between the cells: the one that makes both columns; else the one that makes more cells."""
    fitting = [sign for sign, header in headers.items() if set(columns) <= set(header)]
    if len(fitting) > 1:
        raise ValueError(
            f"path {str(path)!r}: the header has columns {' and '.join(map(repr, columns))} by "
            f"{' and by '.join(_SIGNS[sign] for sign in fitting)}; "
            "rename a column, so that it is clear which of them separate"
        )
    return (fitting or sorted(headers, key=lambda sign: -len(headers[sign])))[0]


def _check_columns(path: Path, header: Sequence[str], columns: Mapping[str, str]) -> None:
    """Raise ValueError for columns that the header lacks or has more than once."""
    for argument, column in columns.items():
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


def _records(path: Path, skipped: int, between: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of each record of a file, as far as it is readable."""
    with _opened(path, newline="") as file:
        for _ in range(skipped):
            next(file)
        reader, begins = csv.reader(file, delimiter=between), skipped + 1
        try:
            for cells in reader:
                yield begins, cells
                begins = skipped + reader.line_num + 1
        except csv.Error:  # such as a cell too long for this reader
            return


def _line(path: Path, row: int, skipped: int, between: str) -> int:
    """Return the line of a row; row 0 is the first below the header."""
    record = next(itertools.islice(_records(path, skipped, between), row + 1, None), None)
    return skipped + row + 2 if record is None else record[0]


def _longer_row(path: Path, columns: int, between: str) -> tuple[int, int] | None:
    """Return the line and length of the first row that is longer than the header, or None."""
    records = _records(path, _blank_lines(path), between)
    return next(((line, len(cells)) for line, cells in records if len(cells) > columns), None)
